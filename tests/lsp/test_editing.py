"""What is typed and not saved is what is answered from, in every editor."""

import pytest

from .conftest import Desk

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("capabilities", ["vscode", "neovim"])
async def test_unsaved_text_is_found_and_cited_as_unsaved_and_gone_when_undone(desk: Desk, capabilities: str) -> None:
    """Row K10: ask from another buffer, get the unsaved text; undo, and it is not there."""
    desk.write("a.py", "def first():\n    return 1\n")
    desk.write("b.py", "def second():\n    return 2\n")
    editor = await desk.editor(capabilities)
    editor.open("a.py", "def first():\n    return 1\n")
    editor.open("b.py", "def second():\n    return 2\n")
    editor.type("a.py", "def marmalade():\n    return 3\n", (2, 0, 2, 0))
    assert (await editor.found("marmalade"))[0] == ("a.py", "overlay")
    assert await editor.request("gazetteer/barrier", {}) is not None
    editor.type("a.py", "", (2, 0, 4, 0))
    assert await editor.found("marmalade") == []
    assert editor.result.server_info is not None
    assert editor.result.server_info.name == "gazetteer"
