"""A look at one place for those who must not wait: hover, menus of actions, jumps.

A look is one glance of the folder that a document is in, the document as that has it, and its positions in the client's
units. There is none while nothing is indexed, and none where the index has another text than the editor: a position
means nothing in another text.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.errors import DamagedError, GazetteerError, UnavailableError
from ..kb.model import DocumentPath, Symbol
from ..kb.text import LineIndex, Units
from . import params
from .jobs import Kind

if TYPE_CHECKING:
    from ..app import Session
    from ..kb.buffer import Buffer
    from ..kb.snapshot import Document
    from ..retrieval.glance import Glance
    from .folder import Folder
    from .server import GazetteerServer

T = TypeVar("T")
VERDICT_S = 1.0
"""How long the rules of a tree are waited for, which say whether a document that was just opened counts: git may take
any time. What has no verdict by then is looked at as the disk has it, or not at all."""
VIEW_S = 1.0
"""How long the derivation of open documents is waited for where the last glance has another text of the document that
is looked at; after that, there is nothing to see."""
SOON_S = 0.1
"""How long where the last glance has the same text: what most documents take, so that only large ones are left out."""
READING = "The open documents are being read; ask once more in a moment."
AGAIN = "The index is being opened again; ask once more in a moment."


class Look(NamedTuple):
    """What is seen of a place."""

    session: "Session"
    glance: "Glance"
    document: "Document"
    text: str
    lines: LineIndex
    units: Units
    settled: bool = True  # every open document is in the glance as it is now

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

    @classmethod
    def elsewhere(cls, session: "Session", glance: "Glance", document: "Document", units: Units) -> "Look":
        """A look at a document that nobody has pointed at."""
        return cls(session, glance, document, glance.snapshot.text(document), glance.lines(document), units)

    def spot(self, symbol: Symbol) -> types.Location:
        """Where the name of a symbol of this document stands."""
        return types.Location(self.uri(self.path), self.range(symbol.name_start, symbol.name_start + len(symbol.name)))

    def at_line(self, path: DocumentPath, line: int) -> types.Location | None:
        """The beginning of a line (1-based; 0 is the first) of a document of the tree."""
        document = self.glance.snapshot.document(path)
        if document is None or not self.glance.holds(document):
            return None
        at = types.Position(max(line - 1, 0), 0)
        return types.Location(self.uri(path), types.Range(at, at))

    def on_line(self, document: "Document", line: int, name: str) -> Iterator[types.Location]:
        """Where a name stands as a whole word in a line of a document of the tree."""
        lines, text = self.glance.lines(document), self.glance.snapshot.text(document)
        for start in _words(text, name, lines.start_of(line), lines.end_of(line)):
            first, last = lines.position(start, self.units), lines.position(start + len(name), self.units)
            yield types.Location(self.uri(document.path), types.Range(types.Position(*first), types.Position(*last)))

    def place_on_line(self, line: int, name: str) -> int:
        """Where a name first stands as a whole word in a line of this document, or -1."""
        return next(_words(self.text, name, self.lines.start_of(line), self.lines.end_of(line)), -1)


def _words(text: str, name: str, start: int, end: int) -> Iterator[int]:
    """Where a name stands as a whole word between two offsets."""
    return (found.start() for found in re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").finditer(text, start, end))


def range_of(span: params.Span) -> types.Range:
    """The range of the protocol that a client gave as plain data."""
    start, end = span.start, span.end
    return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


def folder_of(server: "GazetteerServer", uri: str) -> "tuple[Folder, DocumentPath] | None":
    """The innermost folder that a document is in, and its path there."""
    places = server.sessions.places(uri)
    return (places[0].folder, places[0].path) if places else None


class Unseen(NamedTuple):
    """What there is while nothing can be seen of the folder that a document is in."""

    buffer: "Buffer | None"  # the text as the editor has it
    why: str


def nothing(unseen: Unseen) -> None:
    """Have nothing to say."""
    del unseen


async def look(
    server: "GazetteerServer",
    uri: str,
    work: Callable[[Look, Cancel], T],
    unseen: Callable[[Unseen], T | None] = nothing,
    *,
    threads: Kind = "glance",
) -> T | None:
    """Do ``work`` on a thread with a look at a document; None where there is none to be had now.

    ``unseen`` answers, on a thread too, while nothing of the folder can be seen. What has to be opened again or mended
    before anything can is left to threads that may wait. Whoever looks longer than a hover uses other ``threads``.
    """
    found = folder_of(server, uri)
    if found is None:
        return None
    folder, path = found
    session = folder.session
    if session is not None and folder.indexed:
        await asyncio.wait([server.keep(folder.judged())], timeout=VERDICT_S)
    opened = server.documents.get(uri)
    expected = opened.buffer if opened is not None and not opened.behind else None
    if opened is not None and expected is None:
        return None  # the editor's own text is not known
    ready = folder.state == "ready"  # what failed, or was stopped by somebody, is for a question to try again
    why = AGAIN if ready else f"Not indexed yet: {folder.message or folder.state}"
    seeing = _Seeing(path, expected, server.units, work, unseen, why)
    if session is None or not folder.indexed:
        return await server.jobs.run(threads, lambda _: seeing.not_seen())
    newest, patience, (seen, answer) = await server.jobs.run(threads, partial(seeing.at_once, session))
    if not newest:
        glance, newest = await glance_of(server, folder, session, threads, patience=patience)
        if not newest:  # an open document takes long: what was seen before, but for what has changed since
            seeing.why, seeing.settled = READING, False
        seen, answer = await server.jobs.run(threads, partial(seeing.if_it_can, session, glance))
    if not seen and newest and ready:
        folder.mend(lambda cancel: session.with_glance(lambda glance: seeing.again(session, glance, cancel)))
    elif ready and session.kb.journal.pending:  # what was said to be read again is, though nobody asks a question
        folder.mend(lambda cancel: _read_again(session, cancel))
    return answer


async def glance_of(
    server: "GazetteerServer",
    folder: "Folder",
    session: "Session",
    threads: Kind = "glance",
    *,
    patience: float,
) -> "tuple[Glance | None, bool]":
    """The newest glance, or after so many seconds for open documents the last one; and which of them it is."""
    clock = asyncio.get_running_loop().time
    until = clock() + patience
    while True:
        glance, newest = await server.jobs.run(threads, lambda _: session.glance_at_hand())
        if newest:
            return glance, True
        reading = folder.view(session)  # begun even where no time is left for it: the answer says that it goes on
        if (left := until - clock()) <= 0:
            return glance, False
        await asyncio.wait([reading], timeout=left)


def glance_elsewhere(session: "Session") -> "Glance | None":
    """A glance of another tree than the one that is looked at; nobody waits for what is open there."""
    glance, newest = session.glance_at_hand()
    return glance if newest or len(session.kb.overlays) else session.glance()


def _read_again(session: "Session", cancel: Cancel) -> bool:
    """Take in what is known to have changed."""
    with suppress(GazetteerError):  # the next question meets it again, and says what it is
        session.kb.flush(should_stop=cancel.is_set)
    return True


class _Seeing(Generic[T]):
    """What somebody wants to do with a look at one document, of which an editor may have a text."""

    def __init__(
        self,
        path: DocumentPath,
        expected: "Buffer | None",
        units: Units,
        work: Callable[[Look, Cancel], T],
        unseen: Callable[[Unseen], T | None],
        why: str,
    ) -> None:
        self._path = path
        self._expected = expected
        self._units = units
        self._work = work
        self._unseen = unseen
        self.why = why  # there is nothing to see, if there is nothing
        self.settled = True  # every open document is in the glance as it is now

    def not_seen(self) -> T | None:
        """What is said where nothing is seen."""
        return self._unseen(Unseen(self._expected, self.why))

    def at_once(self, session: "Session", cancel: Cancel) -> tuple[bool, float, tuple[bool, T | None]]:
        """Do it if the newest glance is at hand; else how long that is waited for."""
        glance, newest = session.glance_at_hand()
        if newest:
            return True, 0, self.if_it_can(session, glance, cancel)
        return False, SOON_S if glance is not None and self.shown_by(glance) else VIEW_S, (False, None)

    def if_it_can(self, session: "Session", glance: "Glance | None", cancel: Cancel) -> tuple[bool, T | None]:
        """Do it, or say that there is nothing to see; and which of both it was."""
        with suppress(DamagedError, UnavailableError):  # documents are read as they are needed
            if glance is not None:
                return True, self.through(session, glance, cancel)
        return False, self.not_seen()

    def shown_by(self, glance: "Glance") -> "tuple[Document, str] | None":
        """The document and its text; None where the glance has no such document, or another text than the editor."""
        document = glance.snapshot.document(self._path)
        if document is None:
            return None
        text = glance.snapshot.text(document)
        if self._expected is not None and self._expected.normalised != text:
            return None
        return document, text

    def through(self, session: "Session", glance: "Glance", cancel: Cancel) -> T | None:
        """Do it; None where the glance does not show the document."""
        shown = self.shown_by(glance)
        if shown is None:
            return None
        document, text = shown
        return self._work(Look(session, glance, document, text, LineIndex(text), self._units, self.settled), cancel)

    def again(self, session: "Session", glance: "Glance | None", cancel: Cancel) -> bool:
        """Meet what is damaged once more, so that it is mended; whether there is anything to see."""
        if glance is not None:
            self.through(session, glance, cancel)
        return glance is not None
