"""Too many open files is a moment, and nothing else: what was met in it is looked at again, and nothing is believed.

The tests go through every number of descriptors that is too small, so that each file in turn is the one that cannot be
opened.
"""

import errno
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from gazetteer.app import Session
from gazetteer.kb import walk
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.scan import ScanRules, list_tree, sweep, would_index
from gazetteer.kb.store.connection import Connection
from gazetteer.retrieval import lexical_folder
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings

from .few import few_descriptors

RULES = ScanRules()
ENOUGH = 24
"""Descriptors with which everything goes as always."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Folders, ignore files in and above them, and a nested repository."""
    around = tmp_path / "around"
    tree = around / "tree"
    (tree / "in/deep").mkdir(parents=True)
    (tree / "nested").mkdir()
    (around / ".gitignore").write_text("*.above\n")
    (tree / ".gitignore").write_text("*.ignored\n")
    (tree / "in/.gazetteerignore").write_text("own.py\n")
    (tree / "nested/.git").write_text("gitdir: /somewhere\n")
    for name in ("a.py", "b.ignored", "c.above", "in/own.py", "in/d.py", "in/deep/e.py", "nested/f.py"):
        (tree / name).write_text("x = 1\n")
    return tree


LISTED = [".gitignore", "a.py", "in/.gazetteerignore", "in/d.py", "in/deep/e.py"]


def later() -> int:
    """So long after every change that each signature is to be trusted."""
    return time.time_ns() + 60_000_000_000


@contextmanager
def refusing(turn: int, number: int) -> Iterator[list[str]]:
    """Let one call to open a file fail; gives the paths of all calls."""
    asked: list[str] = []
    opens = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        asked.append(str(path))
        if len(asked) == turn + 1:
            raise OSError(number, os.strerror(number), path)
        return opens(path, flags, mode, dir_fd=dir_fd)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        yield asked


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
@pytest.mark.parametrize("repository", [False, True])
def test_a_tree_of_which_something_could_not_be_opened_is_listed_whole_by_the_next_look(
    tree: Path, repository: bool, number: int
) -> None:
    """A folder is looked into again; an ignored file is never listed for want of the rules."""
    if repository:
        subprocess.run(["git", "init", "-q", tree.parent], check=True)
    expected = LISTED if repository else sorted([*LISTED, "c.above"])
    turn, last = 0, False
    while not last:
        with refusing(turn, number) as asked:
            try:
                scan = list_tree(str(tree), RULES, later)
            except UnavailableError:
                scan = None
        last = turn >= len(asked)
        if scan is not None:
            assert {*scan.files} <= {*expected}, asked[turn]
            assert list(sweep(str(tree), RULES, scan, later).scan.files) == expected, asked[turn]
            assert not last or list(scan.files) == expected
        turn += 1
    assert turn > 6


def test_a_folder_that_cannot_be_opened_for_several_looks_is_looked_into_afterwards(tree: Path) -> None:
    expected = sorted([*LISTED, "c.above"])
    opens = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == str(tree / "in"):
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        return opens(path, flags, mode, dir_fd=dir_fd)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        scan = list_tree(str(tree), RULES, later)
        for _ in range(3):
            assert scan.failed == ("in",)
            scan = sweep(str(tree), RULES, scan, later).scan
    assert list(sweep(str(tree), RULES, scan, later).scan.files) == expected


def test_rules_that_are_opened_and_cannot_be_read_are_waited_for(tree: Path) -> None:
    """A disk fails where it is read; what the rules leave out is never listed, then or later."""
    subprocess.run(["git", "init", "-q", tree.parent], check=True)
    exclude = tree.parent / ".git/info/exclude"
    exclude.write_text("a.py\n")
    (tree.parent / ".git/HEAD").unlink()  # git refuses, and our own walker reads the rules
    expected = [name for name in LISTED if name != "a.py"]
    opens = open

    class Failing(io.FileIO):
        def read(self, *_: Any) -> bytes:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def fails(file: Any, *args: Any, **named: Any) -> Any:
        return Failing(file) if str(file) == str(exclude) else opens(file, *args, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "open", fails, raising=False)
        with pytest.raises(UnavailableError, match=r"cannot be read \(Input/output error\); make the file readable"):
            list_tree(str(tree), RULES, later)
    scan = list_tree(str(tree), RULES, later)
    assert list(scan.files) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "open", fails, raising=False)
        (tree / "new.py").write_text("x = 1\n")
        with pytest.raises(UnavailableError):
            sweep(str(tree), RULES, scan, later)
    assert list(sweep(str(tree), RULES, scan, later).scan.files) == sorted([*expected, "new.py"])


@pytest.mark.parametrize("path", ["b.ignored", "in/own.py", "nested/f.py"])
def test_one_path_is_not_let_in_for_want_of_the_rules(tree: Path, path: str) -> None:
    turn, last = 0, False
    while not last:
        with refusing(turn, errno.EMFILE) as asked, suppress(UnavailableError):
            assert not would_index(str(tree), RULES, DocumentPath(path)), asked[turn]
        last = turn >= len(asked)
        turn += 1
    assert turn > 2


def test_a_git_that_cannot_be_started_for_now_is_asked_again(tree: Path) -> None:
    subprocess.run(["git", "init", "-q", tree.parent], check=True)
    listers = []
    for left in range(ENOUGH):
        with few_descriptors(left), suppress(UnavailableError):
            scan = list_tree(str(tree), RULES, later)
            listers.append((scan, scan.lister))
    assert {lister for _, lister in listers} == {"walk", "git"}
    assert {sweep(str(tree), RULES, scan, later).scan.lister for scan, _ in listers} == {"git"}


READER = """
import sys
from few import few_descriptors
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.store.connection import Connection
for left in range(4):
    try:
        with few_descriptors(left):
            reader = Connection(sys.argv[1], read_only=True)
    except UnavailableError:
        continue
    print("open", flush=True)
    sys.stdin.readline()
    with reader.use() as db:
        print(db.execute("SELECT count(*) FROM t").fetchone()[0], flush=True)
    reader.close()
"""


def test_a_database_is_not_taken_for_one_that_nobody_writes(tmp_path: Path) -> None:
    """A reader without a descriptor for the log would never see what another process writes from then on."""
    file, rows, seen = str(tmp_path / "kb.db"), 0, []
    writer = Connection(file)
    with writer.transaction() as db:
        db.execute("CREATE TABLE t(x)")
    with subprocess.Popen(
        [sys.executable, "-c", READER, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        with writer.use() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a log that holds something is proof enough
        while reader.stdout.readline():
            with writer.transaction() as db:
                db.execute("INSERT INTO t VALUES(1)")
            rows += 1
            print(file=reader.stdin, flush=True)
            seen.append(int(reader.stdout.readline()))
            with writer.use() as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    assert seen
    assert seen == list(range(1, rows + 1))


def test_nothing_is_thrown_away_for_want_of_descriptors(tmp_path: Path) -> None:
    """Neither stored texts nor the keyword index are damaged; the next question in the same session finds all."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "first.py").write_text("def first():\n    return 1\n")
    settings = Settings(db_path=str(tmp_path / "cache"), sweep_reuse_ms=0)
    with Session(str(tree), settings) as first:
        first.retrieve(Query(text="first"))
    opened = 0
    for left in range(ENOUGH):
        (tree / f"f{left}.py").write_text(f"def name{left}():\n    return {left}\n")
        query = Query(text=f"name{left}")
        held: list[Session] = []
        with few_descriptors(left), suppress(UnavailableError):
            held.append(Session(str(tree), settings))
            held[0].retrieve(query)
        if not held:
            continue
        opened += 1
        session = held.pop()
        try:
            answer = session.retrieve(query)
            assert f"f{left}.py" in [hit.path for hit in answer.hits], left
            assert answer.receipt.notices == (), left
            assert session.check().findings == (), left
        finally:
            session.close()
    assert opened > 4


def test_a_keyword_index_that_the_disk_cannot_read_is_made_again(tmp_path: Path) -> None:
    """Neither for ever waited for, nor asked for again and again: all of it is made from the store."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def alpha():\n    return 1\n")
    settings, opens = Settings(db_path=str(tmp_path / "cache")), open
    with Session(str(tree), settings) as session:
        session.sync()
    bad = {str(path) for path in (tmp_path / "cache").rglob("*.store")}
    assert bad

    def fails(file: Any, *args: Any, **named: Any) -> Any:
        if str(file) in bad:
            raise OSError(errno.EIO, os.strerror(errno.EIO), file)
        return opens(file, *args, **named)

    with pytest.MonkeyPatch.context() as patch, Session(str(tree), settings) as session:
        patch.setattr(lexical_folder, "open", fails, raising=False)
        assert [hit.path for hit in session.retrieve(Query(text="alpha")).hits] == ["a.py"]


def test_settings_that_could_not_be_read_for_a_moment_count_afterwards(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "knowledge.yaml").write_text("exclude: ['left_out.py']\n")
    for name in ("kept.py", "left_out.py"):
        (tree / name).write_text("def name():\n    return 1\n")
    with Session(str(tree), Settings(db_path=str(tmp_path / "cache"), sweep_reuse_ms=0)) as session:
        session.sync()
        (tree / "knowledge.yaml").write_text("exclude: ['kept.py']\n")
        with few_descriptors(0), pytest.raises(UnavailableError):
            session.retrieve(Query(text="name"))
        assert [hit.path for hit in session.retrieve(Query(text="name")).hits] == ["left_out.py"]
        assert session.status().last_error == ""
