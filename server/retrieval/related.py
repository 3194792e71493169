"""What to search for to find what resembles a passage: its most telling terms, and the names it defines and uses.

Pure but for the frequencies it is given. The request ranks by words that are rare in this corpus and frequent here
(row R11); the passage itself is left out by the caller, which knows what chunk it is.
"""

from collections import Counter
from collections.abc import Callable
from math import log

from ..kb.model import Chunk, Derived, Role
from .analyze import Term
from .lexical_request import LexicalRequest
from .query_words import FUNCTION_WORDS
from .terms import terms

MAX_TERMS = 24
MAX_NAMES = 16
NAME_WEIGHT = 2.0
"""What a name that is defined or called counts for beside a word of the text."""
SHARE = 0.2
"""A term that stands in a greater share of all chunks tells nothing. Small corpora have no such terms."""
SMALL = 50
"""Chunks up to which a corpus is small."""


def related_request(
    text: str, chunk: Chunk, derived: Derived, frequency: Callable[[str], int], chunks: int, *, limit: int = 100
) -> LexicalRequest:
    """Return what to ask the keyword index to find what resembles ``chunk``.

    Args:
        text: the document's normalised text.
        chunk: the passage.
        derived: the document's facts.
        frequency: number of chunks whose text holds a term.
        chunks: number of chunks of the corpus.
        limit: most candidates.

    """
    defines, uses = names_in(chunk, derived)
    named = {term for name in (*defines, *uses) for term in terms(name)[:1]}
    counts = Counter(terms(text[chunk.start : chunk.end]))
    weighed: list[tuple[float, str, float]] = []
    for term, count in counts.items():
        known = frequency(term)
        if len(term) < 2 or term.isdecimal() or term in _FUNCTION_TERMS or known <= 0:
            continue
        if chunks > SMALL and known > SHARE * chunks:
            continue
        rarity = log(1.0 + (chunks - min(known, chunks) + 0.5) / (known + 0.5))
        presence = (1.0 + log(count)) * (NAME_WEIGHT if term in named else 1.0)
        weighed.append((presence * rarity, term, presence))
    best = sorted(weighed, key=lambda one: (-one[0], one[1]))[:MAX_TERMS]
    top = max((presence for _, _, presence in best), default=1.0)
    # Rarity chooses the terms; the index weighs it once more by itself, so it is no part of what a term counts for.
    wanted = tuple(Term(term, round(presence / top, 3)) for _, term, presence in best)
    return LexicalRequest(terms=wanted, limit=limit)


def names_in(chunk: Chunk, derived: Derived) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that a passage defines, and those that it calls, names as a type or inherits from."""
    defines = dict.fromkeys(s.name for s in derived.symbols if chunk.start <= s.name_start < chunk.end)
    uses = dict.fromkeys(
        reference.name
        for reference in derived.references
        if chunk.first_line <= reference.line <= chunk.last_line
        and reference.role in _TELLING
        and reference.name not in defines
    )
    return tuple(defines)[:MAX_NAMES], tuple(uses)[:MAX_NAMES]


_FUNCTION_TERMS = frozenset(terms(" ".join(FUNCTION_WORDS)))
_TELLING = frozenset({Role.CALL, Role.TYPE, Role.INHERIT})
