"""What an item carries while it lies with the client: which place of which version of a document it is about.

Lenses, notes and actions are made cheaply and finished when they are chosen. By then the document may be another one,
and a position means nothing in another text; and what comes back is read like any parameter.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types

from ..kb.errors import ConflictError
from . import params

if TYPE_CHECKING:
    from .server import GazetteerServer


class Carried(msgspec.Struct, frozen=True):
    """A place, and the version of the document that it was seen in; None for one that was not open."""

    uri: str
    position: params.Position
    version: int | None = None

    @property
    def at(self) -> types.Position:
        """The position as the protocol has it."""
        return types.Position(self.position.line, self.position.character)


def carry(uri: str, position: types.Position, version: int | None) -> dict[str, Any]:
    """Return what `Carried` is read from."""
    return {"uri": uri, "version": version, "position": {"line": position.line, "character": position.character}}


def version_of(server: "GazetteerServer", uri: str) -> int | None:
    """The version of a document that is open; None for any other."""
    opened = server.documents.get(uri)
    return opened.buffer.version if opened is not None else None


def take_back(server: "GazetteerServer", given: Any, method: str) -> Carried:
    """Read what an item carried.

    Raises:
        InvalidArgumentError: it does not fit.
        ConflictError: the document has changed since.
    """
    carried = params.read(given, Carried, method)
    check_unchanged(server, carried.uri, carried.version)
    return carried


def check_unchanged(server: "GazetteerServer", uri: str, version: int | None) -> None:
    """Raise ConflictError, which clients drop without a word, where a document has changed since that version."""
    if version_of(server, uri) != version:
        raise ConflictError("The document was changed meanwhile; ask again.", uri=uri)
