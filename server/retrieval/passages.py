"""What of a document is shown: chunks that were found near each other, joined into one passage, and further passages.

A chunk is cut at definitions and at sizes; what answers a question often goes on in the next one. What was found,
and the little between it, becomes one passage of at most `LONGEST` characters: the one that says most of the question
around the chunk that stands for the document, where what is said once more counts little. What was found elsewhere in
it makes passages of their own. Room that is left shows what follows, up to the next passage. Pure.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from ..kb.model import ChunkNote

LONGEST = 4_000
"""Characters of a passage of several chunks; a single chunk is shown whole."""
REPEATED = 0.3
"""What the scores of chunks count for beside what the words of the whole passage tell: chunk after chunk with the same
words says less than one that says them and another that says the rest."""


_size = attrgetter("size")


class Passage(msgspec.Struct, frozen=True):
    """Neighbouring chunks of a document, and the sum of the scores of those of them that were found."""

    first: int
    last: int
    score: float


class _Words(NamedTuple):
    """What the chunks of a document say: scores, bits for the words that they hold, and what words tell together."""

    found: Mapping[int, float]
    held: Mapping[int, int]
    tells: Mapping[int, float]


def passages(
    outline: Sequence[ChunkNote],
    found: Mapping[int, float],
    anchor: int,
    most: int,
    held: Mapping[int, int] = MappingProxyType({}),
    tells: Mapping[int, float] = MappingProxyType({0: 0.0}),
) -> tuple[Passage, ...]:
    """Join what was found in a document.

    Args:
        outline: all chunks of the document.
        found: ordinals of those that were found, with their scores; ``anchor`` is among them.
        anchor: the chunk that stands for the document; the first passage holds it.
        most: how many passages at most.
        held: bits for the words that chunks hold.
        tells: what words tell together, by their bits.
    """
    ends = list(accumulate(map(_size, outline), initial=0))
    ordinals = sorted(found)
    words = _Words(found, held, tells)
    made = [_best(ends, ordinals, words, anchor)]
    while len(made) < most:
        ordinals = [one for one in ordinals if not made[-1].first <= one <= made[-1].last]
        if not ordinals:
            break
        strongest = max(ordinals, key=found.__getitem__)  # of equals the first
        taken = [one for passage in made for one in (passage.first, passage.last)]
        low = max((one for one in taken if one < strongest), default=-1)
        high = min((one for one in taken if one > strongest), default=len(outline))
        made.append(_best(ends, [one for one in ordinals if low < one < high], words, strongest))
    begins = sorted(one.first for one in made)
    return tuple(_going_on(one, ends, (*begins, len(outline))[bisect_right(begins, one.first)]) for one in made)


def _going_on(passage: Passage, ends: Sequence[int], stop: int) -> Passage:
    """The passage and whole chunks behind it, before ``stop``, as far as there is room."""
    last = passage.last
    while last + 1 < stop and ends[last + 2] - ends[passage.first] <= LONGEST:
        last += 1
    return Passage(passage.first, last, passage.score)


def _best(ends: Sequence[int], ordinals: Sequence[int], words: _Words, anchor: int) -> Passage:
    """The passage around ``anchor`` that says most; of equals the shortest, then the first."""
    found, held, tells = words
    at = ordinals.index(anchor)
    most = (tells[held.get(anchor, 0)] + REPEATED * found[anchor], ends[anchor] - ends[anchor + 1], -anchor, anchor)
    before, sum_before = 0, 0.0  # bits and scores of the chunks before the anchor
    for first in range(at, -1, -1):
        begin = ends[ordinals[first]]
        if ends[anchor + 1] - begin > LONGEST:
            break
        if first < at:
            before |= held.get(ordinals[first], 0)
            sum_before += found[ordinals[first]]
        bits, score = before, sum_before
        for last in ordinals[at:]:
            if ends[last + 1] - begin > LONGEST:
                break
            bits |= held.get(last, 0)
            score += found[last]
            says = tells[bits] + REPEATED * score
            if says >= most[0]:
                most = max(most, (says, begin - ends[last + 1], -ordinals[first], last))
    _, _, first, last = most
    return Passage(-first, last, sum([found[one] for one in ordinals if -first <= one <= last]))
