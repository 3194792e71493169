"""What a lookout says is what a sweep would find, it says nothing else, and nobody depends on it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from gazetteer.kb import child, look, lookout
from gazetteer.kb.freshness import Sweeper
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.lookout import Lookout, Station
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import Scan, ScanRules, list_tree, sweep
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .test_sweep import CHANGES, RULES, git, later, said, tree
from .world import A, texts


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookout, "LEAST_FILES", 1)


@pytest.fixture(scope="module")
def post() -> Iterator[Lookout]:
    made = Lookout()
    kept = made.station()
    yield made
    kept.close()


def process_of(post: Lookout) -> "lookout._Process":
    """Its process, once it is ready."""
    post.process()
    assert post._process is not None
    assert post._process.ready.wait(60)
    return post._process


def holds(station: Station, root: Path, scan: Scan, state: object = None) -> bool:
    return station.unmoved(state or scan, str(root), scan, RULES.max_file_bytes, lambda: False)


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    return tree(tmp_path / "r", "a.py", "b.py", "d/c.py", "d/e/f.py", gitignore="*.o\n")


@pytest.mark.parametrize("what", CHANGES)
def test_it_says_no_to_whatever_a_sweep_finds(post: Lookout, swept: Path, what: str) -> None:
    process_of(post)
    before, station = list_tree(str(swept), RULES, later), post.station()
    assert holds(station, swept, before)
    CHANGES[what][0](swept)
    found = sweep(str(swept), RULES, before, later)
    still = holds(station, swept, before)
    assert still == (what == "nothing") or (not said(found) and not still)
    station.close()


@pytest.mark.parametrize("what", ["shrunk", "ignoring", "made", "unlisted"])
def test_it_says_no_where_other_files_may_be_listed_now(post: Lookout, swept: Path, what: str) -> None:
    process_of(post)
    git(swept, "init", "-q")
    (swept / "big.py").write_text("x" * (RULES.max_file_bytes + 1))
    before, station = list_tree(str(swept), RULES, later), post.station()
    assert before.oversize
    assert holds(station, swept, before)
    if what == "shrunk":
        os.truncate(swept / "big.py", 10)
    elif what == "ignoring":
        (swept / ".git/info/exclude").write_text("b.py\n")  # no folder of the tree changes by that
    elif what == "made":
        (swept / "d" / ".gitignore").write_text("c.py\n")
    else:
        (swept / "big.py").unlink()
    assert not holds(station, swept, before)
    station.close()


def test_it_says_nothing_of_what_cannot_be_trusted(post: Lookout, swept: Path) -> None:
    """A file, a folder or a rule file that was changed a moment ago may be changed again without a trace."""
    process_of(post)
    young = list_tree(str(swept), RULES, time.time_ns)
    station = post.station()
    assert young.suspect
    assert not holds(station, swept, young)
    station.close()


def test_names_that_are_no_text_are_swept_here(post: Lookout, swept: Path) -> None:
    process_of(post)
    (swept / os.fsdecode(b"odd\xff.py")).touch()
    before, station = list_tree(str(swept), RULES, later), post.station()
    assert any("odd" in path for path in before.files)
    assert not holds(station, swept, before)
    (swept / os.fsdecode(b"odd\xff.py")).unlink()
    assert holds(station, swept, list_tree(str(swept), RULES, later)), "it can be asked again"
    station.close()


class Tree:
    """A tree, a knowledge base of it that trusts signatures at once, and its sweeper."""

    def __init__(self, folder: Path, post: Lookout) -> None:
        self.root = tree(folder / "tree", "a.py", "d/b.py", "d/e/c.py")
        self.kb = KnowledgeBase(Root(str(self.root)), str(folder / "cache"), ScanRules(), processes=1, clock=later)
        self.sweeper = Sweeper(self.kb, station=post.station())

    def sweep(self) -> None:
        self.sweeper.start().result(60)

    def close(self) -> None:
        self.sweeper.close()
        self.kb.close()


@pytest.fixture
def small(tmp_path: Path, post: Lookout) -> Iterator[Tree]:
    process_of(post)
    made = Tree(tmp_path, post)
    yield made
    made.close()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Looks at trees that this process made itself."""
    made: list[str] = []
    usual = look.look

    def noted(root: str, *arguments: object, **options: object) -> object:
        made.append(root)
        return usual(root, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("gazetteer.kb.indexer.look", noted)
    return made


def test_a_tree_in_which_nothing_happens_is_not_looked_at_here(small: Tree, looks: list[str]) -> None:
    for _ in range(2):  # the first lists it, the second finds nothing to do
        small.sweep()
    looks.clear()
    swept_at = small.kb.indexer.swept_at
    small.sweep()
    assert looks == []
    assert small.kb.indexer.swept_at > swept_at
    (small.root / "a.py").write_text("changed = 1\n")
    small.sweep()
    assert looks
    assert texts(small.kb.snapshot())["a.py"] == "changed = 1\n"


def test_what_was_found_out_meanwhile_is_what_is_asked_about(small: Tree, looks: list[str]) -> None:
    """A save that was read by a hint changes what is known, and not the tree as it was told."""
    for _ in range(3):
        small.sweep()
    (small.root / "a.py").write_text("saved = 1\n")
    small.kb.mark_dirty(A)
    small.kb.flush()
    for _ in range(3):
        small.sweep()
    looks.clear()
    small.sweep()
    assert looks == [], "it is told of the new state, and asked again"
    assert texts(small.kb.snapshot())["a.py"] == "saved = 1\n"


def test_another_process_that_publishes_is_noticed(small: Tree, looks: list[str]) -> None:
    for _ in range(3):
        small.sweep()
    other = KnowledgeBase(
        Root(str(small.root)), os.path.dirname(os.path.dirname(small.kb.folder)), ScanRules(), processes=1
    )
    (small.root / "new.py").write_text("other = 1\n")
    other.refresh()
    other.close()
    looks.clear()
    small.sweep()
    assert looks
    assert "new.py" in texts(small.kb.snapshot())


def test_other_rules_are_followed_at_once(small: Tree) -> None:
    for _ in range(3):
        small.sweep()
    small.kb.configure(ScanRules(exclude=("d",)), "others")
    small.sweep()
    assert set(texts(small.kb.snapshot())) == {"a.py"}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lookout_that_dies_or_hangs_is_done_without(
    small: Tree, post: Lookout, looks: list[str], how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        small.sweep()
    monkeypatch.setattr(lookout, "PATIENCE_S", 0.1)
    first = process_of(post)
    os.kill(first._process.pid, how)
    looks.clear()
    (small.root / "d/b.py").write_text("changed = 2\n")
    small.sweep()
    assert looks
    assert texts(small.kb.snapshot())["d/b.py"] == "changed = 2\n"
    assert first._process.wait(60) == -signal.SIGKILL
    monkeypatch.undo()
    monkeypatch.setattr(lookout, "LEAST_FILES", 1)
    assert process_of(post) is not first
    for _ in range(2):
        small.sweep()
    assert process_of(post).told, "a new one is told and asked"


def test_no_process_can_be_started(small: Tree, post: Lookout, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_module: str) -> None:
        raise OSError("no more processes")

    for _ in range(3):
        small.sweep()
    process_of(post).end()
    monkeypatch.setattr(lookout, "start", refuse)
    (small.root / "d/b.py").write_text("changed = 3\n")
    for _ in range(2):
        small.sweep()
    assert texts(small.kb.snapshot())["d/b.py"] == "changed = 3\n"


def test_one_that_does_not_die_is_done_without(post: Lookout, swept: Path) -> None:
    """Its pipe stays open while a thread of it waits for a disk; here somebody else holds it open."""
    first, station = process_of(post), post.station()
    scan = list_tree(str(swept), RULES, later)
    answers: list[bool] = []
    os.kill(first._process.pid, signal.SIGSTOP)
    asking = threading.Thread(target=lambda: answers.append(holds(station, swept, scan)))
    with open(f"/proc/{first._process.pid}/fd/1", "wb"):
        asking.start()
        first.end()
        asking.join(60)
        assert answers == [False]
        assert process_of(post) is not first
        assert holds(station, swept, scan)
    station.close()


def test_where_there_can_be_no_more_threads_it_is_swept_here(
    small: Tree, post: Lookout, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        small.sweep()
    process_of(post).end()
    begin, processes = threading.Thread.start, []

    def start(thread: threading.Thread) -> None:
        if thread.name == "lookout-write":
            raise RuntimeError("can't start new thread")
        begin(thread)

    def noted(module: str) -> "subprocess.Popen[bytes]":
        processes.append(child.start(module))
        return processes[-1]

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.setattr(lookout, "start", noted)
    (small.root / "d/b.py").write_text("changed = 4\n")
    for _ in range(2):
        small.sweep()
    assert texts(small.kb.snapshot())["d/b.py"] == "changed = 4\n"
    assert [process.wait(60) for process in processes] == [-signal.SIGKILL]


def test_one_that_speaks_another_way_is_done_without(
    small: Tree, post: Lookout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the package was replaced on disk under a running server."""
    for _ in range(3):
        small.sweep()
    process = process_of(post)
    monkeypatch.setattr(lookout, "_answer", msgspec.msgpack.Decoder(str).decode)
    small.sweep()
    assert process.over
    assert process._process.wait(60) == -signal.SIGKILL


def test_nothing_is_started_where_no_tree_is_looked_at() -> None:
    made = Lookout()
    station = made.station()
    station.close()
    assert made.process() is None
    assert made._process is None


def test_whoever_waits_can_be_stopped(post: Lookout, swept: Path) -> None:
    process = process_of(post)
    os.kill(process._process.pid, signal.SIGSTOP)
    asked: list[bool] = []
    scan = list_tree(str(swept), RULES, later)

    def should_stop() -> bool:
        asked.append(True)
        return len(asked) > 2

    station = post.station()
    assert not station.unmoved(scan, str(swept), scan, RULES.max_file_bytes, should_stop)
    os.kill(process._process.pid, signal.SIGCONT)
    assert holds(station, swept, scan), "what it was asked before does not count for the next answer"
    station.close()


def test_one_process_looks_at_all_trees_and_ends_with_the_last(swept: Path) -> None:
    made = Lookout()
    first, second = made.station(), made.station()
    process = process_of(made)
    scan = list_tree(str(swept), RULES, later)
    assert holds(first, swept, scan)
    assert holds(second, swept, scan)
    first.close()
    assert holds(second, swept, scan)
    second.close()
    assert process._process.wait(60) is not None


def test_many_ask_at_once_and_each_is_answered_for_its_own_tree(post: Lookout, swept: Path, tmp_path: Path) -> None:
    process_of(post)
    moved = tree(tmp_path / "moved", "a.py")
    still, gone = list_tree(str(swept), RULES, later), list_tree(str(moved), RULES, later)
    (moved / "a.py").write_text("other\n")
    answers: list[tuple[bool, bool]] = []

    def ask() -> None:
        one, other = post.station(), post.station()
        answers.extend((holds(one, swept, still), holds(other, moved, gone)) for _ in range(20))
        one.close()
        other.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(True, False)] * 80


NAMES = [DocumentPath(path) for path in ("a.py", "d/b.py", "d/e/c.py", "new.py", "d/new.md")]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(NAMES), st.sampled_from([None, "", "one = 1\n", "def two():\n    pass\n"])),
        st.just("sweep"),
        st.just("hint"),
    ),
    max_size=12,
)


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_a_sweep_finds_all_of_it(tmp_path: Path, post: Lookout, steps: list[object]) -> None:
    process_of(post)
    folder = tmp_path / str(time.monotonic_ns())
    folder.mkdir()
    small = Tree(folder, post)
    try:
        for step in steps:
            if step == "sweep":
                small.sweep()
            elif step == "hint":
                for name in NAMES:
                    small.kb.mark_dirty(name)
                small.kb.flush()
            elif isinstance(step, tuple):
                path, text = small.root / step[0], step[1]
                if text is None:
                    path.unlink(missing_ok=True)
                else:
                    path.write_text(text)
        small.sweep()
        there = {
            str(path.relative_to(small.root)): path.read_text() for path in small.root.rglob("*") if path.is_file()
        }
        assert texts(small.kb.snapshot()) == there
    finally:
        small.close()
