"""A question, taken apart once: what it says, what it asks for, and what may count as evidence (row R5).

Pure and total: any string gives a value, operators of search engines are just text (pitfalls QU02, QU03). The tokenizer
is `terms`, the one that the index uses. Nothing here knows how a term is looked up or what a hit is worth.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import msgspec

from ..kb.model import Kind
from .query import MAX_QUERY_CHARACTERS
from .query_words import (
    AMBIGUOUS_LANGUAGES,
    CHANGE_TYPES,
    CHANGE_WORDS,
    DOCUMENT_WORDS,
    EXAMPLE_WORDS,
    FUNCTION_WORDS,
    KIND_WORDS,
    LANGUAGE_WORDS,
    TEST_WORDS,
)
from .terms import ANALYZER_VERSION, index_text, split, terms, words

__all__ = ["ANALYZER_VERSION", "AnalysedQuery", "Phrase", "Term", "analyse", "index_text", "terms"]

MAX_TERMS = 64
"""Distinct terms of a query that are looked up; the first ones are kept."""
_FUNCTION_TERMS = frozenset(term for word in FUNCTION_WORDS for term in split(word))
_CHANGE_TERMS = frozenset(term for word in CHANGE_WORDS for term in split(word))
_TYPE_TERMS = frozenset(term for word in CHANGE_TYPES for term in split(word))
PART_WEIGHT = 0.5
"""What a part of a queried identifier counts for beside the identifier whole."""
FUNCTION_WEIGHT = 0.1
"""What a function word counts for in ranking once a chunk holds a content term."""
CHANGE_WEIGHT = 0.35
"""What a word such as "fix" counts for in a question that says what is to be done."""


class Term(msgspec.Struct, frozen=True):
    """One term to look up and what it counts for."""

    text: str
    weight: float = 1.0


class Phrase(msgspec.Struct, frozen=True):
    """A quoted passage: as written, and the sequence of terms that text must hold to hold it."""

    text: str
    terms: tuple[str, ...]


class AnalysedQuery(msgspec.Struct, frozen=True):
    """A query as every strategy reads it. All tuples are in the order of the query and without repetitions."""

    raw: str
    text: str  # `raw`, bounded
    notices: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()  # content: a candidate holds at least one of these, or a phrase
    support: tuple[Term, ...] = ()  # ranks what was found, finds nothing itself
    phrases: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()
    identifiers: tuple[str, ...] = ()  # tokens shaped like code, their case kept
    sought: str = ""  # the name whose definition is asked for: it is the whole query, or "where is X set"
    paths: tuple[str, ...] = ()  # tokens shaped like a file's path or name
    words: tuple[str, ...] = ()  # every word of the query, lower-cased, excluded ones left out
    languages: tuple[str, ...] = ()  # asked for: "in python", "rust trait"
    kinds: tuple[Kind, ...] = ()  # asked for: "the class that ..."
    places: tuple[str, ...] = ()  # terms of what stands before a colon: "net/tcp: keep the port"
    wants_tests: bool = False
    wants_examples: bool = False
    wants_docs: bool = False
    wants_guidance: bool = False  # whoever asks speaks of themselves: "how do I", "what must we set", "my board"

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.terms and not self.phrases

    @property
    def all_terms(self) -> tuple[Term, ...]:
        """Content first, then support."""
        return self.terms + self.support


class _Change(NamedTuple):
    """Whether a question says what is to be done, the sort of change it names, and the terms of its place."""

    asked: bool
    types: frozenset[str]
    places: tuple[str, ...]


_QUOTED = re.compile(r'(?P<minus>(?<!\S)-)?"(?P<text>[^"\n]{1,400})"')
_EXCLUDED = re.compile(r"(?<!\S)-(?=\w{2})([\w./:]+)(?!\S)")
_TOKEN = re.compile(r"[^\s\"'`()\[\]{},;!?]+")
_EDGES = "<>.:-=&|*^%$@~#/\\"
_PATH = re.compile(r"(?:[\w.@+~-]*/)+[\w.@+~-]+|[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9+]{0,9}")
_CODE = re.compile(r"[^\W\d]\w*(?:(?:::|\.|->|#)[^\W\d]\w*)*")
_BARE = re.compile(rf"\s*[`'\"]?({_CODE.pattern})(?:\(\))?[`'\"]?[?.!]?\s*")
_KIND = "|".join(sorted(KIND_WORDS, key=len, reverse=True))
_DEFINED = re.compile(
    rf"(?i)\bwhere\s+(?:is|are|does|do)\s+(?:the\s+)?(?:(?:{_KIND})\s+)?[`'\"]?({_CODE.pattern})[`'\"]?(?:\(\))?"
    r"\s+(?:get\s+)?(?:defined|declared|set|assigned|implemented)\b"
    rf"|\b(?:definition|declaration)\s+of\s+(?:the\s+)?[`'\"]?({_CODE.pattern})[`'\"]?(?:\(\))?\W*$"
)
_CODE_SHAPE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[^\W_]_+[^\W_]|^_+[^\W_]|[A-Z][A-Z0-9]+_|::|->|\w\.\w|\w#\w")
_DOTTED = re.compile(r"::|->|[.#]")
_IN_LANGUAGE = re.compile(r"(?i)\b(?:in|using) ([a-z]+(?:\+\+|#)?)(?![\w+#])")
_HEADING = re.compile(
    r"\s*(?:\[(?P<tag>[^\]\n]{1,40})\]\s*)?(?:(?P<type>[\w ./,*-]{1,40})(?:\((?P<scope>[^)\n]{1,40})\))?!?:\s)?"
)
_GUIDANCE = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Hh]ow to)\b(?![/-])")
_NAMED_LANGUAGE = re.compile(r"(?i)(?<![\w./-])([a-z]+(?:\+\+|#)?)(?![\w+#./-])(?: ([a-z]+))?")


def analyse(query: str) -> AnalysedQuery:
    """Take a query apart. Never raises, whatever the characters."""
    notices: list[str] = []
    text = query[:MAX_QUERY_CHARACTERS]
    if len(query) > len(text):
        notices.append(f"The query was cut after {MAX_QUERY_CHARACTERS:,} characters.")
    phrases, excluded, plain = _operators(text)
    change = _change(plain)
    content, support = _weigh(plain, phrases, change)
    if excluded and not content and not phrases:
        notices.append("Nothing is left beside the exclusions, so they were searched for as words.")
        excluded, plain = (), text.replace('"', " ")
        content, support = _weigh(plain, phrases, change)
    if query and not content and not phrases:
        notices.append("There is no word in the query, so there is nothing to look for.")
    if len(content) + len(support) > MAX_TERMS:
        notices.append(f"Only the first {MAX_TERMS} different words were looked up.")
        content = content[:MAX_TERMS]
        support = support[: MAX_TERMS - len(content)]
    spoken = " ".join([plain, *(phrase.text for phrase in phrases)])
    lowered = _unique(word.lower() for word in words(spoken))
    tokens = [token.strip(_EDGES) for token in _TOKEN.findall(spoken)]
    return AnalysedQuery(
        raw=query,
        text=text,
        notices=tuple(notices),
        terms=content,
        support=support,
        phrases=phrases,
        excluded=excluded,
        identifiers=_unique(token for token in tokens if _CODE.fullmatch(token) and _CODE_SHAPE.search(token)),
        sought=_sought(text),
        paths=_unique(token for token in _TOKEN.findall(spoken) if _PATH.fullmatch(token)),
        words=lowered,
        languages=_languages(spoken),
        kinds=_unique(kind for word in lowered for kind in KIND_WORDS.get(word, ())),
        places=change.places,
        wants_tests=not TEST_WORDS.isdisjoint(lowered),
        wants_examples=not EXAMPLE_WORDS.isdisjoint(lowered),
        wants_docs=not DOCUMENT_WORDS.isdisjoint(lowered),
        wants_guidance=_GUIDANCE.search(spoken) is not None,
    )


def _sought(text: str) -> str:
    """The name whose definition is asked for, as written; "" if none is. A word alone is none, `foo` and foo() are."""
    bare, asked = _BARE.fullmatch(text), _DEFINED.search(text)
    name = ""
    if bare is not None:
        name = bare[1] if _CODE_SHAPE.search(bare[1]) or bare[0].strip() != bare[1] else ""
    elif asked is not None:
        name = asked[1] or asked[2]
    return "" if name.lower() in FUNCTION_WORDS else name


def identifier_parts(identifier: str) -> tuple[str, ...]:
    """Cut a qualified name at its ``.``, ``::``, ``->`` and ``#``; the last part is what is defined."""
    return tuple(part for part in _DOTTED.split(identifier) if part)


def _operators(text: str) -> tuple[tuple[Phrase, ...], tuple[Phrase, ...], str]:
    """Quoted phrases, exclusions, and the text without either."""
    phrases: list[Phrase] = []
    excluded: list[Phrase] = []

    def quoted(match: re.Match[str]) -> str:
        phrase = _phrase(match["text"])
        if phrase.terms:
            (excluded if match["minus"] else phrases).append(phrase)
        return " "

    def dropped(match: re.Match[str]) -> str:
        phrase = _phrase(match[1])
        if phrase.terms:
            excluded.append(phrase)
        return " "

    plain = _EXCLUDED.sub(dropped, _QUOTED.sub(quoted, text))
    return _unique(phrases), _unique(excluded), plain


def _phrase(text: str) -> Phrase:
    return Phrase(text.strip(), tuple(terms(text)))


def _change(plain: str) -> _Change:
    """Say whether a question tells what is to be done, as the subject of a commit does, and what it says of where."""
    heading = _HEADING.match(plain)
    assert heading is not None  # it may be empty
    before = terms(" ".join(filter(None, heading.groups())))
    first = next(iter(words(plain[heading.end() :])), "")
    types = _TYPE_TERMS.intersection(terms(heading["type"] or ""))
    return _Change(
        asked=bool(before) or not _CHANGE_TERMS.isdisjoint(split(first)[:1]),
        types=types,
        places=_unique(term for term in before if term not in types),
    )


def _weigh(plain: str, phrases: tuple[Phrase, ...], change: _Change) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Content and support terms. Function words are content only where there is nothing else."""
    content: dict[str, float] = {}
    support: dict[str, float] = {}
    for word in words(plain):
        for at, term in enumerate(split(word)):
            if term in _FUNCTION_TERMS or term in change.types:
                support.setdefault(term, FUNCTION_WEIGHT)
            else:
                usual = CHANGE_WEIGHT if change.asked and term in _CHANGE_TERMS else 1.0
                content[term] = max(content.get(term, 0.0), PART_WEIGHT if at else usual)
    for phrase in phrases:  # kept whole as evidence; its words only rank
        for term in phrase.terms:
            support[term] = FUNCTION_WEIGHT if term in _FUNCTION_TERMS else 1.0
    if not content and not phrases:
        content, support = dict.fromkeys(support, 1.0), {}
    weighed = tuple(Term(term, weight) for term, weight in content.items())
    return weighed, tuple(Term(term, weight) for term, weight in support.items() if term not in content)


def _languages(text: str) -> tuple[str, ...]:
    """Languages that the words ask for, by their names in documents."""
    found: list[str] = []
    for match in _IN_LANGUAGE.finditer(text):
        found.extend(LANGUAGE_WORDS.get(match[1].lower(), ()))
    for match in _NAMED_LANGUAGE.finditer(text):
        word, following = match[1].lower(), (match[2] or "").lower()
        if word not in AMBIGUOUS_LANGUAGES or following in KIND_WORDS:
            found.extend(LANGUAGE_WORDS.get(word, ()))
    return _unique(found)


_T = TypeVar("_T")


def _unique(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
