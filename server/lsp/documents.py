"""The documents that the client has open, as the client has them; the one owner of their text.

A text is an immutable ``Buffer``; folders pass it on to their knowledge base. An edit that does not fit changes
nothing. One whose range makes no sense was still made in the editor, so our text is behind from then on: until the
whole text comes, no further ranged edit is applied to it. Documents of no folder are kept too: theirs may come.
"""

import asyncio
from collections.abc import Iterator, Sequence

import msgspec

from ..kb.buffer import Buffer, Change
from ..kb.errors import NotFoundError
from ..kb.paths import canonical_uri
from ..kb.text import Units


class Document(msgspec.Struct, frozen=True):
    """One version of an open document. ``uri`` is in the client's spelling."""

    uri: str
    language: str
    buffer: Buffer

    @property
    def behind(self) -> bool:
        """Whether an edit could not be applied: then the text is the last one that is known."""
        return not self.buffer.in_step


class Documents:
    """All open documents, by URI; used on the event loop only."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._waiting: list[asyncio.Future[None]] = []  # for anything here to change

    def get(self, uri: str) -> Document | None:
        """Return an open document, however its URI is spelled."""
        return self._open.get(canonical_uri(uri))

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        """Take in a document; the client's text counts, whatever the disk says."""
        return self._keep(Document(uri, language, Buffer.of(text, version)))

    def change(self, uri: str, version: int | None, changes: Sequence[Change], units: Units) -> Document:
        """Apply edits and return the document after them.

        Raises:
            NotFoundError: it is not open.
            ConflictError: the version is out of date, or the document is behind already.
            InvalidArgumentError: a range makes no sense.
        """
        known = self.get(uri)
        if known is None:
            raise NotFoundError("A document that is not open cannot be changed; the change is ignored.")
        number = known.buffer.version + 1 if version is None else version
        buffer = known.buffer.apply(changes, number, units)
        return self._keep(msgspec.structs.replace(known, buffer=buffer))

    def fall_behind(self, uri: str) -> Document | None:
        """Note that the editor's text is another than the one known here, and return the document as it is then."""
        known = self.get(uri)
        return self._keep(msgspec.structs.replace(known, buffer=known.buffer.lost())) if known is not None else None

    def close(self, uri: str) -> bool:
        """Forget a document; False when it was not open."""
        closed = self._open.pop(canonical_uri(uri), None) is not None
        self._wake()
        return closed

    async def after(self, known: Document) -> Document | None:
        """Wait until an open document is another than ``known`` and return it; None once it is closed."""
        while (now := self.get(known.uri)) is known:
            change: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(change)
            try:
                await change
            finally:
                if change in self._waiting:
                    self._waiting.remove(change)
        return now

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)

    def _keep(self, document: Document) -> Document:
        self._open[canonical_uri(document.uri)] = document
        self._wake()
        return document
