"""Whenever a process is killed, the index is as it was or as it was to be, and the next question mends the rest.

kill -9 at every named fail point, at random calls of functions, and at random times (a timer of the kernel), while the
tree is edited. Nobody repairs anything by hand: what is looked at first is what the dead process left.
"""

import os
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from gazetteer.app import Session
from gazetteer.kb.failpoints import NAMES
from gazetteer.kb.store.content import ContentStore
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.retrieval.lexical_index import LexicalIndex
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings

from .material import MEMORY
from .nursery import Child, Ended, Nursery

DEEDS = {"follower.before_swap": "compact", "follower.after_swap": "compact"}
"""Points that no ordinary publication comes by."""
BEHIND_THE_COMMIT = {"publish.after_commit", "publish.followed", "publish.collected"} | {
    name for name in NAMES if name.startswith("follower.")
}
ALONE = [name for name in NAMES if name != "store.refused"]
"""Points that a process comes by although no other one is there."""
NAMES_OF_FILES = tuple(f"{folder}f{at}.py" for folder in ("", "src/", "src/deep/") for at in range(5))
LEFT = {"kb.db", "kb.db-wal", "kb.db-shm", "publish.lock", "swept", "tree", "lexical"}
SEED_OF_CI, SEED_OF_SOAK = 11, 12


class World:
    """A tree, its index, and all that its files ever said."""

    def __init__(self, nursery: Nursery, folder: Path, seed: int) -> None:
        self.nursery = nursery
        self.random = random.Random(seed)
        self.tree, self.cache = folder / "tree", folder / "cache"
        self.tree.mkdir(parents=True)
        self.files: dict[str, str] = {}
        self.versions: dict[str, set[str]] = {}
        self.acknowledged = 0
        self.count = 0
        for _ in range(8):
            self.edit()

    def edit(self) -> None:
        """Write, move or delete a few files; every text is another one."""
        for _ in range(self.random.randint(1, 4)):
            path, other = self.random.choice(NAMES_OF_FILES), self.random.choice(NAMES_OF_FILES)
            action = self.random.random()
            if action < 0.2 and path in self.files:
                del self.files[path]
                (self.tree / path).unlink()
            elif action < 0.35 and path in self.files and path != other:
                self.note(other, self.files.pop(path))
                (self.tree / other).parent.mkdir(parents=True, exist_ok=True)
                os.replace(self.tree / path, self.tree / other)
            else:
                self.count += 1
                text = f"def common_{self.count}():\n    return {self.count}\n\n\ndef tail():\n    pass\n"
                self.note(path, text)
                (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
                (self.tree / path).write_text(text)

    def note(self, path: str, text: str) -> None:
        self.files[path] = text
        self.versions.setdefault(path, set()).add(text)

    def start(self, deed: str, **kill: Any) -> Child:
        arguments: dict[str, Any] = {"word": "common"} if deed == "ask" else {}
        return self.nursery.start(deed, tree=str(self.tree), cache=str(self.cache), **arguments, **kill)

    def run(self, deed: str = "sync", **kill: Any) -> Ended:
        return self.start(deed, **kill).wait()

    def open(self) -> Session:
        return Session(str(self.tree), Settings(db_path=str(self.cache), sweep_reuse_ms=0, workers=1))

    @property
    def folder(self) -> str:
        return next(str(path) for path in (self.cache / "corpora").iterdir())

    def published(self) -> dict[str, str]:
        """What the head says, read without repairing anything; and what no reader may ever see is not there."""
        if not list(self.cache.glob("corpora/*/kb.db")):
            return {}
        store = CorpusStore(self.folder, read_only=True)
        contents = ContentStore(str(self.cache / "content.db"), read_only=True)
        index = LexicalIndex(self.folder + "/lexical")
        try:
            head, follower = store.head(), index.head
            assert head.generation >= self.acknowledged, "what was acknowledged is there"
            assert follower is None or store.knows(follower), "a follower never shows what was not published"
            return {row.path: contents.load(row.content_id, row.recipe)[0] for row in store.documents(head.generation)}
        finally:
            index.close()
            contents.close()
            store.close()

    def ask(self) -> None:
        """The next question, with no other step, answers from the tree as it is; then everything holds together."""
        with self.open() as session:
            assert session.status().state in ("ready", "missing", "empty"), "CC14: nothing says that it is being built"
            answer = session.retrieve(Query(text="common", limit=50))
            found = {hit.relpath: hit.text for hit in answer.hits}
            assert found.keys() == self.files.keys()
            assert all(text in self.files[path] for path, text in found.items())
            assert {hit.freshness for hit in answer.hits} <= {"verified"}
            generation = answer.receipt.snapshot.corpora[0].generation
            assert generation >= self.acknowledged
            self.acknowledged = generation
            assert not session.check(full=True).findings
            assert not session.kb.publisher.is_held()
            assert session.status().state in ("ready", "empty")

    def leftovers(self) -> set[str]:
        """What lies in the corpus's folder, names of live parts aside."""
        names = {str(path.relative_to(self.folder)) for path in Path(self.folder).rglob("*")}
        return {re.sub(r"^lexical/ix-[0-9a-f]+/.*", "lexical/ix/", name) for name in names}


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    with Nursery(tmp_path_factory.mktemp("nursery")) as made:
        yield made


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gazetteer-crash-", dir=MEMORY) as folder:
        yield Path(folder)


def kill_at_every_fail_point(world: World) -> None:
    """Edit and be killed at each point in turn, and look after each what is left and what the next question says."""
    for name in ALONE:
        before = dict(world.files)
        world.edit()
        world.count += 1
        world.note("f0.py", f"def common_at_{world.count}():\n    return {name!r}\n")
        (world.tree / "f0.py").write_text(world.files["f0.py"])
        ended = world.run(DEEDS.get(name, "sync"), point=name)
        assert ended.killed, f"{name} was not reached: {ended}"
        after = world.published()
        assert after == (world.files if name in BEHIND_THE_COMMIT else before), name
        world.ask()


def test_every_fail_point_leaves_the_old_or_the_new_generation(nursery: Nursery, place: Path) -> None:
    """CC20, CC13: twelve kills, each at its point, and after each the whole of one state."""
    world = World(nursery, place, SEED_OF_CI)
    world.ask()
    kill_at_every_fail_point(world)


def random_kills(world: World, kills: int) -> int:
    """Kill so often, at moments drawn from all of a process's life; return how many runs that took."""
    world.ask()
    world.edit()
    started = perf_counter()
    calls = world.run(calls=1 << 60).calls
    seconds = perf_counter() - started
    done = runs = 0
    while done < kills:
        runs += 1
        before = world.published()
        world.edit()
        deed = world.random.choice(("sync", "sync", "ask", "compact"))
        # Half of the moments are the same in every run of a seed; the others also lie inside a library's call.
        if runs % 2:
            kill: dict[str, int | float] = {"calls": world.random.randint(1, calls)}
        else:
            kill = {"seconds": world.random.uniform(0.001, seconds)}
        together = world.random.random() < 0.3
        if together:
            child = world.start(deed, **kill)
            world.edit()
            ended = child.wait()
            assert all(text in world.versions[path] for path, text in world.published().items())
        else:
            ended = world.run(deed, **kill)
            assert world.published() in ((before, world.files) if ended.killed else (world.files,))
        assert ended.killed or ended.code == 0, ended
        done += ended.killed
        if world.random.random() < 0.5:  # several in a row are not mended in between (CC13)
            world.ask()
    world.ask()
    world.edit()
    world.run()
    world.ask()
    unexpected = {name for name in world.leftovers() if name not in LEFT and not name.startswith("lexical/")}
    assert not unexpected, "nothing of the dead is left"
    assert len(list(Path(world.folder, "lexical").glob("ix-*"))) == 1
    return runs


def test_kills_at_random_moments_leave_one_state(nursery: Nursery, place: Path) -> None:
    """CC13, CC14: a tenth of the full count; half of the moments are those of the seed."""
    random_kills(World(nursery, place, SEED_OF_CI), 18)


def test_a_first_build_that_is_killed_again_and_again_ends(nursery: Nursery, place: Path) -> None:
    """CC13: five kills in a row on a cold cache, the last of them late; then one question is enough."""
    world = World(nursery, place, SEED_OF_CI)
    calls = world.nursery.run("sync", tree=str(world.tree), cache=str(place / "other"), calls=1 << 60).calls
    kills: list[dict[str, Any]] = [{"calls": calls // 5}, {"calls": calls // 2}]
    kills += [{"point": point} for point in ("content.after_put", "publish.verified", "publish.before_commit")]
    for kill in kills:
        assert world.run(**kill).killed
        assert world.published() == {}
    world.ask()
    assert world.acknowledged == 1


def test_a_rebuild_that_is_killed_at_every_tenth_is_one_rebuild(nursery: Nursery, place: Path) -> None:
    """ST04: the last good generation stays live until the next is whole, and that is one step."""
    world = World(nursery, place, SEED_OF_CI)
    world.ask()
    before = dict(world.files)
    for path in sorted(world.files):
        world.note(path, "# again\n" + world.files[path])
        (world.tree / path).write_text(world.files[path])
    calls = world.nursery.run("sync", tree=str(world.tree), cache=str(place / "other"), calls=1 << 60).calls
    for tenth in range(1, 10):
        ended = world.run(calls=calls * tenth // 10)
        assert world.published() in ((before, world.files) if ended.killed else (world.files,))
    world.ask()
    assert world.acknowledged == 2


@pytest.mark.soak
def test_three_hundred_kills_leave_one_state(nursery: Nursery, place: Path) -> None:
    """CC13, CC14, CC20: the full count."""
    random_kills(World(nursery, place, SEED_OF_SOAK), 300)


@pytest.mark.soak
def test_ten_kills_at_every_fail_point_leave_the_old_or_the_new_generation(nursery: Nursery, place: Path) -> None:
    """CC13, CC20: 120 kills, each on what the one before and other edits have left."""
    world = World(nursery, place, SEED_OF_SOAK)
    world.ask()
    for _ in range(10):
        kill_at_every_fail_point(world)
