"""What a tree has: what is listed, what is refused and counted, and what a sweep finds; paths lead nowhere else."""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from gazetteer.kb.errors import InvalidArgumentError, UnavailableError
from gazetteer.kb.model import DocumentPath, Signature
from gazetteer.kb.scan import Refusal, ScanRules, list_tree, sweep, would_index

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


def names(root: Path, rules: ScanRules = RULES) -> list[str]:
    scan = list_tree(str(root), rules)
    assert list(scan.files) == sorted(scan.files)
    for path in (
        os.path.relpath(os.path.join(folder, name), root) for folder, _, found in os.walk(root) for name in found
    ):
        assert bool(would_index(str(root), rules, DocumentPath(path))) == (path in scan.files), path
    return list(scan.files)


@contextmanager
def ordinary_user(root: Path) -> Iterator[None]:
    """Act as somebody whom permissions bind, who owns what is below ``root``."""
    if os.geteuid():
        yield
        return
    for folder, _, files in os.walk(root):
        for path in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(path, 65534, 65534, follow_symlinks=False)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that anybody can reach, unlike ``tmp_path``."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(os.path.realpath(name))
        os.chmod(name, 0o700)


# ---------------------------------------------------------------- what is listed


def test_every_file_has_its_signature_and_every_folder_too(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/x.py", "a/b/c/y.py")
    (tmp_path / "empty").mkdir()
    scan = list_tree(str(tmp_path), RULES, lambda: 7)
    assert list(scan.files) == ["a/b/c/y.py", "a/x.py", "b.py"]
    assert list(scan.directories) == ["", "a", "a/b", "a/b/c", "empty"]
    found = os.stat(tmp_path / "a/x.py")
    wanted = Signature(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, 7)
    assert scan.files[DocumentPath("a/x.py")] == wanted
    assert (scan.lister, scan.refused, scan.failed, scan.partial) == ("walk", {}, (), False)


@pytest.mark.parametrize("repository", [False, True])
def test_ignore_files_count_wherever_they_are(tmp_path: Path, repository: bool) -> None:
    """PE18, SE07: a nested rule hides what it names, be it a bundle or a secret."""
    tree(tmp_path, "a.py", "sub/out/bundle.js", "sub/s.json", "sub/b.py", "t.json")
    (tmp_path / "sub/.gitignore").write_text("out/\n*.json\n")
    if repository:
        git(tmp_path, "init", "-q")
    assert names(tmp_path) == ["a.py", "sub/.gitignore", "sub/b.py", "t.json"]
    assert list_tree(str(tmp_path), RULES).refused == {Refusal.IGNORED: 2}


def test_what_git_tracks_is_listed_although_ignored(tmp_path: Path) -> None:
    tree(
        tmp_path, "build/kept.py", "build/deep/kept.py", "build/made.py", "build/deep/er/made.py", gitignore="build/\n"
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "build/kept.py", "build/deep/kept.py")
    scan = list_tree(str(tmp_path), RULES)
    assert names(tmp_path) == [".gitignore", "build/deep/kept.py", "build/kept.py"]
    assert scan.lister == "git"
    assert "build/deep/er" not in scan.directories


def test_rules_of_the_repository_and_the_person_count_where_git_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    tree(home / "git", "ignore", "config")
    (home / "git/ignore").write_text("*.mine\n!both\n")
    (home / "git/config").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("HOME", str(home))
    tree(root, "a.py", "a.mine", "a.info", "both", "other")
    assert names(root) == ["a.info", "a.mine", "a.py", "both", "other"]
    git(root, "init", "-q")
    (root / ".git/info/exclude").write_text("*.info\nboth\n")
    assert names(root) == ["a.py", "other"]
    (home / "own").write_text("other\n")
    (home / "git/config").write_text("[core]\nexcludesFile = ~/own\n")
    assert names(root) == ["a.mine", "a.py"]


def test_a_folder_of_a_work_tree_obeys_the_rules_above_it(tmp_path: Path) -> None:
    tree(tmp_path, "lib/a.py", "lib/a.o", "lib/x/gen.py", "lib/x/b.py", "gen.py", gitignore="*.o\n/lib/x/gen.py\n")
    assert names(tmp_path / "lib") == ["a.o", "a.py", "x/b.py", "x/gen.py"]
    git(tmp_path, "init", "-q")
    assert names(tmp_path / "lib") == ["a.py", "x/b.py"]
    scan = list_tree(str(tmp_path / "lib"), RULES)
    assert str(tmp_path / ".gitignore") in scan.rule_files
    (tmp_path / ".gitignore").write_text("b.py\n")
    assert sweep(str(tmp_path / "lib"), RULES, scan).deleted == ("x/b.py",)


def test_a_folder_that_the_repository_around_it_ignores_is_a_tree_of_its_own(tmp_path: Path) -> None:
    tree(tmp_path, "all/mine/a.py", "all/mine/b.o", gitignore="/all/\n*.o\n")
    git(tmp_path, "init", "-q")
    assert names(tmp_path / "all/mine") == ["a.py", "b.o"]
    assert "ignores it" in list_tree(str(tmp_path / "all/mine"), RULES).notices[0]


def test_other_tools_ignore_files_have_no_effect(tmp_path: Path) -> None:
    """PE24: only documented ignore files count."""
    tree(tmp_path, "a.py", dockerignore="*\n", npmignore="*\n", eslintignore="*\n", ignore="*\n", rgignore="*\n")
    assert "a.py" in names(tmp_path)


@pytest.mark.parametrize("repository", [False, True])
def test_our_own_ignore_file_has_the_last_word(tmp_path: Path, repository: bool) -> None:
    """It takes back what git's rules hide, together with the folder; inside, these hold again."""
    tree(
        tmp_path,
        *("gen/api.py", "gen/api.o", "gen/sub/x.py", "out/keep.py", "src/a.py", "src/b.py", "src/n/gen/y.py"),
        gitignore="gen/\nout/\n*.o\n",
        gazetteerignore="!/gen/\n!out/keep.py\nsrc/b.py\n.gitignore\n",
    )
    if repository:
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "src/b.py")
    assert names(tmp_path) == [".gazetteerignore", "gen/api.py", "gen/sub/x.py", "src/a.py"]


@pytest.mark.parametrize("repository", [False, True])
def test_repositories_inside_are_left_out_and_counted(tmp_path: Path, repository: bool) -> None:
    """A submodule and a second work tree have a file ``.git``; a folder of that name which is none hides nothing."""
    for inner in ("dep", "mod", "x/deep"):
        tree(tmp_path / inner, "a.py", "b.o", gitignore="*.o\n")
        git(tmp_path / inner, "init", "-q")
    (tmp_path / "mod/.git").rename(tmp_path / "mod.git")
    (tmp_path / "mod/.git").write_text("gitdir: ../mod.git\n")
    tree(tmp_path, "a.py", "odd/.git/x", "odd/b.py", gitignore="mod.git\n")
    if repository:
        git(tmp_path, "init", "-q")
    assert names(tmp_path) == [".gitignore", "a.py", "odd/b.py"]
    scan = list_tree(str(tmp_path), RULES)
    assert scan.refused[Refusal.NESTED] == 3
    assert scan.examples[Refusal.NESTED] == ("dep", "mod", "x/deep")
    with_them = names(tmp_path, replace(RULES, exclude_nested_repos=False))
    assert {"dep/a.py", "mod/a.py", "x/deep/a.py"} <= set(with_them)
    assert not any(name.endswith(".o") for name in with_them)


def test_registered_trees_inside_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "other/b.py", "cache/kb.db", "others/c.py")
    rules = replace(RULES, excluded_roots=(str(tmp_path / "other"), str(tmp_path / "cache"), "/elsewhere"))
    assert names(tmp_path, rules) == ["a.py", "others/c.py"]
    assert list_tree(str(tmp_path), rules).refused == {Refusal.CORPUS: 2}


SECRETS = (
    *(".env", ".env.production", ".ENV", ".envrc", "server.pem", "a.KEY", "id_rsa", "id_ed25519.pub", "id_work"),
    *("id_rsa.bak", ".netrc", ".npmrc", "store.p12", "x.pfx", "x.jks", "x.kdbx", ".git-credentials", ".htpasswd"),
)


def test_files_named_like_secrets_are_never_listed(tmp_path: Path) -> None:
    """SE07; and what only sounds like one is."""
    fine = ("environment.py", "id_map.py", "identity", "key.py", "keys/a.py", "monkey", "pem.md", "id_.go")
    tree(tmp_path, *(f"s/{name}" for name in SECRETS), *fine)
    assert names(tmp_path, replace(RULES, include=("**",))) == sorted(fine)
    assert list_tree(str(tmp_path), RULES).refused == {Refusal.SECRET: len(SECRETS)}


def test_settings_choose_among_files(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "src/b.py", "src/gen/c.PY", "src/d.md", "docs/e.md", "old/src/f.py", ".knowledge/k.md")
    for rules, wanted in (
        (ScanRules(include=("src/**",)), ["src/b.py", "src/d.md", "src/gen/c.PY"]),
        (ScanRules(include=("/src", "docs/*.md")), ["docs/e.md", "src/b.py", "src/d.md", "src/gen/c.PY"]),
        (ScanRules(extensions=(".py",), exclude=("gen", "./a.py")), ["old/src/f.py", "src/b.py"]),
        (ScanRules(exclude=("./src", "*.md")), ["a.py", "old/src/f.py"]),
        (ScanRules(exclude=("src/",), extensions=(".md",)), [".knowledge/k.md", "docs/e.md"]),
        (ScanRules(exclude_dirs=("s*", ".*", "docs")), [".knowledge/k.md", "a.py"]),
        (ScanRules(max_file_bytes=1), []),
    ):
        assert names(tmp_path, rules) == wanted, rules
        assert sum(list_tree(str(tmp_path), rules).refused.values()) > 0
    with pytest.raises(InvalidArgumentError, match="exclude_dirs"):
        list_tree(str(tmp_path), ScanRules(exclude_dirs=("[",)))


def test_undecodable_and_odd_names_are_listed_as_they_are(tmp_path: Path) -> None:
    """PE08: the name's bytes survive, with git and without."""
    odd = [
        os.fsdecode(name)
        for name in (b"a\xf5.py", b"new\nline.py", b" lead", b"%41#?.py", b"\xf0\x9f\x98\x80.py", b'"q"')
    ]
    tree(tmp_path, *odd, *(f"d{name}/{name}" for name in odd))
    for _ in range(2):
        assert {*odd} < set(names(tmp_path))
        assert len(names(tmp_path)) == 2 * len(odd)
        git(tmp_path, "init", "-q")
    assert list_tree(str(tmp_path), RULES).lister == "git"


# ---------------------------------------------------------------- links and other creatures


@pytest.mark.parametrize("repository", [False, True])
def test_links_lead_nowhere_and_loops_end(tmp_path: Path, repository: bool) -> None:
    """PE14, SE02: links to itself, to each other, and out of the tree are counted and not followed."""
    root = tmp_path / "root"
    tree(tmp_path, "outside/secret.py")
    tree(root, "a/x.py", "b/y.py")
    for link, target in (("loop", "."), ("a/b", "../b"), ("b/a", "../a"), ("out", "../outside"), ("f.py", "a/x.py")):
        os.symlink(target, root / link)
    os.symlink("/etc/hostname", root / "h.py")
    if repository:
        git(root, "init", "-q")
    assert names(root) == ["a/x.py", "b/y.py"]
    assert list_tree(str(root), RULES).refused == {Refusal.LINK: 6}
    assert would_index(str(root), RULES, DocumentPath("out/secret.py")).reason is Refusal.LINK


def test_a_link_that_comes_while_the_tree_is_listed_leads_nowhere(tmp_path: Path) -> None:
    """SE02: a folder was seen as one, and is a link to the outside when its turn comes."""
    root = tree(tmp_path / "root", "a/x.py", "b.py")
    tree(tmp_path, "outside/secret.py")

    def swap() -> bool:
        if root.joinpath("b.py").exists() and looked:
            (root / "a").rename(tmp_path / "old")
            (root / "a").symlink_to("../outside")
            (root / "b.py").unlink()
        looked.append(True)
        return False

    looked: list[bool] = []
    assert list(list_tree(str(root), RULES, should_stop=swap).files) == ["b.py"]
    assert len(looked) == 2


def test_pipes_sockets_and_broken_links_are_skipped(tmp_path: Path) -> None:
    """PE15: nothing is opened that could hang, an ignore file that is a pipe or a folder included."""
    tree(tmp_path, "a.py", "d/b.py", "e/.gitignore/x.py")
    os.symlink("nowhere", tmp_path / "x.py")
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "d/.gitignore").symlink_to("rules")
    (tmp_path / "d/rules").write_text("b.py\n")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.py"))
    assert names(tmp_path) == ["a.py", "d/b.py", "d/rules", "e/.gitignore/x.py"]
    assert list_tree(str(tmp_path), RULES).refused == {Refusal.LINK: 2, Refusal.SPECIAL: 3}


@pytest.mark.parametrize("path", ["../x", "a/../x", "/etc/hostname", "", ".", "a//b", ".git/config", "x/.git/y", "no"])
def test_a_path_that_is_not_in_the_tree_is_not_listed(tmp_path: Path, path: str) -> None:
    git(tree(tmp_path / "r", "a/b", "x/y").parent, "init", "-q", "r")
    tree(tmp_path, "x")
    assert not would_index(str(tmp_path / "r"), RULES, DocumentPath(path))


@pytest.mark.parametrize("in_git", [False, True])
def test_a_file_that_is_not_there_yet_is_judged_by_the_rules_all_the_same(tmp_path: Path, in_git: bool) -> None:
    """SE07: what an editor holds and was never saved is let in only if the file would be."""
    root = tree(tmp_path / "r", "a.py", "src/b.py", "docs/c.md")
    if in_git:
        git(root, "init", "-q")
    (root / ".gitignore").write_text("*.json\nout/\n/docs/*\n")
    (root / "src/.gitignore").write_text("local.*\n!out\n")
    (root / ".gazetteerignore").write_text("!kept.json\n/hidden\n")
    names = ["new.py", "s.json", "kept.json", "out/x.py", "src/new.py", "src/local.py", "src/new/local.py", "docs/n.md"]
    names += ["hidden/deep/x.py", "fresh/deep/x.py", "fresh/x.json", "src/out/x.py", "docs/in/x.md", ".env", "a.py"]
    judged = {name: bool(would_index(str(root), RULES, DocumentPath(name), once_saved=True)) for name in names}
    assert not any(would_index(str(root), RULES, DocumentPath(name)) for name in names if name != "a.py")
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text\n")
    files = list_tree(str(root), RULES).files
    assert judged == {name: name in files for name in names}
    assert {True, False} == set(judged.values())


# ---------------------------------------------------------------- trees that cannot be read


def test_a_root_that_cannot_be_read_is_an_error_and_an_emptied_one_is_empty(open_path: Path) -> None:
    """ST21: opposite outcomes."""
    root = tree(open_path / "r", "a.py")
    with ordinary_user(open_path):
        before = list_tree(str(root), RULES, later)
        root.chmod(0)
        for ask in (lambda: list_tree(str(root), RULES), lambda: sweep(str(root), RULES, before)):
            with pytest.raises(UnavailableError, match=r"cannot be read \(Permission denied\); make it readable"):
                ask()
        root.chmod(0o700)
        (root / "a.py").unlink()
        assert sweep(str(root), RULES, before).deleted == ("a.py",)
    assert list_tree(str(root), RULES).files == {}


@pytest.mark.parametrize("root", ["gone", "a.py"])
def test_a_root_that_is_gone_or_a_file_is_an_error(tmp_path: Path, root: str) -> None:
    tree(tmp_path, "a.py")
    with pytest.raises(UnavailableError, match="is not there; bring it back"):
        list_tree(str(tmp_path / root), RULES)


@pytest.mark.parametrize("mode", [0, 0o400])
def test_files_in_a_folder_that_cannot_be_read_stay_known(open_path: Path, mode: int) -> None:
    """ST21: a folder without permission must not look like an empty one, whoever lists."""
    root = tree(open_path / "r", "a.py", "d/b.py", "d/e/c.py")
    with ordinary_user(open_path):
        scan = list_tree(str(root), RULES, later)
        (root / "d").chmod(mode)
        found = sweep(str(root), RULES, scan, later)
        assert (found.deleted, found.unreadable) == ((), ("d/b.py", "d/e/c.py"))
        assert found.scan.failed == ("d",)
        again = sweep(str(root), RULES, found.scan, later)
        assert (again.deleted, again.unreadable, again.full) == ((), ("d/b.py", "d/e/c.py"), False)
        (root / "d").chmod(0o700)
        (root / "d/b.py").unlink()
        back = sweep(str(root), RULES, again.scan, later)
        assert (back.deleted, back.unreadable, back.scan.failed) == (("d/b.py",), (), ())
