"""One question to several corpora, one answer (rows C5, R1-R3, P2).

Every corpus has a snapshot and a boundary of its own; indexes are never merged. First each says what it knows of the
words: by that `route` weighs the corpora, and `worth` makes their scores comparable. Then each finds candidates, and
all are ranked together by the ranking that one corpus has; `fed_rows` says which passages of them are shown. What is
shown is hashed by the corpus that it is of. A corpus that fails or is late costs its own hits and a sentence, and who
is asked on which thread is for `fanout` to say. One corpus alone is asked as a tree alone is.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

import msgspec

from ..kb.cancel import Cancel
from ..kb.errors import GazetteerError
from ..kb.freshness import Verdict
from ..kb.model import DocumentPath
from .analyze import AnalysedQuery, analyse
from .coverage import Coverage, words_worth
from .engine import ROUNDS, TRUE, Caller, Retriever
from .evidence import listed_copies
from .fanout import Fanout
from .fed_answer import Findings, assemble, hits_of
from .fed_rows import Ordered, candidates_of, one_row_a_text, ordered
from .fuse import ChunkKey, Row
from .inquiry import Found, Inquiry, Part, Shown
from .planner import Plan
from .query import Answer, Evidence, Query, Receipt, Standing
from .rank import rank_documents
from .route import Route, failed, narrowed, route
from .route_rules import RULES, Candidate, RouteRule
from .worth import together

T = TypeVar("T")
GRACE_S = 0.25
"""What a corpus may take beyond the deadline of the question: it sees to that itself, unless it hangs."""


class Member(Protocol):
    """A corpus that takes part."""

    name: str
    standing: Standing

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """Do ``act`` with what answers questions about it; raises a `GazetteerError` where nothing does."""


def federate(
    members: Sequence[Member],
    query: Query,
    caller: Caller,
    *,
    patience_s: float | None = None,
    rules: Sequence[RouteRule] = RULES,
) -> tuple[Answer, tuple[Evidence, ...]]:
    """Ask all members and rank together what they found.

    Args:
        members: who takes part, best known first; names differ.
        query: the question; its budget of time is a deadline for every member.
        caller: who asks.
        patience_s: how long members are waited for where the question has no budget of time; None for as long as it
            takes, as one-shot commands do.
        rules: by which corpora are weighed.

    Raises:
        InvalidArgumentError: a bad limit or filter.
        CancelledError: the caller stopped it.
        IncompleteError: ``current-complete`` was required and something is missing.
        GazetteerError: nobody answered, and why the first did not.
    """
    if len(members) == 1:
        return members[0].ask(lambda retriever: retriever.ask(query, caller))
    return _Federation(members, query.bounded(), caller, rules).answer(patience_s)


def resemble(
    giver: Member,
    members: Sequence[Member],
    target: str,
    query: Query,
    caller: Caller,
    *,
    patience_s: float | None = None,
) -> Answer:
    """What resembles a passage, of all members together.

    Args:
        giver: the corpus that the passage is of; where it is no member nothing of it is shown.
        members: who is asked.
        target: a locator, or ``PATH:LINE``.
        query: how many hits are wanted; it has no words.
        caller: who asks.
        patience_s: as in `federate`.

    Raises:
        InvalidArgumentError: a bad limit, or the target is neither.
        NotFoundError: there is no such document, or no such line in it.
        GazetteerError: the giver cannot be asked, or nobody answered, and why.
    """
    if len(members) == 1 and members[0] is giver:
        return giver.ask(lambda retriever: retriever.related(target, query.limit, caller))
    return _Resemblance(giver, members, target, query.bounded(), caller).answer(patience_s)[0]


class _Side:
    """A member at work on this question. Its inquiry is begun again where its tree was opened anew meanwhile."""

    def __init__(self, member: Member, query: Query, analysed: AnalysedQuery, caller: Caller) -> None:
        self.name = member.name
        self.standing = member.standing
        self.cancel = Cancel()
        self._member = member
        self._query = query
        self._analysed = analysed
        self._caller = msgspec.structs.replace(caller, cancel=self.cancel, first=None)
        self._retriever: Retriever | None = None
        self._inquiry: Inquiry | None = None

    @property
    def made(self) -> Plan:
        """What its inquiry does; there is one once it did a step."""
        assert self._inquiry is not None
        return self._inquiry.made

    @property
    def may_change(self) -> bool:
        """Whether something may have changed under what was found so far, as far as it is known here."""
        return self._inquiry is None or self._inquiry.may_change

    def step(self, act: Callable[[Inquiry], T]) -> T:
        """Do the next thing. The tree is followed at the first one; later only where something went wrong with it."""
        if self._inquiry is not None:
            with suppress(GazetteerError):  # whoever mends it meets it again, and says what it is
                return act(self._inquiry)

        def at(retriever: Retriever) -> T:
            if self._inquiry is None or retriever is not self._retriever:
                self._inquiry = retriever.inquire(self.name, self._query, self._analysed, self._caller)
                self._retriever = retriever
            return act(self._inquiry)

        return self._member.ask(at)


class _Federation:
    """One question under way."""

    def __init__(self, members: Sequence[Member], query: Query, caller: Caller, rules: Sequence[RouteRule]) -> None:
        self._query = query
        self._caller = caller
        self._rules = rules
        self._started = time.perf_counter()
        self._analysed: AnalysedQuery = analyse(query.text)
        self._routes = narrowed(self._analysed, [Candidate(one.name, one.standing) for one in members])
        self._standings = {one.name: one.standing for one in members}
        self._sides = [_Side(one, query, self._analysed, caller) for one in members if one.name not in self._routes]
        self._found: dict[str, Found] = {}

    def answer(self, patience_s: float | None) -> tuple[Answer, tuple[Evidence, ...]]:
        """Ask until what would be shown is as the disks say, or the rounds are used up; then put it together."""
        budget = self._query.budget_ms / 1000 + GRACE_S if self._query.budget_ms else patience_s
        until = None if budget is None else time.monotonic() + budget
        with Fanout(len(self._sides), until, self._caller.cancel) as fanout:
            for number in range(1, ROUNDS + 1):
                order, rows = self._round(fanout)
                if number == 1:
                    self._first(fanout, rows)
                changing = [side for side in self._sides if side.may_change]
                if number == ROUNDS or not any(fanout.each(changing, _again).values()):
                    break
            return self._assembled(fanout, order, rows, number)

    # -- a round ------------------------------------------------------------------------------------------------

    def _round(self, fanout: Fanout) -> tuple[Ordered, list[Shown]]:
        """Look, weigh, find and rank; the rows to show are as the disks say."""
        looked = fanout.each(self._sides, lambda side: side.step(Inquiry.look))
        sides = self._asked(fanout)
        known = [Candidate(one.name, one.standing, looked[one.name].counts, looked[one.name].defined) for one in sides]
        routes = route(self._analysed, known, rules=self._rules)
        self._routes |= routes
        worth = dict(zip(looked, together([one.counts for one in looked.values()]), strict=True))
        self._found = fanout.each(sides, lambda side: side.step(lambda one: one.find(worth[side.name])))
        self._asked(fanout)
        rarity = next(iter(worth.values())).rarity
        ranked = fanout.do(
            lambda: rank_documents(
                self._analysed,
                [one for found in self._found.values() for one in found.finding.gathered.candidates],
                rarity,
                corpora={name: one.treatment for name, one in routes.items()},
            )
        )
        worthwhile = words_worth(self._analysed, rarity)
        documents = candidates_of(ranked, self._query.limit)
        sides = [side for side in self._asked(fanout) if side.name in documents]
        held = fanout.each(sides, lambda side: side.step(lambda one: one.held(tuple(worthwhile), documents[side.name])))
        coverage = Coverage(worthwhile, held)
        names = [one.name for one in known]
        order = fanout.do(lambda: ordered(ranked, self._found, coverage, self._query.limit, names))
        return order, self._checked(fanout, order)

    def _asked(self, fanout: Fanout) -> list[_Side]:
        """Those that are still there.

        Raises:
            GazetteerError: nobody is, and why the first is not.
        """
        sides = fanout.alive(self._sides)
        if not sides:
            raise next(iter(fanout.failures.values()))
        return sides

    def _route(self, name: str, fanout: Fanout) -> Route:
        error = fanout.failures.get(name)
        return self._routes[name] if error is None else failed(name, self._standings[name], error.message)

    def _checked(self, fanout: Fanout, order: Ordered) -> list[Shown]:
        """The first rows whose bytes are as they were indexed; of a held snapshot all, whatever the disks say now."""
        if self._query.snapshot:
            return list(order.rows[: self._query.limit])
        verdicts: dict[tuple[str, DocumentPath], Verdict] = {}
        everything = order.rows
        while True:
            rows = [
                one
                for one in everything
                if one.row.key.corpus not in fanout.failures
                and verdicts.get(one.row.key[:2], Verdict.VERIFIED) not in (Verdict.CHANGED, Verdict.GONE)
            ][: self._query.limit]
            if order.left and everything is order.rows and rows != list(everything[: self._query.limit]):
                everything = order.whole()  # what stands in for those that dropped out may have been left out
                continue
            unknown = [one.row.key for one in rows if one.row.key[:2] not in verdicts]
            if not unknown:
                return self._truly_copied(fanout, rows)
            verdicts |= self._looked_at(fanout, unknown)

    def _truly_copied(self, fanout: Fanout, rows: Sequence[Shown]) -> list[Shown]:
        """The rows with those of their copies that still say the same."""
        copies = [key for one in rows for key in listed_copies(one.row) if key.corpus not in fanout.failures]
        looked = self._looked_at(fanout, copies) if copies else {}

        def told(row: Row[ChunkKey]) -> Row[ChunkKey]:
            same = tuple(key for key in listed_copies(row) if looked.get(key[:2]) in TRUE)
            return msgspec.structs.replace(row, same_text=same)

        return [msgspec.structs.replace(one, row=told(one.row)) if one.row.same_text else one for one in rows]

    def _looked_at(self, fanout: Fanout, keys: Sequence[ChunkKey]) -> dict[tuple[str, DocumentPath], Verdict]:
        """What the disks say of documents."""
        names = {key.corpus for key in keys}
        sides = [side for side in self._sides if side.name in names]

        def verify(side: _Side) -> Mapping[DocumentPath, Verdict]:
            paths = [key.path for key in keys if key.corpus == side.name]
            return side.step(lambda inquiry: inquiry.verify(paths))

        looked = fanout.each(sides, verify)
        return {(name, path): verdict for name, found in looked.items() for path, verdict in found.items()}

    def _first(self, fanout: Fanout, rows: Sequence[Shown]) -> None:
        if self._caller.first is not None:
            parts = fanout.each(self._sides, lambda side: side.step(lambda one: one.show(_of(rows, side.name))))
            self._caller.first(hits_of(_given(rows, parts), parts))

    def _assembled(
        self, fanout: Fanout, order: Ordered, rows: Sequence[Shown], rounds: int
    ) -> tuple[Answer, tuple[Evidence, ...]]:
        def close(side: _Side) -> tuple[Part, Receipt]:
            mine = _of(rows, side.name)
            return side.step(lambda one: (one.show(mine), one.close(mine)))

        closed = fanout.each(self._sides, close)
        first, *_ = self._asked(fanout)
        parts = {name: part for name, (part, _) in closed.items()}
        found = Findings(
            rows=_given(rows, parts),
            parts=parts,
            receipts={name: receipt for name, (_, receipt) in closed.items()},
            found=self._found,
            made=first.made,
            routes=tuple(self._route(name, fanout) for name in self._standings),
            failures=fanout.failures,
            spent=fanout.spent,
            suppressed=order.suppressed,
            rounds=rounds,
            more=len(order.rows) + order.left > len(rows),
            elapsed_ms=(time.perf_counter() - self._started) * 1000,
        )
        return assemble(self._query, self._analysed, found)


class _Resemblance(_Federation):
    """A passage instead of a question: its words are asked for everywhere, and scores are made comparable as there."""

    def __init__(self, giver: Member, members: Sequence[Member], target: str, query: Query, caller: Caller) -> None:
        super().__init__(members, query, caller, ())
        self._wanted = giver.ask(
            lambda retriever: retriever.inquire(giver.name, query, self._analysed, caller).wanted(target)
        )

    def _round(self, fanout: Fanout) -> tuple[Ordered, list[Shown]]:
        terms = [term.text for term in self._wanted.request.terms]
        counts = fanout.each(self._sides, lambda side: side.step(lambda one: one.counts(terms)))
        sides = self._asked(fanout)
        self._routes |= route(self._analysed, [Candidate(one.name, one.standing) for one in sides], rules=self._rules)
        worth = dict(zip(counts, together(list(counts.values())), strict=True))
        found = fanout.each(sides, lambda side: side.step(lambda one: one.alike(self._wanted, worth[side.name])))
        self._asked(fanout)
        self._found = {name: Found(one.finding, one.contents) for name, one in found.items()}
        scores = {match.key._replace(corpus=name): match.score for name, one in found.items() for match in one.matches}
        best_first = sorted(scores, key=lambda key: (-scores[key], key))
        collapsed = one_row_a_text(best_first, self._found, [one.name for one in sides])
        rows = [Shown(row, (row.key.ordinal,) * 2, scores[row.key], {}) for row in collapsed.rows]
        order = Ordered(tuple(rows), collapsed.suppressed)
        return order, self._checked(fanout, order)


def _again(side: _Side) -> bool:
    return side.step(Inquiry.again)


def _of(rows: Sequence[Shown], name: str) -> list[Shown]:
    return [one for one in rows if one.row.key.corpus == name]


def _given(rows: Sequence[Shown], parts: Mapping[str, Part]) -> tuple[Shown, ...]:
    """The rows whose corpora are still there."""
    return tuple(one for one in rows if one.row.key.corpus in parts)
