"""Rules for questions about how things hang together: members and subtypes, callers and importers."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from ...kb.model import Kind
from ..query_words import FUNCTION_WORDS, KIND_WORDS, LANGUAGE_WORDS
from .rule import NAME, Ask, Question, Relation, Rule, Sight, is_name

_NAME = (
    r"(?:the\s+)?(?:(?:class|struct|trait|interface|type|module|enum|function|method)\s+)?"
    rf"[`'\"]?(?P<name>{NAME})"
)
_THING = _NAME.replace("(?P<name>", r"(?P<name>[\w.-]+(?:/[\w.-]+)+|", 1)
"""A name, or a file by its path."""
_MEMBERS = (Kind.METHOD, Kind.FUNCTION, Kind.FIELD, Kind.CONSTANT, Kind.VARIABLE, Kind.TYPE)
_TYPES = (Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.TYPE, Kind.MODULE)

_MEMBER = re.compile(
    rf"(?i)\b(?P<what>methods?|fields?|attributes?|propert(?:y|ies)|members?|functions?|constants?)\s+(?:of|in|on)\s+{_NAME}"
)
_SUBTYPE = re.compile(
    r"(?i)\b(?:(?:sub-?(?:class|type)(?:es|s)?|implement(?:ation|or|er)s?|children|heirs)\s+(?:of|for)"
    r"|(?:implement(?:s|ing)?|extend(?:s|ing)?|inherit(?:s|ing)?\s+from|deriv(?:es|ed|ing)\s+from|conform(?:s|ing)?\s+to))"
    rf"\s+{_NAME}"
)
_GRAPH = re.compile(
    r"(?i)\b(?:(?:who|what|which\s+\w+)\s+(?P<verb>calls?|uses?|imports?|references?|depends\s+on)"
    r"|(?P<noun>callers?|callees?|users?|usages?|references?|importers?|importees?|dependents|call\s+sites?)\s+(?:of|to))"
    rf"\s+{_THING}"
)
_USED = re.compile(
    rf"(?i)\bwhere\s+(?:is|are)\s+{_THING}[`'\"]?(?:\(\))?\s+(?P<verb>used|called|imported|referenced)\b"
)
_DOES = re.compile(rf"(?i)\bwhat\s+(?:does|do)\s+{_THING}[`'\"]?(?:\(\))?\s+(?P<does>call|use|import)\b")
_RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {"call": "caller", "import": "importer", "callee": "callee", "importee": "importee"}
)
"""By how the word for it begins, longest first; every other word asks for users."""


def _member(question: Question) -> Sight | None:
    return _ask(question, _MEMBER, "member", _MEMBERS)


def _subtype(question: Question) -> Sight | None:
    return _ask(question, _SUBTYPE, "subtype", _TYPES)


def _graph(question: Question) -> Sight | None:
    text = question.analysed.text
    match = _DOES.search(text) or _GRAPH.search(text) or _USED.search(text)
    if match is None or not _is_meant(match, question):
        return None
    return Sight(match[0].strip(), names=(match["name"],), asks=(Ask(_relation(match), match["name"]),))


def _is_meant(match: re.Match[str], question: Question) -> bool:
    """Whether the word is a name: by itself, by being a path, or by standing alone between the words of the form."""
    name, text = match["name"], question.analysed.text.strip(" ?.!")
    framed = match.re is not _GRAPH and match[0].strip() == text and name.lower() not in FUNCTION_WORDS
    return framed or "/" in name or is_name(name, question)


def _relation(match: re.Match[str]) -> Relation:
    said = match.groupdict()
    if does := said.get("does"):
        return "importee" if does.lower() == "import" else "callee"
    word = (said.get("verb") or said.get("noun") or "").lower()
    starts = sorted(_RELATIONS, key=len, reverse=True)
    return next((_RELATIONS[start] for start in starts if word.startswith(start)), "user")


def _ask(question: Question, form: re.Pattern[str], relation: Relation, kinds: tuple[Kind, ...]) -> Sight | None:
    match = form.search(question.analysed.text)
    if match is None or not is_name(match["name"], question) or match["name"].lower() in LANGUAGE_WORDS:
        return None
    what = match.groupdict().get("what")
    if what:
        kinds = KIND_WORDS.get(what.lower(), kinds)
    return Sight(match[0].strip(), asks=(Ask(relation, match["name"], kinds),))


RELATION_RULES: tuple[Rule, ...] = (
    Rule(
        id="relation.graph",
        looks_at="words",
        query_class="relationship",
        confidence=0.8,
        strategies=("graph", "exact"),
        reason="the query asks who calls, uses or imports something",
        look=_graph,
    ),
    Rule(
        id="relation.member",
        looks_at="words",
        query_class="relationship",
        confidence=0.75,
        strategies=("structural",),
        reason="the query asks for members",
        look=_member,
    ),
    Rule(
        id="relation.subtype",
        looks_at="words",
        query_class="relationship",
        confidence=0.75,
        strategies=("structural",),
        reason="the query asks what implements or extends something",
        look=_subtype,
    ),
)
