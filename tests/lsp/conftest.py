"""A desk: one tree, a home of its own, and as many editors over it as a test wants, each with a real server."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.io_ import run_async
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

from .nursery import Born, Nursery
from .wire import Wire

COMMAND = (sys.executable, "-P", "-m", "gazetteer", "serve")
CAPABILITIES = {"vscode": "visual-studio-code", "neovim": "neovim"}
"""The capability sets that pytest-lsp took from real editors."""


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GAZETTEER_DB_PATH": str(home / "indexes"),
        "GAZETTEER_WORKERS": "1",
        "PYTHONUTF8": "1",
    }


class Editor:
    """One editor with its server. Text is typed by sending what an editor would send."""

    def __init__(self, client: LanguageClient, tree: Path) -> None:
        self.client = client
        self.tree = tree
        self.result: types.InitializeResult
        self._versions: dict[str, int] = {}

    def uri(self, path: str) -> str:
        return (self.tree / path).as_uri()

    def open(self, path: str, text: str, version: int = 1) -> str:
        uri = self.uri(path)
        self._versions[uri] = version
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", version, text))
        )
        return uri

    def type(self, path: str, text: str, span: tuple[int, int, int, int] | None = None) -> None:
        """Replace a range, or the whole text."""
        uri = self.uri(path)
        self._versions[uri] += 1
        change: types.TextDocumentContentChangeEvent
        if span is None:
            change = types.TextDocumentContentChangeWholeDocument(text)
        else:
            a, b, c, d = span
            change = types.TextDocumentContentChangePartial(
                types.Range(types.Position(a, b), types.Position(c, d)), text
            )
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(self._versions[uri], uri), [change])
        )

    def close(self, path: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(path)))
        )

    async def command(self, name: str, *arguments: Any) -> Any:
        """Run a command as a client does; answers are plain data."""
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(f"gazetteer.{name}", list(arguments))
        )

    async def request(self, method: str, params: Any) -> Any:
        return await self.client.protocol.send_request_async(method, params)  # type: ignore[no-untyped-call]

    async def ask(self, query: str, **more: Any) -> Any:
        return await self.command("retrieve", {"query": query, **more})

    async def found(self, query: str, **more: Any) -> list[tuple[str, str]]:
        """Paths of the hits, each with its freshness."""
        return [(hit["relpath"], hit["freshness"]) for hit in (await self.ask(query, **more))["hits"]]


class Fork:
    """A server that the nursery gave birth to, as a client sees its process."""

    def __init__(self, born: Born) -> None:
        self._born = born
        self.returncode: int | None = None
        self._writer: asyncio.StreamWriter

    async def join(self, client: LanguageClient) -> None:
        """Let a client speak with it, as `LanguageClient.start_io` does with a process that it starts."""
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._born.stdout)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self._born.stdin)
        self._writer = asyncio.StreamWriter(transport, protocol, None, loop)
        client.protocol.set_writer(self._writer)
        client._server = self  # type: ignore[assignment]  # what a client asks of a process is here
        client._async_tasks.append(
            asyncio.create_task(
                run_async(
                    stop_event=client._stop_event,
                    reader=reader,
                    protocol=client.protocol,
                    error_handler=client.report_server_error,
                )
            )
        )

    async def wait(self) -> int:
        if self.returncode is None:
            self._writer.close()
            self.returncode = int(await asyncio.to_thread(self._born.ended.readline))
            for stream in (self._born.stderr, self._born.ended):
                stream.close()
        return self.returncode

    def terminate(self) -> None:
        os.kill(self._born.pid, signal.SIGTERM)


class Desk:
    """Where a test works. Its servers are forks of the nursery, or without one processes of their own."""

    def __init__(self, folder: Path, nursery: Nursery | None = None) -> None:
        self.home, self.tree = folder / "home", folder / "tree"
        self.home.mkdir()
        self.tree.mkdir()
        self._nursery = nursery
        self._editors: list[Editor] = []

    def write(self, path: str, text: str) -> Path:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    async def editor(
        self,
        capabilities: types.ClientCapabilities | str = "neovim",
        *,
        folders: tuple[str, ...] = ("",),
        options: Any = None,
        env: Mapping[str, str] | None = None,
        configuration: Any = None,
    ) -> Editor:
        client = make_test_lsp_client()
        if configuration is not None:
            client.set_configuration({"gazetteer": configuration})
        words = {**environment(self.home), **(env or {})}
        if self._nursery is None:
            await client.start_io(*COMMAND, env=words)
        else:
            await Fork(self._nursery.start(["serve"], words)).join(client)
        editor = Editor(client, self.tree)
        self._editors.append(editor)
        if isinstance(capabilities, str):
            capabilities = client_capabilities(CAPABILITIES[capabilities])
        editor.result = await client.initialize_session(
            types.InitializeParams(
                capabilities,
                workspace_folders=[
                    types.WorkspaceFolder((self.tree / folder).as_uri(), folder or "tree") for folder in folders
                ],
                initialization_options=options,
            )
        )
        return editor

    async def leave(self) -> None:
        for editor in self._editors:
            server = editor.client._server
            if server is not None and server.returncode is None:
                await editor.client.shutdown_session()
                assert server.returncode == 0
            await editor.client.stop()  # type: ignore[no-untyped-call]


@pytest_asyncio.fixture
async def desk(tmp_path: Path, nursery: Nursery) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path, nursery)
    yield desk
    await desk.leave()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery


class Bench:
    """Where a test works with bare frames: a tree, a home, and servers over it."""

    def __init__(self, folder: Path, nursery: Nursery) -> None:
        self.home, self.tree = folder / "home", folder / "tree"
        self.home.mkdir(exist_ok=True)
        self.tree.mkdir(exist_ok=True)
        self._nursery = nursery
        self._wires: list[Wire] = []

    def write(self, path: str, text: str) -> Path:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def uri(self, path: str = "") -> str:
        return (self.tree / path).as_uri()

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> Wire:
        wire = Wire(self._nursery.start(["serve", *arguments], {**environment(self.home), **(env or {})}))
        self._wires.append(wire)
        return wire

    def serve(self, **more: Any) -> Wire:
        """A server over the tree, initialized."""
        wire = self.start()
        wire.initialize(**{"rootUri": self.uri(), **more})
        return wire

    def forget(self, wire: Wire) -> None:
        self._wires.remove(wire)
        wire.close()

    def close(self) -> None:
        for wire in self._wires:
            wire.close()
            assert wire.junk == b""


@pytest.fixture
def bench(tmp_path: Path, nursery: Nursery) -> Iterator[Bench]:
    bench = Bench(tmp_path, nursery)
    yield bench
    bench.close()
