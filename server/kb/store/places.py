"""The tables of ``kb.db`` that say what the last look at a tree saw: files, directories, rule files.

Part of the corpus's database and of its transactions; nothing here begins or ends one.
"""

import os
import sqlite3
from collections.abc import Iterable

import msgspec

from ..model import MOST, DocumentPath, Signature
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


_SIGNATURE = [int] * 5
_WRAP = 1 << 64


def _stored(signature: Signature) -> tuple[int, ...]:
    """A signature in SQLite's numbers, which have a sign; inodes have none and may need all 64 bits."""
    size, mtime, ctime, inode, taken = msgspec.structs.astuple(signature)
    return size, mtime, ctime, inode - _WRAP if inode > MOST else inode, taken


def read_places(db: sqlite3.Connection) -> Places:
    """All that a sweep compares with the disk; raises ``sqlite3.DatabaseError`` for a row that nobody has written."""
    files = {
        DocumentPath(path_of(path)): FileState(_signature(signature), _text(disk_hash), _text(refusal))
        for path, *signature, disk_hash, refusal in db.execute(
            "SELECT path, size, mtime, ctime, inode, taken, disk_hash, refusal FROM files ORDER BY path"
        )
    }
    directories = {
        DocumentPath(path_of(path)): _signature(signature)
        for path, *signature in db.execute(
            "SELECT path, size, mtime, ctime, inode, taken FROM directories ORDER BY path"
        )
    }
    rules = {
        path_of(path): None if signature[0] is None else _signature(signature)
        for path, *signature in db.execute(
            "SELECT path, size, mtime, ctime, inode, taken FROM rule_files ORDER BY path"
        )
    }
    return Places(files, directories, rules)


def _signature(values: list[int]) -> Signature:
    """A page of another table in the place of one of this may hold anything, in columns of any type."""
    if [*map(type, values)] != _SIGNATURE:
        raise sqlite3.DatabaseError("a place is malformed")
    size, mtime, ctime, inode, taken = values
    return Signature(size, mtime, ctime, inode + _WRAP if inode < 0 else inode, taken)


def path_of(value: bytes) -> str:
    """A stored path; raises ``sqlite3.DatabaseError`` for what is none."""
    if type(value) is not bytes:
        raise sqlite3.DatabaseError("a place is malformed")
    return os.fsdecode(value)


def _text(value: str) -> str:
    if type(value) is not str:
        raise sqlite3.DatabaseError("a place is malformed")
    return value


def write_places(db: sqlite3.Connection, places: PlacesDelta) -> None:
    """Record what became different."""
    execute = db.executemany
    tables: tuple[tuple[str, Iterable[tuple[object, ...]]], ...] = (
        ("DELETE FROM files WHERE path=?", ((os.fsencode(p),) for p, s in places.files.items() if s is None)),
        (
            "INSERT OR REPLACE INTO files VALUES(?,?,?,?,?,?,?,?)",
            (
                (os.fsencode(p), *_stored(s.signature), s.disk_hash, s.refusal)
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
            ((os.fsencode(p), *_stored(s)) for p, s in places.directories.items() if s is not None),
        ),
        ("DELETE FROM rule_files WHERE path=?", ((os.fsencode(p),) for p in places.gone_rule_files)),
        (
            "INSERT OR REPLACE INTO rule_files VALUES(?,?,?,?,?,?)",
            ((os.fsencode(p), *(_stored(s) if s is not None else (None,) * 5)) for p, s in places.rule_files.items()),
        ),
    )
    for statement, rows in tables:
        execute(statement, rows)
