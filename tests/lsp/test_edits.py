"""Edits come in through one boundary: on disk where nobody has the document open, else through the editor itself."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Desk, Editor

pytestmark = pytest.mark.asyncio

OLD, NEW = "def alpha():\n    return 1\n", "def omega():\n    return 1\n"
RENAME = [{"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}}, "newText": "omega"}]
NO_EDITS_OF_A_VERSION = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(apply_edit=True, workspace_edit=types.WorkspaceEditClientCapabilities())
)


def sha(text: str | bytes) -> str:
    return "sha256:" + hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def commit(editor: Editor, **more: Any) -> Any:
    given = {"uri": editor.uri("a.py"), "expectedHash": sha(OLD), "edits": RENAME, **more}
    return editor.command("commitEdit", {key: value for key, value in given.items() if value is not None})


async def refused(editor: Editor, **more: Any) -> tuple[int, dict[str, Any]]:
    with pytest.raises(JsonRpcException) as caught:
        await commit(editor, **more)
    assert caught.value.data is not None
    return caught.value.code, caught.value.data


def takes_edits(editor: Editor, answer: Callable[[], types.ApplyWorkspaceEditResult]) -> list[types.TextDocumentEdit]:
    """Let an editor apply edits; returns those that it got."""
    got: list[types.TextDocumentEdit] = []

    @editor.client.feature(types.WORKSPACE_APPLY_EDIT)  # type: ignore[untyped-decorator]
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        got.extend(e for e in params.edit.document_changes or () if isinstance(e, types.TextDocumentEdit))
        return answer()

    return got


@pytest.mark.parametrize("named", ["uri", "path", "absolute path"])
async def test_a_document_that_nobody_has_open_is_written_and_found(desk: Desk, named: str) -> None:
    """K11, L2: by any name."""
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    if named == "uri":
        done = await commit(editor)
    else:
        done = await commit(editor, uri=None, path="a.py" if named == "path" else str(file))
    assert file.read_text() == NEW
    assert done == {
        "path": "a.py",
        "uri": editor.uri("a.py"),
        "oldHash": sha(OLD),
        "newHash": sha(NEW),
        "written": True,
        "version": None,
    }
    await editor.request("gazetteer/barrier", {})
    assert await editor.found("omega") == [("a.py", "verified")]
    code, data = await refused(editor)
    assert (code, data["code"], data["reason"], data["current"]) == (-32803, "conflict", "changed", sha(NEW))


async def test_positions_are_counted_as_was_agreed(desk: Desk) -> None:
    """K17: the same character under two encodings."""
    text = 'x = "😀" + y\r\n'
    for units, column in ((types.PositionEncodingKind.Utf8, 13), (types.PositionEncodingKind.Utf32, 10)):
        file = desk.write("a.py", "")
        file.write_bytes(text.encode())
        general = types.GeneralClientCapabilities(position_encodings=[units])
        editor = await desk.editor(types.ClientCapabilities(general=general))
        place = {"line": 0, "character": column}
        edits = [{"range": {"start": place, "end": {**place, "character": column + 1}}, "newText": "z\n"}]
        await commit(editor, expectedHash=sha(text), edits=edits)
        assert file.read_bytes() == 'x = "😀" + z\r\n\r\n'.encode()


async def test_an_open_document_is_edited_by_its_editor_in_the_version_that_was_checked(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=True))
    editor.open("a.py", OLD, 7)
    done = await commit(editor)
    assert (done["written"], done["version"], done["newHash"]) == (False, 7, sha(NEW))
    assert file.read_text() == OLD
    (edit,) = got
    assert (edit.text_document.uri, edit.text_document.version) == (editor.uri("a.py"), 7)
    (change,) = edit.edits
    assert isinstance(change, types.TextEdit)
    assert (change.new_text, change.range.start, change.range.end) == (
        "omega",
        types.Position(0, 4),
        types.Position(0, 9),
    )


async def test_a_document_that_is_open_under_another_name_is_open(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    (desk.tree / "link.py").symlink_to("a.py")
    editor = await desk.editor("vscode")
    got = takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=True))
    editor.open("link.py", OLD)
    assert not (await commit(editor))["written"]
    assert got[0].text_document.uri == editor.uri("link.py")
    assert file.read_text() == OLD


async def test_text_that_is_not_saved_is_a_conflict_and_the_editor_is_not_asked(desk: Desk) -> None:
    """K11: whether it is dirty, or an edit of it was lost."""
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=True))
    editor.open("a.py", OLD)
    editor.type("a.py", "#", (0, 0, 0, 0))
    assert (await refused(editor))[1]["reason"] == "dirty"
    editor.type("a.py", OLD)
    editor.type("a.py", "x", (1, 0, 0, 0))  # runs backwards, so what the editor has now is not known
    assert (await refused(editor))[1]["reason"] == "dirty"
    assert (got, file.read_text()) == ([], OLD)
    editor.close("a.py")
    assert (await commit(editor))["written"]


async def test_an_edit_that_the_editor_does_not_make_is_a_conflict(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=False, failure_reason="a newer version"))
    editor.open("a.py", OLD)
    code, data = await refused(editor)
    assert (code, data["code"], data["reason"]) == (-32803, "conflict", "editor")
    assert file.read_text() == OLD


@pytest.mark.parametrize("capabilities", [types.ClientCapabilities(), NO_EDITS_OF_A_VERSION])
async def test_an_editor_that_takes_no_edits_of_a_version_is_not_sent_one(
    desk: Desk, capabilities: types.ClientCapabilities
) -> None:
    """PR05: only what the client has said that it can."""
    file = desk.write("a.py", OLD)
    editor = await desk.editor(capabilities)
    got = takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=True))
    editor.open("a.py", OLD)
    assert (await refused(editor))[1]["reason"] == "client"
    assert (got, file.read_text()) == ([], OLD)


MISFITS: list[tuple[dict[str, Any], str]] = [
    ({"expectedHash": "12"}, "expectedHash"),
    ({"expectedHash": None}, "expectedHash"),
    ({"edits": "all"}, "edits"),
    ({"edits": [{"newText": "x"}]}, "edits"),
    ({"edits": [{**RENAME[0], "text": "x"}]}, "edits"),
    ({"edits": [*RENAME, *RENAME]}, "edits"),
    ({"path": "a.py"}, "uri"),
    ({"uri": None}, "uri"),
    ({"uri": "untitled:a"}, "uri"),
    ({"root": "file:///nowhere"}, "root"),
    ({"version": 1}, "version"),
]


async def test_what_does_not_fit_names_the_field(desk: Desk) -> None:
    """L2."""
    desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    for more, field in MISFITS:
        code, data = await refused(editor, **more)
        assert (code, data["code"]) == (-32602, "invalid_argument")
        assert field in data["argument"]


async def test_no_uri_and_no_path_leads_out_of_the_workspace(desk: Desk) -> None:
    """SE01, SE02: nothing outside is written, whatever the name and whether it is open or not."""
    outside = desk.tree.parent / "outside.py"
    outside.write_text(OLD)
    (desk.tree / "sub").mkdir()
    (desk.tree / "link.py").symlink_to(outside)
    (desk.tree / "linked").symlink_to(desk.tree.parent)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=True))
    root = desk.tree.as_uri()
    uris = [
        *(f"{root}/{name}" for name in ("../outside.py", "%2e%2e/outside.py", "sub/%2E%2E/%2e%2e/outside.py")),
        *(f"{root}/{name}" for name in ("..%2foutside.py", "%252e%252e/outside.py", "link.py", "linked/outside.py")),
        outside.as_uri(),
        outside.as_uri().replace("file:///", "file://localhost/"),
        f"{root}2/a.py",
    ]
    paths = ["../outside.py", "..%2foutside.py", "%2e%2e/outside.py", "~/outside.py", str(outside), "link.py", ""]
    editor.client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(outside.as_uri(), "python", 1, OLD))
    )
    names: list[dict[str, Any]] = [*({"uri": uri} for uri in uris), *({"uri": None, "path": path} for path in paths)]
    for named in names:
        code, data = await refused(editor, **named)
        assert (code, data["code"] in ("refused", "not_found")) == (-32803, True), named
    assert (outside.read_text(), got) == (OLD, [])


async def test_a_write_that_the_client_did_itself_is_recorded(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    await editor.request("gazetteer/barrier", {})
    file.write_text(NEW)
    given = {"uri": editor.uri("a.py"), "oldHash": sha(OLD), "newHash": sha(NEW), "edits": RENAME}
    assert (await editor.request("gazetteer/recordEdit", given)).newHash == sha(NEW)
    await editor.request("gazetteer/barrier", {})
    assert await editor.found("omega") == [("a.py", "verified")]
    with pytest.raises(JsonRpcException) as caught:
        await editor.command("recordEdit", {**given, "newHash": sha(OLD)})
    assert caught.value.data is not None
    assert caught.value.data["code"] == "conflict"
