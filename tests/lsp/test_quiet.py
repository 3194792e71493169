"""Pauses: what was said is read in without anybody asking (row K5)."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from gazetteer.kb.derive import LARGE_TEXT
from gazetteer.lsp.quiet import Quiet
from gazetteer.lsp.server import GazetteerServer
from gazetteer.settings import Settings

from .conftest import Bench
from .test_documents import did_change, did_open
from .wire import PATIENCE_S, Wire

MINUTE_MS = 60_000


def comes(true: Callable[[], bool]) -> None:
    """Wait until something is so; nobody says when."""
    until = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def derive_processes(wire: Wire) -> int:
    count = 0
    for thread in Path(f"/proc/{wire.pid}/task").iterdir():
        with suppress(OSError):  # it has just ended
            for pid in (thread / "children").read_text().split():
                count += "derive_pool" in (Path("/proc") / pid / "cmdline").read_text()
    return count


def test_what_is_saved_is_in_the_index_before_anybody_asks(bench: Bench) -> None:
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(initializationOptions={"sweepReuseMs": MINUTE_MS})
    assert wire.request("gazetteer/barrier", {}) == {"generation": 1}
    assert wire.logged() == [], "nothing is looked at as a whole meanwhile"
    bench.write("a.py", "def banana(): ...\n")
    wire.notify("textDocument/didSave", {"textDocument": {"uri": bench.uri("a.py")}})
    comes(lambda: wire.request("gazetteer/status", {})["generation"] == 2)
    assert wire.leave() == 0


def test_a_large_text_is_derived_before_anybody_asks(bench: Bench) -> None:
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})
    assert derive_processes(wire) == 0
    did_open(wire, bench.uri("a.py"), "def banana(): ...\n" * (LARGE_TEXT // 10))
    did_change(wire, bench.uri("a.py"), 2, ((0, 0, 0, 0), "#"))
    comes(lambda: derive_processes(wire) == 1)
    assert wire.leave() == 0


def test_nothing_is_done_for_a_folder_that_is_gone(bench: Bench) -> None:
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})
    for _ in range(3):
        folder = [{"uri": bench.uri(), "name": "tree"}]
        did_open(wire, bench.uri("a.py"), "def banana(): ...\n")
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folder}})
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folder, "removed": []}})
    wire.request("gazetteer/barrier", {})
    assert wire.logged() == [f"{bench.tree / 'a.py'} was opened twice; the text that came last counts."] * 2
    assert wire.leave() == 0


@pytest.mark.asyncio
async def test_any_number_of_changes_without_a_pause_are_one_and_none_is_lost() -> None:
    """SC13; what is said while it works is worked on afterwards."""
    began, go_on, begun = asyncio.Event(), asyncio.Event(), 0

    async def work() -> None:
        nonlocal begun
        begun += 1
        began.set()
        await go_on.wait()

    quiet = Quiet(GazetteerServer(Settings()), work)
    for _ in range(1_000):
        quiet.stir()
    await began.wait()
    began.clear()
    quiet.stir()
    quiet._rest()  # the pause is over while the work goes on
    assert begun == 1
    go_on.set()
    await began.wait()
    assert begun == 2
    quiet.stir()
    quiet.end()
