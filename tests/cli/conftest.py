"""The real command in a home of its own: run as a process of its own, or, where that is not the point, in this one."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from gazetteer.cli.entry import run

COMMAND = (sys.executable, "-P", "-m", "gazetteer")


@pytest.fixture(autouse=True)
def _at_a_prompt() -> Iterator[None]:
    """Start commands as a prompt does: what runs in the background ignores Ctrl-C, and so would its children."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Run:
    """What one run of the command gave."""

    def __init__(self, done: "subprocess.CompletedProcess[bytes]") -> None:
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    def json(self) -> Any:
        return json.loads(self.raw)

    def __repr__(self) -> str:
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


class Shell:
    """A shell in which nothing is set but a home, a folder for indexes and the way to the programs."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.indexes = folder / "indexes"
        self.tree = folder / "tree"
        self.home.mkdir()
        self.tree.mkdir()

    def environment(self, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
        words = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "GAZETTEER_DB_PATH": str(self.indexes),
            "GAZETTEER_WORKERS": "1",
            "PYTHONUTF8": "1",
            "TERM": "dumb",
            **(changes or {}),
        }
        return {name: value for name, value in words.items() if value is not None}

    def __call__(
        self, *arguments: str | bytes, cwd: Path | None = None, env: Mapping[str, str | None] | None = None, **more: Any
    ) -> Run:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=cwd or self.tree,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            **more,
        )
        return Run(done)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file


class Within(Shell):
    """The same, in this process: the command has the arguments, folder, environment and streams of its own there too.

    It costs a tenth of a process, which is mostly start. What is about a process (signals, what is imported, how a
    terminal is spoken to) is asked of a `Shell`; what options of one are given for gets one.
    """

    def __call__(
        self, *arguments: str | bytes, cwd: Path | None = None, env: Mapping[str, str | None] | None = None, **more: Any
    ) -> Run:
        if more:
            return super().__call__(*arguments, cwd=cwd, env=env, **more)
        words = [os.fsdecode(word) for word in arguments]
        environment = self.environment(env)
        encoding = environment.get("PYTHONIOENCODING", "utf-8")
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
        with (
            chdir(cwd or self.tree),
            mock.patch.dict(os.environ, environment, clear=True),
            mock.patch.multiple(sys, stdout=out, stderr=err),
        ):
            try:
                status = run(words)
            except SystemExit as left:  # the framework's own way, for a shell that asks for completions
                status = int(left.code or 0)
        for stream in (out, err):
            stream.flush()
        written = (stream.buffer.getvalue() for stream in (out, err))
        return Run(subprocess.CompletedProcess(words, status, *written))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def within(tmp_path: Path) -> Shell:
    return Within(tmp_path)


HARBOUR = '''\
"""The harbour."""


def moor_vessel(vessel):
    """Give a vessel a berth where it may moor."""
    return BERTHS.pop(vessel)
'''


def plant(shell: Shell) -> Shell:
    """Write a small tree of code and prose."""
    shell.write("src/harbour.py", HARBOUR)
    shell.write("src/other.py", "def unrelated():\n    return 1\n")
    shell.write("docs/guide.md", "# Guide\n\n## Mooring\n\nHow a vessel may moor.\n")
    (shell.tree / ".git").mkdir()
    return shell


def plant_many(shell: Shell, files: int) -> None:
    """Add so many files that indexing them takes a while."""
    for number in range(files):
        lines = (f"def f{number}_{line}():\n    return {line}\n" for line in range(40))
        shell.write(f"bulk/m{number}.py", "\n".join(lines))


@pytest.fixture
def tree(within: Shell) -> Shell:
    """A tree of one test's own."""
    return plant(within)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The same tree, indexed, for tests that only look."""
    shell = plant(Within(tmp_path_factory.mktemp("harbour")))
    assert shell("sync").status == 0
    return shell
