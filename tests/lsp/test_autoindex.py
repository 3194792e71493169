"""Registered trees with ``autoindex`` are up to date between questions, and in nobody's way (row C1)."""

import asyncio
import json
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from gazetteer import shelf
from gazetteer.app import Session
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder
from gazetteer.lsp import jobs as lsp_jobs
from gazetteer.lsp.autoindex import Autoindex, Pace
from gazetteer.lsp.jobs import Jobs, Kind
from gazetteer.lsp.registering import Named, Registering
from gazetteer.lsp.server import GazetteerServer
from gazetteer.settings import Settings

from .test_quiet import comes

pytestmark = pytest.mark.asyncio


class Harbour:
    """A server without a folder, some registered trees, and rounds that begin when the test says so."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.cache = str(folder / "cache")
        self.server = GazetteerServer(Settings(db_path=self.cache, workers=1, **settings))
        self.rounds = 0
        self._over, self._next = asyncio.Event(), asyncio.Event()
        self.autoindex = Autoindex(
            self.server, Pace(quiet_s=0, turn_s=0, recent_s=0, gives_way=2, next_round=self._next_round)
        )
        self.server.corpora.autoindex = self.autoindex
        self.said: list[str] = []
        self.server.protocol.connect(self._hear)

    def _hear(self, frame: bytes) -> None:
        message = json.loads(frame)
        if message.get("method") == "window/logMessage":
            self.said.append(message["params"]["message"])

    async def _next_round(self, _woken: asyncio.Event, _seconds: float) -> None:
        self.rounds += 1
        self._over.set()
        await self._next.wait()
        self._next.clear()

    def register(self, **entries: dict[str, Any]) -> None:
        trees = {name: {"path": str(self.folder / name), **entry} for name, entry in entries.items()}
        (self.folder / "config/gazetteer").mkdir(parents=True, exist_ok=True)
        (self.folder / "config/gazetteer/projects.json").write_text(json.dumps(trees))

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    async def round(self, *, all_of_it: bool = True) -> None:
        """Have one round made; with everything that it begins, unless a test wants less."""
        self._over.clear()
        self._next.set()
        self.autoindex.wake()
        await self._over.wait()
        if all_of_it:
            await self.settled()

    async def settled(self, *names: str) -> None:
        """Wait until nothing is looked at any more, or none of these."""
        roots = [str(self.folder / name) for name in names]
        while looks := [look for real, look in self.autoindex._looks.items() if not roots or real in roots]:
            await asyncio.wait(looks)

    def index(self, name: str) -> Path:
        return Path(corpus_folder(self.cache, Root(str(self.folder / name))))

    def generation(self, name: str) -> int:
        with Session(str(self.folder / name), Settings(db_path=self.cache)) as session:
            return session.kb.store.head().generation


@asynccontextmanager
async def aboard(folder: Path, **settings: Any) -> AsyncIterator[Harbour]:
    harbour = Harbour(folder, **settings)
    for name in ("boat", "crane"):
        harbour.write(f"{name}/{name}.py", f"def moor_{name}(): ...\n")
    try:
        yield harbour
    finally:
        harbour.server.jobs.stop()
        for task in (harbour.autoindex._rounds, *harbour.autoindex._looks.values()):
            if task is not None:
                task.cancel()
        for one in harbour.server.corpora:
            if one.session is not None:
                one.session.close()
        await asyncio.gather(*harbour.server._kept, return_exceptions=True)


@pytest_asyncio.fixture
async def harbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Harbour]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with aboard(tmp_path) as harbour:
        yield harbour


@pytest.fixture
def git(harbour: Harbour, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Git does not answer about the boat until it is `answering`; gives how often it was asked."""
    asked, gate = harbour.folder / "asked", harbour.folder / "gate"
    os.mkfifo(gate)
    harbour.write(
        "bin/git",
        f'#!/bin/sh\ncase "$*" in *ls-files*) case "$*" in */boat*) echo >>{asked}\n'
        f'[ -e {harbour.folder}/answers ] || read -r _ <{gate} ;; esac ;; esac\nexec {shutil.which("git")} "$@"\n',
    )
    (harbour.folder / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{harbour.folder / 'bin'}:{os.environ['PATH']}")
    for part in (".git/objects", ".git/refs"):
        (harbour.folder / "boat" / part).mkdir(parents=True)
    harbour.write("boat/.git/HEAD", "ref: refs/heads/main\n")
    return lambda: len(asked.read_text().splitlines()) if asked.exists() else 0


@contextmanager
def answering(harbour: Harbour) -> Iterator[None]:
    """Git answers from here on, whoever waits at its gate already and whoever has not come there yet."""
    harbour.write("answers", "")
    # for reading too: else it would wait here for a git that looks for the file only now, and does not read at all
    with open(os.open(harbour.folder / "gate", os.O_RDWR), "wb", buffering=0) as gate:
        gate.write(b"go on\n" * 9)
        yield


async def until(true: Callable[[], bool]) -> None:
    await asyncio.to_thread(comes, true)


async def test_what_changes_between_questions_is_in_the_index_before_the_next(harbour: Harbour) -> None:
    """A first index, a change, a new file: nobody asks; a tree that does not say so is not touched."""
    harbour.register(boat={"autoindex": True}, crane={})
    await harbour.round()
    assert harbour.generation("boat") == 1
    harbour.write("boat/boat.py", "def row_boat(): ...\n")
    harbour.write("boat/oar.py", "def oar(): ...\n")
    await harbour.round()
    assert harbour.generation("boat") == 2
    assert not harbour.index("crane").exists()


async def test_where_nothing_has_changed_nothing_is_written(harbour: Harbour) -> None:
    harbour.register(boat={"autoindex": True})
    await harbour.round()
    await harbour.round()  # signatures of the first one were too young to be trusted

    def written() -> dict[str, int]:
        files = (file for file in harbour.index("boat").rglob("*") if file.is_file())
        return {str(file): file.stat().st_mtime_ns for file in files if file.name != "swept"}

    before = written()
    await harbour.round()
    assert written() == before
    assert harbour.said == []


async def test_a_tree_registered_while_the_server_runs_is_taken_up_and_one_let_go_of_is_left(harbour: Harbour) -> None:
    """By hand or by another process; nobody tells this one."""
    harbour.register(boat={"autoindex": True})
    await harbour.round()
    harbour.write("boat/boat.py", "def row_boat(): ...\n")
    harbour.register(crane={"autoindex": True})
    await harbour.round()
    assert (harbour.generation("boat"), harbour.generation("crane")) == (1, 1)


async def test_a_question_goes_first(harbour: Harbour, git: Callable[[], int]) -> None:
    """It stops what is under way, and that begins again once the question is over."""
    harbour.register(boat={"autoindex": True})
    await harbour.round(all_of_it=False)
    await until(lambda: git() == 1)
    answered = threading.Event()
    question = asyncio.ensure_future(harbour.server.jobs.run("query", lambda _: answered.wait(60)))
    await until(lambda: not harbour.server.jobs._aside)
    harbour.write("answers", "")
    for _ in range(100):
        await asyncio.sleep(0)
    assert (git(), len(harbour.autoindex._looks)) == (1, 1)
    answered.set()
    await question
    await harbour.settled()
    assert git() > 1
    assert harbour.generation("boat") == 1
    assert harbour.said == []


async def test_whoever_asks_again_and_again_does_not_keep_it_from_coming_to_an_end(
    harbour: Harbour, git: Callable[[], int]
) -> None:
    """It gives way as often as it may, and then no more: it takes little, and somebody may ask all day."""
    harbour.register(boat={"autoindex": True})
    await harbour.round(all_of_it=False)
    for attempt in (1, 2, 3):
        await until(lambda: git() == attempt)  # noqa: B023 -- awaited here
        await harbour.server.jobs.run("query", lambda _: None)
    with answering(harbour):
        await harbour.settled()
    assert harbour.generation("boat") == 1
    assert git() == 3, "the third attempt went on"


async def test_one_that_does_not_answer_keeps_no_other_from_it(harbour: Harbour, git: Callable[[], int]) -> None:
    """As a disk that is gone: it is waited for once, and no round begins with it again meanwhile."""
    harbour.register(boat={"autoindex": True}, crane={"autoindex": True})
    await harbour.round(all_of_it=False)
    await until(lambda: git() == 1)
    await harbour.settled("crane")
    harbour.write("crane/crane.py", "def lift(): ...\n")
    await harbour.round(all_of_it=False)
    await harbour.settled("crane")
    assert (harbour.generation("crane"), git()) == (2, 1)
    with answering(harbour):
        await harbour.settled()
    assert harbour.generation("boat") == 1


async def test_what_is_wrong_with_one_is_said_once_and_costs_no_other(harbour: Harbour) -> None:
    harbour.register(gone={"autoindex": True}, boat={"autoindex": True}, odd={"path": 5}, crane={"autoindex": True})
    harbour.write("boat/knowledge.yaml", "colour: red\n")
    for _ in range(3):
        await harbour.round()
    assert harbour.generation("crane") == 1
    (said,) = harbour.said
    assert "boat: " in said
    assert "colour" in said
    (harbour.folder / "boat/knowledge.yaml").unlink()
    await harbour.round()
    assert harbour.generation("boat") == 1
    assert harbour.said == [said]


async def test_an_index_that_cannot_be_opened_is_said_once_and_costs_no_other(harbour: Harbour) -> None:
    with Session(str(harbour.folder / "boat"), Settings(db_path=harbour.cache)) as session:
        session.sync()
    (harbour.index("boat") / "kb.db").unlink()
    (harbour.index("boat") / "kb.db").mkdir()
    harbour.register(boat={"autoindex": True}, crane={"autoindex": True})
    for _ in range(2):
        await harbour.round()
    assert harbour.generation("crane") == 1
    assert len(harbour.said) == len(set(harbour.said)) > 0
    assert not any("bug" in said for said in harbour.said)
    (harbour.index("boat") / "kb.db").rmdir()
    await harbour.round()
    folder = harbour.server.sessions.at(str(harbour.folder / "boat"))
    assert folder is not None
    assert folder.session is not None
    assert harbour.generation("boat") == 1


async def test_one_that_is_let_go_of_meanwhile_leaves_no_index(harbour: Harbour, git: Callable[[], int]) -> None:
    """C2: what is under way ends first, and nothing makes it again behind the back of whoever deletes it."""
    harbour.register(boat={"autoindex": True}, crane={"autoindex": True})
    await harbour.round(all_of_it=False)
    await until(lambda: git() == 1)
    removed = await Registering(harbour.server).remove(Named(name="boat"))
    assert removed["name"] == "boat"
    await harbour.round()
    assert not (harbour.index("boat") / "kb.db").exists()
    assert harbour.generation("crane") == 1


async def test_more_trees_than_may_be_open_are_all_kept(harbour: Harbour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "most_open", lambda: 2)
    names = [f"raft{number}" for number in range(4)]
    for name in names:
        harbour.write(f"{name}/a.py", "a = 1\n")
    harbour.register(**{name: {"autoindex": True} for name in names})
    await harbour.round()
    for name in names:
        harbour.write(f"{name}/b.py", "b = 1\n")
    await harbour.round()
    assert [harbour.generation(name) for name in names] == [2, 2, 2, 2]
    assert len(list(harbour.server.corpora)) == 2


async def test_a_tree_that_is_watched_is_looked_at_when_it_says_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K4: hints save the looking; losing them all costs ten minutes here, and a question nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with aboard(tmp_path, watch=True) as harbour:
        harbour.register(boat={"autoindex": True})
        await harbour.round()
        await harbour.round()
        (folder,) = harbour.server.corpora
        session = await folder.open_session()
        watcher = session.parts.watcher
        assert watcher is not None
        assert await asyncio.to_thread(watcher.started.wait, 60)
        swept = session.kb.indexer.swept_at
        await harbour.round()
        assert session.kb.indexer.swept_at == swept
        harbour.write("boat/boat.py", "def row_boat(): ...\n")
        await until(lambda: session.kb.journal.pending)
        await harbour.round()
        assert harbour.generation("boat") == 2


async def test_work_aside_is_stopped_by_whatever_is_waited_for_and_by_nothing_else() -> None:
    jobs, begun = Jobs(), threading.Event()

    def work(cancel: Cancel) -> None:
        begun.set()
        cancel.wait(60)
        cancel.check()

    awaited: tuple[Kind, ...] = ("query", "index", "glance")
    for kind in awaited:
        begun.clear()
        aside = asyncio.ensure_future(jobs.aside(work))
        assert await asyncio.to_thread(begun.wait, 60)
        await jobs.run("verdict", lambda _: None)
        await jobs.run("pause", lambda _: None)
        assert not aside.done()
        await jobs.run(kind, lambda _: None)
        with pytest.raises(CancelledError):
            await aside
    begun.clear()
    aside = asyncio.ensure_future(jobs.aside(work, frozenset({"index"})))
    assert await asyncio.to_thread(begun.wait, 60)
    await jobs.run("query", lambda _: None)
    assert not aside.done()
    await jobs.run("index", lambda _: None)
    with pytest.raises(CancelledError):
        await aside
    jobs.stop()


async def test_work_aside_does_not_begin_beside_what_goes_first() -> None:
    """A question that was under way before, as one that began while a tree was opened for the look."""
    jobs, over = Jobs(), threading.Event()
    question = asyncio.ensure_future(jobs.run("query", lambda _: over.wait(60)))
    await asyncio.sleep(0)
    with pytest.raises(CancelledError):
        await jobs.aside(lambda _: None)
    await jobs.aside(lambda _: None, frozenset({"index"}))
    over.set()
    await question
    await jobs.aside(lambda _: None)
    jobs.stop()


async def test_a_pause_is_over_when_nobody_waits_for_anything_or_that_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs, over = Jobs(), threading.Event()
    await jobs.quiet(0)
    question = asyncio.ensure_future(jobs.run("query", lambda _: over.wait(60)))
    await asyncio.sleep(0)
    pause = asyncio.ensure_future(jobs.quiet(0))
    await asyncio.sleep(0)
    assert not pause.done()
    monkeypatch.setattr(lsp_jobs, "LONG_S", 0.0)
    await asyncio.wait_for(jobs.quiet(0), 20)  # one that hangs keeps nobody
    over.set()
    await question
    await pause
    jobs.stop()
