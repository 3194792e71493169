"""From ``initialize`` to ``exit``: what client and server agree on, and when work begins and ends.

``initialize`` is answered before anything heavy is imported. Folders open once the client said ``initialized`` and its
settings are known, or did not come in time: a client may answer our requests late, never or with an error.
"""

import asyncio
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder, get_capability

from ..kb.paths import to_uri
from . import settings
from .ending import watch_parent
from .protocol import State

if TYPE_CHECKING:
    from .server import GazetteerServer

SETTINGS_WAIT_S = 0.5
"""How long folders wait for the client's settings before they open without."""
ANSWERS_WAIT_S = 1.0
"""How long ``shutdown`` waits for cancelled requests to be answered."""


def register(server: "GazetteerServer") -> None:
    """Serve the notifications and requests of the session itself."""
    life = Lifecycle(server)
    server.on(types.INITIALIZE, life.initialize)
    server.on(types.INITIALIZED, life.initialized)
    server.on(types.SHUTDOWN, life.shutdown)
    server.on(types.WORKSPACE_DID_CHANGE_CONFIGURATION, life.configured)
    server.on(types.WINDOW_WORK_DONE_PROGRESS_CANCEL, life.progress_cancelled)
    server.on(types.SET_TRACE, life.traced)


class Lifecycle:
    """The handlers, over the server."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server
        self._options: Any = None

    def initialize(self, given: types.InitializeParams) -> types.InitializeResult:
        """Agree on capabilities, and note the workspace."""
        server = self._server
        protocol = server.protocol
        capabilities = given.capabilities
        protocol.client_capabilities = capabilities
        encoding = ServerCapabilitiesBuilder.choose_position_encoding(capabilities)
        server.agree(capabilities, str(getattr(encoding, "value", encoding)))
        protocol.state = State.RUNNING
        if given.process_id is not None:
            watch_parent(given.process_id, lambda: server.end("the editor's process has ended"))
        protocol.trace = given.trace or types.TraceValue.Off
        self._options = given.initialization_options
        self._take(self._options)
        for uri in _folders(given) or server.named_folders:
            server.sessions.add(uri)
        build = ServerCapabilitiesBuilder(
            capabilities,
            {*protocol.typed, *protocol.raw},
            protocol.options,
            server.commands.names(),
            types.TextDocumentSyncKind.Incremental,
            None,
            encoding,
        ).build
        protocol.server_capabilities = build()  # type: ignore[no-untyped-call]
        return types.InitializeResult(protocol.server_capabilities, protocol.server_info)

    async def initialized(self, _given: types.InitializedParams) -> None:
        """Begin to work: settings first, then the folders."""
        self._register()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._server.keep(self._ask_settings())), SETTINGS_WAIT_S)
        self._server.sessions.start()

    def shutdown(self, _given: None) -> "asyncio.Future[None]":
        """Refuse what comes from now on, and cancel what is under way."""
        self._server.protocol.state = State.SHUT_DOWN
        self._server.shutting = asyncio.ensure_future(self._cancel_all())
        return self._server.shutting

    async def _cancel_all(self) -> None:
        await self._server.protocol.cancel_all(ANSWERS_WAIT_S, but=self._server.shutting)
        self._server.jobs.stop()

    async def configured(self, given: types.DidChangeConfigurationParams) -> None:
        """Take other settings: ask for them where the client answers, else take what it sent."""
        if not self._can_ask:
            self._take(given.settings)
            return
        asking = self._server.keep(self._ask_settings())
        try:
            answered = await asyncio.wait_for(asyncio.shield(asking), SETTINGS_WAIT_S)
        except TimeoutError:
            answered = not given.settings  # with nothing sent, an answer that comes late is all there is
        if not answered:
            self._take(given.settings)

    def progress_cancelled(self, given: types.WorkDoneProgressCancelParams) -> None:
        """Stop the work behind a bar."""
        self._server.bars.cancelled(given.token)

    def traced(self, given: types.SetTraceParams) -> None:
        """Take the client's wish to be told what is answered, or not."""
        self._server.protocol.trace = given.value

    @property
    def _can_ask(self) -> bool:
        return bool(get_capability(self._server.client_capabilities, "workspace.configuration", False))

    # -- settings -----------------------------------------------------------------------------------------------

    async def _ask_settings(self) -> bool:
        """Ask the client for its settings; False when it does not give any."""
        server = self._server
        if not self._can_ask:
            return False
        wanted = types.ConfigurationParams([types.ConfigurationItem(section=settings.SECTION)])
        asked = server.protocol.send_request(types.WORKSPACE_CONFIGURATION, wanted)
        asked.add_done_callback(self._answered)
        try:
            await asyncio.wrap_future(asked)
        except Exception:
            return False  # it was said already
        return True

    def _answered(self, asked: "Future[Any]") -> None:
        """Take the answer at once, so that what the client says next finds it in force."""
        if asked.cancelled():
            return
        if asked.exception() is not None:
            self._server.entries.warning("The client did not give its settings; those of its start count.")
            return
        answer = asked.result()
        if isinstance(answer, list | tuple) and answer and answer[0] is not None:
            self._take(answer[0])

    def _take(self, given: Any) -> None:
        configuration, faults = settings.read(_merged(self._options, given), self._server.base_settings)
        self._server.configure(configuration, faults)

    def _register(self) -> None:
        """Register what a client lets be registered while it runs: hints about files, and changed settings."""
        server = self._server
        wanted: list[types.Registration] = []
        if get_capability(server.client_capabilities, "workspace.did_change_watched_files.dynamic_registration", False):
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
            wanted.append(
                types.Registration(
                    "gazetteer-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, server.protocol.plain(options)
                )
            )
        if get_capability(server.client_capabilities, "workspace.did_change_configuration.dynamic_registration", False):
            wanted.append(
                types.Registration(
                    "gazetteer-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": settings.SECTION}
                )
            )
        if wanted:
            asked = server.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(wanted))
            asked.add_done_callback(lambda done: done.cancelled() or done.exception())


def _folders(given: types.InitializeParams) -> list[str]:
    """Return the URIs of the workspace, by whichever of its three ways the client says them."""
    if given.workspace_folders:
        return [folder.uri for folder in given.workspace_folders]
    if given.root_uri:
        return [given.root_uri]
    return [to_uri(given.root_path)] if given.root_path else []


def _merged(start: Any, given: Any) -> Any:
    """Lay what was said later over what was said at the start; a section is taken out of its envelope."""
    layers = [
        layer[settings.SECTION] if isinstance(layer.get(settings.SECTION), dict) else layer
        for layer in (start, given)
        if isinstance(layer, dict)
    ]
    if not layers:
        return given if given is not None else start
    return {key: value for layer in layers for key, value in layer.items()}
