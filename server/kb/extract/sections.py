"""Flat headings to sections: a heading opens a section that the next heading of its level or above closes.

For markups whose grammar gives headings without what they head (reStructuredText). The level of a heading is the order
in which its adornment was first seen, as docutils has it.
"""

from collections.abc import Sequence

from ..parse import Group, Spans


def with_headings(text: str, groups: Sequence[Group]) -> Sequence[Group]:
    """The groups, with every ``heading`` turned into a ``definition.section`` that ends where its section ends."""
    headings = [(spans["heading"][0], pattern, spans) for pattern, spans in groups if "heading" in spans]
    if not headings:
        return groups
    headings.sort(key=lambda item: item[0])
    rest = [group for group in groups if "heading" not in group[1]]
    levels: dict[str, int] = {}
    open_: list[tuple[int, int]] = []  # (level, place in `headings`)
    ends = [len(text)] * len(headings)
    for place, ((start, _end), _pattern, spans) in enumerate(headings):
        level = levels.setdefault(_adornment(text, spans), len(levels))
        while open_ and open_[-1][0] >= level:
            ends[open_.pop()[1]] = start
        open_.append((level, place))
    for ((start, _end), pattern, spans), end in zip(headings, ends, strict=True):
        rest.append((pattern, {"definition.section": [(start, end)], "name": spans["name"]}))
    return rest


def _adornment(text: str, spans: Spans) -> str:
    marks = spans.get("adornment", [])
    return text[marks[0][0]] + str(len(marks)) if marks else ""
