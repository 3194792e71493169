"""sync, status, health, check, clean: what they say is true, and what they do is done."""

import os
import shutil

import pytest

from .conftest import Shell


@pytest.fixture
def tree(within: Shell) -> Shell:
    within.write("a.py", "def alpha():\n    return 1\n")
    within.write("b.md", "# Beta\n\nText.\n")
    within.write("picture.png", b"\x89PNG\0\0")
    within.write(".env", "TOKEN=hunter2\n")
    return within


def test_before_the_first_question_there_is_no_index(tree: Shell) -> None:
    found = tree("status", "--json").json()
    assert (found["state"], found["generation"], found["documents"]) == ("missing", 0, 0)
    assert tree("status").status == 0


def test_sync_builds_and_says_how_the_index_is(tree: Shell) -> None:
    found = tree("sync", "--json").json()
    assert found["state"] == "ready"
    assert (found["generation"], found["documents"]) == (1, 2)
    assert found["languages"] == {"markdown": 1, "python": 1}
    assert found["symbols"] >= 1
    assert {refusal["reason"]: refusal["count"] for refusal in found["refused"]}.keys() >= {"secret"}
    assert [(follower["generation"], follower["behind"]) for follower in found["followers"]] == [(1, 0)]
    assert found["dbPath"].startswith(str(tree.indexes))


def test_status_after_an_edit_names_the_generation_that_answers(tree: Shell) -> None:
    """ST06: status and answers speak of the same generation, with the same counts."""
    tree("sync")
    for number in range(3):
        tree.write("a.py", f"def alpha{number}():\n    return 1\n")
        answer = tree("ask", f"alpha{number}", "--json").json()["receipt"]["snapshot"]["corpora"][0]
        found = tree("status", "--json").json()
        assert (found["generation"], found["documents"], found["chunks"]) == (
            answer["generation"],
            answer["documents"],
            answer["chunks"],
        )


def test_status_says_when_the_tree_was_last_looked_at_whoever_looked(tree: Shell) -> None:
    """L10: every command is a process of its own, and a look that found nothing new is one."""
    assert tree("status", "--json").json()["sweepAgeMs"] is None
    tree("sync")
    (index,) = (tree.indexes / "corpora").iterdir()
    os.utime(index / "swept", (1, 1))
    long_ago = tree("status", "--json").json()["sweepAgeMs"]
    tree("ask", "alpha")
    assert 0 <= tree("status", "--json").json()["sweepAgeMs"] < long_ago
    assert " ago" in next(line for line in tree("status").out.splitlines() if "swept" in line)
    assert tree("clean").status == 0
    assert tree("status", "--json").json()["sweepAgeMs"] is None


def test_settings_that_change_nothing_yet_are_said(tree: Shell) -> None:
    """C9: every key changes something, or somebody is told that it does not."""
    assert tree("status", "--json").json()["notices"] == []
    tree.write("knowledge.yaml", "embedding: bundled\n")
    for command in ("status", "health", "sync"):
        assert "embedding in knowledge.yaml is checked, and not used" in tree(command).out
    tree.write("knowledge.yaml", "corpora: [platform]\n")
    assert tree("health", "--json").json()["notices"] == []
    assert tree("ask", "alpha").status == 0


def test_a_syntax_error_is_a_problem_and_bytes_that_are_no_text_are_read_in_part(tree: Shell) -> None:
    """K6: half of all C files parse with some error; nothing of their text is missing."""
    tree.write("wreck.py", "def wreck(:\n")
    tree.write("odd.md", b"\xff\xfea\x00\x00\xd8\n")
    tree("sync")
    found = tree("status", "--json").json()
    assert (found["problems"], found["partialDocuments"]) == (2, 1)
    said = tree("health").out
    assert "2 documents with errors; what could be read is served" in said
    assert "1 document could not be read in full" in said


def test_an_ignored_tree_and_an_empty_one_are_empty_with_a_reason(tree: Shell) -> None:
    """ST05: nothing to index is a final state that says why."""
    tree.write(".gitignore", "*\n")
    found = tree("sync", "--json").json()
    assert (found["state"], found["documents"]) == ("empty", 0)
    assert found["reason"]
    assert tree("ask", "alpha").status == 0


def test_health_holds_the_index_against_the_tree_and_changes_nothing(tree: Shell) -> None:
    tree("sync")
    assert tree("health", "--json").json()["state"] == "ready"
    tree.write("a.py", "def other():\n    return 2\n")
    tree.write("c.py", "def gamma():\n    return 3\n")
    (tree.tree / "b.md").unlink()
    found = tree("health", "--json").json()
    assert found["state"] == "stale"
    assert found["drift"] == {"walked": 3, "added": 1, "changed": 1, "deleted": 1, "unreadable": 0}
    assert tree("status", "--json").json()["generation"] == 1
    synced = tree("sync", "--json").json()
    assert (synced["state"], synced["generation"]) == ("ready", 2)
    assert tree("health", "--json").json()["drift"] == {
        "walked": 3,
        "added": 0,
        "changed": 0,
        "deleted": 0,
        "unreadable": 0,
    }


def test_sync_of_an_unchanged_tree_publishes_nothing(tree: Shell) -> None:
    tree("sync")
    assert tree("sync", "--json").json()["generation"] == 1


def test_settings_that_decide_the_corpus_take_effect_and_the_others_do_not_rebuild(tree: Shell) -> None:
    """C8, C9: the same settings never rebuild, changed ones always do."""
    tree("sync")
    tree.write("knowledge.yaml", "# nothing but a comment\n")
    tree("sync")
    generation = tree("status", "--json").json()["generation"]
    tree.write("knowledge.yaml", "corpora: [other]\n# and a comment\n")
    tree("sync")
    tree.write("knowledge.yaml", "extensions: [.md]\n")
    found = tree("sync", "--json").json()
    assert found["documents"] == 1
    assert found["generation"] > generation
    assert tree("ask", "alpha", "--json").json()["hits"] == []


def test_human_words_say_what_json_says(tree: Shell) -> None:
    """L10: both are made from one value."""
    tree("sync")
    said = tree("status").out
    found = tree("status", "--json").json()
    assert said.startswith("ready")
    for word in (found["root"], f"{found['documents']:,}", f"{found['chunks']:,}", "secret", found["dbPath"]):
        assert word in said


def test_check_of_a_sound_index_is_sound(tree: Shell) -> None:
    tree("sync")
    for options in ((), ("--full",)):
        run = tree("check", "--json", *options)
        assert (run.status, run.json()["ok"], run.json()["findings"]) == (0, True, [])
    assert tree("check").out.startswith("sound")


def test_clean_deletes_the_index_and_never_the_tree(tree: Shell) -> None:
    before = sorted(path.name for path in tree.tree.iterdir())
    tree("sync")
    run = tree("clean", "--json")
    assert run.status == 0, run
    assert run.json()["removed"]
    assert run.json()["freedBytes"] > 0
    assert sorted(path.name for path in tree.tree.iterdir()) == before
    assert tree("status", "--json").json()["state"] == "missing"
    assert "alpha (Line 1)" in tree("ask", "alpha").out


def test_the_index_of_a_tree_that_is_gone_can_be_cleaned(tree: Shell) -> None:
    """ST23: a deleted project does not leave its data behind."""
    tree("sync")
    root = str(tree.tree)
    shutil.rmtree(root)
    run = tree("clean", "--json", "--root", root, cwd=tree.home)
    assert run.status == 0, run
    assert run.json()["removed"]
    assert not list(tree.indexes.rglob("kb.db"))


def test_no_secret_is_stored_anywhere(tree: Shell) -> None:
    """SE07: a file that holds secrets by its name is in no byte of the index."""
    tree.write("sub/.gitignore", "*.json\n")
    tree.write("sub/s.json", '{"token": "swordfish"}\n')
    (tree.tree / ".git").mkdir()
    tree("sync")
    tree("ask", "token")
    stored = b"".join(path.read_bytes() for path in tree.indexes.rglob("*") if path.is_file())
    assert stored
    assert b"hunter2" not in stored
    assert b"swordfish" not in stored


def test_files_of_the_index_are_private(tree: Shell) -> None:
    """SE06: whatever the umask says."""
    tree("ask", "alpha", umask=0)
    for path in (tree.indexes, *tree.indexes.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_nothing_is_written_into_the_tree(tree: Shell) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.tree.rglob("*")}
    for command in ("sync", "status", "health", "check", "doctor"):
        tree(command)
    tree("ask", "alpha")
    assert {path: path.stat().st_mtime_ns for path in tree.tree.rglob("*")} == before
