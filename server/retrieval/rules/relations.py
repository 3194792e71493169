"""Rules for questions about how things hang together: members and subtypes now, callers and importers by the graph."""

import re

from ...kb.model import Kind
from ..query_words import KIND_WORDS, LANGUAGE_WORDS
from .rule import NAME, Ask, Question, Relation, Rule, Sight, is_name

_NAME = (
    r"(?:the\s+)?(?:(?:class|struct|trait|interface|type|module|enum|function|method)\s+)?"
    rf"[`'\"]?(?P<name>{NAME})"
)
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
    r"(?i)\b(?:(?:who|what|which\s+\w+)\s+(?:calls?|uses?|imports?|references?|depends\s+on)"
    r"|(?:callers?|callees?|users?|usages?|references?|importers?|importees?|dependents|call\s+sites?)\s+(?:of|to))"
    rf"\s+{_NAME}"
)
_USED = re.compile(rf"(?i)\bwhere\s+(?:is|are)\s+{_NAME}[`'\"]?(?:\(\))?\s+(?:used|called|imported|referenced)\b")


def _member(question: Question) -> Sight | None:
    return _ask(question, _MEMBER, "member", _MEMBERS)


def _subtype(question: Question) -> Sight | None:
    return _ask(question, _SUBTYPE, "subtype", _TYPES)


def _graph(question: Question) -> Sight | None:
    match = _GRAPH.search(question.analysed.text) or _USED.search(question.analysed.text)
    if match is None or not is_name(match["name"], question):
        return None
    return Sight(match[0].strip(), names=(match["name"],))


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
