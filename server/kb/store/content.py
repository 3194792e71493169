"""``content.db``: texts and what was derived from them, keyed by content and recipe, shared by every corpus.

Never keyed by path or time, so a rename, a branch switch, a second worktree or a second editor finds everything here
(row K14). It holds nothing that could not be made again: a damaged file is replaced by an empty one, and the corpora
that refer to it are derived again.
"""

import os
import secrets
import time
import zlib
from collections.abc import Iterable, Sequence

import msgspec

from ..errors import DamagedError
from ..lock import contents_lock
from ..model import SCHEMA_VERSION, ChunkNote, ContentId, Derived, Recipe
from .connection import Connection, make_private_folder, remove_database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents(
    id INTEGER PRIMARY KEY, content_id BLOB NOT NULL UNIQUE, text BLOB NOT NULL, touched INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS derived(
    content INTEGER NOT NULL REFERENCES contents(id) ON DELETE CASCADE, recipe TEXT NOT NULL, data BLOB NOT NULL,
    outline BLOB NOT NULL, PRIMARY KEY(content, recipe)) WITHOUT ROWID;
"""
_DECODER = msgspec.msgpack.Decoder(Derived)
_OUTLINE = msgspec.msgpack.Decoder(tuple[ChunkNote, ...])
_ENCODER = msgspec.msgpack.Encoder()
_BATCH = 500  # SQLite's bound on variables in one statement is 32,766; smaller lists plan faster


class ContentRow(msgspec.Struct, frozen=True, gc=False):
    """A content ready to be stored: ``text``, ``derived`` and ``outline`` packed by the functions below."""

    content_id: ContentId
    recipe: Recipe
    text: bytes
    derived: bytes
    outline: bytes


def pack_text(text: str) -> bytes:
    """The stored form of a normalised text."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack_text(data: bytes) -> str:
    """The text of its stored form."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def pack_derived(derived: Derived) -> bytes:
    """The stored form of derived facts."""
    return _ENCODER.encode(derived)


def unpack_derived(data: bytes) -> Derived:
    """The facts of their stored form."""
    return _DECODER.decode(data)


def pack_outline(notes: tuple[ChunkNote, ...]) -> bytes:
    """The stored form of an outline."""
    return _ENCODER.encode(notes)


class ContentStore:
    """The shared store of contents.

    Args:
        path: the database file.
        read_only: open for reading alone, as derive processes and read-only caches do.
    """

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        if read_only:
            self._writer = None
        else:
            make_private_folder(os.path.dirname(path))
            self._writer = self._open_writer()
        self._reader = Connection(path, read_only=True)

    def _open_writer(self) -> Connection:
        try:
            return self._prepare(Connection(self.path))
        except DamagedError:
            with contents_lock(self.path).held():
                try:
                    return self._prepare(Connection(self.path))  # another process may have replaced it meanwhile
                except DamagedError:
                    # Everything in it can be derived again, and corpora check that their contents are there.
                    remove_database(self.path)
                    return self._prepare(Connection(self.path))

    def _prepare(self, writer: Connection) -> Connection:
        try:
            with writer.transaction() as db:
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute("INSERT OR IGNORE INTO meta VALUES('schema', ?)", (str(SCHEMA_VERSION),))
                db.execute("INSERT OR IGNORE INTO meta VALUES('identity', ?)", (secrets.token_hex(8),))
                row = db.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
                if row[0] != str(SCHEMA_VERSION):
                    db.execute("DELETE FROM derived")
                    db.execute("DELETE FROM contents")
                    db.execute("UPDATE meta SET value=? WHERE key='identity'", (secrets.token_hex(8),))
                    db.execute("UPDATE meta SET value=? WHERE key='schema'", (str(SCHEMA_VERSION),))
        except BaseException:
            writer.close()
            raise
        return writer

    def put(self, rows: Iterable[ContentRow]) -> None:
        """Store contents and their facts, in the place of what is there already: that may be what cannot be read."""
        if self._writer is None:
            return
        now = int(time.time())
        with self._writer.transaction() as db:
            for row in rows:
                key = bytes.fromhex(row.content_id)
                db.execute(
                    "INSERT INTO contents(content_id, text, touched) VALUES(?,?,?) "
                    "ON CONFLICT(content_id) DO UPDATE SET text=excluded.text, touched=excluded.touched",
                    (key, row.text, now),
                )
                db.execute(
                    "INSERT OR REPLACE INTO derived SELECT id, ?, ?, ? FROM contents WHERE content_id=?",
                    (row.recipe, row.derived, row.outline, key),
                )

    def touch(self, contents: Sequence[ContentId]) -> None:
        """Mark contents as used now, so that collection leaves them alone for an hour."""
        if self._writer is None or not contents:
            return
        now = int(time.time())
        with self._writer.transaction() as db:
            db.executemany(
                "UPDATE contents SET touched=? WHERE content_id=?", [(now, bytes.fromhex(c)) for c in contents]
            )

    @property
    def identity(self) -> str:
        """A random word that this file was made with: another file in its place has another one."""
        with self._reader.use() as db:
            row = db.execute("SELECT value FROM meta WHERE key='identity'").fetchone()
        return str(row[0]) if row else ""

    def find(self, prefix: str) -> ContentId | None:
        """The stored content whose id begins with these hex digits (an even number of them); None without one."""
        low = bytes.fromhex(prefix)
        with self._reader.use() as db:
            row = db.execute(
                "SELECT content_id FROM contents WHERE content_id>=? ORDER BY content_id LIMIT 1", (low,)
            ).fetchone()
        return ContentId(row[0].hex()) if row is not None and row[0].startswith(low) else None

    def any_derived(self, content: ContentId) -> tuple[str, Derived] | None:
        """Text and facts of a content by whichever recipe they are stored; None when they are not."""
        with self._reader.use() as db:
            row = db.execute(
                "SELECT d.recipe FROM contents c JOIN derived d ON d.content=c.id WHERE c.content_id=? "
                "ORDER BY d.recipe DESC LIMIT 1",
                (bytes.fromhex(content),),
            ).fetchone()
        return self.load(content, row[0]) if row is not None else None

    def has(self, content: ContentId, recipe: Recipe) -> bool:
        """Whether facts of this content by this recipe are stored."""
        with self._reader.use() as db:
            return (
                db.execute(
                    "SELECT 1 FROM contents c JOIN derived d ON d.content=c.id WHERE c.content_id=? AND d.recipe=?",
                    (bytes.fromhex(content), recipe),
                ).fetchone()
                is not None
            )

    def missing(self, keys: Sequence[tuple[ContentId, Recipe]]) -> set[tuple[ContentId, Recipe]]:
        """Those of ``keys`` that are not stored."""
        found: set[tuple[ContentId, Recipe]] = set()
        contents = sorted({content for content, _ in keys})
        with self._reader.use() as db:
            for at in range(0, len(contents), _BATCH):
                part = [bytes.fromhex(c) for c in contents[at : at + _BATCH]]
                marks = ",".join("?" * len(part))
                found.update(
                    (ContentId(key.hex()), Recipe(recipe))
                    for key, recipe in db.execute(
                        "SELECT c.content_id, d.recipe FROM contents c JOIN derived d ON d.content=c.id "  # noqa: S608
                        f"WHERE c.content_id IN ({marks})",
                        part,
                    )
                )
        return set(keys) - found

    def outlines(
        self, keys: Sequence[tuple[ContentId, Recipe]]
    ) -> dict[tuple[ContentId, Recipe], tuple[ChunkNote, ...]]:
        """The outlines of contents, in one read.

        Raises:
            DamagedError: one is not stored, though something refers to it.
        """
        found: dict[tuple[ContentId, Recipe], tuple[ChunkNote, ...]] = {}
        with self._reader.use() as db:
            for key in keys:
                row = db.execute(
                    "SELECT d.outline FROM contents c JOIN derived d ON d.content=c.id "
                    "WHERE c.content_id=? AND d.recipe=?",
                    (bytes.fromhex(key[0]), key[1]),
                ).fetchone()
                if row is None:
                    raise self._lost(key[0])
                try:
                    found[key] = _OUTLINE.decode(row[0])
                except msgspec.DecodeError as error:
                    raise self._lost(key[0]) from error
        return found

    def derived(self, content: ContentId, recipe: Recipe) -> Derived:
        """What was derived from a content by a recipe.

        Raises:
            DamagedError: it is not stored, though something refers to it.
        """
        return self.load(content, recipe, with_text=False)[1]

    def load(self, content: ContentId, recipe: Recipe, *, with_text: bool = True) -> tuple[str, Derived]:
        """Text and facts in one read; the text is empty when it is not asked for."""
        column = "c.text" if with_text else "NULL"
        with self._reader.use() as db:
            row = db.execute(
                f"SELECT {column}, d.data FROM contents c JOIN derived d ON d.content=c.id "  # noqa: S608 - a constant
                "WHERE c.content_id=? AND d.recipe=?",
                (bytes.fromhex(content), recipe),
            ).fetchone()
        if row is None:
            raise self._lost(content)
        try:
            return (unpack_text(row[0]) if with_text else ""), unpack_derived(row[1])
        except (msgspec.DecodeError, zlib.error, UnicodeDecodeError) as error:
            raise self._lost(content) from error

    def _lost(self, content: ContentId) -> DamagedError:
        return DamagedError(
            f"The stored text of content {content[:12]} is gone; run `gazetteer sync` to derive it again.",
            content=content,
        )

    def collect(self, reachable: set[ContentId], *, keep_seconds: int = 3600, keep_bytes: int = 512 << 20) -> int:
        """Drop what nothing refers to, oldest first, past ``keep_seconds`` and ``keep_bytes``; return how many."""
        if self._writer is None:
            return 0
        limit = int(time.time()) - keep_seconds + (keep_seconds == 0)
        with self._writer.transaction() as db:
            loose = [
                (row_id, size)
                for row_id, key, size in db.execute(
                    "SELECT id, content_id, length(text) FROM contents WHERE touched<? ORDER BY touched DESC, id",
                    (limit,),
                )
                if ContentId(key.hex()) not in reachable
            ]
            kept = 0
            dropped: list[tuple[int]] = []
            for row_id, size in loose:
                kept += size
                if kept > keep_bytes:
                    dropped.append((row_id,))
            db.executemany("DELETE FROM contents WHERE id=?", dropped)
        return len(dropped)

    def shrink(self) -> None:
        """Give the space of dropped rows back to the disk."""
        if self._writer is None:
            return
        with self._writer.use() as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def check(self) -> str:
        """SQLite's own verdict on the file: ``"ok"`` or its first complaint."""
        with self._reader.use() as db:
            return str(db.execute("PRAGMA quick_check(1)").fetchone()[0])

    def is_replaced(self) -> bool:
        """Whether another process removed the database that is open here, or put another one in its place."""
        return self._reader.is_replaced()

    def discard(self) -> None:
        """Remove the damaged file that is open here, unless another process has replaced it already."""
        with contents_lock(self.path).held():
            if not self.is_replaced():
                remove_database(self.path)

    def close(self) -> None:
        """Close both connections."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()
