"""The hook by which a query is widened with terms of the same concept (row P4). Nothing is widened by default."""

from collections.abc import Callable, Mapping, Sequence

from ..analyze import AnalysedQuery, Term
from ..terms import terms

Concepts = Callable[[AnalysedQuery], tuple[Term, ...]]
"""Gives terms that rank a candidate beside the query's own; they never make a chunk a candidate (row R6)."""
CONCEPT_WEIGHT = 0.25
"""What a term of a concept counts for beside a word that was asked for."""
MAX_CONCEPT_TERMS = 16


def no_concepts(_query: AnalysedQuery) -> tuple[Term, ...]:
    """Widen nothing."""
    return ()


def concepts_from(table: Mapping[str, Sequence[str]]) -> Concepts:
    """Return the hook for a table of words and what else is called so, as ``concepts.yaml`` gives it."""
    entries = {
        tuple(terms(word)): tuple(term for name in names for term in terms(name)) for word, names in table.items()
    }

    def widen(query: AnalysedQuery) -> tuple[Term, ...]:
        own = {term.text for term in query.all_terms}
        found = dict.fromkeys(
            term
            for words, others in entries.items()
            if words and own.issuperset(words)
            for term in others
            if term not in own
        )
        return tuple(Term(term, CONCEPT_WEIGHT) for term in list(found)[:MAX_CONCEPT_TERMS])

    return widen
