"""The keyword index as a follower of the store: catching up, rebuilding beside the live index, compacting.

Invariants: what readers see belongs to one published generation, named by the pair in the same commit; an index that is
missing, damaged, of another format or of a history that the store does not know is rebuilt, never patched; a failed
write leaves the last commit answering and the next attempt works (pitfall CC07). Only the holder of the publish lock
writes; any process may read.
"""

import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from ..kb.errors import DamagedError, GazetteerError, UnavailableError
from ..kb.failpoints import reach
from ..kb.follow import NOTHING_PREPARED, FollowerFeed, FollowerState, Prepared
from ..kb.model import DocumentId
from ..kb.store.rows import DocumentRow, Head
from . import lexical_folder
from .lexical import Engine, LexicalReader, Writer, format_of
from .lexical_folder import IndexFolder
from .terms import ChunkFields, chunk_fields, unpack_fields

BULK_DOCUMENTS = 400
"""From so many documents on, writing uses two threads and more memory."""
_BULK_HEAP = 128_000_000
COMPACT_SHARE = 0.2
"""Share of dead entries past which a rebuild pays."""
COMPACT_MINIMUM = 256
_ROOM_FOR_REBUILD = 64_000_000


class LexicalIndex:
    """The keyword index of one corpus, in ``root``. Reading is safe from any thread; writing is for one."""

    name = "keyword index"

    def __init__(self, root: str, *, index_format: str = "", quoting: bool = False) -> None:
        """Bind to a folder, which need not exist. Nothing is opened yet."""
        self._folder = IndexFolder(root)
        self._format = index_format or format_of(quoting=quoting)
        self._quoting = quoting
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._path = ""
        self._view: tempfile.TemporaryDirectory[str] | None = None
        self._signature: lexical_folder.Signature | None = None
        self._reader: LexicalReader | None = None
        self._damaged = ""
        self._writer: Writer | None = None
        self._failed = False

    # -- reading ------------------------------------------------------------------------------------------------

    def reader(self) -> LexicalReader | None:
        """The newest commit; None when there is no index that may be read, which a catch-up mends.

        Raises:
            UnavailableError: It is there and may not be opened.

        """
        with self._lock:
            if self._damaged:
                return None
            for _ in range(2):  # a swap may take the folder away between the two looks
                path = self._folder.current()
                if path is None:
                    return None
                with suppress(DamagedError):
                    return self._read(path)
                self._release()
            return None

    @property
    def head(self) -> Head | None:
        """How far the index follows the store; None when it has to be rebuilt."""
        reader = self.reader()
        return reader.head if reader is not None else None

    def report_damage(self, reason: str) -> None:
        """Note that reading failed: nothing is served from this index until a catch-up has rebuilt it."""
        with self._lock:
            self._damaged = reason or "it is damaged"

    @property
    def needs_compaction(self) -> bool:
        """Whether so much of the index is dead that `compact` pays."""
        path = self._folder.current()
        total, dead = lexical_folder.counts(path) if path else (0, 0)
        return dead >= COMPACT_MINIMUM and dead > total * COMPACT_SHARE

    # -- following ----------------------------------------------------------------------------------------------

    def catch_up(self, feed: FollowerFeed, prepared: Prepared = NOTHING_PREPARED) -> FollowerState:
        """Apply everything up to the feed's head, or rebuild; see `kb.follow.Follower`.

        Raises:
            UnavailableError: The index cannot be written; what was committed before still answers.

        """
        with self._writing():
            reason = self._why_rebuild(feed)
            if reason:
                return self._rebuild(feed, prepared, reason)
            engine, reader = self._engine, self._reader
            assert engine is not None
            assert reader is not None
            if reader.head != feed.head:
                removed, added = feed.changes(reader.head.generation)
                if self._writer is None:
                    self._writer = _writer(engine, len(added))
                try:
                    self._apply(feed, prepared, removed, added)
                except ValueError as error:
                    # What is in the way of writing lies in this folder, as after a kill; another one has nothing of it.
                    self._failed = True
                    return self._rebuild(feed, prepared, f"writing it failed ({error})")
                self._folder.tighten(engine.path)
            return self._state("")

    def compact(self, feed: FollowerFeed) -> FollowerState:
        """Rebuild from the store, so that scores and size are those of an index built from scratch.

        Raises:
            UnavailableError: The index cannot be written; the old one still answers.

        """
        with self._writing():
            return self._rebuild(feed, NOTHING_PREPARED, "compaction")

    def settle(self) -> None:
        """Wait for merges, give the folder back, remove what is not live. Never raises: tidying can wait."""
        self._end_writer()
        with suppress(OSError):
            self._folder.sweep()
            path = self._folder.current()
            if path is not None:
                self._folder.tighten(path)

    def reset(self) -> None:
        """Forget everything; the next `catch_up` rebuilds."""
        self.settle()
        with self._lock:
            self._release()
            self._folder.forget()
        self._folder.sweep()

    def close(self) -> None:
        """Finish what was begun and give back files and memory.

        Nothing is removed: another process may be building beside the live folder, and only the publish lock says so.
        """
        self._end_writer()
        with self._lock:
            self._release()

    # -- inside -------------------------------------------------------------------------------------------------

    def _read(self, path: str) -> LexicalReader | None:
        signature = lexical_folder.signature(path)
        if signature is None:
            raise DamagedError("The keyword index has no list of its parts; it is rebuilt by itself.")
        if self._reader is None or self._path != path or self._signature != signature:
            if self._engine is None or self._path != path or self._view is not None:
                self._open(path)
            assert self._engine is not None
            self._reader, self._signature = self._engine.reader(), signature
        return self._reader if self._reader.format == self._format else None

    def _open(self, path: str) -> None:
        self._release()
        if lexical_folder.is_closed(path):
            self._view = lexical_folder.linked_view(path)
        if not lexical_folder.is_sound(path):
            raise DamagedError("The keyword index is not what was written; it is rebuilt by itself.")
        self._engine = Engine(self._view.name if self._view is not None else path)
        self._path = path

    def _release(self) -> None:
        self._engine = self._reader = self._signature = None
        self._path = ""
        if self._view is not None:
            self._view.cleanup()
            self._view = None

    def _why_rebuild(self, feed: FollowerFeed) -> str:
        if self._failed:
            return "writing it failed"
        if self._damaged:
            return self._damaged
        if self._folder.current() is None:
            return "there was none"
        reader = self.reader()
        if reader is None:
            return "it was damaged or of another version"
        return "" if feed.knows(reader.head) else "its generation is unknown"

    def _rebuild(self, feed: FollowerFeed, prepared: Prepared, reason: str) -> FollowerState:
        """Build beside the live index and switch to the new one."""
        if self._failed and shutil.disk_usage(self._folder.root).free < _ROOM_FOR_REBUILD:
            raise OSError("there is no room to rebuild it")
        self._end_writer()
        path = self._folder.fresh()
        try:
            engine = Engine(path, create=True)
            rows = list(feed.live_documents())
            writer = _writer(engine, len(rows))
            for row in rows:
                writer.add(row, self._fields(feed, row, prepared))
            _commit(writer, feed.head, self._format)
            self._folder.tighten(path)
            reach("follower.before_swap")
            self._folder.switch(path)
            reach("follower.after_swap")
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        with self._lock:
            self._release()
            self._engine, self._path, self._writer = engine, path, writer
            self._damaged, self._failed = "", False
        return self._state(reason)

    def _fields(self, feed: FollowerFeed, row: DocumentRow, prepared: Prepared) -> list[ChunkFields]:
        """Take what a derive process prepared, or make it from the store."""
        data = prepared.get(row.id)
        if data:
            with suppress(msgspec.MsgspecError):
                return unpack_fields(data)
        text, derived = feed.load(row.id)
        return chunk_fields(text, derived, quoting=self._quoting)

    def _apply(
        self, feed: FollowerFeed, prepared: Prepared, removed: Sequence[DocumentId], added: Sequence[DocumentRow]
    ) -> None:
        """Delete, then add, then commit; on any failure nothing of it is left behind."""
        assert self._writer is not None
        try:
            self._writer.remove(removed)
            self._writer.remove(row.id for row in added)
            for row in added:
                self._writer.add(row, self._fields(feed, row, prepared))
            _commit(self._writer, feed.head, self._format)
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(Exception):
                writer.rollback()
                self._writer = writer

    def _end_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(Exception):
                writer.finish()

    def _state(self, rebuilt: str) -> FollowerState:
        reader = self.reader()
        if reader is None:
            raise ValueError("it cannot be read back")
        return FollowerState(reader.head, reader.chunks, rebuilt)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what writing raises into `UnavailableError`, and remember that it failed."""
        try:
            yield
        except GazetteerError:
            raise
        except (ValueError, OSError) as error:
            self._failed = True
            raise UnavailableError(self._complaint(error)) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            self._failed = True
            raise UnavailableError(self._complaint(error)) from error
        self._failed = False

    def _complaint(self, error: BaseException) -> str:
        said = (str(error).splitlines() or [type(error).__name__])[0][:160]
        return (
            f"The keyword index in {self._folder.root} cannot be written ({said}); free disk space or give write "
            "permission, and ask again: until then the last index answers."
        )


def _writer(engine: Engine, documents: int) -> Writer:
    return engine.writer(heap=_BULK_HEAP, threads=2) if documents >= BULK_DOCUMENTS else engine.writer()


def _commit(writer: Writer, head: Head, index_format: str) -> None:
    reach("follower.before_commit")
    writer.commit(head, index_format)
    reach("follower.after_commit")
