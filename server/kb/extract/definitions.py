"""Matches of a query to definitions: one for each name, with the range and the words that its patterns gave it."""

from collections.abc import Iterable

from ..model import Kind
from ..parse import Group, Spans
from . import wording

SCOPE = Kind.BLOCK
"""Kind of a range that owns what lies in it without being a definition (``impl Foo``)."""


class Definition:
    """One definition while it is put together; mutable, and gone when its symbol is made."""

    __slots__ = (
        "body", "declaration", "doc", "end", "head", "index", "kind", "linked", "moved", "name", "name_start", "outer",
        "owner", "parent", "pattern", "rest", "start", "trail",
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
        self.outer: Definition | None = None  # around it in the text
        self.parent: Definition | None = None  # what it belongs to
        self.index = -1  # among the symbols; -1 for a scope
        self.moved = False  # its owner is in this document, elsewhere
        self.linked = False  # itself or something around it has an owner by name
        self.trail: tuple[str, ...] = ()


def gather(text: str, groups: Iterable[Group]) -> list[Definition]:
    """Definitions by start, outer ones first. Matches with the same name node are one definition."""
    by_name: dict[tuple[int, bool], Definition] = {}
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
                key = (name_start, kind is SCOPE)
                known = by_name.get(key)
                if known is None:
                    name = wording.name(text[name_start:name_end])
                    if not name:
                        continue
                    known = by_name[key] = Definition(kind, start, end, name, name_start)
                    _describe(text, known, pattern, capture, spans)
                    continue
                if pattern < known.pattern:
                    known.kind, known.head = kind, start
                    _describe(text, known, pattern, capture, spans)
                known.start, known.end = min(known.start, start), max(known.end, end)
    found = sorted(by_name.values(), key=lambda item: (item.start, -item.end, item.name_start))
    _extend(found, len(text))
    return found


def _extend(found: list[Definition], size: int) -> None:
    """What holds for the rest of the file (`namespace A;`) reaches to the next of its kind."""
    end = size
    for item in reversed(found):
        if item.rest:
            item.end, end = end, item.start


def _describe(text: str, definition: Definition, pattern: int, capture: str, spans: Spans) -> None:
    definition.pattern = pattern
    definition.declaration = capture.startswith("declaration")
    if len(spans) == 2:  # a range and a name: most have no more
        definition.rest, definition.body, definition.doc, definition.owner = False, -1, "", ()
        return
    definition.rest = "rest" in spans
    body, doc, container = spans.get("body"), spans.get("doc"), spans.get("container")
    definition.body = body[0][0] if body else -1
    definition.doc = wording.docstrings(text[slice(*part)] for part in doc) if doc else ""
    definition.owner = wording.owner_path("::".join(text[slice(*part)] for part in container)) if container else ()


_CAPTURES: dict[str, Kind] = {
    **{f"definition.{kind.value}": kind for kind in Kind if kind is not Kind.BLOCK},
    **{f"declaration.{kind.value}": kind for kind in Kind if kind is not Kind.BLOCK},
    "scope": SCOPE,
}
