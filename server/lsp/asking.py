"""``retrieve``, ``expand``, ``related``, ``explain``: a question in, evidence out, as the command line prints it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..retrieval.query import DEFAULT_LIMIT, Filters, Query, to_wire
from . import params
from .commands import Row

if TYPE_CHECKING:
    from ..app import Session
    from .server import GazetteerServer


def register(server: "GazetteerServer") -> None:
    """Serve the questions."""
    asking = Asking(server)
    server.commands.add(
        Row("retrieve", params.Retrieve, asking.retrieve),
        Row("expand", params.Expand, asking.expand),
        Row("related", params.Related, asking.related),
        Row("explain", params.Retrieve, asking.explain),
    )


class Asking:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def retrieve(self, given: params.Retrieve) -> Any:
        """Answer a question."""
        query = _query(given)
        return await self._ask(given, lambda session, _cancel: session.retrieve(query))

    async def explain(self, given: params.Retrieve) -> Any:
        """Say how a question is answered."""
        query = _query(given)
        return await self._ask(given, lambda session, _cancel: session.explain(query))

    async def expand(self, given: params.Expand) -> Any:
        """Show what stands where a locator points."""
        return await self._ask(
            given, lambda session, _cancel: session.expand(given.locator, before=given.before, after=given.after)
        )

    async def related(self, given: params.Related) -> Any:
        """Show what resembles a place."""
        target = given.target or ""
        return await self._ask(given, lambda session, _cancel: session.related(target, given.limit or DEFAULT_LIMIT))

    async def _ask(self, given: params.Rooted, work: "Callable[[Session, Cancel], Any]") -> Any:
        server = self._server
        folder = server.sessions.of(given.root, given.uri)
        session = await folder.ready()
        return await server.jobs.run("query", lambda cancel: to_wire(work(session, cancel)))


def _query(given: params.Retrieve) -> Query:
    return Query(
        text=given.query,
        limit=DEFAULT_LIMIT if given.limit is None else given.limit,
        require=given.require,
        freshness=given.freshness,
        snapshot=given.snapshot,
        filters=Filters(paths=tuple(given.path), languages=tuple(given.lang), kinds=tuple(given.kind)),
    )
