"""git is asked without a way for the tree to run anything; where it cannot be asked, our own walker says so."""

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gazetteer.kb import git
from gazetteer.kb.buffer import Buffer
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError, UnavailableError
from gazetteer.kb.freshness import Boundary, Sweeper
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules, list_tree, sweep, would_index

RULES = ScanRules()


def run(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a tracked, an untracked and an ignored file."""
    root = tmp_path / "root"
    root.mkdir()
    run(root, "init", "-q")
    for name, text in (("a.py", "x\n"), (".gitignore", "*.o\n"), ("b.o", "")):
        (root / name).write_text(text)
    run(root, "add", ".")
    run(root, "commit", "-qm", "1")
    (root / "new.py").write_text("y\n")
    return root


LISTED = [".gitignore", "a.py", "new.py"]
HOOKS = "post-index-change pre-commit post-checkout fsmonitor-watchman reference-transaction post-merge pre-auto-gc"


def plant(root: Path, marker: Path) -> None:
    """Have everything in the repository's settings that names a program leave ``marker``."""
    planted = program(root / "evil", f"open({str(marker)!r}, 'a').write('ran ')")
    for hook in HOOKS.split():
        program(root / "hooks" / hook, planted.read_text().partition("\n")[2])
        program(root / ".git/hooks" / hook, planted.read_text().partition("\n")[2])
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
        *("core.alternateRefsCommand", "diff.external", "pager.ls-files", "pager.config", "pager.rev-parse"),
        *("credential.helper", "filter.bad.clean", "filter.bad.smudge", "filter.bad.process", "diff.bad.textconv"),
        *("sequence.editor", "gpg.program", "remote.origin.uploadpack", "uploadpack.packObjectsHook"),
    ):
        run(root, "config", key, str(planted))
    for alias in ("ls-files", "config", "rev-parse"):
        run(root, "config", f"alias.{alias}", f"!{planted}")
    for key, value in (
        ("core.hooksPath", str(root / "hooks")),
        ("core.untrackedCache", "true"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{planted}"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ):
        run(root, "config", key, value)
    (root / ".gitattributes").write_text("* filter=bad diff=bad\n")


def test_nothing_that_the_tree_names_is_run(root: Path, tmp_path: Path) -> None:
    """A planted monitor, hooks, filters, aliases, pagers and helpers stay where they are; the same do run in git."""
    marker = tmp_path / "ran"
    plant(root, marker)
    marker.unlink(missing_ok=True)  # planting may have set them off
    scan = list_tree(str(root), RULES)
    assert scan.lister == "git"
    assert set(LISTED) < set(scan.files)
    (root / "a.py").write_text("changed\n")
    run_index = os.stat(root / ".git/index")
    os.utime(root / ".git/index", ns=(run_index.st_atime_ns, run_index.st_mtime_ns + 1))
    assert sweep(str(root), RULES, scan).changed == ("a.py",)
    assert would_index(str(root), RULES, DocumentPath("new.py"))
    assert not marker.exists()
    subprocess.run(["git", "-C", root, "status"], capture_output=True, check=False)
    assert "ran" in marker.read_text()


def test_a_missing_part_of_a_partial_clone_is_not_fetched(root: Path, tmp_path: Path) -> None:
    """With a sparse index git needs folders' objects to list them; it must not call a transport for these."""
    (root / "in").mkdir()
    (root / "out/deep").mkdir(parents=True)
    (root / "in/a.py").write_text("1")
    (root / "out/deep/b.py").write_text("2")
    run(root, "add", ".")
    run(root, "commit", "-qm", "2")
    run(root, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    tree = subprocess.run(["git", "-C", root, "rev-parse", "HEAD:out"], capture_output=True, text=True, check=True)
    name = tree.stdout.strip()
    marker = tmp_path / "ran"
    plant(root, marker)
    (root / ".git/objects" / name[:2] / name[2:]).unlink()
    marker.unlink(missing_ok=True)
    scan = list_tree(str(root), RULES)
    assert "in/a.py" in scan.files
    assert not marker.exists()


def test_our_own_git_variables_do_not_leak(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor started from a hook has ``GIT_DIR`` and others set; they are about another repository."""
    marker = tmp_path / "ran"
    planted = program(tmp_path / "evil", f"open({str(marker)!r}, 'a').write('ran ')")
    other = tmp_path / "other"
    other.mkdir()
    run(other, "init", "-q")
    for name, value in (
        ("GIT_DIR", str(other / ".git")),
        ("GIT_WORK_TREE", str(other)),
        ("GIT_INDEX_FILE", str(other / "index")),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", str(planted)),
        ("GIT_LITERAL_PATHSPECS", "0"),
        ("GIT_TRACE", str(tmp_path / "trace")),
        ("GIT_PAGER", str(planted)),
        ("GIT_EXTERNAL_DIFF", str(planted)),
    ):
        monkeypatch.setenv(name, value)
    scan = list_tree(str(root), RULES)
    assert (list(scan.files), scan.lister) == (LISTED, "git")
    assert not marker.exists()
    assert not (tmp_path / "trace").exists()


def test_a_git_that_lies_in_the_tree_is_not_taken_for_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = root.parent / "ran"
    program(root / "git", f"open({str(marker)!r}, 'a')")
    monkeypatch.chdir(root)
    for lead in (".", "", "bin/.."):
        monkeypatch.setenv("PATH", os.pathsep.join((lead, os.environ["PATH"])))
        assert list_tree(str(root), RULES).lister == "git"
    assert not marker.exists()


def test_nothing_is_written_into_the_repository(root: Path) -> None:
    def state() -> dict[str, tuple[int, int]]:
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(root / ".git") for name in names]
        return {path: (os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in paths}

    (root / "a.py").touch()  # an index that git would like to refresh
    before = state()
    list_tree(str(root), RULES)
    assert state() == before


# ---------------------------------------------------------------- where git cannot be asked


def check_fallback(root: Path, reason: str) -> None:
    """The same files are listed, and the notice says why by whom."""
    scan = list_tree(str(root), RULES)
    assert (list(scan.files), scan.lister) == (LISTED, "walk")
    assert len(scan.notices) == 1
    assert scan.notices[0].startswith("Files are listed by our own walker, because git ")
    assert reason in scan.notices[0]
    assert would_index(str(root), RULES, DocumentPath("new.py"))
    assert not would_index(str(root), RULES, DocumentPath("b.o"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to somebody else")
def test_a_repository_of_somebody_else_is_walked(root: Path) -> None:
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.chown(path, 65534, 65534)
    check_fallback(root, "dubious ownership")


def test_a_damaged_repository_is_walked(root: Path) -> None:
    (root / ".git/config").write_text("[core\n")
    check_fallback(root, "bad config")


def test_a_work_tree_whose_repository_is_gone_is_walked(root: Path) -> None:
    (root / ".git").rename(root.parent / "gone")
    (root / ".git").write_text("gitdir: ../nowhere\n")
    check_fallback(root, "not a git repository")


def test_a_repository_that_claims_another_work_tree_is_walked(root: Path) -> None:
    run(root, "config", "core.worktree", "/etc")
    check_fallback(root, "another folder")


def test_rules_around_and_of_the_person_count_without_git_as_well(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "git").mkdir()
    (tmp_path / "git/ignore").write_text("*.mine\n")
    (root / ".git/info/exclude").write_text("/in/b.info\n")
    (root / ".gitignore").write_text("/in/*.o\n")
    (root / "in").mkdir()
    for name in ("a.mine", "b.info", "c.o", "d.py"):
        (root / "in" / name).touch()
    (root / ".git/HEAD").unlink()
    scan = list_tree(str(root / "in"), RULES, lambda: time.time_ns() + 60_000_000_000)
    assert (list(scan.files), scan.lister) == (["d.py"], "walk")
    run(root, "init", "-q")
    again = sweep(str(root / "in"), RULES, scan).scan
    assert (list(again.files), again.lister) == (["d.py"], "git")


def test_without_git_the_repository_is_walked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root.parent))
    check_fallback(root, "not installed")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "too much"),
        ("import sys\nwhile True: sys.stderr.write('x' * 65536)", "too much"),
        ("import sys\nsys.exit('fatal: something new')", "refuses (something new)"),
        ("print('no lines')", "another folder"),
    ],
)
def test_a_git_that_misbehaves_is_given_up(
    root: Path, tmp_path: Path, text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin/git", text)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(git, "MAX_OUTPUT", 1 << 20)
    check_fallback(root, reason)


def test_a_git_that_cannot_be_started_is_given_up(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin/git"
    broken.parent.mkdir()
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(broken.parent))
    check_fallback(root, "cannot be started")


# ---------------------------------------------------------------- a git that hangs


class Hanging:
    """A git that answers, but for one command, at which it says that it hangs."""

    def __init__(self, folder: Path, command: str) -> None:
        self.command = command
        self._mended, self._pipe = folder / "mended", folder / "hangs"
        os.mkfifo(self._pipe)
        real = shutil.which("git")
        program(
            folder / "bin/git",
            f"import os, sys, time\n"
            f"if {command!r} in sys.argv and not os.path.exists({str(self._mended)!r}):\n"
            f"    with open({str(self._pipe)!r}, 'w') as pipe: pipe.write(str(os.getpid()))\n"
            f"    time.sleep(600)\n"
            f"os.execv({real!r}, sys.argv)",
        )
        self._begun = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)

    def begins(self) -> bool:
        """Whether it hangs by now."""
        try:
            self.process = int(os.read(self._begun, 100) or 0)
        except BlockingIOError:
            return False
        return self.process > 0

    def is_there(self) -> bool:
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        return True

    def mend(self) -> None:
        self._mended.touch()


@pytest.fixture(params=["rev-parse", "config", "ls-files"])
def hanging(request: pytest.FixtureRequest, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hanging:
    found = Hanging(tmp_path, request.param)
    monkeypatch.setattr(git, "LEAVE_S", 60.0)  # its end is looked for here
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return found


def test_a_git_that_hangs_is_ended_with_whoever_waits_for_it(root: Path, hanging: Hanging) -> None:
    with pytest.raises(CancelledError):
        list_tree(str(root), RULES, should_stop=hanging.begins)
    assert not hanging.is_there()
    with pytest.raises(CancelledError):
        would_index(str(root), RULES, DocumentPath("new.py"), should_stop=hanging.begins)
    assert not hanging.is_there()


def test_a_refresh_of_named_documents_is_stopped_while_git_hangs(root: Path, hanging: Hanging, tmp_path: Path) -> None:
    hanging.mend()
    kb = KnowledgeBase(Root(str(root)), str(tmp_path / "cache"), RULES, processes=1)
    try:
        kb.refresh()
        hanging._mended.unlink()
        (root / "unknown.py").write_text("z\n")
        kb.mark_dirty(DocumentPath("unknown.py"))
        with pytest.raises(CancelledError):
            kb.flush(should_stop=hanging.begins)
        assert str(root) not in git._silent  # nobody waited for an answer to be overdue
        assert kb.journal.unsettled
    finally:
        kb.close()


def test_a_question_about_an_open_document_is_cancelled_while_git_hangs(
    root: Path, hanging: Hanging, tmp_path: Path
) -> None:
    kb = KnowledgeBase(Root(str(root)), str(tmp_path / "cache"), RULES, processes=1)
    kb.buffers.put(DocumentPath("new.py"), Buffer.of("text", 1))
    sweeper = Sweeper(kb)

    class Impatient(Cancel):
        def is_set(self) -> bool:
            if hanging.begins():
                self.set()
            return super().is_set()

    try:
        with pytest.raises(CancelledError):
            Boundary(kb, sweeper, cancel=Impatient()).enter()
        assert not hanging.is_there()
    finally:
        sweeper.close()
        kb.close()


SAID = "Files are listed by our own walker, because git gave no answer in time."


def test_a_git_that_gave_no_answer_is_left_alone_for_a_while_and_then_asked_again(
    root: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = "TIMEOUT_S" if hanging.command == "ls-files" else "SHORT_S"
    monkeypatch.setattr(git, bound, 0.3)
    scan = list_tree(str(root), RULES)
    assert (list(scan.files), scan.lister, scan.notices, scan.unsure) == (LISTED, "walk", (SAID,), True)
    monkeypatch.setattr(git, bound, 600.0)
    with pytest.raises(
        UnavailableError, match="cannot be said now, because git gave no answer in time; ask again in a while, or see"
    ):
        would_index(str(root), RULES, DocumentPath("new.py"))
    scan = sweep(str(root), RULES, scan).scan
    assert (scan.lister, scan.notices) == ("walk", (SAID,))
    hanging.mend()
    monkeypatch.setattr(git, "SILENT_S", 0.0)
    again = sweep(str(root), RULES, scan).scan
    assert (again.lister, again.notices, again.unsure) == ("git", (), False)


def paths(kb: KnowledgeBase) -> list[str]:
    return [document.path for document in kb.snapshot().documents()]


PASSING = {
    "hangs": "import time\ntime.sleep(600)",
    "is killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "has no memory": "import sys\nsys.exit('fatal: Out of memory, malloc failed')",
    "has no threads": "import sys\nsys.exit('fatal: unable to create thread: Resource temporarily unavailable')",
}


@pytest.mark.parametrize("text", PASSING.values(), ids=PASSING.keys())
def test_what_git_has_listed_is_listed_by_nobody_else_while_git_gives_no_answer(
    root: Path, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our walker does not know which files are tracked, and not all that is ignored: the last list answers."""
    (root / "secret.txt").write_text("nobody is to read this\n")
    (root / "tracked.o").write_text("made\n")
    (tmp_path / "ignored").write_text("secret.txt\n")
    run(root, "config", "core.excludesFile", str(tmp_path / "ignored"))
    run(root, "add", "-f", "tracked.o")
    kb = KnowledgeBase(Root(str(root)), str(tmp_path / "cache"), RULES, processes=1)
    try:
        kb.refresh()
        known = paths(kb)
        assert "tracked.o" in known
        assert "secret.txt" not in known
        with monkeypatch.context() as patch:
            program(tmp_path / "bin/git", text)
            patch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
            patch.setattr(git, "SHORT_S", 0.5 if "sleep" in text else 600.0)
            (root / "later.py").write_text("z\n")
            for _ in range(2):
                with pytest.raises(UnavailableError, match=r"cannot be said now, because git .*; ask again"):
                    kb.refresh()
            kb.mark_dirty(DocumentPath("secret.txt"))
            with pytest.raises(UnavailableError):
                kb.flush()
            assert paths(kb) == known
        monkeypatch.setattr(git, "SILENT_S", 0.0)
        kb.refresh()
        assert paths(kb) == sorted([*known, "later.py"])
    finally:
        kb.close()


def test_a_first_index_without_an_answer_of_git_is_said_to_be_partial(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = KnowledgeBase(Root(str(root)), str(tmp_path / "cache"), RULES, processes=1)
    try:
        with monkeypatch.context() as patch:
            program(tmp_path / "bin/git", PASSING["is killed"])
            patch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
            head = kb.refresh().head
            assert "git gave no answer" in kb.store.published(head.generation)[1].partial
        head = kb.refresh().head
        assert kb.store.published(head.generation)[1].partial == ""
    finally:
        kb.close()


def test_a_refusal_of_which_nobody_knows_whether_it_lasts_is_asked_about_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin/git", "import sys\nsys.exit('fatal: something new')")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "bin"))
        scan = list_tree(str(root), RULES, later)
    assert (scan.lister, scan.unsure) == ("walk", False)
    assert sweep(str(root), RULES, scan, later).scan.lister == "git"


def later() -> int:
    """So long after every change that each signature is to be trusted."""
    return time.time_ns() + 60_000_000_000


def test_a_git_that_does_not_end_when_it_is_killed_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that hangs in the kernel, on a disk that is gone."""
    monkeypatch.setattr(git, "LEAVE_S", 0.0)
    monkeypatch.setattr(subprocess.Popen, "kill", lambda _: None)
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    git._part_from(process)
    git._reap()
    assert git._left == [process]
    assert process.stdin is not None
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    git._reap()
    assert git._left == []
    assert process.returncode == 0


# ---------------------------------------------------------------- what git is asked


def test_the_work_tree_is_the_nearest_folder_with_a_repository(root: Path) -> None:
    (root / "x/y").mkdir(parents=True)
    assert git.find_top(str(root / "x/y")) == git.find_top(str(root)) == str(root)
    assert git.find_top("/") is None


def test_paths_that_look_like_patterns_are_taken_literally(root: Path) -> None:
    for name in ("[a].py", "-o", ":(top)x", "*.py"):
        (root / name).write_text("")
        assert git.list_files(str(root), (name,)) == {name}


def test_a_folder_that_is_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="not a git repository"):
        git.list_files(str(tmp_path))
