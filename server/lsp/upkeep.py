"""``sync``, ``status``, ``barrier`` and their kin: how an index is, and keeping it well."""

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..kb.errors import InvalidArgumentError, TimeoutExpiredError
from ..retrieval.query import to_wire
from . import params
from .commands import Row
from .folder import OpenedAgainError
from .quiet import derive
from .sessions import MANY

if TYPE_CHECKING:
    from ..app import Session
    from .folder import Folder
    from .server import GazetteerServer

POLL_S = 0.02
"""How often a barrier looks whether its generation is there."""


def register(server: "GazetteerServer") -> None:
    """Serve upkeep."""
    upkeep = Upkeep(server)
    server.commands.add(
        Row("sync", params.Rooted, upkeep.sync),
        Row("reindex", params.Rooted, upkeep.reindex),
        Row("status", params.Rooted, upkeep.status),
        Row("health", params.Rooted, upkeep.health),
        Row("markDirty", params.MarkDirty, upkeep.mark_dirty),
        Row("flush", params.Rooted, upkeep.flush),
        Row("barrier", params.Barrier, upkeep.barrier, as_command=False),
    )


class Upkeep:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def sync(self, given: params.Rooted) -> Any:
        """Bring the index up to the tree."""
        return await self._index(given, anew=False)

    async def reindex(self, given: params.Rooted) -> Any:
        """Derive everything again, while what there is answers."""
        return await self._index(given, anew=True)

    async def _index(self, given: params.Rooted, *, anew: bool) -> Any:
        server = self._server
        folder = server.sessions.of(given.root, given.uri)
        with server.bars.followed(given.work_done_token, f"Indexing {folder.name}") as bar:
            while True:
                with suppress(OpenedAgainError):
                    return to_wire(await folder.index(anew=anew, bar=bar))

    async def status(self, given: params.Rooted) -> Any:
        """Say how the index is, without waiting for one that is being built."""
        folder = self._server.sessions.of(given.root, given.uri)
        return await folder.use("query", lambda session, _: to_wire(session.status()), folder.open_session)

    async def health(self, given: params.Rooted) -> Any:
        """Hold the index against the whole tree."""
        folder = self._server.sessions.of(given.root, given.uri)
        return await folder.use(
            "index", lambda session, cancel: to_wire(session.health(cancel=cancel)), folder.open_session
        )

    def mark_dirty(self, given: params.MarkDirty) -> Any:
        """Take a hint; at once, so that a question that comes later knows of it."""
        sessions = self._server.sessions
        if not given.uris:
            sessions.of(given.root, given.uri).mark(None, "hint")
        elif len(given.uris) <= MANY and not all(map(sessions.holds, given.uris)):
            raise InvalidArgumentError("uris has one that is in no folder of this workspace.", argument="uris")
        sessions.touch(given.uris, "hint")
        return {"marked": len(given.uris) or None}

    async def flush(self, given: params.Rooted) -> Any:
        """Bring what is known to have changed into the index."""
        return {"generation": await self._server.sessions.of(given.root, given.uri).use("index", _flush)}

    async def barrier(self, given: params.Barrier) -> Any:
        """Wait until all that was said before is in effect: journal drained, buffers derived, a generation there."""
        folder = self._server.sessions.of(given.root, given.uri)
        reached = await folder.use("index", _flush, folder.caught_up)
        await folder.use("query", derive)
        if given.generation is not None and reached < given.generation:
            reached = await self._reach(folder, given.generation, given.ms / 1000)
        return {"generation": reached}

    async def _reach(self, folder: "Folder", generation: int, seconds: float) -> int:
        """Wait for a generation that another process may publish, whatever session the folder has by then."""
        until = time.monotonic() + seconds
        while True:
            reached = await folder.use("glance", _head)
            if reached >= generation:
                return reached
            if time.monotonic() >= until:
                raise TimeoutExpiredError(
                    f"Generation {generation} was not published within {seconds:g} seconds, the newest is {reached}; "
                    "wait for one that is known to come."
                )
            await asyncio.sleep(POLL_S)


def _head(session: "Session", _: Cancel) -> int:
    return session.kb.store.head().generation


def _flush(session: "Session", cancel: Cancel) -> int:
    """Drain the journal and return the generation that has it all."""
    if session.kb.journal.everything:
        return session.sync(cancel=cancel).generation
    return session.kb.flush(should_stop=cancel.is_set).head.generation
