"""Whatever happens to one corpus while several are asked, it costs its own hits and one sentence (row C5).

Real trees, real processes, an ordinary user's rights: one process asks all along, this one harms a corpus under it and
puts it right again. The other corpora answer every question as before, with the same hits, and nothing is restarted.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from gazetteer import Session
from gazetteer.kb.paths import Root

from .nursery import Nursery

NAMES = ("alpha", "beta", "gamma")
HITS = 3  # of each
ALL = {"everywhere": True}
Found = dict[str, list[str]]


class Asker:
    """The process that asks."""

    def __init__(self, world: "World", *, server: bool) -> None:
        given = {"roots": [str(world.folder / "own")], "config": str(world.config), "cache": str(world.cache)}
        program = str(Path(__file__).with_name("asker.py"))
        self._process = subprocess.Popen(
            [sys.executable, "-P", program, json.dumps({**given, "server": server})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, **query: Any) -> None:
        """Ask, and do not wait for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"text": "moor vessel", "limit": 50, "scope": ALL, **query}) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def ask(self, **query: Any) -> Any:
        self.begin(**query)
        return self.answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.read()  # what a test that failed has left
        self._process.stdout.close()
        assert self._process.wait() == 0


class World:
    """A tree of one's own and three registered ones, each with the same few files under its own name."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.config, self.cache = folder, folder / "config", folder / "cache"
        self.config.mkdir()
        for name in ("own", *NAMES):
            self.plant(name)
        self.registry = self.config / "projects.json"
        self.register({name: name for name in NAMES})
        self.beta, self.away = folder / "beta", folder / "beta-away"
        self.index = self.cache / "corpora" / Root(str(self.beta)).key

    def plant(self, name: str) -> None:
        tree = self.folder / name
        tree.mkdir()
        for number in range(HITS):
            text = f"def moor_{name}_{number}(vessel):\n    '''Moor the vessel at {name} {number}.'''\n"
            (tree / f"{name}_{number}.py").write_text(text)

    def register(self, names: dict[str, str]) -> None:
        self.say(json.dumps({name: {"path": str(self.folder / tree)} for name, tree in names.items()}))

    def say(self, text: str) -> None:
        """Put other words in the place of the registry, at once: an emptied one would be one without entries."""
        draft = self.config / "draft"
        draft.write_text(text)
        draft.replace(self.registry)

    def files(self) -> list[Path]:
        return sorted(self.beta.glob("*.py"))

    def overwrite(self, name: str) -> None:
        """Damage a database as a bad disk does, under whoever has it open."""
        with open(self.index / name, "r+b") as file:
            file.write(b"\xa5" * 3 * 4096)

    def pipe_instead(self, *names: str) -> None:
        """Put a pipe in the place of a file of the index; of every file, where none is named."""
        files = [self.index / name for name in names] or [path for path in self.index.rglob("*") if path.is_file()]
        for path in files:
            path.unlink()
            os.mkfifo(path)

    def loop_the_list(self) -> None:
        (segments,) = self.index.glob("lexical/ix-*/meta.json")
        segments.unlink()
        segments.symlink_to(segments)

    def no_pipe(self, name: str) -> None:
        (self.index / name).unlink(missing_ok=True)

    def delete(self, path: Path) -> None:
        """Take a folder away at once, whoever is writing in it."""
        gone = self.folder / "deleted"
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    # -- harms and how they are put right ------------------------------------------------------------------------

    def move_away(self) -> None:
        self.beta.rename(self.away)

    def bring_back(self) -> None:
        if self.beta.is_symlink() or self.beta.is_file():
            self.beta.unlink()
        self.away.rename(self.beta)

    def a_file_instead(self) -> None:
        self.move_away()
        self.beta.write_text("a file")

    def a_loop_instead(self) -> None:
        self.move_away()
        self.beta.symlink_to(self.beta)

    def rename_entry(self) -> None:
        self.register({"alpha": "alpha", "better": "beta", "gamma": "gamma"})

    def move_entry(self) -> None:
        self.register({"alpha": "alpha", "beta": "nowhere", "gamma": "gamma"})

    def remove_entry(self) -> None:
        self.register({"alpha": "alpha", "gamma": "gamma"})

    def break_entry(self) -> None:
        self.say(json.dumps({**json.loads(self.registry.read_text()), "beta": {"path": 5}}))

    def all_entries(self) -> None:
        self.register({name: name for name in NAMES})


class Harm(NamedTuple):
    """What is done to `beta`, how it is put right, and whom its hits are from meanwhile (None: nobody)."""

    do: Callable[[World], None]
    undo: Callable[[World], None] = lambda world: None
    meanwhile: Sequence[str | None] = (None,)
    noticed: bool = True


def each(paths: Sequence[Path], mode: int) -> None:
    for path in paths:
        path.chmod(mode)


HARMS: dict[str, Harm] = {
    "tree moved away": Harm(World.move_away, World.bring_back),
    "a file in its place": Harm(World.a_file_instead, World.bring_back),
    "a loop in its place": Harm(World.a_loop_instead, World.bring_back, ("beta", None)),
    "tree that may not be read": Harm(lambda w: w.beta.chmod(0), lambda w: w.beta.chmod(0o755), ("beta", None)),
    "files that may not be read": Harm(lambda w: each(w.files(), 0), lambda w: each(w.files(), 0o644), noticed=False),
    "index that may not be read": Harm(lambda w: w.index.chmod(0), lambda w: w.index.chmod(0o700)),
    "index deleted": Harm(lambda w: w.delete(w.index), meanwhile=("beta",), noticed=False),
    "database overwritten": Harm(lambda w: w.overwrite("kb.db"), meanwhile=("beta", None), noticed=False),
    "database cut short": Harm(lambda w: os.truncate(w.index / "kb.db", 5000), meanwhile=("beta", None), noticed=False),
    "keyword index deleted": Harm(lambda w: w.delete(w.index / "lexical"), meanwhile=("beta",), noticed=False),
    "pipes for files": Harm(World.pipe_instead, meanwhile=("beta", None), noticed=False),
    "a pipe for the pointer": Harm(lambda w: w.pipe_instead("lexical/CURRENT"), meanwhile=("beta",), noticed=False),
    "a list of segments that is a loop": Harm(World.loop_the_list, meanwhile=("beta", None), noticed=False),
    "a pipe for a note": Harm(
        lambda w: w.pipe_instead("swept"), lambda w: w.no_pipe("swept"), meanwhile=("beta",), noticed=False
    ),
    "entry removed": Harm(World.remove_entry, World.all_entries, noticed=False),
    "entry renamed": Harm(World.rename_entry, World.all_entries, ("better",), noticed=False),
    "entry that leads nowhere": Harm(World.move_entry, World.all_entries),
    "entry broken": Harm(World.break_entry, World.all_entries),
    "registry broken": Harm(lambda w: w.say("{"), World.all_entries, ("beta",), noticed=False),
    "registry that may not be read": Harm(lambda w: w.registry.chmod(0), World.all_entries, ("beta",), noticed=False),
}


OPENING = (
    "tree moved away",
    "a loop in its place",
    "tree that may not be read",
    "index that may not be read",
    "database overwritten",
    "database cut short",
    "pipes for files",
    "entry broken",
)
"""Those that a process meets otherwise when it opens a corpus only now."""


def found(answer: Any) -> Found:
    """The files that were found, by corpus.

    A corpus whose entry has just been given to another folder is told apart by six digits, as unregistered ones are.
    """
    assert "error" not in answer, answer
    by_corpus: Found = {}
    for hit in answer["hits"]:
        by_corpus.setdefault(re.sub("-[0-9a-f]{6}$", "", hit["corpus"]), []).append(hit["relpath"])
    return {corpus: sorted(paths) for corpus, paths in by_corpus.items()}


def whole(name: str, tree: str = "") -> list[str]:
    return [f"{tree or name}_{number}.py" for number in range(HITS)]


OTHERS = {name: whole(name) for name in ("own", "alpha", "gamma")}


def about_beta(answer: Any) -> list[str]:
    return [notice for notice in answer["receipt"]["notices"] if "beta" in notice]


def check(answer: Any, harm: Harm) -> None:
    """The others as ever; of the harmed one all hits or none, and one sentence at most."""
    hits = found(answer)
    assert {name: hits.get(name) for name in OTHERS} == OTHERS
    rest = {name: paths for name, paths in hits.items() if name not in OTHERS}
    assert rest in [{name: whole(name, "beta")} if name else {} for name in harm.meanwhile]
    assert len(about_beta(answer)) <= 1, about_beta(answer)
    if harm.noticed:
        assert len(about_beta(answer)) == 1


@pytest.fixture(scope="module", params=["server", "command"])
def asking(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Asker]]:
    """A process that asks all along, of a server's kind or of a command's."""
    world = World(tmp_path_factory.mktemp(request.param))
    asker = Asker(world, server=request.param == "server")
    assert found(asker.ask()) == {**OTHERS, "beta": whole("beta")}
    yield world, asker
    asker.close()


def settle(asker: Asker) -> None:
    """Ask until the harmed corpus is as it was; a server may be at it yet when it answers."""
    for _ in range(50):
        if found(answer := asker.ask()) == {**OTHERS, "beta": whole("beta")} and not about_beta(answer):
            return
    pytest.fail(f"still {found(answer)}, {about_beta(answer)}")


@pytest.mark.parametrize("name", HARMS)
def test_a_harm_costs_the_hits_of_one_corpus_and_a_sentence(asking: tuple[World, Asker], name: str) -> None:
    """QU13, ST23: at once, at the second question, to a new process; and when it is put right, everything is back."""
    (world, asker), harm = asking, HARMS[name]
    harm.do(world)
    try:
        for _ in range(2):
            check(asker.ask(), harm)
    finally:
        harm.undo(world)
    settle(asker)


@pytest.mark.parametrize("asking", ["server"], indirect=True)
@pytest.mark.parametrize("name", HARMS)
def test_a_harm_in_the_middle_of_questions_costs_no_more(asking: tuple[World, Asker], name: str) -> None:
    """The same while questions are under way: before, during or after the harm, the others answer as ever."""
    (world, asker), harm = asking, HARMS[name]
    during = harm._replace(meanwhile=(*harm.meanwhile, "beta", None), noticed=False)
    for _ in range(12):
        asker.begin()
    check(asker.answer(), during)
    harm.do(world)
    try:
        for _ in range(11):
            check(asker.answer(), during)
    finally:
        harm.undo(world)
    settle(asker)


@pytest.mark.parametrize("asking", ["command"], indirect=True)
@pytest.mark.parametrize("name", OPENING)
def test_a_new_process_meets_the_same_harm(asking: tuple[World, Asker], name: str) -> None:
    """A command that starts only now answers from the others, too."""
    (world, asker), harm = asking, HARMS[name]
    harm.do(world)
    late = Asker(world, server=False)
    try:
        check(late.ask(), harm)
    finally:
        late.close()
        harm.undo(world)
    settle(asker)


@pytest.fixture
def fresh(tmp_path: Path) -> World:
    """A world in which the others are indexed, and `beta` is not."""
    world = World(tmp_path)
    for name in ("own", "alpha", "gamma"):
        with Session.open(str(world.folder / name), db_path=str(world.cache)) as session:
            assert session.sync().documents == HITS
    return world


@pytest.mark.parametrize("point", ["content.after_put", "publish.before_commit", "follower.before_swap"])
def test_an_index_that_was_left_half_made_is_finished(fresh: World, point: str) -> None:
    """A process was killed in the middle of the first index of one corpus: the next question makes it whole."""
    with Nursery(fresh.folder / "nursery") as nursery:
        assert nursery.run("sync", tree=str(fresh.beta), cache=str(fresh.cache), point=point).killed
    for server in (False, True):
        asker = Asker(fresh, server=server)
        assert found(asker.ask()) == {**OTHERS, "beta": whole("beta")}
        asker.close()


@pytest.mark.parametrize("server", [False, True], ids=["command", "server"])
def test_a_corpus_that_somebody_is_indexing_is_not_waited_for_beyond_the_deadline(fresh: World, server: bool) -> None:
    """R4, QU13: another process holds the lock of one corpus, in the middle of its first index; the others answer."""
    gate = str(fresh.folder / "gate")
    os.mkfifo(gate)
    os.mkfifo(gate + ".go")
    with Nursery(fresh.folder / "nursery") as nursery:
        indexing = nursery.start(
            "sync", tree=str(fresh.beta), cache=str(fresh.cache), point="publish.before_commit", gate=gate
        )
        asker = Asker(fresh, server=server)
        with open(gate, "rb"):  # it holds the lock now
            answer = asker.ask(budgetMs=4_000)
            assert found(answer) == OTHERS
            assert len(about_beta(answer)) == 1
            assert answer["receipt"]["missing"]
            with open(gate + ".go", "wb"):
                pass
            assert indexing.wait().code == 0
        assert found(asker.ask()) == {**OTHERS, "beta": whole("beta")}
        asker.close()
