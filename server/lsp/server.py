"""The server put together: one connection, its documents, its folders, its threads.

Everything that lives as long as the process is a part of `GazetteerServer`; modules of this room get it and add their
handlers (``features``). Nothing here imports a session, a parser or an index: those come once the client is served.
"""

import asyncio
import itertools
import logging
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO, TypeVar, cast

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from .. import __version__
from ..kb.errors import CancelledError, remedy_of
from ..kb.paths import to_uri
from ..kb.text import Units
from ..settings import Settings
from .commands import Commands
from .corpora import Corpora
from .documents import Documents
from .ending import ORDER_S, Ending
from .entries import Entries
from .features import register_all
from .folder import Folder
from .inbox import Inbox
from .jobs import Jobs
from .messages import decode
from .progress import Bars
from .protocol import Handler, Protocol, State, converter
from .sessions import Sessions
from .settings import Configuration
from .transport import Reader, Writer, accept, take_stdio

T = TypeVar("T")
FLUSH_S = 1.0
ENDED_S = 0.5
"""How long the end waits for work that was told to stop."""


class GazetteerServer(LanguageServer):
    """One server for one client.

    Args:
        settings: those of the command line and the environment; the client's are laid over them.
        named: a folder to serve when the client names none.
    """

    protocol: Protocol

    def __init__(self, settings: Settings, named: str | None = None) -> None:
        super().__init__("gazetteer", __version__, protocol_cls=Protocol, converter_factory=converter)
        self.base_settings = settings
        self.configuration = Configuration(settings)
        self.named_folders = [to_uri(named)] if named else []
        self.units: Units = "utf-16"
        self.experimental: dict[str, Any] = {}
        self.entries = Entries(self.protocol.notify)
        self.jobs = Jobs()
        self.bars = Bars(self.protocol)
        self.documents = Documents()
        self.corpora = Corpora(self)
        self.sessions = Sessions(self)
        self.commands = Commands(self)
        self._numbers = itertools.count(1)
        self._kept: set[asyncio.Future[Any]] = set()
        self._inbox: Inbox | None = None
        self._ending: Ending | None = None
        self.shutting: asyncio.Future[Any] | None = None  # the answer to ``shutdown``, once it was asked for
        self._said: set[str] = set()
        register_all(self)

    # -- what modules of this room use --------------------------------------------------------------------------

    def raw(self, method: str, handler: Handler) -> None:
        """Serve a method with its parameters as plain data."""
        self.protocol.raw[method] = handler

    def on(self, method: str, handler: Handler, options: Any = None) -> None:
        """Serve a method of the protocol; ``options`` are what is announced of it."""
        self.protocol.typed[method] = handler
        if options is not None:
            self.protocol.options[method] = options

    def next_number(self) -> int:
        """Return a number that was not given before."""
        return next(self._numbers)

    def keep(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Let work go on by itself; what it raises is logged."""
        task = asyncio.ensure_future(work)
        self._kept.add(task)
        task.add_done_callback(self.over)
        return task

    def over(self, task: "asyncio.Future[Any]") -> None:
        """Log what work that went on by itself has raised."""
        self._kept.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, CancelledError):  # which is how threads end at the end
            self.entries.warning(self.entries.known("background work", error).message)

    def agree(self, capabilities: types.ClientCapabilities, units: str) -> None:
        """Take what client and server agreed on."""
        self.units = cast("Units", units)
        experimental = capabilities.experimental
        ours = experimental.get("gazetteer") if isinstance(experimental, dict) else None
        self.experimental = ours if isinstance(ours, dict) else {}
        self.bars.can_create = bool(get_capability(capabilities, "window.work_done_progress", False))

    def configure(self, configuration: Configuration, faults: tuple[str, ...]) -> None:
        """Take over settings; each thing that does not count in them is said once."""
        for fault in faults:
            if fault not in self._said:
                self._said.add(fault)
                self.entries.warning(fault)
        changed = configuration.index != self.configuration.index
        self.configuration = configuration
        if changed:
            self.sessions.restart()

    def tell_status(self, folder: Folder, percent: int | None) -> None:
        """Tell a client that wants to know how a folder is."""
        if not self.experimental.get("status"):
            return
        told: dict[str, Any] = {"root": folder.uri, "corpus": folder.name, "own": folder.own}
        told |= {"state": folder.state, "message": folder.message}
        if percent is not None:
            told["percent"] = percent
        if folder.state in ("stale", "error") and (remedy := remedy_of(folder.message)):
            told["remedy"] = remedy
        self.protocol.notify("gazetteer/didChangeStatus", told)

    @property
    def is_ending(self) -> bool:
        """Whether nothing more is served."""
        return self.protocol.state is State.SHUT_DOWN

    # -- serving ------------------------------------------------------------------------------------------------

    def serve(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        """Serve one connection; does not return, the process ends in here."""
        asyncio.run(self._serve(incoming, outgoing))

    async def _serve(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        loop = asyncio.get_running_loop()
        self._inbox = inbox = Inbox(loop)
        loop.set_exception_handler(self._unforeseen)
        writer = Writer(outgoing, self.end)
        self._ending = Ending(self._stop, lambda: writer.finish(FLUSH_S))
        self.protocol.connect(writer.send)

        def take(body: bytes) -> None:
            inbox.put(partial(self.protocol.handle, decode(body)))

        writer.start()
        Reader(incoming, take, self.end).start()
        await loop.create_future()

    def exit(self) -> None:
        """End as the client asked for: with 0 after ``shutdown``, else with 1."""
        if self.shutting is None or self.shutting.done():
            self._end_now()
        else:
            self.shutting.add_done_callback(lambda _: self._end_now())

    def end(self, reason: str) -> None:
        """End because nobody is there any more, after what had arrived before; from any thread."""
        assert self._inbox is not None
        assert self._ending is not None
        if self.protocol.state is not State.SHUT_DOWN:
            with suppress(OSError, ValueError):
                print(f"gazetteer: {reason}", file=sys.stderr, flush=True)  # noqa: T201
        self._ending.begin_within(ORDER_S, self._status)
        with suppress(RuntimeError):  # the loop has ended
            self._inbox.put(self.exit)

    def _end_now(self) -> None:
        assert self._ending is not None
        self._ending.begin(self._status())

    def _status(self) -> int:
        return 0 if self.protocol.state is State.SHUT_DOWN else 1

    def _unforeseen(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take what nobody caught; the loop's own words would show what was sent."""
        error = context.get("exception")
        if error is not None:
            self.entries.unforeseen("event loop", error)

    def _stop(self) -> None:
        self.jobs.stop()
        for folder in (*self.sessions, *self.corpora):
            if (session := folder.session) is not None:
                session.close()
        self.jobs.ended(ENDED_S)


def serve(settings: Settings, named: str | None, address: str) -> None:
    """Serve one client, on standard input and output or on ``HOST:PORT``."""
    silence = logging.getLogger("pygls")
    silence.propagate = False  # it logs what was sent
    silence.addHandler(logging.NullHandler())
    connect: Callable[[], tuple[BinaryIO, BinaryIO]] = (lambda: accept(address)) if address else take_stdio
    GazetteerServer(settings, named).serve(*connect())
