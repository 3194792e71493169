"""How much of a question a passage says: the share of its words that stand there, rarer ones counting more.

A keyword score adds up over words, so that one rare word said often weighs as much as three said once. Over several
corpora there is always a document somewhere that says one word of a long question often. The passage that says most of
the question is told apart by this, once ranking has left a few documents. Pure.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from operator import or_

from ..kb.model import ChunkNote, DocumentPath
from .analyze import AnalysedQuery
from .fuse import ChunkKey
from .lexical import MAX_BITS
from .terms import path_terms, terms

POWER = 0.8
"""What the share counts for: it is raised to this and multiplies the score."""


Held = Mapping[int, int]
"""Ordinals of a document's chunks that hold words of the question, each with bits that say which."""
PATHS = 50_000
"""Paths whose words are remembered."""
NOTES = 30_000
"""Notes of chunks of whose names the words are remembered, some 300 bytes each."""


class _Told(dict[int, float]):
    """Bits to what the words are worth that they stand for; it fills itself."""

    def __init__(self, worth: Iterable[float]) -> None:
        super().__init__()
        self._worth = tuple(worth)

    def __missing__(self, bits: int) -> float:
        told = self[bits] = sum([worth for at, worth in enumerate(self._worth) if bits >> at & 1], 0.0)
        return told


class Coverage:
    """What the words of a question are worth, and which of them the chunks hold that may be shown.

    Args:
        worth: the words that tell most, first ones first; bits are in this order.
        held: by corpus and path, what the chunks of a document hold.
    """

    def __init__(self, worth: Mapping[str, float], held: Mapping[str, Mapping[DocumentPath, Held]]) -> None:
        self._worth = dict(worth)
        self._bits = {term: 1 << at for at, term in enumerate(worth)}
        self._words = frozenset(worth)
        self._total = sum(worth.values())
        self.told: Mapping[int, float] = _Told(worth.values())  # by bits: what the words are worth that they stand for
        self._held = held

    def held(self, key: ChunkKey) -> Held:
        """The chunks of the document of ``key`` that hold words of the question."""
        return self._held.get(key.corpus, {}).get(key.path, {})

    def named(self, note: ChunkNote) -> int:
        """Bits of the words that stand in the names of what a chunk defines, or in its heading."""
        _, heard = _NAMED.get(id(note)) or _heard(note)
        bits = 0
        if not self._words.isdisjoint(heard):
            for term in heard:
                bits |= self._bits.get(term, 0)
        return bits

    def share(self, key: ChunkKey, span: tuple[int, int]) -> float:
        """The share of the question that the chunks of a span, or the path, say; 1 for a question without words."""
        held = self.held(key)
        return self._share(key, [held.get(ordinal, 0) for ordinal in range(span[0], span[1] + 1)])

    def most(self, key: ChunkKey) -> float:
        """What no `factor` of a passage of the document of ``key`` is above."""
        return float(self._share(key, self.held(key).values()) ** POWER)

    def _share(self, key: ChunkKey, held: Iterable[int]) -> float:
        if not self._total:
            return 1.0
        bits = reduce(or_, held, 0)
        for term in self._words & _terms_of_path(key.path):
            bits |= self._bits[term]
        return min(1.0, self.told[bits] / self._total)

    def factor(self, key: ChunkKey, span: tuple[int, int]) -> float:
        """What the score of a passage is multiplied by."""
        return float(self.share(key, span) ** POWER)


_NAMED: dict[int, tuple[ChunkNote, tuple[str, ...]]] = {}
"""Notes, by identity, with the words of their names. Hundreds are asked for in every question, and outlines are kept at
hand, so they are the same objects; a note that is here stays alive, so that no other one has its identity."""


def _heard(note: ChunkNote) -> tuple[ChunkNote, tuple[str, ...]]:
    if len(_NAMED) >= NOTES:
        _NAMED.clear()  # begin anew: what is asked for is soon there again
    names = (*note.defined, *note.trail[-1:])
    heard = _NAMED[id(note)] = (note, tuple(dict.fromkeys(term for name in names for term in terms(name))))
    return heard


@lru_cache(maxsize=PATHS)
def _terms_of_path(path: DocumentPath) -> frozenset[str]:
    return frozenset(path_terms(path).split())


def words_worth(query: AnalysedQuery, rarity: Mapping[str, float]) -> dict[str, float]:
    """The words of a question that can tell passages apart, those that tell most first."""
    worth = {term.text: value for term in query.terms if (value := term.weight * rarity.get(term.text, 0.0)) > 0.0}
    return dict(sorted(worth.items(), key=lambda one: (-one[1], one[0]))[:MAX_BITS])
