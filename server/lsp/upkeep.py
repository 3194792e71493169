"""``sync``, ``status``, ``barrier`` and their kin: how an index is, and keeping it well."""

from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..retrieval.query import to_wire
from . import params
from .commands import Row

if TYPE_CHECKING:
    from ..app import Session
    from .server import GazetteerServer

POLL_S = 0.01


def register(server: "GazetteerServer") -> None:
    """Serve upkeep."""
    upkeep = Upkeep(server)
    server.commands.add(
        Row("sync", params.Rooted, upkeep.sync),
        Row("status", params.Rooted, upkeep.status),
        Row("barrier", params.Barrier, upkeep.barrier, as_command=False),
    )


class Upkeep:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def sync(self, given: params.Rooted) -> Any:
        """Bring the index up to the tree."""
        return to_wire(await self._server.sessions.of(given.root, given.uri).index())

    async def status(self, given: params.Rooted) -> Any:
        """Say how the index is, without waiting for one that is being built."""
        session = await self._server.sessions.of(given.root, given.uri).open_session()
        return await self._server.jobs.run("query", lambda _: to_wire(session.status()))

    async def barrier(self, given: params.Barrier) -> Any:
        """Wait until all that was said before is in effect: journal drained, buffers derived, a generation there."""
        session = await self._server.sessions.of(given.root, given.uri).ready()
        return await self._server.jobs.run("query", lambda cancel: _settle(session, given.generation or 0, cancel))


def _settle(session: "Session", generation: int, cancel: Cancel) -> dict[str, Any]:
    kb = session.kb
    kb.flush()
    for overlay in kb.overlays:
        cancel.check()
        kb.facts.describe(overlay)
    while (reached := kb.store.head().generation) < generation:
        cancel.wait(POLL_S)
    return {"generation": reached}
