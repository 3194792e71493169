"""Asking from the shell: index first, cited evidence, clean pipes, JSON that says the same."""

import os
import pty
import select
import signal
import subprocess
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from gazetteer.cli.commands import COMMANDS

from .conftest import COMMAND, Shell

HARBOUR = '''\
"""The harbour."""


def moor_vessel(vessel):
    """Give a vessel a berth where it may moor."""
    return BERTHS.pop(vessel)
'''


def many_functions(number: int) -> str:
    return "\n".join(f"def f{number}_{line}():\n    return {line}\n" for line in range(40))


@pytest.fixture
def tree(shell: Shell) -> Shell:
    shell.write("src/harbour.py", HARBOUR)
    shell.write("src/other.py", "def unrelated():\n    return 1\n")
    shell.write("docs/guide.md", "# Guide\n\n## Mooring\n\nHow a vessel may moor.\n")
    (shell.tree / ".git").mkdir()
    return shell


def test_a_tree_never_seen_before_is_indexed_and_answered(tree: Shell) -> None:
    run = tree("ask", "which", "vessel", "may", "moor", "here")
    assert run.status == 0, run
    first = run.out.splitlines()[0]
    assert first == "src/harbour.py § moor_vessel (Line 4)"
    assert "  4 │ def moor_vessel(vessel):" in run.out


def test_hits_go_to_standard_output_and_what_is_said_of_them_to_standard_error(tree: Shell) -> None:
    run = tree("ask", "unrelated")
    assert "src/other.py § unrelated (Line 1)" in run.out
    assert "generation 1" in run.err
    assert "ms" in run.err.splitlines()[-1]
    assert "generation" not in run.out


def test_why_a_hit_was_found_stands_below_its_citation(tree: Shell) -> None:
    why = tree("ask", "moor_vessel").out.splitlines()[1]
    assert "exact" in why


def test_no_colour_leaves_through_a_pipe_unless_it_is_asked_for(tree: Shell) -> None:
    assert "\x1b" not in tree("ask", "unrelated").out
    assert "\x1b[" in tree("ask", "unrelated", "--color", "always").out
    assert "\x1b" not in tree("ask", "unrelated", env={"NO_COLOR": "1"}).out


def test_json_is_the_answer_as_it_travels(tree: Shell) -> None:
    run = tree("ask", "--json", "moor_vessel")
    answer = run.json()
    assert set(answer) == {"hits", "receipt"}
    hit = answer["hits"][0]
    assert hit["relpath"] == "src/harbour.py"
    assert hit["freshness"] == "verified"
    assert hit["provenance"]["diskHash"]
    assert hit["range"]["start"]["line"] == hit["lines"][0] - 1
    assert answer["receipt"]["semantic"] is False
    assert answer["receipt"]["snapshot"]["corpora"][0]["documents"] == 3
    assert run.err == ""


def test_the_root_is_found_from_a_folder_inside(tree: Shell) -> None:
    assert "src/other.py" in tree("ask", "unrelated", cwd=tree.tree / "docs").out


def test_options_before_and_after_the_command_are_the_same(tree: Shell) -> None:
    after = tree("ask", "unrelated", "--json", "--root", str(tree.tree)).json()["hits"]
    before = tree("--json", "--root", str(tree.tree), "ask", "unrelated").json()["hits"]
    assert [hit["locator"] for hit in before] == [hit["locator"] for hit in after] != []


def test_filters_narrow(tree: Shell) -> None:
    def paths(*options: str) -> set[str]:
        return {hit["relpath"] for hit in tree("ask", "vessel moor", "--json", *options).json()["hits"]}

    assert paths() == {"src/harbour.py", "docs/guide.md"}
    assert paths("--lang", "py") == {"src/harbour.py"}
    assert paths("--lang", "markdown") == {"docs/guide.md"}
    assert paths("--path", "docs/**") == {"docs/guide.md"}
    assert paths("--kind", "function") == {"src/harbour.py"}
    assert paths("--type", "docs") == {"docs/guide.md"}
    assert paths("--path", "nowhere/**") == set()


def test_nothing_found_is_an_answer_unless_failing_is_asked_for(tree: Shell) -> None:
    run = tree("ask", "qqqzzzxxx")
    assert (run.status, run.out) == (0, "")
    assert "0 hits" in run.err
    assert tree("ask", "qqqzzzxxx", "--fail-empty").status == 1
    assert tree("ask", "", "--json").json()["hits"] == []
    assert tree("ask", "unrelated", "--fail-empty").status == 0


def test_a_query_may_be_anything(tree: Shell) -> None:
    """QU02, QU03: operators and quotation marks are text."""
    for query in ('"', '"may moor', "a::b", "body:foo", "NEAR(", "*", "(", "moor -", "\x1b[2J", "🦊"):
        run = tree("ask", "--", query)
        assert run.status == 0, run
        assert "\x1b" not in run.out + run.err


def test_an_edit_is_in_the_next_answer_and_a_deleted_file_is_not(tree: Shell) -> None:
    """ST02: what is asked is the tree as it is now."""
    assert "src/other.py" in tree("ask", "unrelated").out
    tree.write("src/new.py", "def brand_new_thing():\n    pass\n")
    (tree.tree / "src" / "other.py").unlink()
    assert "src/new.py § brand_new_thing (Line 1)" in tree("ask", "brand_new_thing").out
    assert "src/other.py" not in tree("ask", "unrelated").out


def test_required_completeness_is_refused_with_what_is_missing(tree: Shell) -> None:
    """K9: incomplete evidence is an error of its own when complete evidence was required."""
    for number in range(4):
        tree.write(f"many/{number}.py", f"x{number} = 1\n")
    run = tree("ask", "x", "--max-files", "3", "--allow-partial", "--require", "current-complete", "--json")
    assert run.status == 3, run
    assert run.json()["error"]["code"] == "incomplete"
    assert tree("ask", "x1", "--require", "current-complete", "--json").status == 0


def test_expand_follows_a_locator_and_says_whether_it_is_still_the_same(tree: Shell) -> None:
    locator = tree("ask", "--json", "moor_vessel").json()["hits"][0]["locator"]
    run = tree("expand", locator, "--before", "3")
    assert run.out.splitlines()[0].startswith("src/harbour.py § moor_vessel")
    assert '1 │ """The harbour."""' in run.out
    assert run.err.startswith("same")
    tree.write("src/harbour.py", "# moved down\n" + HARBOUR)
    moved = tree("expand", locator, "--json").json()
    assert (moved["state"], moved["lines"][0]) == ("moved", 5)
    (tree.tree / "src" / "harbour.py").unlink()
    gone = tree("expand", locator)
    assert (gone.status, gone.err.split(":")[0]) == (0, "gone")


@pytest.mark.parametrize("locator", ["", "gz1", "gz1:x:y:1-2:z", "../../etc/passwd", "gz1:\x1b:..:0-0:"])
def test_a_locator_that_is_none_is_refused(tree: Shell, locator: str) -> None:
    """SE01: nothing but a locator that an answer gave is followed."""
    run = tree("expand", "--", locator)
    assert run.status == 2, run
    assert run.out == ""


def test_related_takes_a_locator_or_a_line(tree: Shell) -> None:
    tree.write("src/copy.py", HARBOUR.replace("moor_vessel", "moor_another_vessel"))
    by_line = tree("related", "src/harbour.py:4", "--json").json()["hits"]
    assert "src/copy.py" in [hit["relpath"] for hit in by_line]
    locator = tree("ask", "--json", "moor_vessel").json()["hits"][0]["locator"]
    assert tree("related", locator, "--json").json()["hits"]
    for place in ("no/such/file.py:3", "../outside.py:1", "src/harbour.py", "src/harbour.py:x"):
        assert tree("related", place).status == 2, place


def test_explain_shows_the_plan_and_what_it_gave(tree: Shell) -> None:
    run = tree("explain", "moor_vessel")
    assert run.status == 0, run
    assert "exact" in run.out
    assert tree("explain", "moor_vessel", "--json").json()


LEGACY = ("ascii", "cp1252")


@pytest.mark.parametrize("encoding", LEGACY)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_speaks_to_a_legacy_terminal(tree: Shell, command: str, encoding: str) -> None:
    """PE25: what the terminal cannot say is escaped, and the exit status is that of a modern one."""
    tree.write("src/fuchs-🦊.py", "def fuchs():\n    return 'ünïcode 🦊 日本'\n")
    words = {"ask": ["fuchs"], "explain": ["fuchs 🦊"], "related": ["src/fuchs-🦊.py:1"]}.get(command, [])
    if command == "expand":
        words = [tree("ask", "fuchs", "--json").json()["hits"][0]["locator"]]
    legacy = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": None, "LC_ALL": "C"}
    run = tree(command, *words, env=legacy)
    assert run.status == 0, run
    run.raw.decode(encoding)
    if command in ("ask", "expand"):
        assert "\\U0001f98a" in run.out
    assert tree(command, *words, "--json", env=legacy).json()


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
    for number in range(400):
        tree.write(
            f"bulk/m{number}.py", "\n".join(f"def f{number}_{line}():\n    return {line}\n" for line in range(30))
        )
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
    answer = said[said.index("\x1b[35msrc/harbour.py") :]
    assert "━" not in answer


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
    for number in range(600):
        tree.write(
            f"bulk/m{number}.py", "\n".join(f"def f{number}_{line}():\n    return {line}\n" for line in range(40))
        )
    with subprocess.Popen(
        [*COMMAND, "ask", "moor_vessel"],
        cwd=tree.tree,
        env=tree.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as process:
        _until(tree.indexes)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert "src/harbour.py § moor_vessel (Line 4)" in tree("ask", "moor_vessel").out
    assert tree("check", "--full").status == 0


def _until(path: Path) -> None:
    """Wait until work has begun, as its first trace on disk tells."""
    while not path.exists():
        os.sched_yield()


def test_a_reader_that_has_seen_enough_is_no_error(tree: Shell) -> None:
    with subprocess.Popen(
        [*COMMAND, "ask", "--json", "--limit", "50", "moor"],
        cwd=tree.tree,
        env=tree.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
