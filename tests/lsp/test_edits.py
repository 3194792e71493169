"""Edits come in through one boundary: on disk where nobody has the document open, else through the editor itself."""

import asyncio
import fcntl
import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Bench, Desk, Editor

OLD, NEW = "def alpha():\n    return 1\n", "def omega():\n    return 1\n"
RENAME = [{"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}}, "newText": "omega"}]
APPLIED = partial(types.ApplyWorkspaceEditResult, applied=True)
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


def takes_edits(
    editor: Editor,
    answer: Callable[[], types.ApplyWorkspaceEditResult],
    then: Callable[[types.TextDocumentEdit], object] | None = None,
) -> list[types.TextDocumentEdit]:
    """Let an editor answer an edit and then make it, as editors that gather changes do; returns those that it got."""
    got: list[types.TextDocumentEdit] = []

    @editor.client.feature(types.WORKSPACE_APPLY_EDIT)  # type: ignore[untyped-decorator]
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits = [e for e in params.edit.document_changes or () if isinstance(e, types.TextDocumentEdit)]
        got.extend(edits)
        answered = answer()
        for edit in edits if answered.applied else ():
            asyncio.get_running_loop().call_soon(then or (lambda edit: make(editor, edit)), edit)
        return answered

    return got


def make(editor: Editor, given: types.TextDocumentEdit) -> None:
    path = given.text_document.uri.removeprefix(editor.tree.as_uri() + "/")
    for edit in reversed(given.edits):
        assert isinstance(edit, types.TextEdit)
        start, end = edit.range.start, edit.range.end
        editor.type(path, edit.new_text, (start.line, start.character, end.line, end.character))


@pytest.mark.asyncio
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


@pytest.mark.asyncio
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


@pytest.mark.asyncio
async def test_an_open_document_is_edited_by_its_editor_in_the_version_that_was_checked(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, APPLIED)
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


@pytest.mark.asyncio
async def test_a_document_that_is_open_under_another_name_is_open(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    (desk.tree / "link.py").symlink_to("a.py")
    editor = await desk.editor("vscode")
    got = takes_edits(editor, APPLIED)
    editor.open("link.py", OLD)
    assert not (await commit(editor))["written"]
    assert got[0].text_document.uri == editor.uri("link.py")
    assert file.read_text() == OLD


@pytest.mark.asyncio
async def test_text_that_is_not_saved_is_a_conflict_and_the_editor_is_not_asked(desk: Desk) -> None:
    """K11: whether it is dirty, or an edit of it was lost."""
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, APPLIED)
    editor.open("a.py", OLD)
    editor.type("a.py", "#", (0, 0, 0, 0))
    assert (await refused(editor))[1]["reason"] == "dirty"
    editor.type("a.py", OLD)
    editor.type("a.py", "x", (1, 0, 0, 0))  # runs backwards, so what the editor has now is not known
    assert (await refused(editor))[1]["reason"] == "dirty"
    assert (got, file.read_text()) == ([], OLD)
    editor.close("a.py")
    assert (await commit(editor))["written"]


@pytest.mark.asyncio
async def test_an_edit_that_the_editor_does_not_make_is_a_conflict(desk: Desk) -> None:
    file = desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=False, failure_reason="a newer version"))
    editor.open("a.py", OLD)
    code, data = await refused(editor)
    assert (code, data["code"], data["reason"]) == (-32803, "conflict", "editor")
    assert file.read_text() == OLD


@pytest.mark.asyncio
async def test_an_edit_that_the_editor_skipped_and_called_made_is_a_conflict(desk: Desk) -> None:
    """As Neovim does when its text has moved on: what counts is the text that it has then."""
    desk.write("a.py", OLD)
    editor = await desk.editor("neovim")
    takes_edits(editor, APPLIED, then=lambda _: editor.type("a.py", "# typed meanwhile\n", (0, 0, 0, 0)))
    editor.open("a.py", OLD)
    _, data = await refused(editor)
    assert (data["code"], data["reason"]) == ("conflict", "editor")


@pytest.mark.asyncio
async def test_a_document_that_is_closed_in_the_middle_is_a_conflict_at_once(desk: Desk) -> None:
    desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    takes_edits(editor, APPLIED, then=lambda _: editor.close("a.py"))
    editor.open("a.py", OLD)
    assert (await refused(editor))[1]["reason"] == "editor"


@pytest.mark.asyncio
async def test_an_edit_that_arrives_in_several_changes_is_made(desk: Desk) -> None:
    """Editors tell each part of it by itself, and may tell a part twice over."""
    desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    second = {"range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 10}}, "newText": "yield"}
    takes_edits(editor, APPLIED)
    editor.open("a.py", OLD.replace("\n", "\r\n"))
    done = await commit(editor, edits=[*RENAME, second])
    assert done["newHash"] == sha("def omega():\n    yield 1\n")


@pytest.mark.asyncio
async def test_what_an_editor_says_of_its_failure_is_words(desk: Desk) -> None:
    """SE04: whatever it is, on one line of the sentence."""
    desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    why = "stack traceback:\n\t[C]: in \x1b[31mfunction\u202e 'error'." + "x" * 9_000
    takes_edits(editor, lambda: types.ApplyWorkspaceEditResult(applied=False, failure_reason=why))
    editor.open("a.py", OLD)
    with pytest.raises(JsonRpcException, match=r"stack traceback: \[C\]: in \[31mfunction 'error'") as caught:
        await commit(editor)
    assert len(caught.value.message) < 600
    assert caught.value.message.isprintable()


@pytest.mark.asyncio
@pytest.mark.parametrize("capabilities", [types.ClientCapabilities(), NO_EDITS_OF_A_VERSION])
async def test_an_editor_that_takes_no_edits_of_a_version_is_not_sent_one(
    desk: Desk, capabilities: types.ClientCapabilities
) -> None:
    """PR05: only what the client has said that it can."""
    file = desk.write("a.py", OLD)
    editor = await desk.editor(capabilities)
    got = takes_edits(editor, APPLIED)
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


@pytest.mark.asyncio
async def test_what_does_not_fit_names_the_field(desk: Desk) -> None:
    """L2."""
    desk.write("a.py", OLD)
    editor = await desk.editor("vscode")
    for more, field in MISFITS:
        code, data = await refused(editor, **more)
        assert (code, data["code"]) == (-32602, "invalid_argument")
        assert field in data["argument"]


@pytest.mark.asyncio
async def test_no_uri_and_no_path_leads_out_of_the_workspace(desk: Desk) -> None:
    """SE01, SE02: nothing outside is written, whatever the name and whether it is open or not."""
    outside = desk.tree.parent / "outside.py"
    outside.write_text(OLD)
    (desk.tree / "sub").mkdir()
    (desk.tree / "link.py").symlink_to(outside)
    (desk.tree / "linked").symlink_to(desk.tree.parent)
    editor = await desk.editor("vscode")
    got = takes_edits(editor, APPLIED)
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


@pytest.mark.asyncio
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


EDITS = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
CANCELLED = -32800


def test_a_write_that_is_cancelled_in_time_changes_nothing_now_or_later(bench: Bench) -> None:
    """L1: here while somebody else holds the file."""
    file = bench.write("a.py", OLD)
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        given = {"path": "a.py", "expectedHash": sha(OLD), "edits": RENAME}
        number = wire.begin("gazetteer/commitEdit", given)
        wire.request("gazetteer/status", {})
        wire.notify("$/cancelRequest", {"id": number})
        assert wire.answer(number)["error"]["code"] == CANCELLED
    assert wire.request("gazetteer/commitEdit", {**given, "edits": []})["newHash"] == sha(OLD)
    assert file.read_text() == OLD
    assert wire.leave() == 0


def test_an_edit_that_the_editor_has_is_not_called_cancelled(bench: Bench) -> None:
    """L1: what was done is said, though whoever asked for it has changed their mind."""
    bench.write("a.py", OLD)
    wire = bench.serve(capabilities=EDITS)
    document = {"uri": bench.uri("a.py"), "languageId": "python", "version": 1, "text": OLD}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    number = wire.begin("gazetteer/commitEdit", {"uri": bench.uri("a.py"), "expectedHash": sha(OLD), "edits": RENAME})
    asked = wire.asked("workspace/applyEdit")
    wire.notify("$/cancelRequest", {"id": number})
    wire.notify("$/cancelRequest", {"id": number})
    wire.request("gazetteer/status", {})
    assert wire.answers(number) == []
    wire.respond(asked["id"], {"applied": True})
    changes = [{"text": RENAME[0]["newText"], "range": RENAME[0]["range"]}]
    wire.notify("textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": changes})
    assert wire.answer(number)["result"]["newHash"] == sha(NEW)
    assert wire.leave() == 0


def test_shutdown_does_not_wait_for_an_editor_that_does_not_answer(bench: Bench) -> None:
    bench.write("a.py", OLD)
    wire = bench.serve(capabilities=EDITS)
    document = {"uri": bench.uri("a.py"), "languageId": "python", "version": 1, "text": OLD}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    number = wire.begin("gazetteer/commitEdit", {"uri": bench.uri("a.py"), "expectedHash": sha(OLD), "edits": RENAME})
    wire.asked("workspace/applyEdit")
    assert wire.leave() == 0
    assert [answer["error"]["code"] for answer in wire.answers(number)] == [CANCELLED]
