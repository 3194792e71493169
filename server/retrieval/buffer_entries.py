"""Open buffers as the scorer reads them: an edit costs the chunks that it touched, not the document.

The last text of each buffer is kept. A chunk that says what one of that text said, under the same names, keeps its
entry, wherever it stands now; what the whole document says is counted on from there. Nothing is searched here.
"""

from collections import Counter, OrderedDict
from threading import Lock
from typing import NamedTuple

from ..kb.model import ContentId, DocumentPath
from ..kb.overlay import Overlay
from ..kb.snapshot import Snapshot
from .about import Said
from .lexical_request import PHRASE_FIELD
from .overlay_score import OverlayEntry
from .terms import ChunkSource, chunk_sources, fields_of, quotes_apart

ENTRIES = 64
"""Buffers whose last text is kept."""


class Buffered(NamedTuple):
    """One version of an open buffer: its chunks in order, and what the whole of it says."""

    entries: list[OverlayEntry]
    said: Said


class _Known(NamedTuple):
    content: ContentId
    kind: tuple[str, str]  # language and source type
    sources: Counter[ChunkSource]
    by_source: dict[ChunkSource, OverlayEntry]
    counts: Counter[str]
    buffered: Buffered


class BufferEntries:
    """Safe to use from several threads.

    Args:
        quoting: what the corpus declares with ``examples_quote_queries``.
    """

    def __init__(self, *, quoting: bool = False) -> None:
        self.quoting = quoting
        self._lock = Lock()
        self._known: OrderedDict[DocumentPath, _Known] = OrderedDict()

    def of(self, snapshot: Snapshot, overlay: Overlay) -> Buffered:
        """The buffer as ``snapshot`` has it."""
        with self._lock:
            before = self._known.get(overlay.path)
        if before is not None and before.content == overlay.content_id:
            return before.buffered
        made = self._made(snapshot, overlay, before)
        with self._lock:
            self._known[overlay.path] = made
            self._known.move_to_end(overlay.path)
            while len(self._known) > ENTRIES:
                self._known.popitem(last=False)
        return made.buffered

    def _made(self, snapshot: Snapshot, overlay: Overlay, before: _Known | None) -> _Known:
        document = snapshot.document(overlay.path)
        assert document is not None
        kind = (document.language, document.source_type)
        if before is None or before.kind != kind:
            before = _Known(overlay.content_id, kind, Counter(), {}, Counter(), Buffered([], Said({})))
        derived = snapshot.derived(document)
        apart = quotes_apart(derived.language, quoting=self.quoting)
        order = chunk_sources(overlay.text, derived)
        by_source = {
            source: before.by_source.get(source) or OverlayEntry(fields_of(source, apart=apart), overlay.path, *kind)
            for source in order
        }
        sources = Counter(order)
        counts = before.counts.copy()
        for gone, number in (before.sources - sources).items():
            _count(counts, before.by_source[gone], -number)
        for new, number in (sources - before.sources).items():
            _count(counts, by_source[new], number)
        buffered = Buffered([by_source[source] for source in order], Said(counts))
        return _Known(overlay.content_id, kind, sources, by_source, counts, buffered)


def _count(counts: Counter[str], entry: OverlayEntry, number: int) -> None:
    """Count what an entry says, so many times; a term that nothing says any more is no term of the document."""
    for term, count in entry.counts[PHRASE_FIELD].items():
        left = counts[term] + count * number
        if left:
            counts[term] = left
        else:
            del counts[term]
