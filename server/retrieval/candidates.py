"""What ranking is told: the chunks that any strategy found, and the documents behind them weighed as wholes.

Keyword search finds passages. A document may be about a question without any passage of it among the best, and a name
may be defined where no passage says much: both are asked for here and their best passages fetched, so that every
candidate has all of its numbers and none is favoured by the way it was found. Reads a view, decides no order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache

import msgspec

from ..kb.model import ChunkNote, DocumentPath
from ..kb.snapshot import Document
from .analyze import FUNCTION_WEIGHT, AnalysedQuery, Term
from .features import Candidate
from .fuse import ChunkKey
from .lexical_request import LexicalRequest
from .rank import names_of
from .stems import stem
from .structural import Spot
from .view import Match, View

ABOUT = 30
"""Documents that are looked up for being about the question."""
DEFINING = 50
"""Chunks that define a name of the question, past which it singles nothing out and they are not fetched."""
PASSAGES = 3
"""Chunks fetched for each document that keyword search alone did not bring."""
COMPOUND_WEIGHT = 0.25
"""What two neighbouring words written as one count for beside the words themselves."""

Admits = Callable[[Document], bool]


class Gathered(msgspec.Struct, frozen=True):
    """Candidates for `rank.rank_documents`, what each term tells, and further chunks that keywords found, best first.

    ``outlines`` and ``documents`` are of the documents behind the candidates.
    """

    candidates: tuple[Candidate, ...]
    outlines: Mapping[DocumentPath, tuple[ChunkNote, ...]]
    rarity: Mapping[str, float]
    further: tuple[Match, ...]
    documents: Mapping[DocumentPath, Document] = {}


@lru_cache(maxsize=16)  # several steps of one question need them
def compound_terms(query: AnalysedQuery) -> tuple[Term, ...]:
    """Neighbouring words of a question as identifiers would join them, for keyword search to rank by."""
    known = {term.text for term in query.all_terms}
    found = dict.fromkeys(map(stem, names_of(query)[1]))
    return tuple(Term(name, COMPOUND_WEIGHT) for name in found if name not in known)


def support_terms(query: AnalysedQuery, *, several: bool) -> tuple[Term, ...]:
    """What ranks passages that content found: in one corpus function words too, which tell several ones nothing.

    They are most of what a keyword search costs, and no question of those that are measured is answered better by them.
    """
    support = [one for one in query.support if not several or one.weight > FUNCTION_WEIGHT]
    return (*support, *compound_terms(query))


def gather(
    view: View,
    query: AnalysedQuery,
    request: LexicalRequest | None,
    matches: Sequence[Match],
    spots: Mapping[ChunkKey, Spot],
    *,
    admits: Admits,
    rarity: Mapping[str, float] | None = None,
) -> Gathered:
    """All candidates of a question.

    Args:
        view: what is searched.
        query: the question.
        request: the keyword search that was made; None when keywords may not find anything.
        matches: what it gave.
        spots: what was found by name, only chunks that may answer.
        admits: whether a document may answer.
        rarity: what each term tells, where that is not for this index alone to say.
    """
    passages = {match.key: match.score for match in matches}
    worth: Mapping[str, float] = {}
    about: dict[DocumentPath, float] = {}
    defining: set[ChunkKey] = set()
    further: list[Match] = []
    if request is not None:
        worth = view.worth((*query.terms, *compound_terms(query)), rarity)
        about = {document.path: score for document, score in view.subjects(worth, ABOUT) if admits(document)}
        given, coined = names_of(query)
        defining = {key for key in view.definitions((*given, *coined), folded=True) if admits(view.document(key))}
        missed = [] if len(defining) > DEFINING else [key.path for key in defining if key not in passages]
        unread = frozenset({*missed, *(about.keys() - {key.path for key in passages})})
        if unread:
            wanted = msgspec.structs.replace(request, limit=PASSAGES * len(unread))
            further = [match for match in view.search(wanted, unread) if match.key not in passages]
            passages.update(further)
    keys = tuple(dict.fromkeys((*passages, *spots)))
    documents = view.documents(dict.fromkeys([key.path for key in keys]))
    about.update(view.weigh(worth, [one for path, one in documents.items() if path not in about]))
    outlines = view.snapshot.outlines(documents.values())
    return Gathered(
        candidates=_candidates(keys, documents, outlines, passages, about, defining, spots),
        outlines=outlines,
        rarity=rarity or {term.text: view.reader.rarity(term.text) for term in query.terms},
        further=tuple(further),
        documents=documents,
    )


def _candidates(
    keys: Iterable[ChunkKey],
    documents: Mapping[DocumentPath, Document],
    notes: Mapping[DocumentPath, tuple[ChunkNote, ...]],
    passages: Mapping[ChunkKey, float],
    about: Mapping[DocumentPath, float],
    defining: Set[ChunkKey],
    spots: Mapping[ChunkKey, Spot],
) -> tuple[Candidate, ...]:
    found = []
    for key in keys:
        path, ordinal = key.path, key.ordinal
        document, outline, spot = documents[path], notes[path], spots.get(key) if spots else None
        found.append(
            Candidate(
                key,
                outline[ordinal],
                document.language,
                document.source_type,
                passages.get(key, 0.0),
                about.get(path, 0.0),
                key in defining,
                spot is not None and spot.named,
                spot is not None and not spot.named,
                len(outline),
            )
        )
    return tuple(found)
