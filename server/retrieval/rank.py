"""Code-aware ranking: candidates in, an order of documents out, and what each feature added to every place in it.

A document is what a person opens, so documents are ranked and each is shown by its best chunk; its further chunks come
far behind (`RankedDocument.further`), because a document cannot corroborate itself into several places. The score of a
document is the sum of what speaks for it times what speaks against it (`features`); a factor is eased when the question
asks for the class that it holds back.

Pure: no index and no file is asked, nothing is remembered between questions. Candidates come with what was found out
about them; scores of different kinds are never added, only their shares of the best one.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from ..kb.model import SourceType
from .analyze import AnalysedQuery, identifier_parts
from .features import (
    FACTORS,
    FEATURES,
    SOUGHT,
    TYPES,
    Asked,
    Candidate,
    Document,
    Factor,
    Feature,
    heads,
    path_words,
    sought,
)
from .fuse import ChunkKey
from .overlay_score import K1, B
from .pathclass import PathClass, classify
from .stems import stem
from .terms import split, whole, words

EASED = 0.3
"""The power of a factor that is left when the question asks for what it holds back."""
_PROSE = frozenset({PathClass.DOCUMENTATION, SourceType.DOCS})
"""Factors of prose, which hold less where no code says as much of the question in one passage."""
PLACES = 8
"""Documents that define a name, past which none of them is the place where it is defined."""
FURTHER = 0.25
"""Score of a document's further chunks, as a share of its own, before their own passage counts."""
NAMED_IN_FULL, DEFINING = 4.0, 1.5
"""How much more a chunk counts, within its document, for being what the question names, or may name."""
TYPE = 2.0
"""How much more such a chunk counts if it is a type: its constructor bears the same name."""
USUAL_PASSAGE = 700
"""Characters of a chunk whose keyword score is taken as it is."""
LENGTH_SHARE = 0.4
"""How much of a keyword score is set against the length of the chunk, where the index does it by 0.75: chunks are cut
at definitions, and a definition is not more to the point for being short."""
_AS_IT_IS, _EVENED = 1.0 - B, 1.0 - LENGTH_SHARE
_EASED_BY = (
    ("wants_tests", frozenset({PathClass.TEST, PathClass.FIXTURE})),
    ("wants_examples", frozenset({PathClass.EXAMPLE})),
    (
        "wants_guidance",
        frozenset({PathClass.EXAMPLE, PathClass.DOCUMENTATION, SourceType.DOCS, SourceType.CONFIG}),
    ),
    ("wants_docs", frozenset({PathClass.DOCUMENTATION, PathClass.HISTORY, SourceType.DOCS})),
)
_EASED_BY_WORD = {
    "benchmark": PathClass.BENCHMARK,
    "benchmarks": PathClass.BENCHMARK,
    "vendored": PathClass.VENDORED,
    "vendor": PathClass.VENDORED,
    "generated": PathClass.GENERATED,
    "config": SourceType.CONFIG,
    "settings": SourceType.CONFIG,
}


class Treatment(msgspec.Struct, frozen=True):
    """How the documents of one corpus are treated among those of others."""

    weight: float = 1.0  # what their scores are multiplied by
    eased: frozenset[str] = frozenset()  # names of factors that hold less here


USUAL = Treatment()


class Ranked(msgspec.Struct, frozen=True, gc=False):
    """A chunk in its final place, its score, and the features and factors that made it, by name."""

    key: ChunkKey
    score: float
    because: Mapping[str, float]


class RankedDocument(msgspec.Struct, frozen=True, gc=False):
    """A document in its final place, its score, and the features and factors that made it, by name."""

    document: Document
    score: float
    because: Mapping[str, float]

    @property
    def key(self) -> ChunkKey:
        """The chunk that stands for it."""
        return self.document.best.key

    def further(self) -> list[Ranked]:
        """Its other chunks, best first. They are hundreds, and few documents are asked for them."""
        passages = self.document.passages
        most = max(passages) or 1.0
        found = []
        for one, passage in zip(self.document.chunks[1:], passages[1:], strict=True):
            share = FURTHER * passage / most
            found.append(Ranked(one.key, self.score * share, {"same document": share}))
        found.sort(key=_place)
        return found


def rank_documents(
    query: AnalysedQuery,
    candidates: Iterable[Candidate],
    rarity: Mapping[str, float] | None = None,
    *,
    features: Sequence[Feature] = FEATURES,
    factors: Sequence[Factor] = FACTORS,
    corpora: Mapping[str, Treatment] = {},
) -> list[RankedDocument]:
    """Order the documents of all candidates, best first; ties by corpus and path.

    Args:
        query: the question.
        candidates: chunks, each at most once; the score of a document is the same in all of its chunks.
        rarity: what each term of the question tells (`about.rarity`); equal for all when it is left out.
        features: what speaks for a document.
        factors: what speaks against it.
        corpora: how the documents of each corpus are treated; one that is not named as usual.
    """
    asked = ask(query, rarity or {})
    given = [(one, _classes(one.best.key.path, one.best.source_type)) for one in documents(candidates)]
    defining = [classes for one, classes in given if sought(asked, one)] if asked.sought else []
    if len(defining) > PLACES:
        asked = msgspec.structs.replace(asked, sought="")
    weights = {str(one.name): one.factor ** (EASED if one.name in asked.eased else 1.0) for one in factors}
    counting = [(one.name, one.weight, one.measure) for one in features if one.when(asked)]
    alone = all(not weights.keys().isdisjoint(classes) for classes in defining)  # nothing that is not held back
    said = max((one.passage for one, classes in given if _PROSE.isdisjoint(classes)), default=0.0)
    always = {one.name for one in features if not one.by_name}
    most = [one for one in counting if one[0] in always]
    found: list[RankedDocument] = []
    for document, classes in given:
        because = {}
        for name, weight, measure in counting if document.by_name else most:
            value = measure(asked, document)
            if value:
                because[name] = weight * value
        score = sum(because.values())
        treatment = corpora.get(document.best.key.corpus, USUAL)
        for name in classes:
            if name in weights:
                power = EASED if name in treatment.eased or (alone and SOUGHT in because) else 1.0
                if name in _PROSE and said < document.passage:
                    power = min(power, max(EASED, said / document.passage))
                because[name] = weights[name] ** power
                score *= because[name]
        if treatment.weight != 1.0:
            because["corpus"] = treatment.weight
            score *= treatment.weight
        found.append(RankedDocument(document, score, because))
    found.sort(key=_place)
    return found


def _place(one: Ranked | RankedDocument) -> tuple[float, ChunkKey]:
    return -one.score, one.key


def ask(query: AnalysedQuery, rarity: Mapping[str, float]) -> Asked:
    """What the features read of a question."""
    content = [term.text for term in query.terms]
    held = frozenset(content)
    stems = {}
    for word in words(query.text):
        term, *parts = split(word) or ("",)
        stems.update({one: rarity.get(one, 1.0) for one in parts or (term,) if one in held})
    if not stems:
        stems = {one: rarity.get(one, 1.0) for one in content}
    names, coined = names_of(query)
    eased = {name for attribute, names in _EASED_BY if getattr(query, attribute) for name in names}
    eased.update(_EASED_BY_WORD[word] for word in query.words if word in _EASED_BY_WORD)
    return Asked(
        stems=stems,
        total=sum(stems.values()) or 1.0,
        sought=next(iter(identifier_parts(query.sought)[-1:]), ""),
        names=frozenset(names),
        compounds=frozenset(coined),
        places=frozenset(query.places).intersection(stems),
        stemmed_names=frozenset(map(stem, (*names, *coined))),
        languages=frozenset(query.languages),
        kinds=frozenset(query.kinds),
        eased=frozenset(eased),
        heads=heads(stems),
        echoes={},
    )


@lru_cache(maxsize=16)  # several steps of one question need them
def names_of(query: AnalysedQuery) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that the question gives, and names that two of its neighbouring words make, as definitions are looked up.

    "error handler" may be ``ErrorHandler`` or ``error_handler``; a question of one word asks for that name.
    """
    held = {term.text for term in query.terms}
    row = [(whole(word), len(terms) > 1, terms[0] in held) for word in words(query.text) if (terms := split(word))]
    content = [name for name, _, counts in row if counts]
    given = content if len(content) == 1 else [name for name, several, counts in row if several and counts]
    coined = [first[0] + second[0] for first, second in pairwise(row) if first[2] and second[2]]
    return tuple(dict.fromkeys(given)), tuple(dict.fromkeys(name for name in coined if name not in given))


def documents(candidates: Iterable[Candidate]) -> list[Document]:
    """Candidates by document, as they come, each with its shares of the best."""
    grouped: dict[tuple[str, str], list[tuple[float, Candidate]]] = {}
    by_name: set[tuple[str, str]] = set()
    for one in candidates:
        # The keyword score as `LENGTH_SHARE` has it, as far as that can be said of a sum over terms.
        length = one.note.size / USUAL_PASSAGE
        evened = one.passage * (1.0 + K1 * (_AS_IT_IS + B * length)) / (1.0 + K1 * (_EVENED + LENGTH_SHARE * length))
        document = one.key[:2]
        grouped.setdefault(document, []).append((evened, one))
        if one.defines or one.located or one.named:
            by_name.add(document)
    for row in grouped.values():
        if len(row) > 1:
            row.sort(key=_best_first)
    rows = [(document, row, tuple([passage for passage, _ in row])) for document, row in grouped.items()]
    highest = max([max(passages) for _, _, passages in rows], default=0.0) or 1.0
    most = max([sum(passages) for _, _, passages in rows], default=0.0) or 1.0
    about = max([row[0][1].about for _, row, _ in rows], default=0.0) or 1.0
    return [
        Document(
            path_words(document[1]),
            row[0][1],
            tuple([one for _, one in row]),
            tuple([one for _, one in row if one.defines or one.located or one.named]) if document in by_name else (),
            passages,
            max(passages) / highest,
            row[0][1].about / about,
            sum(passages) / most,
        )
        for document, row, passages in rows
    ]


def _best_first(scored: tuple[float, Candidate]) -> tuple[float, int]:
    """The chunk to show: what was named in full, then what defines a name that may be meant, else what says most."""
    passage, one = scored
    key, worth = one.key, NAMED_IN_FULL if one.located else DEFINING if one.defines else 1.0
    if worth > 1.0 and one.note.kind in TYPES:
        worth *= TYPE
    return -max(passage, 1e-6) * worth, key.ordinal


@lru_cache(maxsize=16_384)
def _classes(path: str, source_type: str) -> tuple[str, ...]:
    """Names of the factors that may apply to a document, without repetition."""
    declared = path.endswith((".d.ts", ".d.cts", ".d.mts", ".pyi"))
    return (*map(str, classify(path)), source_type, *(("declaration",) if declared else ()))
