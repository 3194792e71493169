"""The composition root: settings + one tree + its store and indexes, as a `Session`.

Front doors call a session and print what comes back; they have no logic of their own. What a session stands on is
opened in `parts` and kept in step with the outside by `opened`.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

import msgspec

from .context.maps import Orientation, read_map
from .corpora import state
from .corpora.entry import Entries, entry_of, unregistered
from .corpora.health import CheckReport, CleanReport, Drift, Finding, Health, Status
from .corpora.registry import Catalogue
from .kb.buffer import Buffer
from .kb.cancel import Cancel
from .kb.check import check
from .kb.edits import TextEdit
from .kb.errors import CancelledError, GazetteerError, NotFoundError, TimeoutExpiredError, UnavailableError
from .kb.indexer import Progress, ProgressSink
from .kb.knowledge import KnowledgeBase
from .kb.paths import Root
from .kb.room import CONTENT_DB, collect_contents, corpus_folder, file_size, folder_size, remove_index
from .kb.store.rows import Head
from .kb.text import Units
from .kb.write import Committed
from .opened import OpenTree
from .parts import Parts
from .retrieval.engine import Caller, Retriever
from .retrieval.glance import Glance
from .retrieval.query import Answer, Expansion, Explanation, Hit, Query
from .settings import Settings, config_root

__all__ = ["Progress", "ProgressSink", "Session"]

T = TypeVar("T")


class Session:
    """One tree, open for questions. Use it as a context manager; it may be shared by threads.

    Args:
        root: the tree.
        settings: what the user has set; the environment is not read here.
        one_shot: every question waits for a whole look at the tree, as a command does. A server sets it to False: then
            a question waits 50 ms at most for that look and says how old the last one is.
        units: what characters of positions in answers are counted in.
        clock: nanoseconds of the wall clock, by which signatures of files come to be trusted.
        entries: gives what the registry says of the tree, whenever that is asked; nothing by default.
        workspace: the folder that paths in answers are spelled from; the tree itself by default.

    Raises:
        NotFoundError: there is no such folder.
        UnavailableError: the cache cannot be used.
    """

    def __init__(
        self,
        root: str,
        settings: Settings,
        *,
        one_shot: bool = True,
        units: Units = "utf-16",
        clock: Callable[[], int] = time.time_ns,
        entries: Entries = unregistered,
        workspace: str = "",
    ) -> None:
        given = Root(root)
        self._cache = settings.index_root()
        if not os.path.isdir(given.real) and not os.path.isdir(corpus_folder(self._cache, given)):
            raise NotFoundError(f"{root} is not a folder; name the folder of a tree.", root=root)
        self.root = given.real
        self._tree = OpenTree(
            given,
            settings,
            entries,
            workspace=Root(workspace).given if workspace else given.given,
            one_shot=one_shot,
            units=units,
            clock=clock,
        )

    @classmethod
    def open(
        cls, root: str, settings: Settings | None = None, *, db_path: str = "", one_shot: bool = True
    ) -> "Session":
        """Open a tree with the given settings, or with the defaults and an index below ``db_path``.

        It is what the command line would open: the user's registry says what it is called, and what is registered below
        it is no part of it.
        """
        settings = settings or Settings(db_path=db_path)
        catalogue = Catalogue(corpus_root=settings.corpus_root)
        return cls(root, settings, one_shot=one_shot, entries=lambda: entry_of(catalogue.current(), Root(root).real))

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """What the corpus is called: by the registry, else by its folder."""
        return self._tree.name

    @property
    def prompt_file(self) -> str:
        """The orientation map that the registry names; "" where it names none."""
        return self._tree.prompt_file

    @property
    def declares(self) -> tuple[str, ...]:
        """The names of corpora that ``knowledge.yaml`` asks to be asked together with this one."""
        return self._tree.declares

    @property
    def parts(self) -> Parts:
        """What is open now; others may be after the next call, with the same buffers in them."""
        return self._tree.parts

    @property
    def kb(self) -> KnowledgeBase:
        """The knowledge base that is open now."""
        return self.parts.kb

    # -- questions ----------------------------------------------------------------------------------------------

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """Do ``act`` with what answers questions here; on new data once more, where stored data turns out damaged.

        Raises:
            GazetteerError: there is nothing to answer from, and why.
        """
        return self._tree.mending(lambda: act(self.parts.retriever))

    def retrieve(
        self,
        query: Query,
        *,
        progress: ProgressSink | None = None,
        cancel: Cancel | None = None,
        first: Callable[[tuple[Hit, ...]], None] | None = None,
    ) -> Answer:
        """Answer a question; builds the index first when there is none.

        Args:
            query: the question.
            progress: is told how far a first index is.
            cancel: stops the work, from any thread.
            first: gets the hits of the first round, before anything is waited for that may change them.

        Raises:
            CancelledError: ``cancel`` was set.
            InvalidArgumentError: a bad limit or filter.
            IncompleteError: ``current-complete`` was required and something is missing.
            GazetteerError: there is nothing to answer from, and why.
        """
        return self.ask(lambda retriever: retriever.retrieve(query, Caller(progress, cancel, first)))

    def explain(
        self, query: Query, *, progress: ProgressSink | None = None, cancel: Cancel | None = None
    ) -> Explanation:
        """The plan of a question, and what every strategy of it gave and cost."""
        return self.ask(lambda retriever: retriever.explain(query, Caller(progress, cancel)))

    def expand(self, locator: str, before: int = 0, after: int = 0, *, cancel: Cancel | None = None) -> Expansion:
        """What stands now where a locator points, with lines around it."""
        return self.ask(lambda retriever: retriever.expand(locator, before, after, Caller(cancel=cancel)))

    def related(
        self, target: str, limit: int = 6, *, progress: ProgressSink | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """What resembles the passage of a locator or of ``PATH:LINE``."""
        return self.ask(lambda retriever: retriever.related(target, limit, Caller(progress, cancel)))

    # -- writing ------------------------------------------------------------------------------------------------

    def commit_edit(
        self,
        document: str,
        expected_hash: str,
        edits: Sequence[TextEdit],
        units: Units = "utf-16",
        *,
        cancel: Cancel | None = None,
    ) -> Committed:
        """Edit a document on disk, only if its bytes are those that were meant (row K11).

        Raises:
            GazetteerError: as `Writer.commit`; nothing has changed then.
        """
        self._tree.follow()
        return self.kb.writer.commit(document, expected_hash, edits, units, cancel)

    def preview_edit(
        self, document: str, expected_hash: str, edits: Sequence[TextEdit], units: Units, buffer: Buffer
    ) -> Committed:
        """Check what `commit_edit` would, for an editor that has the document open and makes the change itself.

        Raises:
            GazetteerError: as `Writer.preview`.
        """
        self._tree.follow()
        return self.kb.writer.preview(document, expected_hash, edits, units, buffer)

    def record_edit(
        self, document: str, old_hash: str, edits: Sequence[TextEdit], new_hash: str, units: Units = "utf-16"
    ) -> Committed:
        """Note a write that the caller did itself.

        Raises:
            GazetteerError: as `Writer.record`.
        """
        self._tree.follow()
        return self.kb.record_edit(document, old_hash, edits, new_hash, units)

    def glance(self) -> Glance | None:
        """What can be said at once, open buffers included; None while nothing is indexed, or it has to be opened again.

        Waits for nothing and mends nothing; see `with_glance`.
        """
        return self._tree.at_once(lambda: self.parts.retriever.glance())

    def glance_at_hand(self) -> tuple[Glance | None, bool]:
        """The last glance, and whether `glance` would give the same; it derives no buffer, which may take long."""
        return self._tree.at_once(lambda: self.parts.retriever.glance_at_hand()) or (None, True)

    def with_glance(self, act: Callable[[Glance | None], T]) -> T:
        """Do ``act`` with a glance; opens again and mends what has to be, which may take long.

        ``act`` may be called again, with another glance.
        """
        return self._tree.mending(lambda: act(self.parts.retriever.glance()))

    def orientation(self) -> Orientation:
        """The map of this tree; what is wrong with one is among its notices."""
        self._tree.follow()
        return read_map(self.kb.root, self.name, config_root(), self.kb.current, self.prompt_file)

    # -- upkeep -------------------------------------------------------------------------------------------------

    def sync(
        self,
        *,
        anew: bool = False,
        aside: bool = False,
        progress: ProgressSink | None = None,
        cancel: Cancel | None = None,
    ) -> Health:
        """Bring the index up to the tree, and say how it is then; ``anew`` derives every document again.

        A build that fails is a state with its reason; an error is raised when it could not even begin. What is done
        ``aside``, for nobody who waits, takes little of the machine and waits for no other refresh.

        Raises:
            InvalidArgumentError: ``knowledge.yaml`` cannot be used; the last good generation keeps serving.
            TruncatedError: the tree has too many files.
            TimeoutExpiredError, UnavailableError: ``aside``, another is under way; the index was let go of meanwhile.
            CancelledError: ``cancel`` was set.
        """
        self._tree.follow()
        started = time.perf_counter()
        if self._tree.config_error is not None:
            self._note_error(self._tree.config_error)
            raise self._tree.config_error
        try:
            refreshed = self._tree.mending(
                lambda: self.parts.refresh(anew=anew, aside=aside, progress=progress, cancel=cancel or Cancel()),
                anew=False,
            )
            if any(at != refreshed.head for at in self._followers().values()):  # no change in the tree wakes them
                self.kb.publisher.catch_up()
        except CancelledError:
            raise  # nothing failed
        except GazetteerError as error:
            if (aside and isinstance(error, TimeoutExpiredError)) or self.kb.is_replaced():
                raise  # what was let go of meanwhile is not made again, to say how it is
            self._note_error(error)
            if error.code.value in ("refused", "invalid_argument"):
                raise
            return self._health(None, error, started)
        self._note_error(None)
        if anew or self.parts.lexical.needs_compaction:
            self.kb.compact()
        drift = Drift(
            walked=self.kb.store.published(refreshed.head.generation)[0].documents,
            changed=refreshed.documents,
            deleted=refreshed.deleted,
        )
        return msgspec.structs.replace(self._health(None, None, started), drift=drift)

    def status(self) -> Status:
        """How the index is, without walking the tree."""
        self._tree.follow()
        error = self._tree.config_error.message if self._tree.config_error is not None else ""
        error = error or self.parts.sweeper.last_error
        found = state.status(self.kb, self.name, self._tree.digest, self._followers(), error)
        return msgspec.structs.replace(found, notices=self._tree.notices)

    def health(self, *, cancel: Cancel | None = None) -> Health:
        """How the index is, held against the whole tree: every file is read.

        Raises:
            CancelledError: ``cancel`` was set.
        """
        self._tree.follow()
        started = time.perf_counter()
        try:
            drift, error = state.walk(self.kb, cancel or Cancel()), self._tree.config_error
        except CancelledError:
            raise
        except GazetteerError as failure:
            drift, error = None, failure
        return self._health(drift, error, started)

    def check(self, full: bool = False) -> CheckReport:
        """Whether the index holds together, and with ``full`` whether it says what the tree says."""
        self._tree.follow()
        started = time.perf_counter()
        findings = tuple(
            Finding(found.code, found.message, found.path) for found in check(self.kb, self._followers(), full=full)
        )
        head = self.kb.store.head()
        totals = self.kb.store.published(head.generation)[0]
        reader = self.parts.lexical.reader()
        if reader is not None and reader.head == head and reader.chunks != totals.chunks:
            message = f"The keyword index holds {reader.chunks} chunks, the store {totals.chunks}."
            findings = (*findings, Finding("follower", message))
        return CheckReport(
            corpus=self.name,
            root=self.root,
            full=full,
            generation=head.generation,
            documents=totals.documents,
            chunks=totals.chunks,
            findings=findings,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            ok=not findings,
        )

    def clean(self) -> CleanReport:
        """Delete this tree's index, and the stored contents that no index refers to any more."""
        parts = self.parts
        if parts.kb.read_only:
            raise UnavailableError(parts.kb.why_read_only, path=parts.kb.folder)
        folder, content_db = parts.kb.folder, os.path.join(self._cache, CONTENT_DB)
        before = folder_size(folder) + file_size(content_db)
        parts.sweeper.close()  # a sweep under way would wait for the lock, and closing would wait for the sweep
        try:
            had_index = parts.kb.store.head().generation > 0  # opening a session makes an empty one
            with parts.kb.publisher.locked():
                parts.close()
                remove_index(folder)
        finally:
            parts.close()  # whatever came of it, the next question opens what is there then
        dropped = collect_contents(self._cache)
        removed = [f"the index of {self.root}"] if had_index else []
        removed += [f"{dropped} stored texts that no index refers to"] if dropped else []
        return CleanReport(
            corpus=self.name,
            root=self.root,
            db_path=folder,
            removed=tuple(removed),
            freed_bytes=max(0, before - folder_size(folder) - file_size(content_db)),
        )

    def compact(self) -> None:
        """Rebuild the keyword index from the store, so that scores are those of an index made from scratch."""
        self.kb.compact()

    def close(self) -> None:
        """End threads and processes, close files; a second call does nothing."""
        self._tree.close()

    # -- inside -------------------------------------------------------------------------------------------------

    def _note_error(self, error: GazetteerError | None) -> None:
        message = error.message if error is not None else ""
        self.parts.sweeper.last_error = message  # where nothing can be written, this process knows all the same
        with suppress(UnavailableError):
            if self.kb.store.meta(state.LAST_ERROR) != message:
                self.kb.store.set_meta(state.LAST_ERROR, message)

    def _followers(self) -> dict[str, Head | None]:
        return {self.parts.lexical.name: self.parts.lexical.head}

    def _health(self, drift: Drift | None, error: GazetteerError | None, started: float) -> Health:
        found = self.status()
        kind, reason = state.after_walk(found, drift, error, self.kb.why_read_only)
        fields = {**msgspec.structs.asdict(found), "state": kind, "reason": reason}
        return Health(**fields, drift=drift or Drift(), elapsed_ms=(time.perf_counter() - started) * 1000)
