"""What can be said at once: the newest published state with the open buffers over it, and nothing waited for.

A hover, a jump or a menu of actions is asked for many times a minute and must cost milliseconds. So nothing is flushed
or swept here, unlike at the query boundary, and while a large buffer is derived the last glance may be all there is.
But the text behind every place that is to be shown is compared with the buffer that is open now, else the bytes are
hashed, and a document that turns out to be another one is marked dirty and not shown as current (row K2).
"""

from collections.abc import Callable

from ..kb.freshness import Boundary, Verdict
from ..kb.model import ContentId, DocumentPath
from ..kb.overlay import OverlayMap
from ..kb.recent import Recent
from ..kb.snapshot import Document, Snapshot
from ..kb.text import LineIndex
from .evidence import Origin
from .graph import Graph, never
from .origins import Origins
from .path_table import PathTable
from .view import View

LINES = 100_000
"""Lines of documents whose places are kept at hand."""


class Glance:
    """One view, with what it takes to look around in it. Safe to use from several threads.

    Args:
        view: the newest state.
        table: the paths of its generation.
        origin: where its evidence comes from, and for whom paths are spelled.
        saved: the content of a document as it was last read from the disk.
        boundary: makes a boundary that hashes; one for every card, so that each looks anew.
        doubt: told of documents whose bytes are not what the view says.
        buffers: the open buffers as they are now.
    """

    def __init__(
        self,
        view: View,
        table: PathTable,
        origin: Origin,
        saved: Callable[[DocumentPath], ContentId | None],
        boundary: Callable[[], Boundary],
        doubt: Callable[[DocumentPath], None],
        buffers: Callable[[], OverlayMap],
    ) -> None:
        self.view = view
        self.table = table
        self.origin = origin
        self._saved = saved
        self._boundary = boundary
        self._doubt = doubt
        self._buffers = buffers
        self._lines: Recent[DocumentPath, LineIndex] = Recent(LINES, lambda lines: lines.count)
        self._origins = Origins(view.snapshot, table)

    @property
    def snapshot(self) -> Snapshot:
        """Documents and their facts."""
        return self.view.snapshot

    def graph(self, should_stop: Callable[[], bool] = never) -> Graph:
        """The edges between names, as this view has them."""
        return Graph(self.view, self._origins, should_stop=should_stop)

    def path_of(self, home: DocumentPath, written: str) -> DocumentPath | None:
        """The document that a path in the text of ``home`` means: from there, from the root, else the nearest."""
        return self._origins.path_of(home, written)

    def lines(self, document: Document) -> LineIndex:
        """The lines of a document, made once."""
        known = self._lines.get(document.path)
        if known is None:
            known = LineIndex(self.snapshot.text(document))
            self._lines.put(document.path, known)
        return known

    def is_saved(self, document: Document) -> bool:
        """Whether a buffer says what the file said when it was last read."""
        return document.content_id == self._saved(document.path)

    def holds(self, document: Document) -> bool:
        """Whether the buffer that is open on a document, else the disk, says now what the view says of it."""
        now = self._buffers().get(document.path)
        if now is not None or document.overlay is not None:
            same = now is document.overlay
            return same or (now is not None and now.content_id == document.content_id)
        verdict = self._boundary().verify(self.snapshot, [document])[document.path]
        if verdict in (Verdict.CHANGED, Verdict.GONE):
            self._doubt(document.path)
            return False
        return True
