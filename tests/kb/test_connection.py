"""Databases are opened while others use them: waited for where that helps, seen to be damaged where it does not."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gazetteer.kb.errors import DamagedError, UnavailableError
from gazetteer.kb.store import patience
from gazetteer.kb.store.connection import Connection
from gazetteer.kb.store.content import ContentStore
from gazetteer.kb.store.corpus import CorpusStore

USER = """
import sys
from gazetteer.kb.store.content import ContentStore
from gazetteer.kb.store.corpus import CorpusStore
contents, corpus = ContentStore(sys.argv[1] + "/content.db"), CorpusStore(sys.argv[1])
if sys.argv[2] == "written":
    corpus.set_meta("a", "b")
    contents.shrink()  # its log is empty then
print(contents.identity, flush=True)
sys.stdin.read()
"""


@contextmanager
def used(folder: Path, how: str = "") -> Iterator[str]:
    """Have another process use both databases of a folder; the identity of its contents."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", USER, str(folder), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


@pytest.fixture(autouse=True)
def unwaited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever would wait for another process fails at once here: what these tests open needs no waiting."""
    monkeypatch.setattr(patience, "BUSY_TIMEOUT_S", 0.0)
    monkeypatch.setattr(patience, "_in_vain", {})


@pytest.mark.parametrize("how", ["", "written"])
def test_a_database_that_was_cut_to_nothing_under_its_user_is_damaged(tmp_path: Path, how: str) -> None:
    """It is made again at once, and not waited for as one that somebody writes to."""
    with used(tmp_path, how) as identity:
        os.truncate(tmp_path / "content.db", 0)
        os.truncate(tmp_path / "kb.db", 0)
        contents = ContentStore(str(tmp_path / "content.db"))
        assert contents.identity not in ("", identity)
        contents.close()
        with pytest.raises(DamagedError, match=r"kb.db was cut to nothing; run `gazetteer sync`"):
            CorpusStore(str(tmp_path))


def test_a_new_database_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    """Before it is used it is as empty as one that was cut."""
    (tmp_path / "content.db").touch(0o600)
    contents = ContentStore(str(tmp_path / "content.db"))
    assert contents.identity
    contents.close()


def test_what_was_locked_when_it_was_opened_is_seen_to_change(tmp_path: Path) -> None:
    """CC05: it is not read as a database that nobody can write to."""
    path = str(tmp_path / "a.db")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t(x)")
    holder.execute("BEGIN EXCLUSIVE")
    reader = Connection(path, read_only=True)
    holder.execute("INSERT INTO t VALUES(1)")
    with pytest.raises(UnavailableError, match="is busy; try again"), reader.use() as db:
        db.execute("SELECT count(*) FROM t")
    for count in (1, 2):
        holder.execute("COMMIT")
        with reader.use() as db:
            assert db.execute("SELECT count(*) FROM t").fetchone() == (count,)
        holder.execute("BEGIN")
        holder.execute("INSERT INTO t VALUES(2)")
    holder.close()
    reader.close()


def test_who_waited_in_vain_is_not_followed_by_others_who_wait_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several corpora share a database, and are opened one after the other."""
    path = str(tmp_path / "a.db")
    connection = Connection(path)
    monkeypatch.setattr(patience, "BUSY_TIMEOUT_S", 2 * patience.AGAIN_S)
    assert patience.patience(path) == 2 * patience.AGAIN_S
    monkeypatch.setattr(patience, "BUSY_TIMEOUT_S", 0.0)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(UnavailableError, match="is busy; try again"), connection.transaction():
        pass
    monkeypatch.setattr(patience, "BUSY_TIMEOUT_S", 2 * patience.AGAIN_S)
    assert patience.patience(path) == patience.AGAIN_S
    assert patience.patience(path + ".other") == 2 * patience.AGAIN_S
    holder.close()
    with connection.transaction():
        pass
    assert patience.patience(path) == 2 * patience.AGAIN_S
    connection.close()


def test_a_connection_that_was_opened_while_nobody_waited_long_waits_as_long_as_any_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers stay open as long as their session, and the wait in vain was long ago then."""
    path = str(tmp_path / "a.db")
    writer = Connection(path)
    monkeypatch.setattr(patience, "BUSY_TIMEOUT_S", 30.0)
    monkeypatch.setattr(patience, "JUST_S", 600.0)

    def waits_ms(connection: Connection) -> int:
        with connection.use() as db:
            return int(db.execute("PRAGMA busy_timeout").fetchone()[0])

    patience.note_wait(path, in_vain=True)
    reader = Connection(path, read_only=True)
    assert (waits_ms(reader), waits_ms(writer)) == (1_000, 1_000)
    patience.note_wait(path, in_vain=False)
    assert (waits_ms(reader), waits_ms(writer)) == (30_000, 30_000)
    for connection in (reader, writer):
        connection.close()
