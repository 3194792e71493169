"""A disk that does not answer costs whoever reads the registry a moment, once, and takes no other tree with it."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.corpora.links import Links, folder_at, is_there
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import FILE_NAME, Catalogue
from gazetteer.corpora.roll import call_roll
from gazetteer.kb.errors import InvalidArgumentError, RefusedError
from gazetteer.retrieval.query import Scope
from gazetteer.settings import Settings

LONG_S = 600.0


class Disk:
    """Answers where roots are, but for some about which it says nothing before it is mended."""

    def __init__(self, *hanging: str) -> None:
        self.hanging = set(hanging)
        self.mended = threading.Event()
        self.asked: list[str] = []

    def __call__(self, root: str) -> str:
        self.asked.append(root)
        if root in self.hanging:
            self.mended.wait()
        return os.path.realpath(root)


def answered(links: Links, root: str) -> str:
    """Where a root is, once the thread that asks has been told."""
    future = links._asked.get(root)
    return future.result(LONG_S) if future is not None else links._found[root]


def wait_in_vain(links: Links, root: str) -> None:
    """Have a root that hangs asked about, so that nobody waits for it any more; all others are waited for."""
    links._wait_s = 0.01
    while root not in links._silent:
        assert links.follow([root]) == {}
    links._wait_s = LONG_S


def test_a_folder_whose_disk_died_is_not_there_until_it_answers_again(tmp_path: Path) -> None:
    """However often it was there before; whoever asks waits once, and another folder is not touched by it."""
    root, other = str(tmp_path / "root"), str(tmp_path)
    os.mkdir(root)
    disk = Disk()
    folders = Links(realpath=lambda path: folder_at(disk(path)), wait_s=LONG_S)
    assert is_there(root, folders)
    disk.hanging.add(root)
    folders._wait_s = 0.01
    assert not is_there(root, folders)
    assert folders.is_silent(root)
    folders._wait_s = LONG_S
    assert not is_there(root, folders)  # at once: nobody waits for it a second time
    assert is_there(other, folders)
    asking = folders._asked[root]
    disk.hanging.clear()
    disk.mended.set()
    asking.result(LONG_S)
    assert is_there(root, folders)
    os.rmdir(root)
    assert not is_there(root, folders)
    assert not folders.is_silent(root)


def test_links_are_followed_as_they_are_now(tmp_path: Path) -> None:
    link = tmp_path / "link"
    links = Links(wait_s=LONG_S)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        link.unlink(missing_ok=True)
        link.symlink_to(name)
        assert links.follow([str(link), str(tmp_path / "gone")]) == {
            str(link): str(tmp_path / name),
            str(tmp_path / "gone"): str(tmp_path / "gone"),
        }


def test_nothing_to_follow_asks_nobody() -> None:
    disk = Disk()
    assert Links(realpath=disk).follow([]) == {}
    assert disk.asked == []


def test_roots_behind_some_that_hang_are_followed_and_those_are_asked_about_once() -> None:
    disk = Disk("/a", "/b")
    links = Links(realpath=disk, wait_s=4.0)
    assert links.follow(["/a", "/b", "/usr"]) == {"/usr": os.path.realpath("/usr")}
    links._wait_s = LONG_S  # from now on waiting would be seen
    assert links.follow(["/a", "/b", "/usr"]) == {"/usr": os.path.realpath("/usr")}
    assert disk.asked == ["/a", "/b", "/usr", "/usr"]
    disk.mended.set()
    assert [answered(links, root) for root in ("/a", "/b")] == ["/a", "/b"]
    assert links.follow(["/a", "/b"]) == {"/a": "/a", "/b": "/b"}


def test_where_a_root_was_is_believed_while_it_does_not_answer() -> None:
    disk = Disk()
    links = Links(realpath=disk, wait_s=LONG_S)
    assert links.follow(["/usr"]) == {"/usr": "/usr"}
    disk.hanging.add("/usr")
    links._wait_s = 0.3
    assert links.follow(["/usr"]) == {"/usr": "/usr"}
    disk.mended.set()


def test_whoever_comes_meanwhile_waits_for_the_same_answer() -> None:
    """A root that another thread is being told of right now is not one that does not answer."""
    disk = Disk("/usr")
    links = Links(realpath=disk, wait_s=LONG_S)
    found: list[object] = []
    first = threading.Thread(target=lambda: found.append(links.follow(["/usr"])))
    first.start()
    while not disk.asked:
        first.join(0.01)
    known = links._asked["/usr"]
    second = threading.Thread(target=lambda: found.append(links.follow(["/usr"])))
    second.start()
    while len(known._waiters) < 2:  # both wait for it
        second.join(0.01)
    disk.mended.set()
    for thread in (first, second):
        thread.join()
    assert found == [{"/usr": "/usr"}] * 2
    assert disk.asked == ["/usr"]


def test_roots_that_no_thread_came_to_are_asked_about_the_next_time() -> None:
    disk = Disk("/a")
    links = Links(realpath=disk, wait_s=0.0)
    assert links.follow(["/a", "/usr"]).keys() <= {"/usr"}
    disk.mended.set()
    links._wait_s = LONG_S
    while links.follow(["/a", "/usr"]) != {"/a": "/a", "/usr": "/usr"}:
        pass  # "/a" may be with a thread that was waited for in vain, and comes


def test_without_threads_whoever_wants_to_know_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    links = Links(wait_s=LONG_S)
    for _ in range(2):
        assert links.follow(["/usr", "/"]) == {"/usr": os.path.realpath("/usr"), "/": "/"}


@pytest.fixture
def desk(tmp_path: Path) -> tuple[Path, Catalogue, Disk]:
    """A registry with one tree that answers, and one inside it that does not."""
    (tmp_path / "tree").mkdir()
    dead = str(tmp_path / "tree/dead")
    entries = {"alive": {"path": str(tmp_path / "tree")}, "dead": {"path": dead}}
    (tmp_path / FILE_NAME).write_text(json.dumps(entries))
    disk = Disk(dead)
    catalogue = Catalogue(str(tmp_path), links=Links(realpath=disk))
    wait_in_vain(catalogue._links, dead)
    return tmp_path, catalogue, disk


def test_an_entry_whose_disk_does_not_answer_is_broken_and_the_others_count(
    desk: tuple[Path, Catalogue, Disk],
) -> None:
    folder, catalogue, disk = desk
    registry = catalogue.current()
    assert list(registry.corpora) == ["alive"]
    assert registry.broken["dead"] == (
        f"The tree of dead does not answer ({folder}/tree/dead); bring its disk or network back, or let go of it with "
        "`gazetteer corpus rm dead`."
    )
    with pytest.raises(InvalidArgumentError, match="does not answer"):
        registry.find("dead")
    assert registry.inside(str(folder / "tree")) == (f"{folder}/tree/dead",)  # it is no part of the tree around it
    disk.mended.set()


def test_an_entry_whose_disk_does_not_answer_is_let_go_of_and_not_changed(desk: tuple[Path, Catalogue, Disk]) -> None:
    folder, catalogue, disk = desk
    with pytest.raises(RefusedError, match="does not answer"):
        add(catalogue, "dead", str(folder / "tree"))
    removed = remove(catalogue, "dead", str(folder / "cache"))
    assert (removed.removed, len(removed.notices)) == (("its broken entry",), 1)
    assert "Its index, if it has one, stays" in removed.notices[0]
    assert list(json.loads((folder / FILE_NAME).read_bytes())) == ["alive"]
    disk.mended.set()


@pytest.mark.parametrize("key", ["shared", "declared", "inside"])
def test_a_corpus_that_comes_along_and_does_not_answer_is_missed(desk: tuple[Path, Catalogue, Disk], key: str) -> None:
    """No answer is complete without it, whether somebody named it or not."""
    folder, catalogue, disk = desk
    entries = json.loads((folder / FILE_NAME).read_bytes())
    if key != "inside":
        disk.hanging.add(str(folder / "dead"))
        wait_in_vain(catalogue._links, str(folder / "dead"))
        entries["dead"] = {"path": str(folder / "dead"), "shared": key == "shared"}
    if key == "declared":
        entries["alive"]["corpora"] = ["dead"]
    (folder / FILE_NAME).write_text(json.dumps(entries))
    roll = call_roll([str(folder / "tree")], Scope(), catalogue.current(), lambda _: ())
    assert [place.name for place in roll.places] == ["alive"]
    assert [absence.partition(":")[0] for absence in roll.absent] == ["dead was not asked"]
    disk.mended.set()


def test_the_index_of_a_tree_that_does_not_answer_goes_with_its_entry(desk: tuple[Path, Catalogue, Disk]) -> None:
    folder, catalogue, disk = desk
    (folder / "tree/dead").mkdir()
    (folder / "tree/dead/a.py").write_text("def alpha():\n    return 1\n")
    cache = folder / "cache"
    with Session(str(folder / "tree/dead"), Settings(db_path=str(cache))) as session:
        session.sync()
        index = Path(session.kb.folder)
    file = folder / FILE_NAME
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "heir": {"path": str(folder / "tree/dead")}}))
    kept = remove(catalogue, "heir", str(cache))
    assert (kept.removed, kept.notices) == (("its broken entry",), ("The index stays: dead is the same folder.",))
    removed = remove(catalogue, "dead", str(cache))
    assert removed.removed[:2] == ("its broken entry", f"the index of {folder}/tree/dead")
    assert removed.notices == ()
    assert [path.name for path in index.iterdir()] == ["publish.lock"]
    disk.mended.set()


def test_an_entry_counts_again_once_its_disk_answers(desk: tuple[Path, Catalogue, Disk]) -> None:
    folder, catalogue, disk = desk
    assert "dead" in catalogue.current().broken
    disk.mended.set()
    answered(catalogue._links, str(folder / "tree/dead"))
    file = folder / FILE_NAME
    file.write_bytes(file.read_bytes() + b"\n")  # else links are followed a second later
    assert list(catalogue.current().corpora) == ["alive", "dead"]


DEAD_DISK = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
fuse = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse
private = libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None)
if private or libc.mount(b"dead", os.fsencode(sys.argv[1]), b"fuse", 0, options):
    sys.exit(77)
sys.exit(subprocess.run(sys.argv[2:]).returncode)
"""
"""Mounts a file system that never answers, which only this process and its children see, and runs a command."""


@pytest.mark.soak
@pytest.mark.skipif(not os.access("/dev/fuse", os.W_OK) or os.geteuid() != 0, reason="needs to mount a file system")
def test_a_command_answers_beside_a_real_disk_that_does_not(tmp_path: Path) -> None:
    for name in ("dead", "alive", "config/gazetteer"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "alive/a.py").write_text("def alpha():\n    return 1\n")
    entries = {"gone": {"path": str(tmp_path / "dead/tree")}, "alive": {"path": str(tmp_path / "alive")}}
    (tmp_path / "config/gazetteer" / FILE_NAME).write_text(json.dumps(entries))
    asked = (sys.executable, "-m", "gazetteer", "ask", "alpha", "--all", "--json")
    found = subprocess.run(
        [sys.executable, "-c", DEAD_DISK, tmp_path / "dead", *asked],
        capture_output=True,
        cwd=tmp_path / "alive",
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    if found.returncode == 77:
        pytest.skip("nothing may be mounted here")
    answer = json.loads(found.stdout)
    assert [hit["path"] for hit in answer["hits"]] == ["a.py"]
    assert any("The tree of gone does not answer" in notice for notice in answer["receipt"]["notices"])
