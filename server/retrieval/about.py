"""What a document is about: each of its terms with one of five levels, so that a question can weigh whole documents.

A passage says where something is done; the document around it says whether that is its subject. A document that says a
word forty times is more about it than one that says it twice, but not twenty times more, and a long document says
everything often. Both are settled here, once, when the document is indexed: a count is set against the length and
becomes a level. An index then only has to hold terms with a level, and open buffers are weighed by the same table.

Pure. The numbers decide what an index holds: change `LAYOUT_VERSION` of the index with them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log

LEVELS = (0.0, 1.5, 4.0, 10.0, 25.0)
"""Counts, set against the length, from which each level on holds."""
VALUES = (0.14, 0.29, 0.51, 0.72, 0.85)
"""What a level counts for: the share ``count / (count + 6)`` at the middle of the level."""
USUAL_LENGTH = 1_500
"""Terms of a document whose counts are taken as they are."""
LENGTH_COUNTS = 0.2
"""How much of a count's weight is set against the length."""
MARK = "\u00b7"
"""Stands between a term and its level; no word character, so that no text holds it."""


def levels(terms: Iterable[str]) -> Mapping[str, int]:
    """Every distinct term of a document with its level, from 0 to 4."""
    counts, level_of = _counted(terms)
    return {term: level_of[count] for term, count in counts.items()}


class Said(Mapping[str, int]):
    """The levels of a document whose counts are known: those that are asked for are worked out then."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._bounds = _bounds(sum(counts.values()))

    def __getitem__(self, term: str) -> int:
        count = self._counts.get(term, 0)
        if not count:
            raise KeyError(term)
        return _level(count, self._bounds)

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)


def _counted(terms: Iterable[str]) -> tuple[Mapping[str, int], Mapping[int, int]]:
    """How often the document says each term, and the level that each of these counts is: they are few."""
    counts = Counter(terms)
    bounds = _bounds(counts.total())
    return counts, {count: _level(count, bounds) for count in set(counts.values())}


def _bounds(total: int) -> list[float]:
    """The counts from which each level holds in a document of so many terms."""
    scale = 1.0 - LENGTH_COUNTS + LENGTH_COUNTS * total / USUAL_LENGTH
    return [bound * scale for bound in LEVELS]


def _level(count: int, bounds: list[float]) -> int:
    if count < bounds[1]:  # most terms of most documents
        return 0
    return 1 if count < bounds[2] else 2 if count < bounds[3] else 3 if count < bounds[4] else 4


def marked(term: str, level: int) -> str:
    """How an index holds a term with its level."""
    return f"{term}{MARK}{level}"


def index_text(terms: Iterable[str]) -> str:
    """All terms of a document as an index holds them, joined by spaces."""
    counts, level_of = _counted(terms)
    ends = {count: f"{MARK}{level}" for count, level in level_of.items()}
    return " ".join([term + ends[count] for term, count in counts.items()])


def parse(text: str) -> Mapping[str, int]:
    """Read back what `index_text` made."""
    return {term: int(level) for term, _, level in (one.rpartition(MARK) for one in text.split())}


def weigh(held: Mapping[str, int], worth: Mapping[str, float]) -> float:
    """How much a document with these levels is about a question whose terms are worth so much each."""
    return sum(value * VALUES[held[term]] for term, value in worth.items() if term in held)


def rarity(holding: int, documents: int) -> float:
    """What a term tells that ``holding`` of so many documents hold; 0 for one that none holds."""
    return log(1.0 + (documents - holding + 0.5) / (holding + 0.5)) if 0 < holding <= documents else 0.0
