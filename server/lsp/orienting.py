"""``map``: the orientation map of a folder, its origin, and a new one where a person asks for it (row M1)."""

import os
from typing import TYPE_CHECKING, Any

from ..kb.cancel import Cancel
from ..kb.errors import RefusedError
from ..kb.paths import printable, to_uri
from . import params
from .choosing import tree_of
from .commands import Row
from .looking import Look
from .revealing import reveal, tell

if TYPE_CHECKING:
    from ..app import Session
    from ..context.card import Map
    from ..context.maps import Place
    from .server import GazetteerServer


class OfFolder(params.OfTree, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Whose map; ``create`` makes one in the tree where there is none, ``open`` has the client show it."""

    create: bool = False
    open: bool = False


def register(server: "GazetteerServer") -> None:
    """Serve the command."""
    server.commands.add(Row("map", OfFolder, Orienting(server).map))


class Orienting:
    """The handler."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def map(self, given: OfFolder) -> Any:
        """Give the map; nothing is written unless that was asked for."""
        server = self._server
        folder = await tree_of(server, given)
        if given.create and not folder.own:
            raise RefusedError(f"{folder.name} is read here and not written; open its folder to make a map in it.")
        session = await folder.ready()
        do = server.jobs.finish if given.create else server.jobs.run  # what was made is told, whoever still listens
        answer = await do("query", lambda cancel: _map(session, cancel, create=given.create))
        if given.open and answer["exists"]:
            await reveal(server, answer["uri"], [f"The orientation map is {answer['path']}"])
        elif given.open:
            tell(server, answer["notices"] or ["There is no orientation map."])
        return answer


def map_seen(seen: Look) -> "Map":
    """The map of the tree that is looked at, if it is as its file is now; maybe none."""
    from ..context.card import Map
    from ..context.maps import read_own

    for place in _places(seen):
        if place.document is None:
            if text := read_own(place.path):
                return Map(text, "user")
        elif (mine := seen.glance.snapshot.document(place.document)) is not None:
            return Map(seen.glance.snapshot.text(mine), "tree") if seen.glance.holds(mine) else Map()
    return Map()


def is_map_there(seen: Look) -> bool:
    """Whether anything is at the place of a map in the tree: it may be new, or hidden by a rule."""
    real = seen.glance.origin.root.real
    inside = (place.document for place in _places(seen) if place.document is not None)
    return any(os.path.lexists(os.path.join(real, document)) for document in inside)


def _places(seen: Look) -> "tuple[Place, ...]":
    from ..context.maps import places
    from ..settings import config_root

    return places(seen.glance.origin.root, seen.session.name, config_root(), seen.session.prompt_file)


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
