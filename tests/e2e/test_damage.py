"""Whatever happens to the bytes of an index, the next question answers rightly or says one sentence.

Pages of the databases and of the keyword index are overwritten with noise, with zeros and with other pages of the same
file, files are cut short, and disks fill up. What cannot be trusted is made again by itself; what a check still finds
goes away with what it advises.
"""

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings

from .material import MEMORY
from .nursery import Nursery

PAGE = 4096
FILES = 20
PARTS = ("kb.db", "content.db", "lexical")
HARMS = ("noise", "zeros", "another page", "cut", "emptied")


def text_of(number: int) -> str:
    sections = (
        f"def common_{number}_{at}(x):\n    value_{at} = x + {at}\n    return 'unique{number}x{at}', value_{at}\n"
        for at in range(30)
    )
    return "\n\n".join(sections)


class World:
    """A tree whose index was built once, and is copied for every harm."""

    def __init__(self, folder: Path, *, files: int = FILES) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.tree.mkdir()
        for number in range(files):
            (self.tree / f"f{number}.py").write_text(text_of(number))
        with self.open("sound") as session:
            session.sync()
            self.expected = self.answers(session)

    def open(self, cache: str) -> Session:
        return Session(str(self.tree), Settings(db_path=str(self.folder / cache), sweep_reuse_ms=0, workers=1))

    def harmed(self, part: str, harm: str, dice: random.Random) -> str:
        """A copy of the index with one file of a part harmed."""
        shutil.rmtree(self.folder / "harmed", ignore_errors=True)
        shutil.copytree(self.folder / "sound", self.folder / "harmed")
        files = [path for path in sorted((self.folder / "harmed").rglob("*")) if path.is_file() and path.stat().st_size]
        mine = [path for path in files if (path.name == part or part in path.parts)]
        target = dice.choice(mine)
        data = bytearray(target.read_bytes())
        if harm == "emptied":
            data.clear()
        elif harm == "cut":
            del data[dice.randrange(len(data)) :]
        else:
            pages = (len(data) + PAGE - 1) // PAGE
            for at in dice.choices(range(pages), k=dice.choice((1, 3))):
                size = len(data[at * PAGE : (at + 1) * PAGE])
                other = dice.randrange(pages) * PAGE
                new = {"noise": dice.randbytes(size), "zeros": bytes(size), "another page": data[other : other + size]}
                data[at * PAGE : at * PAGE + len(new[harm])] = new[harm]
        target.write_bytes(data)
        return "harmed"

    def answers(self, session: Session) -> list[list[tuple[str, bool]]]:
        """Whom some questions find, and whether what is shown is what the file says."""
        found = []
        for text in ("unique3x0", "unique7x29", "unique19x15", "value_3", "common"):
            hits = session.retrieve(Query(text=text, limit=FILES)).hits
            found.append([(hit.relpath, hit.text in (self.tree / hit.relpath).read_text()) for hit in hits])
        return found


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="gazetteer-damage-", dir=MEMORY) as folder:
        yield World(Path(folder))


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gazetteer-damage-", dir=MEMORY) as folder:
        yield Path(folder)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("harm", HARMS)
def test_a_harmed_index_answers_rightly_and_is_mended_by_what_is_advised(world: World, part: str, harm: str) -> None:
    """CC15: the next question answers as if nothing had been, and a check's findings go away with `gazetteer clean`."""
    for seed in range(3):
        cache = world.harmed(part, harm, random.Random(f"{part} {harm} {seed}"))
        with world.open(cache) as session:
            assert world.answers(session) == world.expected, seed
            findings = session.check(full=True).findings
            if findings:
                assert {finding.code for finding in findings} <= {"database", "sums", "places"}
                session.clean()
        with world.open(cache) as session:
            assert world.answers(session) == world.expected
            assert not session.check(full=True).findings


@pytest.mark.soak
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("harm", HARMS)
def test_many_harms_cost_no_answer(world: World, part: str, harm: str) -> None:
    """CC15: the full count."""
    for seed in range(100):
        with world.open(world.harmed(part, harm, random.Random(f"{seed} {harm} {part}"))) as session:
            assert world.answers(session) == world.expected, seed


def test_a_disk_that_is_full_at_any_byte_costs_a_sentence(world: World) -> None:
    """CC07, CC15: a write that finds no room ends with a sentence; old or new answers, and with room all goes on.

    No file may grow beyond a limit, as on a full disk, in steps over all sizes that an index has.
    """
    (world.folder / "more").mkdir()
    tree = world.folder / "more" / "tree"
    shutil.copytree(world.tree, tree)
    refused = 0
    with Nursery(world.folder / "nursery") as nursery:
        for step, room in enumerate((1, 300, 5_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 200_000, 400_000)):
            cache = str(world.folder / "more" / f"cache{step}")
            for number in (1, 2):
                (tree / "new.py").write_text(f"def common_new():\n    return {number}\n")
                ended = nursery.run("sync", tree=str(tree), cache=cache, room=room if number == 2 or step % 2 else 0)
                refused += ended.code != 0 or ended.said["state"] == "failed"
                assert ended.code == 0 or ended.said.startswith(("UnavailableError: ", "DamagedError: ")), ended
            settings = Settings(db_path=cache, sweep_reuse_ms=0, workers=1)
            with Session(str(tree), settings) as session:
                hits = session.retrieve(Query(text="common_new")).hits
                assert (hits[0].relpath, "return 2" in hits[0].text) == ("new.py", True)
                assert not session.check(full=True).findings
    assert refused > 5, "the limit was felt"


def test_an_index_that_may_only_be_read_answers_from_its_last_generation_and_says_so(place: Path) -> None:
    """CC16: root gives up its rights; what changed is left out, nothing is an error; with write access all goes on."""
    world = World(place, files=5)
    tree, cache = str(world.tree), str(place / "sound")
    everything = [place, *place.rglob("*")]
    for path in everything:
        if path.is_relative_to(cache):
            path.chmod(0o500 if path.is_dir() else 0o400)
    (world.tree / "f0.py").write_text("def common_now():\n    pass\n")
    (world.tree / "new.py").write_text("def common_new():\n    pass\n")
    with Nursery(place / "nursery") as nursery:
        for _ in range(2):
            ended = nursery.run("ask", tree=tree, cache=cache, word="common", ordinary=True)
            assert ended.code == 0, ended
            found = {hit["relpath"] for hit in ended.said["hits"]}
            assert found == {f"f{number}.py" for number in range(1, 5)}
            assert "cannot be written" in " ".join(ended.said["receipt"]["notices"])
            assert ended.said["receipt"]["freshness"]["staleExcluded"] == 1
        for path in everything:
            path.chmod(0o700 if path.is_dir() else 0o600)
        ended = nursery.run("ask", tree=tree, cache=cache, word="common", ordinary=True)
        assert {"f0.py", "new.py"} < {hit["relpath"] for hit in ended.said["hits"]}


def test_nothing_of_an_index_is_open_to_others_whatever_the_umask(place: Path) -> None:
    """SE06: every file 0600 and every folder 0700, after a build, edits, a compaction and a killed process."""
    (place / "tree").mkdir()
    with Nursery(place / "nursery", umask=0) as nursery:
        for number, kill in enumerate(
            ({}, {}, {"point": "follower.after_commit"}, {"point": "follower.before_swap"}, {})
        ):
            for at in range(3):
                (place / "tree" / f"f{at}.py").write_text(f"def common_{number}_{at}():\n    pass\n")
            deed = "compact" if number % 2 else "sync"
            nursery.run(deed, tree=str(place / "tree"), cache=str(place / "cache"), **kill)
            open_ = {path for path in [place / "cache", *(place / "cache").rglob("*")] if path.stat().st_mode & 0o077}
            assert not {path for path in open_ if path.is_dir()}
            if not kill:
                assert not open_
