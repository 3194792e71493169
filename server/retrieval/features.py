"""What speaks for a document and what speaks against it: the tables of the ranking, one sentence and one number a row.

Features are between 0 and 1 and are added with their weights; factors multiply. Each row has to make sense to a reader,
and one set of numbers serves all languages: ``benchmarks/ablation.py`` measures what each is worth, and they were
chosen leaving one repository out at a time. A row is added here, with a case in ``tests/retrieval/test_rank.py`` that
it decides; of the features ``rank`` knows `sought` alone by name, and of the factors those that a question eases. Pure;
only the words of paths are remembered.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import log1p, sqrt
from operator import attrgetter

import msgspec

from ..kb.model import ChunkNote, Kind, SourceType
from .fuse import ChunkKey
from .pathclass import PathClass
from .stems import stem
from .terms import split, whole, words


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A chunk that may answer, with what is known of it. Scores of one kind compare with each other only."""

    key: ChunkKey
    note: ChunkNote
    language: str
    source_type: str
    passage: float = 0.0  # keyword score of the chunk; 0 when keywords did not find it
    about: float = 0.0  # score of its document as a whole
    defines: bool = False  # it defines a name that the question holds, or two of its words make
    named: bool = False  # the question names this file
    located: bool = False  # found by a whole name, or by the relation that the question asks for
    siblings: int = 1  # chunks of its document


class Asked(msgspec.Struct, frozen=True):
    """What the features read of a question, taken apart once."""

    stems: Mapping[str, float]  # content words, by stem; rarity in the corpus, 1 where it is not known
    total: float  # of the rarities; 1 when there are none
    sought: str  # the name whose definition is asked for, as it is written
    names: frozenset[str]  # identifiers of the question, or its only word, as definitions are looked up
    compounds: frozenset[str]  # two neighbouring words as one, likewise
    places: frozenset[str]  # terms that the question gives as its place
    stemmed_names: frozenset[str]  # both of these, as the names of files are compared
    languages: frozenset[str]
    kinds: frozenset[Kind]
    eased: frozenset[str]  # names of `FACTORS` that the question lifts
    heads: frozenset[str]  # first letters of the stems: what begins otherwise is like none of them
    echoes: dict[str, Mapping[str, float]]  # a memo of `_echo`


class Document(msgspec.Struct, frozen=True, gc=False):
    """All candidates of one path. Shares are relative to the best document of this ranking."""

    words: "PathWords"
    best: Candidate
    chunks: tuple[Candidate, ...]  # `best` first
    by_name: tuple[Candidate, ...]  # those that define, are located, or whose file is named
    passages: tuple[float, ...]  # keyword score of each chunk, evened
    passage: float  # share of the best of them
    about: float
    corroboration: float  # share of the sum over chunks


Measure = Callable[[Asked, Document], float]


def always(_asked: Asked) -> bool:
    """Whatever the question is."""
    return True


class Feature(msgspec.Struct, frozen=True):
    """Something that speaks for a document, from 0 to 1."""

    name: str
    weight: float
    why: str
    measure: Measure
    by_name: bool = False  # nothing for a document without chunks in `Document.by_name`
    when: Callable[[Asked], object] = always  # nothing for any document where the question has not this


class Factor(msgspec.Struct, frozen=True):
    """What a class of documents is multiplied by; eased to the root of it when the question asks for the class."""

    name: str
    factor: float
    why: str


ALIKE = 3
"""Letters that words begin with alike, at least, where one of them begins with the other."""
DECLARED = 0.6
"""What a declaration counts for where the definition is asked for."""
LARGEST = 5.0
"""Logarithm of the number of chunks past which a document is large in any corpus."""


# -- what speaks for a document -------------------------------------------------------------------------------------


def _passage(_asked: Asked, document: Document) -> float:
    return document.passage


def _about(_asked: Asked, document: Document) -> float:
    return document.about


def _corroboration(_asked: Asked, document: Document) -> float:
    return document.corroboration


def _name(asked: Asked, document: Document) -> float:
    """How much of the file's name the question says, times how much of the question that name covers."""
    path = document.words
    if asked.heads.isdisjoint(path.name_heads):
        return 0.0
    name = path.name
    echoes = [echo for word in name if (echo := _echo(asked, word))]
    if not echoes:
        return 0.0
    said = sum([max(echo.values()) for echo in echoes]) / len(name)
    covered = sum([asked.stems[wanted] * likeness for wanted, likeness in _best(echoes).items()])
    return said * sqrt(covered / asked.total)


def _whole_name(asked: Asked, document: Document) -> float:
    joined = document.words.joined
    return float(joined in asked.stems or joined in asked.stemmed_names)


def _folder(asked: Asked, document: Document) -> float:
    """Share of the question's words that are in the name of the folder and not in that of the file."""
    path = document.words
    if asked.heads.isdisjoint(path.folder_heads):
        return 0.0
    echoes = [echo for word in path.folder if (echo := _echo(asked, word))]
    if not echoes:
        return 0.0
    known = _best([_echo(asked, word) for word in path.name])
    return sum([likeness for wanted, likeness in _best(echoes).items() if wanted not in known]) / len(asked.stems)


def _place(asked: Asked, document: Document) -> float:
    """Share of the place that the question gives which the path says."""
    if not asked.places:
        return 0.0
    path = document.words
    best = _best([_echo(asked, word) for word in (*path.name, *path.folder, *path.above)])
    return sum([best.get(wanted, 0.0) for wanted in asked.places]) / len(asked.places)


def _definition(asked: Asked, document: Document) -> float:
    return _defined(asked.names, document)


def sought(asked: Asked, document: Document) -> float:
    """A definition of the name that is asked for; what is only declared here is the second best."""
    found = [one.note for one in document.by_name if one.located and asked.sought in one.note.defined]
    return max([DECLARED if note.declaration else 1.0 for note in found], default=0.0)


def _coined(asked: Asked, document: Document) -> float:
    return _defined(asked.compounds, document)


def _defined(names: frozenset[str], document: Document) -> float:
    """The most that a definition of one of the names counts for; a type is more often what people mean."""
    defining = [one.note for one in document.by_name if one.defines]
    found = [note.kind for note in defining if not names.isdisjoint(map(whole, note.defined))]
    return max([_WEIGHT_OF_KIND.get(kind, 0.45) for kind in found], default=0.0)


def _substance(_asked: Asked, document: Document) -> float:
    return min(1.0, log1p(document.best.siblings) / LARGEST)


def _named(_asked: Asked, document: Document) -> float:
    return float(any(one.named for one in document.by_name))


def _located(_asked: Asked, document: Document) -> float:
    return float(any(one.located for one in document.by_name))


def _kind(asked: Asked, document: Document) -> float:
    return float(document.best.note.kind in asked.kinds)


def _language(asked: Asked, document: Document) -> float:
    return float(document.best.language in asked.languages)


TYPES = (Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.MODULE, Kind.NAMESPACE, Kind.TYPE)
_WEIGHT_OF_KIND: Mapping[Kind, float] = dict.fromkeys(TYPES, 1.0)

SOUGHT = "sought"

FEATURES = (
    Feature("passage", 1.1, "one passage says most of what was asked", _passage),
    Feature("about", 0.8, "the document as a whole is about it, beyond the one passage", _about),
    Feature("corroboration", 0.25, "several passages of the document answer", _corroboration),
    Feature("name", 0.65, "people name files after what is in them", _name),
    Feature("whole name", 0.1, "the question says the file's name as it is", _whole_name),
    Feature("folder", 0.6, "people put files into folders named after what they share", _folder),
    Feature("place", 0.4, "the question says where before it says what", _place, when=attrgetter("places")),
    Feature("definition", 0.5, "it defines a name that the question holds", _definition, by_name=True),
    Feature(SOUGHT, 3.0, "it defines what is asked for", sought, by_name=True, when=attrgetter("sought")),
    Feature("coined", 0.15, "two neighbouring words of the question name what it defines", _coined, by_name=True),
    Feature("substance", 0.1, "more happens where there is more", _substance),
    Feature("located", 0.3, "the question names it in full, or what it is to something else", _located, by_name=True),
    Feature("named", 4.0, "the question names this file", _named, by_name=True),
    Feature("kind", 0.05, "it is of the kind that was asked for", _kind, when=attrgetter("kinds")),
    Feature("language", 0.3, "it is in the language that was asked for", _language, when=attrgetter("languages")),
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
    Factor(SourceType.DOCS, 0.4, "a question about code is answered by code"),
    Factor(SourceType.CONFIG, 0.5, "settings hold the words of what reads them"),
    Factor("declaration", 0.7, "what is only declared here is done elsewhere"),
)
"""Everything that speaks against a document, with what its score is multiplied by."""


# -- words of paths -------------------------------------------------------------------------------------------------


class PathWords(msgspec.Struct, frozen=True):
    """The stems of a file's name, that name as one word, the stems of its folder's name and of the folders above."""

    name: tuple[str, ...]
    joined: str
    folder: tuple[str, ...]
    above: tuple[str, ...]
    name_heads: frozenset[str]  # first letters of the stems of the name
    folder_heads: frozenset[str]


@lru_cache(maxsize=16_384)
def path_words(path: str) -> PathWords:
    """Take a path apart; the extension does not count."""
    above, _, name = path.rpartition("/")
    dot = name.rfind(".")
    name = name[:dot] if dot > 0 else name
    further, _, folder = above.rpartition("/")
    named, inside = _stems(name), _stems(folder)
    joined = stem(whole("".join(words(name))))
    return PathWords(named, joined, inside, _stems(further), heads(named), heads(inside))


def heads(stems: Iterable[str]) -> frozenset[str]:
    """The first letters of stems."""
    return frozenset([one[:ALIKE] for one in stems])


def _stems(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in words(name):
        terms = split(word)
        found += terms[1:] or terms
    return tuple(found)


def _echo(asked: Asked, word: str) -> Mapping[str, float]:
    """The stems of the question that a word of a path is like, and how much."""
    known = asked.echoes.get(word)
    if known is None:
        head = word[:ALIKE]
        known = {
            wanted: likeness
            for wanted in asked.stems
            if wanted[:ALIKE] == head and (likeness := _likeness(word, wanted))
        }
        asked.echoes[word] = known
    return known


def _best(echoes: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """For each stem of the question the most that any of the words is like it."""
    best: dict[str, float] = {}
    for echo in echoes:
        for wanted, likeness in echo.items():
            if likeness > best.get(wanted, 0.0):
                best[wanted] = likeness
    return best


def _likeness(word: str, wanted: str) -> float:
    """1 for one stem, less where one begins with the other ("auth", "authentication")."""
    if word == wanted:
        return 1.0
    short, long = (word, wanted) if len(word) < len(wanted) else (wanted, word)
    if len(short) < ALIKE or not long.startswith(short):
        return 0.0
    return 0.7 if len(short) > 3 else 0.5
