"""Work that is finished even when nobody waits for it any more, because the next question needs it all the same.

Deriving a large buffer cannot be stopped in the middle without losing all of it. It runs on a thread of its own, one
piece at a time; whoever asked for it waits, and stops waiting when cancelled. What has not begun by then is dropped.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError as Dropped
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

from .cancel import Cancel
from .errors import UnavailableError

T = TypeVar("T")
POLL_S = 0.02
"""How often whoever waits looks whether it should stop waiting."""


class Beside:
    """One thread, begun when it is needed; ``name`` is for those who look at threads."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)

    def do(self, work: Callable[[], T], cancel: Cancel) -> T:
        """Return what ``work`` does.

        Raises:
            CancelledError: ``cancel`` was set before it was done.
            UnavailableError: this was closed.
        """
        try:
            future = self._pool.submit(work)
        except RuntimeError:
            raise UnavailableError("The index was closed meanwhile; open the tree again.") from None
        while True:
            try:
                return future.result(POLL_S)
            except Dropped:  # before it began
                raise UnavailableError("The index was closed meanwhile; open the tree again.") from None
            except FutureTimeout:
                if future.done() and not future.cancelled():  # the work itself ran out of time
                    return future.result()
                if cancel.is_set():
                    future.cancel()
                    cancel.check()

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)
