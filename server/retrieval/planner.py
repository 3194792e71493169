"""Which strategies answer a question, and why (rows P1, P2, P3). No model, no index, no clock: rules over words.

Pure and deterministic: `plan` makes a plan, somebody else executes it, `describe` says what came of it. Cheap exact and
structural routes come first; keyword search is in every plan that looks for anything (row R1). A strategy that is not
there is a step that says so, never a silent absence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TypeVar

import msgspec

from .analyze import AnalysedQuery, Term
from .query import Filters, PlanInfo, PlanStep, Query, Via
from .rules import RULES, Alias, Aliases, Ask, Concepts, QueryClass, Question, Rule, Sight, no_concepts

_T = TypeVar("_T")
ORDER: tuple[Via, ...] = ("exact", "structural", "lexical", "semantic", "graph")
"""Cheapest first; also the order of a plan's steps."""
BUDGETS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"exact": (200, 5), "structural": (100, 5), "lexical": (200, 10), "semantic": (100, 5), "graph": (100, 5)}
)
"""Candidates a strategy may give: at least the first, and the second for every hit that is asked for."""
MAX_SHOWN = 100
"""Characters of a name in a sentence; what was typed or pasted may be pages long."""
ALWAYS = "always.lexical"
"""Rule id of the step that no rule has to ask for."""


class Capabilities(msgspec.Struct, frozen=True):
    """Strategies that cannot run here, each with the reason that a person is told."""

    unavailable: Mapping[str, str] = MappingProxyType({})


KEYWORDS_AND_STRUCTURE = Capabilities(
    MappingProxyType(
        {
            "semantic": "not available: this corpus has no index of vectors",
        }
    )
)
"""What a corpus without vectors can do."""


class Step(msgspec.Struct, frozen=True):
    """One strategy: whether it runs, by which rules, why, and how many candidates it may give."""

    strategy: Via
    chosen: bool
    rule: str
    reason: str
    budget: int = 0


class Plan(msgspec.Struct, frozen=True):
    """What is to be done. ``steps`` has one row for every strategy there is, in the order they run."""

    query_class: QueryClass
    confidence: float
    analysed: AnalysedQuery
    filters: Filters
    steps: tuple[Step, ...]
    names: tuple[str, ...] = ()  # to look up as definitions
    paths: tuple[str, ...] = ()  # to look up as files: names or the ends of paths, `:line` allowed
    aliases: tuple[Alias, ...] = ()  # what the query calls by a declared name
    asks: tuple[Ask, ...] = ()  # for the structural and the graph strategy
    expansion: tuple[Term, ...] = ()  # terms of the same concepts: support only

    def step(self, strategy: Via) -> Step:
        """Return the step of a strategy."""
        return self.steps[ORDER.index(strategy)]

    def chooses(self, strategy: Via) -> bool:
        """Whether a strategy runs."""
        return self.step(strategy).chosen


class Fired(msgspec.Struct, frozen=True):
    """A rule that applied, and what it saw."""

    rule: Rule
    sight: Sight


Policy = Callable[[Question, Sequence[Fired]], tuple[QueryClass, float]]
"""Decides the class of a question from the rules that applied (at least one)."""


def most_confident(_question: Question, fired: Sequence[Fired]) -> tuple[QueryClass, float]:
    """Return the class of the most confident rule; of equals, the first in the table."""
    best = max(fired, key=lambda one: one.rule.confidence)
    return best.rule.query_class, best.rule.confidence


def plan(
    analysed: AnalysedQuery,
    capabilities: Capabilities,
    query: Query,
    *,
    rules: Sequence[Rule] = RULES,
    policy: Policy = most_confident,
    concepts: Concepts = no_concepts,
    aliases: Aliases = (),
) -> Plan:
    """Return the plan for a question.

    Args:
        analysed: the text of ``query``, taken apart.
        capabilities: what cannot run here.
        query: limit and filters; its text is not read again.
        rules: the table.
        policy: what decides the class.
        concepts: what widens the query.
        aliases: what the owner of the tree calls its parts.

    """
    question = Question(analysed, query.filters, aliases)
    if analysed.is_blank:
        skipped = tuple(Step(strategy, False, "query.blank", "there is nothing to look for") for strategy in ORDER)
        return Plan("blank", 1.0, analysed, query.filters, skipped)
    fired = _by_usual_rules(question) if rules is RULES else _fired(question, rules)
    query_class, confidence = policy(question, fired) if fired else ("broad", 0.0)
    return Plan(
        query_class=query_class,
        confidence=confidence,
        analysed=analysed,
        filters=query.filters,
        steps=tuple(_step(strategy, fired, capabilities, query) for strategy in ORDER),
        names=_unique(name for one in fired for name in one.sight.names),
        paths=_unique(path for one in fired for path in one.sight.paths),
        aliases=_unique(alias for one in fired for alias in one.sight.aliases),
        asks=_unique(ask for one in fired for ask in one.sight.asks),
        expansion=concepts(analysed),
    )


def _fired(question: Question, rules: Sequence[Rule]) -> tuple[Fired, ...]:
    return tuple([Fired(rule, sight) for rule in rules if (sight := rule.look(question)) is not None])


@lru_cache(maxsize=16)  # several corpora are asked the same question
def _by_usual_rules(question: Question) -> tuple[Fired, ...]:
    return _fired(question, RULES)


def among_several(made: Plan) -> Plan:
    """The same plan where several corpora give candidates: each gives half as many by keywords."""
    steps = [
        msgspec.structs.replace(step, budget=step.budget // 2) if step.strategy == "lexical" else step
        for step in made.steps
    ]
    return msgspec.structs.replace(made, steps=tuple(steps))


class Outcome(msgspec.Struct, frozen=True):
    """What one executed strategy gave: candidates, and milliseconds."""

    found: int
    cost_ms: float


def describe(
    made: Plan, outcomes: Mapping[str, Outcome], *, undefined: Sequence[str] = (), unreachable: Sequence[str] = ()
) -> PlanInfo:
    """Return a plan, and what came of it, as a receipt shows it.

    Args:
        made: the plan.
        outcomes: by strategy; a strategy that is missing was not executed.
        undefined: identifiers of the query that nothing defines (`structural.Located.undefined`).
        unreachable: sentences about corpora that could not be asked.

    """
    steps = []
    for step in made.steps:
        outcome = outcomes.get(step.strategy, Outcome(0, 0.0))
        steps.append(PlanStep(step.strategy, step.chosen, step.rule, step.reason, outcome.found, outcome.cost_ms))
    return PlanInfo(
        query_class=made.query_class,
        confidence=made.confidence,
        terms=tuple(term.text for term in made.analysed.terms),
        steps=tuple(steps),
        gaps=(*(f"Nothing here defines {_brief(name)}." for name in undefined), *unreachable),
    )


def _brief(name: str) -> str:
    return name if len(name) <= MAX_SHOWN else f"{name[:MAX_SHOWN]}…"


def _step(strategy: Via, fired: Sequence[Fired], capabilities: Capabilities, query: Query) -> Step:
    asking = [one for one in fired if strategy in one.rule.strategies]
    rule = ", ".join(one.rule.id for one in asking)
    reason = "; ".join(f"{one.rule.reason}: {one.sight.saw}" for one in asking)
    via = query.filters.via
    if via and strategy not in via:
        return Step(strategy, False, "filter.via", f"only {', '.join(via)} was asked for")
    if strategy in capabilities.unavailable:
        return Step(strategy, False, rule or "capability.missing", capabilities.unavailable[strategy])
    least, each = BUDGETS[strategy]
    budget = max(least, each * query.limit)
    if asking:
        return Step(strategy, True, rule, reason, budget)
    if strategy == "lexical":
        return Step(strategy, True, ALWAYS, "keyword search runs on every query", budget)
    if strategy in via:
        return Step(strategy, True, "filter.via", "it was asked for", budget)
    return Step(strategy, False, "rule.none", "no rule asked for it")


def _unique(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
