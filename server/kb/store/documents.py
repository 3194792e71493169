"""Rows of documents in ``kb.db``: a row as a value, and how versions begin and end within the transaction of a commit.

Part of the corpus's database and of its transactions; nothing here begins or ends one.
"""

import os
import sqlite3
from collections.abc import Sequence

import msgspec

from ..model import ContentId, DiskHash, DocumentId, DocumentPath, Generation
from .rows import FOREVER, DocumentRow, NewDocument, Totals

COLUMNS = (
    "id, path, content_id, disk_hash, language, source_type, recipe, partial, problems, chunks, symbols, "
    "regressed, size, changed_at, born, died"
)


def row_of(values: tuple[object, ...]) -> DocumentRow:
    """The value of a row of ``COLUMNS``; raises ``sqlite3.DatabaseError`` for one that nobody has written."""
    identity, path, content, disk, *rest = values
    if not (isinstance(path, bytes) and isinstance(content, bytes) and isinstance(disk, bytes)):
        raise sqlite3.DatabaseError("a document is malformed")
    return DocumentRow(
        DocumentId(identity),  # type: ignore[arg-type]
        DocumentPath(os.fsdecode(path)),
        ContentId(content.hex()),
        DiskHash(disk.hex()),
        *rest,  # type: ignore[arg-type]
    )


class Sum:
    """Totals of a generation while versions begin and end."""

    def __init__(self, start: Totals) -> None:
        self._values = list(msgspec.structs.astuple(start))

    def add(
        self, sign: int, chunks: int, symbols: int, size: int, partial: str, problems: int, regressed: bool
    ) -> None:
        """Count a document in (``sign`` 1) or out (-1)."""
        for at, value in enumerate((1, chunks, symbols, size, bool(partial), bool(problems), bool(regressed))):
            self._values[at] += sign * value

    def value(self) -> Totals:
        """The totals as they are now."""
        return Totals(*self._values)


def end_versions(db: sqlite3.Connection, paths: Sequence[DocumentPath], new: Generation, totals: Sum) -> None:
    """Let the live versions of documents end with a generation."""
    for path in paths:
        key = os.fsencode(path)
        old = db.execute(
            "SELECT chunks, symbols, size, partial, problems, regressed FROM documents WHERE path=? AND died=?",
            (key, FOREVER),
        ).fetchone()
        if old is not None:
            totals.add(-1, *old)
            db.execute("UPDATE documents SET died=? WHERE path=? AND died=?", (new, key, FOREVER))


def begin_versions(db: sqlite3.Connection, documents: Sequence[NewDocument], new: Generation, totals: Sum) -> None:
    """Let versions of documents begin with a generation."""
    for d in documents:
        totals.add(1, d.chunks, d.symbols, d.size, d.partial, d.problems, d.regressed)
    db.executemany(
        "INSERT INTO documents(path, content_id, disk_hash, language, source_type, recipe, partial, problems,"
        " chunks, symbols, regressed, size, changed_at, born, died) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            (
                os.fsencode(d.path),
                bytes.fromhex(d.content_id),
                bytes.fromhex(d.disk_hash),
                *msgspec.structs.astuple(d)[3:],
                new,
                FOREVER,
            )
            for d in documents
        ),
    )
