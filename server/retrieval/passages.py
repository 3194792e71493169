"""What of a document is shown: chunks that were found near each other, joined into one passage, and further passages.

A chunk is cut at definitions and at sizes; what answers a question often goes on in the next one. What was found,
and the little between it, becomes one passage of at most `LONGEST` characters: the one that says most of the question
around the chunk that stands for the document. What was found elsewhere in it makes passages of their own. Room that is
left shows what follows, up to the next passage. Pure.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import attrgetter

import msgspec

from ..kb.model import ChunkNote

LONGEST = 4_000
"""Characters of a passage of several chunks; a single chunk is shown whole."""


_size = attrgetter("size")


class Passage(msgspec.Struct, frozen=True):
    """Neighbouring chunks of a document, the one of them that says most, and the sum of the scores of those found."""

    first: int
    last: int
    best: int
    score: float


def passages(outline: Sequence[ChunkNote], found: Mapping[int, float], anchor: int, most: int) -> tuple[Passage, ...]:
    """Join what was found in a document.

    Args:
        outline: all chunks of the document.
        found: ordinals of those that were found, with their scores; ``anchor`` is among them.
        anchor: the chunk that stands for the document; the first passage holds it.
        most: how many passages at most.
    """
    ends = list(accumulate(map(_size, outline), initial=0))
    ordinals = sorted(found)
    made = [_best(ends, ordinals, found, anchor)]
    while len(made) < most:
        ordinals = [one for one in ordinals if not made[-1].first <= one <= made[-1].last]
        if not ordinals:
            break
        strongest = max(ordinals, key=found.__getitem__)  # of equals the first
        taken = [one for passage in made for one in (passage.first, passage.last)]
        low = max((one for one in taken if one < strongest), default=-1)
        high = min((one for one in taken if one > strongest), default=len(outline))
        made.append(_best(ends, [one for one in ordinals if low < one < high], found, strongest))
    begins = sorted(one.first for one in made)
    return tuple(_going_on(one, ends, (*begins, len(outline))[bisect_right(begins, one.first)]) for one in made)


def _going_on(passage: Passage, ends: Sequence[int], stop: int) -> Passage:
    """The passage and whole chunks behind it, before ``stop``, as far as there is room."""
    last = passage.last
    while last + 1 < stop and ends[last + 2] - ends[passage.first] <= LONGEST:
        last += 1
    return msgspec.structs.replace(passage, last=last)


def _best(ends: Sequence[int], ordinals: Sequence[int], found: Mapping[int, float], anchor: int) -> Passage:
    """The passage around ``anchor`` that says most; of equals the shortest, then the first."""
    at = ordinals.index(anchor)
    best = (found[anchor], ends[anchor] - ends[anchor + 1], -anchor, anchor)
    for first in range(at, -1, -1):
        begin = ends[ordinals[first]]
        if ends[anchor + 1] - begin > LONGEST:
            break
        said = sum(found[one] for one in ordinals[first:at])
        for last in ordinals[at:]:
            if ends[last + 1] - begin > LONGEST:
                break
            said += found[last]
            best = max(best, (said, begin - ends[last + 1], -ordinals[first], last))
    said, _, first, last = best
    inside = [one for one in ordinals if -first <= one <= last]
    return Passage(-first, last, anchor if anchor in inside else max(inside, key=lambda one: found[one]), said)
