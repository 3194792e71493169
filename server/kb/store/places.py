"""The tables of ``kb.db`` that say what the last look at a tree saw: files, directories, rule files.

Part of the corpus's database and of its transactions; nothing here begins or ends one.
"""

import os
import sqlite3
from collections.abc import Iterable

import msgspec

from ..model import DocumentPath, Signature
from .rows import FileState, Places, PlacesDelta

PLACES_SCHEMA = """
CREATE TABLE IF NOT EXISTS files(
    path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
    inode INTEGER NOT NULL, taken INTEGER NOT NULL, disk_hash TEXT NOT NULL, refusal TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS directories(
    path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
    inode INTEGER NOT NULL, taken INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rule_files(
    path BLOB PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, taken INTEGER) WITHOUT ROWID;
"""


def read_places(db: sqlite3.Connection) -> Places:
    """All that a sweep compares with the disk."""
    files = {
        DocumentPath(os.fsdecode(path)): FileState(Signature(*signature), disk_hash, refusal)
        for path, *signature, disk_hash, refusal in db.execute(
            "SELECT path, size, mtime, ctime, inode, taken, disk_hash, refusal FROM files ORDER BY path"
        )
    }
    directories = {
        DocumentPath(os.fsdecode(path)): Signature(*signature)
        for path, *signature in db.execute("SELECT * FROM directories ORDER BY path")
    }
    rules = {
        os.fsdecode(path): None if signature[0] is None else Signature(*signature)
        for path, *signature in db.execute("SELECT * FROM rule_files ORDER BY path")
    }
    return Places(files, directories, rules)


def write_places(db: sqlite3.Connection, places: PlacesDelta) -> None:
    """Record what became different."""
    execute = db.executemany
    tables: tuple[tuple[str, Iterable[tuple[object, ...]]], ...] = (
        ("DELETE FROM files WHERE path=?", ((os.fsencode(p),) for p, s in places.files.items() if s is None)),
        (
            "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?,?)",
            (
                (os.fsencode(p), *msgspec.structs.astuple(s.signature), s.disk_hash, s.refusal)
                for p, s in places.files.items()
                if s is not None
            ),
        ),
        (
            "DELETE FROM directories WHERE path=?",
            ((os.fsencode(p),) for p, s in places.directories.items() if s is None),
        ),
        (
            "INSERT OR REPLACE INTO directories VALUES(?,?,?,?,?,?)",
            ((os.fsencode(p), *msgspec.structs.astuple(s)) for p, s in places.directories.items() if s is not None),
        ),
        ("DELETE FROM rule_files WHERE path=?", ((os.fsencode(p),) for p in places.gone_rule_files)),
        (
            "INSERT OR REPLACE INTO rule_files VALUES(?,?,?,?,?,?)",
            (
                (os.fsencode(p), *(msgspec.structs.astuple(s) if s is not None else (None,) * 5))
                for p, s in places.rule_files.items()
            ),
        ),
    )
    for statement, rows in tables:
        execute(statement, rows)
