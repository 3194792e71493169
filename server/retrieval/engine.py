"""One question, one answer, for one corpus: bind, plan, search, verify, pack.

The loop of the query boundary lives here: candidates come from a view, the bytes behind those to be shown are hashed,
and when they are not what the snapshot says the documents are refreshed and the question is asked again, at most twice.
What then still does not hold is left out and counted, never served as current. Searching itself is ``search``.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import msgspec

from ..kb.cancel import Cancel
from ..kb.errors import IncompleteError, NotFoundError
from ..kb.freshness import Boundary, Sweeper, Verdict
from ..kb.indexer import ProgressSink
from ..kb.knowledge import KnowledgeBase
from ..kb.model import ContentId, DocumentPath
from ..kb.store.rows import Head
from ..kb.text import Units
from . import locator
from .analyze import AnalysedQuery, analyse
from .answer import Round, build_hits, build_receipt, evidence_of, gaps, within
from .binding import Binding
from .buffer_entries import BufferEntries
from .evidence import Origin, listed_copies
from .expand import Stored, expand
from .fuse import ChunkKey, Row
from .glance import Glance
from .inquiry import SEVERAL, Inquiry
from .latest_paths import LatestPaths
from .lexical import LexicalReader
from .lexical_index import LexicalIndex
from .path_table import PathTable
from .planner import KEYWORDS_AND_STRUCTURE, Plan, among_several, plan
from .query import Answer, Evidence, Expansion, Explanation, Hit, Query
from .resembling import wanted
from .rules import Aliases
from .search import Searched, search, search_request
from .view import View

ROUNDS = 3
HELD_VIEWS = 4
TRUE = frozenset({Verdict.VERIFIED, Verdict.OVERLAY})
"""Verdicts that make it certain what a document says."""


class Options(msgspec.Struct, frozen=True):
    """What a retriever is told once: names, waits, and what ``knowledge.yaml`` declares."""

    name: str
    workspace: str
    wait_s: float | None = None
    reuse_s: float = 1.0
    aliases: Aliases = ()
    examples_quote_queries: bool = False
    units: Units = "utf-16"  # what characters of positions are counted in


Ask = Callable[[View], Searched]


class Caller(msgspec.Struct, frozen=True):
    """Who asks: where progress goes, what stops it all, and who wants the hits of the first round before the rest."""

    progress: ProgressSink | None = None
    cancel: Cancel | None = None
    first: Callable[[tuple[Hit, ...]], None] | None = None
    workspace: str = ""  # where paths are spelled from, if not from the corpus's own workspace root

    def check(self) -> None:
        """Go on, or raise `CancelledError`."""
        if self.cancel is not None:
            self.cancel.check()


NOBODY = Caller()


class Retriever:
    """Answers questions about one corpus. Safe to use from several threads."""

    def __init__(self, kb: KnowledgeBase, lexical: LexicalIndex, sweeper: Sweeper, options: Options) -> None:
        self._kb = kb
        self._lexical = lexical
        self._sweeper = sweeper
        self._options = options
        self._entries = BufferEntries(quoting=options.examples_quote_queries)
        self._binding = Binding(kb, lexical, self._entries, options.wait_s)
        self._held: OrderedDict[str, View] = OrderedDict()
        self._paths = LatestPaths(kb.store)
        self._glance: Glance | None = None
        self._lock = Lock()

    def configure(self, aliases: Aliases, name: str) -> None:
        """Take over what an edited ``knowledge.yaml`` declares of names, and what the corpus is called now."""
        self._options = msgspec.structs.replace(self._options, aliases=aliases, name=name)

    # -- questions ----------------------------------------------------------------------------------------------

    def retrieve(self, query: Query, caller: Caller = NOBODY) -> Answer:
        """Answer a question; see `app.Session.retrieve`."""
        return self.ask(query, caller)[0]

    def explain(self, query: Query, caller: Caller = NOBODY) -> Explanation:
        """The plan of a question and the evidence behind its answer."""
        answer, evidence = self.ask(query, caller)
        return Explanation(answer.receipt.plan, evidence, answer.receipt)

    def related(self, target: str, limit: int, caller: Caller = NOBODY) -> Answer:
        """What resembles the passage of a locator or of ``PATH:LINE``.

        Raises:
            InvalidArgumentError: the target is neither.
            NotFoundError: there is no such document, or no such line in it.
        """
        query = Query(text="", limit=limit).bounded()
        made = plan(analyse(""), KEYWORDS_AND_STRUCTURE, query)

        def resembling(view: View) -> Searched:
            asked = wanted(view, self._kb.root, target)
            return search_request(view, made, asked.request, leave_out=ChunkKey(view.corpus, asked.path, asked.ordinal))

        return self._answer(query, made, resembling, caller)[0]

    def expand(self, text: str, before: int, after: int, caller: Caller = NOBODY) -> Expansion:
        """What stands now where a locator points; see `expand.expand`."""
        place = locator.parse(text)
        head = self._kb.store.head()
        content = self._kb.contents.find(place.content)
        stored = renamed = None
        if content is not None:
            row = self._kb.store.with_content(head.generation, content)
            renamed = row.path if row is not None else None
            loaded = self._kb.contents.any_derived(content)
            stored = Stored(*loaded) if loaded is not None else None
        return expand(
            place,
            self._origin(head),
            self._kb.current,
            self._kb.facts.derive,
            saved=self._kb.saved_as,
            check=caller.check,
            stored=stored,
            renamed=renamed,
            before=before,
            after=after,
        )

    def ask(self, query: Query, caller: Caller = NOBODY) -> tuple[Answer, tuple[Evidence, ...]]:
        """Answer a question, with the evidence behind its answer."""
        query = query.bounded()
        made = plan(analyse(query.text), KEYWORDS_AND_STRUCTURE, query, aliases=self._options.aliases)
        return self._answer(query, made, lambda view: search(view, self._table(view), made, caller.check), caller)

    def glance(self) -> Glance | None:
        """What can be said without waiting and without looking at the tree; None while nothing is indexed.

        Raises:
            DamagedError: the keyword index cannot be read.
        """
        reader = self._published()
        if reader is None:
            return None
        known, newest = self._at_hand(reader)
        if newest:
            return known
        view = View(self._options.name, reader, self._kb.snapshot(reader.head), self._entries)

        def doubt(path: DocumentPath) -> None:
            self._kb.mark_dirty(path, "other bytes at a glance")

        def saved(path: DocumentPath) -> ContentId | None:
            row = self._kb.store.document(reader.head.generation, path)
            return row.content_id if row is not None else None

        origin = self._origin(reader.head)
        made = Glance(
            view,
            self._table(view),
            origin,
            saved,
            lambda: Boundary(self._kb, self._sweeper),
            doubt,
            lambda: self._kb.overlays,
        )
        with self._lock:
            self._glance = made
        return made

    def glance_at_hand(self) -> tuple[Glance | None, bool]:
        """The last glance that was made, and whether it is the newest there can be; no buffer is derived for it.

        Raises:
            DamagedError: the keyword index cannot be read.
        """
        reader = self._published()
        return (None, True) if reader is None else self._at_hand(reader)

    def _published(self) -> LexicalReader | None:
        """The keyword index, if anything is published."""
        reader = self._lexical.reader()
        return reader if reader is not None and reader.head.generation and self._kb.store.knows(reader.head) else None

    def _at_hand(self, reader: LexicalReader) -> tuple[Glance | None, bool]:
        with self._lock:
            known = self._glance
        if known is None:
            return None, False
        return known, known.view.reader is reader and known.snapshot.overlays is self._kb.overlays

    def inquire(self, name: str, query: Query, analysed: AnalysedQuery, caller: Caller) -> Inquiry:
        """Put a question, taken apart already, to this corpus, under this name, in steps; see `federate`.

        Raises:
            NotFoundError: no snapshot that the question names is held any more.
        """
        held = None
        if query.snapshot:
            held = self._held_view(*query.snapshot.split(SEVERAL)).named(name)
        options = self._options
        made = among_several(plan(analysed, KEYWORDS_AND_STRUCTURE, query, aliases=options.aliases))
        boundary = self._boundary(query, caller)
        return Inquiry(
            self._kb,
            boundary,
            made,
            bind=lambda: self._binding.bind(name, boundary),
            held=held,
            table=self._table,
            hold=self._hold,
            origin=lambda view: msgspec.structs.replace(self._origin(view.snapshot.head, caller), corpus=name),
        )

    # -- the boundary -------------------------------------------------------------------------------------------

    def _boundary(self, query: Query, caller: Caller) -> Boundary:
        return Boundary(
            self._kb,
            self._sweeper,
            wait_s=self._options.wait_s,
            strict=query.freshness == "strict",
            reuse_s=self._options.reuse_s,
            progress=caller.progress,
            cancel=caller.cancel,
            deadline=time.time() + query.budget_ms / 1000 if query.budget_ms else 0.0,
        )

    def _answer(self, query: Query, made: Plan, ask: Ask, caller: Caller) -> tuple[Answer, tuple[Evidence, ...]]:
        started = time.perf_counter()
        boundary = self._boundary(query, caller)
        if query.snapshot:
            last = self._from_held(self._held_view(query.snapshot), boundary, ask, query.limit)
        else:
            boundary.enter()
            last = self._settled(boundary, ask, query, lambda first: self._first(first, made, query, caller))
        missing = gaps(
            last,
            boundary,
            pending=boundary.unread or self._kb.journal.unsettled,
            unreadable=self._kb.indexer.unreadable,
        )
        if query.require == "current-complete" and missing:
            raise IncompleteError(
                f"The evidence is not complete and current: {'; '.join(missing)}; run `gazetteer health` for details, "
                "or ask without --require.",
                missing=missing,
            )
        found, hits = self._hits(last, made, query, caller)
        receipt = build_receipt(
            self._options.name,
            last,
            boundary,
            notices=(*made.analysed.notices, *self._kb.take_notices(), *boundary.notices),
            missing=missing,
            left_out=0 if hits is found else sum(one not in hits for one in found),
            elapsed_ms=(time.perf_counter() - started) * 1000,
            units=self._options.units,
        )
        self._hold(last.view)
        return Answer(hits, receipt), evidence_of(hits, last.rows[: len(hits)], last.searched)

    def _hits(self, last: Round, made: Plan, query: Query, caller: Caller) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        """The hits of a round, and those of them that the budget lets through."""
        origin = self._origin(last.view.snapshot.head, caller)
        hits = build_hits(origin, last.view, last.searched, last.rows, last.verdicts, last.saved, made.analysed)
        return hits, within(hits, query.budget_characters) if query.budget_characters else hits

    def _first(self, first: Round, made: Plan, query: Query, caller: Caller) -> None:
        if caller.first is not None:
            caller.first(self._hits(first, made, query, caller)[1])

    def _settled(self, boundary: Boundary, ask: Ask, query: Query, first: Callable[[Round], None]) -> Round:
        """Ask until what would be shown is as the disk says, or the rounds or the time are used up."""
        for number in range(1, ROUNDS + 1):
            view = self._binding.bind(self._options.name, boundary)
            last = _verified(view, boundary, ask(view), query.limit, number)
            if number == 1:
                first(last)
            if number == ROUNDS or boundary.is_late():
                break
            if boundary.sweep_done():
                continue
            if not last.wrong or not boundary.repair(last.wrong):
                break
        return last

    def _from_held(self, view: View, boundary: Boundary, ask: Ask, limit: int) -> Round:
        """Answer from a view of an earlier question, which says of each hit what the disk says now."""
        searched = ask(view)
        rows = searched.rows[:limit]
        documents = [view.document(row.key) for row in rows]
        return Round(view, searched, rows, boundary.verify(view.snapshot, documents), (), 1, boundary.saved)

    def close(self) -> None:
        """End the thread that reads large buffers."""
        self._binding.close()

    def _table(self, view: View) -> PathTable:
        return self._paths.of(view.snapshot.head)

    def _origin(self, head: Head, caller: Caller = NOBODY) -> Origin:
        options = self._options
        workspace = caller.workspace or options.workspace
        return Origin(options.name, self._kb.root, head.generation, workspace, options.units)

    def _hold(self, view: View) -> None:
        with self._lock:
            self._held[view.snapshot.id] = view
            self._held.move_to_end(view.snapshot.id)
            while len(self._held) > HELD_VIEWS:
                self._held.popitem(last=False)

    def _held_view(self, *snapshot_ids: str) -> View:
        """The view of the first snapshot that is held."""
        with self._lock:
            for snapshot_id in snapshot_ids:
                if snapshot_id in self._held:
                    return self._held[snapshot_id]
        raise NotFoundError(
            "This snapshot is not held any more; ask again without it to get a newer one.",
            snapshot=SEVERAL.join(snapshot_ids),
        )


def _verified(view: View, boundary: Boundary, searched: Searched, limit: int, number: int) -> Round:
    """The first ``limit`` rows whose bytes are as the view says, with those of their copies of which that is true too.

    What is not as the view says is ``wrong``.
    """
    rows: list[Row[ChunkKey]] = []
    verdicts: dict[DocumentPath, Verdict] = {}
    wrong: list[DocumentPath] = []
    for row in searched.rows:
        if len(rows) == limit:
            break
        verdict = boundary.verify(view.snapshot, [view.document(row.key)])[row.key.path]
        verdicts[row.key.path] = verdict
        if verdict in (Verdict.CHANGED, Verdict.GONE):
            wrong.append(row.key.path)
        else:
            rows.append(row)
    copies = {key.path: view.document(key) for row in rows for key in listed_copies(row)}
    looked = boundary.verify(view.snapshot, list(copies.values())) if copies else {}
    wrong += [path for path, verdict in looked.items() if verdict in (Verdict.CHANGED, Verdict.GONE)]
    told = tuple(
        msgspec.structs.replace(row, same_text=tuple(key for key in listed_copies(row) if looked[key.path] in TRUE))
        if row.same_text
        else row
        for row in rows
    )
    return Round(view, searched, told, verdicts, tuple(dict.fromkeys(wrong)), number, boundary.saved)
