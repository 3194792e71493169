"""What one commit of the keyword index says of terms: how often they are there, what they tell, and how they are asked.

A question asks for the same terms in several searches, and the next question for many of them again. All of this
depends on the commit alone, so it is looked up once and remembered within a bound.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import tantivy

from . import about
from .lexical_query import term_query, told_query
from .lexical_request import ABOUT_FIELD

KEPT_TERMS = 50_000
"""Terms of each sort that are remembered: some 5 MB; a question has some dozens."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Lexicon:
    """Safe to use from several threads.

    Args:
        count: number of entries, dead ones included, that hold a term in a field; it asks the index.
    """

    def __init__(self, count: Callable[[str, str], int]) -> None:
        self._count = count
        self._frequencies: dict[tuple[str, str], int] = {}
        self._queries: dict[tuple[str, str], tantivy.Query] = {}
        self._rarities: dict[str, float] = {}
        self._holders: dict[str, int] = {}
        self._last: tuple[Mapping[str, float], tantivy.Query | None] | None = None
        self._levels: dict[str, tuple[tuple[float, tantivy.Query], ...]] = {}

    def frequency(self, field: str, term: str) -> int:
        """Number of entries that hold a term in a field."""
        known = self._frequencies.get((field, term))
        if known is None:
            known = self._count(field, term)
            _keep(self._frequencies, (field, term), known)
        return known

    def query(self, field: str, term: str) -> tantivy.Query | None:
        """Entries that hold a term in a field, scored by how often; None when there are none."""
        known = self._queries.get((field, term))
        if known is None and self.frequency(field, term):
            known = term_query(field, term)
            _keep(self._queries, (field, term), known)
        return known

    @property
    def documents(self) -> int:
        """Number of documents with an entry."""
        return self.frequency(ABOUT_FIELD, about.MARK)

    def holders(self, term: str) -> int:
        """Number of documents that hold a term."""
        known = self._holders.get(term)
        if known is None:
            known = sum(self.frequency(ABOUT_FIELD, about.marked(term, level)) for level in range(len(about.VALUES)))
            _keep(self._holders, term, known)
        return known

    def rarity(self, term: str) -> float:
        """What a term tells (`about.rarity`), by the number of documents that hold it."""
        known = self._rarities.get(term)
        if known is None:
            known = about.rarity(self.holders(term), self.documents)
            _keep(self._rarities, term, known)
        return known

    def subject(self, worth: Mapping[str, float]) -> tantivy.Query | None:
        """Documents scored by how much they are about terms that are worth so much; None when none holds any."""
        last = self._last  # a question asks twice
        if last is None or last[0] is not worth:
            last = self._last = (worth, told_query(self._told(worth)))
        return last[1]

    def _told(self, worth: Mapping[str, float]) -> Iterable[tuple[tantivy.Query, float]]:
        for term, value in worth.items():
            if value > 0.0:
                for counts, query in self._levels_of(term):
                    yield query, value * counts

    def _levels_of(self, term: str) -> tuple[tuple[float, tantivy.Query], ...]:
        """What each level counts for at which some document holds a term, and those documents."""
        known = self._levels.get(term)
        if known is None:
            marks = [(value, about.marked(term, level)) for level, value in enumerate(about.VALUES)]
            known = tuple(
                (value, term_query(ABOUT_FIELD, mark)) for value, mark in marks if self.frequency(ABOUT_FIELD, mark)
            )
            _keep(self._levels, term, known)
        return known


def _keep(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Keep what the index said of a term; when that is too much, begin anew: it is soon asked again."""
    if len(known) >= KEPT_TERMS:
        known.clear()
    known[key] = value
