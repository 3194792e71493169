"""``kb.db``: which documents one corpus has, generation by generation, and what the last look at its tree saw.

Rows are never changed in place: a version of a document is visible in the generations ``born <= g < died``, so a reader
that knows its generation needs no lock and no open transaction. Nothing becomes visible but through `commit`, one
transaction that writes documents, the places a sweep compares with, and the head (invariant 4).
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence

import msgspec

from ..errors import ConflictError, DamagedError, UnavailableError
from ..model import SCHEMA_VERSION, ContentId, DocumentId, DocumentPath, Generation, Recipe
from .connection import Connection, make_private_folder
from .documents import COLUMNS, Sum, begin_versions, end_versions, row_of
from .places import PLACES_SCHEMA, path_of, read_places, write_places
from .rows import Coverage, DocumentRow, Head, NewDocument, Places, PlacesDelta, Totals

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS generations(
    g INTEGER PRIMARY KEY, publish_id TEXT NOT NULL, published_at REAL NOT NULL,
    totals BLOB NOT NULL, coverage BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS head(one INTEGER PRIMARY KEY CHECK(one=1), g INTEGER NOT NULL, publish_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents(
    id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL, content_id BLOB NOT NULL, disk_hash BLOB NOT NULL,
    language TEXT NOT NULL, source_type TEXT NOT NULL, recipe TEXT NOT NULL, partial TEXT NOT NULL,
    problems INTEGER NOT NULL, chunks INTEGER NOT NULL, symbols INTEGER NOT NULL, regressed INTEGER NOT NULL,
    size INTEGER NOT NULL, changed_at REAL NOT NULL, born INTEGER NOT NULL, died INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS documents_path ON documents(path, died);
CREATE INDEX IF NOT EXISTS documents_died ON documents(died);
CREATE INDEX IF NOT EXISTS documents_born ON documents(born);
INSERT OR IGNORE INTO head VALUES(1, 0, '');
"""
_BATCH = 500
_json = msgspec.json.Encoder().encode
_totals = msgspec.json.Decoder(Totals).decode
_coverage = msgspec.json.Decoder(Coverage).decode


class CorpusStore:
    """The database of one corpus.

    Args:
        folder: the corpus's folder below the cache root; ``kb.db`` lies in it.
        read_only: never write; publishing raises UnavailableError.

    Raises:
        DamagedError: the file is no database of this layout; it is made again from the tree, never patched.
    """

    def __init__(self, folder: str, *, read_only: bool = False) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "kb.db")
        self.read_only = read_only
        self._writer: Connection | None = None
        if not read_only:
            make_private_folder(folder)
            self._writer = self._open_writer()
        self._reader = Connection(self.path, read_only=True)

    def _open_writer(self) -> Connection:
        writer = Connection(self.path, full_sync=True)
        try:
            with writer.transaction() as db:
                for statement in (_SCHEMA + PLACES_SCHEMA).split(";"):
                    db.execute(statement)
                db.execute("INSERT OR IGNORE INTO meta VALUES('schema', ?)", (str(SCHEMA_VERSION),))
                stored = db.execute("SELECT value FROM meta WHERE key='schema'").fetchone()[0]
        except BaseException:
            writer.close()
            raise
        if stored == str(SCHEMA_VERSION):
            return writer
        writer.close()
        raise DamagedError(
            f"The database {self.path} was made by another version; run `gazetteer sync` to build it again.",
            path=self.path,
        )

    def _writing(self) -> Connection:
        if self._writer is None:
            raise UnavailableError(
                f"The index in {self.folder} cannot be written; give write permission or name another place with "
                "--db-path.",
                path=self.folder,
            )
        return self._writer

    # -- reading ------------------------------------------------------------------------------------------------

    def head(self) -> Head:
        """The newest published state."""
        with self._reader.use() as db:
            row = db.execute("SELECT g, publish_id FROM head").fetchone()
        if row is None or [*map(type, row)] != [int, str]:  # or a page of another table lies in its place
            raise DamagedError(f"The database {self.path} has no head; run `gazetteer sync`.", path=self.path)
        return Head(Generation(row[0]), row[1])

    def knows(self, head: Head) -> bool:
        """Whether this very publication is (still) part of the history."""
        with self._reader.use() as db:
            row = db.execute("SELECT publish_id FROM generations WHERE g=?", (head.generation,)).fetchone()
        return row is not None and row[0] == head.publish_id

    def published(self, generation: Generation) -> tuple[Totals, Coverage, float]:
        """Sums, coverage and time of a kept generation; all zero for generation 0 or one that is not kept."""
        with self._reader.use() as db:
            row = db.execute(
                "SELECT totals, coverage, published_at FROM generations WHERE g=?", (generation,)
            ).fetchone()
            try:
                return (_totals(row[0]), _coverage(row[1]), row[2]) if row else (Totals(), Coverage(), 0.0)
            except (TypeError, msgspec.DecodeError) as error:
                raise sqlite3.DatabaseError("a generation is malformed") from error

    def documents(self, generation: Generation) -> Iterator[DocumentRow]:
        """Every document of a generation, by path."""
        with self._reader.use() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE died>? AND born<=? ORDER BY path",  # noqa: S608 - constants
                (generation, generation),
            ).fetchall()
            return iter([row_of(row) for row in rows])

    def document(self, generation: Generation, path: DocumentPath) -> DocumentRow | None:
        """The version of one document in a generation."""
        with self._reader.use() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE path=? AND died>? AND born<=?",  # noqa: S608 - constants
                (os.fsencode(path), generation, generation),
            ).fetchone()
            return row_of(row) if row else None

    def holds_below(self, generation: Generation, folder: DocumentPath) -> bool:
        """Whether a generation has any document below a folder."""
        lead = os.fsencode(folder)
        with self._reader.use() as db:
            found = db.execute(
                "SELECT 1 FROM documents WHERE path>? AND path<? AND died>? AND born<=? LIMIT 1",
                (lead + b"/", lead + b"0", generation, generation),  # "0" comes next after "/"
            ).fetchone()
            return found is not None

    def by_id(self, document_id: DocumentId) -> DocumentRow | None:
        """One version of a document, whatever generation it belongs to."""
        with self._reader.use() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE id=?",  # noqa: S608 - constants
                (document_id,),
            ).fetchone()
            return row_of(row) if row else None

    def by_ids(self, ids: Sequence[DocumentId]) -> dict[DocumentId, DocumentRow]:
        """Versions of documents by their ids; an id that is not there is left out."""
        found: dict[DocumentId, DocumentRow] = {}
        with self._reader.use() as db:
            for at in range(0, len(ids), _BATCH):
                part = ids[at : at + _BATCH]
                marks = ",".join("?" * len(part))
                for values in db.execute(
                    f"SELECT {COLUMNS} FROM documents WHERE id IN ({marks})",  # noqa: S608 - only question marks
                    part,
                ):
                    found[DocumentId(values[0])] = row_of(values)
        return found

    def changes(self, after: Generation, upto: Generation) -> tuple[list[DocumentId], list[DocumentRow]]:
        """What leads from one generation to a later one: ids that died, and rows that were born and live."""
        with self._reader.reading() as db:
            removed = [
                DocumentId(row[0])
                for row in db.execute(
                    "SELECT id FROM documents WHERE died>? AND died<=? AND born<=? ORDER BY id", (after, upto, after)
                )
            ]
            added = [
                row_of(row)
                for row in db.execute(
                    f"SELECT {COLUMNS} FROM documents WHERE born>? AND born<=? AND died>? "  # noqa: S608 - constants
                    "ORDER BY id",
                    (after, upto, upto),
                )
            ]
        return removed, added

    def places(self) -> tuple[Head, Places]:
        """All that a sweep compares with the disk, and the head that it belongs to."""
        with self._reader.reading() as db:
            generation, publish_id = db.execute("SELECT g, publish_id FROM head").fetchone()
            found = read_places(db)
        return Head(Generation(generation), publish_id), found

    # -- writing ------------------------------------------------------------------------------------------------

    def commit(
        self,
        expected: Head,
        upserts: Sequence[NewDocument],
        deletes: Sequence[DocumentPath],
        places: PlacesDelta,
        coverage: Coverage,
        publish_id: str,
    ) -> Head:
        """Publish: one transaction makes the next generation visible, or nothing.

        Raises:
            ConflictError: the head is not ``expected`` any more.
            UnavailableError: full disk, no permission, busy for too long.
        """
        with self._writing().transaction() as db:
            generation, current = db.execute("SELECT g, publish_id FROM head").fetchone()
            if (generation, current) != (expected.generation, expected.publish_id):
                raise ConflictError("Another process published first; the publication is tried again by itself.")
            new = Generation(generation + 1)
            row = db.execute("SELECT totals FROM generations WHERE g=?", (generation,)).fetchone()
            totals = Sum(_totals(row[0]) if row else Totals())
            end_versions(db, [*deletes, *(document.path for document in upserts)], new, totals)
            begin_versions(db, upserts, new, totals)
            write_places(db, places)
            db.execute(
                "INSERT INTO generations VALUES(?,?,?,?,?)",
                (new, publish_id, time.time(), _json(totals.value()), _json(coverage)),
            )
            db.execute("UPDATE head SET g=?, publish_id=?", (new, publish_id))
        return Head(new, publish_id)

    def note_places(self, expected: Head, places: PlacesDelta, coverage: Coverage | None) -> bool:
        """Record what a sweep saw when no document changed; False when the head moved meanwhile."""
        with self._writing().transaction() as db:
            if db.execute("SELECT g, publish_id FROM head").fetchone() != (expected.generation, expected.publish_id):
                return False
            write_places(db, places)
            if coverage is not None:
                db.execute("UPDATE generations SET coverage=? WHERE g=?", (_json(coverage), expected.generation))
        return True

    def collect(self, keep_seconds: float, follower_generation: Generation) -> int:
        """Drop generations older than ``keep_seconds`` that no follower needs, and the versions only they saw."""
        with self._writing().transaction() as db:
            head = db.execute("SELECT g FROM head").fetchone()[0]
            # A generation is superseded when the next one is published, and that is when its clock starts.
            oldest = db.execute(
                "SELECT coalesce(min(g), ?) - 1 FROM generations WHERE published_at>=?",
                (head + 1, time.time() - keep_seconds),
            ).fetchone()[0]
            floor = max(min(oldest, follower_generation, head), 0)
            gone = db.execute("DELETE FROM documents WHERE died<=?", (floor,)).rowcount
            db.execute("DELETE FROM generations WHERE g<?", (floor,))
        return int(gone)

    def contents(self) -> set[ContentId]:
        """Contents that any kept generation refers to."""
        with self._reader.use() as db:
            return {ContentId(key.hex()) for (key,) in db.execute("SELECT DISTINCT content_id FROM documents")}

    def languages(self, generation: Generation) -> dict[str, int]:
        """Number of documents of each language, by name."""
        with self._reader.use() as db:
            return dict(
                db.execute(
                    "SELECT language, count(*) FROM documents WHERE died>? AND born<=? GROUP BY 1 ORDER BY 1",
                    (generation, generation),
                ).fetchall()
            )

    def recipes(self, generation: Generation) -> list[tuple[str, Recipe]]:
        """Every (language, recipe) that some document of a generation was derived with."""
        with self._reader.use() as db:
            return db.execute(
                "SELECT DISTINCT language, recipe FROM documents WHERE died>? AND born<=? ORDER BY language, recipe",
                (generation, generation),
            ).fetchall()

    def paths_of(self, generation: Generation, recipe: Recipe) -> list[DocumentPath]:
        """The documents of a generation that were derived by this recipe."""
        with self._reader.use() as db:
            found = db.execute(
                "SELECT path FROM documents WHERE died>? AND born<=? AND recipe=? ORDER BY path",
                (generation, generation, recipe),
            )
            return [DocumentPath(path_of(path)) for (path,) in found]

    def paths(self, generation: Generation) -> list[DocumentPath]:
        """The paths of all documents of a generation, in order of their bytes."""
        with self._reader.use() as db:
            found = db.execute(
                "SELECT path FROM documents WHERE died>? AND born<=? ORDER BY path", (generation, generation)
            )
            return [DocumentPath(path_of(path)) for (path,) in found]

    def with_content(self, generation: Generation, content: ContentId) -> DocumentRow | None:
        """The first document of a generation, by path, that has this very content."""
        with self._reader.use() as db:
            row = db.execute(
                f"SELECT {COLUMNS} FROM documents WHERE died>? AND born<=? AND content_id=? "  # noqa: S608 - constants
                "ORDER BY path LIMIT 1",
                (generation, generation, bytes.fromhex(content)),
            ).fetchone()
            return row_of(row) if row else None

    def meta(self, key: str) -> str:
        """A value kept beside the generations; "" when there is none."""
        with self._reader.use() as db:
            row = db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value beside the generations."""
        with self._writing().transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))

    def check(self, *, full: bool) -> str:
        """SQLite's own verdict on the file: ``"ok"`` or its first complaint."""
        with self._reader.use() as db:
            return str(db.execute(f"PRAGMA {'integrity_check' if full else 'quick_check'}(1)").fetchone()[0])

    def is_replaced(self) -> bool:
        """Whether another process removed the database that is open here, or put another one in its place."""
        return self._reader.is_replaced()

    def close(self) -> None:
        """Close both connections."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()
