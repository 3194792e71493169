"""What comes and goes while a tree is listed is found by the next look, even where its folder holds the same names."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gazetteer.kb import walk
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.scan import Refusal, Scan, ScanRules, list_tree, sweep
from gazetteer.kb.walk import Found, Frame, Ground

RULES = ScanRules()
MINUTE = 60_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root/lib").mkdir(parents=True)
    for name in ("a.py", "lib/b.py", "lib/c.py"):
        (tmp_path / "root" / name).write_text("x\n")
    return tmp_path / "root"


def files_after(root: Path, scan: Scan) -> list[str]:
    return list(sweep(str(root), RULES, scan).scan.files)


def listed_while(root: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> Scan:
    """List the tree, and do something when ``lib`` has been read and ``lib/b.py`` is about to be asked for."""
    refuse = walk.refuse

    def interrupted(ground: Ground, frame: Frame, path: str, name: str) -> Refusal | None:
        if path == "lib/b.py":
            act()
        return refuse(ground, frame, path, name)

    with monkeypatch.context() as changed:
        changed.setattr(walk, "refuse", interrupted)
        return list_tree(str(root), RULES)


def test_a_file_that_went_while_its_folder_was_listed_is_found_when_it_comes_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = listed_while(root, monkeypatch, (root / "lib/b.py").unlink)
    assert list(scan.files) == ["a.py", "lib/c.py"]
    (root / "lib/b.py").write_text("x\n")
    assert files_after(root, scan) == ["a.py", "lib/b.py", "lib/c.py"]


def test_a_file_that_was_a_link_for_a_moment_is_found_when_it_is_one_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap() -> None:
        (root / "lib/b.py").unlink()
        (root / "lib/b.py").symlink_to("c.py")

    scan = listed_while(root, monkeypatch, swap)
    assert list(scan.files) == ["a.py", "lib/c.py"]
    (root / "lib/b.py").unlink()
    (root / "lib/b.py").write_text("x\n")
    assert files_after(root, scan) == ["a.py", "lib/b.py", "lib/c.py"]


def test_a_folder_that_was_away_when_its_turn_came_is_found_when_it_is_back(root: Path, tmp_path: Path) -> None:
    looked: list[bool] = []

    def move() -> bool:
        if looked:  # the root has been read
            (root / "lib").rename(tmp_path / "away")
        looked.append(True)
        return False

    scan = list_tree(str(root), RULES, should_stop=move)
    assert list(scan.files) == ["a.py"]
    (tmp_path / "away").rename(root / "lib")
    assert files_after(root, scan) == ["a.py", "lib/b.py", "lib/c.py"]


@pytest.mark.parametrize("name", ["new.py", "lib/new.py", "deep/new.py"])
def test_a_file_that_came_after_git_had_listed_is_found_by_the_next_look(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    subprocess.run(["git", "-C", root, "init", "-q"], check=True)
    soon = time.time_ns() + MINUTE  # when all that is there by now is old
    through = walk.walk

    def late(ground: Ground, should_stop: Callable[[], bool] | None) -> Found:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x\n")
        for folder in (root, (root / name).parent):
            os.utime(folder, ns=(soon, soon))
        return through(ground, should_stop)

    with monkeypatch.context() as changed:
        changed.setattr("gazetteer.kb.listing.walk", late)
        scan = list_tree(str(root), RULES, lambda: soon)
    assert (list(scan.files), scan.lister) == (["a.py", "lib/b.py", "lib/c.py"], "git")
    assert files_after(root, scan) == sorted(["a.py", "lib/b.py", "lib/c.py", name])


def test_what_git_leaves_out_makes_no_folder_be_listed_again(root: Path) -> None:
    """A save that replaces a file beside what is built is not a listing of the whole tree."""
    subprocess.run(["git", "-C", root, "init", "-q"], check=True)
    (root / ".gitignore").write_text("*.o\n")
    (root / "lib/b.o").write_text("x\n")
    soon = time.time_ns() + MINUTE  # when all but this folder is old
    os.utime(root / "lib", ns=(soon, soon))
    scan = list_tree(str(root), RULES, lambda: soon)
    assert (scan.lister, scan.directories[DocumentPath("lib")].trusted()) == ("git", False)
    (root / "beside").write_text("y\n")
    os.replace(root / "beside", root / "lib/b.py")
    found = sweep(str(root), RULES, scan, lambda: soon + MINUTE)
    assert (found.full, found.changed) == (False, ("lib/b.py",))


@pytest.mark.parametrize("by", ["folder", "file"])
def test_what_was_a_repository_of_its_own_is_found_when_it_is_none(root: Path, tmp_path: Path, by: str) -> None:
    """Neither its folder nor any that is listed changes with that."""
    subprocess.run(["git", "-C", root / "lib", "init", "-q"], check=True)
    if by == "file":
        (root / "lib/.git").rename(tmp_path / "repository")
        (root / "lib/.git").write_text("gitdir: ../../repository\n")
    old = time.time_ns() + MINUTE
    scan = list_tree(str(root), RULES, lambda: old)
    assert (list(scan.files), scan.refused) == (["a.py"], {Refusal.NESTED: 1})
    assert not sweep(str(root), RULES, scan, lambda: old).full
    if by == "file":
        (root / "lib/.git").write_text("none\n")
    else:
        (root / "lib/.git/HEAD").unlink()
    assert files_after(root, scan)[-2:] == ["lib/b.py", "lib/c.py"]


@pytest.mark.parametrize("leads_to", ["rules", "nowhere"])
def test_an_ignore_file_that_is_not_read_makes_no_look_a_listing(root: Path, leads_to: str) -> None:
    """As in git a link is none; it is looked at all the same, for it may become one."""
    (root / "rules").write_text("*.py\n")
    (root / "lib/.gitignore").symlink_to(f"../{leads_to}")
    old = time.time_ns() + MINUTE
    scan = list_tree(str(root), RULES, lambda: old)
    assert list(scan.files) == ["a.py", "lib/b.py", "lib/c.py", "rules"]
    assert not sweep(str(root), RULES, scan, lambda: old).full
    (root / "lib/.gitignore").unlink()
    (root / "lib/.gitignore").write_text("b.py\n")
    assert "lib/b.py" not in files_after(root, scan)
