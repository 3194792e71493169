"""Whatever happens to a tree, its index answers as one that was built from scratch on the same text (rows K2-K10, K13).

A Hypothesis state machine edits real files, opens buffers, moves, deletes, changes ignore rules, restarts, and kills a
process that publishes; the oracle is a new session with an empty cache. The clock is set forward, so that signatures are
trusted at once: that is the hard case, in which only a change of the file's own times or inode tells of a write.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from gazetteer.app import Session
from gazetteer.kb.failpoints import NAMES
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

PATHS = ("a.py", "b.py", "B.py", "docs/guide.md", "src/a.py", "src/deep/c.c", "note.txt", "out/x.py", "e\u0301 #%.py")
WORDS = ("alpha", "beta", "gamma", "delta")
IGNORES = ("", "out/\n", "*.py\n", "/src/deep\n!a.py\n", "docs\n")
paths = st.sampled_from(PATHS)
words = st.sampled_from(WORDS)


def ahead() -> int:
    """A clock ten seconds fast."""
    return time.time_ns() + 10_000_000_000


@st.composite
def texts(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Small sources with a few words, half-written ones among them."""
    names = draw(st.lists(words, min_size=0, max_size=3))
    body = "".join(f"def {name}_{at}(x):\n    return {name}\n\n" for at, name in enumerate(names))
    return body + draw(st.sampled_from(("", "# tail\n", "def broken(:\n", "\ufeff"[:0] + "x = '\U0001f40d'\n")))


class History(RuleBasedStateMachine):
    """One tree and what happens to it."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gazetteer-history-"))
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.buffers: dict[str, str] = {}
        self.version = 0
        self.session = self.open("cache")

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.session.close()
            shutil.rmtree(self.folder)

    def open(self, cache: str) -> Session:
        return Session(
            str(self.tree), Settings(db_path=str(self.folder / cache), sweep_reuse_ms=0, workers=1), clock=ahead
        )

    def at(self, path: str) -> Path:
        return self.tree / path

    # -- what happens -------------------------------------------------------------------------------------------

    @rule(path=paths, text=texts())
    def write(self, path: str, text: str) -> None:
        target = self.at(path)
        if target.is_dir() or any(parent.is_file() for parent in target.parents if parent != self.tree):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    @rule(path=paths, word=words, other=words)
    def write_same_size_and_time(self, path: str, word: str, other: str) -> None:
        """ST15: same size, old modification time put back."""
        target = self.at(path)
        if not target.is_file():
            return
        before = target.stat()
        text = target.read_text().replace(word, other[: len(word)].ljust(len(word), "z"))
        target.write_text(text)
        os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(path=paths)
    def delete(self, path: str) -> None:
        self.at(path).unlink(missing_ok=True)

    @rule(source=paths, goal=paths)
    def move(self, source: str, goal: str) -> None:
        """ST11, ST19, PE16: renames, between folders and in case alone."""
        if self.at(source).is_file() and self.at(goal).parent.is_dir() and not self.at(goal).is_dir():
            os.replace(self.at(source), self.at(goal))

    @rule(folder=st.sampled_from(("src", "docs", "out")), name=st.sampled_from(("moved", "src", "docs", "out")))
    def move_folder(self, folder: str, name: str) -> None:
        if self.at(folder).is_dir() and not self.at(name).exists():
            os.replace(self.at(folder), self.at(name))

    @rule(rules=st.sampled_from(IGNORES))
    def ignore(self, rules: str) -> None:
        self.at(".gitignore").write_text(rules)

    @rule(path=paths)
    def link(self, path: str) -> None:
        """A file replaced by a link that leads out of the tree."""
        target = self.at(path)
        if target.is_file():
            target.unlink()
            target.symlink_to("/etc/hostname")

    @rule(path=paths, text=texts())
    def open_buffer(self, path: str, text: str) -> None:
        self.version += 1
        if self.session.kb.open_buffer(DocumentPath(path), text, self.version):
            self.buffers[path] = text

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def close_buffer(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        del self.buffers[path]
        self.session.kb.close_buffer(DocumentPath(path))

    @rule(path=paths)
    def hint(self, path: str) -> None:
        """K4: a hint, true or not."""
        self.session.kb.mark_dirty(DocumentPath(path))

    @rule()
    def flush(self) -> None:
        if self.session.kb.store.head().generation:
            self.session.kb.flush()

    @rule()
    def restart(self) -> None:
        self.session.close()
        self.session = self.open("cache")
        self.buffers.clear()

    @rule(point=st.sampled_from(NAMES))
    def killed(self, point: str) -> None:
        """CC13, CC14, CC20: another process is killed in the middle of its publication."""
        subprocess.run(
            [sys.executable, "-P", "-m", "gazetteer", "sync", "--root", str(self.tree)],
            env={
                "PATH": os.environ["PATH"],
                "GAZETTEER_DB_PATH": str(self.folder / "cache"),
                "GAZETTEER_FAILPOINT": point,
                "GAZETTEER_WORKERS": "1",
                "HOME": str(self.folder),
            },
            capture_output=True,
            check=False,
        )

    @rule(word=words)
    def query(self, word: str) -> None:
        self.compare(word)

    # -- what must hold -----------------------------------------------------------------------------------------

    def compare(self, word: str) -> None:
        mine = found(self.session, word)
        scratch = self.open("scratch")
        try:
            for path, text in self.buffers.items():
                scratch.kb.open_buffer(DocumentPath(path), text, 1)
            assert mine == found(scratch, word)
            assert facts(self.session) == facts(scratch)
            assert not self.session.check(full=True).findings
        finally:
            scratch.close()
            shutil.rmtree(self.folder / "scratch")


def found(session: Session, word: str) -> list[tuple[Any, ...]]:
    """Everything that matches, in an order of its own."""
    answer = session.retrieve(Query(text=word, limit=50))
    assert not answer.receipt.truncated
    rows = [(hit.relpath, hit.lines, hit.text, hit.freshness, tuple(sorted(map(str, hit.also)))) for hit in answer.hits]
    return sorted(rows, key=str)


def facts(session: Session) -> list[Any]:
    """Every document with its text and facts."""
    snapshot = session.kb.snapshot()
    return [(d.path, d.language, snapshot.text(d), snapshot.derived(d)) for d in snapshot.documents()]


def run(examples: int, *, seed: int) -> None:
    """Run the machine a number of times, always the same way for a seed."""
    from hypothesis import seed as seeded

    machine = seeded(seed)(History)
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=examples, stateful_step_count=30, deadline=None, database=None, print_blob=True),
    )


def test_any_history_answers_like_an_index_from_scratch() -> None:
    """A tenth of the full count, always the same histories."""
    run(50, seed=1)


@pytest.mark.soak
def test_many_histories_answer_like_an_index_from_scratch() -> None:
    """K13: 500 runs of 30 steps."""
    run(500, seed=2)
