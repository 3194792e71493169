"""Sessions as real editors lead them: with their capabilities, and every message checked against these."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Desk
from .test_progress import Held

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("name", ["vscode", "neovim"])]
UNITS = {"vscode": "utf-16", "neovim": "utf-8"}


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A desk whose servers are started as editors start them."""
    desk = Desk(tmp_path)
    yield desk
    await desk.leave()


async def test_an_editor_is_served_from_its_start_to_its_end(desk: Desk, name: str) -> None:
    """L1, L2: settings asked for, the first index shown, a question answered, an edit followed, a proper end."""
    desk.write("a.py", "def first():\n    return 'é𝄞'\n")
    desk.write("b.log", "marmalade\n")
    editor = await desk.editor(name, configuration={"exclude": ["*.log"], "colour": "red"})
    client = editor.client
    assert editor.result.capabilities.position_encoding in (UNITS[name], "utf-16")
    hits = (await editor.ask("marmalade first"))["hits"]
    assert [hit["relpath"] for hit in hits] == ["a.py"]
    await editor.request("gazetteer/barrier", {})
    assert any("gazetteer.colour" in entry.message for entry in client.log_messages)
    bars = [[type(one).__name__ for one in reports] for reports in client.progress_reports.values()]
    assert bars == [bar for bar in bars if bar[0] == "WorkDoneProgressBegin" and bar[-1] == "WorkDoneProgressEnd"]
    editor.open("a.py", "def first():\n    return 'é𝄞'\n")
    units = editor.result.capabilities.position_encoding
    at = {"utf-8": 19, "utf-16": 16, "utf-32": 15}[str(getattr(units, "value", units))]
    editor.type("a.py", " + marmalade", (1, at, 1, at))
    assert await editor.found("marmalade") == [("a.py", "overlay")]
    hit = (await editor.ask("marmalade"))["hits"][0]
    assert "'é𝄞' + marmalade" in hit["text"]


async def test_an_editor_cancels_and_asks_again(desk: Desk, name: str) -> None:
    desk.write("a.py", "def first(): ...\n")
    held = Held(desk)  # it waits for the first index, so it is never answered before
    editor = await desk.editor(name)
    client = editor.client
    params = types.ExecuteCommandParams("gazetteer.retrieve", [{"query": "first"}])
    try:
        asked: Any = client.protocol.send_request("workspace/executeCommand", params, msg_id="mine")
        client.cancel_request(types.CancelParams("mine"))
        with pytest.raises(JsonRpcException) as error:
            await asyncio.wrap_future(asked)
    finally:
        held.release()
    assert error.value.code == -32800
    assert await editor.found("first") == [("a.py", "verified")]


async def test_an_answer_is_shown_the_way_the_editor_can(desk: Desk, name: str) -> None:
    desk.write("a.py", "def first(): ...\n")
    editor = await desk.editor(name)
    shown = await editor.command(
        "show", {"title": "First", "method": "gazetteer/retrieve", "params": {"query": "first"}}
    )
    assert [document.uri for document in editor.client.shown_documents] == [shown["uri"]]


async def test_folders_come_and_go_while_it_runs(desk: Desk, name: str) -> None:
    desk.write("one/a.py", "def first(): ...\n")
    desk.write("two/b.py", "def second(): ...\n")
    editor = await desk.editor(name, folders=("one",))
    assert await editor.found("second") == []
    two = types.WorkspaceFolder(editor.uri("two"), "two")
    event = types.WorkspaceFoldersChangeEvent(added=[two], removed=[])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    assert await editor.found("second", root=two.uri) == [("b.py", "verified")]
