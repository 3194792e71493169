"""What a message advises works when it is done as printed (ST09), and only what exists is advised."""

import ast
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import gazetteer
import pytest
from gazetteer.cli.commands import COMMANDS
from gazetteer.cli.commands import gazetteer as program

from .conftest import Run, Shell

ADVISED = re.compile(r"`gazetteer ([^`]+)`")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


@pytest.fixture
def tree(within: Shell) -> Shell:
    within.write("a.py", "def alpha():\n    return 1\n")
    within.write("lib/one.py", "x = 1\n")
    within.write("lib/two.py", "y = 2\n")
    return within


def advised(text: str) -> list[list[str]]:
    """Every command that a text names, as words."""
    found = [shlex.split(words) for words in ADVISED.findall(text)]
    assert found, f"nothing is advised in {text!r}"
    return found


def state(tree: Shell, command: str = "status") -> tuple[str, str]:
    found = tree(command, "--json").json()
    return found["state"], found["reason"]


def done(run: Run) -> Run:
    assert run.status == 0, run
    return run


def texts_for_people() -> Iterator[tuple[str, str]]:
    """Every text in the package that is no docstring, with the file that says it."""
    package = Path(gazetteer.__file__).parent
    for path in sorted(package.rglob("*.py")):
        module = ast.parse(path.read_text())
        said = {
            id(node.body[0].value)
            for node in ast.walk(module)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                yield node.value, path.relative_to(package).as_posix()


def test_only_commands_that_exist_are_advised() -> None:
    named = {(words.split()[0], path) for text, path in texts_for_people() for words in ADVISED.findall(text)}
    assert named
    assert {(name, path) for name, path in named if name not in COMMANDS} == set()


def test_only_options_that_exist_are_advised() -> None:
    known: set[str] = set()
    context = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        for one in (command, *(command.commands.values() if isinstance(command, click.Group) else ())):
            known.update(flag for parameter in one.get_params(context) for flag in parameter.opts)
    sentences = [(text, path) for text, path in texts_for_people() if " " in text]
    named = {(flag, path) for text, path in sentences for flag in FLAG.findall(text)}
    assert {flag for flag, _ in named} >= {"--db-path", "--max-files", "--exclude", "--allow-partial", "--root"}
    assert {(flag, path) for flag, path in named if flag not in known} == set()


def test_a_missing_index_is_built_by_what_is_advised(tree: Shell) -> None:
    before, reason = state(tree)
    assert before == "missing"
    for words in advised(reason):
        done(tree(*words))
        assert state(tree) == ("ready", "")


def test_a_stale_index_is_brought_up_by_what_is_advised(tree: Shell) -> None:
    tree("sync")
    tree.write("b.py", "def beta():\n    return 1\n")
    before, reason = state(tree, "health")
    assert before == "stale"
    for words in advised(reason):
        done(tree(*words))
        assert state(tree, "health") == ("ready", "")


def test_changed_settings_are_taken_in_by_what_is_advised(tree: Shell) -> None:
    tree("sync")
    tree.write("knowledge.yaml", "exclude: ['lib/']\n")
    before, reason = state(tree)
    assert before == "stale"
    for words in advised(reason):
        done(tree(*words))
        assert state(tree) == ("ready", "")
    assert tree("status", "--json").json()["languages"] == {"python": 1, "yaml": 1}


def test_every_way_out_of_too_many_files_is_one(tree: Shell) -> None:
    """ST09, C4: leave a folder out, raise the limit to the number that is printed, or take a part."""
    said = tree("sync", "--max-files", "2", "--json").json()["error"]["message"]
    limit = re.search(r"--max-files \d+", said)
    exclude = re.search(r"--exclude (\S+)(?=,)", said)
    assert limit is not None
    assert exclude is not None
    assert "--allow-partial" in said
    for words in (limit[0], f"--max-files 2 --exclude {exclude[1]}", "--max-files 2 --allow-partial"):
        assert done(tree("sync", *shlex.split(words), "--json")).json()["documents"] > 0, words
        tree("clean")


def test_the_home_folder_can_be_named_as_advised(within: Shell) -> None:
    said = within("status", cwd=within.home).err
    root = re.search(r"--root (\S+)\.", said)
    assert root is not None
    done(within("status", "--root", root[1], cwd=within.home))


def test_what_is_left_out_stands_where_the_message_sends_its_reader(tree: Shell) -> None:
    tree.write(".env", "TOKEN=1\n")
    tree("sync")
    run = tree("related", ".env:1")
    assert run.status == 2
    for words in advised(run.err):
        assert "secret" in done(tree(*words)).out


def test_incomplete_evidence_is_explained_where_the_message_sends_its_reader(tree: Shell) -> None:
    part = ("--max-files", "2", "--allow-partial")
    run = tree("ask", "alpha", "--require", "current-complete", *part)
    assert run.status == 3
    assert "partial" in run.err
    for words in advised(run.err):
        assert "partial" in done(tree(*words, *part)).out
    assert "without --require" in run.err
    assert "a.py" in done(tree("ask", "alpha", *part)).out


def test_a_keyword_index_that_cannot_be_read_is_built_again_by_what_is_advised(tree: Shell) -> None:
    tree("sync")
    for path in tree.indexes.rglob("*"):
        if path.is_file() and "lexical" in path.parts and not path.name.endswith(".lock"):
            path.write_bytes(b"\xa5" * 100)
    run = tree("check", "--json")
    assert run.status == 3, run
    for words in advised(" ".join(finding["message"] for finding in run.json()["findings"])):
        done(tree(*words))
    assert tree("check", "--full").status == 0


def test_stored_texts_that_are_gone_come_back(tree: Shell) -> None:
    """ST09: what `check` finds, the next sync puts right."""
    tree("sync")
    for path in tree.indexes.rglob("content.db*"):
        path.unlink()
    assert tree("check").status == 3
    done(tree("sync"))
    done(tree("check", "--full"))
    assert "a.py" in done(tree("ask", "alpha")).out


def test_a_locator_of_another_tree_is_followed_with_the_root_that_is_advised(tree: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "o.py").write_text("def other():\n    pass\n")
    locator = tree("ask", "other", "--json", "--root", str(other)).json()["hits"][0]["locator"]
    for command in ("expand", "related"):
        done(tree(command, locator))  # its index says which tree it is of
    for command in ("expand", "related"):
        done(tree("clean", "--root", str(other)))
        run = tree(command, locator)
        assert (run.status, "--root" in run.err) == (2, True)
        done(tree(command, locator, "--root", str(other)))


def test_a_cache_that_cannot_be_used_is_replaced_as_advised(tree: Shell, tmp_path: Path) -> None:
    tree.indexes.write_text("a file where the folder should be")
    assert "--db-path" in tree("ask", "alpha").err
    assert "a.py" in done(tree("ask", "alpha", "--db-path", str(tmp_path / "elsewhere"))).out


def test_a_tree_that_can_be_read_again_is_ready_after_the_next_question(tree: Shell) -> None:
    tree("sync")
    aside = tree.tree.with_name("aside")
    os.rename(tree.tree, aside)
    root = str(tree.tree)
    assert tree("sync", "--root", root, cwd=tree.home).status != 0
    os.rename(aside, tree.tree)
    done(tree("ask", "alpha"))
    assert state(tree, "health") == ("ready", "")
