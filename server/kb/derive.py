"""From bytes to facts: read, hash, decode, parse, chunk, and let a follower prepare its own entries.

The same two functions serve a small edit in this process and a bulk build in derive processes (`derive_pool`). Nothing
is written here; a content whose facts are stored already is loaded instead of derived (row K14). `Annotator` is how a
room above gets its tokens computed beside the parse without this room knowing it: `app.py` names a function of the
package, never anything that a tree says (row K19).
"""

import importlib
import time
from collections.abc import Callable

import msgspec

from . import extract, languages
from .errors import DamagedError
from .model import ContentId, Derived, DiskHash, DocumentPath, Problem, Recipe, Signature, SourceType
from .outline import outline
from .parse_edited import EditedText
from .source import Reading, read
from .store.content import ContentStore, pack_derived, pack_outline, pack_text

LARGE_TEXT = 64_000
"""Characters of text above which a derive process does the work: parsing holds the interpreter lock (invariant 7)."""
CARDS = ".knowledge/"

Clock = Callable[[], int]
"""Nanoseconds of the wall clock that file times are in."""
Annotator = Callable[[DocumentPath, str, Derived], bytes]
"""Makes what a follower will want of one document: (path, normalised text, facts) -> its own encoding."""


class Candidate(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A document that was read and derived.

    ``text``, ``derived`` and ``outline`` are packed, and empty when stored already.
    """

    path: DocumentPath
    signature: Signature
    disk_hash: DiskHash
    content_id: ContentId
    language: str
    source_type: str
    recipe: Recipe
    partial: str
    problems: int
    chunks: int
    symbols: int
    size: int
    text: bytes
    derived: bytes
    outline: bytes
    prepared: bytes


class Refused(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A listed file that is no document, and why; as `source.Refusal`."""

    path: DocumentPath
    reason: str
    detail: str = ""
    signature: Signature | None = None
    disk_hash: str = ""
    passing: bool = False


Outcome = Candidate | Refused


class DeriveOptions(msgspec.Struct, frozen=True, array_like=True):
    """What a derive process is told once. ``content_db`` may be empty: then nothing counts as stored."""

    root: str
    max_file_bytes: int
    content_db: str = ""
    annotator: str = ""  # "package.module:function" of this package
    deadline_s: float = 5.0


def load_annotator(spec: str) -> Annotator | None:
    """The function that ``spec`` names in this package; None for an empty one."""
    if not spec:
        return None
    module, _, name = spec.partition(":")
    package = __name__.split(".", 1)[0]
    if not module.startswith(package + "."):
        raise ValueError(f"an annotator lies in this package, not in {module}")
    function: Annotator = getattr(importlib.import_module(module), name)
    return function


def source_type(path: DocumentPath, language: languages.Language) -> SourceType:
    """What a document is for: curated cards by their folder, the rest by language."""
    if path.startswith(CARDS) or f"/{CARDS}" in path:
        return SourceType.CARD
    return language.source_type


def derive_file(
    path: DocumentPath,
    options: DeriveOptions,
    contents: ContentStore | None,
    annotate: Annotator | None,
    clock: Clock = time.time_ns,
    *,
    failure: Problem | None = None,
) -> Outcome:
    """Read one file of the tree and derive what the index needs of it; never raises on content.

    With ``failure`` it is not parsed, which was tried elsewhere: it gets chunks, and that problem.
    """
    reading = read(options.root, path, max_bytes=options.max_file_bytes, clock=clock)
    if not isinstance(reading, Reading):
        return Refused(
            path, reading.reason.value, reading.detail, reading.signature, reading.disk_hash, reading.passing
        )
    text = reading.text
    language = languages.detect(path, text[:4096])
    recipe = languages.recipe(language.name)
    derived = _stored(contents, reading.content_id, recipe)
    known = derived is not None
    if derived is None:
        derived = extract.derive(text, language.name, deadline_s=options.deadline_s, failure=failure)
    # What the bytes were like is the document's own: another one may have the same text from other bytes.
    undecoded = reading.problem is not None
    return Candidate(
        path=path,
        signature=reading.signature,
        disk_hash=reading.disk_hash,
        content_id=reading.content_id,
        language=language.name,
        source_type=source_type(path, language).value,
        recipe=recipe,
        partial=derived.partial or ("undecodable" if undecoded else ""),
        problems=len(derived.problems) + undecoded,
        chunks=len(derived.chunks),
        symbols=len(derived.symbols),
        size=reading.signature.size,
        text=b"" if known else pack_text(text),
        derived=b"" if known else pack_derived(derived),
        outline=b"" if known else pack_outline(outline(derived)),
        prepared=annotate(path, text, derived) if annotate is not None else b"",
    )


def derive_text(path: DocumentPath, text: str, *, deadline_s: float = 5.0) -> tuple[languages.Language, Derived]:
    """Facts of an open buffer's normalised text."""
    language = languages.detect(path, text[:4096])
    return language, extract.derive(text, language.name, deadline_s=deadline_s)


class EditedBuffer:
    """Facts of one version of an open buffer after the other: what an edit left alone is not parsed again.

    What is known of the last buffer is kept, and of no other: it is much.
    """

    def __init__(self) -> None:
        self._path = DocumentPath("")
        self._edited = EditedText("")

    def derive(self, path: DocumentPath, text: str, *, deadline_s: float) -> Derived:
        """The facts that `derive_text` gives."""
        language = languages.detect(path, text[:4096])
        if (path, language.name) != (self._path, self._edited.language):
            self._path, self._edited = path, EditedText(language.name)
        return extract.derive(text, language.name, deadline_s=deadline_s, edited=self._edited)


def _stored(contents: ContentStore | None, content: ContentId, recipe: Recipe) -> Derived | None:
    try:
        return contents.derived(content, recipe) if contents is not None and contents.has(content, recipe) else None
    except DamagedError:
        return None  # collected or damaged meanwhile: derive it again
