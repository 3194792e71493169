"""How much of a question a passage says: the share of its words that stand there, rarer ones counting more.

A keyword score adds up over words, so that one rare word said often weighs as much as three said once. Over several
corpora there is always a document somewhere that says one word of a long question often. The passage that says most of
the question is told apart by this, once ranking has left a few documents. Pure.
"""

from collections.abc import Iterable, Mapping

import msgspec

from .analyze import AnalysedQuery
from .fuse import ChunkKey
from .lexical import MAX_BITS
from .terms import path_terms

POWER = 0.8
"""What the share counts for: it is raised to this and multiplies the score."""


class Coverage(msgspec.Struct, frozen=True):
    """What the words of a question are worth, and which of them the chunks hold that may be shown."""

    worth: Mapping[str, float]  # the words that tell most, first ones first; bits in this order
    held: Mapping[ChunkKey, int] = {}

    def share(self, key: ChunkKey, span: tuple[int, int]) -> float:
        """The share of the question that the chunks of a span, or the path, say; 1 for a question without words."""
        total = sum(self.worth.values())
        if not total:
            return 1.0
        bits = 0
        for ordinal in range(span[0], span[1] + 1):
            bits |= self.held.get(ChunkKey(key.corpus, key.path, ordinal), 0)
        path = frozenset(path_terms(key.path).split())
        return (
            sum(worth for at, (term, worth) in enumerate(self.worth.items()) if bits >> at & 1 or term in path) / total
        )

    def told(self, key: ChunkKey) -> float:
        """What the words are worth that one chunk holds."""
        bits = self.held.get(key, 0)
        return sum(worth for at, worth in enumerate(self.worth.values()) if bits >> at & 1)

    def factor(self, key: ChunkKey, span: tuple[int, int]) -> float:
        """What the score of a passage is multiplied by."""
        return float(self.share(key, span) ** POWER)


def words_worth(query: AnalysedQuery, rarity: Mapping[str, float]) -> dict[str, float]:
    """The words of a question that can tell passages apart, those that tell most first."""
    worth = {term.text: value for term in query.terms if (value := term.weight * rarity.get(term.text, 0.0)) > 0.0}
    return dict(sorted(worth.items(), key=lambda one: (-one[1], one[0]))[:MAX_BITS])


def merged(worth: Mapping[str, float], held: Iterable[Mapping[ChunkKey, int]]) -> Coverage:
    """The coverage by the chunks of several corpora."""
    together: dict[ChunkKey, int] = {}
    for one in held:
        together |= one
    return Coverage(worth, together)
