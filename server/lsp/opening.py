"""One opening of a tree: from asking for its session to letting go of it.

A folder is opened again when its settings change or when it could not be opened before; each time is an `Opening` of
its own, so that what still comes of an earlier one is told apart. Its two moments are waited for by questions: the
session is there, and there is something to answer from.
"""

import asyncio
import os
from typing import TYPE_CHECKING

from ..kb.errors import GazetteerError, NotFoundError, RefusedError
from ..kb.memory import settle
from ..kb.paths import Root
from ..kb.text import Units

if TYPE_CHECKING:
    from ..app import Session
    from ..corpora.entry import Entries
    from ..settings import Settings
    from .server import GazetteerServer

CLOSED = "This folder was closed meanwhile; open it again."


class Opening:
    """On the event loop only."""

    def __init__(self, server: "GazetteerServer", root: Root, workspace: str = "") -> None:
        self._server = server
        self._root = root
        self._workspace = workspace  # where paths are spelled from; "" is the tree itself
        self._opened = asyncio.Event()
        self._over = False
        self.session: Session | None = None
        self.error: GazetteerError | None = None  # why there is no session
        self.indexed = asyncio.Event()

    async def open(self) -> int:
        """Open the session; the generation that it can answer from, 0 for none.

        Raises:
            GazetteerError: it cannot be opened; so `wait` says to everybody else.
        """
        server, settings, units = self._server, self._server.configuration.index, self._server.units
        entries, workspace = server.corpora.entries(self._root), self._workspace
        try:
            session, generation = await server.jobs.run(
                "opening", lambda _: open_session(self._root, settings, units, entries, workspace)
            )
        except Exception as error:
            self.error = self.error or server.entries.known("opening a folder", error)
            raise self.error from None
        else:
            if self._over:
                self._close(session)
                raise self.error or NotFoundError(CLOSED)
            self.session = session
            return generation
        finally:
            self._opened.set()

    async def wait(self) -> "Session":
        """Return the session once it is open; raises why it cannot be."""
        await self._opened.wait()
        if self.session is None:
            raise self.error or NotFoundError(CLOSED)
        return self.session

    def end(self) -> None:
        """Let go of the session, on a thread; whoever waits for it goes on."""
        self._over = True
        session, self.session = self.session, None
        self.error = NotFoundError(CLOSED)
        self._opened.set()
        self.indexed.set()
        if session is not None:
            self._close(session)

    def _close(self, session: "Session") -> None:
        self._server.keep(self._server.jobs.run("index", lambda _: session.close()))


def open_session(
    root: Root, settings: "Settings", units: Units, entries: "Entries", workspace: str = ""
) -> "tuple[Session, int]":
    """Open a folder's session; on a thread. The home folder and ``/`` are opened only if they were indexed by name."""
    from ..app import Session
    from ..kb.room import corpus_folder

    broad = {os.path.realpath(os.path.expanduser("~")), os.path.realpath(os.sep)}
    if root.real in broad and not os.path.isdir(corpus_folder(settings.index_root(), root)):
        raise RefusedError(
            f"{root.given} is not indexed unless it is named; run `gazetteer sync --root {root.given}` once, or open a "
            "folder inside it.",
            root=root.given,
        )
    session = Session(root.given, settings, one_shot=False, units=units, entries=entries, workspace=workspace)
    settle()
    return session, session.kb.store.head().generation
