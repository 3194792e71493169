"""Hover: a card about what the pointer is on, as Markdown that is safe, or as plain text for a client without.

The facts are `context.card`'s; what is here is how they read. A card is at most about twenty lines, its first line
says by itself what and where, and everything from the tree goes through the doors of `markdown` (pitfall SE04). A hover
waits for no build and for no other document: what is not indexed or read yet is said.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lsprotocol import types
from pygls.capabilities import get_capability

from ..kb.cancel import Cancel
from ..kb.paths import printable
from ..kb.text import LineIndex, Units
from . import linkless, markdown, wordy
from .across import defined_in, name_used, others
from .looking import Look, Unseen, look
from .orienting import map_seen

if TYPE_CHECKING:
    from ..app import Session
    from ..context.card import Card, Spot, Usage
    from .server import GazetteerServer

COUNTING_S = 0.012
"""How long a hover counts before it says "at least"."""
UNSETTLED = "Open documents are being read: what was typed there last is not in this yet."
_ORIGINS = {"tree": "the tree's own map", "user": "your map"}


def register(server: "GazetteerServer") -> None:
    """Serve hovers."""
    server.on(types.TEXT_DOCUMENT_HOVER, Hovering(server).hover)


class Hovering:
    """The handler."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def hover(self, given: types.HoverParams) -> types.Hover | None:
        """Say what is known of a place."""
        server = self._server
        if not server.configuration["hover.enable"]:
            return None
        kind, style = style_of(server)
        started = time.perf_counter()
        beside = others(server, given.text_document.uri)

        def work(seen: Look, cancel: Cancel) -> types.Hover | None:
            def late() -> bool:
                cancel.check()
                return time.perf_counter() - started > COUNTING_S

            offset = seen.offset(given.position)
            card = make_card(seen, offset, late)
            lines = list(render(card, seen, style)) if card is not None else []
            if card is None or card.external:
                for foreign, found in cards_across(beside, seen, offset, cancel, late):
                    lines = list(render(found, foreign, style, corpus=foreign.session.name))
                    card = found
                    break
            if card is None:
                return None
            return types.Hover(types.MarkupContent(kind, "\n".join(lines)), seen.range(card.start, card.end))

        def unseen(known: Unseen) -> types.Hover | None:
            if known.buffer is None or not _may_name(known.buffer.normalised, given.position, server.units):
                return None
            return types.Hover(types.MarkupContent(kind, style.plain(known.why)))

        return await look(server, given.text_document.uri, work, unseen)


def style_of(server: "GazetteerServer") -> "tuple[types.MarkupKind, Style]":
    """How the client is shown a card."""
    formats = get_capability(server.client_capabilities, "text_document.hover.content_format", None)
    if formats is not None and types.MarkupKind.Markdown not in formats:
        return types.MarkupKind.PlainText, wordy
    return types.MarkupKind.Markdown, markdown if server.experimental.get("links", True) else linkless


def _may_name(text: str, position: types.Position, units: Units) -> bool:
    """Whether a name could stand at a position."""
    from ..context.pointing import name_at

    return name_at(text, LineIndex(text).offset(position.line, position.character, units), "") is not None


def make_card(seen: Look, offset: int, late: Callable[[], bool]) -> "Card | None":
    """The card for a place that is looked at."""
    from ..context.card import Cards

    return Cards(seen.glance, map_seen(seen), late).at(seen.path, offset)


def cards_across(
    sessions: "Sequence[Session]", seen: Look, offset: int, cancel: Cancel, late: Callable[[], bool]
) -> "Iterator[tuple[Look, Card]]":
    """Cards for a name that other corpora define, each with a look at the one that does."""
    from ..context.card import Cards, Map

    name = name_used(seen, offset)
    if name is None:
        return
    for there, _, _ in defined_in(sessions, name, seen, cancel):
        card = Cards(there.glance, Map(), late).named(name.text, name.start)
        if card is not None and card.defined is not None:
            yield there, card


class Style(Protocol):
    """How text of a tree is shown: `markdown`, `linkless`, or `wordy`."""

    BREAK: str

    def plain(self, text: str, limit: int = ...) -> str:
        """Return words."""

    def prose(self, text: str, limit: int = ...) -> str:
        """Return a sentence."""

    def code(self, text: str, limit: int = ...) -> str:
        """Return a name."""

    def fence(self, text: str, language: str = "") -> str:
        """Return a passage."""

    def link(self, text: str, uri: str, line: int = 0) -> str:
        """Return a way to a file."""

    def strong(self, text: str) -> str:
        """Return our own words, stressed."""


def render(card: "Card", seen: Look, style: Style, corpus: str = "") -> Iterator[str]:
    """The lines of a card; ``corpus`` is the one that it is of, where that is not the document's own."""
    yield _head(card, seen, style) + (f" · in {style.code(printable(corpus))}" if corpus else "")
    if card.signature:
        yield style.fence(card.signature, card.language)
    if card.preview:
        yield style.fence(card.preview, card.language)
    body = list(_body(card, seen, style))
    for at, line in enumerate(body):
        yield line + (style.BREAK if at + 1 < len(body) else "")


def _head(card: "Card", seen: Look, style: Style) -> str:
    """Kind, name and where, on one line."""
    name = style.code(printable(card.title))
    if card.external and card.kind == "import":
        return f"{style.strong('import')} {name} is outside of this tree"
    if card.external:
        return f"{name} comes from {style.code(card.external)}, outside of this tree"
    if card.kind == "import":
        what = ", ".join(_spot(spot, seen, style, label=False) for spot in card.targets)
        more = f" and {card.more_targets} more" if card.more_targets else ""
        return f"{style.strong('import')} {name} → {what}{more}" if what else f"{style.strong('import')} {name}"
    parts = [f"{style.strong(card.kind)} {name}" if card.kind and card.kind != "file" else name]
    if card.defined is not None:
        inside = f" in {style.code(card.defined.label)}" if card.defined.label else ""
        parts.append(f"{inside.strip()} · {_spot(card.defined, seen, style, label=False)}".removeprefix(" · "))
    if card.unsaved:
        parts.append("unsaved")
    if card.others:
        parts.append(f"{card.others} more of this name" if card.others > 1 else "another of this name")
    return " · ".join(parts)


def _body(card: "Card", seen: Look, style: Style) -> Iterator[str]:
    if card.document:
        yield style.prose(card.document)
    for target in card.targets:
        if target.label:
            yield f"defines {style.code(target.label)}"
            break
    if card.usage is not None:
        yield _used(card.usage, seen, style)
    if card.section is not None:
        yield f"Explained in {_spot(card.section, seen, style)}"
    if card.orientation:
        yield f"{style.prose(card.orientation)} ({_ORIGINS[card.orientation_origin]})"
    if card.note:
        yield style.plain(card.note)
    if not seen.settled:
        yield style.plain(UNSETTLED)


def _used(usage: "Usage", seen: Look, style: Style) -> str:
    """How many places, and which."""
    word = "Mentioned" if usage.named else "Used"
    word = f"Its name is {word.lower()}" if usage.shared else word
    if not usage.count:
        return "No use of this name was found" if usage.complete else "Its uses could not be counted in time"
    least = "" if usage.complete else "at least "
    number = f"{word} in {least}{usage.count} {'place' if usage.count == 1 else 'places'}"
    shown = ", ".join(_spot(spot, seen, style) for spot in usage.places)
    return f"{number}: {shown}" if shown else number


def _spot(spot: "Spot", seen: Look, style: Style, *, label: bool = True) -> str:
    path = printable(spot.path)
    shown = style.link(f"{path}:{spot.line}", seen.uri(spot.path), spot.line)
    return f"{shown} {style.code(spot.label, 60)}" if label and spot.label else shown
