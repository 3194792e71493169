"""Captures to symbols: which definitions a document has, what holds them, and what documents them.

The rules are the same for all languages; a query file says what a definition is and this file never asks which language
it came from. Containers come from the nesting of ranges, and from what the source itself says where a definition stands
outside of its owner (``Foo::bar``, a receiver, ``impl Foo``).
"""

from collections.abc import Iterable
from typing import NamedTuple

from ..chunk import Unit
from ..lines import Lines
from ..model import Kind, Problem, Symbol
from ..parse import Group, Mark, Spans
from . import wording

MAX_SYMBOLS = 20_000
MAX_DEPTH = 32
"""Levels of nesting that are kept; what lies deeper belongs to the last level."""

TYPES = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM})
_OWNERS = TYPES | {Kind.MODULE, Kind.NAMESPACE, Kind.TYPE}
_VALUES = frozenset({Kind.VARIABLE, Kind.CONSTANT, Kind.FIELD})
_CALLABLES = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.MACRO})
_SCOPE = Kind.BLOCK  # a range that owns what lies in it without being a definition


class _Definition:
    """One definition while it is put together; mutable, and gone when `definitions` returns."""

    __slots__ = (
        "body", "declaration", "doc", "end", "head", "index", "kind", "linked", "name", "name_start", "outer", "owner",
        "parent", "pattern", "rest", "start", "trail",
    )  # fmt: skip

    def __init__(self, kind: Kind, start: int, end: int, name: str, name_start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.name = name
        self.name_start = name_start
        self.pattern = -1
        self.head = start  # where the signature starts
        self.body = -1
        self.doc = ""
        self.declaration = False
        self.rest = False
        self.owner: tuple[str, ...] = ()
        self.outer: _Definition | None = None  # around it in the text
        self.parent: _Definition | None = None  # what it belongs to
        self.index = -1  # among the symbols; -1 for a scope
        self.linked = False  # itself or something around it has an owner by name
        self.trail: tuple[str, ...] = ()


class Definitions(NamedTuple):
    """All definitions of a document: as symbols, and as units for the chunker (which has the scopes too)."""

    symbols: tuple[Symbol, ...]
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...]


def definitions(text: str, lines: Lines, groups: Iterable[Group], marks: Iterable[Mark]) -> Definitions:
    """Symbols in order of appearance, and the units that chunks are made of."""
    problems: list[Problem] = []
    found = _gather(text, groups)
    _extend(found, len(text))
    if len(found) > MAX_SYMBOLS:
        problems.append(Problem("size", f"{len(found):,} definitions; the first {MAX_SYMBOLS:,} are kept"))
        del found[MAX_SYMBOLS:]
    found = _nest(found, problems, lines)
    _link(found)
    above = _Above(text, lines, marks)
    symbols: list[Symbol] = []
    units: list[Unit] = []
    places = {id(definition): place for place, definition in enumerate(found)}
    count = 0
    for definition in found:
        if definition.kind is not _SCOPE:
            definition.index = count
            count += 1
    for definition in found:
        first = lines.at(definition.start)
        attached, doc = above.of(first)
        if definition.index >= 0:
            symbols.append(_symbol(text, lines, definition, first, definition.doc or doc))
        units.append(
            Unit(
                attached,
                definition.end,
                Kind.CLASS if definition.kind is _SCOPE else definition.kind,
                definition.name,
                definition.trail,
                definition.declaration,
                places[id(definition.outer)] if definition.outer is not None else -1,
            )
        )
    return Definitions(tuple(symbols), tuple(units), tuple(problems))


def _symbol(text: str, lines: Lines, definition: _Definition, first: int, doc: str) -> Symbol:
    container, owner = _container(definition)
    return Symbol(
        definition.name,
        definition.kind,
        container,
        definition.start,
        definition.end,
        definition.name_start,
        first,
        lines.at(max(definition.start, definition.end - 1)),
        wording.signature(text, definition.head, definition.end, definition.body),
        doc,
        definition.declaration,
        owner,
    )


def _container(definition: _Definition) -> tuple[int, str]:
    """Index of the symbol that holds the definition, and what is known by name only."""
    parent, owner = definition.parent, definition.owner
    while parent is not None and parent.index < 0:  # a scope
        owner = (*parent.owner, *owner)
        parent = parent.parent
    return (parent.index if parent is not None else -1), ".".join(owner)


# -- from matches to definitions


def _gather(text: str, groups: Iterable[Group]) -> list[_Definition]:
    """Definitions by start, outer ones first. Matches with the same name node are one definition."""
    by_name: dict[tuple[int, bool], _Definition] = {}
    for pattern, spans in groups:
        names = spans.get("name")
        if not names:
            continue
        for capture, ranges in spans.items():
            kind = _CAPTURES.get(capture)
            if kind is None:
                continue
            start, end = ranges[0]
            for name_start, name_end in names:
                key = (name_start, kind is _SCOPE)
                known = by_name.get(key)
                if known is None:
                    name = wording.name(text[name_start:name_end])
                    if not name:
                        continue
                    known = by_name[key] = _Definition(kind, start, end, name, name_start)
                    _describe(text, known, pattern, capture, spans)
                    continue
                if pattern < known.pattern:
                    known.kind, known.head = kind, start
                    _describe(text, known, pattern, capture, spans)
                known.start, known.end = min(known.start, start), max(known.end, end)
    return sorted(by_name.values(), key=lambda item: (item.start, -item.end, item.name_start))


def _extend(found: list[_Definition], size: int) -> None:
    """What holds for the rest of the file (`namespace A;`) reaches to the next of its kind."""
    end = size
    for item in reversed(found):
        if item.rest:
            item.end, end = end, item.start


def _describe(text: str, definition: _Definition, pattern: int, capture: str, spans: Spans) -> None:
    definition.pattern = pattern
    definition.declaration = capture.startswith("declaration")
    definition.rest = "rest" in spans
    body, doc, container = spans.get("body"), spans.get("doc"), spans.get("container")
    definition.body = body[0][0] if body else -1
    definition.doc = wording.docstring(text[slice(*doc[0])]) if doc else ""
    definition.owner = wording.owner_path("::".join(text[slice(*part)] for part in container)) if container else ()


_CAPTURES: dict[str, Kind] = {
    **{f"definition.{kind.value}": kind for kind in Kind if kind is not Kind.BLOCK},
    **{f"declaration.{kind.value}": kind for kind in Kind if kind is not Kind.BLOCK},
    "scope": _SCOPE,
}


# -- containers


def _nest(found: list[_Definition], problems: list[Problem], lines: Lines) -> list[_Definition]:
    """Parents from ranges; locals are dropped, depth is bounded."""
    kept: list[_Definition] = []
    stack: list[_Definition] = []
    too_deep = 0
    for item in found:
        while stack and not _holds(stack[-1], item):
            stack.pop()
        item.outer = parent = stack[-1] if stack else None
        if item.kind in TYPES:  # `typedef struct foo {...} bar`, `struct foo {...} x`: foo is no member of bar
            while parent is not None and (parent.kind is Kind.TYPE or parent.kind in _VALUES):
                parent = parent.parent
        if parent is not None:
            if parent.kind in _CALLABLES and (item.kind in _VALUES or item.declaration):
                continue
            owned = parent.kind in TYPES or parent.kind is _SCOPE
            if owned and item.kind is Kind.FUNCTION:
                item.kind = Kind.METHOD
            elif owned and item.kind in _VALUES:
                item.kind = Kind.FIELD
        item.parent = parent
        kept.append(item)
        if len(stack) < MAX_DEPTH:
            stack.append(item)
        elif not too_deep:
            too_deep = lines.at(item.start)
    if too_deep:
        problems.append(Problem("depth", f"nested deeper than {MAX_DEPTH} levels", too_deep))
    return kept


def _holds(outer: _Definition, inner: _Definition) -> bool:
    return inner.end <= outer.end and (outer.start < inner.start or inner.end < outer.end)


def _link(found: list[_Definition]) -> None:
    """Owners that are named: to the definition of that name in this document, else kept as words.

    Only definitions with nothing linked around them can be owners, so links never form a circle.
    """
    owners: dict[str, _Definition] = {}
    for item in found:
        parent = item.parent
        item.linked = item.kind is _SCOPE or bool(item.owner) or (parent is not None and parent.linked)
        if item.kind in _OWNERS and not item.linked:
            owners.setdefault(item.name, item)
    for item in found:
        if item.linked:
            _give_owner(item, owners)
    for linked in (False, True):  # what an owner's trail is made of is never linked, so it is ready in the first round
        for item in found:
            if item.linked is linked:
                around = item.parent.trail if item.parent is not None else ()
                item.trail = (*around, *item.owner) if item.kind is _SCOPE else (*around, *item.owner, item.name)


def _give_owner(item: _Definition, owners: dict[str, _Definition]) -> None:
    """A scope stands for what it belongs to; a definition with an owner is moved into it."""
    if item.kind is _SCOPE:
        item.owner = item.owner or wording.owner_path(item.name) or (item.name,)
        item.name = item.owner[-1]
    target = owners.get(item.owner[-1]) if item.owner else None
    if target is None or target is item:
        return
    item.parent, item.owner = target, ()
    if item.kind is Kind.METHOD and target.kind in (Kind.NAMESPACE, Kind.MODULE):
        item.kind = Kind.FUNCTION


# -- comments and decorators above a definition


class _Above:
    """Comments and attached nodes by the line they end on."""

    def __init__(self, text: str, lines: Lines, marks: Iterable[Mark]) -> None:
        self._text = text
        self._lines = lines
        self._ending: dict[int, tuple[int, int, bool]] = {}
        for name, start, end in marks:
            if name == "comment" or name == "attach":
                last = lines.at(max(start, end - 1))
                self._ending[last] = (start, end, name == "comment")

    def of(self, line: int) -> tuple[int, str]:
        """Start of what stands directly above ``line``, and the documentation in it."""
        top, mark = line, self._ending.get(line - 1)
        comments: list[str] = []
        while mark is not None and len(comments) < 200:
            start, end, is_comment = mark
            first = self._lines.at(start)
            if self._text[self._lines.starts[first - 1] : start].strip():  # behind code: it belongs to that
                break
            if is_comment:
                comments.append(self._text[start:end].rstrip("\n"))
            top = first
            mark = self._ending.get(first - 1)
        return self._lines.starts[top - 1], wording.comment("\n".join(reversed(comments))) if comments else ""
