"""Code lenses: above a definition, how often its name is used. Off until ``codeLens.enable`` is set (row L5).

A list of them is made from the document alone. Counting is done for a lens that is shown (``codeLens/resolve``), for a
bounded time; after it, "at least" is said. Neither waits for a build.
"""

import time
from typing import TYPE_CHECKING

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.model import Kind
from .carried import carry, take_back, version_of
from .looking import Look, look

if TYPE_CHECKING:
    from ..context.card import Usage
    from .server import GazetteerServer

MAX_LENSES = 500
COUNTING_S = 0.1
"""How long one lens counts."""
COUNTED = frozenset(
    {Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.TYPE, Kind.MACRO}
)
"""Kinds that have a lens; of others, uses are no facts or are everywhere."""


def register(server: "GazetteerServer") -> None:
    """Serve code lenses."""
    lenses = Lenses(server)
    server.on(types.TEXT_DOCUMENT_CODE_LENS, lenses.lenses, types.CodeLensOptions(resolve_provider=True))
    server.on(types.CODE_LENS_RESOLVE, lenses.resolve)


class Lenses:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def lenses(self, given: types.CodeLensParams) -> list[types.CodeLens] | None:
        """One for each definition of a document; nothing is counted yet."""
        server, uri = self._server, given.text_document.uri
        if not server.configuration["codeLens.enable"]:
            return None
        version = version_of(server, uri)

        def work(seen: Look, _cancel: Cancel) -> list[types.CodeLens]:
            symbols = seen.glance.snapshot.derived(seen.document).symbols
            counted = [one for one in symbols if one.kind in COUNTED][:MAX_LENSES]
            spans = [seen.range(one.name_start, one.name_start + len(one.name)) for one in counted]
            return [types.CodeLens(span, data=carry(uri, span.start, version)) for span in spans]

        return await look(server, uri, work)

    async def resolve(self, given: types.CodeLens) -> types.CodeLens:
        """Count for a lens that is shown."""
        server = self._server
        carried = take_back(server, given.data, "codeLens/resolve")
        counted = await look(
            server, carried.uri, lambda seen, cancel: _count(seen, carried.at, cancel), threads="query"
        )
        if counted is None:
            given.command = types.Command("uses are not known yet", "")
            return given
        name, usage = counted
        query = {"query": f"where is {name} used", "via": ["graph"], "uri": carried.uri}
        argument = {"title": f"Uses of {name}", "method": "gazetteer/retrieve", "params": query}
        command = "gazetteer.view" if server.experimental.get("view") else "gazetteer.show"
        given.command = types.Command(_title(usage), command, arguments=[argument])
        return given


def _count(seen: Look, position: types.Position, cancel: Cancel) -> "tuple[str, Usage] | None":
    from ..context.card import Cards, Map

    started = time.perf_counter()

    def late() -> bool:
        cancel.check()
        return time.perf_counter() - started > COUNTING_S

    offset = seen.offset(position)
    for at, symbol in enumerate(seen.glance.snapshot.derived(seen.document).symbols):
        if symbol.name_start == offset:
            return symbol.name, Cards(seen.glance, Map(), late).usage(seen.document, at)
    return None


def _title(usage: "Usage") -> str:
    """How often, in a few words; a name that several definitions have is counted for all of them."""
    said = f"{'name ' if usage.shared else ''}{'mentioned' if usage.named else 'used'}"
    if not usage.count:
        return "no use found" if usage.complete else "uses could not be counted in time"
    least = "" if usage.complete else "at least "
    return f"{said} {least}{'once' if usage.count == 1 else f'{usage.count} times'}"
