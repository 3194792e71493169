"""What a question and an answer are made of: the wire format of every front door.

Frozen values only. ``msgspec`` renames the fields to camelCase on the wire (``to_wire``); Python code uses snake_case.
Positions inside ``range`` are LSP positions (0-based line, 0-based character in the encoding that the receipt names);
``lines`` are 1-based and inclusive, for people.
"""

from typing import Any, Literal

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.model import Provenance

Via = Literal["exact", "lexical", "semantic", "structural", "graph"]
ScoreKind = Literal["bm25", "cosine_similarity", "distance", "rank", "rrf", "weighted"]
Freshness = Literal["verified", "overlay", "stale", "unverified"]
Stand = Literal["same", "moved", "changed", "gone"]
Standing = Literal["own", "declared", "shared", "attached", "registered", "found"]
"""Why a corpus takes part: one stands in it, the own one names it, it is shared with all, the question attaches it, all
were asked for, or it lies below an umbrella."""

DEFAULT_LIMIT = 6
PEOPLE_LIMIT = 20
API_LIMIT = 50
MAX_QUERY_CHARACTERS = 2_000
MAX_AROUND = 1_000
"""Lines that can be asked for before and after a passage."""


class Filters(msgspec.Struct, frozen=True, rename="camel"):
    """Which chunks may answer. Empty means no restriction; several values of one field are alternatives."""

    paths: tuple[str, ...] = ()  # globs on the relative path; `**` crosses directories
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()  # symbol names
    via: tuple[Via, ...] = ()
    changed_since: float | None = None  # seconds since the epoch


class Scope(msgspec.Struct, frozen=True, rename="camel"):
    """Which corpora a question goes to (row C5); empty: the own, those it declares, those that are shared."""

    corpora: tuple[str, ...] = ()  # these, and no others, instead of the own
    everywhere: bool = False  # every registered corpus
    attach: tuple[str, ...] = ()  # these too
    without: tuple[str, ...] = ()  # never these


class Query(msgspec.Struct, frozen=True, rename="camel"):
    """A question with all that bounds its answer; a budget of 0 is none."""

    text: str
    limit: int = DEFAULT_LIMIT
    filters: Filters = Filters()
    require: Literal["", "current-complete"] = ""
    freshness: Literal["", "strict"] = ""
    snapshot: str = ""  # id of a snapshot of an earlier receipt that is still held
    budget_ms: float = 0.0
    budget_characters: int = 0  # of the texts of all hits together
    scope: Scope = Scope()

    def bounded(self) -> "Query":
        """The query, if it asks for as many hits as there may be.

        Raises:
            InvalidArgumentError: it asks for none, or for too many.
        """
        if not 1 <= self.limit <= API_LIMIT:
            raise InvalidArgumentError(f"limit is a number from 1 to {API_LIMIT}, not {self.limit}.", argument="limit")
        return self


class Score(msgspec.Struct, frozen=True, rename="camel"):
    """A number with what it means; scores of different kinds are never compared."""

    value: float
    kind: ScoreKind
    direction: Literal["higher", "lower"] = "higher"


class Signal(msgspec.Struct, frozen=True, rename="camel"):
    """One reason a hit was found, with its 1-based rank in that signal's own list."""

    via: Via
    score: Score
    rank: int
    reason: str = ""


class Position(msgspec.Struct, frozen=True, rename="camel"):
    """An LSP position."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True, rename="camel"):
    """An LSP range, end exclusive."""

    start: Position
    end: Position


class Place(msgspec.Struct, frozen=True, rename="camel"):
    """A further place that a hit stands for: another chunk of the document, or a copy of the same text."""

    path: str
    lines: tuple[int, int]
    heading: str = ""
    reason: Literal["same document", "same text"] = "same document"
    corpus: str = ""  # where that is not the corpus of the hit


class Hit(msgspec.Struct, frozen=True, rename="camel"):
    """One piece of evidence (row R3)."""

    corpus: str
    path: str  # as usable from the caller's workspace root
    relpath: str
    uri: str
    range: Range
    selection_range: Range  # of it, what the citation names: where one that goes there wants to stand
    lines: tuple[int, int]
    language: str
    kind: str
    source_type: str
    heading: str
    trail: tuple[str, ...]
    label: str  # "path § heading"
    citation: str  # "path § heading (Line 42)"
    locator: str
    via: tuple[Via, ...]
    signals: tuple[Signal, ...]
    score: Score
    snippet: str
    snippet_lines: tuple[int, int]
    text: str
    freshness: Freshness
    provenance: Provenance
    also: tuple[Place, ...] = ()
    highlights: tuple[tuple[int, int], ...] = ()  # matches inside `snippet`, in code points, half-open


class Expansion(msgspec.Struct, frozen=True, rename="camel"):
    """What stands now where a locator points (row R11). Read live, never from the index.

    ``state``: the passage is as it was indexed (``same``), stands elsewhere (``moved``), is another text under the same
    heading or at the same place (``changed``), or is not to be found (``gone``; then ``text`` is empty). ``lines`` is
    the passage itself; ``text_lines`` and ``text`` take in what was asked for around it.
    """

    state: Stand
    reason: str
    corpus: str
    path: str
    relpath: str
    uri: str
    range: Range
    lines: tuple[int, int]
    language: str
    heading: str
    trail: tuple[str, ...]
    label: str
    citation: str
    locator: str
    freshness: Freshness
    text: str
    text_lines: tuple[int, int]
    truncated: bool = False


class OverlayState(msgspec.Struct, frozen=True, rename="camel"):
    """An open buffer that the snapshot saw."""

    path: str
    version: int
    content_id: str


class CorpusSnapshot(msgspec.Struct, frozen=True, rename="camel"):
    """What one corpus looked like to this query. Coverage is a fraction of its chunks."""

    corpus: str
    generation: int
    documents: int
    chunks: int
    lexical_coverage: float
    vector_coverage: float
    overlays: tuple[OverlayState, ...] = ()
    partial: str = ""


class SnapshotInfo(msgspec.Struct, frozen=True, rename="camel"):
    """The view that the answer was made from."""

    id: str
    corpora: tuple[CorpusSnapshot, ...]


class FreshnessInfo(msgspec.Struct, frozen=True, rename="camel"):
    """What was checked at the query boundary."""

    hashed: int
    refreshed: int
    rounds: int
    sweep_complete: bool
    sweep_age_ms: float
    stale_excluded: int = 0


class PlanStep(msgspec.Struct, frozen=True, rename="camel"):
    """One strategy that the planner chose or skipped, and why."""

    strategy: str
    chosen: bool
    rule: str
    reason: str
    found: int = 0
    cost_ms: float = 0.0


class RouteStep(msgspec.Struct, frozen=True, rename="camel"):
    """One corpus that could be asked: what was decided about it, by which rules, and what became of it."""

    corpus: str
    standing: Standing
    chosen: bool
    rule: str
    reason: str
    weight: float = 1.0
    found: int = 0
    shown: int = 0
    cost_ms: float = 0.0


class PlanInfo(msgspec.Struct, frozen=True, rename="camel"):
    """The plan as executed (row P2)."""

    query_class: str
    confidence: float
    terms: tuple[str, ...]
    steps: tuple[PlanStep, ...]
    gaps: tuple[str, ...] = ()
    routing: tuple[RouteStep, ...] = ()  # a row a corpus, where there are several


class Receipt(msgspec.Struct, frozen=True, rename="camel"):
    """What every answer says about itself."""

    snapshot: SnapshotInfo
    freshness: FreshnessInfo
    semantic: bool
    semantic_reason: str
    analyzer: str
    position_encoding: str
    plan: PlanInfo
    notices: tuple[str, ...]
    missing: tuple[str, ...]  # what keeps the evidence from being complete and current, one clause each
    suppressed: dict[str, int]
    truncated: bool
    elapsed_ms: float


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """Hits, best first, and the receipt."""

    hits: tuple[Hit, ...]
    receipt: Receipt


class Evidence(msgspec.Struct, frozen=True, rename="camel"):
    """Why one hit stands where it stands: its signals, and what each ranking feature added or took."""

    citation: str
    locator: str
    score: Score
    signals: tuple[Signal, ...]
    features: dict[str, float]


class Explanation(msgspec.Struct, frozen=True, rename="camel"):
    """The plan of a question, what every strategy gave and cost, and the evidence behind each hit (row P2)."""

    plan: PlanInfo
    evidence: tuple[Evidence, ...]
    receipt: Receipt


def to_wire(value: Any) -> Any:
    """``value`` as plain JSON-ready data with camelCase keys."""
    return msgspec.to_builtins(value)
