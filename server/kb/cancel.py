"""A token by which work on another thread is told to stop.

Nothing can end a thread from outside, so whoever may be asked to stop polls a token at every step that is short. The
token is set once and never taken back; setting it is safe from any thread.
"""

import threading

from .errors import CancelledError


class Cancel:
    """Whether work should stop. ``reason`` is the sentence that its error says."""

    __slots__ = ("_event", "reason")

    def __init__(self, reason: str = "This was cancelled; ask again.") -> None:
        self._event = threading.Event()
        self.reason = reason

    def set(self) -> None:
        """Ask the work to stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether it was asked to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Let time pass, but no longer than until it is asked to stop; raises `CancelledError` then."""
        if self._event.wait(seconds):
            self.check()

    def check(self) -> None:
        """Go on, or raise `CancelledError`."""
        if self._event.is_set():
            raise CancelledError(self.reason)
