"""Derive processes: a file that hangs or kills one costs itself, and no process outlives who needs it."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from gazetteer.kb import derive_pool
from gazetteer.kb.bulk import LARGE_FILE
from gazetteer.kb.child import LOWEST
from gazetteer.kb.derive import Candidate, DeriveOptions, Refused, derive_file
from gazetteer.kb.derive_pool import DerivePool
from gazetteer.kb.derive_room import Room
from gazetteer.kb.derive_round import ASIDE_BYTES, BATCH_BYTES, BATCH_FILES, batches_of
from gazetteer.kb.errors import CancelledError, UnavailableError
from gazetteer.kb.model import DocumentPath

from ..e2e.small import Small, ask, paths

HOOK = """
import os, signal
from gazetteer.kb import extract
_derive = extract.derive
def derive(text, *arguments, **options):
    if "HANG" in text:
        while True:
            signal.pause()
    if "DIE" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    return _derive(text, *arguments, **options)
extract.derive = derive
"""
"""Put into every derive process by Python's own hook for that: a parser that hangs, and one that crashes."""

PARENT = """
import signal
from gazetteer.kb.derive import DeriveOptions
from gazetteer.kb.derive_pool import _Child
from gazetteer.kb.derive_room import Room
child = _Child(DeriveOptions("/", 1), Room())
child.ask([], 60.0)
print(child._process.pid, flush=True)
signal.pause()
"""


class Tree:
    """A folder of sources and a pool for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tree"
        self.folder.mkdir()
        self.options = DeriveOptions(str(self.folder), 1_000_000, deadline_s=60.0)
        self.pool = DerivePool(self.options, 1)

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.py").write_text(text)

    def run(self, *names: str) -> dict[str, Candidate | Refused]:
        work = [(DocumentPath(f"{name}.py"), 100) for name in names]
        return {outcome.path.removesuffix(".py"): outcome for outcome in self.pool.run(work)}


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    made = Tree(tmp_path)
    yield made
    made.pool.close()


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(hook), os.environ.get("PYTHONPATH")))))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, tree: Tree) -> None:
    """A process that hangs is given up soon; so may one that is only slow, which no test that uses this may mind."""
    monkeypatch.setattr(derive_pool, "GRACE_S", 3.0)
    tree.pool.configure(msgspec.structs.replace(tree.options, deadline_s=0.05))


def test_what_is_done_aside_takes_one_process_of_the_lowest_priority(tmp_path: Path) -> None:
    """C1: whatever anybody waits for goes first, in other programs too."""
    (tmp_path / "tree").mkdir()
    options, room = DeriveOptions(str(tmp_path / "tree"), 1_000_000), Room()
    names = [DocumentPath(f"{number}.py") for number in range(2 * BATCH_FILES)]
    for name in names:
        (tmp_path / "tree" / name).write_text("a = 1\n")
    for aside, priority in ((True, LOWEST), (False, os.getpriority(os.PRIO_PROCESS, 0))):
        pool = DerivePool(options, 4, aside=aside, room=room)
        assert len(list(pool.run([(name, 6) for name in names]))) == len(names)
        assert {os.getpriority(os.PRIO_PROCESS, child._process.pid) for child in pool._idle} == {priority}
        assert len(pool._idle) == 1 if aside else len(pool._idle) > 0
        pool.close()


def test_what_is_done_aside_may_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that gets what others leave is not given up as one that hangs is: the file would be kept unread."""
    monkeypatch.setattr(derive_pool, "GRACE_S", 0.0)
    monkeypatch.setattr(derive_pool, "ASIDE_TIMES", 1_000_000)
    (tmp_path / "a.py").write_text("a = 1\n")
    options = DeriveOptions(str(tmp_path), 1_000_000, deadline_s=0.001)  # less than a process takes to start
    pool = DerivePool(options, 1, aside=True, room=Room())
    (outcome,) = pool.run([(DocumentPath("a.py"), 6)])
    assert isinstance(outcome, Candidate)
    assert (outcome.partial, outcome.problems, outcome.symbols) == ("", 0, 1)
    pool.close()


def test_a_process_derives_what_this_one_would(tree: Tree) -> None:
    tree.write(a="def alpha():\n    return 1\n", b="x = 1\n", c="")
    for name, outcome in tree.run("a", "b", "c").items():
        here = derive_file(DocumentPath(f"{name}.py"), tree.options, None, None)
        assert isinstance(here, Candidate)
        assert isinstance(outcome, Candidate)
        assert (outcome.path, outcome.content_id, outcome.derived) == (here.path, here.content_id, here.derived)


def test_a_name_that_is_no_text_comes_back_as_it_went(tree: Tree) -> None:
    """PE08: what a file system can hold."""
    name = os.fsdecode(b"od\xffd.py")
    (tree.folder / name).write_text("x = 1\n")
    (outcome,) = tree.pool.run([(DocumentPath(name), 6)])
    assert (type(outcome), outcome.path) == (Candidate, name)


@pytest.mark.usefixtures("hostile", "impatient")
def test_a_file_that_hangs_the_parser_is_named_and_the_run_ends(tree: Tree) -> None:
    """SC06: the others of its batch are read all the same."""
    tree.write(a="def alpha():\n    pass\n", hang="HANG = 1\n", b="def beta():\n    pass\n")
    found = tree.run("a", "hang", "b")
    assert {name: type(outcome) for name, outcome in found.items()} == dict.fromkeys(("a", "hang", "b"), Candidate)
    assert isinstance(found["hang"], Candidate)
    assert (found["hang"].partial, found["hang"].chunks, found["hang"].problems) == ("timeout", 1, 1)


@pytest.mark.usefixtures("hostile")
def test_a_file_that_kills_the_parser_is_named_and_the_run_ends(tree: Tree) -> None:
    """SC06, TS01, TS02: a crash is a death of the process, and is no other file's fault."""
    tree.write(a="def alpha():\n    pass\n", die="DIE = 1\n", b="def beta():\n    pass\n")
    found = tree.run("die", "a", "b")
    assert {name: type(outcome) for name, outcome in found.items()} == dict.fromkeys(("die", "a", "b"), Candidate)
    assert isinstance(found["die"], Candidate)
    assert (found["die"].partial, found["die"].chunks, found["die"].problems) == ("crash", 1, 1)


@pytest.mark.usefixtures("hostile")
def test_what_the_parser_did_not_survive_is_indexed_and_said_and_not_tried_again(tmp_path: Path) -> None:
    """K9, K18, SC06: the file is found by its words; the answer says that it was not read in full."""
    small = Small(tmp_path)
    small.write("die.py", "DIE = 'zebra'\n" + "x = 1\n" * LARGE_FILE)
    with small.open() as session:
        answer = ask(session, "zebra")
        assert paths(answer) == ["die.py"]
        assert "1 documents are read in part" in answer.receipt.missing
        assert session.status().partial_documents == 1
        assert session.check(full=True).ok, "a check does not die of it either"
        os.utime(small.tree / "die.py", (1, 1))
        assert session.kb.refresh(strict=True).parsed == 0


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(("text", "code"), [("HANG\n", "timeout"), ("DIE\n", "crash")])
def test_a_buffer_that_the_parser_does_not_survive_has_chunks_and_a_problem(
    tree: Tree, text: str, code: str, request: pytest.FixtureRequest
) -> None:
    if code == "timeout":
        request.getfixturevalue("impatient")
    derived = tree.pool.derive_text(DocumentPath("a.txt"), text * 3)
    assert ([problem.code for problem in derived.problems], derived.partial) == ([code], code)
    assert sum(chunk.end - chunk.start for chunk in derived.chunks) == len(text) * 3


def test_a_process_that_died_while_idle_is_no_files_fault(tree: Tree) -> None:
    """A lone file is not refused because the machine ended a process that was waiting."""
    tree.write(a="x = 1\n")
    tree.run("a")
    (idle,) = tree.pool._idle
    idle._process.kill()
    idle._process.wait()
    assert isinstance(tree.run("a")["a"], Candidate)


def test_stopping_ends_the_run_and_leaves_a_pool_that_works(tree: Tree) -> None:
    tree.write(**{f"f{number}": "x = 1\n" for number in range(60)})
    names = [(DocumentPath(f"f{number}.py"), 100) for number in range(60)]
    with pytest.raises(CancelledError):
        list(tree.pool.run(names, lambda: True))
    assert len(tree.run(*(f"f{number}" for number in range(60)))) == 60


def test_a_process_ends_when_its_parent_is_killed() -> None:
    """CC13: a kill -9 of the parent leaves nobody behind, whatever it was at."""
    parent = subprocess.Popen([sys.executable, "-P", "-c", PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    ended = os.pidfd_open(pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert select.select([ended], [], [], 30) == ([ended], [], []), "a readable descriptor is a process that has ended"
    os.close(ended)


@pytest.mark.usefixtures("hostile")
def test_what_is_done_aside_is_kept_in_small_parts(tree: Tree) -> None:
    """C1: it is stopped by every question; what it has read until then need not be read again."""
    tree.write(a="x = 1\n", b="HANG\n")
    pool, stopped = DerivePool(tree.options, 1, aside=True), threading.Event()
    work = [(DocumentPath("a.py"), ASIDE_BYTES), (DocumentPath("b.py"), 5)]
    outcomes = pool.run(work, stopped.is_set)
    assert next(outcomes).path == "a.py", "though the process is at the other one"
    stopped.set()
    with pytest.raises(CancelledError):
        next(outcomes)
    pool.close()


def test_batches_are_bounded_in_files_and_bytes_and_hold_everything_once() -> None:
    work = [(DocumentPath(f"f{number}"), weight) for number, weight in enumerate([BATCH_BYTES, 1, 1] + [0] * 60)]
    batches = list(batches_of(work))
    assert [path for batch in batches for path in batch] == [path for path, _ in work]
    assert max(map(len, batches)) == BATCH_FILES
    assert len(batches[0]) == 1, "a large file is a batch of its own"


def test_a_process_without_work_ends_and_the_next_work_starts_another(tree: Tree) -> None:
    """What a process learned is not kept for ever; work that comes later is done all the same."""
    tree.write(a="x = 1\n", b="x = 2\n")
    pool = DerivePool(tree.options, 1, idle_s=0.01)
    assert list(pool.run([(DocumentPath("a.py"), 6)]))
    while (reaper := pool._reaper) is not None:
        reaper.join()
    assert pool._idle == []
    assert list(pool.run([(DocumentPath("b.py"), 6)]))
    pool.close()


def test_closing_twice_does_nothing(tree: Tree) -> None:
    tree.write(a="x = 1\n")
    tree.run("a")
    (child,) = tree.pool._idle
    tree.pool.close()
    tree.pool.close()
    assert not child.alive


def test_nobody_starts_a_process_once_the_pool_is_closed(tree: Tree) -> None:
    """CC13: a question that comes late, or was under way, leaves no process behind."""
    tree.write(a="x = 1\n")
    at_work = tree.pool._take()
    tree.pool.close()
    with pytest.raises(UnavailableError):
        tree.run("a")
    with pytest.raises(UnavailableError):
        tree.pool.derive_text(DocumentPath("a.py"), "x = 1\n")
    tree.pool._give_back(at_work)
    assert (at_work.alive, tree.pool._idle) == (False, [])


def test_other_options_hold_for_what_begins_then(tree: Tree) -> None:
    """A buffer that is being derived meanwhile is not refused, and no process goes on with the old options."""
    tree.write(a="x = 1\n", b="x = 1\n" * 20)
    tree.run("a")
    (idle,) = tree.pool._idle
    at_work = tree.pool._take()
    tree.pool._give_back(idle)
    tree.pool.configure(msgspec.structs.replace(tree.options, max_file_bytes=50))
    tree.pool._give_back(at_work)
    assert (idle.alive, at_work.alive) == (False, False)
    assert {name: type(outcome) for name, outcome in tree.run("a", "b").items()} == {"a": Candidate, "b": Refused}


# -- several trees ------------------------------------------------------------------------------------------------


class Counted(Room):
    """A room that remembers how full it was."""

    most = 0

    def enter(self, most: int, should_stop: Callable[[], bool]) -> bool:
        entered = super().enter(most, should_stop)
        self.most = max(self.most, self.count)
        return entered


def pools(tree: Tree, room: Room) -> tuple[DerivePool, DerivePool]:
    """Two pools, of one process each at most, as two trees have them."""
    return DerivePool(tree.options, 1, room=room), DerivePool(tree.options, 1, room=room)


def test_pools_of_several_trees_share_the_processors(tree: Tree) -> None:
    """Two trees that are indexed at once have as many processes as one, and both are indexed."""
    tree.write(**{f"f{number}": f"def f{number}(): ...\n" for number in range(60)})
    work = [(DocumentPath(f"f{number}.py"), 20) for number in range(60)]
    room = Counted()
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda pool=pool: found.append(len(list(pool.run(work))))) for pool in pools(tree, room)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [60, 60]
    assert room.most == 1


def test_an_idle_process_makes_room_for_another_tree(tree: Tree) -> None:
    tree.write(a="def a(): ...\n")
    room = Room()
    one, other = pools(tree, room)
    assert len(list(one.run([(DocumentPath("a.py"), 20)]))) == 1
    assert room.count == 1  # it is kept, for what may come
    assert len(list(other.run([(DocumentPath("a.py"), 20)]))) == 1
    assert room.count == 1
    one.close()
    other.close()
    assert room.count == 0


def test_a_text_that_is_typed_waits_for_no_other_tree(tree: Tree) -> None:
    """Invariant 7: what an editor has open is derived at once, while another tree is being read."""
    room = Room()
    one, _ = pools(tree, room)
    assert room.enter(1, lambda: False)  # all the room there is
    assert one.derive_text(DocumentPath("b.py"), "def b(): ...\n").symbols[0].name == "b"
    assert room.count == 2
    one.close()
    assert room.count == 1


def test_whoever_waits_for_room_stops_waiting(tree: Tree) -> None:
    """A tree that is closed, or a question that is stopped, while another tree has all the room there is."""
    tree.write(a="def a(): ...\n")
    room = Room()
    one, other = pools(tree, room)
    assert room.enter(1, lambda: False)
    stop = threading.Event()
    waiting = one.run([(DocumentPath("a.py"), 20)], stop.is_set)
    threading.Timer(0.01, stop.set).start()
    with pytest.raises(CancelledError):
        list(waiting)
    threading.Timer(0.01, other.close).start()
    with pytest.raises(UnavailableError):
        list(other.run([(DocumentPath("a.py"), 20)]))
