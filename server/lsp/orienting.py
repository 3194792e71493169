"""``map``: the orientation map of a folder, its origin, and a new one where a person asks for it (row M1)."""

from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..kb.paths import printable, to_uri
from . import params
from .commands import Row
from .revealing import reveal

if TYPE_CHECKING:
    from ..app import Session
    from .server import GazetteerServer


class Map(params.Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Whose map; ``create`` makes one in the tree where there is none, ``open`` has the client show it."""

    create: bool = False
    open: bool = False


def register(server: "GazetteerServer") -> None:
    """Serve the command."""
    server.commands.add(Row("map", Map, Orienting(server).map))


class Orienting:
    """The handler."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def map(self, given: Map) -> Any:
        """Give the map; nothing is written unless that was asked for."""
        server = self._server
        folder = server.sessions.of(given.root, given.uri)
        session = await folder.ready()
        answer = await server.jobs.run("query", lambda cancel: _map(session, cancel, create=given.create))
        if given.open and answer["exists"]:
            await reveal(server, answer["uri"], [f"The orientation map is {answer['path']}"])
        return answer


def _map(session: "Session", cancel: Cancel, *, create: bool) -> dict[str, Any]:
    from ..context import maps

    found = session.orientation()
    if create and not found.exists:
        cancel.check()
        glance = session.glance()
        paths = [document.path for document in glance.snapshot.documents()] if glance is not None else []
        maps.create(session.kb.root, maps.skeleton(session.name, paths), session.kb.writer.notes)
        session.kb.mark_dirty(maps.IN_TREE, "created")
        found = session.orientation()
    return {
        "path": printable(found.path),
        "uri": to_uri(found.path),
        "origin": found.origin,
        "text": found.text,
        "exists": found.exists,
        "notices": list(found.notices),
    }
