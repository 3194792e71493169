"""Inlay notes: behind a line, what documentation says of a name that it uses. Off until ``inlayHints.enable`` (row L5).

A note is the first sentence of the documentation of what is used there, at its first use in a definition and only where
one definition of the tree is meant; behind an import it is the line of the orientation map for what that means. At most
one a line, short, plain text. The whole card is made for a note that is pointed at (``inlayHint/resolve``). Neither
waits for a build.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from ..context.visible import one_line
from ..kb.cancel import Cancel
from ..kb.model import Role
from .carried import carry, take_back, version_of
from .hover import make_card, render, style_of
from .jumps import stopping
from .looking import Look, look
from .orienting import map_seen

if TYPE_CHECKING:
    from ..context.meaning import Meanings
    from .server import GazetteerServer

MAX_CHARACTERS = 60
MAX_LINES = 300
"""Lines that one request is answered for; an editor asks for what it shows."""
_ROLES = frozenset({Role.CALL, Role.INHERIT, Role.TYPE})


def register(server: "GazetteerServer") -> None:
    """Serve inlay notes."""
    inlays = Inlays(server)
    server.on(types.TEXT_DOCUMENT_INLAY_HINT, inlays.notes, types.InlayHintOptions(resolve_provider=True))
    server.on(types.INLAY_HINT_RESOLVE, inlays.resolve)


class Inlays:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def notes(self, given: types.InlayHintParams) -> list[types.InlayHint] | None:
        """The notes of some lines."""
        server, uri = self._server, given.text_document.uri
        if not server.configuration["inlayHints.enable"]:
            return None
        version = version_of(server, uri)
        first = given.range.start.line + 1
        lines = range(first, min(given.range.end.line + 1, first + MAX_LINES - 1) + 1)

        def work(seen: Look, cancel: Cancel) -> list[types.InlayHint]:
            return [_hint(seen, uri, version, *note) for note in sorted(_notes(seen, lines, cancel))]

        return await look(server, uri, work, threads="query")

    async def resolve(self, given: types.InlayHint) -> types.InlayHint:
        """Make the card of a note."""
        server = self._server
        carried = take_back(server, given.data, "inlayHint/resolve")
        kind, style = style_of(server)

        def work(seen: Look, cancel: Cancel) -> types.MarkupContent | None:
            card = make_card(seen, seen.offset(carried.at), stopping(cancel))
            return types.MarkupContent(kind, "\n".join(render(card, seen, style))) if card is not None else None

        given.tooltip = await look(server, carried.uri, work, threads="query")
        return given


def _notes(seen: Look, lines: range, cancel: Cancel) -> Iterator[tuple[int, int, str]]:
    """Line, offset of what the note is about, and its words."""
    from ..context.meaning import Meanings

    meanings = Meanings(seen.glance, stopping(cancel))
    taken: set[int] = set()
    for line, offset, words in _of_imports(seen, meanings, lines):
        if line not in taken:
            taken.add(line)
            yield line, offset, words
    for line, offset, words in _of_uses(seen, meanings, lines, cancel):
        if line not in taken:
            taken.add(line)
            yield line, offset, words


def _of_imports(seen: Look, meanings: "Meanings", lines: range) -> Iterator[tuple[int, int, str]]:
    from ..context.maps import part_for
    from ..context.meaning import Imported
    from ..context.pointing import module_place

    orientation = map_seen(seen).text
    if not orientation:
        return
    for taken in seen.glance.snapshot.derived(seen.document).imports:
        if taken.line not in lines:
            continue
        start = module_place(seen.text, taken, seen.lines.start_of(taken.line), seen.document.language)
        meaning = meanings.at(seen.document, start) if start >= 0 else None
        paths = meaning.paths if isinstance(meaning, Imported) else ()
        words = part_for(orientation, paths[0]) if paths else ""
        if words:
            yield taken.line, start, words


def _of_uses(seen: Look, meanings: "Meanings", lines: range, cancel: Cancel) -> Iterator[tuple[int, int, str]]:
    from ..context.pointing import name_at
    from ..retrieval.containment import last_part

    snapshot = seen.glance.snapshot
    known: set[tuple[int, str]] = set()
    for use in snapshot.derived(seen.document).references:
        name = last_part(use.name)
        if use.role not in _ROLES or (use.scope, name) in known:
            continue
        known.add((use.scope, name))  # of the first use only, whichever lines are asked for
        if use.line not in lines:
            continue
        cancel.check()
        start = seen.place_on_line(use.line, name)
        there = name_at(seen.text, start, seen.document.language) if start >= 0 else None
        named = meanings.name(seen.document, there) if there is not None else None
        if named is None or named.best is None or len(named.found.found) != 1:
            continue
        words = snapshot.derived(named.best.document).symbols[named.best.at].doc
        if words:
            yield use.line, start, words


def _hint(seen: Look, uri: str, version: int | None, line: int, offset: int, words: str) -> types.InlayHint:
    end, at = seen.lines.end_of(line), seen.range(offset, offset).start
    shown = one_line(words, MAX_CHARACTERS)
    return types.InlayHint(seen.range(end, end).start, shown, padding_left=True, data=carry(uri, at, version))
