"""Code-aware ranking: candidates in, one order out, and what each feature added to every place in it.

A document is what a person opens, so documents are ranked and each is shown by its best chunk; its further chunks
follow far behind, because a document cannot corroborate itself into several places. What speaks for a document is a sum
of features between 0 and 1 times their weights (`FEATURES`); what speaks against showing it is a factor for each class
that it is of (`FACTORS`), eased when the question asks for that class. Each has one sentence that says why it should
help anyone. One set of weights serves all languages; ``benchmarks/ablation.py`` measures what each is worth, and they
were chosen leaving one repository out at a time.

Pure: no index and no file is asked, nothing is remembered between questions but the words of paths. Candidates come
with what was found out about them; scores of different kinds are never added, only their shares of the best one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

import msgspec

from ..kb.model import ChunkNote, Kind, SourceType
from .analyze import AnalysedQuery
from .fuse import ChunkKey
from .pathclass import PathClass, classify
from .stems import stem
from .terms import split, whole, words


class Candidate(msgspec.Struct, frozen=True):
    """A chunk that may answer, with what is known of it. Scores of one kind compare with each other only."""

    key: ChunkKey
    note: ChunkNote
    language: str
    source_type: str
    passage: float = 0.0  # keyword score of the chunk; 0 when keywords did not find it
    about: float = 0.0  # score of its document as a whole
    defines: bool = False  # it defines a name that the question holds
    named: bool = False  # the question names this file
    located: bool = False  # found by a whole name, or by the relation that the question asks for


class Ranked(msgspec.Struct, frozen=True):
    """A chunk in its final place, its score, and what made it: feature or factor by name, largest first."""

    key: ChunkKey
    score: float
    because: Mapping[str, float]


class Asked(msgspec.Struct, frozen=True):
    """What the features read of a question: its stems with their rarity, and their neighbours written as one word."""

    stems: Mapping[str, float]  # content words, by stem; rarity in the corpus, 1 where it is not known
    total: float  # of the rarities; 1 when there are none
    compounds: frozenset[str]
    languages: frozenset[str]
    kinds: frozenset[Kind]
    eased: frozenset[str]  # names of `FACTORS` that the question lifts


class Document(msgspec.Struct, frozen=True):
    """All candidates of one path. Shares are relative to the best document of this ranking."""

    path: str
    best: Candidate
    chunks: tuple[Candidate, ...]
    passage: float  # share of the best chunk's keyword score
    about: float
    corroboration: float


Measure = Callable[[Asked, Document], float]


class Feature(msgspec.Struct, frozen=True):
    """Something that speaks for a document, from 0 to 1."""

    name: str
    weight: float
    why: str
    measure: Measure


class Factor(msgspec.Struct, frozen=True):
    """What a class of documents is multiplied by; eased to the root of it when the question asks for the class."""

    name: str
    factor: float
    why: str


EASED = 0.3
"""The power of a factor that is left when the question asks for what it holds back."""
FURTHER = 0.25
"""Score of a document's further chunks, as a share of its own, before their own passage counts."""


# -- what speaks for a document -------------------------------------------------------------------------------------


def _passage(_asked: Asked, document: Document) -> float:
    return document.passage


def _about(_asked: Asked, document: Document) -> float:
    return document.about


def _corroboration(_asked: Asked, document: Document) -> float:
    return document.corroboration


def _name(asked: Asked, document: Document) -> float:
    """How much of the file's name the question says, times how much of the question that name covers."""
    name = path_words(document.path).name
    said = sum([max([_likeness(word, wanted) for wanted in asked.stems], default=0.0) for word in name])
    if not said:
        return 0.0
    covered = sum([rarity * _best(wanted, name) for wanted, rarity in asked.stems.items()])
    return said / len(name) * sqrt(covered / asked.total)


def _whole_name(asked: Asked, document: Document) -> float:
    joined = path_words(document.path).joined
    return float(joined in asked.stems or joined in asked.compounds)


def _folder(asked: Asked, document: Document) -> float:
    """Share of the question's words that are in the name of the folder and not in that of the file."""
    path = path_words(document.path)
    if not path.folder or not asked.stems:
        return 0.0
    found = [_best(wanted, path.folder) for wanted in asked.stems if not _best(wanted, path.name)]
    return sum(found) / len(asked.stems)


def _definition(_asked: Asked, document: Document) -> float:
    """A type or a function of the name that was asked for; a type is more often what people mean."""
    return max((_WEIGHT_OF_KIND.get(one.note.kind, 0.45) for one in document.chunks if one.defines), default=0.0)


def _named(_asked: Asked, document: Document) -> float:
    return float(any(one.named for one in document.chunks))


def _located(_asked: Asked, document: Document) -> float:
    return float(any(one.located for one in document.chunks))


def _kind(asked: Asked, document: Document) -> float:
    return float(document.best.note.kind in asked.kinds)


def _language(asked: Asked, document: Document) -> float:
    return float(document.best.language in asked.languages)


_TYPES = (Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.MODULE, Kind.NAMESPACE, Kind.TYPE)
_WEIGHT_OF_KIND: Mapping[Kind, float] = dict.fromkeys(_TYPES, 1.0)

FEATURES = (
    Feature("passage", 1.0, "one passage says most of what was asked", _passage),
    Feature("about", 0.9, "the document as a whole is about it, beyond the one passage", _about),
    Feature("corroboration", 0.25, "several passages of the document answer", _corroboration),
    Feature("name", 0.65, "people name files after what is in them", _name),
    Feature("whole name", 0.1, "the question says the file's name as it is", _whole_name),
    Feature("folder", 0.6, "people put files into folders named after what they share", _folder),
    Feature("definition", 0.55, "it defines a name that the question holds", _definition),
    Feature("located", 0.3, "the question names it in full, or what it is to something else", _located),
    Feature("named", 4.0, "the question names this file", _named),
    Feature("kind", 0.05, "it is of the kind that was asked for", _kind),
    Feature("language", 0.3, "it is in the language that was asked for", _language),
)
"""Everything that speaks for a document, with what it is worth."""

FACTORS = (
    Factor(PathClass.TEST, 0.3, "tests repeat the words of what they test"),
    Factor(PathClass.FIXTURE, 0.7, "fixtures are material, not answers"),
    Factor(PathClass.BENCHMARK, 0.6, "benchmarks repeat the words of what they measure"),
    Factor(PathClass.EXAMPLE, 0.6, "examples use what others define"),
    Factor(PathClass.VENDORED, 0.5, "copies of other projects are seldom meant"),
    Factor(PathClass.GENERATED, 0.6, "the source of generated text is what people edit"),
    Factor(PathClass.HISTORY, 0.6, "change logs name everything and explain nothing"),
    Factor(PathClass.DOCUMENTATION, 0.7, "what stands beside the code is asked for by name"),
    Factor(PathClass.TOOLING, 0.8, "what builds the project is not the project"),
    Factor(SourceType.DOCS, 0.4, "a question about code is answered by code"),
    Factor(SourceType.CONFIG, 0.5, "settings hold the words of what reads them"),
    Factor("declaration", 0.7, "what is only declared here is done elsewhere"),
)
"""Everything that speaks against a document, with what its score is multiplied by."""

_EASED_BY = (
    ("wants_tests", frozenset({PathClass.TEST, PathClass.FIXTURE})),
    ("wants_examples", frozenset({PathClass.EXAMPLE})),
    ("wants_docs", frozenset({PathClass.DOCUMENTATION, PathClass.HISTORY, SourceType.DOCS})),
)
_EASED_BY_WORD = {
    "benchmark": PathClass.BENCHMARK,
    "benchmarks": PathClass.BENCHMARK,
    "vendored": PathClass.VENDORED,
    "vendor": PathClass.VENDORED,
    "generated": PathClass.GENERATED,
    "build": PathClass.TOOLING,
    "ci": PathClass.TOOLING,
    "config": SourceType.CONFIG,
    "settings": SourceType.CONFIG,
}


# -- ranking --------------------------------------------------------------------------------------------------------


def rank(
    query: AnalysedQuery,
    candidates: Iterable[Candidate],
    rarity: Mapping[str, float] | None = None,
    *,
    features: Sequence[Feature] = FEATURES,
    factors: Sequence[Factor] = FACTORS,
) -> list[Ranked]:
    """Order all candidates, best first; ties by corpus, path and place.

    Args:
        query: the question.
        candidates: chunks, each at most once; the score of a document is the same in all of its chunks.
        rarity: what each term of the question tells (`about.rarity`); equal for all when it is left out.
        features: what speaks for a document.
        factors: what speaks against it.
    """
    asked = ask(query, rarity or {})
    weights = {factor.name: factor.factor ** (EASED if factor.name in asked.eased else 1.0) for factor in factors}
    found: list[Ranked] = []
    for document in documents(candidates):
        because = {one.name: one.weight * value for one in features if (value := one.measure(asked, document))}
        score = sum(because.values())
        for name in _classes(document):
            if name in weights:
                because[name] = weights[name]
                score *= weights[name]
        found.append(Ranked(document.best.key, score, because))
        found += _further(document, score)
    found.sort(key=lambda one: (-one.score, one.key))
    return found


def ask(query: AnalysedQuery, rarity: Mapping[str, float]) -> Asked:
    """What the features read of a question."""
    content = [term.text for term in query.terms]
    held = frozenset(content)
    stems = {}
    for word in words(query.text):
        whole, *parts = split(word) or ("",)
        stems.update({one: rarity.get(one, 1.0) for one in parts or (whole,) if one in held})
    if not stems:
        stems = {one: rarity.get(one, 1.0) for one in content}
    eased = {name for attribute, names in _EASED_BY if getattr(query, attribute) for name in names}
    eased.update(_EASED_BY_WORD[word] for word in query.words if word in _EASED_BY_WORD)
    return Asked(
        stems=stems,
        total=sum(stems.values()) or 1.0,
        compounds=frozenset(stem(one) for one in compounds(query)),
        languages=frozenset(query.languages),
        kinds=frozenset(query.kinds),
        eased=frozenset(eased),
    )


def compounds(query: AnalysedQuery) -> tuple[str, ...]:
    """Neighbouring content words of the question written as one, and its identifiers, as names are looked up.

    "error handler" may be ``ErrorHandler`` or ``error_handler``; a question of one word asks for that name.
    """
    held = {term.text for term in query.terms}
    row = [(whole(word), len(terms) > 1, terms[0] in held) for word in words(query.text) if (terms := split(word))]
    found = [name for name, several, content in row if several and content]
    found += [first[0] + second[0] for first, second in pairwise(row) if first[2] and second[2]]
    content = [name for name, _, content in row if content]
    return tuple(dict.fromkeys([*found, *content] if len(content) == 1 else found))


def documents(candidates: Iterable[Candidate]) -> list[Document]:
    """Candidates by document, in the order of their keys, each with its shares of the best."""
    grouped: dict[tuple[str, str], list[Candidate]] = {}
    for one in candidates:
        grouped.setdefault((one.key.corpus, one.key.path), []).append(one)
    rows = [(path, sorted(grouped[corpus, path], key=_best_first)) for corpus, path in sorted(grouped)]
    sums = [sum(one.passage for one in row) for _, row in rows]
    passage = max((row[0].passage for _, row in rows), default=0.0) or 1.0
    about = max((row[0].about for _, row in rows), default=0.0) or 1.0
    most = max(sums, default=0.0) or 1.0
    return [
        Document(
            path, row[0], tuple(row), max(one.passage for one in row) / passage, row[0].about / about, total / most
        )
        for (path, row), total in zip(rows, sums, strict=True)
    ]


def _best_first(one: Candidate) -> tuple[float, int]:
    """The chunk to show: what defines the name that was asked for, else what says most."""
    key = one.key
    return -one.passage * (1.5 if one.defines else 1.0) - 1e-6 * one.defines, key.ordinal


def _further(document: Document, score: float) -> Iterable[Ranked]:
    most = document.best.passage or 1.0
    for one in document.chunks[1:]:
        share = FURTHER * min(1.0, one.passage / most)
        yield Ranked(one.key, score * share, {"same document": share})


def _classes(document: Document) -> tuple[str, ...]:
    """Names of the factors that may apply, without repetition."""
    declared = document.path.endswith((".d.ts", ".d.cts", ".d.mts", ".pyi"))
    return (*classify(document.path), document.best.source_type, *(("declaration",) if declared else ()))


# -- words of paths -------------------------------------------------------------------------------------------------


class PathWords(msgspec.Struct, frozen=True):
    """What a path says: the stems of the file's name, the name as one word, and the stems of its folder's name."""

    name: tuple[str, ...]
    joined: str
    folder: tuple[str, ...]


@lru_cache(maxsize=16_384)
def path_words(path: str) -> PathWords:
    """Take a path apart; the extension does not count."""
    above, _, name = path.rpartition("/")
    dot = name.rfind(".")
    name = name[:dot] if dot > 0 else name
    return PathWords(_stems(name), stem(whole("".join(words(name)))), _stems(above.rpartition("/")[2]))


def _stems(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in words(name):
        terms = split(word)
        found += terms[1:] or terms
    return tuple(found)


@lru_cache(maxsize=65_536)
def _likeness(word: str, wanted: str) -> float:
    """1 for one stem, less where one begins with the other ("auth", "authentication")."""
    if word == wanted:
        return 1.0
    short, long = (word, wanted) if len(word) < len(wanted) else (wanted, word)
    if len(short) < 3 or not long.startswith(short):
        return 0.0
    return 0.7 if len(short) > 3 else 0.5


def _best(wanted: str, found: Sequence[str]) -> float:
    return max([_likeness(word, wanted) for word in found], default=0.0)
