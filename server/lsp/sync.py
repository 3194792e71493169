"""What the client says about documents and files: opened, changed, closed, saved, watched, created, renamed, deleted.

All of it runs on the event loop in arrival order and is short. An open document's text comes from here alone;
everything else is a hint that marks documents dirty and decides nothing. What does not fit is refused and logged.
"""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..kb.buffer import Change
from ..kb.errors import GazetteerError, InvalidArgumentError
from ..kb.paths import from_uri, printable
from . import params

if TYPE_CHECKING:
    from .server import GazetteerServer


def register(server: "GazetteerServer") -> None:
    """Serve the notifications about documents and files."""
    sync = Sync(server)
    server.raw(types.TEXT_DOCUMENT_DID_OPEN, sync.opened)
    server.raw(types.TEXT_DOCUMENT_DID_CHANGE, sync.changed)
    server.raw(types.TEXT_DOCUMENT_DID_CLOSE, sync.closed)
    server.raw(types.TEXT_DOCUMENT_DID_SAVE, sync.saved)
    server.on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, sync.watched)
    server.on(types.WORKSPACE_DID_CREATE_FILES, sync.created, _EVERY_FILE)
    server.on(types.WORKSPACE_DID_RENAME_FILES, sync.renamed, _EVERY_FILE)
    server.on(types.WORKSPACE_DID_DELETE_FILES, sync.deleted, _EVERY_FILE)
    server.on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, sync.folders)


_EVERY_FILE = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)


class Sync:
    """The handlers, over the server's documents and folders."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    def opened(self, given: Any) -> None:
        """Take a document's text as the editor has it, whatever the disk says."""
        document = params.read(given, params.DidOpen, types.TEXT_DOCUMENT_DID_OPEN).text_document
        if self._server.documents.get(document.uri) is not None:
            self._server.entries.warning(f"{_named(document.uri)} was opened twice; the text that came last counts.")
        opened = self._server.documents.open(document.uri, document.language_id, document.version, document.text)
        self._server.sessions.put(opened)
        self._look_for_garbage(document.uri)

    def changed(self, given: Any) -> None:
        """Apply edits; those that do not fit leave the text as it was."""
        try:
            change = params.read(given, params.DidChange, types.TEXT_DOCUMENT_DID_CHANGE)
        except InvalidArgumentError:
            self._fall_behind(_uri_in(given))
            raise
        uri = change.text_document.uri
        changes = [Change(edit.text, _span(edit.range)) for edit in change.content_changes]
        try:
            document = self._server.documents.change(uri, change.text_document.version, changes, self._server.units)
        except InvalidArgumentError as error:
            self._fall_behind(uri)
            self._refused(uri, error)
        except GazetteerError as error:
            self._refused(uri, error)
        else:
            self._server.sessions.put(document)
            self._look_for_garbage(uri)

    def closed(self, given: Any) -> None:
        """Let the disk rule a document again."""
        uri = params.read(given, params.OfDocument, types.TEXT_DOCUMENT_DID_CLOSE).text_document.uri
        if self._server.documents.close(uri):
            self._server.sessions.drop(uri)
        else:
            self._server.entries.warning(f"{_named(uri)} was closed but is not open; nothing changes.")

    def saved(self, given: Any) -> None:
        """Note that the disk has other bytes now."""
        uri = params.read(given, params.OfDocument, types.TEXT_DOCUMENT_DID_SAVE).text_document.uri
        self._server.sessions.mark(uri, "saved")

    def watched(self, given: types.DidChangeWatchedFilesParams) -> None:
        """Take hints about files, which never touch an open document's text."""
        self._server.sessions.touch([event.uri for event in given.changes], "watched")

    def created(self, given: types.CreateFilesParams) -> None:
        """Take a hint."""
        self._server.sessions.touch([file.uri for file in given.files], "created")

    def renamed(self, given: types.RenameFilesParams) -> None:
        """Take two hints."""
        self._server.sessions.touch([uri for file in given.files for uri in (file.old_uri, file.new_uri)], "renamed")

    def deleted(self, given: types.DeleteFilesParams) -> None:
        """Take a hint."""
        self._server.sessions.touch([file.uri for file in given.files], "deleted")

    def folders(self, given: types.DidChangeWorkspaceFoldersParams) -> None:
        """Let folders come and go."""
        for folder in given.event.removed:
            self._server.sessions.remove(folder.uri)
        for folder in given.event.added:
            self._server.sessions.add(folder.uri)

    # -- inside -------------------------------------------------------------------------------------------------

    def _fall_behind(self, uri: str) -> None:
        document = self._server.documents.fall_behind(uri)
        if document is not None:
            self._server.sessions.put(document)  # so that answers say it
        self._server.sessions.mark(uri, "refused change")

    def _look_for_garbage(self, uri: str) -> None:
        """Let a document fall behind whose text came in bytes that are no UTF-8: later ranges count those bytes."""
        if self._server.protocol.garbled:
            self._server.entries.warning(f"{_named(uri)} has bytes that are no UTF-8; its edits cannot be followed.")
            self._fall_behind(uri)

    def _refused(self, uri: str, error: GazetteerError) -> None:
        self._server.sessions.mark(uri, "refused change")
        self._server.entries.warning(f"{_named(uri)}: {error.message}")


def _span(given: params.Span | None) -> tuple[int, int, int, int] | None:
    if given is None:
        return None
    return given.start.line, given.start.character, given.end.line, given.end.character


def _uri_in(given: Any) -> str:
    """Find the document that malformed parameters are about, "" for none."""
    document = given.get("textDocument") if isinstance(given, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else ""


def _named(uri: str) -> str:
    path = from_uri(uri)
    return "An unsaved document" if path is None else printable(path)
