"""Does a knowledge base hold together, and does it say what its tree says? Looks at everything, changes nothing.

*Fast*: the databases' own verdicts, the head and its sums, contents behind every document, followers at the head.
*Full* adds: the tree listed anew, every file read and hashed, every content derived again and compared. Each finding is
a value with a code; no finding means sound.
"""

import os
from collections.abc import Iterator

import msgspec

from . import extract, languages
from .errors import DamagedError
from .knowledge import KnowledgeBase
from .model import ContentId, DocumentPath, Recipe
from .paths import printable
from .scan import list_tree
from .source import Reading, read
from .store.rows import DocumentRow, Head, Totals


class Finding(msgspec.Struct, frozen=True):
    """Something that does not hold. ``code`` is stable, ``message`` is for people."""

    code: str
    message: str
    path: str = ""


def check(kb: KnowledgeBase, followers: dict[str, Head | None], *, full: bool) -> Iterator[Finding]:
    """Yield what is wrong with a knowledge base.

    Args:
        kb: the knowledge base.
        followers: the head each follower is at, by name; None for one that cannot be read.
        full: also compare with the tree and derive everything again.
    """
    try:
        yield from _check(kb, followers, full=full)
    except DamagedError as error:
        # Questions mend what they come across; this lies where none has looked yet.
        path = os.path.basename(error.data.get("path", "content.db"))
        yield Finding(
            "database",
            f"{path} cannot be read to its end; run `gazetteer clean`, and the next question builds it again.",
        )


def _check(kb: KnowledgeBase, followers: dict[str, Head | None], *, full: bool) -> Iterator[Finding]:
    for name, verdict in (("kb.db", kb.store.check(full=full)), ("content.db", kb.contents.check())):
        if verdict != "ok":
            yield Finding("database", f"{name}: {verdict}")
    head = kb.store.head()
    if head.generation == 0:
        return  # nothing was published yet, so nothing can be wrong with it
    rows = list(kb.store.documents(head.generation))
    yield from _sums(kb, head, rows)
    yield from _contents(kb, rows)
    for name, at in followers.items():
        if at is None:
            yield Finding("follower", f"The {name} cannot be read; `gazetteer sync` builds it again.")
        elif at != head:
            yield Finding("follower", f"The {name} is at generation {at.generation}, the store at {head.generation}.")
    if full:
        yield from _tree(kb, {row.path: row for row in rows})


def _sums(kb: KnowledgeBase, head: Head, rows: list[DocumentRow]) -> Iterator[Finding]:
    if head.generation and not kb.store.knows(head):
        yield Finding("head", f"The head names generation {head.generation}, which was never published.")
    paths = [row.path for row in rows]
    if len(set(paths)) != len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        yield Finding("documents", "A document is there twice.", printable(twice))
    found = Totals(
        len(rows),
        sum(row.chunks for row in rows),
        sum(row.symbols for row in rows),
        sum(row.size for row in rows),
        sum(bool(row.partial) for row in rows),
        sum(bool(row.problems) for row in rows),
        sum(bool(row.regressed) for row in rows),
    )
    stored = kb.store.published(head.generation)[0]
    if head.generation and found != stored:
        yield Finding("sums", f"The generation says {stored}, its documents say {found}.")
    _, places = kb.store.places()
    listed = {path: state for path, state in places.files.items() if not state.refusal}
    for row in rows:
        state = listed.pop(row.path, None)
        if state is None:
            yield Finding("places", "A document is not among the files that a sweep looks at.", printable(row.path))
        elif state.disk_hash != row.disk_hash:
            yield Finding("places", "A document and the sweep's record name different bytes.", printable(row.path))
    for path in listed:
        yield Finding("places", "A file counts as indexed and has no document.", printable(path))


def _contents(kb: KnowledgeBase, rows: list[DocumentRow]) -> Iterator[Finding]:
    missing = kb.contents.missing([(ContentId(row.content_id), Recipe(row.recipe)) for row in rows])
    for row in rows:
        if (row.content_id, row.recipe) in missing:
            yield Finding("contents", "The stored text or its facts are gone.", printable(row.path))


def _tree(kb: KnowledgeBase, rows: dict[DocumentPath, DocumentRow]) -> Iterator[Finding]:
    listing = list_tree(kb.root.real, kb.rules, needs_git=True)
    for path in listing.files:
        row = rows.get(path)
        reading = read(kb.root.real, path, max_bytes=kb.rules.max_file_bytes)
        if not isinstance(reading, Reading):
            if row is not None:
                yield Finding("stale", f"This file is no document any more ({reading.reason.value}).", printable(path))
            continue
        if row is None:
            yield Finding("stale", "This file is not in the index.", printable(path))
        elif reading.disk_hash != row.disk_hash:
            yield Finding("stale", "This file has other bytes than the index.", printable(path))
        else:
            yield from _derived_again(kb, row, reading)
    unreadable = tuple(f"{folder}/" for folder in listing.failed)
    for path in rows:
        if path not in listing.files and not path.startswith(unreadable):
            yield Finding("stale", "This document is not in the tree any more.", printable(path))


def _derived_again(kb: KnowledgeBase, row: DocumentRow, reading: Reading) -> Iterator[Finding]:
    language = languages.detect(row.path, reading.text[:4096])
    if languages.recipe(language.name) != row.recipe:
        yield Finding("recipe", "This document was derived by another version.", printable(row.path))
        return
    try:
        text, stored = kb.contents.load(row.content_id, row.recipe)
    except DamagedError:
        return  # reported with the contents
    if text != reading.text:
        yield Finding("text", "The stored text is not that of the file.", printable(row.path))
        return
    if stored.partial in ("timeout", "crash"):
        return  # what a derive process did not survive is not tried in this one
    fresh = extract.derive(text, language.name)
    timed_out = fresh.partial == "timeout"
    if not timed_out and (fresh.chunks, fresh.symbols, fresh.references, fresh.imports) != (
        stored.chunks,
        stored.symbols,
        stored.references,
        stored.imports,
    ):
        yield Finding("facts", "The stored facts are not those of the text.", printable(row.path))
