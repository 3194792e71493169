"""``sync``, ``status``, ``barrier`` and their kin: how an index is, and keeping it well."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..kb.errors import InvalidArgumentError, TimeoutExpiredError
from ..kb.paths import Root
from ..retrieval.query import to_wire
from . import params
from .choosing import corpus_of, of_each, tree_of
from .commands import Row
from .folder import OpenedAgainError
from .jobs import Kind
from .quiet import derive
from .sessions import MANY

if TYPE_CHECKING:
    from ..app import Session
    from ..corpora.health import Status
    from ..corpora.registry import Corpus
    from .folder import Folder
    from .server import GazetteerServer

POLL_S = 0.02
"""How often a barrier looks whether its generation is there."""


def register(server: "GazetteerServer") -> None:
    """Serve upkeep."""
    upkeep = Upkeep(server)
    server.commands.add(
        Row("sync", params.OfTree, upkeep.sync),
        Row("reindex", params.OfTree, upkeep.reindex),
        Row("status", params.OfTrees, upkeep.status),
        Row("health", params.OfTrees, upkeep.health),
        Row("markDirty", params.MarkDirty, upkeep.mark_dirty),
        Row("flush", params.Rooted, upkeep.flush),
        Row("barrier", params.Barrier, upkeep.barrier, as_command=False),
    )


class Upkeep:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def sync(self, given: params.OfTree) -> Any:
        """Bring the index up to the tree."""
        return await self._index(given, anew=False)

    async def reindex(self, given: params.OfTree) -> Any:
        """Derive everything again, while what there is answers."""
        return await self._index(given, anew=True)

    async def _index(self, given: params.OfTree, *, anew: bool) -> Any:
        server = self._server
        folder = await tree_of(server, given)
        with server.bars.followed(given.work_done_token, f"Indexing {folder.name}") as bar:
            while True:
                with suppress(OpenedAgainError):
                    return to_wire(await folder.index(anew=anew, bar=bar))

    async def status(self, given: params.OfTrees) -> Any:
        """Say how the index is, without waiting for one that is being built; of several, one after the other."""
        return await self._told(given, "query", _status)

    async def health(self, given: params.OfTrees) -> Any:
        """Hold the index against the whole tree."""
        return await self._told(given, "index", _health)

    async def _told(self, given: params.OfTrees, kind: Kind, act: "Callable[[Session, Cancel], Status]") -> Any:
        """Do ``act`` with a tree, or with several; a corpus that is not open is not kept open, nor indexed."""
        server = self._server

        async def of_corpus(corpus: "Corpus") -> "Status":
            folder = server.sessions.at(corpus.real)
            if folder is not None:
                return await folder.use(kind, act, folder.open_session)
            return await server.jobs.run(
                kind, lambda cancel: _in_passing(server, Root(corpus.root, corpus.real), act, cancel)
            )

        if given.corpora:
            return to_wire(await of_each(server, () if given.corpora == "all" else given.corpora, of_corpus))
        corpus = await corpus_of(server, given)
        if corpus is not None:
            return to_wire(await of_corpus(corpus))
        folder = server.sessions.of(given.root, given.uri)
        return to_wire(await folder.use(kind, act, folder.open_session))

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


def _status(session: "Session", _: Cancel) -> "Status":
    return session.status()


def _health(session: "Session", cancel: Cancel) -> "Status":
    return session.health(cancel=cancel)


def _in_passing(
    server: "GazetteerServer", root: Root, act: "Callable[[Session, Cancel], Status]", cancel: Cancel
) -> "Status":
    """Do ``act`` with a tree that is opened for it alone; on a thread."""
    from ..app import Session

    with Session(root.given, server.configuration.index, entries=server.corpora.entries(root)) as session:
        return act(session, cancel)


def _head(session: "Session", _: Cancel) -> int:
    return session.kb.store.head().generation


def _flush(session: "Session", cancel: Cancel) -> int:
    """Drain the journal and return the generation that has it all."""
    if session.kb.journal.everything:
        return session.sync(cancel=cancel).generation
    return session.kb.flush(should_stop=cancel.is_set).head.generation
