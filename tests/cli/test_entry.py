"""From what was typed to an exit status: usage errors, help, encodings, closed pipes. No index is opened here."""

import os
import subprocess

import pytest
from gazetteer.cli.commands import COMMANDS
from gazetteer.kb.errors import EXIT_CODES, ErrorCode

from .conftest import COMMAND, Shell


@pytest.mark.parametrize("command", COMMANDS)
def test_help_prints_usage_and_does_nothing_else(within: Shell, command: str) -> None:
    (within.tree / "knowledge.yaml").write_text("nonsense: [")
    run = within("--root", "/no/such/folder", command, "--help")
    assert run.status == 0, run
    assert run.out.startswith(f"Usage: gazetteer {command} ")
    assert run.err == ""
    assert not within.indexes.exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_says_what_the_command_says_of_itself(within: Shell, command: str) -> None:
    first = within(command, "--help", env={"COLUMNS": "200"}).out.splitlines()[2].strip()
    assert first == COMMANDS[command].summary


def test_help_lists_every_command_and_documents_every_exit_status(within: Shell) -> None:
    text = " ".join(within("--help").out.split())
    assert all(f" {name} {row.summary}" in text for name, row in COMMANDS.items())
    for status in {0, 1, *EXIT_CODES.values(), 130}:
        assert f" {status} " in text


def test_without_a_command_help_is_an_error(shell: Shell) -> None:
    run = shell()
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("Usage: gazetteer")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--no-such-flag",),
        ("no-such-command",),
        ("ask",),
        ("ask", "x", "--no-such-flag"),
        ("ask", "x", "--limit", "many"),
        ("ask", "x", "--limit", "0"),
        ("ask", "x", "--limit", "21"),
        ("ask", "x", "--kind", "no-such-kind"),
        ("ask", "x", "--lang", "no-such-language"),
        ("ask", "x", "--path", "[a"),
        ("ask", "x", "--exclude", "../a"),
        ("ask", "x", "--via", "telepathy"),
        ("ask", "x", "--require", "luck"),
        ("ask", "x", "--max-files", "0"),
        ("expand", "gz1:x", "--before", "-1"),
        ("status", "surplus"),
        ("sync", "--root"),
    ],
)
def test_usage_errors_are_one_sentence_and_two(within: Shell, arguments: tuple[str, ...]) -> None:
    run = within(*arguments)
    assert run.status == 2, run
    assert run.out == ""
    assert run.err.startswith("gazetteer: ")
    assert run.err.count("\n") == 1
    assert run.err.endswith((".\n", "?\n"))
    assert not within.indexes.exists()


def test_an_out_of_range_limit_names_the_range(within: Shell) -> None:
    """R4: refused with the range, which is wider for programs."""
    assert "between 1 and 20" in within("ask", "x", "--limit", "21").err
    assert "between 1 and 50" in within("ask", "x", "--limit", "51", "--json").json()["error"]["message"]


@pytest.mark.parametrize("arguments", [("--json", "ask"), ("ask", "--json"), ("ask", "x", "--json", "--bad")])
def test_with_json_an_error_is_json(within: Shell, arguments: tuple[str, ...]) -> None:
    run = within(*arguments)
    assert run.status == 2
    assert run.err == ""
    error = run.json()["error"]
    assert error["code"] == "invalid_argument"
    assert error["message"].endswith(".")


def test_a_query_may_hold_the_word_json_after_two_dashes(within: Shell) -> None:
    assert within("no-such-command", "--", "--json").err.startswith("gazetteer: No such command")


def test_every_code_has_an_exit_status() -> None:
    assert set(EXIT_CODES) == set(ErrorCode)


def test_a_missing_root_and_a_file_are_named(within: Shell) -> None:
    missing = within("status", "--root", "nowhere")
    assert (missing.status, "nowhere" in missing.err) == (2, True)
    within.write("a.py", "x")
    file = within("status", "--root", "a.py")
    assert (file.status, "is a file" in file.err) == (2, True)


def test_the_home_folder_is_refused_unless_named(within: Shell) -> None:
    run = within("status", cwd=within.home)
    assert run.status == 2
    assert f"--root {within.home}" in run.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_an_error_that_the_terminal_cannot_say_is_escaped(shell: Shell, encoding: str) -> None:
    """PE25: a legacy code page is no reason to crash."""
    run = shell("status", "--root", "nö-🦊", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": None})
    assert run.status == 2
    assert "\\U0001f98a" in run.err
    as_json = shell("status", "--json", "--root", "nö-🦊", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": None})
    assert "nö-🦊" in as_json.json()["error"]["message"]


def test_undecodable_arguments_are_written_out(shell: Shell) -> None:
    """PE08: what is not text in the command line comes back readable and as valid JSON."""
    run = shell("status", "--root", b"a\xf5")
    assert (run.status, "a\\udcf5" in run.err) == (2, True)
    assert shell("status", "--json", "--root", b"a\xf5").json()["error"]["data"] == {"root": "a\udcf5"}


def test_control_characters_of_an_argument_do_not_reach_the_terminal(within: Shell) -> None:
    run = within("status", "--root", "a\x1b[2Jb\nc")
    assert "a\\x1b[2Jb\\nc" in run.err
    assert "\x1b" not in run.err


def test_a_reader_that_left_is_no_error(shell: Shell) -> None:
    """A closed pipe ends the program quietly."""
    with subprocess.Popen(
        [*COMMAND, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment(), cwd=shell.tree
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


@pytest.mark.skipif("not __import__('os').path.exists('/dev/full')")
@pytest.mark.parametrize("arguments", [("--help",), ("ask", "moor"), ("ask", "--json", "moor"), ("ask", "--json")])
@pytest.mark.parametrize("unbuffered", [None, "1"])
def test_a_full_output_is_one_sentence(tree: Shell, arguments: tuple[str, ...], unbuffered: str | None) -> None:
    """CC15: no raw error of the system, and where to look is the output, not the index."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env=tree.environment({"PYTHONUNBUFFERED": unbuffered}),
            cwd=tree.tree,
            check=False,
        )
    assert done.returncode == 3
    words = "No space left" if unbuffered else "gazetteer: The output cannot be written (No space left on device)"
    assert words in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif("not __import__('os').path.exists('/dev/full')")
@pytest.mark.parametrize(("arguments", "status"), [(("ask", "moor"), 0), (("ask", "--frobnicate"), 2)])
def test_the_status_stands_where_nothing_can_be_said(tree: Shell, arguments: tuple[str, ...], status: int) -> None:
    """An answer is one although what is said about it is lost; 1 would mean that nothing was found."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=full,
            env=tree.environment(),
            cwd=tree.tree,
            check=False,
        )
    assert done.returncode == status
    assert (b"moor_vessel" in done.stdout) == (not status)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: Shell, name: str) -> None:
    assert "_GAZETTEER_COMPLETE" in shell(env={"_GAZETTEER_COMPLETE": f"{name}_source"}).out


def test_completion_knows_commands_and_options(shell: Shell) -> None:
    words = {"_GAZETTEER_COMPLETE": "bash_complete", "COMP_WORDS": "gazetteer ask --li", "COMP_CWORD": "2"}
    assert "--limit" in shell(env=words).out
    words |= {"COMP_WORDS": "gazetteer he", "COMP_CWORD": "1"}
    assert "health" in shell(env=words).out


def test_doctor_finds_a_sound_machine_sound(shell: Shell) -> None:
    run = shell("doctor", "--json")
    found = {diagnosis["name"]: diagnosis for diagnosis in run.json()["diagnoses"]}
    assert {"gazetteer", "libraries", "git", "index folder", "room", "tree", "terminal"} <= set(found)
    assert found["index folder"]["found"].startswith(str(shell.indexes))
    assert (run.status == 0) == run.json()["ok"]
    assert not shell.indexes.exists()


def test_doctor_names_what_is_wrong_and_the_remedy(shell: Shell) -> None:
    shell.indexes.write_text("a file where the folder should be")
    shell.write("knowledge.yaml", "exclude:\n  - '['\n")
    run = shell("doctor")
    assert run.status == 3
    assert "knowledge.yaml:2: exclude has a bad glob" in run.out
    assert "Name another one with --db-path." in run.out
    strange = shell("--db-path", os.fsencode(shell.home) + b"/\xff", "doctor", cwd=shell.home)
    assert strange.status == 3
    assert "bad  index folder" in strange.out


def test_an_interrupt_while_modules_load_is_quiet(shell: Shell) -> None:
    words = (
        "import gazetteer.cli, sys, types\n"
        "def interrupt(_):\n    raise KeyboardInterrupt\n"
        "sys.modules['gazetteer.cli.entry'] = types.SimpleNamespace(run=interrupt)\n"
        "gazetteer.cli.main()\n"
    )
    done = subprocess.run([*COMMAND[:2], "-c", words], env=shell.environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def broken(shell: Shell, how: str, debug: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a command of which one part does what it never should."""
    words = (
        f"import gazetteer.cli.doctor, gazetteer.cli, sys\n"
        f"def fail(_):\n    {how}\n"
        f"gazetteer.cli.doctor.LOOKS = (fail,)\n"
        f"sys.argv[1:] = ['doctor']\n"
        f"gazetteer.cli.main()\n"
    )
    return subprocess.run(
        [*COMMAND[:2], "-c", words],
        env=shell.environment({"GAZETTEER_DEBUG": debug}),
        cwd=shell.tree,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("debug", "traceback"), [("", False), ("1", True)])
def test_an_internal_error_is_one_sentence_until_a_traceback_is_asked_for(
    shell: Shell, debug: str, traceback: bool
) -> None:
    """No traceback reaches a user; GAZETTEER_DEBUG=1 gets what a report needs."""
    done = broken(shell, "raise ValueError('odd')", debug)
    assert (done.returncode, done.stdout) == (70, "")
    assert "GAZETTEER_DEBUG=1" in done.stderr
    assert ("Traceback" in done.stderr) is traceback
    assert (done.stderr.count("\n") == 1) is not traceback


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        ("raise OSError(28, 'No space left on device', '/cache/kb')", 3, "No space left on device at /cache/kb"),
        ("raise PermissionError(13, 'Permission denied')", 3, "Permission denied;"),
        ("raise MemoryError", 3, "not enough memory"),
        ("raise FileNotFoundError(2, 'No such file')", 70, "bug"),
        ("raise RecursionError", 70, "bug"),
    ],
)
def test_a_failure_that_nobody_put_into_words_is_still_one_sentence(
    shell: Shell, how: str, status: int, words: str
) -> None:
    done = broken(shell, how)
    assert done.returncode == status
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
