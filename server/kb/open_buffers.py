"""The open buffers of this process, and which of them the tree's rules let in.

An editor opens what it likes, and rules change while it is open: a buffer of a document that is ignored from now on is
kept and not shown, and shown when it counts again. What is shown is an `OverlayMap`, a value that snapshots keep.
Whether a path counts is asked of the caller; nothing is read here.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from .buffer import Buffer, Change
from .errors import GazetteerError, InvalidArgumentError
from .model import DocumentPath
from .overlay import NOTHING_OPEN, OverlayMap
from .store.rows import NOTHING_PUBLISHED, Head
from .text import Units


class OpenBuffers:
    """Safe to use from several threads.

    Args:
        admits: whether the tree's rules, as they are now, let a document in.
    """

    def __init__(self, admits: Callable[[DocumentPath], bool]) -> None:
        self._admits = admits
        self._lock = threading.Lock()
        self._opened = NOTHING_OPEN
        self._shown = NOTHING_OPEN
        self._judged: Head = NOTHING_PUBLISHED
        self._without_row: frozenset[DocumentPath] = frozenset()

    @property
    def shown(self) -> OverlayMap:
        """Those that count, as they are now."""
        return self._shown

    @property
    def opened(self) -> OverlayMap:
        """All of them."""
        return self._opened

    def open(self, path: DocumentPath, text: str, version: int) -> bool:
        """Take in a buffer; whether it counts now."""
        counts = self._admits(path)
        with self._lock:
            self._opened = self._opened.open(path, text, version)
            self._shown = self._shown.open(path, text, version) if counts else self._shown.close(path)
        return counts

    def put(self, path: DocumentPath, buffer: Buffer, *, counts: bool | None = None) -> None:
        """Take in the next version of a buffer that the caller keeps; whether it counts was asked, or stays so."""
        with self._lock:
            shown = path in self._shown if counts is None else counts
            self._opened = self._opened.put(path, buffer)
            self._shown = self._shown.put(path, buffer) if shown else self._shown.close(path)

    def change(self, path: DocumentPath, changes: Sequence[Change], version: int, units: Units) -> None:
        """Apply an editor's changes; raises what `OverlayMap.change` does, and then the text is as it was."""
        with self._lock:
            shown = {overlay.path for overlay in self._shown}
            try:
                self._opened = self._opened.change(path, changes, version, units)
            except InvalidArgumentError:
                known = self._opened.get(path)
                assert known is not None, "a range was held against it"
                self._opened = self._opened.put(path, known.buffer.lost())
                raise
            finally:
                if path in shown:
                    self._shown = self._opened.only(shown)

    def close(self, path: DocumentPath) -> None:
        """Forget a buffer."""
        with self._lock:
            self._opened, self._shown = self._opened.close(path), self._shown.close(path)

    def admit_by(self, admits: Callable[[DocumentPath], bool]) -> None:
        """Ask somebody else from now on, and about every buffer again: their knowledge base was opened anew."""
        with self._lock:
            self._admits, opened = admits, self._opened
            self._judged, self._without_row = NOTHING_PUBLISHED, frozenset()
        verdicts: dict[DocumentPath, bool] = {}
        for path in [overlay.path for overlay in opened]:
            with suppress(GazetteerError):  # the tree cannot be read now: it counts or not, as before
                verdicts[path] = admits(path)
        with self._lock:
            shown = {overlay.path for overlay in self._shown}
            self._shown = self._opened.only({o.path for o in self._opened if verdicts.get(o.path, o.path in shown)})

    def judge(self, head: Head, *, listed: bool, indexed: Callable[[DocumentPath], bool]) -> None:
        """Look again at which buffers count, after a refresh.

        A document of the index counts. One that is none is asked about only when it was one before, or when the tree
        was listed anew: asking may call git.
        """
        with self._lock:
            opened, known, same = self._opened, self._without_row, head == self._judged
        if not opened or (same and not listed):
            return
        without = frozenset(overlay.path for overlay in opened if not indexed(overlay.path))
        verdicts: dict[DocumentPath, bool] = {}
        for path in sorted(without):
            if listed or path not in known:
                with suppress(GazetteerError):  # the tree cannot be read now: it counts or not, as before
                    verdicts[path] = self._admits(path)
        with self._lock:
            shown = {overlay.path for overlay in self._shown}
            counting = {
                overlay.path
                for overlay in self._opened
                if verdicts.get(overlay.path, overlay.path in shown or overlay.path not in without)
            }
            self._shown = self._opened.only(counting)
            self._judged, self._without_row = head, without
