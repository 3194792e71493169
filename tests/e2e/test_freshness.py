"""After anything that can happen to a tree, the next ``ask`` answers like one on an index built from scratch (row K3).

Real files, and a session of its own for every question, opened as a command opens one: no watcher, no daemon and no
memory can have seen the change. Each row of the table also says what the change itself must show, so that two equally
wrong answers do not pass. Ranking is compared after compaction (row K13).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from gazetteer.app import Session
from gazetteer.retrieval.query import Query, to_wire
from gazetteer.settings import Settings

from .ordinary import give_up_rights

GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")


class World:
    """One tree with its cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.tree.mkdir()
        self.write("app/server.py", "def start_zebra(port):\n    return port\n")
        self.write("app/client.py", "from app import server\n\n\ndef call_zebra():\n    return server.start_zebra(1)\n")
        self.write("docs/guide.md", "# Guide\n\nHow the zebra is started.\n\n## Ports\n\nThe quokka port is 80.\n")
        self.write("lib/deep/util.c", "int quokka(int x) { return x; }\n")

    def write(self, path: str, text: str) -> None:
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def git(self, *words: str) -> None:
        subprocess.run([*GIT, *words], cwd=self.tree, check=True, capture_output=True, env=self.environment("cache"))

    def environment(self, cache: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GAZETTEER_DB_PATH": str(self.folder / cache),
            "GAZETTEER_WORKERS": "1",
        }

    def session(self, cache: str = "cache") -> Session:
        """A session as a command opens it."""
        return Session(str(self.tree), Settings(db_path=str(self.folder / cache), workers=1), one_shot=True)

    def ask(self, word: str, cache: str = "cache") -> Any:
        with self.session(cache) as session:
            return to_wire(session.retrieve(Query(text=word, limit=20)))


def matches(answer: Any) -> set[tuple[Any, ...]]:
    """What matched: every chunk that is a hit or is listed inside of one."""
    found: set[tuple[Any, ...]] = set()
    for hit in answer["hits"]:
        found.add((hit["relpath"], tuple(hit["lines"]), hit["text"], hit["freshness"]))
        found.update((place["path"], tuple(place["lines"]), place["reason"]) for place in hit["also"])
    return found


def paths(answer: Any) -> set[str]:
    return {hit["relpath"] for hit in answer["hits"]} | {
        place["path"] for hit in answer["hits"] for place in hit["also"] if place["reason"] == "same text"
    }


class Case(NamedTuple):
    """A change, a word to ask for, and the paths that must answer after it."""

    act: Callable[[World], None]
    word: str
    expected: set[str]
    prepare: Callable[[World], None] = lambda _world: None


def same_size_old_time(world: World) -> None:
    target = world.tree / "lib/deep/util.c"
    before = target.stat()
    target.write_text("int wombat(int x) { return x; }\n")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert target.stat().st_size == before.st_size
    assert target.stat().st_mtime_ns == before.st_mtime_ns


def case_only(world: World) -> None:
    os.rename(world.tree / "app/server.py", world.tree / "app/Server.py")


def to_branch(world: World) -> None:
    world.git("checkout", "-q", "other")


def branches(world: World) -> None:
    world.git("init", "-q")
    world.git("add", ".")
    world.git("commit", "-qm", "one")
    world.git("checkout", "-qb", "other")
    world.write("app/fresh.py", "def zebra_fresh():\n    return 2\n")
    world.write("app/server.py", "def start_quagga(port):\n    return port\n")
    os.unlink(world.tree / "app/client.py")
    world.git("add", "-A")
    world.git("commit", "-qm", "two")
    world.git("checkout", "-q", "main")


def replaced_by_link(world: World) -> None:
    outside = world.folder / "outside.py"
    outside.write_text("def zebra_outside():\n    return 'secret'\n")
    os.unlink(world.tree / "app/server.py")
    os.symlink(outside, world.tree / "app/server.py")


def replaced_by_folder(world: World) -> None:
    os.unlink(world.tree / SERVER)
    world.write("app/server.py/inner.py", "zebra = 3\n")


def emptied(world: World) -> None:
    for where, folders, names in os.walk(world.tree, topdown=False):
        for name in names:
            os.unlink(os.path.join(where, name))
        for name in folders:
            os.rmdir(os.path.join(where, name))


SERVER, CLIENT, GUIDE = "app/server.py", "app/client.py", "docs/guide.md"
CASES = {
    "edit": Case(lambda w: w.write(CLIENT, "def call():\n    return 1\n"), "zebra", {SERVER, GUIDE}),
    "same size, old time put back (ST15)": Case(same_size_old_time, "wombat", {"lib/deep/util.c"}),
    "create": Case(
        lambda w: w.write("app/new/more.py", "zebra = 1\n"), "zebra", {SERVER, CLIENT, GUIDE, "app/new/more.py"}
    ),
    "delete (ST02)": Case(lambda w: os.unlink(w.tree / SERVER), "zebra", {CLIENT, GUIDE}),
    "rename (ST11)": Case(
        lambda w: os.rename(w.tree / SERVER, w.tree / "app/service.py"), "zebra", {"app/service.py", CLIENT, GUIDE}
    ),
    "case-only rename (PE16)": Case(case_only, "zebra", {"app/Server.py", CLIENT, GUIDE}),
    "directory move": Case(
        lambda w: os.rename(w.tree / "app", w.tree / "core"), "zebra", {"core/server.py", "core/client.py", GUIDE}
    ),
    "folder removed (ST01, ST03)": Case(
        lambda w: shutil.rmtree(w.tree / "lib"),
        "quokka",
        {GUIDE},
    ),
    "branch switch (ST13)": Case(to_branch, "zebra", {"app/fresh.py", GUIDE}, branches),
    "ignore rule added (PE18)": Case(lambda w: w.write("app/.gitignore", "server.py\n"), "zebra", {CLIENT, GUIDE}),
    "ignore rule removed": Case(
        lambda w: os.unlink(w.tree / ".gitignore"),
        "zebra",
        {SERVER, CLIENT, GUIDE},
        lambda w: w.write(".gitignore", "app/\n"),
    ),
    "file replaced by a link that leads out (SE02)": Case(replaced_by_link, "zebra", {CLIENT, GUIDE}),
    "file replaced by a folder": Case(
        replaced_by_folder,
        "zebra",
        {"app/server.py/inner.py", CLIENT, GUIDE},
    ),
    "tree emptied (ST21)": Case(emptied, "zebra", set()),
    "settings changed": Case(lambda w: w.write("knowledge.yaml", "exclude: [docs/]\n"), "zebra", {SERVER, CLIENT}),
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_the_next_ask_answers_like_an_index_from_scratch(world: World, name: str) -> None:
    case = CASES[name]
    case.prepare(world)
    world.ask("zebra")
    case.act(world)
    answer = world.ask(case.word)
    assert paths(answer) == case.expected
    assert all(hit["freshness"] == "verified" for hit in answer["hits"])
    for word in (case.word, "quokka", "port"):
        assert matches(world.ask(word)) == matches(world.ask(word, cache="scratch"))
    with world.session() as session:
        assert session.check(full=True).ok
        session.compact()
        kept = [(hit.relpath, hit.lines, hit.score) for hit in session.retrieve(Query(text=case.word, limit=20)).hits]
    with world.session("scratch") as session:
        built = [(hit.relpath, hit.lines, hit.score) for hit in session.retrieve(Query(text=case.word, limit=20)).hits]
    assert kept == built


def test_a_branch_switched_back_and_forth_is_parsed_once(world: World) -> None:
    """K14: the second time every content is known."""
    branches(world)
    with world.session() as session:
        session.kb.refresh()
        to_branch(world)
        there = session.kb.refresh()
        assert there.parsed == 2
        world.git("checkout", "-q", "main")
        back = session.kb.refresh()
        to_branch(world)
        again = session.kb.refresh()
        assert (back.parsed, again.parsed) == (0, 0)
        assert back.documents
        assert again.documents == there.documents


def test_a_rename_and_a_second_worktree_derive_nothing(world: World) -> None:
    """K14: derived data is keyed by content."""
    cache = str(world.folder / "cache")
    with Session.open(str(world.tree), Settings(db_path=cache)) as session:
        session.kb.refresh()
        os.rename(world.tree / "app", world.tree / "core")
        moved = session.kb.refresh()
        assert (moved.documents, moved.deleted, moved.parsed) == (2, 2, 0)
    os.rename(world.tree, world.folder / "worktree")
    with Session.open(str(world.folder / "worktree"), Settings(db_path=cache)) as session:
        second = session.kb.refresh()
        assert (second.documents, second.parsed) == (4, 0)


def test_an_unreadable_tree_keeps_the_last_generation_and_says_so(world: World) -> None:
    """ST21: unreadable is not empty. Root reads everything, so it gives up its rights."""

    def ask() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-P", "-m", "gazetteer", "ask", "zebra", "--json", "--root", str(world.tree)],
            capture_output=True,
            text=True,
            check=False,
            env=world.environment("cache"),
            preexec_fn=give_up_rights,
        )

    before = ask()
    assert before.returncode == 0, before.stderr
    os.chmod(world.tree, 0o000)
    try:
        after = ask()
    finally:
        os.chmod(world.tree, 0o755)
    answer = json.loads(after.stdout)
    assert after.returncode == 0
    assert any("cannot be read" in notice for notice in answer["receipt"]["notices"])
    assert {hit["freshness"] for hit in answer["hits"]} == {"unverified"}
    assert paths(answer) == paths(json.loads(before.stdout))
    again = ask()
    assert matches(json.loads(again.stdout)) == matches(json.loads(before.stdout))
