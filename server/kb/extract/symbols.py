"""Definitions to symbols: in order of appearance, with signature, documentation and container.

The rules are the same for all languages; a query file says what a definition is and nothing here ever asks which
language it came from.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ..chunk import Unit
from ..lines import Lines
from ..model import Kind, Problem, Symbol
from ..parse import Group, Mark
from . import containers, wording
from .definitions import SCOPE, Definition, gather

MAX_SYMBOLS = 20_000
_MAX_COMMENTS = 200  # comment lines above one definition


class Definitions(NamedTuple):
    """All definitions of a document: as symbols, and as units for the chunker (which has the scopes too)."""

    symbols: tuple[Symbol, ...]
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]


def definitions(text: str, lines: Lines, groups: Iterable[Group], marks: Iterable[Mark]) -> Definitions:
    """Symbols in order of appearance, and the units that chunks are made of."""
    problems: list[Problem] = []
    found = gather(text, groups)
    if len(found) > MAX_SYMBOLS:
        problems.append(Problem("size", f"{len(found):,} definitions or more; the first {MAX_SYMBOLS:,} are kept"))
        del found[MAX_SYMBOLS:]
    found = containers.nest(found, problems, lines)
    containers.link(found)
    places = {id(definition): place for place, definition in enumerate(found)}
    count = 0
    for definition in found:
        if definition.kind is not SCOPE:
            definition.index = count
            count += 1
    above = _Above(text, lines, marks)
    symbols: list[Symbol] = []
    units: list[Unit] = []
    for definition in found:
        first = lines.at(definition.start)
        attached, comment = above.of(first)
        if definition.index >= 0:
            doc = definition.doc
            if not doc and comment and _has_comment(definition, lines, first):
                doc = wording.comment(comment)
            symbols.append(_symbol(text, lines, definition, first, doc))
        outer = places[id(definition.outer)] if definition.outer is not None else -1
        units.append(_unit(definition, attached, outer))
    return Definitions(tuple(symbols), tuple(units), tuple(problems))


def _unit(definition: Definition, start: int, outer: int) -> Unit:
    kind = definition.kind
    if kind is SCOPE:
        kind = definition.parent.kind if definition.moved and definition.parent is not None else Kind.CLASS
    return Unit(start, definition.end, kind, definition.name, definition.trail, definition.declaration, outer)


def _symbol(text: str, lines: Lines, definition: Definition, first: int, doc: str) -> Symbol:
    container, owner = _container(definition) if definition.parent or definition.owner else (-1, "")
    head = definition.head
    if definition.start < head and "\n" not in text[definition.start : head]:  # `export`, `type`, `template <...>`
        head = definition.start
    return Symbol(
        definition.name,
        definition.kind,
        container,
        definition.start,
        definition.end,
        definition.name_start,
        first,
        lines.at(max(definition.start, definition.end - 1)),
        wording.signature(text, head, definition.end, definition.body),
        doc,
        definition.declaration,
        owner,
    )


def _has_comment(definition: Definition, lines: Lines, first: int) -> bool:
    """Whether the comment above its line is about the definition, not about one that holds it and starts there too."""
    outer = definition.outer
    return outer is None or outer.kind is Kind.TYPE or outer.kind in containers.VALUES or lines.at(outer.start) != first


def _container(definition: Definition) -> tuple[int, str]:
    """Index of the symbol that holds the definition, and what is known by name only."""
    parent, owner = definition.parent, definition.owner
    while parent is not None and parent.index < 0:  # a scope
        owner = (*parent.owner, *owner)
        parent = parent.parent
    return (parent.index if parent is not None else -1), ".".join(owner)


class _Above:
    """Comments and attached nodes by the line they end on."""

    def __init__(self, text: str, lines: Lines, marks: Iterable[Mark]) -> None:
        self._text = text
        self._lines = lines
        self._ending: dict[int, tuple[int, int, bool]] = {}
        for name, start, end in marks:
            if name == "comment" or name == "attach":
                last = lines.at(end - 1 if end > start else start)
                self._ending[last] = (start, end, name == "comment")

    def of(self, line: int) -> tuple[int, str]:
        """Start of what stands directly above ``line``, and the comments in it."""
        top, mark = line, self._ending.get(line - 1)
        if mark is None:
            return self._lines.starts[line - 1], ""
        comments: list[str] = []
        while mark is not None and len(comments) < _MAX_COMMENTS:
            start, end, is_comment = mark
            first = self._lines.at(start)
            if self._text[self._lines.starts[first - 1] : start].strip():  # behind code: it belongs to that
                break
            if is_comment:
                comments.append(self._text[start:end].rstrip("\n"))
            top = first
            mark = self._ending.get(first - 1)
        return self._lines.starts[top - 1], "\n".join(reversed(comments))
