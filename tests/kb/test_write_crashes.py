"""A document is the old one or the new one, whatever happens: kills, full disks, other writers, swapped folders.

Writers are real processes. What they leave behind when they are killed is gone after the next opening.
"""

import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from gazetteer.kb.edits import TextEdit
from gazetteer.kb.errors import ConflictError, GazetteerError, TimeoutExpiredError
from gazetteer.kb.scan_rules import UNFINISHED

from .world import A, World, texts

ROUNDS = 8
"""Rounds in which processes write one document in CI; each has one winner."""
WRITER = """
import json, os, sys
tree, cache, limit, ordinary, *words = sys.argv[1:]
from gazetteer.kb.edits import TextEdit
from gazetteer.kb.errors import GazetteerError
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules
kb = KnowledgeBase(Root(tree), cache, ScanRules(), processes=1)
if int(limit):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
if ordinary:
    import runpy
    runpy.run_path(ordinary)["give_up_rights"]()
for line in sys.stdin:
    path, digest, new = json.loads(line)
    try:
        answer = ["written", kb.commit_edit(path, digest, [TextEdit((0, 0, 0, 0), new)]).new_hash, ""]
    except GazetteerError as error:
        answer = [error.code.value, error.data.get("reason", ""), error.message]
    print(json.dumps(answer), flush=True)
kb.close()
"""
ORDINARY = str(Path(__file__).parents[1] / "e2e" / "ordinary.py")


class Writing:
    """A process that writes what it is told, one line an order."""

    def __init__(
        self, world: World, *, failpoint: str = "", limit: int = 0, ordinary: bool = False, cache: Path | None = None
    ) -> None:
        arguments = [str(world.tree), str(cache or world.cache), str(limit), ORDINARY if ordinary else ""]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", WRITER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "GAZETTEER_FAILPOINT": failpoint},
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def order(self, path: str, digest: str, new: str) -> None:
        self._stdin.write(json.dumps([path, digest, new]) + "\n")
        self._stdin.flush()

    def answer(self) -> list[str]:
        """Code, reason or hash, and sentence; nothing when the process died instead."""
        line = self._stdout.readline()
        return list(json.loads(line)) if line else []

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> int:
        self._stdin.close()
        self._stdout.close()
        return self._process.wait()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def litter(world: World) -> list[Path]:
    """What writers left: files beside documents, and notes of them."""
    return [path for path in world.tree.parent.rglob("*") if path.name.startswith(UNFINISHED)]


# -- kills ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("point", "new"), [("write.filled", False), ("write.replaced", True)])
def test_a_writer_that_is_killed_leaves_the_old_or_the_new(world: World, point: str, new: bool) -> None:
    """K11, and what lies beside the document is no document, and goes away at the next opening."""
    kb = world.open()
    kb.refresh()
    before = (world.tree / A).read_bytes()
    writing = Writing(world, failpoint=point)
    writing.order(A, sha(before), "# new\n")
    assert writing.answer() == []
    assert writing.end() == -signal.SIGKILL
    assert (world.tree / A).read_bytes() == (b"# new\n" + before if new else before)
    assert len(litter(world)) == (1 if new else 2)
    kb.refresh()
    assert sorted(texts(kb.snapshot())) == ["a.py", "b.py"]
    kb.close()
    world.open()
    assert litter(world) == []


def kill_at_random(world: World, times: int, seed: int) -> tuple[int, int]:
    """How often the old bytes were there after a kill, and how often the new ones; anything else fails."""
    dice = random.Random(seed)
    file = world.tree / A
    old = new = 0
    for number in range(times):
        before = file.read_bytes()
        writing = Writing(world)
        writing.order("b.py", sha((world.tree / "b.py").read_bytes()), "#")  # it is up and running then
        assert writing.answer()[0] == "written"
        writing.order(A, sha(before), f"# {number}\n")
        timer = threading.Timer(dice.uniform(0, 0.004), writing.kill)
        timer.start()
        answer = writing.answer()
        timer.join()
        writing.end()
        after = file.read_bytes()
        assert after in (before, f"# {number}\n".encode() + before)
        assert not answer or after != before, "what was said to be written is written"
        old, new = old + (after == before), new + (after != before)
        world.open().close()
        assert litter(world) == []
    return old, new


def test_kills_at_any_moment_leave_the_old_or_the_new(world: World) -> None:
    assert sum(kill_at_random(world, 6, seed=41)) == 6


@pytest.mark.soak
def test_three_hundred_kills_leave_the_old_or_the_new(world: World) -> None:
    old, new = kill_at_random(world, 300, seed=42)
    assert old > 20
    assert new > 20


def test_what_a_living_writer_has_beside_its_document_stays(world: World) -> None:
    """And a note is believed only as far as it names what a writer makes."""
    kb = world.open()
    notes = Path(kb.folder) / "unfinished"
    notes.mkdir()
    living, odd = notes / f"{UNFINISHED}1", notes / f"{UNFINISHED}2"
    (world.tree / living.name).write_bytes(b"half")
    living.write_text(living.name)
    odd.write_text(A)
    with open(living, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        world.open()
        assert (world.tree / living.name).exists()
    world.open()
    assert litter(world) == []
    assert (world.tree / A).exists()


# -- several writers ------------------------------------------------------------------------------------------------


def one_winner_each(world: World, rounds: int) -> None:
    """Three processes with caches of their own get the same order at once; one of them writes, the others are told."""
    writers = [Writing(world, cache=world.cache.parent / f"cache{number}") for number in range(3)]
    file = world.tree / A
    for number in range(rounds):
        before = file.read_bytes()
        for name, writing in enumerate(writers):
            writing.order(A, sha(before), f"# {number} by {name}\n")
        answers = [writing.answer() for writing in writers]
        winners = [name for name, answer in enumerate(answers) if answer[0] == "written"]
        assert len(winners) == 1, answers
        assert all(answer[:2] == ["conflict", "changed"] for answer in answers if answer[0] != "written"), answers
        after = f"# {number} by {winners[0]}\n".encode() + before
        assert (file.read_bytes(), answers[winners[0]][1]) == (after, sha(after))
    assert [writing.end() for writing in writers] == [0, 0, 0]
    assert litter(world) == []


def test_of_several_processes_exactly_one_writes(world: World) -> None:
    """K11: whichever index they use, because the document itself is locked."""
    one_winner_each(world, ROUNDS)


@pytest.mark.soak
def test_of_several_processes_exactly_one_writes_a_thousand_times(world: World) -> None:
    one_winner_each(world, 1_000)


def test_of_several_threads_exactly_one_writes(world: World) -> None:
    kb = world.open()
    before = (world.tree / A).read_bytes()
    said: list[str] = []
    together = threading.Barrier(8)

    def write(number: int) -> None:
        together.wait()
        try:
            said.append(kb.commit_edit(A, sha(before), [TextEdit((0, 0, 0, 0), f"# {number}\n")]).new_hash)
        except ConflictError:
            said.append("conflict")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count("conflict") == 7
    assert sha((world.tree / A).read_bytes()) in said


def test_a_document_that_somebody_keeps_locked_is_waited_for_and_not_for_ever(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = world.open()
    monkeypatch.setattr("gazetteer.kb.replace.WAIT_S", 0.05)
    with open(world.tree / A, "rb") as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        with pytest.raises(TimeoutExpiredError, match="somebody else"):
            kb.commit_edit(A, sha((world.tree / A).read_bytes()), [])


# -- disks and permissions ------------------------------------------------------------------------------------------


def test_a_file_that_grows_over_a_limit_is_not_changed(world: World) -> None:
    """CC15: what the system says becomes a sentence with its remedy."""
    before = (world.tree / A).read_bytes()
    writing = Writing(world, limit=64)
    writing.order(A, sha(before), "#" * 1_000)
    code, reason, message = writing.answer()
    assert (code, reason) == ("unavailable", "full")
    assert "free some space" in message
    writing.order(A, sha(before), "# fits\n")
    assert writing.answer()[0] == "written"
    writing.end()
    assert (world.tree / A).read_bytes() == b"# fits\n" + before
    assert litter(world) == []


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a mount of its own")
def test_on_a_full_disk_nothing_changes_and_with_room_it_goes_on(world: World, tmp_path: Path) -> None:
    """CC15: a disk of two megabytes, full to the last byte."""
    text = "x = 1\n" * 10_000
    orders = [[A, sha(text.encode()), "# more\n" * 10_000], [A, sha(text.encode()), "# less\n"]]
    (tmp_path / "text").write_text(text)
    (tmp_path / "first").write_text(json.dumps(orders[0]) + "\n")
    (tmp_path / "second").write_text(json.dumps(orders[1]) + "\n")
    (tmp_path / "write.py").write_text(WRITER)
    write = f"{sys.executable} -P {tmp_path}/write.py {world.tree} {world.cache} 0 ''"
    steps = f"""
        set -eu
        mount -t tmpfs -o size=2m tmpfs {world.tree} || exit 99
        cp {tmp_path}/text {world.tree}/{A}
        cat /dev/zero >{world.tree}/filler 2>/dev/null || true
        {write} <{tmp_path}/first
        cmp {tmp_path}/text {world.tree}/{A}
        rm {world.tree}/filler
        {write} <{tmp_path}/second
        ls -A {world.tree}
    """
    done = subprocess.run(["unshare", "-rm", "sh", "-c", steps], capture_output=True, text=True, check=False)
    if done.returncode == 99 or "unshare failed" in done.stderr:
        pytest.skip("this machine allows no mounts")
    assert done.returncode == 0, done
    full, written, *names = done.stdout.splitlines()
    assert json.loads(full)[:2] == ["unavailable", "full"]
    assert json.loads(written)[0] == "written"
    assert names == [A]


@pytest.mark.parametrize("what", ["the file", "its folder"])
def test_what_may_not_be_written_is_refused(world: World, what: str) -> None:
    """As an ordinary user, whom permissions bind; the mode of the file says that others may write it."""
    (world.tree / "sub").mkdir()
    file = world.tree / "sub" / "d.py"
    file.write_bytes(b"x = 1\n")
    os.chmod(file if what == "the file" else file.parent, 0o555 if what == "its folder" else 0o020)
    writing = Writing(world, ordinary=True)
    writing.order("sub/d.py", sha(b"x = 1\n"), "#")
    answer = writing.answer()
    assert answer[:2] == ["refused", "read_only"]
    assert "write permission" in answer[2]
    writing.end()
    os.chmod(file.parent, 0o755)
    assert file.read_bytes() == b"x = 1\n"
    assert litter(world) == []


# -- folders that are swapped ---------------------------------------------------------------------------------------


def swap_race(world: World, times: int) -> dict[str, int]:
    """Write through a folder that becomes a link to outside at some moment of it; count what came of it."""
    outside, inside = world.tree.parent / "d.py", world.tree / "sub" / "d.py"
    inside.parent.mkdir()
    for file in (outside, inside):
        file.write_bytes(b"x = 1\n")
    (world.tree / "link").symlink_to(world.tree.parent)
    kb = world.open()
    stop, writing = threading.Event(), threading.Event()
    root, dice = world.tree, random.Random(43)

    def swap() -> None:
        while not stop.is_set():
            writing.wait()
            writing.clear()
            for _ in range(dice.randrange(30_000)):  # some way into the write
                pass
            os.rename(root / "sub", root / "kept")
            os.rename(root / "link", root / "sub")
            os.rename(root / "sub", root / "link")
            os.rename(root / "kept", root / "sub")

    thread = threading.Thread(target=swap)
    thread.start()
    counts: dict[str, int] = {}
    digest, text = sha(b"x = 1\n"), b"x = 1\n"
    try:
        for number in range(times):
            writing.set()
            try:
                done = kb.commit_edit("sub/d.py", digest, [TextEdit((0, 0, 0, 99), f"x = {number + 2}")])
            except GazetteerError as error:
                moved = error.data.get("current", "") == ""
                assert moved, "the bytes themselves are what they were"
                counts[error.code.value] = counts.get(error.code.value, 0) + 1
            else:
                digest, text = done.new_hash, f"x = {number + 2}\n".encode()
                counts["written"] = counts.get("written", 0) + 1
            assert outside.read_bytes() == b"x = 1\n"
    finally:
        stop.set()
        writing.set()
        thread.join()
    assert inside.read_bytes() == text
    assert litter(world) == []
    return counts


def test_a_folder_that_is_swapped_for_a_link_all_the_time_never_lets_a_write_out(world: World) -> None:
    """SE02."""
    assert sum(swap_race(world, 100).values()) == 100


@pytest.mark.soak
def test_a_thousand_writes_through_a_swapped_folder_stay_inside(world: World) -> None:
    """SE02: some get through, others are refused."""
    counts = swap_race(world, 1_000)
    assert sum(counts.values()) == 1_000
    assert 10 < counts["written"] < 990
