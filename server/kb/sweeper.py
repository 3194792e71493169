"""The sweeps of one tree, in the background: one thread, one refresh at a time.

What questions wait for and what nobody waits for yet is done here alike; `freshness` says when something is to be done.
"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from .errors import CancelledError, UnavailableError
from .indexer import ProgressSink, Refreshed
from .knowledge import KnowledgeBase

GIVES_WAY = 5
"""How often a sweep begins again for what is known to have changed: it has to come to an end while somebody types."""
NAP_S = 0.001
"""How long a sweep for later queries sleeps every few files. Each file that it asks for takes the interpreter from the
queries beside it; spread like that, none of them pays for a whole sweep."""


class Sweeper:
    """Refreshes one knowledge base in the background, one refresh at a time; lives as long as the session.

    What is known to have changed goes first: a sweep that is only looking yet gives way, and begins again behind it.

    Args:
        compacts: also rebuild followers that have become mostly dead; for processes that nobody waits for to end.
    """

    def __init__(self, kb: KnowledgeBase, *, compacts: bool = False) -> None:
        self._kb = kb
        self._compacts = compacts
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="sweep")
        self._lock = threading.Lock()
        self._running: Future[Refreshed] | None = None
        self._flushes: list[Future[Refreshed]] = []  # asked for, and not begun
        self._stop = threading.Event()
        self._awaited = threading.Event()  # somebody waits for the sweep that is under way: no naps
        self.last_error = ""
        """Why the last refresh of this process failed, in one sentence; "" when it went well."""

    def start(
        self, *, strict: bool = False, progress: ProgressSink | None = None, awaited: bool = True
    ) -> Future[Refreshed]:
        """The sweep that is under way, or a new one, behind it where it would not do what is asked for now.

        One that is not ``awaited`` leaves time to whoever works beside it, until it is.

        Raises:
            UnavailableError: it was closed.
        """
        with self._lock:
            if self._stop.is_set():
                raise UnavailableError("The index was closed meanwhile; open the tree again.")
            idle = self._running is None or self._running.done()
            if awaited:
                self._awaited.set()
            elif idle:
                self._awaited.clear()
            if self._running is None or idle or strict or self._kb.contents_lost:
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
                    nap=self._nap,
                )
            except CancelledError:
                if self._stop.is_set() or not self._flushes:
                    raise
                self._serve()
        return self._kb.refresh(strict=strict, progress=progress, should_stop=self._stop.is_set)

    def _nap(self) -> None:
        """Leave the interpreter to others for a moment, while nobody waits."""
        self._awaited.wait(NAP_S)

    def close(self) -> None:
        """Stop the sweep under way and end."""
        with self._lock:
            self._stop.set()
            self._awaited.set()
        self._pool.shutdown(wait=True)
