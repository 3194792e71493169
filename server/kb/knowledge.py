"""The knowledge base of one tree, as a library: buffers, hints, refresh, snapshots (row K15).

This is the facade of ``kb``: it owns the mutable parts (journal, overlay map, indexer) and hands out frozen views.
State changes are small and done by the caller's thread; reads run on snapshots anywhere. It knows nothing of questions:
an index that follows the store is passed in as a `Follower`.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from . import source
from .at_hand import FactsAtHand
from .bond import Bond
from .buffer import Change
from .derive import Clock, DeriveOptions, load_annotator
from .edits import TextEdit
from .errors import DamagedError, GazetteerError, UnavailableError
from .follow import Follower
from .generation import GenerationDocuments
from .indexer import Indexer, Job, ProgressSink, Refreshed
from .journal import Journal
from .lookout import Station
from .model import DiskHash, DocumentPath, Generation
from .open_buffers import OpenBuffers
from .open_store import open_store
from .overlay import Overlay, OverlayMap
from .paths import Root, is_document, printable
from .publish import Publisher
from .replace import clean_up
from .room import CONTENT_DB, corpus_folder, prepare, why_read_only
from .scan import Refusal, ScanRules, would_index
from .scan_rules import is_secret
from .snapshot import Snapshot
from .source import Reading
from .store.connection import remove_database
from .store.content import ContentStore
from .store.rows import Head
from .text import Units
from .write import Committed, Writer

_LEFT_OUT = (Refusal.IGNORED, Refusal.EXCLUDED, Refusal.EXTENSION, Refusal.NESTED, Refusal.CORPUS)
UNFINISHED_WRITES = "unfinished"


class KnowledgeBase:
    """One tree's knowledge base.

    Args:
        root: the tree.
        cache: the cache root that holds every index; made with mode 0700.
        rules: which files the tree has.
        followers: indexes that follow the store, in the order in which they are brought up to it.
        annotator: ``module:function`` of this package that derive processes run for the followers.
        settings: digest of the settings that decide what the corpus is; another one lists the tree anew.
        processes: derive processes for bulk work.
        clock: nanoseconds of the wall clock, by which signatures of files come to be trusted.

    Raises:
        UnavailableError: the cache cannot be used at all.
    """

    def __init__(
        self,
        root: Root,
        cache: str,
        rules: ScanRules,
        *,
        followers: Sequence[Follower] = (),
        annotator: str = "",
        settings: str = "",
        processes: int = 2,
        clock: Clock = time.time_ns,
    ) -> None:
        self.root = root
        self.rules = rules
        self.notices: list[str] = []
        self.blocked: GazetteerError | None = None  # why nothing may be refreshed: settings that cannot be used
        self.why_read_only = why_read_only(cache, corpus_folder(cache, root))
        self.read_only = bool(self.why_read_only)
        self.folder = prepare(cache, root, read_only=self.read_only)
        content_db = os.path.join(cache, CONTENT_DB)
        self.contents = ContentStore(content_db, read_only=self.read_only)
        self.store, made_again = open_store(self.folder, followers, why_read_only=self.why_read_only)
        if made_again:
            self.notices.append("The index was damaged or of another version and is built again.")
        self._bond = Bond(self.store, self.contents)
        if self._bond.broken:
            self.notices.append("Stored texts were lost and are derived again.")
        self.journal = Journal()
        self._open = OpenBuffers(self.admits)
        options = DeriveOptions(root.real, rules.max_file_bytes, content_db, annotator)
        self.publisher = Publisher(root.real, self.folder, self.store, self.contents, followers, clock)
        self.indexer = Indexer(
            rules,
            options,
            self.store,
            self.contents,
            self.publisher,
            settings=settings,
            processes=processes,
            annotate=load_annotator(annotator),
            clock=clock,
        )
        self._followers = tuple(followers)
        self._documents: GenerationDocuments | None = None  # of the generation that was asked for last
        self.facts = FactsAtHand(self.contents, self.indexer.derive_apart)
        unfinished = "" if self.read_only else os.path.join(self.folder, UNFINISHED_WRITES)
        clean_up(unfinished, root.real)
        self.writer = Writer(
            root,
            rules=lambda: self.rules,
            buffers=lambda: self._open.opened,
            journal=lambda: self.journal,
            known=self._text_with,
            notes=unfinished,
        )

    def discard(self, path: str) -> None:
        """Remove what is damaged, unless another process has replaced it already; the next to open makes it again.

        Args:
            path: the database that is damaged. Without the stored texts the corpus is not worth keeping either.
        """
        with self.publisher.locked():
            if path == self.contents.path:
                self.contents.discard()
            if not self.store.is_replaced():
                remove_database(self.store.path)

    def clock(self) -> float:
        """Seconds since the epoch, as all times of this knowledge base are."""
        return time.time()

    # -- open buffers -------------------------------------------------------------------------------------------

    @property
    def overlays(self) -> OverlayMap:
        """The open buffers of this process that count, as they are now."""
        return self._open.shown

    @property
    def buffers(self) -> OpenBuffers:
        """All open buffers of this process, those that the tree's rules leave out included."""
        return self._open

    def open_buffer(self, path: DocumentPath, text: str, version: int = 0) -> bool:
        """Let an editor's text rule a document until `close_buffer`.

        False when the tree's rules leave the document out: then the text is kept, and rules once they let it in.
        """
        return is_document(path) and self._open.open(path, text, version)

    def settle_buffers(self, should_stop: Callable[[], bool] = lambda: False) -> None:
        """Ask again about open buffers of which nobody could say whether they count. May call git."""
        generation = self.store.head().generation
        self._open.settle(self._in(generation), should_stop)

    def _in(self, generation: Generation) -> Callable[[DocumentPath], bool]:
        return lambda path: self.store.document(generation, path) is not None

    def hand_over(self, to: "KnowledgeBase") -> None:
        """Give the open buffers and the journal to a knowledge base that replaces this one.

        Both have the same objects from then on: what somebody still tells this one is not lost.
        """
        to.adopt(self._open, self.journal)

    def adopt(self, buffers: OpenBuffers, journal: Journal) -> None:
        """Take over what another knowledge base of this tree held."""
        self._open, self.journal = buffers, journal
        buffers.admit_by(self.admits)

    def change_buffer(self, path: DocumentPath, changes: Sequence[Change], version: int, units: Units) -> None:
        """Apply an editor's changes.

        Raises:
            NotFoundError, ConflictError: refused; the buffer is as it was, the document is dirty.
            InvalidArgumentError: refused as well, and the buffer is out of step from now on (`Buffer.lost`).
        """
        try:
            self._open.change(path, changes, version, units)
        except BaseException:
            self.journal.mark(path, "refused change")
            raise

    def saved_as(self, overlay: Overlay) -> DiskHash:
        """Return the hash of the bytes on disk when they say what an open buffer says, else ""."""
        return source.saved_as(self.root.real, overlay, max_bytes=self.rules.max_file_bytes)

    def close_buffer(self, path: DocumentPath) -> None:
        """Let the disk rule a document again."""
        self._open.close(path)
        self.journal.mark(path, "closed")

    def admits(self, path: DocumentPath, should_stop: Callable[[], bool] = lambda: False) -> bool:
        """Whether the tree's rules let a document in. May call git.

        Raises:
            UnavailableError: the tree cannot be read.
            CancelledError: ``should_stop`` said so.
        """
        if not is_document(path) or is_secret(path.rpartition("/")[2]):
            return False
        verdict = would_index(self.root.real, self.rules, path, once_saved=True, should_stop=should_stop)
        if verdict.reason is Refusal.UNREADABLE:
            raise UnavailableError(f"The folder of {printable(path)} cannot be read; make it readable and ask again.")
        return verdict.reason in (None, Refusal.MISSING)

    def current(self, path: DocumentPath) -> Overlay | Reading | source.Refusal:
        """The text that rules a document now, as `source.current`; what the tree's rules leave out is refused as well.

        Raises:
            UnavailableError: the tree cannot be read.
        """
        overlays = self._open.shown
        if path not in overlays and would_index(self.root.real, self.rules, path).reason in _LEFT_OUT:
            return source.Refusal(path, source.RefusalReason.LEFT_OUT)
        return source.current(self.root.real, path, overlays, max_bytes=self.rules.max_file_bytes)

    # -- writing ------------------------------------------------------------------------------------------------

    def commit_edit(
        self, document: str, expected_hash: str, edits: Sequence[TextEdit], units: Units = "utf-16"
    ) -> Committed:
        """Edit a document on disk, only if its bytes are those that were meant (row K11); see `Writer.commit`."""
        return self.writer.commit(document, expected_hash, edits, units)

    def record_edit(
        self, document: str, old_hash: str, edits: Sequence[TextEdit], new_hash: str, units: Units = "utf-16"
    ) -> Committed:
        """Note a write that the caller did itself; see `Writer.record`."""
        return self.writer.record(document, old_hash, edits, new_hash, units)

    def _text_with(self, path: DocumentPath, disk_hash: DiskHash) -> str | None:
        head = self.store.head()
        row = self.store.document(head.generation, path) if head.generation else None
        if row is None or row.disk_hash != disk_hash:
            return None
        with suppress(DamagedError):
            return self.facts.load(row.content_id, row.recipe)[0]
        return None

    # -- hints and refresh --------------------------------------------------------------------------------------

    def mark_dirty(self, path: DocumentPath | None = None, reason: str = "hint") -> None:
        """Note that a document, or anything, may have changed. Only ever costs time."""
        if path is None:
            self.journal.mark_all(reason)
        else:
            self.journal.mark(path, reason)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Group several writes of one logical step: no flush in the middle, one publication at the end."""
        with self.journal.batch():
            yield
        if not self.journal.held:
            self.flush()

    def flush(self, *, wait_s: float = -1.0, should_stop: Callable[[], bool] = lambda: False) -> Refreshed:
        """Bring what the journal holds into the index, and look at nothing else.

        Raises:
            TimeoutExpiredError: a refresh is under way for longer than ``wait_s`` seconds (negative: wait for it).
            CancelledError: ``should_stop`` said so.
        """
        return self.refresh(whole=False, wait_s=wait_s, should_stop=should_stop)

    def refresh(
        self,
        *,
        whole: bool = True,
        strict: bool = False,
        anew: bool = False,
        aside: bool = False,
        progress: ProgressSink | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        gives_way: Callable[[], bool] = lambda: False,
        station: Station | None = None,
        wait_s: float = -1.0,
    ) -> Refreshed:
        """Bring the index up to the tree: by a sweep (``whole``), or for the journal's documents alone.

        ``strict`` reads every file, ``anew`` also derives every one again, whatever is stored of it. What is done
        ``aside`` is in nobody's way: it waits for no other refresh, and takes little of the machine.

        Raises:
            UnavailableError, TruncatedError, CancelledError: as `Indexer.refresh`; the journal keeps what was not done.
        """
        if self.read_only:
            raise UnavailableError(self.why_read_only, path=self.folder)
        if self.blocked is not None:
            raise self.blocked
        lost = self._bond.broken
        with self.journal.taken() as drained:
            if not (whole or drained or self.journal.being_read):
                return Refreshed(self.store.head(), swept_at=self.indexer.swept_at)
            result = self._refresh(
                Job(
                    drained,
                    whole=whole or drained.all,
                    strict=strict,
                    force=lost or anew,
                    aside=aside,
                    progress=progress,
                    should_stop=should_stop,
                    gives_way=gives_way,
                    station=station,
                    wait_s=0.0 if aside else wait_s,
                )
            )
        if lost or not self._bond.broken:  # it may have been broken while this went on without knowing
            self._bond.tie()
        generation = result.head.generation
        self._open.judge(result.head, listed=result.listed, indexed=self._in(generation), should_stop=should_stop)
        for path in result.busy:
            self.journal.mark(path, "kept changing")
        return result

    @property
    def contents_lost(self) -> bool:
        """Whether stored texts are gone, so that nothing can be answered before they are derived again."""
        return self._bond.broken

    def _refresh(self, job: Job) -> Refreshed:
        try:
            return self.indexer.refresh(job)
        except DamagedError as error:
            if "content" not in error.data:
                raise
            # A content that something refers to is gone (content.db was replaced): derive all of it again, once.
            self.lose_contents()
            result = self.indexer.refresh(msgspec.structs.replace(job, whole=True, force=True))
            self._bond.broken = False
            return result

    def lose_contents(self) -> None:
        """Derive every document again at the next refresh: stored contents turned out to be gone."""
        self._bond.broken = True
        self.notices.append("Stored texts were lost and are derived again.")
        with self.publisher.locked():
            for follower in self._followers:
                follower.reset()
        self.journal.mark_all("contents lost")

    def compact(self) -> None:
        """Build every follower again from the store, so that it is as one made from scratch (row K13)."""
        with self.publisher.locked():
            for follower in self._followers:
                follower.compact(self.publisher.feed())

    @property
    def needs_compaction(self) -> bool:
        """Whether so much of a follower is dead that `compact` pays."""
        return any(follower.needs_compaction for follower in self._followers)

    def configure(self, rules: ScanRules, settings: str) -> None:
        """Take over other rules; the next refresh lists the tree by them."""
        self.rules = rules
        self.indexer.configure(rules, settings)

    def ensure_fresh(self, scope: Sequence[DocumentPath] | None = None) -> Refreshed:
        """Bring the whole tree, or only the documents of ``scope``, up to date now."""
        if scope is None:
            return self.refresh()
        for path in scope:
            self.journal.mark(path, "asked for")
        return self.flush()

    # -- views --------------------------------------------------------------------------------------------------

    def snapshot(self, head: Head | None = None) -> Snapshot:
        """A view of one generation (the newest without ``head``) with the buffers that are open now."""
        head = head or self.store.head()
        documents = self._documents
        if documents is None or documents.head != head:
            documents = self._documents = GenerationDocuments(self.store, head)
        return Snapshot(self.root.real, self.store, self.facts, documents, self._open.shown)

    def take_notices(self) -> list[str]:
        """What has to be said once, to whoever asks next."""
        taken, self.notices = self.notices, []
        return taken

    def is_replaced(self) -> bool:
        """Whether another process removed what is open here: then this one would go on alone, unseen by the others."""
        return self.store.is_replaced() or self.contents.is_replaced()

    def close(self) -> None:
        """End processes and close files; a second call does nothing."""
        self.indexer.close()
        for follower in self._followers:
            with suppress(OSError):
                follower.close()
        self.store.close()
        self.contents.close()
