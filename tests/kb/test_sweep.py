"""The quick look finds every change and nothing else; what cannot be read is not taken for gone."""

import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gazetteer.kb.errors import CancelledError
from gazetteer.kb.scan import Refusal, Scan, ScanRules, Sweep, compare, list_tree, sweep

RULES = ScanRules()


MINUTE = 60_000_000_000


def later() -> int:
    """A clock that is far from all changes, so that every signature is trusted."""
    return time.time_ns() + MINUTE


def tree(root: Path, *files: str, **contents: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("x\n")
    for name, text in contents.items():
        (root / f".{name}").write_text(text)
    return root


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    return tree(tmp_path / "r", "a.py", "b.py", "d/c.py", "d/e/f.py", gitignore="*.o\n")


def said(found: Sweep) -> dict[str, tuple[str, ...]]:
    lists = {"changed": found.changed, "created": found.created, "deleted": found.deleted, "suspect": found.suspect}
    return {name: paths for name, paths in lists.items() if paths}


def put_back_mtime(path: Path, text: str) -> None:
    before = os.stat(path)
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def through(path: Path, text: str) -> None:
    (path.parent / "tmp").write_text(text)
    (path.parent / "tmp").replace(path)


def by_link(path: Path, target: str) -> None:
    path.rename(path.parent.parent / "old")
    path.symlink_to(target)


def by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def by_folder(path: Path) -> None:
    path.unlink()
    tree(path, "x")


def by_like_folder(path: Path) -> None:
    shutil.copytree(path, path.with_name("t"))
    path.rename(path.parent.parent / "old")
    path.with_name("t").rename(path)


def emptied(path: Path) -> None:
    shutil.rmtree(path)
    path.mkdir()


CHANGES: dict[str, tuple[Callable[[Path], Any], dict[str, tuple[str, ...]]]] = {
    "nothing": (lambda r: None, {}),
    "an edit": (lambda r: (r / "a.py").write_text("longer\n"), {"changed": ("a.py",)}),
    "ST15: same size, time put back": (lambda r: put_back_mtime(r / "a.py", "y\n"), {"changed": ("a.py",)}),
    "an edit through a second file": (lambda r: through(r / "d/c.py", "y\n"), {"changed": ("d/c.py",)}),
    "a new file": (lambda r: (r / "d/e/new.py").touch(), {"created": ("d/e/new.py",)}),
    "a new ignored file": (lambda r: (r / "d/e/new.o").touch(), {}),
    "a file deeper": (lambda r: tree(r, "n/m/o.py"), {"created": ("n/m/o.py",)}),
    "a deletion": (lambda r: (r / "d/c.py").unlink(), {"deleted": ("d/c.py",)}),
    "a rename": (lambda r: (r / "a.py").rename(r / "z.py"), {"created": ("z.py",), "deleted": ("a.py",)}),
    "PE16: only the case": (lambda r: (r / "a.py").rename(r / "A.py"), {"created": ("A.py",), "deleted": ("a.py",)}),
    "names swapped": (
        lambda r: [(r / x).rename(r / y) for x, y in (("a.py", "t"), ("b.py", "a.py"), ("t", "b.py"))],
        {"changed": ("a.py", "b.py")},
    ),
    "a folder moved": (
        lambda r: (r / "d").rename(r / "g"),
        {"created": ("g/c.py", "g/e/f.py"), "deleted": ("d/c.py", "d/e/f.py")},
    ),
    "a folder replaced by a like one": (
        lambda r: by_like_folder(r / "d"),
        {"changed": ("d/c.py", "d/e/f.py")},
    ),
    "SE02: a link in its place": (lambda r: by_link(r / "a.py", "/etc/hostname"), {"deleted": ("a.py",)}),
    "SE02: a link in its folder's place": (
        lambda r: by_link(r / "d", "../old"),
        {"deleted": ("d/c.py", "d/e/f.py")},
    ),
    "a folder in its place": (
        lambda r: by_folder(r / "a.py"),
        {"created": ("a.py/x",), "deleted": ("a.py",)},
    ),
    "a pipe in its place": (lambda r: by_pipe(r / "a.py"), {"deleted": ("a.py",)}),
    "a rule more": (
        lambda r: (r / ".gitignore").write_text("b.py\n"),
        {"changed": (".gitignore",), "deleted": ("b.py",)},
    ),
    "a rules file more": (
        lambda r: (r / "d/.gitignore").write_text("c.py\n"),
        {"created": ("d/.gitignore",), "deleted": ("d/c.py",)},
    ),
    "our rules": (
        lambda r: (r / ".gazetteerignore").write_text("d\n"),
        {"created": (".gazetteerignore",), "deleted": ("d/c.py", "d/e/f.py")},
    ),
    "a repository in it": (lambda r: git(r / "d", "init", "-q"), {"deleted": ("d/c.py", "d/e/f.py")}),
    "too large now": (lambda r: (r / "a.py").write_text("x" * 3_000_000), {"deleted": ("a.py",)}),
    "emptied": (
        emptied,
        {"deleted": (".gitignore", "a.py", "b.py", "d/c.py", "d/e/f.py")},
    ),
}


@pytest.mark.parametrize("repository", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_sweep_finds(swept: Path, change: str, repository: bool) -> None:
    if repository:
        git(swept.parent, "init", "-q")
    scan = list_tree(str(swept), RULES, later)
    act, wanted = CHANGES[change]
    act(swept)
    found = sweep(str(swept), RULES, scan, later)
    assert said(found) == wanted
    fresh = list_tree(str(swept), RULES)
    assert list(found.scan.files) == list(fresh.files)
    assert found.scan.directories.keys() == fresh.directories.keys()
    settled = sweep(str(swept), RULES, found.scan, later)
    assert said(settled) == {}
    assert settled.scan is found.scan


def test_a_file_that_shrinks_comes_in(swept: Path) -> None:
    (swept / "big.py").write_text("x" * 3_000_000)
    scan = list_tree(str(swept), RULES, later)
    assert scan.refused == {Refusal.SIZE: 1}
    (swept / "big.py").write_text("x")
    assert said(sweep(str(swept), RULES, scan, later)) == {"created": ("big.py",)}


def test_a_file_in_the_place_of_something_refused_comes_in(swept: Path) -> None:
    """The folder holds the same names, and its entry is of another kind now."""
    (swept / "d/link.py").symlink_to("c.py")
    scan = list_tree(str(swept), RULES, later)
    (swept / "d/link.py").unlink()
    (swept / "d/link.py").write_text("x")
    assert said(sweep(str(swept), RULES, scan, later)) == {"created": ("d/link.py",)}


def test_a_repository_that_is_made_step_by_step_is_left_out_in_the_end(swept: Path) -> None:
    """Its ``.git`` was there and none; nothing that is listed changes when it becomes one."""
    (swept / "d/.git").mkdir()
    scan = list_tree(str(swept), RULES, later)
    git(swept / "d", "init", "-q")
    assert said(sweep(str(swept), RULES, scan, later)) == {"deleted": ("d/c.py", "d/e/f.py")}


def test_what_git_tracks_and_its_settings_are_looked_at(swept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tree(swept.parent / "home", "ignore")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    tree(swept, "x.o")
    git(swept, "init", "-q")
    scan = list_tree(str(swept), RULES, later)
    for act, wanted in (
        (lambda: git(swept, "add", "-f", "x.o"), {"created": ("x.o",)}),
        (lambda: git(swept, "rm", "-q", "--cached", "x.o"), {"deleted": ("x.o",)}),
        (lambda: (swept / ".git/info/exclude").write_text("a.py\n"), {"deleted": ("a.py",)}),
        (lambda: git(swept, "config", "core.excludesFile", str(home / "ignore")), {}),
        (lambda: (home / "ignore").write_text("b.py\n"), {"deleted": ("b.py",)}),
        (lambda: (home / "ignore").unlink(), {"created": ("b.py",)}),
        (lambda: shutil.rmtree(swept / ".git"), {"created": ("a.py",)}),
        (lambda: git(swept.parent, "init", "-q"), {}),
        (lambda: (swept.parent / ".gitignore").write_text("/r/d/\n"), {"deleted": ("d/c.py", "d/e/f.py")}),
    ):
        act()
        found = sweep(str(swept), RULES, scan, later)
        assert said(found) == wanted
        scan = found.scan


def test_a_branch_switch_is_seen_as_a_whole(swept: Path) -> None:
    """ST13: one new, one changed, one removed, there and back, twenty times."""
    git(swept, "init", "-q")
    git(swept, "add", "-A")
    git(swept, "commit", "-qm", "1")
    git(swept, "checkout", "-qb", "other")
    tree(swept, "new.py")
    (swept / "a.py").write_text("other\n")
    (swept / "b.py").unlink()
    git(swept, "add", "-A")
    git(swept, "commit", "-qm", "2")
    scan = list_tree(str(swept), RULES, later)
    for turn in range(20):
        git(swept, "checkout", "-q", "main" if turn % 2 == 0 else "other")
        found = sweep(str(swept), RULES, scan, later)
        gone, come = (("new.py",), ("b.py",)) if turn % 2 == 0 else (("b.py",), ("new.py",))
        assert said(found) == {"changed": ("a.py",), "created": come, "deleted": gone}
        scan = found.scan


def test_a_hundred_edits_of_the_same_size_with_the_time_put_back_are_all_seen(swept: Path) -> None:
    """ST15."""
    scan = list_tree(str(swept), RULES, later)
    for number in range(100):
        put_back_mtime(swept / "a.py", f"{number % 10}\n")
        found = sweep(str(swept), RULES, scan, later)
        assert said(found) == {"changed": ("a.py",)}
        scan = found.scan


def test_a_signature_taken_too_soon_makes_its_file_suspect(swept: Path) -> None:
    """ST15: where a clock ticks coarsely a change can leave the very same signature behind; the file is hashed then."""
    (swept / ".gitignore").unlink()  # rules in doubt have the tree listed again
    for age_s, wanted in ((0, True), (1.9, True), (2.1, False), (-3600, True)):
        taken = int(max(os.stat(swept / "a.py").st_mtime_ns, os.stat(swept / "a.py").st_ctime_ns) + age_s * 1e9)
        scan = list_tree(str(swept), RULES, lambda taken=taken: taken)  # type: ignore[misc]
        assert ("a.py" in scan.suspect) is wanted
        found = sweep(str(swept), RULES, scan, later)
        assert (("a.py" in found.suspect), found.full) == (wanted, False)
        assert (found.changed, found.created, found.deleted) == ((), (), ())
        assert sweep(str(swept), RULES, found.scan, later).suspect == ()
        assert ("a.py" in compare(scan.files, list_tree(str(swept), RULES)).suspect) is wanted


def test_a_folder_whose_change_left_the_same_signature_is_looked_into(swept: Path) -> None:
    """ST15: a file that came within one tick of the listing is found by the folder's entries, not by its time."""
    scan = list_tree(str(swept), RULES)
    tree(swept, "d/new.py")
    now = list_tree(str(swept), RULES)
    known = {
        path: msgspec.structs.replace(now.directories[path], taken_ns=s.taken_ns)
        for path, s in scan.directories.items()
    }
    assert sweep(str(swept), RULES, replace(scan, directories=known)).created == ("d/new.py",)


def test_saving_through_a_second_file_and_asking_git_lists_nothing_again(swept: Path) -> None:
    """Folder and index changed, but list the same: the quick look is enough."""
    git(swept, "init", "-q")
    git(swept, "add", "-A")
    scan = list_tree(str(swept), RULES, later)
    through(swept / "d/c.py", "y\n")
    git(swept, "add", "d/c.py")
    found = sweep(str(swept), RULES, scan, later)
    assert (said(found), found.full) == ({"changed": ("d/c.py",)}, False)
    assert sweep(str(swept), RULES, found.scan, later).scan is found.scan


def test_a_disk_that_does_not_answer_stops_the_sweep_of_no_other_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sweeps take turns at asking the system, and none of them waits for one that gets no answer."""
    scans = {}
    for name in ("stuck", "sound"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1\n")
        scans[name] = list_tree(str(tmp_path / name), ScanRules())
    lstat, entered, answers = os.lstat, threading.Event(), threading.Event()

    def slow(path: Any, **more: Any) -> os.stat_result:
        if os.fspath(path) == str(tmp_path / "stuck" / "a.py"):
            entered.set()
            answers.wait(60)
        return lstat(path, **more)

    monkeypatch.setattr(os, "lstat", slow)
    with ThreadPoolExecutor(2) as pool:
        try:
            stuck = pool.submit(sweep, str(tmp_path / "stuck"), ScanRules(), scans["stuck"])
            assert entered.wait(60)
            (tmp_path / "sound" / "a.py").write_text("x = 'longer'\n")
            assert pool.submit(sweep, str(tmp_path / "sound"), ScanRules(), scans["sound"]).result(20).changed == (
                "a.py",
            )
            assert not stuck.done()
        finally:
            answers.set()
    assert stuck.result().complete


def test_a_sweep_can_be_stopped_and_tells_how_far_it_is(tmp_path: Path) -> None:
    root = tree(tmp_path, *(f"{n // 500}/{n}" for n in range(4_500)))
    scan = list_tree(str(root), RULES, later)
    seen: list[tuple[int, int]] = []
    found = sweep(str(root), RULES, scan, later, progress=lambda *now: seen.append(now))
    assert (seen, found.complete, found.checked) == ([(0, 4500), (2000, 4500), (4000, 4500)], True, 4500)
    answers = iter((False, True))
    found = sweep(str(root), RULES, scan, later, should_stop=lambda: next(answers))
    assert (found.complete, found.checked, found.deleted) == (False, 2000, ())
    tree(root, "new")
    found = sweep(str(root), RULES, scan, later, should_stop=lambda: True)
    assert (found.complete, found.scan) == (False, scan)
    with pytest.raises(CancelledError):
        list_tree(str(root), RULES, should_stop=lambda: True)


# ---------------------------------------------------------------- any changes


PLACES = [f"{folder}{name}" for folder in ("", "d/", "d/e/", "g/") for name in ("a", "b.o", "c.py")]


def act(dice: random.Random, root: Path, model: dict[str, int], clock: int) -> None:
    """Do one random thing to the tree; ``model`` says which files it has and when each was last written."""
    place = dice.choice(PLACES)
    path = root / place
    match dice.randrange(6):
        case 0 | 1:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(dice.random()))
            model[place] = clock
        case 2 if place in model:
            path.unlink()
            del model[place]
        case 3 if place in model:
            put_back_mtime(path, path.read_text()[::-1])
            model[place] = clock
        case 4 if place in model and path.parent.exists():
            through(path, "new")
            model[place] = clock
        case 5:
            folder = dice.choice(["d", "d/e", "g"])
            shutil.rmtree(root / folder, ignore_errors=True)
            for other in [other for other in model if other.startswith(f"{folder}/")]:
                del model[other]


@pytest.mark.parametrize("repository", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_any_changes_are_found_and_nothing_else(tmp_path: Path, seed: int, repository: bool) -> None:
    """The oracle is a model of which files were written, moved or removed since the last sweep."""
    dice = random.Random(seed)
    root = tree(tmp_path / "r", gitignore="*.o\n")
    if repository:
        git(root, "init", "-q")
    model: dict[str, int] = {".gitignore": 0}
    scan: Scan = list_tree(str(root), RULES)
    for turn in range(1, 40):
        before = set(model)
        for _ in range(dice.randint(0, 3)):
            act(dice, root, model, turn)
        found = sweep(str(root), RULES, scan)
        scan = found.scan
        wanted = sorted(path for path in model if not path.endswith(".o"))
        assert list(scan.files) == wanted
        assert set(found.created) == {path for path in wanted if path not in before}
        assert set(found.deleted) == {path for path in before if path not in model and not path.endswith(".o")}
        assert {path for path in wanted if path in before and model[path] == turn} == set(found.changed)
