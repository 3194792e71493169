"""A heading as a markup's scanner finds it, and where the section that it opens ends."""

from collections.abc import Sequence
from typing import NamedTuple

from ..model import Kind


class Heading(NamedTuple):
    """A heading in a text; all offsets are code points.

    ``level`` counts from 1 for the outermost. A level of 0 is an object description (``.. method:: get(url)``): it lies
    inside of whatever is around it and ends by itself, at ``end``. It is a section for a reader; ``kind`` is what it
    says that something is, which is defined elsewhere.
    """

    level: int
    start: int  # where the section begins: the heading's first line, an overline included
    line: int  # start of the line with the title
    title: int  # range of the title
    title_end: int
    end: int = -1
    kind: Kind = Kind.SECTION


def section_ends(headings: Sequence[Heading], length: int) -> list[int]:
    """Where each heading's section ends: at the next heading that is not deeper, else at ``length``."""
    ends = [heading.end for heading in headings]
    following: list[tuple[int, int]] = []  # (level, start) of later headings that can close one; levels fall upwards
    for place in range(len(headings) - 1, -1, -1):
        level, start = headings[place].level, headings[place].start
        if level:
            while following and following[-1][0] > level:
                following.pop()
            ends[place] = following[-1][1] if following else length
            following.append((level, start))
    return ends
