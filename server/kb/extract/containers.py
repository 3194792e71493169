"""Which definition holds which: from the nesting of their ranges, and from owners that the source names.

Links by name go only to definitions that have none around them, so they never form a circle.
"""

from ..lines import Lines
from ..model import Kind, Problem
from . import wording
from .definitions import SCOPE, Definition

MAX_DEPTH = 32
"""Levels of nesting that are kept; what lies deeper belongs to the last level."""

TYPES = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM})
VALUES = frozenset({Kind.VARIABLE, Kind.CONSTANT, Kind.FIELD})
_OWNERS = TYPES | {Kind.MODULE, Kind.NAMESPACE, Kind.TYPE}
_CALLABLES = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.MACRO})


def nest(found: list[Definition], problems: list[Problem], lines: Lines) -> list[Definition]:
    """Parents from ranges; locals are dropped, depth is bounded."""
    kept: list[Definition] = []
    stack: list[Definition] = []
    too_deep = 0
    for item in found:
        while stack and not _holds(stack[-1], item):
            stack.pop()
        item.outer = parent = stack[-1] if stack else None
        if item.kind in TYPES and parent is not None:
            if parent.name == item.name and (parent.kind in TYPES or parent.kind is Kind.TYPE):
                continue  # `typedef struct foo {...} foo`
            while parent is not None and _is_made_of(parent, item):
                parent = parent.parent
        if parent is not None:
            if item.kind is Kind.FIELD and parent.kind is Kind.METHOD:  # a parameter that is a property
                parent = parent.parent
            elif parent.kind in _CALLABLES and (item.kind in VALUES or item.declaration):
                continue
        if parent is not None:
            owned = parent.kind in TYPES or parent.kind is SCOPE
            if owned and item.kind is Kind.FUNCTION:
                item.kind = Kind.METHOD
            elif owned and item.kind in VALUES:
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


def _is_made_of(outer: Definition, inner: Definition) -> bool:
    """Whether the type ``inner`` is what ``outer`` is made of, not its member: `typedef struct foo {...} bar`."""
    return outer.kind is Kind.TYPE or outer.kind in VALUES or outer.name_start >= inner.end


def _holds(outer: Definition, inner: Definition) -> bool:
    return inner.end <= outer.end and (outer.start < inner.start or inner.end < outer.end)


def link(found: list[Definition]) -> None:
    """Owners that are named: to the definition of that name in this document, else kept as words.

    Only definitions with nothing linked around them can be owners, so links never form a circle.
    """
    owners: dict[str, Definition] = {}
    for item in found:
        parent = item.parent
        item.linked = item.kind is SCOPE or bool(item.owner) or (parent is not None and parent.linked)
        if item.kind in _OWNERS and not item.linked:
            owners.setdefault(item.name, item)
    for item in found:
        if item.linked:
            _give_owner(item, owners)
    rounds = (False, True) if any(item.linked for item in found) else (False,)
    for linked in rounds:  # what an owner's trail is made of is never linked, so it is ready in the first round
        for item in found:
            if item.linked is linked:
                around = item.parent.trail if item.parent is not None else ()
                item.trail = (*around, *item.owner) if item.kind is SCOPE else (*around, *item.owner, item.name)


def _give_owner(item: Definition, owners: dict[str, Definition]) -> None:
    """A scope stands for what it belongs to; a definition with an owner is moved into it."""
    if item.kind is SCOPE:
        item.owner = item.owner or wording.owner_path(item.name) or (item.name,)
        item.name = item.owner[-1]
    target = owners.get(item.owner[-1]) if item.owner else None
    if target is None or target is item:
        return
    item.parent, item.owner, item.moved = target, (), True
    if item.kind is Kind.FUNCTION and target.kind in TYPES:
        item.kind = Kind.METHOD
    if item.kind is Kind.METHOD and target.kind in (Kind.NAMESPACE, Kind.MODULE):
        item.kind = Kind.FUNCTION
