"""What a query cannot say of captures, by two columns of the language table and for no single language.

``clauses``: definitions of one name that follow each other are one (a signature and its equations, the clauses of one
function). ``names``: the part of a name's node that is the name (``ll=`` of an alias).
"""

import functools
import re
from collections.abc import Sequence

from ..languages import Language
from ..parse import Group, Spans


def adjusted(text: str, groups: Sequence[Group], row: Language) -> Sequence[Group]:
    """The groups as the row wants them; the same object for a row that wants nothing."""
    if row.names:
        groups = [(pattern, _named(text, spans, _compiled(row.names))) for pattern, spans in groups]
    return _united(text, groups, row.comments) if row.clauses else groups


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _named(text: str, spans: Spans, pattern: re.Pattern[str]) -> Spans:
    places = spans.get("name")
    if not places:
        return spans
    matches = [(pattern.match(text, start, end), start, end) for start, end in places]
    return {**spans, "name": [match.span(1) if match else (start, end) for match, start, end in matches]}


def _united(text: str, groups: Sequence[Group], comments: tuple[str, ...]) -> Sequence[Group]:
    """Every run of definitions with one name, with nothing but comments between, as its first with the range of all."""
    defining = [(group, capture) for group in groups if (capture := _definition(group[1]))]
    defining.sort(key=lambda item: (item[0][1][item[1]][0][0], -item[0][1][item[1]][0][1], item[0][0]))
    dropped: set[int] = set()
    widened: dict[int, tuple[int, int]] = {}
    first: Group | None = None
    words, start, end = "", 0, 0
    for group, capture in defining:
        spans = group[1]
        place, name = spans[capture][0], spans["name"][0]
        if capture == "scope":
            first = None
        elif (
            first is None or place[0] < end or text[slice(*name)] != words or not _blank(text[end : place[0]], comments)
        ):
            if first is None or name != first[1]["name"][0]:  # else another pattern of the same definition
                first, words, (start, end) = group, text[slice(*name)], place
        else:
            end = place[1]
            dropped.add(id(group))
            widened[id(first)] = (start, end)
    return [_settled(group, widened.get(id(group)), id(group) in dropped) for group in groups]


def _settled(group: Group, place: tuple[int, int] | None, dropped: bool) -> Group:
    """A widened group has its new range; a dropped one keeps its name only, which so is no use of that name."""
    pattern, spans = group
    if dropped:
        return pattern, {"name": spans["name"]}
    return group if place is None else (pattern, {**spans, _definition(spans): [place]})


def _definition(spans: Spans) -> str:
    """The capture that makes a definition or a scope of these spans; "" without one."""
    if "name" not in spans:
        return ""
    return next((name for name in spans if name == "scope" or name.startswith(("definition.", "declaration."))), "")


def _blank(between: str, comments: tuple[str, ...]) -> bool:
    """Whether there is nothing but white space and comment lines."""
    return all(not line.strip() or line.lstrip().startswith(comments) for line in between.split("\n"))
