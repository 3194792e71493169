"""One question at one corpus, in steps that wait for what other corpora say in between.

Each step may be the first: the boundary is entered and a view bound when they are needed. Candidates are found here and
ordered by whoever asks several corpora (`federate`); what is to be shown comes back, is hashed, and becomes hits. The
rules of the boundary are those of a question to one corpus (`engine`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from ..kb.errors import UnavailableError
from ..kb.freshness import Boundary, Verdict
from ..kb.knowledge import KnowledgeBase
from ..kb.model import ContentId, DocumentPath
from .answer import Round, build_hits, build_receipt, gaps
from .candidates import support_terms
from .evidence import Origin
from .fuse import ChunkKey, Row
from .path_table import PathTable
from .planner import Plan, describe
from .query import Hit, Receipt, Score
from .resembling import Alike, Wanted, alike, wanted
from .search import Finding, Searched, find
from .view import View
from .worth import Counts, Worth, count

SEVERAL = "+"
"""Stands between the ids of the snapshots that one answer was made from."""


class Looked(msgspec.Struct, frozen=True):
    """What a corpus is told apart by before it is searched."""

    counts: Counts
    defined: tuple[str, ...]  # identifiers of the question that it defines


class Found(msgspec.Struct, frozen=True):
    """What a corpus found, and what each document of it says, by id."""

    finding: Finding
    contents: Mapping[DocumentPath, ContentId]


class Shown(msgspec.Struct, frozen=True):
    """A passage to be shown: the row it stands for, first and last of its chunks, its score and what made that."""

    row: Row[ChunkKey]
    span: tuple[int, int]
    score: float
    because: Mapping[str, float]


class Part(msgspec.Struct, frozen=True):
    """What one corpus gives to an answer: a hit for each passage that was to be shown, in that order."""

    shown: tuple[Shown, ...]
    hits: tuple[Hit, ...]
    origin: Origin


class Inquiry:
    """A question that is under way at one corpus; used by one thread at a time.

    Args:
        kb: the corpus.
        boundary: of this question.
        made: what is to be done.
        bind: binds the newest view.
        held: the view of an earlier question to answer from, without looking for changes.
        table: the paths of a view.
        hold: keeps a view for later questions.
        origin: where evidence of a view comes from and for whom it is.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        boundary: Boundary,
        made: Plan,
        *,
        bind: Callable[[], View],
        held: View | None,
        table: Callable[[View], PathTable],
        hold: Callable[[View], None],
        origin: Callable[[View], Origin],
    ) -> None:
        self._kb = kb
        self._boundary = boundary
        self._bind = bind
        self._held = held
        self._table = table
        self._hold = hold
        self._origin_of = origin
        self._bound: View | None = None
        self._entered = False
        self._finding: Finding | None = None
        self._wrong: dict[DocumentPath, None] = {}
        self._rounds = 1
        self.made = made

    @property
    def view(self) -> View:
        """What is searched."""
        if self._bound is None:
            if self._held is None and not self._entered:
                self._boundary.enter()
            self._entered = True
            self._bound = self._held or self._bind()
        return self._bound

    @property
    def origin(self) -> Origin:
        """Where its evidence comes from, and for whom."""
        return self._origin_of(self.view)

    def look(self) -> Looked:
        """What the corpus knows of the words and the identifiers of the question."""
        analysed = self.made.analysed
        terms = [term.text for term in (*analysed.terms, *support_terms(analysed, several=True))]
        defined = tuple(name for name in analysed.identifiers if self.view.definitions([name], limit=1))
        return Looked(count(self.view.reader, terms), defined)

    def find(self, worth: Worth) -> Found:
        """Search."""
        view = self.view
        self._finding = finding = find(view, self._table(view), self.made, self._boundary.cancel.check, worth)
        return Found(finding, {path: one.content_id for path, one in finding.gathered.documents.items()})

    def wanted(self, target: str) -> Wanted:
        """What to ask for to find what resembles a passage of this corpus; see `resembling.wanted`."""
        return wanted(self.view, self._kb.root, target)

    def counts(self, terms: Iterable[str]) -> Counts:
        """What the corpus knows of some terms."""
        return count(self.view.reader, terms)

    def alike(self, asked: Wanted, worth: Worth) -> Alike:
        """What resembles a passage of this corpus or of another one."""
        found = alike(self.view, self._kb.root, asked, worth)
        self._finding = found.finding
        return found

    def held(self, terms: Sequence[str], paths: Iterable[DocumentPath]) -> Mapping[DocumentPath, Mapping[int, int]]:
        """Which of the terms the chunks of some documents hold; see `LexicalReader.held`."""
        return self.view.held(terms, paths)

    def verify(self, paths: Iterable[DocumentPath]) -> Mapping[DocumentPath, Verdict]:
        """What the disk says of documents now."""
        snapshot = self.view.snapshot
        documents = [found for path in dict.fromkeys(paths) if (found := snapshot.document(path)) is not None]
        verdicts = self._boundary.verify(snapshot, documents)
        if self._held is None:
            bad = (Verdict.CHANGED, Verdict.GONE)
            self._wrong.update(dict.fromkeys(path for path, verdict in verdicts.items() if verdict in bad))
        return verdicts

    @property
    def may_change(self) -> bool:
        """Whether the tree is still looked at, or what was found is not what the disk says."""
        return self._held is None and (self._boundary.sweeping or bool(self._wrong))

    def again(self) -> bool:
        """Take in what has changed under the answer; whether the question has to be asked again for that."""
        if self._held is not None or self._boundary.is_late():
            return False
        if not self._boundary.sweep_done() and not (self._wrong and self._boundary.repair(tuple(self._wrong))):
            return False
        self._bound, self._finding, self._wrong = None, None, {}
        self._rounds += 1
        return True

    def show(self, shown: Sequence[Shown]) -> Part:
        """The passages to show, as hits.

        Raises:
            UnavailableError: the index was opened anew since they were found.
        """
        finding = self._finding
        if finding is None:
            raise UnavailableError("Its index was made anew while the question was asked; ask again.")
        rows = [one.row for one in shown]
        searched = Searched(
            plan=describe(self.made, finding.outcomes, undefined=finding.undefined),
            rows=tuple(rows),
            signals={row.key: finding.signals(row.key) for row in rows},
            scores={one.row.key: Score(one.score, "weighted") for one in shown},
        )
        verdicts = self.verify(row.key.path for row in rows)
        spans = {one.row.key: one.span for one in shown}
        saved = self._boundary.saved
        origin, analysed = self.origin, self.made.analysed
        hits = build_hits(origin, self.view, searched, rows, verdicts, saved, analysed, spans)
        return Part(tuple(shown), hits, origin)

    def close(self, shown: Sequence[Shown]) -> Receipt:
        """What the corpus has to say about itself in the receipt; its view is kept for later questions."""
        finding, view, boundary = self._finding, self.view, self._boundary
        outcomes = finding.outcomes if finding is not None else {}
        undefined = finding.undefined if finding is not None else ()
        rows = tuple(one.row for one in shown)
        verdicts = self.verify(row.key.path for row in rows)
        searched = Searched(describe(self.made, outcomes, undefined=undefined), rows)
        last = Round(view, searched, rows, verdicts, tuple(self._wrong), self._rounds, boundary.saved)
        missing = gaps(
            last,
            boundary,
            pending=boundary.unread or self._kb.journal.unsettled,
            unreadable=self._kb.indexer.unreadable,
        )
        self._hold(view)
        return build_receipt(
            view.corpus,
            last,
            boundary,
            notices=(*self._kb.take_notices(), *boundary.notices),
            missing=missing,
            left_out=0,
            elapsed_ms=0.0,
            units=self.origin.units,
        )
