"""One answer out of what several corpora gave: hits in their order, copies named, one receipt for all.

The receipt has a row a corpus for its snapshot and for its routing. What a corpus has to say is one notice that begins
with its name; what several say alike is said once. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..kb.errors import GazetteerError, IncompleteError
from .analyze import ANALYZER_VERSION, AnalysedQuery
from .answer import within
from .evidence import MAX_ALSO
from .fuse import ChunkKey
from .inquiry import SEVERAL, Found, Part, Shown
from .planner import Outcome, Plan, describe
from .query import (
    Answer,
    Evidence,
    FreshnessInfo,
    Hit,
    Place,
    PlanInfo,
    Query,
    Receipt,
    RouteStep,
    SnapshotInfo,
)
from .route import Route


class Findings(msgspec.Struct, frozen=True):
    """What a federated question came to, before it is an answer.

    ``rows`` are in the order in which they are shown; the other mappings are by corpus.
    """

    rows: tuple[Shown, ...]
    parts: Mapping[str, Part]
    receipts: Mapping[str, Receipt]
    found: Mapping[str, Found]
    made: Plan  # of the first corpus
    routes: tuple[Route, ...]
    failures: Mapping[str, GazetteerError]
    spent: Mapping[str, float]
    suppressed: Mapping[str, int]
    rounds: int
    more: bool  # there was more to show than was asked for
    elapsed_ms: float


def assemble(query: Query, analysed: AnalysedQuery, found: Findings) -> tuple[Answer, tuple[Evidence, ...]]:
    """Put an answer together.

    Raises:
        IncompleteError: ``current-complete`` was required and something is missing.
    """
    failed = {name: f"{name} was not asked: {error.message}" for name, error in found.failures.items()}
    receipts = found.receipts
    missing = [f"{name}: {clause}" for name, receipt in receipts.items() for clause in receipt.missing]
    missing += failed.values()
    if query.require == "current-complete" and missing:
        raise IncompleteError(
            f"The evidence is not complete and current: {'; '.join(missing)}; run `gazetteer health` for details, or "
            "ask without --require.",
            missing=missing,
        )
    everything = hits_of(found.rows, found.parts)
    hits = within(everything, query.budget_characters) if query.budget_characters else everything
    left_out = 0 if hits is everything else sum(one not in hits for one in everything)
    suppressed = {**found.suppressed, **({"budget": left_out} if left_out else {})}
    first = next(iter(receipts.values()))
    receipt = Receipt(
        snapshot=SnapshotInfo(
            SEVERAL.join(one.snapshot.id for one in receipts.values()),
            tuple(corpus for one in receipts.values() for corpus in one.snapshot.corpora),
        ),
        freshness=_freshness([one.freshness for one in receipts.values()], found.rounds),
        semantic=any(one.semantic for one in receipts.values()),
        semantic_reason=first.semantic_reason,
        analyzer=ANALYZER_VERSION,
        position_encoding=first.position_encoding,
        plan=_plan(found, hits, list(failed.values())),
        notices=(*analysed.notices, *_said(receipts), *failed.values()),
        missing=tuple(missing),
        suppressed=dict(sorted(suppressed.items())),
        truncated=bool(left_out) or found.more,
        elapsed_ms=found.elapsed_ms,
    )
    evidence = tuple(
        Evidence(hit.citation, hit.locator, hit.score, hit.signals, dict(row.because))
        for hit, row in zip(hits, found.rows, strict=False)
    )
    return Answer(hits, receipt), evidence


def hits_of(rows: Sequence[Shown], parts: Mapping[str, Part]) -> tuple[Hit, ...]:
    """The hits of all corpora in the order of the rows; copies in other corpora are listed in them."""
    made = {shown.row.key: hit for part in parts.values() for shown, hit in zip(part.shown, part.hits, strict=True)}
    return tuple(_with_copies(made[row.row.key], row.row.same_text, parts) for row in rows)


def _with_copies(hit: Hit, copies: Iterable[ChunkKey], parts: Mapping[str, Part]) -> Hit:
    """Name the copies in other corpora before those in its own, at least one of them in any case."""
    places = [
        Place(parts[key.corpus].origin.path(key.path), hit.lines, hit.heading, "same text", key.corpus)
        for key in sorted(copies)
        if key.corpus != hit.corpus and key.corpus in parts
    ]
    if not places:
        return hit
    kept = hit.also[: max(0, MAX_ALSO - 1)]
    return msgspec.structs.replace(hit, also=(*kept, *places[: max(1, MAX_ALSO - len(kept))]))


def _freshness(all_of: Sequence[FreshnessInfo], rounds: int) -> FreshnessInfo:
    """The sum of what was checked; the oldest look counts."""
    ages = [one.sweep_age_ms for one in all_of]
    return FreshnessInfo(
        hashed=sum(one.hashed for one in all_of),
        refreshed=sum(one.refreshed for one in all_of),
        rounds=rounds,
        sweep_complete=all(one.sweep_complete for one in all_of),
        sweep_age_ms=-1.0 if min(ages) < 0 else max(ages),
        stale_excluded=sum(one.stale_excluded for one in all_of),
    )


def _plan(found: Findings, hits: Sequence[Hit], unreachable: Sequence[str]) -> PlanInfo:
    """The plan of the first corpus with what came of it in all, and a row a corpus for its routing."""
    outcomes: dict[str, Outcome] = {}
    undefined: list[set[str]] = []
    for part in found.found.values():
        undefined.append(set(part.finding.undefined))
        for strategy, one in part.finding.outcomes.items():
            so_far = outcomes.get(strategy, Outcome(0, 0.0))
            outcomes[strategy] = Outcome(so_far.found + one.found, so_far.cost_ms + one.cost_ms)
    made = found.made
    nowhere = [name for name in made.names if undefined and all(name in one for one in undefined)]
    plan = describe(made, outcomes, undefined=nowhere, unreachable=unreachable)
    return msgspec.structs.replace(plan, routing=tuple(_step(one, found, hits) for one in found.routes))


def _step(route: Route, found: Findings, hits: Sequence[Hit]) -> RouteStep:
    part = found.found.get(route.corpus)
    finding = part.finding if part is not None else None
    candidates = len(finding.gathered.candidates) if finding is not None else 0
    if finding is not None and not candidates:  # asked for a passage, by keywords alone
        candidates = sum(outcome.found for outcome in finding.outcomes.values())
    shown = sum(hit.corpus == route.corpus for hit in hits)
    return route.step(candidates, shown, round(found.spent.get(route.corpus, 0.0), 3))


def _said(receipts: Mapping[str, Receipt]) -> list[str]:
    """What the corpora have to say, one sentence each; of several that say the same, once."""
    by_text: dict[str, list[str]] = {}
    for name, receipt in receipts.items():
        if receipt.notices:
            by_text.setdefault(" ".join(receipt.notices), []).append(name)
    return [f"{', '.join(names)}: {text}" for text, names in by_text.items()]
