"""Several processes index and ask one tree at once, while another one edits it: no error, nothing mixed, nothing lost.

The pace is set by the witnesses (``witness.py``): each tells the editor, this process, that it has asked once more, and
each such letter is one edit. So questions, sweeps, publications and edits overlap at every place, without a pause.
"""

import os
import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings

from .material import MEMORY
from .nursery import Child, Nursery
from .witness import NAMES, text_of, versions

EDITS_OF_CI = 150
MOST_EDITS = 600
"""After so many it is not the processor that one of them did not get."""
SECONDS_OF_SOAK = 60


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with Nursery(tmp_path_factory.mktemp("nursery")) as made:
        yield made


class World:
    """A tree, an index, and the processes on them."""

    def __init__(self, nursery: Nursery, folder: Path) -> None:
        self._nursery = nursery
        self.folder = folder
        self.tree, self.cache = folder / "tree", folder / "cache"
        (self.tree / "lib").mkdir(parents=True)
        self.random = random.Random(21)
        self.version = 0
        for name in NAMES:
            self.write(name)

    def write(self, name: str) -> None:
        """The next version of a file, as editors save: beside it and then in its place, or over it."""
        self.version += 1
        text = text_of(name, self.version)
        if self.random.random() < 0.7:
            beside = self.folder / "beside"
            beside.write_text(text)
            os.replace(beside, self.tree / name)
        else:
            (self.tree / name).write_text(text)

    def edit(self) -> None:
        name = self.random.choice(NAMES)
        if self.random.random() < 0.15:
            (self.tree / name).unlink(missing_ok=True)
        else:
            self.write(name)

    def start(self, deed: str, **arguments: Any) -> Child:
        return self._nursery.start(deed, tree=str(self.tree), cache=str(self.cache), **arguments)

    def session(self) -> Session:
        return Session(str(self.tree), Settings(db_path=str(self.cache), sweep_reuse_ms=0, workers=1))


@pytest.fixture
def world(nursery: Nursery) -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="gazetteer-processes-", dir=MEMORY) as folder:
        yield World(nursery, Path(folder))


def many_at_once(world: World, go_on: Callable[[int], bool]) -> None:
    """Two commands that look at everything, and a server that does not wait; edits until ``go_on`` says no.

    And until every one of them had its turns, and some answers were complete: nobody knows who gets a processor when.
    """
    ticks = str(world.folder / "ticks")
    os.mkfifo(ticks)
    witnesses = [
        world.start("witness", ticks=ticks, name="one"),
        world.start("witness", ticks=ticks, name="two"),
        world.start("witness", ticks=ticks, name="server", one_shot=False),
    ]
    asked: Counter[str] = Counter()
    with open(ticks, "rb", buffering=0) as told:
        while go_on(edits := asked.total()) or (edits < MOST_EDITS and not had_their_turns(asked)):
            if not (letter := told.read(1).decode()):
                break  # all of them have ended; how is said below
            world.edit()
            asked[letter] += 1
    ended = [child.wait() for child in witnesses]
    assert [end.code for end in ended] == [0, 0, 0], ended
    assert [end.said["wrong"] for end in ended] == [[], [], []], ended
    assert had_their_turns(asked), asked
    with world.session() as session:
        answer = session.retrieve(Query(text="common", limit=50))
        assert {hit.relpath for hit in answer.hits} == set(versions(str(world.tree)))
        assert not session.check(full=True).findings
        assert not session.kb.publisher.is_held()


def had_their_turns(asked: "Counter[str]") -> bool:
    """Whether each has asked some times, and some answers were complete, as the letters of `nursery.witness` say."""
    return all(asked[name] + asked[name.upper()] > 3 for name in "ots") and asked["O"] + asked["T"] > 3


def test_processes_that_meet_on_one_tree_never_mix_generations(world: World) -> None:
    """CC03, CC05, CC09, CC19, K7, K8, K10: a tenth of the full run, bounded by edits."""
    many_at_once(world, lambda edits: edits < EDITS_OF_CI)


@pytest.mark.soak
def test_processes_that_meet_for_a_minute_never_mix_generations(world: World) -> None:
    """CC03, CC05, CC09, CC19, K7, K8, K10: the full run."""
    ends = monotonic() + SECONDS_OF_SOAK
    many_at_once(world, lambda _: monotonic() < ends)


@pytest.mark.parametrize(("processes", "count"), [(4, 12), pytest.param(4, 250, marks=pytest.mark.soak)])
def test_every_process_finds_what_it_has_written(world: World, processes: int, count: int) -> None:
    """CC03: writers of one index wait for each other; none gets a raw error, and no write is lost."""
    children = [world.start("write_and_ask", name=f"own{at}", count=count) for at in range(processes)]
    ended = [child.wait() for child in children]
    assert [(end.code, end.said) for end in ended] == [(0, [])] * processes
    with world.session() as session:
        for at in range(processes):
            hits = session.retrieve(Query(text=f"own{at}_{count - 1}", limit=50)).hits
            assert any(hit.relpath == f"own{at}.py" for hit in hits)
        assert not session.check(full=True).findings


@pytest.mark.parametrize(
    "point", ["content.before_put", "publish.locked", "publish.before_commit", "publish.after_commit"]
)
def test_two_cold_starts_both_answer_wherever_the_first_is(world: World, point: str) -> None:
    """CC04: the second command comes while the first one stands at a step of its first publication."""
    gate = str(world.folder / "gate")
    os.mkfifo(gate)
    os.mkfifo(gate + ".go")
    first = world.start("ask", word="common", point=point, gate=gate)
    with open(gate, "rb"):  # the first one has come there
        second = world.start("ask", word="common")
        with open(gate + ".go", "wb"):
            pass
    for child in (first, second):
        ended = child.wait()
        assert ended.code == 0, ended
        assert {hit["relpath"] for hit in ended.said["hits"]} == set(NAMES)
    with world.session() as session:
        assert session.status().generation == 1
        assert not session.check(full=True).findings


@pytest.mark.parametrize("database", ["content.db", "kb.db"])
def test_a_cold_start_waits_for_another_one_that_makes_a_database(world: World, database: str) -> None:
    """CC03, CC04: SQLite says at once that a new database is busy, where two at once make it one with a log."""
    folder = world.cache if database == "content.db" else Path(corpus_folder(str(world.cache), Root(str(world.tree))))
    folder.mkdir(parents=True)
    other = sqlite3.connect(folder / database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    gate = str(world.folder / "gate")
    os.mkfifo(gate)
    os.mkfifo(gate + ".go")
    asking = world.start("ask", word="common", point="store.refused", gate=gate)
    with open(gate, "rb"):  # it was refused
        other.close()
        with open(gate + ".go", "wb"):
            pass
    ended = asking.wait()
    assert ended.code == 0, ended
    assert {hit["relpath"] for hit in ended.said["hits"]} == set(NAMES)


def test_a_server_answers_from_the_last_generation_while_another_process_publishes(world: World) -> None:
    """CC18: no question waits for a publication; what is not taken in yet is left out, and counted."""
    with world.session() as session:
        session.sync()
    gate = str(world.folder / "gate")
    os.mkfifo(gate)
    os.mkfifo(gate + ".go")
    (world.tree / "new.py").write_text("def common_new():\n    pass\n")
    world.write(NAMES[0])
    publishing = world.start("sync", point="publish.before_commit", gate=gate)
    settings = Settings(db_path=str(world.cache), sweep_reuse_ms=0, workers=1)
    with open(gate, "rb"), Session(str(world.tree), settings, one_shot=False) as server:
        for _ in range(5):
            answer = server.retrieve(Query(text="common", limit=50))
            assert {hit.relpath for hit in answer.hits} == set(NAMES[1:])
            assert answer.receipt.freshness.stale_excluded == 1
            assert {hit.freshness for hit in answer.hits} == {"verified"}
        with open(gate + ".go", "wb"):
            pass
        assert publishing.wait().code == 0
    with world.session() as session:
        assert DocumentPath("new.py") in [hit.relpath for hit in session.retrieve(Query(text="common", limit=50)).hits]
