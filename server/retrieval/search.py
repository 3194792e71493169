"""Execute a plan on one view: every chosen strategy gives its list, the lists become one ranking, one row a document.

Nothing is hashed and nothing is refreshed here; a view answers the same question alike for as long as it is held.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from ..kb.model import DocumentPath
from .candidates import Gathered, gather, support_terms
from .filters import Restriction
from .fuse import ChunkKey, Row, collapse, counted
from .lexical_request import LexicalRequest, request_for
from .path_table import PathTable
from .planner import Outcome, Plan, describe
from .query import PlanInfo, Score, Signal, Via
from .rank import RankedDocument, rank_documents
from .structural import Located, Locating, Spot
from .tracing import Tracing
from .view import Match, View
from .worth import Worth

_T = TypeVar("_T")


class Searched(msgspec.Struct, frozen=True):
    """What came of a plan: rows best first, why the chunk of each was found, and what is no row of its own."""

    plan: PlanInfo
    rows: tuple[Row[ChunkKey], ...] = ()
    signals: Mapping[ChunkKey, tuple[Signal, ...]] = {}
    scores: Mapping[ChunkKey, Score] = {}
    features: Mapping[ChunkKey, Mapping[str, float]] = {}
    suppressed: Mapping[str, int] = {}


class Finding(msgspec.Struct, frozen=True):
    """What every strategy of a plan found in one view, not yet in an order."""

    gathered: Gathered
    outcomes: Mapping[str, Outcome]
    undefined: tuple[str, ...]  # identifiers of the question that nothing here defines
    signals: Callable[[ChunkKey], tuple[Signal, ...]]


def search(view: View, paths: PathTable, plan: Plan, check: Callable[[], None] = lambda: None) -> Searched:
    """Answer a plan from a view; arguments and errors as `find`."""
    found = find(view, paths, plan, check)
    ranked = {one.key: one for one in rank_documents(plan.analysed, found.gathered.candidates, found.gathered.rarity)}
    check()
    documents = found.gathered.documents
    collapsed = collapse(ranked, document=lambda key: key.path, content=lambda key: documents[key.path].content_id)
    best = [ranked[row.key] for row in collapsed.rows]
    within = sum([len(one.document.chunks) - 1 for one in best])
    elsewhere = len(found.gathered.candidates) - within - len(best)
    return Searched(
        plan=describe(plan, found.outcomes, undefined=found.undefined),
        rows=tuple([_whole(row, ranked[row.key]) for row in collapsed.rows]),
        signals={one.key: found.signals(one.key) for one in best},
        scores={one.key: Score(one.score, "weighted") for one in best},
        features={one.key: one.because for one in best},
        suppressed=counted(within, elsewhere),
    )


def _whole(row: Row[ChunkKey], one: RankedDocument) -> Row[ChunkKey]:
    """The row of a document with its further chunks."""
    return Row(row.key, tuple([chunk.key for chunk in one.further()]), row.same_text)


def find(
    view: View, paths: PathTable, plan: Plan, check: Callable[[], None] = lambda: None, worth: Worth | None = None
) -> Finding:
    """Run the strategies of a plan on a view.

    Args:
        view: what is searched.
        paths: the paths of the view's generation.
        plan: what to do.
        check: called between steps; what it raises ends the search.
        worth: what terms count for, where that is not for this index alone to say.

    Raises:
        InvalidArgumentError: a path glob makes no sense.
        DamagedError: the keyword index cannot be read.
    """
    restriction = Restriction(plan.filters, view.snapshot.root)
    run = _Run(view, plan, restriction, check, worth)
    locating = Locating(view.snapshot, view.reader, paths, admits=restriction.admits)
    tracing = Tracing(view, paths, admits=restriction.admits, check=check)
    exact = run.strategy("exact", lambda: locating.exact(plan)) or Located()
    structural = run.strategy("structural", lambda: locating.structural(plan)) or Located()
    run.spots("exact", exact)
    run.spots("structural", structural)
    run.spots("graph", run.strategy("graph", lambda: tracing.graph(plan)) or Located())
    matches = run.strategy("lexical", run.keywords) or []
    run.matches(matches)
    check()
    gathered = run.gathered(matches)
    check()
    return Finding(gathered, run.outcomes, exact.undefined, run.signals)


def search_request(view: View, plan: Plan, request: LexicalRequest, *, leave_out: ChunkKey) -> Searched:
    """Answer a keyword request that no words of a person are behind, without the chunk that it was made from."""
    started = time.perf_counter()
    matches = [match for match in view.search(request) if match.key != leave_out]
    outcome = Outcome(len(matches), (time.perf_counter() - started) * 1000)
    collapsed = collapse([match.key for match in matches], document=lambda key: key.path)
    return Searched(
        plan=describe(plan, {"lexical": outcome}),
        rows=collapsed.rows,
        signals={
            match.key: (Signal("lexical", Score(match.score, "bm25"), rank),) for rank, match in enumerate(matches, 1)
        },
        scores={match.key: Score(match.score, "bm25") for match in matches},
        suppressed=collapsed.suppressed,
    )


class _Run:
    """One execution: what each strategy found, with its signals and what it cost."""

    def __init__(
        self, view: View, plan: Plan, restriction: Restriction, check: Callable[[], None], worth: Worth | None
    ) -> None:
        self._view = view
        self._worth = worth
        self._plan = plan
        self._restriction = restriction
        self._check = check
        self._paths: frozenset[DocumentPath] | None = None
        self._spots: dict[ChunkKey, Spot] = {}
        self.outcomes: dict[str, Outcome] = {}
        self._by_name: dict[ChunkKey, list[Signal]] = {}
        self._by_words: dict[ChunkKey, tuple[int, float]] = {}  # place and score

    def strategy(self, name: Via, act: Callable[[], _T]) -> _T | None:
        """Run a strategy if the plan chose it, and note what it cost."""
        if not self._plan.chooses(name):
            return None
        self._check()
        started = time.perf_counter()
        result = act()
        self.outcomes[name] = Outcome(0, (time.perf_counter() - started) * 1000)
        return result

    def keywords(self) -> list[Match]:
        """The lexical strategy."""
        return self._view.search(self._request(), self._within())

    def _request(self) -> LexicalRequest:
        plan, filters = self._plan, self._plan.filters
        request = request_for(plan.analysed, plan.step("lexical").budget)
        return msgspec.structs.replace(
            request,
            support=(*support_terms(plan.analysed, several=self._worth is not None), *plan.expansion),
            languages=filters.languages,
            kinds=filters.kinds,
            source_types=filters.source_types,
            defining=filters.entities,
            scales=self._worth.scales if self._worth is not None else {},
        )

    def _within(self) -> frozenset[DocumentPath] | None:
        if not self._restriction.by_place:
            return None
        if self._paths is None:
            self._paths = self._restriction.paths(self._view.snapshot.documents())
        return self._paths

    def spots(self, name: Via, located: Located) -> None:
        """Take over what was found by name, in its order."""
        filters = self._plan.filters
        keys: list[ChunkKey] = []
        for spot in located.spots:
            key = ChunkKey(self._view.corpus, spot.document.path, spot.ordinal)
            if filters.kinds or filters.entities:
                note = self._view.snapshot.outlines([spot.document])[spot.document.path][spot.ordinal]
                if filters.kinds and note.kind not in filters.kinds:
                    continue
                if filters.entities and not set(filters.entities) & set(note.defined):
                    continue
            keys.append(key)
            signal = Signal(name, Score(float(len(keys)), "rank", "lower"), len(keys), spot.reason)
            self._by_name.setdefault(key, []).append(signal)
            self._spots.setdefault(key, spot)
        self._note(name, len(keys))

    def matches(self, matches: Sequence[Match]) -> None:
        """Take over what keyword search found."""
        self._by_words = {match.key: (place, match.score) for place, match in enumerate(matches, 1)}
        self._note("lexical", len(matches))

    def signals(self, key: ChunkKey) -> tuple[Signal, ...]:
        """Why a chunk was found, in the order in which strategies run."""
        signals = self._by_name.get(key, [])
        if key in self._by_words:
            place, score = self._by_words[key]
            signals = [*signals, Signal("lexical", Score(score, "bm25"), place)]
        return tuple(signals)

    def gathered(self, matches: Sequence[Match]) -> Gathered:
        """All candidates, with what is known of them."""
        plan = self._plan
        gathered = gather(
            self._view,
            plan.analysed,
            self._request() if plan.chooses("lexical") else None,
            matches,
            self._spots,
            admits=self._restriction.admits,
            rarity=self._worth.rarity if self._worth is not None else None,
        )
        for place, match in enumerate(gathered.further, len(matches) + 1):
            self._by_words[match.key] = (place, match.score)
        return gathered

    def _note(self, name: Via, found: int) -> None:
        if name in self.outcomes:
            self.outcomes[name] = msgspec.structs.replace(self.outcomes[name], found=found)
