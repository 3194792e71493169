"""The rules by which corpora are weighed against each other for one question: a table, each with its reason.

A rule looks at the question and at what every corpus knows of its words, and says for which corpora it weighs how much,
and what it saw. Nothing that it looks at grows with the size of a corpus: shares of documents, names, definitions. A
rule never says that a corpus is not asked; only one whose corpora were found by themselves may be left out by its name.
Pure.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import exp, log, sqrt

import msgspec

from .analyze import AnalysedQuery
from .query import Standing
from .worth import Counts

NAMED_OTHERS = 0.7
"""What other corpora weigh when the question names some."""
UNDEFINED = 0.8
"""What a corpus weighs that defines none of the question's identifiers while others do."""
VOCABULARY = 0.1
"""How much a unit of likelihood counts; the best corpus weighs 1."""
EVEN = 0.5
"""Share of the mean of all corpora in what is expected of each, so that one missing word settles nothing."""
MOSTLY = 0.5
"""Share of documentation from which a corpus is one of documentation."""
HELD_BACK_IN_CODE = frozenset(
    {"docs", "documentation", "example", "benchmark", "test", "fixture", "history"},
)
"""Factors that make sense where documents stand beside code."""


class Candidate(msgspec.Struct, frozen=True):
    """A corpus that may be asked, with what it knows of the question; nothing before it was opened."""

    name: str
    standing: Standing
    counts: Counts = Counts(0, 0, {}, {})
    defined: tuple[str, ...] = ()


class Verdict(msgspec.Struct, frozen=True):
    """What a rule says of one corpus: its weight, what it saw, and what is eased in it."""

    saw: str
    weight: float = 1.0
    eased: frozenset[str] = frozenset()


Look = Callable[[AnalysedQuery, Sequence[Candidate]], Mapping[str, Verdict]]


class RouteRule(msgspec.Struct, frozen=True):
    """One row: ``reason`` is a clause that what it saw completes."""

    id: str
    reason: str
    look: Look


def named(query: AnalysedQuery, corpora: Sequence[Candidate]) -> tuple[str, ...]:
    """The corpora whose names are whole words of the question; ``-``, ``_`` and nothing between words are alike."""
    return tuple(one.name for one in corpora if _spelled(one.name).search(query.text))


def _spelled(name: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in re.split(r"[-_ ]+", name) if part]
    return re.compile(rf"(?i)(?<![\w/.-]){'[-_ ]?'.join(parts)}(?![\w/-]|\.\w)")


def _named(query: AnalysedQuery, corpora: Sequence[Candidate]) -> Mapping[str, Verdict]:
    meant = named(query, corpora)
    if not meant:
        return {}
    saw = ", ".join(meant)
    return {one.name: Verdict(saw, 1.0 if one.name in meant else NAMED_OTHERS) for one in corpora}


def _defines(_query: AnalysedQuery, corpora: Sequence[Candidate]) -> Mapping[str, Verdict]:
    found = {name: None for one in corpora for name in one.defined}
    if not found:
        return {}
    return {
        one.name: Verdict(", ".join(one.defined) or "none of the identifiers", 1.0 if one.defined else UNDEFINED)
        for one in corpora
    }


def _vocabulary(query: AnalysedQuery, corpora: Sequence[Candidate]) -> Mapping[str, Verdict]:
    """The likelihood of the question's words, by the share of each corpus's documents that hold them."""
    said = {one.name: 0.0 for one in corpora}
    most: dict[str, tuple[float, str]] = {}
    total = 0.0
    for term in query.terms:
        shares = {one.name: one.counts.share(term.text) for one in corpora}
        mean = sum(shares.values()) / len(shares)
        if mean <= 0.0:
            continue
        total += term.weight
        for name, share in shares.items():
            gain = term.weight * log((1.0 - EVEN) * share / mean + EVEN)
            said[name] += gain
            most[name] = max(most.get(name, (0.0, "")), (gain, term.text))
    if not total:
        return {}
    best = max(said.values())
    return {
        name: Verdict(
            f"most of all {most[name][1]}" if most[name][1] else "no word more than others",
            round(exp(VOCABULARY * (value - best) / sqrt(total)), 4),
        )
        for name, value in said.items()
    }


def _documentation(_query: AnalysedQuery, corpora: Sequence[Candidate]) -> Mapping[str, Verdict]:
    return {
        one.name: Verdict(f"{one.counts.documentation:.0%}", eased=HELD_BACK_IN_CODE)
        for one in corpora
        if one.counts.documentation > MOSTLY
    }


RULES: tuple[RouteRule, ...] = (
    RouteRule("route.named", "the question names", _named),
    RouteRule("route.defines", "identifiers that it defines", _defines),
    RouteRule("route.vocabulary", "words that it speaks more than others", _vocabulary),
    RouteRule("route.documentation", "prose is the subject here; share of documentation", _documentation),
)
"""All rules; weights are multiplied."""
