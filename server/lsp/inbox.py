"""What comes in from other threads, one a turn of the event loop.

A request that is served by a coroutine has not begun when its handler was called: its first step waits for the loop's
next turn. Whatever arrives meanwhile has to wait for the turn after, or it would change what an older request is about.
"""

import asyncio
from collections import deque
from collections.abc import Callable


class Inbox:
    """Calls in the order in which they were put; what one begins has taken its first step before the next is made."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], object]] = deque()
        self._awake = False

    def put(self, call: Callable[[], object]) -> None:
        """Make a call in its turn; from any thread.

        Raises:
            RuntimeError: the loop has ended.
        """
        self._waiting.append(call)
        self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if not self._awake:
            self._next()

    def _next(self) -> None:
        self._awake = bool(self._waiting)
        if self._awake:
            try:
                self._waiting.popleft()()
            finally:
                self._loop.call_soon(self._next)  # behind the first step of what that has begun
