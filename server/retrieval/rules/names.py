"""Rules for questions that name something: a file, a definition, a kind of definition with its name."""

import re

from ...kb.languages import LANGUAGES
from ..query_words import FUNCTION_WORDS, KIND_WORDS
from ..terms import words
from .rule import NAME, Alias, Ask, Question, Rule, Sight, is_name

MAX_NAMES = 8
"""Names of one query that are looked up; the first ones are kept."""
_BARE = re.compile(rf"\s*[`'\"]?({NAME})(?:\(\))?[`'\"]?[?.!]?\s*")
_CALLED = re.compile(rf"(?<![\w$])({NAME})\(\)|`({NAME})(?:\(\))?`")
_KIND_NAME = re.compile(rf"(?i)(?<!\S)({'|'.join(sorted(KIND_WORDS, key=len, reverse=True))})\s+[`'\"]?({NAME})")
_LINE = re.compile(r":\d{1,7}(?:[-:]\d{1,7})?$")
_ENDINGS = frozenset(ending for language in LANGUAGES for ending in language.extensions)
_PATHLIKE = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*")


def _is_file(token: str) -> bool:
    """Say whether a dotted token is a file's name rather than a member of something: its ending is a language's.

    Case counts: ``context.json`` is a file, ``Context.JSON`` a method.
    """
    return "/" in token or token[token.rfind(".") :] in _ENDINGS


def _sole_path(question: Question) -> Sight | None:
    tokens = question.analysed.text.split()
    if len(tokens) != 1:
        return None
    path = _LINE.sub("", tokens[0].strip("`'\""))
    if not _PATHLIKE.fullmatch(path) or not (_is_file(path) or _LINE.search(tokens[0])):
        return None
    return Sight(path, paths=(tokens[0].strip("`'\""),))


def _named_path(question: Question) -> Sight | None:
    paths = question.analysed.paths
    return Sight(", ".join(paths[:MAX_NAMES]), paths=paths[:MAX_NAMES]) if paths else None


def _sole_identifier(question: Question) -> Sight | None:
    match = _BARE.fullmatch(question.analysed.text)
    if match is None or match[1] not in question.analysed.identifiers or _is_file(match[1]):
        return None
    return Sight(match[1], names=(match[1],))


def _sole_word(question: Question) -> Sight | None:
    """One word may be a name whatever its shape, or that of a file without an extension."""
    match = _BARE.fullmatch(question.analysed.text)
    if match is None or match[1] in question.analysed.identifiers:
        return None
    return Sight(match[1], names=(match[1],), paths=(match[1],))


def _named_identifier(question: Question) -> Sight | None:
    names = tuple(name for name in question.analysed.identifiers if not _is_file(name))[:MAX_NAMES]
    return Sight(", ".join(names), names=names) if names else None


def _called(question: Question) -> Sight | None:
    names = tuple(dict.fromkeys(match[1] or match[2] for match in _CALLED.finditer(question.analysed.text)))[:MAX_NAMES]
    return Sight(", ".join(names), names=names) if names else None


def _defined(question: Question) -> Sight | None:
    name = question.analysed.sought
    return Sight(name, names=(name,)) if name and _BARE.fullmatch(question.analysed.text) is None else None


def _alias(question: Question) -> Sight | None:
    """Declared names of parts of the tree, matched as whole words in sequence, without case."""
    if not question.aliases:
        return None
    spoken = f" {' '.join(words(question.analysed.text)).casefold()} "
    found: dict[str, Alias] = {}
    for path, names in question.aliases:
        for name in names:
            called = " ".join(words(name)).casefold()
            if called and f" {called} " in spoken:
                found.setdefault(path, Alias(path, name))
    aliases = tuple(found.values())[:MAX_NAMES]
    return Sight(", ".join(alias.name for alias in aliases), aliases=aliases) if aliases else None


def _kind_and_name(question: Question) -> Sight | None:
    """``struct foo``, ``class Foo``: the word behind a kind word, where it is meant as a name."""
    asks: list[Ask] = []
    if not question.analysed.kinds:
        return None
    for match in _KIND_NAME.finditer(question.analysed.text):
        name = match[2]
        if is_name(name, question):
            asks.append(Ask("kind", name, KIND_WORDS[match[1].lower()]))
    if not asks:
        return None
    return Sight(", ".join(f"{ask.kinds[0]} {ask.name}" for ask in asks[:MAX_NAMES]), asks=tuple(asks[:MAX_NAMES]))


def _filtered_kind(question: Question) -> Sight | None:
    """``--kind`` with words: what of that kind has one of the words as its name."""
    kinds, names = question.filters.kinds, _candidates(question)
    if not kinds or not names:
        return None
    known = tuple(kind for kinds_of in KIND_WORDS.values() for kind in kinds_of if kind.value in kinds)
    wanted = tuple(dict.fromkeys(known))
    return Sight(", ".join(kinds), asks=tuple(Ask("kind", name, wanted) for name in names)) if wanted else None


def _filtered_entity(question: Question) -> Sight | None:
    names = question.filters.entities[:MAX_NAMES]
    return Sight(", ".join(names), names=names) if names else None


def _candidates(question: Question) -> tuple[str, ...]:
    """Words of the query that could be names, as written."""
    found = re.findall(NAME, question.analysed.text)
    return tuple(dict.fromkeys(word for word in found if word.lower() not in FUNCTION_WORDS))[:MAX_NAMES]


NAME_RULES: tuple[Rule, ...] = (
    Rule(
        id="path.sole",
        looks_at="whole query",
        query_class="path",
        confidence=0.95,
        strategies=("exact",),
        reason="the query is a path",
        look=_sole_path,
    ),
    Rule(
        id="identifier.sole",
        looks_at="whole query",
        query_class="identifier",
        confidence=0.95,
        strategies=("exact",),
        reason="the query is one identifier",
        look=_sole_identifier,
    ),
    Rule(
        id="word.sole",
        looks_at="whole query",
        query_class="identifier",
        confidence=0.6,
        strategies=("exact",),
        reason="the query is one word, which may be a name",
        look=_sole_word,
    ),
    Rule(
        id="kind.named",
        looks_at="kind words",
        query_class="identifier",
        confidence=0.7,
        strategies=("structural",),
        reason="the query asks for a kind by name",
        look=_kind_and_name,
    ),
    Rule(
        id="definition.asked",
        looks_at="words",
        query_class="identifier",
        confidence=0.65,
        strategies=("exact",),
        reason="the query asks where something is defined",
        look=_defined,
    ),
    Rule(
        id="identifier.called",
        looks_at="brackets and backticks",
        query_class="identifier",
        confidence=0.55,
        strategies=("exact",),
        reason="the query writes a name as code",
        look=_called,
    ),
    Rule(
        id="identifier.named",
        looks_at="identifiers",
        query_class="identifier",
        confidence=0.55,
        strategies=("exact",),
        reason="the query holds identifiers",
        look=_named_identifier,
    ),
    Rule(
        id="alias.named",
        looks_at="aliases of knowledge.yaml",
        query_class="path",
        confidence=0.6,
        strategies=("exact",),
        reason="the query holds a declared alias",
        look=_alias,
    ),
    Rule(
        id="path.named",
        looks_at="paths",
        query_class="path",
        confidence=0.5,
        strategies=("exact",),
        reason="the query holds a path",
        look=_named_path,
    ),
    Rule(
        id="filter.entity",
        looks_at="filters",
        query_class="identifier",
        confidence=0.5,
        strategies=("exact",),
        reason="the filter names a definition",
        look=_filtered_entity,
    ),
    Rule(
        id="filter.kind",
        looks_at="filters",
        query_class="identifier",
        confidence=0.3,
        strategies=("structural",),
        reason="the filter asks for a kind",
        look=_filtered_kind,
    ),
)
