"""What must not wait does its work on threads of its own, however long a document is (invariant 7)."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from gazetteer.app import Session
from gazetteer.kb.buffer import Buffer
from gazetteer.kb.model import DocumentPath
from gazetteer.lsp import looking
from gazetteer.lsp.hover import UNSETTLED
from gazetteer.lsp.jobs import THREADS
from gazetteer.lsp.server import GazetteerServer
from gazetteer.opened import OpenTree
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings
from lsprotocol import types

from .conftest import Desk
from .test_hover import shown
from .wire import PATIENCE_S

pytestmark = pytest.mark.asyncio

TEXT = "def alpha():\n    return alpha\n" * 2_000
AT = types.Position(0, 5)
HERE = types.Range(AT, AT)


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[GazetteerServer]:
    """A server with a folder that it has not opened, and a long document of it."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(TEXT)
    settings = Settings(db_path=str(tmp_path / "cache"), workers=1)
    server = GazetteerServer(settings)
    server.protocol.connect(lambda _: None)
    server.protocol.client_capabilities = types.ClientCapabilities()
    every = {"navigation.languages": ("*",), "codeLens.enable": True, "inlayHints.enable": True}
    server.configuration = type(server.configuration)(settings, {**server.configuration.server, **every})
    server.sessions.add(tree.as_uri())
    server.documents.open((tree / "a.py").as_uri(), "python", 1, TEXT)
    yield server
    for folder in server.sessions:
        folder.close()
    await asyncio.gather(*server._kept, return_exceptions=True)
    server.jobs.stop()


def about(server: GazetteerServer) -> dict[str, Any]:
    """What each feature that must not wait is asked about the document."""
    document = next(iter(server.documents))
    it = types.TextDocumentIdentifier(document.uri)
    return {
        types.TEXT_DOCUMENT_HOVER: types.HoverParams(it, AT),
        types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionParams(it, HERE, types.CodeActionContext([])),
        types.TEXT_DOCUMENT_DEFINITION: types.DefinitionParams(it, AT),
        types.TEXT_DOCUMENT_REFERENCES: types.ReferenceParams(types.ReferenceContext(True), it, AT),
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: types.DocumentSymbolParams(it),
        types.TEXT_DOCUMENT_DOCUMENT_LINK: types.DocumentLinkParams(it),
        types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensParams(it),
        types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintParams(it, HERE),
        types.WORKSPACE_SYMBOL: types.WorkspaceSymbolParams("alpha"),
    }


async def test_what_is_typed_just_as_a_document_was_judged_counts(server: GazetteerServer) -> None:
    """L2: the task that asks about a new document gives on what is there when it ends, and nothing that comes later."""
    server.sessions.start()
    (folder,) = server.sessions
    session = await folder.caught_up()
    await folder.judged()
    path = DocumentPath("new.py")
    folder.put(path, Buffer.of("one\n", 1))
    judging = folder._judging[path]
    while not judging.done():
        await asyncio.sleep(0)
    assert path in folder._judging  # it is taken off a turn of the loop later
    folder.put(path, Buffer.of("two\n", 2))
    await folder.judged()
    overlay = session.kb.buffers.opened.get(path)
    assert overlay is not None
    assert (overlay.version, overlay.text) == (2, "two\n")


async def test_no_text_is_read_on_the_loop(server: GazetteerServer) -> None:
    """L3: even while nothing is indexed, joining and counting a text of a megabyte is no work for the loop."""
    (document,) = server.documents
    over = threading.Event()
    busy = [asyncio.ensure_future(server.jobs.run("glance", lambda _: over.wait(60))) for _ in range(THREADS["glance"])]
    asked = [asyncio.ensure_future(server.protocol.typed[one](params)) for one, params in about(server).items()]
    for _ in range(20):
        await asyncio.sleep(0)
    read = {"text", "normalised"} & set(document.buffer.__dict__)
    over.set()
    hover, *others = await asyncio.gather(*asked)
    await asyncio.gather(*busy)
    assert not read
    assert hover.contents.value == "Not indexed yet: starting"
    assert not any(others)


async def test_no_feature_waits_for_an_index_that_is_opened_again(server: GazetteerServer) -> None:
    """L3, L4: another thread holds the lock of that, for as long as its own locks and git take."""
    server.sessions.start()
    (folder,) = server.sessions
    session = await folder.caught_up()
    entered, leave = threading.Event(), threading.Event()

    def occupy() -> None:
        with session._tree._lock:
            entered.set()
            leave.wait(60)

    busy = threading.Thread(target=occupy)
    busy.start()
    assert await asyncio.to_thread(entered.wait, 30)
    asked = {
        method: asyncio.ensure_future(server.protocol.typed[method](given)) for method, given in about(server).items()
    }
    await asyncio.wait(asked.values(), timeout=20)
    waiting = [method for method, task in asked.items() if not task.done()]
    leave.set()
    busy.join()
    await asyncio.gather(*asked.values())
    assert waiting == []


async def test_no_feature_waits_for_git_longer_than_it_has_to(server: GazetteerServer) -> None:
    """L3: whether a document that was just opened counts is asked of git, which may hang; others are looked at."""
    server.sessions.start()
    (folder,) = server.sessions
    await folder.caught_up()
    await folder.judged()
    over = threading.Event()
    busy = [
        asyncio.ensure_future(server.jobs.run("verdict", lambda _: over.wait(60))) for _ in range(THREADS["verdict"])
    ]
    server.sessions.put(server.documents.open((Path(folder.root.real) / "b.py").as_uri(), "python", 1, "x = 1\n"))
    asked = {
        method: asyncio.ensure_future(server.protocol.typed[method](given)) for method, given in about(server).items()
    }
    await asyncio.wait(asked.values(), timeout=20)
    waiting = [method for method, task in asked.items() if not task.done()]
    over.set()
    await asyncio.gather(*busy, *asked.values())
    assert waiting == []


async def test_no_feature_waits_for_the_text_of_another_document(
    server: GazetteerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L3, K2: a large one may take seconds to read; meanwhile others are looked at as they were, without that one.

    What is waited for where the document itself is not read yet would be waited for forever here.
    """
    monkeypatch.setattr(looking, "VIEW_S", math.inf)
    tree = Path(next(iter(server.sessions)).root.real)
    (tree / "b.py").write_text("def beta():\n    pass\n")
    text = "from b import beta\n\nbeta()\n"
    uri = (tree / "c.py").as_uri()
    server.sessions.put(server.documents.open(uri, "python", 1, text))
    server.sessions.start()
    (folder,) = server.sessions
    await folder.caught_up()

    async def card() -> str:
        hover = await server.protocol.typed[types.TEXT_DOCUMENT_HOVER](
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(2, 1))
        )
        return hover.contents.value if hover is not None else ""

    assert "b.py:1" in await card()
    over = threading.Event()
    busy = [asyncio.ensure_future(server.jobs.run("query", lambda _: over.wait(60))) for _ in range(THREADS["query"])]
    moved = "\n\n\ndef beta():\n    pass\n"
    server.sessions.put(server.documents.open((tree / "b.py").as_uri(), "python", 1, moved))
    meanwhile = await asyncio.wait_for(card(), 20)
    over.set()
    await asyncio.gather(*busy)
    assert meanwhile.startswith("`beta`")
    assert "b.py:1" not in meanwhile
    assert "b.py:4" not in meanwhile
    assert meanwhile.endswith(UNSETTLED)
    monkeypatch.setattr(looking, "SOON_S", 0.0)  # on a machine that is slower than that
    async with asyncio.timeout(PATIENCE_S):
        while (now := await card()).endswith(UNSETTLED):
            pass  # it says that it is being read, so it is
    assert "b.py:4" in now


@pytest.mark.parametrize("name", ["retrieve", "expand"])
async def test_a_question_under_which_settings_change_is_asked_again(
    server: GazetteerServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A setting of the index closes the sessions; whoever asked just before is answered all the same, by the next."""
    server.sessions.start()
    (folder,) = server.sessions
    session = await folder.caught_up()
    (hit,) = session.retrieve(Query("alpha", limit=1)).hits
    entered, over = threading.Event(), threading.Event()
    ask = OpenTree.mending

    def held_up(tree: OpenTree, act: Callable[[], Any]) -> Any:
        entered.set()
        over.wait(60)
        return ask(tree, act)

    monkeypatch.setattr(OpenTree, "mending", held_up)
    row = server.commands.row(name)
    assert row is not None
    given = {"retrieve": {"query": "alpha"}, "expand": {"locator": hit.locator}}[name]
    asked = asyncio.ensure_future(server.commands.call(row, given))
    assert await asyncio.to_thread(entered.wait, 30)
    server.sessions.restart()
    await asyncio.to_thread(session.close)
    over.set()
    answer = await asked
    assert "alpha" in (answer["hits"][0] if name == "retrieve" else answer)["text"]


async def test_an_index_that_was_removed_is_made_again_beside(desk: Desk) -> None:
    """L3: a hover neither waits for that nor leaves it to somebody else; what another process removed comes back."""
    text = "def alpha():\n    return 1\n\n\nalpha()\n"
    desk.write("a.py", text)
    editor = await desk.editor("neovim")
    editor.open("a.py", text)
    await editor.command("sync")
    at = types.HoverParams(types.TextDocumentIdentifier(editor.uri("a.py")), types.Position(4, 2))
    assert "Used in" in shown(await editor.client.text_document_hover_async(at))
    with Session(str(desk.tree), Settings(db_path=str(desk.home / "indexes"))) as other:
        other.clean()
    first = shown(await editor.client.text_document_hover_async(at))
    assert first.startswith("The index is being opened again")
    async with asyncio.timeout(PATIENCE_S):
        while (card := await editor.client.text_document_hover_async(at)) is None or "Used in" not in shown(card):
            pass  # there may be nothing to say in between


async def test_what_has_changed_is_read_again_without_a_question(desk: Desk) -> None:
    """L10: a card says that a document is read again, and it is, even where nobody ever asks anything."""
    desk.write("a.py", "def alpha():\n    return 1\n")
    editor = await desk.editor("neovim")
    editor.open("b.py", "from a import alpha\n\nalpha()\n")
    await editor.command("sync")
    at = types.HoverParams(types.TextDocumentIdentifier(editor.uri("b.py")), types.Position(2, 2))
    assert "a.py:1" in shown(await editor.client.text_document_hover_async(at))
    desk.write("a.py", "\n\n\ndef alpha():\n    return 2\n")
    assert "is read again" in shown(await editor.client.text_document_hover_async(at))
    async with asyncio.timeout(PATIENCE_S):
        while "a.py:4" not in shown(await editor.client.text_document_hover_async(at)):
            pass


async def test_every_feature_that_reads_a_document_is_asked_here(server: GazetteerServer) -> None:
    features = {method for method in server.protocol.typed if method.startswith("textDocument/")}
    assert features - set(about(server)) == set()
