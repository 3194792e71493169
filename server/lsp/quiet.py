"""What is done once nothing more is said for a while: what has changed is read in, unsaved texts are derived (row K5).

A question does all of that by itself, so nothing here decides an answer: done in the pause before it, it does not keep
it waiting. Any number of changes without a pause are one.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel

if TYPE_CHECKING:
    from ..app import Session
    from .server import GazetteerServer

QUIET_S = 0.25
"""A pause: longer than between two keys, shorter than until somebody asks."""


class Quiet:
    """Waits for the pauses of one folder; on the event loop only.

    Args:
        server: keeps the work.
        work: what to do in a pause.
    """

    def __init__(self, server: "GazetteerServer", work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._server = server
        self._work = work
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def stir(self) -> None:
        """Note that something was said: the pause begins now."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(QUIET_S, self._rest)

    def end(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rest(self) -> None:
        self._timer = None
        if self._task is not None and not self._task.done():
            self.stir()  # it may have begun before what was said last
        else:
            self._task = self._server.keep(self._work())


def read_in(session: "Session", cancel: Cancel) -> None:
    """Have the journal's documents read in, in the background, and make the facts of every open one.

    A look at the whole tree is left to whoever asks.
    """
    journal = session.kb.journal
    if journal.pending and not journal.everything and not session.kb.read_only:
        session.parts.sweeper.flush()
    derive(session, cancel)


def derive(session: "Session", cancel: Cancel) -> None:
    """Make the facts of every open document; those that are known cost nothing."""
    kb = session.kb
    for overlay in kb.overlays:
        cancel.check()
        kb.facts.describe(overlay)
