"""Whatever is wrong gives one clear sentence and the documented exit status, and the last good index keeps serving."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ..e2e.ordinary import give_up_rights
from .conftest import COMMAND, Run, Shell


@pytest.fixture
def tree(within: Shell) -> Shell:
    within.write("a.py", "def alpha():\n    return 1\n")
    return within


def sentence(run: Run) -> str:
    """The one sentence that a failed command prints."""
    assert run.out == "", run
    assert run.err.startswith("gazetteer: "), run
    assert run.err.count("\n") == 1, run
    assert "Traceback" not in run.err
    return run.err


# ---------------------------------------------------------------- --max-files


@pytest.fixture
def large(tree: Shell) -> Shell:
    for number in range(30):
        tree.write(f"vendor/lib/v{number}.py", f"def vendored{number}():\n    return 1\n")
    for number in range(5):
        tree.write(f"src/s{number}.py", f"def sourced{number}():\n    return 1\n")
    return tree


def test_too_many_files_are_refused_with_the_folders_and_an_exclude_that_helps(large: Shell) -> None:
    """C4: exit 2, nothing published, and the advice works."""
    run = large("ask", "sourced1", "--max-files", "20")
    assert run.status == 2
    said = sentence(run)
    assert "vendor" in said
    assert "--exclude" in said
    assert "--max-files" in said
    assert large("status", "--json").json()["generation"] == 0
    helped = large("ask", "sourced1", "--max-files", "20", "--exclude", "vendor/")
    assert (helped.status, "src/s1.py" in helped.out) == (0, True)


def test_what_the_refusal_advises_is_what_helps(large: Shell) -> None:
    """ST09: the printed remedy, run as printed, clears the refusal."""
    message = large("sync", "--max-files", "20", "--json").json()["error"]["message"]
    words = message.replace(",", " ").replace(";", " ").rstrip(".").split()
    glob = words[words.index("--exclude") + 1].strip("'\"`")
    assert large("sync", "--max-files", "20", "--exclude", glob).status == 0


def test_the_previous_generation_serves_when_a_tree_grows_too_large(tree: Shell) -> None:
    tree("sync", "--max-files", "3")
    for number in range(9):
        tree.write(f"more/m{number}.py", f"def more{number}():\n    return 1\n")
    assert tree("sync", "--max-files", "3").status == 2
    found = tree("status", "--json", "--max-files", "3").json()
    assert (found["generation"], found["documents"]) == (1, 1)
    assert found["lastError"]


def test_a_part_is_indexed_on_request_and_every_answer_says_so(large: Shell) -> None:
    options = ("--max-files", "20", "--allow-partial")
    run = large("ask", "alpha", "--json", *options)
    assert run.status == 0, run
    assert run.json()["receipt"]["snapshot"]["corpora"][0]["partial"]
    assert "partial" in large("ask", "alpha", *options).err
    assert large("status", "--json", *options).json()["state"] == "partial"


# ---------------------------------------------------------------- knowledge.yaml


def test_an_invalid_knowledge_yaml_names_the_line_and_the_last_good_index_serves(tree: Shell) -> None:
    """C9: sync stops; asking answers from what was published and says so."""
    tree("sync")
    tree.write("knowledge.yaml", "include: ['*.py']\nnewer_key: 1\n")
    tree.write("b.py", "def beta():\n    return 1\n")
    run = tree("sync")
    assert run.status == 2
    assert "knowledge.yaml:2: newer_key" in sentence(run)
    answered = tree("ask", "alpha")
    assert (answered.status, "a.py § alpha (Line 1)" in answered.out) == (0, True)
    assert "knowledge.yaml:2" in answered.err
    (tree.tree / "knowledge.yaml").unlink()
    assert "b.py" in tree("ask", "beta").out


def test_without_a_good_index_an_invalid_knowledge_yaml_is_the_answer(tree: Shell) -> None:
    tree.write("knowledge.yaml", "exclude:\n  - ok\n  - '[bad'\n")
    run = tree("ask", "alpha")
    assert run.status == 2
    assert "knowledge.yaml:3: exclude has a bad glob '[bad'" in sentence(run)


# ---------------------------------------------------------------- damage


def index_files(tree: Shell, name: str) -> list[Path]:
    found = [path for path in tree.indexes.rglob(name) if path.is_file()]
    assert found
    return found


@pytest.mark.parametrize("name", ["kb.db", "content.db"])
@pytest.mark.parametrize("damage", ["garbage", "empty", "cut"])
def test_a_damaged_database_is_rebuilt_or_named(tree: Shell, name: str, damage: str) -> None:
    """Never a wrong answer, never raw words of the database; a damaged store is rebuilt by itself."""
    for number in range(20):
        tree.write(f"bulk/m{number}.py", "\n".join(f"def f{number}_{line}():\n    pass\n" for line in range(40)))
    tree("sync")
    for path in index_files(tree, name):
        size = path.stat().st_size
        for journal in (path.with_name(f"{name}-wal"), path.with_name(f"{name}-shm")):
            journal.unlink(missing_ok=True)
        path.write_bytes({"garbage": b"\xa5" * size, "empty": b"", "cut": path.read_bytes()[: size // 2]}[damage])
    run = tree("ask", "alpha")
    if run.status == 0:
        assert "a.py § alpha (Line 1)" in run.out
    else:
        assert run.status == 3, run
        assert "gazetteer clean" in sentence(run)
        assert tree("clean").status == 0
    assert "a.py § alpha (Line 1)" in tree("ask", "alpha").out
    assert tree("check", "--full").status == 0


def test_a_damaged_keyword_index_is_rebuilt(tree: Shell) -> None:
    tree("sync")
    for path in tree.indexes.rglob("*"):
        if path.is_file() and "lexical" in path.parts and not path.name.endswith(".lock"):
            path.write_bytes(b"\xa5" * 100)
    run = tree("ask", "alpha")
    assert (run.status, "a.py § alpha (Line 1)" in run.out) == (0, True), run


# ---------------------------------------------------------------- places that cannot be used


def test_a_cache_that_cannot_be_written_is_one_sentence(tree: Shell) -> None:
    """CC16: as an ordinary user, or as root without root's rights."""
    tree.indexes.mkdir(mode=0o500)
    run = tree("ask", "alpha", preexec_fn=give_up_rights)
    assert run.status == 3, run
    assert str(tree.indexes) in sentence(run)
    assert "--db-path" in run.err


def test_an_index_in_a_read_only_cache_answers_or_says_why_not(tree: Shell) -> None:
    """CC16: reading needs no right to write, or the sentence says what is missing."""
    tree("sync")
    for path in (*tree.indexes.rglob("*"), tree.indexes):
        path.chmod(0o500 if path.is_dir() else 0o400)
    run = tree("ask", "alpha", preexec_fn=give_up_rights)
    if run.status:
        assert run.status == 3, run
        sentence(run)
    else:
        assert "a.py § alpha (Line 1)" in run.out
    for path in (tree.indexes, *tree.indexes.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def test_what_is_advised_for_an_index_that_may_only_be_read_can_be_done(tree: Shell) -> None:
    """ST09: neither another question nor `sync` changes anything there, and nobody can build it again."""
    tree("sync")
    tree.write("new.py", "def gamma():\n    return 1\n")
    (folder,) = (tree.indexes / "corpora").iterdir()
    for path in (*tree.indexes.rglob("*"), tree.indexes):
        path.chmod(0o500 if path.is_dir() else 0o400)
    health = tree("health", preexec_fn=give_up_rights)
    assert "1 files new" in health.out
    assert "give write permission" in health.out
    clean = tree("clean", preexec_fn=give_up_rights)
    assert (clean.status, "give write permission" in sentence(clean)) == (3, True)
    (folder / "kb.db").chmod(0o600)
    for name in ("kb.db", "kb.db-wal", "kb.db-shm"):
        if (folder / name).exists():
            (folder / name).write_bytes(b"")
    for command in ("ask alpha", "sync", "status"):
        run = tree(*command.split(), preexec_fn=give_up_rights)
        assert (run.status, "give write permission" in sentence(run)) == (3, True), run
    for path in (tree.indexes, *tree.indexes.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def test_a_folder_that_cannot_be_read_is_not_said_to_be_as_indexed(tree: Shell) -> None:
    """K9, K16: what is in it may be anything; no answer is complete meanwhile, and health says why."""
    tree.write("shut/b.py", "def beta():\n    return 1\n")
    tree("sync")
    assert tree("ask", "alpha", "--require", "current-complete").status == 0
    (tree.tree / "shut").chmod(0)
    health = tree("health", preexec_fn=give_up_rights)
    asked = tree("ask", "alpha", "--require", "current-complete", preexec_fn=give_up_rights)
    (tree.tree / "shut").chmod(0o700)
    assert "1 documents are in folders that cannot be read" in health.out
    assert (asked.status, "1 documents are in folders that cannot be read now" in sentence(asked)) == (3, True)


def test_an_answer_says_what_it_lacks(tree: Shell) -> None:
    """K9: what is kept out of the evidence is said below it, once, and nothing is when all of it is there."""
    tree.write("shut.py", "def beta():\n    return 1\n").chmod(0)
    asked = tree("ask", "alpha", preexec_fn=give_up_rights)
    (tree.tree / "shut.py").chmod(0o600)
    assert (asked.status, asked.err.count("The evidence is not complete: 1 files: unreadable.")) == (0, 1)
    assert "complete" not in tree("ask", "alpha").err


def test_a_cache_folder_that_is_a_file_is_one_sentence(tree: Shell) -> None:
    tree.indexes.write_text("not a folder")
    run = tree("ask", "alpha")
    assert run.status == 3, run
    assert str(tree.indexes) in sentence(run)


def test_a_root_that_cannot_be_read_keeps_the_old_generation(tree: Shell) -> None:
    """ST21: unreadable is not empty."""
    tree("sync")
    tree.tree.chmod(0)
    run = tree("sync", "--root", str(tree.tree), cwd=tree.home, preexec_fn=give_up_rights)
    tree.tree.chmod(0o700)
    assert run.status == 3, run
    assert tree("status", "--json").json()["documents"] == 1


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a mount of its own")
def test_a_full_disk_is_one_sentence_and_the_old_generation_still_answers(tree: Shell) -> None:
    """CC15, CC07: no raw error of the system; when there is room again, everything goes on."""
    tree.indexes.mkdir()
    ask = [*COMMAND, "ask", "alpha"]
    steps = f"""
        set -eu
        mount -t tmpfs -o size=6m tmpfs {tree.indexes} || exit 99
        {_words(ask)} >/dev/null 2>&1
        cat /dev/zero >{tree.indexes}/filler 2>/dev/null || true
        printf 'def beta():\\n    return 1\\n' >b.py
        status=0; {_words([*COMMAND, "sync"])} >sync.out 2>sync.err || status=$?
        echo "sync $status"
        status=0; {_words(ask)} >ask.out 2>ask.err || status=$?
        echo "ask $status"
        rm {tree.indexes}/filler
        {_words([*COMMAND, "ask", "beta"])} >beta.out 2>beta.err
        {_words([*COMMAND, "check", "--full"])} >check.out
    """
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", steps],
        cwd=tree.tree,
        env=tree.environment({"GAZETTEER_EXCLUDE": "*.out,*.err"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 99 or "unshare failed" in done.stderr:
        pytest.skip("this machine allows no mounts")
    said = {name: (tree.tree / name).read_text() for name in ("sync.out", "sync.err", "ask.out", "ask.err", "beta.out")}
    assert done.returncode == 0, (done, said)
    status = dict(line.split() for line in done.stdout.splitlines())
    assert status == {"sync": "3", "ask": "0"}, said
    assert "a.py § alpha (Line 1)" in said["ask.out"]
    assert "free some space" in said["ask.err"]
    assert "free some space" in said["sync.out"]
    assert "Traceback" not in said["sync.err"] + said["ask.err"]
    assert "b.py § beta (Line 1)" in said["beta.out"]


def _words(command: list[str]) -> str:
    return " ".join(f"'{word}'" for word in command)


# ---------------------------------------------------------------- odd files


def test_a_file_of_50_mb_is_left_out_and_counted(tree: Shell) -> None:
    with open(tree.tree / "huge.py", "wb") as file:
        file.write(b"x = 1\n")
        os.truncate(file.fileno(), 50 * 1024 * 1024)
    text = tree.tree / "long.txt"
    text.write_bytes(b"words and words\n" * (50 * 1024 * 1024 // 16))
    assert "a.py § alpha (Line 1)" in tree("ask", "alpha").out
    refused = {refusal["reason"]: refusal for refusal in tree("status", "--json").json()["refused"]}
    assert sum(refusal["count"] for refusal in refused.values()) == 2
    assert "long.txt" in refused["size"]["examples"]


def test_links_out_of_the_tree_are_not_read(tree: Shell, tmp_path: Path) -> None:
    """SE02: a link does not widen the tree."""
    (tmp_path / "outside.py").write_text("def outside_secret():\n    pass\n")
    (tree.tree / "link.py").symlink_to(tmp_path / "outside.py")
    (tree.tree / "loop").symlink_to(".")
    assert tree("ask", "outside_secret", "--json").json()["hits"] == []


@pytest.mark.parametrize("place", ["../x.py:1", "/etc/hostname:1", "%2e%2e/x.py:1", "~/x.py:1", "a/../../x.py:1"])
def test_no_spelling_of_a_path_leads_out(tree: Shell, place: str) -> None:
    """SE01: a path that a command takes stays inside the tree."""
    tree("sync")
    assert tree("related", "--", place).status == 2


def test_the_current_folder_may_be_gone(tree: Shell) -> None:
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && exec {_words([*COMMAND, 'status'])}"],
        cwd=tree.home,
        env=tree.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "gazetteer: The current folder is gone; change to another one, or name a tree with --root.\n"
