"""The open buffers of this process, and which of them the tree's rules let in.

An editor opens what it likes, and rules change while it is open: a buffer of a document that is ignored from now on is
kept and not shown, and shown when it counts again. One that cannot be judged, because the tree cannot be read now, is
*undecided*: it is shown if the index has its document, and asked about again before every question, until the tree
answers. What is shown is an `OverlayMap`, a value that snapshots keep. Nothing is read here.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from .buffer import Buffer, Change
from .errors import GazetteerError, InvalidArgumentError
from .model import DocumentPath
from .overlay import NOTHING_OPEN, OverlayMap
from .store.rows import NOTHING_PUBLISHED, Head
from .text import Units

Asks = Callable[[DocumentPath], bool]
Stops = Callable[[], bool]


class Admits(Protocol):
    """Whether the tree's rules let a document in; raises GazetteerError when nobody can say, or it was stopped."""

    def __call__(self, path: DocumentPath, should_stop: Stops, /) -> bool:
        """Say it of one document."""
        ...


def never() -> bool:
    """Asking is not stopped."""
    return False


class OpenBuffers:
    """Safe to use from several threads.

    Args:
        admits: says what the tree's rules, as they are now, let in.
    """

    def __init__(self, admits: Admits) -> None:
        self._admits = admits
        self._lock = threading.Lock()
        self._opened = NOTHING_OPEN
        self._shown = NOTHING_OPEN
        self._undecided: frozenset[DocumentPath] = frozenset()
        self._judged: Head = NOTHING_PUBLISHED
        self._without_row: frozenset[DocumentPath] = frozenset()
        self.turns = 0
        """How often judging has changed what is shown: whoever looked before has to look again."""
        self.rules = 0
        """How often the rules may have changed: a verdict of before counts no more."""

    @property
    def shown(self) -> OverlayMap:
        """Those that count, as they are now."""
        return self._shown

    @property
    def opened(self) -> OverlayMap:
        """All of them."""
        return self._opened

    @property
    def undecided(self) -> frozenset[DocumentPath]:
        """Those of which nobody could say yet whether they count."""
        return self._undecided

    def open(self, path: DocumentPath, text: str, version: int) -> bool:
        """Take in a buffer; whether it counts now."""
        asked_under = self.rules
        verdict = self._ask((path,)).get(path)
        self.put(path, Buffer.of(text, version), counts=verdict, asked_under=asked_under)
        return verdict is True

    def put(
        self, path: DocumentPath, buffer: Buffer, *, counts: bool | None = None, asked_under: int | None = None
    ) -> None:
        """Take in the next version of a buffer that the caller keeps.

        Args:
            path: the document.
            buffer: its text.
            counts: whether it counts; None when that was not asked: then it stays as it was, or is undecided.
            asked_under: the number of `rules` when it was asked.
        """
        with self._lock:
            if asked_under is not None and asked_under != self.rules:
                counts = None
            known = path in self._opened
            self._opened = self._opened.put(path, buffer)
            if counts is not None:
                self._undecided -= {path}
            elif not known:
                self._undecided |= {path}
            shown = path in self._shown if counts is None else counts
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
            self._undecided -= {path}

    # -- judging ------------------------------------------------------------------------------------------------

    def admit_by(self, admits: Admits) -> None:
        """Ask somebody else from now on, and about every buffer again: their knowledge base was opened anew."""
        with self._lock:
            self._admits = admits
            self._judged, self._without_row = NOTHING_PUBLISHED, frozenset()
            self.rules += 1
            paths, asked_under = self._paths(), self.rules
        self._decide(paths, self._ask(paths), asked_under)

    def settle(self, indexed: Asks, should_stop: Stops = never) -> None:
        """Ask again about those that are undecided; one that is still nobody's to say is shown if the index has it."""
        with self._lock:
            paths, asked_under = sorted(self._undecided), self.rules
        if not paths:
            return
        verdicts = self._ask(paths, should_stop)
        self._decide(paths, verdicts, asked_under, shown={p for p in paths if p not in verdicts and indexed(p)})

    def judge(self, head: Head, *, listed: bool, indexed: Asks, should_stop: Stops = never) -> None:
        """Look again at which buffers count, after a refresh.

        A document of the index counts. One that is none is asked about only when it was one before, or when the tree
        was listed anew: asking may call git.
        """
        with self._lock:
            paths, known, same = self._paths(), self._without_row, head == self._judged
            self.rules += listed
            asked_under = self.rules
        if not paths or (same and not listed):
            return
        without = frozenset(path for path in paths if not indexed(path))
        asked = [path for path in paths if path in without and (listed or path not in known)]
        having = [path for path in paths if path not in without]
        self._decide([*having, *asked], dict.fromkeys(having, True) | self._ask(asked, should_stop), asked_under)
        with self._lock:
            self._judged, self._without_row = head, without

    def _paths(self) -> list[DocumentPath]:
        return [overlay.path for overlay in self._opened]

    def _ask(self, paths: Iterable[DocumentPath], should_stop: Stops = never) -> dict[DocumentPath, bool]:
        """What the rules say of each; of those that nobody can judge now, nothing."""
        verdicts: dict[DocumentPath, bool] = {}
        for path in paths:
            try:
                verdicts[path] = self._admits(path, should_stop)
            except (GazetteerError, OSError):
                continue
        return verdicts

    def _decide(
        self,
        paths: Collection[DocumentPath],
        verdicts: Mapping[DocumentPath, bool],
        asked_under: int,
        shown: Collection[DocumentPath] = (),
    ) -> None:
        """Take verdicts over for those of ``paths`` that are open yet; those without one are undecided.

        Rules that changed while they were asked for make all of them undecided: they are asked about again. ``shown``
        are shown beside those that count.
        """
        with self._lock:
            if asked_under != self.rules:
                verdicts = {}
            there = {path for path in paths if path in self._opened}
            counting = {path for path in there if verdicts.get(path)}
            hidden = {path for path in there if verdicts.get(path) is False}
            self._undecided = (self._undecided | there) - counting - hidden
            before = {overlay.path for overlay in self._shown}
            after = (before | counting | (there & set(shown))) - hidden
            if after != before:
                self._shown = self._opened.only(after)
                self.turns += 1
