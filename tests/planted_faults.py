"""Faults planted on purpose, each of which a test has to see: ``nox -s faults``, or run this file.

Package and tests are copied to a folder of their own, one fault is put into the copy, and the tests that guard against
it run there: state machine, kills, processes, damage, and the unit tests of publishing. So the work tree is never
touched, wherever this is stopped. The first row plants nothing, and every detector has to stay green on it; on all
others the first red detector is named, with the line that it failed on. Green there means that the tests are blind, and
ends with 1.

    python tests/planted_faults.py [WORD ...]      only rows whose name holds one of the words
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
HISTORIES, SEED = 150, 5
MACHINE = f"""
import sys, tempfile
from pathlib import Path
sys.path.insert(0, "tests")
from e2e.test_any_history import run
with tempfile.TemporaryDirectory() as folder:
    run(Path(folder), {HISTORIES}, number={SEED}, shrink=False)
"""
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
DETECTORS: dict[str, tuple[str, ...]] = {
    "histories": ("-P", "-c", MACHINE),
    "kills": (*PYTEST, "tests/e2e/test_crashes.py"),
    "processes": (*PYTEST, "tests/e2e/test_two_processes.py"),
    "publishing": (*PYTEST, "tests/kb/test_publish.py"),
    "damage": (*PYTEST, "tests/e2e/test_damage.py"),
    "snapshots": (*PYTEST, "tests/kb/test_knowledge.py"),
}
SAID = re.compile(r"^(?:E +|  [|+ ]*)?((?:[\w.]*(?:Error|Exception|Interrupt)\b|assert ).*)", re.MULTILINE)
NOTHING = "no fault at all"


class Fault(NamedTuple):
    """A text of one file of the package, what takes its place, and who has to see it."""

    name: str
    file: str
    old: str
    new: str
    detectors: tuple[str, ...] = ("histories",)


FAULTS = (
    Fault(
        "skip a delete: documents that are gone are published no more",
        "kb/publish.py",
        "            live = [path for path in deletes if self._store.document(head.generation, path) is not None]\n",
        "            live: list[DocumentPath] = []\n",
        ("histories", "kills", "publishing"),
    ),
    Fault(
        "skip a delete: the keyword index keeps what died",
        "retrieval/lexical_index.py",
        "            self._writer.remove(removed)\n",
        "",
        ("histories", "kills"),
    ),
    Fault(
        "trust mtime: the sweep compares time and size alone",
        "kb/model.py",
        "            and status.st_ctime_ns == self.ctime_ns\n            and status.st_size == self.size\n"
        "            and status.st_ino == self.inode\n",
        "            and status.st_size == self.size\n",
    ),
    Fault(
        "trust mtime: hits are not hashed",
        "kb/freshness.py",
        "        return Verdict.VERIFIED if now[0] == document.row.disk_hash else Verdict.CHANGED\n",
        "        return Verdict.VERIFIED\n",
        ("processes",),
    ),
    Fault(
        "forget the overlay mask: before top-k",
        "retrieval/view.py",
        "        self.masked = frozenset(snapshot.masked_ids())\n",
        "        self.masked: frozenset[DocumentId] = frozenset()\n",
    ),
    Fault(
        "forget the overlay mask: behind top-k",
        "kb/snapshot.py",
        "for one, document in found.items() if self.overlays.get(document.path) is None}\n",
        "for one, document in found.items()}\n",
    ),
    Fault(
        "publish before verify: other bytes than those that were read are recorded as published",
        "kb/publish.py",
        '            if now is None or now[0] not in ("", candidate.disk_hash):\n',
        "            if now is None:\n",
        ("histories", "publishing"),
    ),
    Fault(
        "publish before verify: signatures of files that changed under way are recorded",
        "kb/publish.py",
        "        if path not in retry\n",
        "",
        ("publishing", "histories"),
    ),
    Fault(
        "follower committed before the store",
        "kb/publish.py",
        "                head = self._store.commit(",
        "                self._follow(Head(Generation(head.generation + 1), publish_id), prepared)\n"
        "                head = self._store.commit(",
        ("histories", "kills", "publishing"),
    ),
    Fault(
        "no lock between processes",
        "kb/lock.py",
        "            self._file.acquire(timeout=timeout_s, poll_interval=0.01)\n",
        "            pass\n",
        ("processes",),
    ),
    Fault(
        "no lock between threads",
        "kb/lock.py",
        "        self._threads = threading.RLock()\n",
        "        self._threads = threading.Semaphore(99)\n",
        ("publishing",),
    ),
    Fault(
        "after a race the tree is not listed again",
        "kb/publish.py",
        '        return PlacesDelta(files=files, directories={DocumentPath(""): NEVER_SEEN})\n',
        "        return PlacesDelta(files=files, directories={})\n",
        ("publishing",),
    ),
    Fault(
        "after a race a file that came back is deleted",
        "kb/publish.py",
        "            deletes = [path for path in proposal.deletes if path not in there]\n",
        "            deletes = list(proposal.deletes)\n",
        ("publishing",),
    ),
    Fault(
        "a snapshot shows what died before it or was born behind it",
        "kb/generation.py",
        "        return row.born <= self.head.generation < row.died\n",
        "        return True\n",
        ("snapshots",),
    ),
    Fault(
        "rule files are not compared",
        "kb/sweep.py",
        "    for path, known in previous.rule_files.items():\n",
        "    for path, known in dict[str, Signature | None]().items():\n",
    ),
    Fault(
        "folders are not compared",
        "kb/sweep.py",
        "    for path, known in previous.directories.items():\n",
        "    for path, known in dict[DocumentPath, Signature]().items():\n",
    ),
    Fault(
        "settings of the tree are not compared",
        "kb/indexer.py",
        "        changed = coverage.settings != self._settings\n",
        "        changed = False\n",
        ("snapshots", "histories"),
    ),
    Fault(
        "buffers do not follow the rules of the tree",
        "kb/open_buffers.py",
        "        if not paths or (same and not listed):\n",
        "        if True:\n",
    ),
    Fault(
        "an index of an unknown history is patched, not rebuilt",
        "retrieval/lexical_index.py",
        'return "" if feed.knows(reader.head) else "its generation is unknown"',
        'return ""',
        ("damage",),
    ),
)


def plant(fault: Fault, package: Path) -> None:
    """Put a fault into a copy of the package.

    Raises:
        SystemExit: its place is not there, or not one.
    """
    target = package / fault.file
    text = target.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        raise SystemExit(f"{fault.name}: its place in {fault.file} is not there, or not one; mend the table")
    target.write_text(text.replace(fault.old, fault.new), encoding="utf-8")


def planted(fault: Fault | None, folder: Path) -> dict[str, str]:
    """Copy package and tests with a fault in them; return the environment in which the copy is what is imported."""
    package = folder / "gazetteer"
    for source, goal in (("server", package), ("tests", folder / "tests")):
        shutil.copytree(ROOT / source, goal, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    if fault is not None:
        plant(fault, package)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    where = [sys.executable, "-c", "import gazetteer; print(gazetteer.__file__)"]
    found = subprocess.run(where, env=environment, capture_output=True, text=True, check=True, cwd=folder).stdout
    if not found.startswith(str(package)):
        raise SystemExit(f"not the copy is tested, but {found}")
    return environment


def complaint(detector: str, environment: dict[str, str]) -> str:
    """What a detector says against the copy; nothing when it is content."""
    done = subprocess.run(
        [sys.executable, *DETECTORS[detector]],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=environment["PYTHONPATH"],
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{detector} did not run: {done.stdout[-2000:]}")
    said = SAID.search(done.stdout)
    return "" if not done.returncode else said[1] if said is not None else "failed"


def row(fault: Fault | None) -> bool:
    """Plant, ask the detectors, print a row of the table; whether it is as it has to be."""
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="gazetteer-fault-") as folder:
        environment = planted(fault, Path(folder))
        said = {}
        for detector in DETECTORS if fault is None else fault.detectors:
            said[detector] = complaint(detector, environment)
            if said[detector]:
                break
    red = next((detector for detector, words in said.items() if words), "")
    colour = "red" if red else "green"
    print(f"{colour:5}  {red or ', '.join(said):10}  {perf_counter() - started:4.0f} s  {name_of(fault)}", flush=True)
    if red:
        print(f"{'':27}{said[red]:.150}", flush=True)
    return bool(red) is not (fault is None)


def main(words: list[str]) -> int:
    """Run the table, print it, and return the exit status."""
    rows = [fault for fault in (None, *FAULTS) if not words or any(word in name_of(fault) for word in words)]
    wrong = [name_of(fault) for fault in rows if not row(fault)]
    print(f"{len(rows) - len(wrong)} of {len(rows)} rows are as they have to be", flush=True)
    return 1 if wrong or not rows else 0


def name_of(fault: Fault | None) -> str:
    """What a row is called."""
    return NOTHING if fault is None else fault.name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
