"""From a chunk that was found to the hit that is shown: places, labels, excerpt and provenance (rows R3, K1).

Pure builders over values of one snapshot: nothing is read, searched or scored here. All that a hit says about its place
comes from the same offsets, so that lines, range, text and locator can never disagree. Where a hit shows several
chunks, its heading is that of the best one, and its citation and its snippet say where in these lines that is. Whatever
comes from the tree is either verbatim in ``text`` and ``snippet``, which are data, or one printable line (SE04).
"""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice

import msgspec

from ..kb.languages import EXTRACTOR_VERSION, parser_version
from ..kb.model import SCHEMA_VERSION, Chunk, Derived, DiskHash, DocumentPath, Provenance
from ..kb.paths import Root, display_path, printable
from ..kb.snapshot import Document
from ..kb.text import Units, width
from .excerpt import cut, one_line, trimmed
from .fuse import ChunkKey, Row
from .locator import make
from .query import Freshness, Hit, Place, Position, Range, Score, Signal
from .terms import terms

NOT_SAVED = DiskHash("")
MAX_TEXT = 4_000
"""Characters of a hit's text; a chunk is shorter, unless it is another chunker's."""
MAX_ALSO = 6
"""Further places listed in a hit; the receipt counts all of them."""


class Origin(msgspec.Struct, frozen=True):
    """Where evidence comes from and for whom its paths are spelled: one corpus, one generation, one caller."""

    corpus: str
    root: Root
    generation: int
    workspace: str  # the caller's workspace root, spelled as `Root.absolute` spells paths
    units: Units = "utf-16"

    def path(self, path: DocumentPath) -> str:
        """Return a document's path as usable from the workspace root, printable."""
        return display_path(self.root.absolute(path), self.workspace)


class Span(msgspec.Struct, frozen=True):
    """A passage of a text: offsets without empty edges, its lines, and its range for an editor."""

    start: int
    end: int
    first_line: int
    last_line: int
    range: Range

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line, 1-based and inclusive."""
        return self.first_line, self.last_line


class Found(msgspec.Struct, frozen=True):
    """A chunk to be shown: which one, why, and what else its hit stands for."""

    document: Document
    ordinal: int
    signals: tuple[Signal, ...]
    score: Score
    freshness: Freshness = "unverified"
    saved: DiskHash = NOT_SAVED  # of the bytes on disk, where the document is a buffer that says the same
    same_document: tuple[int, ...] = ()  # ordinals of further chunks that were found, best first
    copies: tuple[DocumentPath, ...] = ()  # documents that say the same
    span: tuple[int, int] | None = None  # first and last chunk of the passage to show; the found one alone if None


def build_hit(origin: Origin, found: Found, text: str, derived: Derived, weights: Mapping[str, float]) -> Hit:
    """Return the hit of a found chunk.

    Args:
        origin: the corpus, and for whom.
        found: the chunk.
        text: the document's normalised text.
        derived: the document's facts; ``found.ordinal`` is a place in its chunks.
        weights: what every term of the query counts for in the excerpt; rarer ones more.

    """
    document, chunk = found.document, derived.chunks[found.ordinal]
    first, last = (derived.chunks[at] for at in found.span or (found.ordinal, found.ordinal))
    span = span_of(text, first.start, last.end, first.first_line, origin.units)
    excerpt = cut(text, chunk, weights, definition=named_at(chunk, derived, weights))
    path = origin.path(document.path)
    label = label_of(path, chunk.name)
    cited, stop, line = _cited(text, chunk, span)
    return Hit(
        corpus=origin.corpus,
        path=path,
        relpath=printable(document.path),
        uri=origin.root.uri(document.path),
        range=span.range,
        selection_range=range_of(text, cited, stop, (line, line), origin.units),
        lines=span.lines,
        language=document.language,
        kind=chunk.kind.value,
        source_type=document.source_type,
        heading=one_line(chunk.name),
        trail=tuple(map(one_line, chunk.trail)),
        label=label,
        citation=citation_of(label, line),
        locator=make(origin.root.key, document.path, span.first_line, span.last_line, document.content_id),
        via=tuple(dict.fromkeys(signal.via for signal in found.signals)),
        signals=found.signals,
        score=found.score,
        snippet=excerpt.snippet,
        snippet_lines=(excerpt.first_line, excerpt.last_line),
        text=text[span.start : min(span.end, span.start + MAX_TEXT)],
        freshness=found.freshness,
        provenance=provenance_of(document, derived, origin.generation, found.saved),
        also=_also(origin, found, path, text, derived, span),
        highlights=excerpt.highlights,
    )


def _cited(text: str, chunk: Chunk, span: Span) -> tuple[int, int, int]:
    """The line that a citation names, as start, end and number: the first of the chunk that is not empty.

    Of a chunk of empty lines behind everything that is shown, the last line that is.
    """
    start = trimmed(text, chunk.start, chunk.end)[0]
    if start >= span.end:
        start = max(span.start, text.rfind("\n", 0, span.end) + 1)
    end = text.find("\n", start, span.end)
    return start, end if end >= 0 else span.end, span.first_line + text.count("\n", span.start, start)


def listed_copies(row: Row[ChunkKey]) -> tuple[ChunkKey, ...]:
    """Those copies that the hit of a row may list: the first of each corpus."""
    listed: dict[str, list[ChunkKey]] = {}
    for key in sorted(row.same_text):
        listed.setdefault(key.corpus, []).append(key)
    return tuple(key for keys in listed.values() for key in keys[:MAX_ALSO])


def label_of(path: str, heading: str) -> str:
    """Return ``path § heading``, or the path alone before the first heading. ``path`` is printable already."""
    return f"{path} § {one_line(heading)}" if heading else path


def citation_of(label: str, line: int) -> str:
    """Return ``path § heading (Line 42)``."""
    return f"{label} (Line {line})"


def span_of(text: str, start: int, end: int, first_line: int, units: Units) -> Span:
    """Return the passage ``[start, end)``, which begins in ``first_line``, without its empty edges."""
    begin, stop = trimmed(text, start, end)
    first = first_line + text.count("\n", start, begin)
    last = first + text.count("\n", begin, stop)
    return Span(begin, stop, first, last, range_of(text, begin, stop, (first, last), units))


def range_of(text: str, start: int, end: int, lines: tuple[int, int], units: Units) -> Range:
    """Return ``[start, end)`` in positions of an editor. ``lines`` are those of both ends."""
    return Range(
        Position(lines[0] - 1, width(text[text.rfind("\n", 0, start) + 1 : start], units)),
        Position(lines[1] - 1, width(text[text.rfind("\n", 0, end) + 1 : end], units)),
    )


def provenance_of(document: Document, derived: Derived, generation: int, saved: DiskHash = NOT_SAVED) -> Provenance:
    """Return where the facts of a document come from. A buffer has a hash only if the disk says the same."""
    digest = document.row.disk_hash if document.row is not None else saved
    return Provenance(
        disk_hash=f"sha256:{digest}" if digest else "",
        content_id=document.content_id,
        generation=generation,
        parser=f"tree-sitter {parser_version()}" if derived.grammar else "",
        grammar=derived.grammar,
        extractor=EXTRACTOR_VERSION,
        schema=SCHEMA_VERSION,
    )


def named_at(chunk: Chunk, derived: Derived, weights: Mapping[str, float]) -> int:
    """Return the offset of the first name defined in ``chunk`` that the query names in full, or -1."""
    symbols = derived.symbols
    first = bisect_left(symbols, chunk.start, key=lambda symbol: symbol.start)
    for symbol in islice(symbols, first, None):
        if symbol.start >= chunk.end:
            break
        if chunk.start <= symbol.name_start < chunk.end and is_named(symbol.name, weights):
            return symbol.name_start
    return -1


def is_named(name: str, weights: Mapping[str, float]) -> bool:
    """Say whether the terms of a query hold ``name`` whole or all of its parts."""
    found = terms(name)
    return bool(found) and (found[0] in weights or (len(found) > 1 and all(term in weights for term in found[1:])))


def _also(origin: Origin, found: Found, path: str, text: str, derived: Derived, span: Span) -> tuple[Place, ...]:
    """The best further chunks in the order of the document, then copies; at least one copy is always named."""
    places = [_place(path, text, derived.chunks[at]) for at in sorted(found.same_document[:MAX_ALSO])]
    heading = one_line(derived.chunks[found.ordinal].name)
    copies = sorted(found.copies)[: max(1, MAX_ALSO - len(places))]
    return (*places, *(Place(origin.path(copy), span.lines, heading, "same text") for copy in copies))


def _place(path: str, text: str, chunk: Chunk) -> Place:
    begin, stop = trimmed(text, chunk.start, chunk.end)
    first = chunk.first_line + text.count("\n", chunk.start, begin)
    return Place(path, (first, first + text.count("\n", begin, stop)), one_line(chunk.name))
