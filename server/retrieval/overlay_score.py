"""BM25 for chunks that are in no index: open buffers, scored as if they were in it.

Same formula, same statistics (number of entries, frequencies, average lengths), same coarse lengths as tantivy, so that
one ranking holds indexed chunks and buffers, and a list is not favoured by being small. Chunks of a buffer do not count
in the statistics: an edit must not move the scores of everything else. Pure; what it is told comes from a reader.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from ..kb.model import DocumentPath
from .analyze import Phrase
from .lexical_request import PHRASE_BOOST, PHRASE_FIELD, TEXT_FIELDS, LexicalRequest
from .terms import ChunkFields, path_terms

K1 = 1.2
B = 0.75


class FieldStatistics(NamedTuple):
    """What BM25 knows of one field of the index."""

    entries: int
    average_length: float


Frequency = Callable[[str, str], int]
"""(field, term) -> number of entries of the index that hold it."""


def _coarse_lengths() -> list[int]:
    """Lengths that fit tantivy's one byte: exact below 40, then eight steps for every doubling."""
    steps = [code if code < 8 else (code & 7 | 8) << ((code >> 3) - 1) for code in range(256 - 24)]
    return [*range(24), *(24 + step for step in steps)]


_LENGTHS = _coarse_lengths()


def coarse_length(length: int) -> int:
    """Give the largest length that tantivy can store which is not above ``length``."""
    return _LENGTHS[bisect_right(_LENGTHS, length) - 1]


class OverlayEntry:
    """A chunk of an open buffer as the scorer reads it; made once for a text, asked by many queries."""

    __slots__ = ("counts", "defined", "kind", "language", "lengths", "sequence", "source_type")

    def __init__(self, fields: ChunkFields, path: DocumentPath, language: str, source_type: str) -> None:
        texts = {
            "body": fields.body,
            "names": fields.names,
            "path": path_terms(path),
            "trail": fields.trail,
            "quoted": fields.quoted,
        }
        terms = {field: texts[field].split() for field in TEXT_FIELDS}
        self.counts: dict[str, Mapping[str, int]] = {field: Counter(terms[field]) for field in TEXT_FIELDS}
        self.lengths = {field: coarse_length(len(terms[field])) for field in TEXT_FIELDS}
        self.sequence = terms[PHRASE_FIELD]
        self.kind = fields.kind
        self.defined = frozenset(fields.defined)
        self.language = language
        self.source_type = source_type

    def count_phrase(self, terms: Sequence[str]) -> int:
        """Number of places where the body holds ``terms`` in sequence."""
        counts = self.counts[PHRASE_FIELD]
        if not all(term in counts for term in terms):
            return 0
        size, sequence = len(terms), self.sequence
        return sum(sequence[at : at + size] == list(terms) for at, term in enumerate(sequence) if term == terms[0])

    def holds(self, phrase: Phrase) -> bool:
        """Whether an exclusion of ``phrase`` drops the chunk."""
        if len(phrase.terms) == 1:
            return any(phrase.terms[0] in counts for counts in self.counts.values())
        return self.count_phrase(phrase.terms) > 0


class OverlayScorer:
    """One request, ready to score any number of chunks."""

    def __init__(
        self, request: LexicalRequest, statistics: Mapping[str, FieldStatistics], frequency: Frequency
    ) -> None:
        self._request = request
        self._statistics = statistics
        self._frequency = frequency
        self._content = self._weights((term.text, term.weight) for term in request.terms)
        self._support = self._weights((term.text, term.weight) for term in request.support)
        self._phrases = [
            (
                phrase,
                PHRASE_BOOST * (K1 + 1) * sum(self._rarity(PHRASE_FIELD, term) for term in phrase.terms),
            )
            for phrase in request.phrases
        ]

    def score(self, entry: OverlayEntry) -> float | None:
        """Give the BM25 score; None when the chunk is no candidate or a filter leaves it out."""
        if not self._passes(entry):
            return None
        found = [
            weight * self._saturation(entry, field, count)
            for field, term, weight in self._content
            if (count := entry.counts[field].get(term, 0))
        ]
        found += [
            weight * self._saturation(entry, PHRASE_FIELD, count)
            for phrase, weight in self._phrases
            if (count := entry.count_phrase(phrase.terms))
        ]
        if not found:
            return None
        return sum(found) + sum(
            weight * self._saturation(entry, field, count)
            for field, term, weight in self._support
            if (count := entry.counts[field].get(term, 0))
        )

    def _weights(self, terms: Iterable[tuple[str, float]]) -> list[tuple[str, str, float]]:
        scales = self._request.scales
        return [
            (field, term, boost * (K1 + 1) * self._rarity(field, term) * scales.get((field, term), 1.0))
            for term, weight in terms
            for field in TEXT_FIELDS
            if (boost := self._request.boosts.get(field, 0.0) * weight) > 0.0
        ]

    def _rarity(self, field: str, term: str) -> float:
        entries, holding = self._statistics[field].entries, self._frequency(field, term)
        return log(1 + (entries - holding + 0.5) / (holding + 0.5))

    def _saturation(self, entry: OverlayEntry, field: str, count: int) -> float:
        average = self._statistics[field].average_length
        return count / (count + K1 * (1 - B + B * entry.lengths[field] / average))

    def _passes(self, entry: OverlayEntry) -> bool:
        request = self._request
        return (
            (not request.languages or entry.language in request.languages)
            and (not request.kinds or entry.kind in request.kinds)
            and (not request.source_types or entry.source_type in request.source_types)
            and (not request.defining or not entry.defined.isdisjoint(request.defining))
            and not any(entry.holds(phrase) for phrase in request.excluded)
        )
