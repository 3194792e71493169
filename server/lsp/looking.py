"""A look at one place for those who must not wait: hover, menus of actions, jumps.

A look is one glance of the folder that a document is in, the document as that has it, and its positions in the client's
units. There is none while nothing is indexed, and none where the index has another text than the editor: a position
means nothing in another text.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.model import DocumentPath
from ..kb.text import LineIndex, Units

if TYPE_CHECKING:
    from ..app import Session
    from ..kb.snapshot import Document
    from ..retrieval.glance import Glance
    from .folder import Folder
    from .server import GazetteerServer

T = TypeVar("T")


class Look(NamedTuple):
    """What is seen of a place."""

    session: "Session"
    glance: "Glance"
    document: "Document"
    text: str
    lines: LineIndex
    units: Units

    @property
    def path(self) -> DocumentPath:
        """The document's path."""
        return self.document.path

    def offset(self, position: types.Position) -> int:
        """The offset of a position in the document."""
        return self.lines.offset(position.line, position.character, self.units)

    def range(self, start: int, end: int) -> types.Range:
        """The range of two offsets in the document."""
        return types.Range(
            types.Position(*self.lines.position(start, self.units)),
            types.Position(*self.lines.position(end, self.units)),
        )

    def uri(self, path: DocumentPath) -> str:
        """The URI of a document of the same tree."""
        return self.glance.origin.root.uri(path)

    def place(self, path: DocumentPath, start: int, end: int) -> types.Location | None:
        """Two offsets in any document of the tree, as a client jumps to them."""
        document = self.glance.snapshot.document(path)
        if document is None:
            return None
        lines = self.lines if path == self.path else LineIndex(self.glance.snapshot.text(document))
        first, last = lines.position(start, self.units), lines.position(end, self.units)
        return types.Location(self.uri(path), types.Range(types.Position(*first), types.Position(*last)))


def folder_of(server: "GazetteerServer", uri: str) -> "tuple[Folder, DocumentPath] | None":
    """The innermost folder that a document is in, and its path there."""
    places = server.sessions.places(uri)
    return (places[0].folder, places[0].path) if places else None


def nothing() -> None:
    """Have nothing to say."""


async def look(
    server: "GazetteerServer",
    uri: str,
    work: Callable[[Look, Cancel], T],
    unseen: Callable[[], T | None] = nothing,
) -> T | None:
    """Do ``work`` on a thread with a look at a document; None where there is none to be had now.

    ``unseen`` answers, on the loop, while nothing of the folder is indexed.
    """
    found = folder_of(server, uri)
    if found is None:
        return None
    folder, path = found
    session = folder.session
    if session is None or not folder.indexed:
        return unseen()
    await folder.judged()
    opened = server.documents.get(uri)
    expected = opened.buffer if opened is not None and not opened.behind else None
    if opened is not None and expected is None:
        return None  # the editor's own text is not known
    units = server.units

    def run(cancel: Cancel) -> tuple[bool, T | None]:
        glance = session.glance()
        if glance is None:
            return False, None
        document = glance.snapshot.document(path)
        if document is None:
            return True, None
        text = glance.snapshot.text(document)
        if expected is not None and expected.normalised != text:
            return True, None
        return True, work(Look(session, glance, document, text, LineIndex(text), units), cancel)

    seen, answer = await server.jobs.run("glance", run)
    return answer if seen else unseen()
