"""Work that does not run on the event loop: which threads do it, and how it is told to stop.

Questions, indexing, glances, verdicts and pauses have threads of their own, so that none waits for the others, and none
for the reader of the connection. A job gets a token that it polls. Whoever awaits a job and is cancelled sets it: a job
that waits for a thread then never runs, one that runs stops at its next step. What changes something outside is waited
for all the same: what was done is never said to have been cancelled.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from ..kb.cancel import Cancel
from ..kb.errors import CancelledError

T = TypeVar("T")
Kind = Literal["query", "index", "glance", "verdict", "pause"]

STOPPED = "The server is shutting down; start it again."
THREADS: dict[Kind, int] = {"query": 4, "index": 2, "glance": 2, "verdict": 2, "pause": 1}


class Jobs:
    """Threads of five kinds.

    ``query`` for questions, ``index`` for whatever takes long, ``glance`` for what must not, ``verdict`` for asking the
    rules of a tree, which may call git, and ``pause`` for what nobody waits for.
    """

    def __init__(self) -> None:
        self._pools = {kind: ThreadPoolExecutor(count, thread_name_prefix=kind) for kind, count in THREADS.items()}
        self._running: set[Cancel] = set()
        self._stopped = False

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
        if self._stopped:
            raise CancelledError(STOPPED)
        self._running.add(token)
        try:
            return await asyncio.wrap_future(self._pools[kind].submit(_checked, work, token))
        except asyncio.CancelledError:
            token.set()
            raise
        finally:
            self._running.discard(token)

    async def finish(self, kind: Kind, work: Callable[[Cancel], T]) -> T:
        """Do ``work``, which changes something, on a thread, and tell its outcome even to a caller that is cancelled.

        Cancelling the caller sets the token; work that waits for a thread then never runs.

        Raises:
            CancelledError: of kb, when the work stopped before it had changed anything.
        """
        if self._stopped:
            raise CancelledError(STOPPED)
        token = Cancel()
        future = self._pools[kind].submit(_checked, work, token)

        def stop() -> None:
            token.set()
            future.cancel()  # where it waits for a thread yet

        self._running.add(token)
        try:
            return await to_the_end(asyncio.wrap_future(future), stop)
        finally:
            self._running.discard(token)

    def stop(self) -> None:
        """Tell everything to stop, and take nothing more; nothing is waited for."""
        self._stopped = True
        for token in tuple(self._running):
            token.set()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


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
