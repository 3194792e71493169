"""The query boundary: what has to be looked at before, beside and after a search (rows K2, K3).

``Boundary`` is made for one query. *Before*: hints are flushed, so that known edits are seen. *Beside*: the tree is
swept. *After*: the bytes of every document behind a hit are hashed; only equal bytes make a hit ``verified``.
Signatures and hints narrow what is looked at here, and decide nothing.

A one-shot command waits until all of that is done. A server waits a bounded time, for flush and sweep together, and
says what is missing; no deadline is overstepped by waiting.
"""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from enum import StrEnum

from .cancel import Cancel
from .errors import CancelledError, GazetteerError, TimeoutExpiredError, UnavailableError
from .indexer import ProgressSink, Refreshed
from .knowledge import KnowledgeBase
from .lookout import Station
from .model import DiskHash, DocumentPath
from .snapshot import Document, Snapshot
from .source import hash_file, is_hidden, is_hindered
from .store.rows import Head

SWEEP_REUSE_S = 1.0
"""A whole sweep younger than this is not made again."""
AGEING = 0.75
"""Share of that age from which a server's query has the tree swept for the queries after it."""
SERVER_WAIT_S = 0.05
"""How long a server's query waits for what is read and swept beside it."""
POLL_S = 0.02
"""How often whoever waits for that looks whether it should stop waiting."""
GIVES_WAY = 5
"""How often a sweep begins again for what is known to have changed: it has to come to an end while somebody types."""


class Verdict(StrEnum):
    """What the bytes behind a document say now."""

    VERIFIED = "verified"
    OVERLAY = "overlay"
    CHANGED = "changed"
    GONE = "gone"
    UNVERIFIED = "unverified"  # not looked at: the deadline had passed, or its folder may not be read


class Sweeper:
    """Refreshes one knowledge base in the background, one refresh at a time; lives as long as the session.

    What is known to have changed goes first: a sweep that is only looking yet gives way, and begins again behind it.

    Args:
        compacts: also rebuild followers that have become mostly dead; for processes that nobody waits for to end.
        station: where the tree is looked at from while nothing happens to it; closed with this.
    """

    def __init__(self, kb: KnowledgeBase, *, compacts: bool = False, station: Station | None = None) -> None:
        self._kb = kb
        self.station = station
        self._compacts = compacts
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="sweep")
        self._lock = threading.Lock()
        self._running: Future[Refreshed] | None = None
        self._flushes: list[Future[Refreshed]] = []  # asked for, and not begun
        self._stop = threading.Event()
        self.last_error = ""
        """Why the last refresh of this process failed, in one sentence; "" when it went well."""

    def start(self, *, strict: bool = False, progress: ProgressSink | None = None) -> Future[Refreshed]:
        """The sweep that is under way, or a new one, behind it where it would not do what is asked for now.

        Raises:
            UnavailableError: it was closed.
        """
        with self._lock:
            if self._stop.is_set():
                raise UnavailableError("The index was closed meanwhile; open the tree again.")
            if self._running is None or self._running.done() or strict or self._kb.contents_lost:
                self._running = self._pool.submit(self._sweep, strict, progress)
            return self._running

    def flush(self) -> Future[Refreshed]:
        """Read in what the journal holds, before any sweep that has not found anything yet.

        Raises:
            UnavailableError: it was closed.
        """
        with self._lock:
            if self._stop.is_set():
                raise UnavailableError("The index was closed meanwhile; open the tree again.")
            future: Future[Refreshed] = Future()
            self._flushes.append(future)
            self._pool.submit(self._serve)
            return future

    def _serve(self) -> None:
        """Flush once for all who wait for it; whoever asks from now on may mean later changes."""
        with self._lock:
            waiting, self._flushes = self._flushes, []
        if not waiting:
            return  # a sweep gave way to it
        try:
            result = self._kb.flush(should_stop=self._stop.is_set)
        except BaseException as error:
            for future in waiting:
                future.set_exception(error)
        else:
            self.last_error = ""
            for future in waiting:
                future.set_result(result)

    def _sweep(self, strict: bool, progress: ProgressSink | None) -> Refreshed:
        result = self._swept(strict, progress)
        if self._compacts and self._kb.needs_compaction:
            self._kb.compact()
        self.last_error = ""
        return result

    def _swept(self, strict: bool, progress: ProgressSink | None) -> Refreshed:
        for _ in range(GIVES_WAY):
            try:
                return self._kb.refresh(
                    strict=strict,
                    progress=progress,
                    should_stop=self._stop.is_set,
                    gives_way=lambda: bool(self._flushes),
                    station=self.station,
                )
            except CancelledError:
                if self._stop.is_set() or not self._flushes:
                    raise
                self._serve()
        return self._kb.refresh(strict=strict, progress=progress, should_stop=self._stop.is_set)

    def close(self) -> None:
        """Stop the sweep under way and end."""
        with self._lock:
            self._stop.set()
        self._pool.shutdown(wait=True)
        if self.station is not None:
            self.station.close()


class Boundary:
    """Freshness for one query.

    Args:
        wait_s: how long to wait for flush and sweep together, and once more for what hits turn out to need; None waits
            until they are done, as one-shot commands do.
        deadline: on ``clock``, when the answer has to be there; 0 for none.
        cancel: stops whatever this waits for or looks at: every method then raises `CancelledError`.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        sweeper: Sweeper,
        *,
        wait_s: float | None = None,
        strict: bool = False,
        reuse_s: float = SWEEP_REUSE_S,
        progress: ProgressSink | None = None,
        deadline: float = 0.0,
        cancel: Cancel | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._kb = kb
        self._sweeper = sweeper
        self._wait_s = wait_s
        self._waited = 0.0
        self._strict = strict
        self._reuse_s = reuse_s
        self._progress = progress
        self._deadline = deadline
        self.cancel = cancel or Cancel()
        self._clock = clock
        self._pending: Future[Refreshed] | None = None
        self._turns = 0  # of buffers, when it was entered or looked last
        self._entered = 0.0  # on ``clock``
        self._compared = False  # whether the tree was looked at for this query, or just before it
        self._verdicts: dict[tuple[DocumentPath, str], Verdict] = {}
        self.saved: dict[DocumentPath, DiskHash] = {}  # buffers that say what the disk says, with its hash
        self.hashed = self.refreshed = 0
        self.unread = False  # documents that are known to have changed were not in the index yet when it was asked
        self.behind = False  # what is searched is older than what was published last; whoever binds a view says so
        self.bound: Head | None = None  # what is searched, as whoever binds a view says
        self._ended_at = 0  # the generation that the last refresh came to
        self.notices: list[str] = []

    # -- before and beside --------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Flush hints and begin the sweep.

        A first index is waited for, and one whose texts were lost; a later failure becomes a notice, because an older
        generation can answer.

        Raises:
            GazetteerError: there is no generation to answer from, and none can be made.
        """
        self._entered = self._clock()
        self._settle_buffers()
        first = self._kb.store.head().generation == 0 or self._kb.contents_lost
        if self._kb.read_only:
            self.notices.append(
                f"{self._kb.why_read_only} Until then changed documents are left out, new ones not found."
            )
            return
        anything = self._kb.journal.everything  # then a flush would be a whole look, which a server does not wait for
        if not first and self._kb.journal.unsettled and not anything:
            self._flush()
        self._compared = True
        if first or self._strict or anything or self.sweep_age_s >= self._reuse_s:
            self._pending = self._sweeper.start(strict=self._strict, progress=self._progress)
            if first or self._strict or self._wait_s is None:
                self._await(first)
        elif self._wait_s is not None and self.sweep_age_s >= AGEING * self._reuse_s:
            with suppress(GazetteerError):  # nobody waits for it: the next question does not have to
                self._sweeper.start()

    def _settle_buffers(self) -> None:
        buffers = self._kb.buffers
        if buffers.undecided:
            self._kb.settle_buffers(self.cancel.is_set)
        if undecided := len(buffers.undecided):
            self.notices.append(
                f"Whether {undecided} open documents count cannot be said before the tree can be read again; those "
                "that the index does not have are left out until then."
            )
        self._turns = buffers.turns

    def _await(self, first: bool) -> None:
        """Wait for the sweep to end, or for the deadline: then it goes on, and the answer says so."""
        try:
            self._compare(lambda: max(0.0, self._deadline - self._clock()) if self._deadline else None, fatal=first)
        except FutureTimeout:
            self.notices.append(
                "Partial: the index is being built and is not ready yet; ask again in a moment."
                if first
                else "The deadline passed before the tree was looked at; this is what was indexed before."
            )

    def _compare(self, patience: Callable[[], float | None], *, fatal: bool = False) -> None:
        """Wait for the sweep under way, and for another one where that had begun, and may have looked, before."""
        self._compared = self._settle(lambda: self._result(self._pending, patience()), fatal=fatal)
        if self._compared and not self._is_young:
            self._pending = self._sweeper.start(strict=self._strict)
            self._compared = self._settle(lambda: self._result(self._pending, patience()), fatal=fatal)
        self._pending = None

    @property
    def sweeping(self) -> bool:
        """Whether a sweep goes on beside the query."""
        return self._pending is not None

    def sweep_done(self) -> bool:
        """Wait the bounded time for a sweep beside the query; True when what there is to search is another by now."""
        if self._pending is None or self.is_late():
            return False
        before = self.refreshed
        try:
            self._compare(self._patience)
        except FutureTimeout:
            return self.refreshed > before or self.overtaken
        turns, self._turns = self._turns, self._kb.buffers.turns
        return self.refreshed > before or self._turns != turns or self.overtaken

    @property
    def overtaken(self) -> bool:
        """Whether a refresh for this query came to a newer generation than is searched, whoever published it."""
        return self.bound is not None and self._ended_at > self.bound.generation

    def _flush(self) -> None:
        """Have what is known to have changed read in; what takes longer than may be waited goes on, and is missing."""
        try:
            future = self._sweeper.flush()
            self._settle(lambda: self._result(future, self._patience()))
        except FutureTimeout:
            self.unread = True
            self.notices.append("Documents that have changed are still being read; ask again in a moment.")

    def _patience(self) -> float | None:
        """Seconds that may still be waited; None for as long as it takes."""
        if self._wait_s is None:
            return max(0.0, self._deadline - self._clock()) if self._deadline else None
        return self.left(max(0.0, self._wait_s - self._waited))

    def _result(self, future: "Future[Refreshed] | None", wait: float | None) -> Refreshed:
        """Wait for what is under way, which goes on when this is cancelled."""
        assert future is not None
        started = time.monotonic()
        until = None if wait is None else started + wait
        try:
            while True:
                left = POLL_S if until is None else min(POLL_S, max(0.0, until - time.monotonic()))
                try:
                    return future.result(left)
                except FutureTimeout:
                    if future.done():
                        return future.result()
                    self.cancel.check()
                    if until is not None and time.monotonic() >= until:
                        raise
        finally:
            self._waited += time.monotonic() - started

    def _settle(self, act: Callable[[], Refreshed], *, fatal: bool = False) -> bool:
        """Do what refreshes and note what came of it; False when it failed, which is a notice unless it is fatal."""
        self.cancel.check()
        try:
            result = act()
        except GazetteerError as error:
            self.cancel.check()
            if fatal:
                raise
            # otherwise somebody else is at it, and nothing failed
            if not isinstance(error, TimeoutExpiredError | CancelledError):
                self._sweeper.last_error = error.message
            self.notices.append(f"{error.message} Answered from the last good generation.")
            return False
        self._ended_at = result.head.generation
        self.refreshed += result.documents + result.deleted
        self.notices += result.notices
        if result.busy:
            self.notices.append(
                f"{len(result.busy)} documents kept changing, or could not be read for now; their previous version was "
                "used."
            )
        return True

    @property
    def sweep_complete(self) -> bool:
        """Whether the whole tree was compared with the index for this query (or just before it)."""
        return self._compared and self._pending is None and self._is_young

    @property
    def _is_young(self) -> bool:
        """Whether the last whole sweep began when this query came, or as long before as one is used again."""
        return self.sweep_age_s < float("inf") and self._kb.indexer.swept_at >= self._entered - self._reuse_s

    @property
    def sweep_age_s(self) -> float:
        """Seconds since the last whole sweep; infinite when there was none, or the clock was set back since."""
        swept = self._kb.indexer.swept_at
        age = self._clock() - swept
        return age if swept and age >= 0.0 else float("inf")

    # -- after --------------------------------------------------------------------------------------------------

    def left(self, most: float) -> float:
        """Seconds that may still be waited, at most ``most``."""
        return min(most, max(0.0, self._deadline - self._clock())) if self._deadline else most

    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return bool(self._deadline) and self._clock() > self._deadline

    def verify(self, snapshot: Snapshot, documents: Iterable[Document]) -> dict[DocumentPath, Verdict]:
        """Hash the bytes behind each document, once a query; past the deadline nothing more is looked at."""
        verdicts: dict[DocumentPath, Verdict] = {}
        for document in documents:
            self.cancel.check()
            key = (document.path, document.row.disk_hash if document.row is not None else document.content_id)
            if key not in self._verdicts:
                if self.is_late():
                    verdicts[document.path] = Verdict.UNVERIFIED if document.overlay is None else Verdict.OVERLAY
                    continue
                self._verdicts[key] = self._look(snapshot, document)
            verdicts[document.path] = self._verdicts[key]
        return verdicts

    def _look(self, snapshot: Snapshot, document: Document) -> Verdict:
        if document.overlay is not None or document.row is None:
            assert document.overlay is not None, "a document is of the index or a buffer"
            saved = self._kb.saved_as(document.overlay)
            if not saved:
                return Verdict.OVERLAY
            self.hashed += 1
            self.saved[document.path] = saved
            return Verdict.VERIFIED
        self.hashed += 1
        root, path = snapshot.root, document.path
        if (now := hash_file(root, path)) is None:
            return Verdict.UNVERIFIED if is_hidden(root, path) or is_hindered(root, path) else Verdict.GONE
        return Verdict.VERIFIED if now[0] == document.row.disk_hash else Verdict.CHANGED

    def repair(self, paths: Iterable[DocumentPath]) -> bool:
        """Bring documents whose bytes turned out different into the index; False when that cannot be done."""
        if self._kb.read_only:
            return False
        for path in paths:
            self._kb.journal.mark(path, "other bytes at the boundary")
        before = self.refreshed
        self._waited = 0.0
        self._flush()
        return self.refreshed > before or self.overtaken
