"""The registry and several corpora at once, as people read them: one row a corpus, what needs somebody in colour.

Pure: values in, lines out.
"""

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..corpora.listing import CorpusRow, Listing
from ..corpora.registering import Registered, Removed
from ..corpora.rounds import Round, Turn
from ..corpora.scanning import Scanned
from ..kb.paths import printable
from ..retrieval.query import to_wire
from .output import Line, Output, Piece
from .show_answer import duration
from .show_state import STATE_STYLES, count, size

INDEX_STYLES = {"none": "warn", "indexed": "good", "partial": "warn", "failed": "bad", "unknown": "bad"}


def show(output: Output, value: Any, lines: Callable[[Any], Iterator[Line]]) -> None:
    """Print a value as it was asked for."""
    if output.as_json:
        output.data(to_wire(value))
    else:
        output.lines(lines(value))


def listing(found: Listing) -> Iterator[Line]:
    """Return the registered corpora as a table, then what is wrong with the registry."""
    if found.corpora:
        head = ("name", "index", "documents", "size", "built", "tree")
        yield from _table(head, [_listed(row) for row in found.corpora])
    elif not found.broken and not found.notices:
        yield (("", f"nothing is registered in {found.file}"),)
        yield (("dim", "add a tree with `gazetteer corpus add NAME DIR`; `gazetteer corpus scan DIR` looks for some"),)
    for broken in found.broken:
        yield (("bad", "broken: "), ("", broken.reason))
    yield from _notices(found.notices)


def registered(found: Registered) -> Iterator[Line]:
    """Return what became of adding one."""
    words = {"added": "added", "changed": "changed", "kept": "registered already:"}[found.change]
    yield (("good", words), ("heading", f" {found.name}"), ("path", f"  {printable(found.root)}"))
    if found.change == "added":
        yield (("dim", f"`gazetteer index {shlex.quote(found.name)}` indexes it now, else the first question does"),)
    yield from _notices(found.notices)


def removed(found: Removed) -> Iterator[Line]:
    """Return what became of letting go of one."""
    yield (("good", "let go of"), ("heading", f" {found.name}"), ("path", f"  {printable(found.root)}"))
    for what in found.removed:
        yield (("", f"removed {what}"),)
    if found.freed_bytes:
        yield (("dim", f"{size(found.freed_bytes)} freed"),)
    yield from _notices(found.notices)


def scanned(found: Scanned) -> Iterator[Line]:
    """Return the repositories that were found, and how to register one."""
    rows: list[Sequence[Piece]] = []
    for one in found.candidates:
        state: Piece = ("good", "registered") if one.registered else ("dim", "not registered")
        rows.append((("heading", one.name), ("", f"{one.files:,}"), state, ("path", printable(one.root))))
    yield from _table(("name", "files", "", "tree"), rows)
    free = next((one for one in found.candidates if not one.registered), None)
    if free is not None:
        words = f"{shlex.quote(free.name)} {shlex.quote(free.root)}"
        yield (("dim", f"register one with `gazetteer corpus add {words}`"),)
    if not found.candidates:
        yield (("", f"no repository with {count(found.least, 'file')} or more below {printable(found.folder)}"),)
    if found.smaller:
        noun = "repository has" if found.smaller == 1 else "repositories have"
        yield (("dim", f"{found.smaller:,} more {noun} fewer than {found.least:,}; --min 0 lists all"),)
    yield from _notices(found.notices)


def indexed(found: Round) -> Iterator[Line]:
    """Return how each corpus is now, and for one that is too large what helps, ready to be run."""
    yield from states(found)
    for turn in found.corpora:
        globs = turn.error.data.get("exclude") if turn.error is not None else None
        if globs:
            name = shlex.quote(turn.corpus)
            options = " ".join(f"--exclude {shlex.quote(glob)}" for glob in globs)
            yield (("heading", "once:     "), ("", f"gazetteer index {name} {options}"))
            yield (("heading", "for good: "), ("", f"gazetteer corpus add {name} {shlex.quote(turn.root)} {options}"))


def states(found: Round) -> Iterator[Line]:
    """Return how each corpus is, as a table, then what needs somebody, in whole sentences."""
    head = ("name", "state", "generation", "documents", "chunks", "size", "swept", "tree")
    yield from _table(head, [_turned(turn) for turn in found.corpora])
    for turn in found.corpora:
        for words in _sentences(turn):
            yield (("warn", f"{turn.corpus}: "), ("", words))
    yield from _notices(found.notices)


# ---------------------------------------------------------------- rows


def _listed(row: CorpusRow) -> Sequence[Piece]:
    flags = {"shared": row.shared, "autoindex": row.autoindex, row.indexer: row.indexer != "generic"}
    labels = [row.kind, *(flag for flag, holds in flags.items() if holds)]
    about = "  ".join((printable(row.root), *(f"[{label}]" for label in labels if label)))
    return (
        ("heading", row.name),
        (INDEX_STYLES[row.index], row.index),
        ("", f"{row.documents:,}" if row.generation else "-"),
        ("", size(row.index_bytes) if row.index_bytes else "-"),
        ("", _ago(row.published_at)),
        ("path", about) if row.there else ("bad", f"{about}  (gone)"),
    )


def _turned(turn: Turn) -> Sequence[Piece]:
    found = turn.found
    root = printable(turn.root)
    if found is None:
        return (("heading", turn.corpus), ("bad", "error"), *(("", "-"),) * 5, ("path", root))
    swept = f"{duration(found.sweep_age_ms)} ago" if found.sweep_age_ms is not None else "-"
    behind = sum(follower.behind for follower in found.followers)
    return (
        ("heading", turn.corpus),
        (STATE_STYLES[found.state], found.state),
        ("warn" if behind else "", f"{found.generation}{f' ({behind} behind)' if behind else ''}"),
        ("", f"{found.documents:,}"),
        ("", f"{found.chunks:,}"),
        ("", size(found.index_bytes)),
        ("", swept),
        ("path", root),
    )


def _sentences(turn: Turn) -> Iterator[str]:
    """Say what a row has no room for."""
    if turn.error is not None:
        yield turn.error.message
    found = turn.found
    if found is None:
        return
    if found.reason:
        yield found.reason
    if found.last_error and found.last_error != found.reason:
        yield found.last_error
    if found.partial and found.partial != found.reason:
        yield found.partial
    yield from found.notices


def _ago(at: float | None) -> str:
    return f"{duration(max(0.0, time.time() - at) * 1000)} ago" if at is not None else "-"


def _notices(notices: Iterable[str]) -> Iterator[Line]:
    for notice in notices:
        yield (("warn", "note: "), ("", notice))


def _table(head: Sequence[str], rows: Sequence[Sequence[Piece]]) -> Iterator[Line]:
    """Return lines in columns as wide as they have to be; numbers stand to the right."""
    if not rows:
        return
    widths = [max(len(row[at][1]) for row in (*rows, [("", name) for name in head])) for at in range(len(head))]
    for row in ([("dim", name) for name in head], *rows):
        pieces: list[Piece] = []
        for at, (style, text) in enumerate(row):
            last = at == len(head) - 1
            number = head[at] in ("documents", "chunks", "files", "size", "generation")
            padded = text if last else text.rjust(widths[at]) if number else text.ljust(widths[at])
            pieces.append((style, padded))
            if not last:
                pieces.append(("", "  "))
        yield tuple(pieces)
