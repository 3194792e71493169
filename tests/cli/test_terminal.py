"""What a terminal, a pipe and an interrupt get: escapes instead of crashes, colour where it belongs, quiet ends."""

import os
import pty
import select
import signal
import subprocess
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from gazetteer.cli.commands import COMMANDS

from .conftest import COMMAND, Shell, plant_many

LEGACY = ("ascii", "cp1252")


@pytest.mark.parametrize("encoding", LEGACY)
def test_every_command_speaks_to_a_legacy_terminal(tree: Shell, encoding: str) -> None:
    """PE25: what the terminal cannot say is escaped, and the exit status is that of a modern one."""
    tree.write("src/fuchs-🦊.py", "def fuchs():\n    return 'ünïcode 🦊 日本'\n")
    locator = tree("ask", "fuchs", "--json").json()["hits"][0]["locator"]
    words = {"ask": ["fuchs"], "explain": ["fuchs 🦊"], "related": ["src/fuchs-🦊.py:1"], "expand": [locator]}
    words["corpus"] = ["list"]
    assert tree("corpus", "add", "füchse-日本", str(tree.tree)).status == 0
    writing = ("index", "sync", "reindex", "clean")
    reading = [command for command in COMMANDS if command not in (*writing, "serve")]  # the last speaks frames
    for command in (*reading, *writing):
        plain, as_json = (
            tree(command, *words.get(command, []), *options, env={"PYTHONIOENCODING": encoding})
            for options in ((), ("--json",))
        )
        assert plain.status == as_json.status == 0, (command, plain, as_json)
        plain.raw.decode(encoding)
        assert as_json.json()
        if command in ("ask", "expand"):
            assert "\\U0001f98a" in plain.out


@pytest.mark.parametrize("encoding", LEGACY)
def test_a_legacy_terminal_is_spoken_to_in_its_own_locale(tree: Shell, encoding: str) -> None:
    """PE25: a process of its own, which finds nothing modern around it, says the same."""
    tree.write("src/fuchs-🦊.py", "def fuchs():\n    return 'ünïcode 🦊 日本'\n")
    legacy = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": None, "LC_ALL": "C"}
    run = Shell.__call__(tree, "ask", "fuchs", env=legacy)
    assert run.status == 0, run
    assert "\\U0001f98a" in run.raw.decode(encoding)
    assert run.raw == tree("ask", "fuchs", env={"PYTHONIOENCODING": encoding}).raw


def test_undecodable_names_come_back_as_they_are(tree: Shell) -> None:
    """PE08: a name that is not UTF-8 is found, is valid JSON, and its uri names the very file."""
    name = os.path.join(os.fsencode(tree.tree), b"a\xf5.py")
    with open(name, "wb") as file:
        file.write(b"def oddly_named():\n    pass\n")
    hit = tree("ask", "oddly_named", "--json").json()["hits"][0]
    assert unquote_to_bytes(hit["uri"].removeprefix("file://")) == name
    run = tree("ask", "oddly_named")
    assert run.status == 0
    assert "oddly_named (Line 1)" in run.out


def test_control_characters_of_a_source_text_never_reach_the_terminal(tree: Shell) -> None:
    """PE13: every byte below 32 in a text is shown, none acts, and JSON parses."""
    body = "".join(chr(number) for number in range(1, 32) if number not in (9, 10, 13))
    tree.write("src/evil\x1b[2J.py", f"def evil_text():\n    return '{body}\x7f\x9b31m\u202e'\n")
    for options in ((), ("--color", "always")):
        run = tree("ask", "evil_text", *options)
        assert run.status == 0
        shown = run.out.replace("\x1b[", "") if options else run.out
        assert not {sign for sign in shown if ord(sign) < 32 and sign != "\n"}, run
        assert "\x9b" not in run.out
        assert "\u202e" not in run.out
        assert "\x1b[2J" not in run.out
    assert tree("ask", "evil_text", "--json").json()["hits"][0]["text"].count("\x07") == 1


def test_a_terminal_gets_colour_and_a_bar_that_is_gone_when_the_answer_comes(tree: Shell) -> None:
    plant_many(tree, 400)
    main, side = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "ask", "moor_vessel"],
        cwd=tree.tree,
        env=tree.environment({"TERM": "xterm-256color", "COLUMNS": "100"}),
        stdin=subprocess.DEVNULL,
        stdout=side,
        stderr=side,
    ) as process:
        os.close(side)
        said = _all(main)
        assert process.wait() == 0, said
    assert "\x1b[35msrc/harbour.py\x1b[0m § \x1b[1mmoor_vessel (Line 4)\x1b[0m" in said
    before, _, answer = said.partition("\x1b[35msrc/harbour.py")
    assert "━" not in answer
    assert "━" not in before or before.endswith("\x1b[1A\x1b[2K")


def _all(terminal: int) -> str:
    said = b""
    try:
        while select.select([terminal], [], [], 60)[0] and (more := os.read(terminal, 65536)):
            said += more
    except OSError:
        # how a terminal says that nobody holds its other end
        pass
    os.close(terminal)
    return said.decode()


def test_an_interrupt_ends_quietly_and_leaves_nothing_to_repair(tree: Shell) -> None:
    plant_many(tree, 600)
    with subprocess.Popen(
        [*COMMAND, "ask", "moor_vessel"],
        cwd=tree.tree,
        env=tree.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        _until(tree.indexes, process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert "src/harbour.py § moor_vessel (Line 4)" in tree("ask", "moor_vessel").out
    assert tree("check", "--full").status == 0


def _until(path: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until work has begun, as its first trace on disk tells."""
    while not path.exists():
        assert process.poll() is None, "it ended before it had begun"
        os.sched_yield()


def test_a_reader_that_has_seen_enough_is_no_error(harbour: Shell) -> None:
    with subprocess.Popen(
        [*COMMAND, "ask", "--json", "--limit", "50", "moor"],
        cwd=harbour.tree,
        env=harbour.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
