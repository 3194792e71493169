"""Which corpora a question goes to and how they are weighed against each other, with the reasons (rows C5, P1, P2).

All that take part are asked, but for those below an umbrella: they are many and were attached by nobody, so where the
question names some of them the others stay closed. How much each weighs is the product of what the rules say
(`route_rules`). Pure.
"""

from collections.abc import Mapping, Sequence

import msgspec

from .analyze import AnalysedQuery
from .query import RouteStep, Standing
from .rank import Treatment
from .route_rules import RULES, Candidate, RouteRule, Verdict, named

ALWAYS = "route.always"
"""Rule id of a corpus that no rule said anything about."""
UMBRELLA = "route.umbrella"
"""Rule id of a corpus that was found below an umbrella and is not the one that the question names."""
FAILED = "route.failed"
"""Rule id of a corpus that could not be asked, or did not answer."""
_ASKED: Mapping[Standing, str] = {
    "own": "it is where the question comes from",
    "declared": "the own corpus declares it",
    "shared": "it is shared with all",
    "attached": "the question attaches it",
    "registered": "all registered corpora were asked for",
    "found": "it lies below the workspace",
}


class Route(msgspec.Struct, frozen=True):
    """What was decided about one corpus."""

    corpus: str
    standing: Standing
    chosen: bool
    rule: str
    reason: str
    treatment: Treatment = Treatment()

    def step(self, found: int, shown: int, cost_ms: float) -> RouteStep:
        """As the plan shows it."""
        return RouteStep(
            corpus=self.corpus,
            standing=self.standing,
            chosen=self.chosen,
            rule=self.rule,
            reason=self.reason,
            weight=self.treatment.weight,
            found=found,
            shown=shown,
            cost_ms=cost_ms,
        )


def narrowed(query: AnalysedQuery, corpora: Sequence[Candidate]) -> dict[str, Route]:
    """The corpora that stay closed, before any was opened."""
    meant = named(query, corpora)
    if not meant:
        return {}
    reason = f"the question names {', '.join(meant)}, and this one was only found below the workspace"
    return {
        one.name: Route(one.name, one.standing, False, UMBRELLA, reason)
        for one in corpora
        if one.standing == "found" and one.name not in meant
    }


def failed(name: str, standing: Standing, message: str) -> Route:
    """A corpus that did not answer, and why."""
    return Route(name, standing, False, FAILED, message)


def route(
    query: AnalysedQuery, corpora: Sequence[Candidate], *, rules: Sequence[RouteRule] = RULES
) -> dict[str, Route]:
    """How the corpora that are asked are treated, by name.

    Args:
        query: the question.
        corpora: those that are asked, with what they know of it.
        rules: the table.
    """
    said: dict[str, list[tuple[RouteRule, Verdict]]] = {one.name: [] for one in corpora}
    for rule in rules:
        for name, verdict in rule.look(query, corpora).items():
            said[name].append((rule, verdict))
    return {one.name: _weighed(one, said[one.name]) for one in corpora}


def _weighed(corpus: Candidate, said: Sequence[tuple[RouteRule, Verdict]]) -> Route:
    weight, eased = 1.0, frozenset[str]()
    for _, verdict in said:
        weight *= verdict.weight
        eased |= verdict.eased
    reasons = [_ASKED[corpus.standing], *(f"{rule.reason}: {verdict.saw}" for rule, verdict in said)]
    return Route(
        corpus=corpus.name,
        standing=corpus.standing,
        chosen=True,
        rule=", ".join(rule.id for rule, _ in said) or ALWAYS,
        reason="; ".join(reasons),
        treatment=Treatment(round(weight, 4), eased),
    )
