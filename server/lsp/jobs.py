"""Work that does not run on the event loop: which threads do it, and how it is told to stop.

Openings, questions, indexing, glances, verdicts and pauses have threads of their own, so that none waits for the
others, and none for the reader of the connection. A job gets a token that it polls. Whoever awaits a job and is
cancelled sets it: a job that waits for a thread then never runs, one that runs stops at its next step. What changes
something outside is waited for all the same: what was done is never said to have been cancelled. What is done aside is
stopped by whatever somebody waits for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar

from ..kb.cancel import Cancel
from ..kb.errors import CancelledError

T = TypeVar("T")
Kind = Literal["opening", "query", "index", "glance", "verdict", "pause", "aside"]

STOPPED = "The server is shutting down; start it again."
THREADS: dict[Kind, int] = {
    "opening": 4,
    "query": 4,
    "index": 2,
    "glance": 2,
    "verdict": 2,
    "pause": 1,
    "aside": 32,  # all but one of them can only be waiting for disks that do not answer
}
AWAITED: frozenset[Kind] = frozenset({"query", "index", "glance"})
LONG_S = 60.0
"""For how long at most work aside waits for one job: that may never end, as on such a disk."""


class Jobs:
    """Threads of seven kinds.

    ``opening`` for opening trees, ``query`` for questions, ``index`` for whatever takes long, ``glance`` for what must
    not, ``verdict`` for asking the rules of a tree, which may call git, ``pause`` for what nobody waits for, and
    ``aside`` for what of that takes long.
    """

    def __init__(self) -> None:
        self._pools = {kind: ThreadPoolExecutor(count, thread_name_prefix=kind) for kind, count in THREADS.items()}
        self._running: set[Cancel] = set()
        self._aside: dict[Cancel, frozenset[Kind]] = {}  # of them, those that give way, and to what
        self._awaited: dict[Cancel, tuple[Kind, float]] = {}  # those that others give way to, and when they began
        self._futures: set[Future[Any]] = set()  # of what runs, or waits for a thread
        self._over_at = float("-inf")  # when the last of them ended
        self._changed = asyncio.Event()  # set whenever one begins or ends
        self.stopped = False

    async def run(self, kind: Kind, work: Callable[[Cancel], T], *, cancel: Cancel | None = None) -> T:
        """Do ``work`` on a thread. Cancelling the caller sets the token.

        Args:
            kind: whose threads.
            work: what to do; polls the token that it gets.
            cancel: a token that others may set as well.

        Raises:
            CancelledError: of kb, when the token was set by somebody else, or after `stop`.
        """
        token = cancel or Cancel()
        if self.stopped:
            raise CancelledError(STOPPED)
        with self._under_way(kind, token):
            try:
                return await asyncio.wrap_future(self._begin(kind, work, token))
            except asyncio.CancelledError:
                token.set()
                raise

    async def finish(self, kind: Kind, work: Callable[[Cancel], T], *, cancel: Cancel | None = None) -> T:
        """Do ``work``, which changes something, on a thread, and tell its outcome even to a caller that is cancelled.

        Cancelling the caller sets the token; work that waits for a thread then never runs.

        Raises:
            CancelledError: of kb, when the work stopped before it had changed anything.
        """
        if self.stopped:
            raise CancelledError(STOPPED)
        token = cancel or Cancel()
        future = self._begin(kind, work, token)

        def stop() -> None:
            token.set()
            future.cancel()  # where it waits for a thread yet

        with self._under_way(kind, token):
            return await to_the_end(asyncio.wrap_future(future), stop)

    async def aside(self, work: Callable[[Cancel], T], first: frozenset[Kind] = AWAITED) -> T:
        """Do ``work``, which changes something and can wait, as `finish` does, until something comes that goes first.

        Raises:
            CancelledError: of kb, when it was stopped for that, or by cancelling the caller.
        """
        now = asyncio.get_running_loop().time()
        if any(kind in first and now - began < LONG_S for kind, began in self._awaited.values()):
            raise CancelledError("Something that is waited for goes first; begin again in the next pause.")
        token = Cancel()
        self._aside[token] = first
        try:
            return await self.finish("aside", work, cancel=token)
        finally:
            del self._aside[token]

    async def quiet(self, seconds: float) -> None:
        """Wait until nobody has waited for anything for so long."""
        loop = asyncio.get_running_loop()
        while True:
            ends = (began + LONG_S for _, began in self._awaited.values())
            left = max(self._over_at + seconds, *ends, float("-inf")) - loop.time()
            if left <= 0:
                return
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)

    def _begin(self, kind: Kind, work: Callable[[Cancel], T], token: Cancel) -> "Future[T]":
        future = self._pools[kind].submit(_checked, work, token)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    @contextmanager
    def _under_way(self, kind: Kind, token: Cancel) -> Iterator[None]:
        """Know of a job while it is waited for."""
        loop = asyncio.get_running_loop()
        self._running.add(token)
        if kind in AWAITED:
            self._awaited[token] = (kind, loop.time())
            for other, first in self._aside.items():
                if kind in first:
                    other.set()
        try:
            yield
        finally:
            self._running.discard(token)
            if self._awaited.pop(token, None) is not None:
                self._over_at = loop.time()
                self._changed.set()

    def stop(self) -> None:
        """Tell everything to stop, and take nothing more; nothing is waited for."""
        self.stopped = True
        for token in tuple(self._running):
            token.set()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def ended(self, seconds: float) -> None:
        """Wait, on a thread, until everything has stopped, but no longer: programs that jobs have started end then."""
        wait(tuple(self._futures), seconds)


def _checked(work: Callable[[Cancel], T], token: Cancel) -> T:
    token.check()
    return work(token)


async def to_the_end(work: Awaitable[T], stop: Callable[[], object]) -> T:
    """Wait for ``work`` until it is over, however often that is cancelled: each time ``stop`` is called instead."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            stop()
    return task.result()
