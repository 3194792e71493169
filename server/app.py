"""The composition root: settings + one tree + its store and indexes, as a `Session`.

Here, and nowhere else, the rooms are joined: the keyword index is given to the knowledge base as a follower, the
tokenizer to the derive processes, ``knowledge.yaml`` to scanner and planner. Front doors call a session and print what
comes back; they have no logic of their own.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

import msgspec

from .corpora import state
from .corpora.config import FILE_NAME, TreeConfig, digest, max_file_bytes, read_config
from .corpora.health import CheckReport, CleanReport, Drift, Finding, Health, Status
from .kb.check import check
from .kb.errors import DamagedError, GazetteerError, NotFoundError, UnavailableError
from .kb.freshness import SERVER_WAIT_S, Sweeper
from .kb.indexer import Progress, ProgressSink
from .kb.knowledge import KnowledgeBase, corpus_folder
from .kb.model import DocumentPath
from .kb.paths import Root
from .kb.room import CONTENT_DB, collect_contents, file_size, folder_size, remove_index
from .kb.scan import ScanRules
from .kb.store.connection import remove_database
from .kb.store.rows import Head
from .kb.watch import Watcher
from .retrieval.engine import Options, Retriever
from .retrieval.lexical_index import LexicalIndex
from .retrieval.query import Answer, Expansion, Explanation, Query
from .settings import Settings

__all__ = ["Progress", "ProgressSink", "Session"]

T = TypeVar("T")
MENDED = 3
"""How many damages one question mends: one may hide another."""
ANNOTATOR = f"{__package__}.retrieval.terms:prepare"
QUOTING_ANNOTATOR = f"{ANNOTATOR}_quoting"


class Session:
    """One tree, open for questions. Use it as a context manager; it may be shared by threads.

    Args:
        root: the tree; the workspace root as well.
        settings: what the user has set; the environment is not read here.
        one_shot: every question waits for a whole look at the tree, as a command does. A server sets it to False: then
            a question waits 50 ms at most for that look and says how old the last one is.
        clock: nanoseconds of the wall clock, by which signatures of files come to be trusted.

    Raises:
        NotFoundError: there is no such folder.
        UnavailableError: the cache cannot be used.
    """

    def __init__(
        self, root: str, settings: Settings, *, one_shot: bool = True, clock: Callable[[], int] = time.time_ns
    ) -> None:
        self._given = Root(root)
        if not os.path.isdir(self._given.real) and not os.path.isdir(self._index_of(settings)):
            raise NotFoundError(f"{root} is not a folder; name the folder of a tree.", root=root)
        self.root = self._given.real
        self.name = os.path.basename(self.root) or self.root
        self._settings = settings
        self._cache = settings.index_root()
        self._lock = threading.Lock()
        self._config = TreeConfig()
        self._config_error: GazetteerError | None = None
        self._config_seen: tuple[int, int, int] | None = None
        self._read_config()
        self._one_shot = one_shot
        self._clock = clock
        self._open_parts()

    def _open_parts(self) -> None:
        settings, config = self._settings, self._config
        quoting = config.examples_quote_queries
        self.lexical = LexicalIndex(os.path.join(self._index_of(settings), "lexical"), quoting=quoting)
        self.kb = KnowledgeBase(
            self._given,
            self._cache,
            self._rules(),
            followers=(self.lexical,),
            annotator=QUOTING_ANNOTATOR if quoting else ANNOTATOR,
            settings=self._digest(),
            processes=settings.processes(),
            clock=self._clock,
        )
        self.kb.blocked = self._config_error
        self._watcher: Watcher | None = None
        if settings.watch and not self._one_shot:
            self._watcher = Watcher(self.root, self._hear)
        self._sweeper = Sweeper(self.kb, compacts=not self._one_shot)
        self._retriever = Retriever(
            self.kb,
            self.lexical,
            self._sweeper,
            Options(
                name=self.name,
                workspace=self._given.given,
                wait_s=None if self._one_shot else SERVER_WAIT_S,
                reuse_s=settings.sweep_reuse_ms / 1000,
                aliases=config.aliases,
                examples_quote_queries=quoting,
            ),
        )

    @classmethod
    def open(
        cls, root: str, settings: Settings | None = None, *, db_path: str = "", one_shot: bool = True
    ) -> "Session":
        """Open a tree with the given settings, or with the defaults and an index below ``db_path``."""
        return cls(root, settings or Settings(db_path=db_path), one_shot=one_shot)

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- questions ----------------------------------------------------------------------------------------------

    def retrieve(self, query: Query, *, progress: ProgressSink | None = None) -> Answer:
        """Answer a question; builds the index first when there is none.

        Raises:
            InvalidArgumentError: a bad limit or filter.
            IncompleteError: ``current-complete`` was required and something is missing.
            GazetteerError: there is nothing to answer from, and why.
        """
        return self._mending(lambda: self._retriever.retrieve(query, progress=progress))

    def explain(self, query: Query, *, progress: ProgressSink | None = None) -> Explanation:
        """The plan of a question, and what every strategy of it gave and cost."""
        return self._mending(lambda: self._retriever.explain(query, progress=progress))

    def expand(self, locator: str, before: int = 0, after: int = 0) -> Expansion:
        """What stands now where a locator points, with lines around it."""
        return self._mending(lambda: self._retriever.expand(locator, before, after))

    def related(self, target: str, limit: int = 6, *, progress: ProgressSink | None = None) -> Answer:
        """What resembles the passage of a locator or of ``PATH:LINE``."""
        return self._mending(lambda: self._retriever.related(target, limit, progress=progress))

    # -- upkeep -------------------------------------------------------------------------------------------------

    def sync(self, *, progress: ProgressSink | None = None) -> Health:
        """Bring the index up to the tree, and say how it is then.

        A build that fails is a state with its reason; an error is raised when it could not even begin.

        Raises:
            InvalidArgumentError: ``knowledge.yaml`` cannot be used; the last good generation keeps serving.
            TruncatedError: the tree has too many files.
        """
        self._follow_index()
        self._follow_config()
        started = time.perf_counter()
        if self._config_error is not None:
            self._note_error(self._config_error)
            raise self._config_error
        try:
            refreshed = self._mending(lambda: self.kb.refresh(progress=progress))
            if any(at != refreshed.head for at in self._followers().values()):  # no change in the tree wakes them
                self.kb.publisher.catch_up()
        except GazetteerError as error:
            self._note_error(error)
            if error.code.value in ("refused", "invalid_argument", "cancelled"):
                raise
            return self._health(None, error, started)
        self._note_error(None)
        if self.lexical.needs_compaction:
            self.kb.compact()
        drift = Drift(
            walked=self.kb.store.published(refreshed.head.generation)[0].documents,
            changed=refreshed.documents,
            deleted=refreshed.deleted,
        )
        found = self._health(None, None, started)
        return msgspec.structs.replace(found, drift=drift)

    def status(self) -> Status:
        """How the index is, without walking the tree."""
        self._follow_index()
        self._follow_config()
        error = self._config_error.message if self._config_error is not None else ""
        return state.status(self.kb, self.name, self._digest(), self._followers(), error)

    def health(self) -> Health:
        """How the index is, held against the whole tree: every file is read."""
        self._follow_index()
        self._follow_config()
        started = time.perf_counter()
        try:
            drift, error = state.walk(self.kb), self._config_error
        except GazetteerError as failure:
            drift, error = None, failure
        return self._health(drift, error, started)

    def check(self, full: bool = False) -> CheckReport:
        """Whether the index holds together, and with ``full`` whether it says what the tree says."""
        self._follow_index()
        started = time.perf_counter()
        findings = tuple(
            Finding(found.code, found.message, found.path) for found in check(self.kb, self._followers(), full=full)
        )
        head = self.kb.store.head()
        totals = self.kb.store.published(head.generation)[0]
        reader = self.lexical.reader()
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
        folder, content_db = self.kb.folder, os.path.join(self._cache, CONTENT_DB)
        before = folder_size(folder) + file_size(content_db)
        self._sweeper.close()  # a sweep under way would wait for the lock, and closing would wait for the sweep
        had_index = self.kb.store.head().generation > 0  # opening a session makes an empty one
        with self.kb.publisher.locked():
            self.close()
            remove_index(folder)
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
        if self._watcher is not None:
            self._watcher.close()
        self._sweeper.close()
        self.kb.close()

    def _mending(self, act: Callable[[], T]) -> T:
        """Do ``act`` with the settings as they are now; where stored data turns out damaged, once more on new data."""
        self._follow_index()
        self._follow_config()
        result = self._attempt(act, MENDED)
        self._watch()
        return result

    def _attempt(self, act: Callable[[], T], left: int) -> T:
        kb = self.kb
        try:
            return act()
        except DamagedError as error:
            if kb.read_only or not left:
                raise
            if error.data.get("path"):
                self._start_over(error, kb)
            elif error.data.get("content"):
                kb.lose_contents()
            else:
                self.lexical.report_damage(error.message)
        except UnavailableError:
            if kb is self.kb or not left:
                raise  # else another thread opened the index again under this question
        return self._attempt(act, left - 1)

    def _hear(self, paths: frozenset[DocumentPath]) -> None:
        """Take hints of the watcher: they mark dirty and nothing else."""
        for path in sorted(paths):
            self.kb.mark_dirty(path or None, "watched")

    def _watch(self) -> None:
        """Watch the folders that the tree has now, where that was asked for; a failure is said once."""
        with self._lock:
            if self._watcher is None:
                return
            self._watcher.watch(self.kb.indexer.directories)
            if self._watcher.notice:
                self.kb.notices.append(self._watcher.notice)
                self._watcher = None

    def _start_over(self, error: DamagedError, seen: KnowledgeBase) -> None:
        """Throw away what is damaged, once for all threads that saw it; all of it can be made again from the tree."""

        def remove() -> None:
            damaged = error.data.get("path")
            if damaged == os.path.join(self._cache, CONTENT_DB):
                remove_database(damaged)
            remove_database(os.path.join(self.kb.folder, "kb.db"))

        with self._lock:
            if self.kb is not seen:
                return
            self._open_again(remove)
            self.kb.notices.append("The index was damaged and is built again.")

    def _follow_index(self) -> None:
        """Open the index that is there now, when another process removed the one that is open."""
        with self._lock:
            if self.kb.is_replaced():
                self._open_again(lambda: None)
                self.kb.notices.append("The index was removed by another process and is built again.")

    def _open_again(self, before: Callable[[], None]) -> None:
        buffers = self.kb.buffers
        self.close()
        before()
        self._open_parts()
        self.kb.adopt(buffers)

    # -- inside -------------------------------------------------------------------------------------------------

    def _index_of(self, settings: Settings) -> str:
        return corpus_folder(settings.index_root(), self._given)

    def _rules(self) -> ScanRules:
        config, settings = self._config, self._settings
        return ScanRules(
            include=config.include,
            exclude=(*config.exclude, *settings.exclude),
            extensions=config.extensions,
            max_file_bytes=max_file_bytes(settings, config),
            exclude_dirs=config.exclude_dirs,
            exclude_nested_repos=config.exclude_nested_repos,
            max_files=settings.max_files,
            allow_partial=settings.allow_partial,
            excluded_roots=(os.path.realpath(self._cache),),
        )

    def _digest(self) -> str:
        return digest(self._settings, self._config)

    def _read_config(self) -> bool:
        """Read ``knowledge.yaml`` if it is another file than last time; whether it was."""
        seen = _look(os.path.join(self.root, FILE_NAME))
        if seen == self._config_seen and seen is not None:
            return False
        changed = seen != self._config_seen or self._config_error is not None
        self._config_seen = seen
        try:
            self._config, self._config_error = read_config(self.root), None
        except GazetteerError as error:
            self._config_error = error
        return changed

    def _follow_config(self) -> None:
        """Take over a ``knowledge.yaml`` that was edited since; a broken one leaves the last good settings in force."""
        with self._lock:
            quoting = self._config.examples_quote_queries
            if not self._read_config():
                return
            self.kb.blocked = self._config_error
            if self._config_error is not None:
                return
            if self._config.examples_quote_queries != quoting:
                self._open_again(lambda: None)  # the keyword index holds other fields then
            self.kb.configure(self._rules(), self._digest())
            self._retriever.configure(self._config.aliases)

    def _note_error(self, error: GazetteerError | None) -> None:
        message = error.message if error is not None else ""
        with suppress(UnavailableError):
            if self.kb.store.meta(state.LAST_ERROR) != message:
                self.kb.store.set_meta(state.LAST_ERROR, message)

    def _followers(self) -> dict[str, Head | None]:
        return {self.lexical.name: self.lexical.head}

    def _health(self, drift: Drift | None, error: GazetteerError | None, started: float) -> Health:
        found = self.status()
        kind, reason = state.after_walk(found, drift, error)
        fields = {**msgspec.structs.asdict(found), "state": kind, "reason": reason}
        return Health(**fields, drift=drift or Drift(), elapsed_ms=(time.perf_counter() - started) * 1000)


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
