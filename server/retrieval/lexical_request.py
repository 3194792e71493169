"""What a keyword search is asked and what it gives: values shared by the index and by the scoring of open buffers.

One meaning of "matches" for both: an entry is a candidate when it holds a content term or a phrase (row R6), holds none
of the exclusions and passes the filters; once it is one, the whole query ranks it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from ..kb.model import DocumentId, DocumentPath
from .analyze import AnalysedQuery, Phrase, Term

TEXT_FIELDS = ("body", "names", "path", "trail", "quoted")
"""The fields that are searched by terms and scored, in the order in which scores are added."""
ABOUT_FIELD = "about"
"""The field that weighs whole documents; it is in the entry of a document's first chunk."""
PHRASE_FIELD = "body"
"""The one field that keeps the order of its terms."""
FIELD_BOOSTS: Mapping[str, float] = MappingProxyType(
    {"body": 1.0, "names": 0.0, "path": 0.5, "trail": 0.0, "quoted": 0.0}
)
"""What a match in each field counts for. Names and headings are in the body already; what they count for beside it is
for `features` and `fed_rows` to say."""
QUOTING_BOOSTS: Mapping[str, float] = MappingProxyType({**FIELD_BOOSTS, "quoted": 0.02})
"""The same where the corpus declares that it quotes queries: what is quoted is found, and ranks next to nothing."""
PHRASE_BOOST = 1.5
"""What a quoted phrase counts for; its score is already the sum over its words."""
_TELLING = 10_000.0
"""Steps in a unit of score that tell two scores apart."""


class LexicalRequest(msgspec.Struct, frozen=True):
    """A keyword search. Empty filters restrict nothing; several values of one filter are alternatives."""

    terms: tuple[Term, ...] = ()
    support: tuple[Term, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()
    limit: int = 100
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    defining: tuple[str, ...] = ()  # only chunks that define one of these names
    documents: frozenset[DocumentId] | None = None  # only these; None for all
    masked: frozenset[DocumentId] = frozenset()  # none of these: documents that an open buffer owns
    boosts: Mapping[str, float] = FIELD_BOOSTS
    scales: Mapping[tuple[str, str], float] = MappingProxyType({})  # (field, term): what its score is multiplied by

    @property
    def is_blank(self) -> bool:
        """Whether nothing could match."""
        return not self.terms and not self.phrases


def request_for(query: AnalysedQuery, limit: int) -> LexicalRequest:
    """Make the search that a query asks for, without filters; `msgspec.structs.replace` adds them."""
    return LexicalRequest(query.terms, query.support, query.phrases, query.excluded, limit)


class ChunkAddress(NamedTuple):
    """A chunk of one version of a document, by its place in `Derived.chunks`."""

    document_id: DocumentId
    ordinal: int


class LexicalMatch(NamedTuple):
    """A chunk that matched, with its BM25 score (higher is better)."""

    document_id: DocumentId
    ordinal: int
    score: float


Scored = tuple[DocumentId, int, float]
"""The same as a plain tuple, which is what hundreds of a question are."""

PathsOf = Callable[[Iterable[DocumentId]], Mapping[DocumentId, DocumentPath]]
"""Documents to their paths; those that are not known are left out."""


def tie_rank(score: float) -> int:
    """Round a score, so that differences without meaning are ties: the index adds 32-bit floats in its own order."""
    return int(score * _TELLING + 0.5)


def best_matches(matches: list[Scored], limit: int, paths_of: PathsOf | None = None) -> list[Scored]:
    """The matches that `order_matches` has first, in no order that means anything.

    ``matches`` come by falling score, as an index gives them: only those that tie across the cut have to be ordered.
    """
    if len(matches) > limit and tie_rank(matches[limit - 1][2]) == tie_rank(matches[limit][2]):
        return [*order_matches(matches, paths_of)[:limit]]
    return matches[:limit]


def order_matches(matches: Iterable[Scored], paths_of: PathsOf | None = None) -> list[LexicalMatch]:
    """Sort by score, then path, then place in the document.

    Paths are asked for only where scores tie, all at once. Without ``paths_of`` the document id stands for the path,
    which is deterministic for one store only.
    """
    ranked = [LexicalMatch(*one) for one in sorted(matches, key=itemgetter(2), reverse=True)]
    ranks = [int(score * _TELLING + 0.5) for _, _, score in ranked]  # `tie_rank`, without a call for each
    if len(set(ranks)) == len(ranks):
        return ranked
    often = Counter(ranks)
    tied = [match.document_id for match, rank in zip(ranked, ranks, strict=True) if often[rank] > 1]
    paths = paths_of(tied) if paths_of is not None else {}
    ordered: list[LexicalMatch] = []
    at = 0
    for number in often.values():  # in the order of the ranks
        group = ranked[at : at + number]
        if number > 1:
            group.sort(key=lambda match: (paths.get(match.document_id, ""), match.document_id, match.ordinal))
        ordered += group
        at += number
    return ordered
