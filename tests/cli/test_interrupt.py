"""What Ctrl-C and a killed process leave: silence, nothing that runs on, and a prompt although a lock is held."""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from .conftest import COMMAND, Shell, plant_many


@pytest.fixture
def large(tree: Shell) -> Shell:
    """A tree that derive processes work at for a while."""
    plant_many(tree, 600)
    return tree


@contextmanager
def _typed(shell: Shell, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a command as a terminal does: in a process group of its own, which Ctrl-C reaches as a whole."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=shell.tree,
        env=shell.environment({"GAZETTEER_WORKERS": "2"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _children(process: "subprocess.Popen[bytes]") -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # pid (name) state parent ...
            if int(entry.read_text().rpartition(")")[2].split()[1]) == process.pid:
                found.append(int(entry.parent.name))
    return found


def _has_written(pid: int) -> bool:
    """Whether a process is a derive process (git is asked by children as well) that has given something back."""
    with suppress(OSError):
        if b"derive_pool" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return False
        return "wchar: 0\n" not in Path(f"/proc/{pid}/io").read_text()
    return False


def _has_open(pid: int, path: Path) -> int:
    """Return how many times a process has a file open."""
    found = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found += os.readlink(entry) == str(path)
    return found


def test_an_interrupt_while_a_tree_is_read_is_quiet(large: Shell) -> None:
    with _typed(large, "ask", "moor_vessel") as process:
        while not (at_work := [child for child in _children(process) if _has_written(child)]):
            assert process.poll() is None, "it ended before a helper was seen at work"
            os.sched_yield()
        groups = {os.getpgid(child) for child in at_work}
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.pid not in groups, "what is typed at a terminal would interrupt the helpers as well"
    assert (process.returncode, out, err) == (130, b"", b"")


def test_processes_end_in_silence_when_the_one_that_started_them_is_killed(large: Shell) -> None:
    with _typed(large, "ask", "moor_vessel") as process:
        while not any(_has_written(child) for child in _children(process)):
            assert process.poll() is None, "it ended before a helper was seen at work"
            os.sched_yield()
        process.kill()
        out, err = process.communicate(timeout=60)  # read to their ends: nobody holds them any more
    assert (out, err) == (b"", b"")


def test_an_interrupt_does_not_wait_for_the_lock_of_another_process(tree: Shell) -> None:
    assert tree("sync").status == 0
    tree.write("src/later.py", "def moor_later():\n    return 1\n")
    (lock,) = tree.indexes.glob("corpora/*/publish.lock")
    with open(lock, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with _typed(tree, "ask", "moor_later") as process:
            # the database stays open from then on; the lock file is opened anew at every try
            while not _has_open(process.pid, lock.with_name("kb.db")):
                assert process.poll() is None, "it waits for the lock"
                os.sched_yield()
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert "src/later.py § moor_later (Line 1)" in tree("ask", "moor_later").out
