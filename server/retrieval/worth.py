"""What a term of a question tells, over one corpus or over several that are asked together.

Each keyword index scores by its own numbers: a word that is everywhere in one corpus may be rare in all of them taken
together, and the other way round. Here the numbers of all indexes are added up, and each index is told by how much its
own score of a term is too high or too low, so that candidates of all of them can stand in one ranking. No indexes are
merged. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from types import MappingProxyType

import msgspec

from . import about
from .lexical import LexicalReader
from .lexical_request import FIELD_BOOSTS

FIELDS = tuple(field for field, boost in FIELD_BOOSTS.items() if boost)
"""The fields whose scores count."""


class Counts(msgspec.Struct, frozen=True):
    """What one index knows of the terms of a question."""

    documents: int
    entries: int
    holding: Mapping[str, int]  # term to the number of documents that hold it
    fields: Mapping[tuple[str, str], int]  # (field, term) to the number of entries that hold it
    documentation: float = 0.0  # share of its entries that are of documentation

    def share(self, term: str) -> float:
        """The share of its documents that hold a term."""
        return self.holding.get(term, 0) / self.documents if self.documents else 0.0


class Worth(msgspec.Struct, frozen=True):
    """What terms count for in one index: rarity over all that are asked, and what its own scores are multiplied by."""

    rarity: Mapping[str, float]
    scales: Mapping[tuple[str, str], float] = MappingProxyType({})


def count(reader: LexicalReader, terms: Iterable[str]) -> Counts:
    """What an index knows of some terms.

    Raises:
        DamagedError: the index cannot be read.
    """
    wanted = tuple(dict.fromkeys(terms))
    entries = reader.chunks
    return Counts(
        documents=reader.documents,
        entries=entries,
        holding={term: reader.holders(term) for term in wanted},
        fields={(field, term): reader.frequency(field, term) for term in wanted for field in FIELDS},
        documentation=reader.frequency("source_type", "docs") / entries if entries else 0.0,
    )


def together(counts: Sequence[Counts]) -> tuple[Worth, ...]:
    """What the terms count for in each index, by the numbers of all of them."""
    documents, entries = sum(one.documents for one in counts), sum(one.entries for one in counts)
    holding: dict[str, int] = {}
    fields: dict[tuple[str, str], int] = {}
    for one in counts:
        for term, number in one.holding.items():
            holding[term] = holding.get(term, 0) + number
        for key, number in one.fields.items():
            fields[key] = fields.get(key, 0) + number
    rarity = {term: about.rarity(number, documents) for term, number in holding.items()}
    return tuple(
        Worth(
            rarity,
            {
                key: _rarity(fields[key], entries) / _rarity(number, one.entries)
                for key, number in one.fields.items()
                if number
            },
        )
        for one in counts
    )


def _rarity(holding: int, entries: int) -> float:
    """As BM25 has it; dead entries count in ``holding``, so it may be the larger."""
    entries = max(entries, holding)
    return log(1.0 + (entries - holding + 0.5) / (holding + 0.5))
