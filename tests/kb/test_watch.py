"""Hints about changed files: wanted, never needed, and cheap for everybody else on the machine."""

import os
import queue
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gazetteer.kb.model import DocumentPath
from gazetteer.kb.scan import ScanRules, list_tree
from gazetteer.kb.watch import Watcher

PATIENCE_S = 60
Changes = queue.SimpleQueue[frozenset[DocumentPath]]


@contextmanager
def watching(root: Path, *folders: str) -> Iterator[Changes]:
    changes: Changes = queue.SimpleQueue()
    watcher = Watcher(str(root), changes.put)
    watcher.watch(map(DocumentPath, folders))
    try:
        assert watcher.started.wait(PATIENCE_S), watcher.notice
        yield changes
    finally:
        watcher.close()


def wait_for(changes: Changes, path: str) -> None:
    while path not in changes.get(timeout=PATIENCE_S):
        pass


def watched_folders(root: Path) -> list[Path]:
    """Which folders below this one are watched by this process; other watches of it may be about to end."""
    watched: set[int] = set()
    for descriptor in os.listdir("/proc/self/fdinfo"):
        with suppress(OSError):  # closed meanwhile
            said = Path("/proc/self/fdinfo", descriptor).read_text()
            watched.update(
                int(number, 16) for number in re.findall(r"^inotify wd:\S+ ino:([0-9a-f]+)", said, re.MULTILINE)
            )
    return sorted(folder for folder in (root, *root.rglob("*")) if folder.is_dir() and folder.stat().st_ino in watched)


def test_a_change_in_a_watched_folder_is_told_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with watching(tmp_path, "", "a") as changes:
        (tmp_path / "a" / "x.py").write_text("1")
        wait_for(changes, "a/x.py")
        (tmp_path / "a" / "x.py").unlink()
        wait_for(changes, "a/x.py")


def test_ignored_folders_use_up_no_watches(tmp_path: Path) -> None:
    """SC09: 300 ignored folders cost nothing; what is listed is watched, and no more."""
    (tmp_path / ".gitignore").write_text("node_modules/\n")
    for number in range(300):
        (tmp_path / "node_modules" / str(number)).mkdir(parents=True)
    (tmp_path / "src").mkdir()
    with watching(tmp_path, *list_tree(str(tmp_path), ScanRules()).directories):
        assert watched_folders(tmp_path) == [tmp_path, tmp_path / "src"]


def test_other_folders_can_be_watched_instead(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    changes: Changes = queue.SimpleQueue()
    watcher = Watcher(str(tmp_path), changes.put)
    watcher.watch([DocumentPath("")])
    watcher.watch([DocumentPath(""), DocumentPath("a"), DocumentPath("gone")])
    assert watcher.started.wait(PATIENCE_S)
    (tmp_path / "a" / "x").write_text("1")
    wait_for(changes, "a/x")
    watcher.close()


def test_a_tree_with_too_many_folders_is_not_watched_and_says_so(tmp_path: Path) -> None:
    """SC09: at the limit, everything still works; a sweep finds the changes."""
    watcher = Watcher(str(tmp_path), lambda _: None, max_folders=100)
    watcher.watch(DocumentPath(str(number)) for number in range(101))
    assert "101 folders" in watcher.notice
    assert "when a question is asked" in watcher.notice
    watcher.close()


def test_when_the_system_refuses_watching_is_off_and_says_so(tmp_path: Path) -> None:
    """SC09: no descriptor is left for a watch: a notice, no error, and the process lives on."""
    script = (
        "import resource, sys\n"
        "import watchfiles\n"
        "from gazetteer.kb.watch import Watcher\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))\n"
        "watcher = Watcher(sys.argv[1], print)\n"
        "watcher.watch([''])\n"
        "watcher._thread.join()\n"
        "print(watcher.notice)\n"
        "watcher.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Files are not watched (")


def test_a_name_that_is_no_text_does_not_end_the_watch(tmp_path: Path) -> None:
    """PE08: the library cannot say such a name; something changed is told, and the next change is seen, too."""
    with watching(tmp_path, "") as changes:
        (tmp_path / os.fsdecode(b"a\xf5.py")).write_text("1")
        wait_for(changes, "")
        wait_for(changes, "")  # for what happened while the watch began again
        (tmp_path / os.fsdecode(b"b\xf5.py")).write_text("1")
        wait_for(changes, "")


def test_closing_twice_or_unstarted_is_fine(tmp_path: Path) -> None:
    watcher = Watcher(str(tmp_path), lambda _: None)
    watcher.close()
    watcher.watch([DocumentPath("")])
    watcher.close()
    watcher.close()
    assert watcher.notice == ""
