"""Processes that add and remove at once lose nothing of each other's (row C1)."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gazetteer.corpora.registering import add
from gazetteer.corpora.registry import FILE_NAME, Catalogue, Registry

WORKER = """
import os, sys
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import Catalogue, Registry

config, tree, me, operations = *sys.argv[1:4], int(sys.argv[4])
catalogue, mine, left = Catalogue(config), [], operations
print("ready", flush=True)
sys.stdin.readline()
number = 0
while left:
    # every third one goes again, so that about a third of the operations remove
    if len(mine) > 2 and number % 3 == 0:
        remove(catalogue, mine.pop(0), os.path.join(config, "no-cache"))
    else:
        folder = os.path.join(tree, f"{me}{number}")
        os.mkdir(folder)
        add(catalogue, f"{me}{number}", folder, {"kind": me})
        mine.append(f"{me}{number}")
    number, left = number + 1, left - 1
    seen = Registry.load(config)
    assert not seen.notices and set(seen.broken) == {"note"}, seen
    assert {name for name in seen.corpora if name.startswith(me)} == set(mine), (me, number)
print(*mine, flush=True)
"""


def play(folder: Path, operations: int, workers: str = "ab") -> None:
    config, tree = folder / "config", folder / "trees"
    config.mkdir()
    tree.mkdir()
    kept = {"mine": {"path": "mine", "later": [1]}, "note": "of a person"}
    (config / FILE_NAME).write_text(json.dumps(kept))
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", WORKER, str(config), str(tree), me, str(operations // len(workers))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for me in workers
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    expected = set()
    for process in processes:
        out, _ = process.communicate(timeout=600)
        assert process.returncode == 0
        expected.update(out.split())
    stored = json.loads((config / FILE_NAME).read_bytes())
    assert {key: stored.pop(key) for key in kept} == kept
    assert set(stored) == expected
    assert set(Registry.load(str(config)).corpora) == expected | {"mine"}


def test_two_processes_that_add_and_remove_lose_nothing(tmp_path: Path) -> None:
    """Every process sees all of its own after each of its operations, and at the end everything is there."""
    play(tmp_path, 100)


@pytest.mark.soak
def test_two_processes_lose_nothing_in_a_thousand_operations(tmp_path: Path) -> None:
    play(tmp_path, 1_000)


@pytest.mark.soak
def test_four_processes_lose_nothing_in_a_thousand_operations(tmp_path: Path) -> None:
    play(tmp_path, 1_000, "abcd")


KILLED = """
import os, sys
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import Catalogue

config, tree = sys.argv[1:]
catalogue = Catalogue(config)
print("ready", flush=True)
while True:
    add(catalogue, "k", tree)
    remove(catalogue, "k", os.path.join(config, "no-cache"))
"""


@pytest.mark.parametrize("number", range(5))
def test_a_process_that_is_killed_leaves_a_registry_that_can_be_read_and_changed(tmp_path: Path, number: int) -> None:
    config, tree = tmp_path / "config", tmp_path / "tree"
    tree.mkdir()
    add(Catalogue(str(config)), "mine", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", KILLED, str(config), str(tree)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    file = config / FILE_NAME
    identity = file.stat().st_ino
    for _ in range(number * 7 + 1):  # so many changes later
        while (now := file.stat().st_ino) == identity:
            assert process.poll() is None, "it ended by itself"
            os.sched_yield()
        identity = now
    process.send_signal(signal.SIGKILL)
    process.communicate()
    found = Registry.load(str(config))
    assert (found.notices, found.broken) == ((), {})
    assert set(found.corpora) - {"k"} == {"mine"}
    assert add(Catalogue(str(config)), "k", str(tree)).name == "k"
