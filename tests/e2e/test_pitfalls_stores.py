"""What neighbours' stores got wrong, asked of ours through sessions and the command."""

import json
import os
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.store.connection import Connection

from .small import Small, ask, paths


@pytest.fixture
def small(tmp_path: Path) -> Small:
    small = Small(tmp_path)
    small.write("a.py", "def alpha():\n    return 1\n")
    small.write("b.py", "def beta():\n    return alpha()\n")
    return small


def test_a_second_tree_of_one_process_does_not_cost_the_first_its_hold(small: Small) -> None:
    """CC05, CC09: two trees here and a command there share one store; nobody's log is taken away under him."""
    other = small.folder / "other"
    other.mkdir()
    (other / "o.py").write_text("def other():\n    pass\n")
    with small.open() as first, small.open(tree=other) as second:
        assert paths(ask(first, "alpha")) == ["a.py", "b.py"]
        assert paths(ask(second, "other")) == ["o.py"]
        assert small.command("ask", "alpha").returncode == 0
        small.write("a.py", "def gamma():\n    return 2\n")
        assert paths(ask(first, "gamma")) == ["a.py"]
        checked = small.command("check", "--full")
        assert checked.returncode == 0, checked.stdout
        assert not first.check(full=True).findings


def test_two_commands_on_a_cold_cache_both_answer(small: Small) -> None:
    """CC03, CC04: neither fails because the other one is building, and what they leave is one sound index."""
    for number in range(60):
        small.write(f"m{number}.py", f"def f{number}():\n    return alpha\n")
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: small.command("ask", "alpha", "--json"), range(3)))
    assert [run.returncode for run in runs] == [0, 0, 0], [run.stderr for run in runs]
    answers = [json.loads(run.stdout) for run in runs]
    assert {hit["relpath"] for answer in answers for hit in answer["hits"][:1]} == {"a.py"}
    assert [answer["receipt"]["snapshot"]["corpora"][0]["documents"] for answer in answers] == [62, 62, 62]
    with small.open() as session:
        assert not session.check(full=True).findings


def test_two_editors_on_one_tree_see_their_own_buffers(small: Small) -> None:
    """CC05, CC19: the same file open in both, the same edits at the same time, saved by one of them."""
    path = DocumentPath("a.py")
    with small.open(one_shot=False) as first, small.open(one_shot=False) as second:
        for session in (first, second):
            session.sync()
            session.kb.open_buffer(path, "def alpha():\n    return 1\n", 1)
        with ThreadPoolExecutor(2) as pool:
            for version in range(2, 12):
                for session in (first, second):
                    session.kb.change_buffer(path, [Change("#", (0, 0, 0, 0))], version, "utf-16")
                list(pool.map(lambda session: ask(session, "alpha"), (first, second)))
        second.kb.change_buffer(path, [Change("wombat = 1\n", (0, 0, 0, 0))], 12, "utf-16")
        assert (paths(ask(first, "wombat")), paths(ask(second, "wombat"))) == ([], ["a.py"])
        overlay = first.kb.overlays.get(path)
        assert overlay is not None
        small.write("a.py", overlay.text)
        first.kb.close_buffer(path)
        first.sync()
        assert [hit.freshness for hit in ask(first, "alpha", paths=("/a.py",)).hits] == ["verified"]
        assert [hit.freshness for hit in ask(second, "wombat").hits] == ["overlay"]
        assert not first.check(full=True).findings


@pytest.mark.parametrize("point", ["content.after_put", "publish.before_commit", "publish.after_commit"])
def test_a_build_that_was_killed_is_no_state(small: Small, point: str) -> None:
    """ST04, CC13, CC14: the last generation answers, nothing says "indexing", the next question goes on."""
    with small.open() as session:
        session.sync()
    small.write("a.py", "def gamma():\n    return 3\n")
    for _ in range(2):
        assert small.command("sync", GAZETTEER_FAILPOINT=point).returncode == -signal.SIGKILL
        with small.open() as session:
            found = session.status()
            assert (found.state, found.documents) == ("ready", 2)
            assert found.generation in (1, 2)
        if point == "publish.after_commit":
            break
    with small.open() as session:
        assert paths(ask(session, "gamma")) == ["a.py"]
        assert session.status().generation == 2, "one generation for one edit"
        assert not session.check(full=True).findings


@pytest.mark.parametrize("point", ["content.after_put", "publish.verified", "follower.before_swap"])
def test_a_first_build_that_was_killed_is_begun_again(small: Small, point: str) -> None:
    """CC13, CC14: by whoever asks, however often it was killed before."""
    for _ in range(2):
        small.command("sync", GAZETTEER_FAILPOINT=point)
    with small.open() as session:
        assert session.status().state in ("missing", "ready")
        assert paths(ask(session, "alpha")) == ["a.py", "b.py"]
        assert session.status().state == "ready"
        assert not session.check(full=True).findings


def test_an_index_that_somebody_removed_is_opened_anew(small: Small) -> None:
    """CC09, ST23: who has it open does not go on alone in files that nobody else can see; open buffers stay open."""
    path = DocumentPath("b.py")
    with small.open(one_shot=False) as session:
        session.sync()
        session.kb.open_buffer(path, "def wombat():\n    pass\n", 1)
        assert small.command("clean").returncode == 0
        assert session.status().state == "missing"
        small.write("a.py", "def gamma():\n    return 3\n")
        found = ask(session, "gamma wombat")
        assert [(hit.relpath, hit.freshness) for hit in sorted(found.hits, key=lambda hit: hit.relpath)] == [
            ("a.py", "verified"),
            ("b.py", "overlay"),
        ]
        here = found.receipt.snapshot.corpora[0].generation
        there = json.loads(small.command("ask", "gamma", "--json").stdout)["receipt"]["snapshot"]["corpora"][0]
        assert (here, there["generation"]) == (1, 1), "one index, not two"
        assert not session.check(full=True).findings


def test_opening_a_database_again_keeps_the_locks_of_those_who_have_it(tmp_path: Path) -> None:
    """CC09: an open connection still keeps everybody else from taking the log away."""
    path = str(tmp_path / "a.db")
    first = Connection(path)
    with first.transaction() as raw:
        raw.execute("CREATE TABLE t(x)")
    Connection(path).close()
    inode = os.stat(path).st_ino
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    assert any(int(row[5].rsplit(":", 1)[1]) == inode for row in held if row[1] == "POSIX")
    first.close()


def test_every_file_is_private_again_after_the_next_opening(small: Small) -> None:
    """SE06: an index that somebody opened to others is closed to them by whoever opens it next."""
    with small.open() as session:
        session.sync()
        for path in (small.cache, *small.cache.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    with small.open() as session:
        assert paths(ask(session, "alpha")) == ["a.py", "b.py"]
    readable = [path for path in (small.cache, *small.cache.rglob("*")) if path.stat().st_mode & 0o077]
    assert [path for path in readable if path.suffix == ".db" or "-wal" in path.name] == []
    assert small.cache not in readable, "nobody else gets in, whatever lies further down"


def test_one_damaged_index_costs_itself(small: Small) -> None:
    """QU13: the other trees answer, and the damaged one is built again."""
    other = small.folder / "other"
    other.mkdir()
    (other / "o.py").write_text("def other():\n    pass\n")
    with small.open() as session, small.open(tree=other) as neighbour:
        session.sync()
        neighbour.sync()
        folder = session.kb.folder
    for name in ("kb.db", "kb.db-wal", "kb.db-shm"):
        Path(folder, name).unlink(missing_ok=True)
    Path(folder, "kb.db").write_bytes(b"\xa5" * 8192)
    with small.open(tree=other) as neighbour:
        found = ask(neighbour, "other")
        assert (paths(found), found.receipt.notices) == (["o.py"], ())
    with small.open() as session:
        found = ask(session, "alpha")
        assert paths(found) == ["a.py", "b.py"]
        assert any("damaged" in notice for notice in found.receipt.notices)


def test_a_question_asked_while_somebody_publishes_is_whole_or_says_so(small: Small) -> None:
    """QU11, CC18: the held lock changes no strategy; what could not be taken in yet is left out and counted."""
    with small.open() as holder, small.open(one_shot=False) as session:
        before = ask(session, "alpha")
        small.write("c.py", "def alpha_more():\n    pass\n")
        small.write("b.py", "def beta():\n    return 2\n")
        with holder.kb.publisher.locked():
            during = ask(session, "alpha")
            assert [hit.relpath for hit in during.hits] == ["a.py"], "b.py has other bytes, c.py is not known yet"
            assert not during.receipt.freshness.sweep_complete or during.receipt.notices
            assert during.receipt.freshness.stale_excluded == 1
        steps = [(step.strategy, step.chosen) for step in before.receipt.plan.steps]
        assert [(step.strategy, step.chosen) for step in during.receipt.plan.steps] == steps
        session.sync()
        assert paths(ask(session, "alpha")) == ["a.py", "c.py"]


def test_a_one_shot_question_waits_for_the_publisher(small: Small) -> None:
    """QU11: it never answers from less because somebody was busy."""
    with small.open() as holder, small.open() as session:
        session.sync()
        small.write("c.py", "def alpha_more():\n    pass\n")
        holding, release = threading.Event(), threading.Event()

        def hold() -> None:
            with holder.kb.publisher.locked():
                holding.set()
                release.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        holding.wait()
        timer = threading.Timer(0.3, release.set)
        timer.start()
        try:
            assert paths(ask(session, "alpha")) == ["a.py", "b.py", "c.py"]
        finally:
            release.set()
            timer.cancel()
            thread.join()


def test_the_index_of_a_tree_that_is_gone_can_be_removed(small: Small) -> None:
    """ST23: no folder is needed to drop what is known of it, and the room is given back."""
    with small.open() as session:
        session.sync()
        folder = Path(session.kb.folder)
    before = sum(path.stat().st_size for path in small.cache.rglob("*") if path.is_file())
    shutil.rmtree(small.tree)
    with small.open() as session:
        report = session.clean()
    assert report.removed
    assert not any(path.is_file() for path in folder.rglob("*") if path.name != "publish.lock")
    assert sum(path.stat().st_size for path in small.cache.rglob("*") if path.is_file()) < before
