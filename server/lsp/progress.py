"""Work-done progress: bars in the client, by the client's own token or by one that it was asked for.

A bar of ours begins once the client has agreed, whenever that is, and never when it has not: work does not wait for it.
Tokens live as long as their work. Reports come from any thread, at most ten a second.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from ..kb.indexer import Progress
    from .protocol import Protocol

PAUSE_S = 0.1
Token = int | str
_PHASES = {"listing": "Listing files", "reading": "Reading files", "publishing": "Publishing"}


class Bar:
    """One bar; on the event loop. Silent until `begin` was called."""

    def __init__(self, bars: "Bars", token: Token, title: str, cancel: Callable[[], object]) -> None:
        self._bars = bars
        self._token = token
        self._title = title
        self.cancel = cancel
        self._shown = False
        self._ended = False
        self._message = ""
        self._percentage: int | None = None

    def begin(self) -> None:
        """Show it, with what is known by now."""
        if self._ended or self._shown:
            return
        self._shown = True
        self._tell(
            types.WorkDoneProgressBegin(
                self._title,
                cancellable=True,
                message=self._message or None,
                percentage=self._percentage if self._percentage is not None else 0,
            )
        )

    def report(self, message: str, percentage: int | None = None) -> None:
        """Say how far the work is."""
        self._message, self._percentage = message, percentage
        if self._shown and not self._ended:
            self._tell(types.WorkDoneProgressReport(message=message, percentage=percentage))

    def end(self, message: str = "") -> None:
        """Take it away; a second call does nothing."""
        if self._ended:
            return
        self._ended = True
        self._bars.forget(self._token)
        if self._shown:
            self._tell(types.WorkDoneProgressEnd(message=message or "Done"))

    def _tell(self, value: Any) -> None:
        self._bars.tell(self._token, value)


class Bars:
    """All bars that are shown, or about to be."""

    def __init__(self, protocol: "Protocol") -> None:
        self._protocol = protocol
        self._known: dict[Token, Bar] = {}
        self._waiting: dict[Token, asyncio.Task[None]] = {}  # for the client to agree
        self.can_create = False

    @contextmanager
    def followed(self, token: Token | None, title: str) -> Iterator[Bar | None]:
        """Show a bar by the token of the request that is being answered; its cancelling cancels the request."""
        if token is None:
            yield None
            return
        task = asyncio.current_task()
        assert task is not None
        bar = self._known[token] = Bar(self, token, title, task.cancel)
        bar.begin()
        try:
            yield bar
        finally:
            bar.end()

    def create(self, title: str, cancel: Callable[[], object]) -> Bar:
        """Make a bar that shows once the client agrees; in a client that has none it stays silent."""
        token = f"gazetteer-progress-{self._protocol.gazetteer.next_number()}"
        bar = Bar(self, token, title, cancel)
        if self.can_create:
            self._known[token] = bar
            task = self._waiting[token] = asyncio.ensure_future(self._agree(bar, token))
            task.add_done_callback(lambda _: self._waiting.pop(token, None))
        return bar

    async def _agree(self, bar: Bar, token: Token) -> None:
        try:
            await self._protocol.send_request_async(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token)
            )
        except Exception:
            self._known.pop(token, None)  # it said no; the work goes on
        else:
            bar.begin()

    def cancelled(self, token: Token) -> None:
        """Take the client's wish to stop what a bar stands for."""
        bar = self._known.get(token)
        if bar is not None:
            bar.cancel()

    def forget(self, token: Token) -> None:
        """Drop a token whose work is over; whether the client would have agreed to it is of no account any more."""
        self._known.pop(token, None)
        if (waiting := self._waiting.pop(token, None)) is not None:
            waiting.cancel()

    def tell(self, token: Token, value: Any) -> None:
        """Send one ``$/progress``."""
        self._protocol.notify(types.PROGRESS, types.ProgressParams(token, value))


class Feed:
    """A progress sink for a working thread that calls ``show`` on the loop, at most ten times a second."""

    def __init__(self, loop: asyncio.AbstractEventLoop, show: Callable[[str, int | None], None]) -> None:
        self._loop = loop
        self._show = show
        self._next = 0.0

    def __call__(self, progress: "Progress") -> None:
        """Take a report; on any thread."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE_S
        words = _PHASES.get(progress.phase, progress.phase)
        percentage = None
        if progress.total:
            words = f"{words} ({progress.done:,} of {progress.total:,})"
            percentage = min(100, progress.done * 100 // progress.total)
        self._loop.call_soon_threadsafe(self._show, words, percentage)
