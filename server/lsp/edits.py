"""``commitEdit`` and ``recordEdit``: the one write boundary, for editors and their tools (row K11).

A document that no editor has open is written on disk. One that is open is the editor's: the edit goes to it as
``workspace/applyEdit`` for the very version that was checked, and nothing is written here. Nothing is held while the
editor makes up its mind. It has made the edit once its text is what the edit makes of it, and not when it says so: an
editor whose text moved on meanwhile may skip the edit and call that a success. Whoever cancels is told what was done.
"""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from ..kb.cancel import Cancel
from ..kb.edits import TextEdit, apply_edits
from ..kb.errors import ConflictError, InvalidArgumentError, RefusedError, TimeoutExpiredError
from ..kb.paths import from_uri, printable, resolve_inside
from ..kb.text import normalise
from . import params
from .commands import Row
from .jobs import to_the_end
from .looking import range_of
from .sessions import Place
from .wordy import plain

if TYPE_CHECKING:
    from ..kb.buffer import Buffer
    from ..kb.write import Committed
    from .documents import Document
    from .server import GazetteerServer

EDITOR_S = 30.0
"""How long an editor is waited for; it may ask its user first."""
ARRIVES_S = 3.0
"""How long the text of an editor that has made an edit is waited for; editors gather what they send."""


class Replacement(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """One edit; all of them count in the text before any."""

    range: params.Span
    new_text: str


class OfFile(params.Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A document: ``uri``, or ``path`` (absolute, or relative to ``root``, else to the first folder)."""

    path: str | None = None
    edits: list[Replacement]


class CommitEdit(OfFile, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Edits, and the SHA-256 of the bytes that they are meant for."""

    expected_hash: str


class RecordEdit(OfFile, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Edits that were written already, with the SHA-256 of the bytes before and after."""

    old_hash: str
    new_hash: str


def register(server: "GazetteerServer") -> None:
    """Serve both."""
    writing = Writing(server)
    server.commands.add(
        Row("commitEdit", CommitEdit, writing.commit),
        Row("recordEdit", RecordEdit, writing.record),
    )


class Writing:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def commit(self, given: CommitEdit) -> Any:
        """Edit a document, on disk or in the editor that has it open."""
        place, edits, units = self._place(given), _edits(given), self._server.units
        session = await place.folder.open_session()
        document = self._opened(place)
        if document is None:
            done = await self._server.jobs.finish(
                "query",
                lambda cancel: session.commit_edit(place.path, given.expected_hash, edits, units, cancel=cancel),
            )
            return _answer(place, done)
        self._check_client()
        buffer = document.buffer

        def preview(_: Cancel) -> "tuple[Committed, str]":
            done = session.preview_edit(place.path, given.expected_hash, edits, units, buffer)
            return done, normalise(apply_edits(buffer.text, edits, units))

        done, expected = await self._server.jobs.run("query", preview)
        applying = asyncio.ensure_future(self._apply(document, given, expected))
        await to_the_end(applying, lambda: self._server.is_ending and applying.cancel())
        return _answer(place, done, version=buffer.version)

    async def record(self, given: RecordEdit) -> Any:
        """Note a write that the client did itself."""
        place, edits, units = self._place(given), _edits(given), self._server.units
        session = await place.folder.open_session()
        done = await self._server.jobs.run(
            "query", lambda _: session.record_edit(place.path, given.old_hash, edits, given.new_hash, units)
        )
        return _answer(place, done)

    # -- inside -------------------------------------------------------------------------------------------------

    def _place(self, given: OfFile) -> Place:
        if (given.uri is None) == (given.path is None):
            raise InvalidArgumentError("Name the document by uri or by path.", argument="uri")
        if given.path is not None:
            folder = self._server.sessions.of(given.root, None)
            if not folder.own:
                raise _outside(given.path)
            return Place(folder, resolve_inside(folder.root, given.path))
        assert given.uri is not None
        path = from_uri(given.uri)
        if path is None:
            raise InvalidArgumentError("uri is no file; name one.", argument="uri")
        for place in self._server.sessions.places(given.uri):
            meant = given.root is None or place.folder is self._server.sessions.of(given.root, None)
            if meant and place.folder.own:  # corpora beside the workspace are read and never written
                return Place(place.folder, resolve_inside(place.folder.root, path))
        raise _outside(given.uri)

    def _opened(self, place: Place) -> "Document | None":
        """Return the document as an editor has it open, whatever it is called there."""
        there = (document for document in self._server.documents if place in self._server.sessions.places(document.uri))
        return next(there, None)

    def _check_client(self) -> None:
        capabilities = self._server.client_capabilities
        if not (get_capability(capabilities, "workspace.apply_edit", False) and takes_versions(capabilities)):
            raise RefusedError(
                "This editor has the document open and takes no edits of a certain version; close it there and try "
                "again.",
                reason="client",
            )

    async def _apply(self, document: "Document", given: CommitEdit, expected: str) -> None:
        """Have the editor make the edit, and see that its normalised text is ``expected`` then."""
        if self._server.documents.get(document.uri) is not document:
            raise _not_made("the document has changed meanwhile")
        edits = [types.TextEdit(range_of(edit.range), edit.new_text) for edit in given.edits]
        identity = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.buffer.version)
        change = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identity, edits)])
        request = self._server.protocol.send_request_async(
            types.WORKSPACE_APPLY_EDIT, types.ApplyWorkspaceEditParams(change, "Gazetteer")
        )
        try:
            answer = await asyncio.wait_for(request, EDITOR_S)
        except TimeoutError:
            raise TimeoutExpiredError(
                "The editor did not say whether it made the edit; look at the document before trying again."
            ) from None
        except JsonRpcException as error:
            raise _not_made(error.message) from None
        if not answer.applied:
            raise _not_made(answer.failure_reason or "the document has changed meanwhile")
        try:
            await asyncio.wait_for(self._arrives(document, expected), ARRIVES_S)
        except TimeoutError:
            raise ConflictError(
                "The editor took the edit, but its text is another than the edit makes; read it again before trying "
                "again.",
                reason="editor",
            ) from None

    async def _arrives(self, document: "Document", expected: str) -> None:
        now: Document | None = document
        while now is not None:
            if now.buffer.in_step and await self._server.jobs.run("query", partial(_says, now.buffer, expected)):
                return
            now = await self._server.documents.after(now)
        raise _not_made("the document was closed")


def _says(buffer: "Buffer", text: str, _: Cancel) -> bool:
    return buffer.normalised == text


def _not_made(why: str) -> ConflictError:
    """``why`` may be an editor's own words."""
    return ConflictError(
        f"The editor did not make the edit ({plain(why).rstrip('.')}); read the document again and try again.",
        reason="editor",
    )


def _outside(named: str) -> RefusedError:
    words = "This document is in no folder of the workspace, so it is not written; name one that is."
    return RefusedError(words, uri=named, reason="outside")


def takes_versions(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client takes edits of a certain version of a document."""
    return bool(
        get_capability(capabilities, "workspace.workspace_edit.document_changes", False)
        # who takes operations on files takes changes of a version too, as Neovim, which does not say the latter
        or get_capability(capabilities, "workspace.workspace_edit.resource_operations", None)
    )


def _edits(given: OfFile) -> list[TextEdit]:
    return [
        TextEdit((e.range.start.line, e.range.start.character, e.range.end.line, e.range.end.character), e.new_text)
        for e in given.edits
    ]


def _answer(place: Place, done: "Committed", *, version: int | None = None) -> dict[str, Any]:
    """``written`` is false when the editor has the change; ``newHash`` is then that of the file once it is saved."""
    return {
        "path": printable(place.path),
        "uri": place.folder.root.uri(place.path),
        "oldHash": f"sha256:{done.old_hash}",
        "newHash": f"sha256:{done.new_hash}",
        "written": version is None,
        "version": version,
    }
