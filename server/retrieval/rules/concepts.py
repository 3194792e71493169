"""The hook by which a query is widened with terms of the same concept (row P4). Nothing is widened by default."""

from collections.abc import Callable

from ..analyze import AnalysedQuery, Term

Concepts = Callable[[AnalysedQuery], tuple[Term, ...]]
"""Gives terms that rank a candidate beside the query's own; they never make a chunk a candidate (row R6)."""


def no_concepts(_query: AnalysedQuery) -> tuple[Term, ...]:
    """Widen nothing."""
    return ()
