"""One folder of the workspace: its session, from the first moment to the last.

Opening and indexing run on threads; what changes here changes on the event loop. `ready` is what a question waits for:
the session, the first generation, and the verdict on every document that was just opened. Whatever fails leaves a state
that says so with its remedy, and the next question tries again.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..kb.cancel import Cancel
from ..kb.errors import CancelledError, GazetteerError, NotFoundError
from ..kb.model import DocumentPath
from ..kb.paths import Root, printable
from .jobs import Kind
from .opening import CLOSED, Opening
from .progress import Bar, Feed
from .quiet import Quiet, read_in

if TYPE_CHECKING:
    from ..app import Session
    from ..kb.buffer import Buffer
    from ..kb.knowledge import KnowledgeBase
    from .server import GazetteerServer

T = TypeVar("T")
FolderState = Literal["starting", "indexing", "ready", "stale", "error"]
STOPPED = "Indexing was stopped, and what was published before still answers; gazetteer.sync goes on."


AGAIN = "This folder was opened again under other settings meanwhile; ask again."


class OpenedAgainError(CancelledError):
    """What was under way was stopped for another opening of its folder."""


class Folder:
    """One tree: a folder that the client has open, or a corpus that is asked beside those.

    Args:
        server: whose it is.
        uri: the tree's, in the client's spelling.
        root: the tree.
        beside: whose paths its own are spelled from, where the client has not opened it; "" for a folder of its own,
            whose index is brought up to the tree as soon as it is open: that of another by the first question.
    """

    def __init__(self, server: "GazetteerServer", uri: str, root: Root, *, beside: str = "") -> None:
        self.uri = uri
        self.root = root
        self.own = not beside
        self._beside = beside
        self.state: FolderState = "starting"
        self.message = ""
        self._server = server
        self._opening = Opening(server, root, beside)
        self._work: asyncio.Task[None] | None = None  # opening it and its first look at the tree
        self._cancels: set[Cancel] = set()  # of every indexing that is under way
        self._bars: list[Bar] = []
        self._buffers: dict[DocumentPath, Buffer] = {}
        self._fed: KnowledgeBase | None = None  # the knowledge base that has the buffers
        self._judging: dict[DocumentPath, asyncio.Task[None]] = {}
        self._mending: asyncio.Task[None] | None = None
        self._viewing: asyncio.Task[None] | None = None
        self._quiet = Quiet(server, self._read_in)
        self._closed = False

    @property
    def session(self) -> "Session | None":
        """The session, once it is open."""
        return self._opening.session

    @property
    def indexed(self) -> bool:
        """Whether questions are answered without waiting for a first index."""
        return self.session is not None and self._opening.indexed.is_set()

    @property
    def name(self) -> str:
        """What people call it."""
        if self.session is not None:
            return self.session.name
        return printable(os.path.basename(self.root.given) or self.root.given)

    @property
    def error(self) -> GazetteerError | None:
        """Why there is no session, once that is known."""
        return self._opening.error

    @property
    def is_there(self) -> bool:
        """Whether it can be asked, as far as is known: it is open, or may well be once it is asked."""
        if self.session is not None:
            return True
        refused = self.error is not None and not isinstance(self.error, NotFoundError)
        return not refused and os.path.isdir(self.root.real)

    # -- opening and indexing -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Open it and bring its index up to the tree, in the background."""
        self._work = self._server.keep(self._open(self._opening))

    async def _open(self, opening: Opening) -> None:
        self._tell("starting", "Opening the index")
        try:
            generation = await opening.open()
        except GazetteerError as error:
            if opening is self._opening:
                self._failed(error)
            return
        self._feed()
        if generation:
            opening.indexed.set()  # there is something to answer from
            if not self.own:
                self._tell("ready")
                return
        with suppress(GazetteerError):
            await self.index(quiet=bool(generation))

    async def index(self, *, quiet: bool = False, anew: bool = False, bar: Bar | None = None) -> Any:
        """Bring the index up to the tree and return how it is then.

        Args:
            quiet: show no bar.
            anew: derive everything again.
            bar: show this one instead of a new one.

        Raises:
            OpenedAgainError: it was stopped, because the folder was opened again under other settings meanwhile.
            GazetteerError: it failed or was stopped; the state says so too.
        """
        server, session, opening = self._server, await self.open_session(), self._opening
        cancel = Cancel(STOPPED)
        self._cancels.add(cancel)
        self._tell("indexing", "Looking for changes" if quiet else "Indexing")
        if bar is None and not quiet:
            bar = server.bars.create(f"Indexing {self.name}", cancel.set)
        with self._shown(bar):
            feed = Feed(asyncio.get_running_loop(), self._progress)
            try:
                health = await server.jobs.run(
                    "index", lambda token: session.sync(anew=anew, progress=feed, cancel=token), cancel=cancel
                )
            except asyncio.CancelledError:
                self._cancels.discard(cancel)
                if opening is self._opening and not self._cancels:  # else another one goes on, and says how it ends
                    self._tell("stale", STOPPED)
                raise
            except Exception as error:
                if self._closed:
                    raise NotFoundError(CLOSED) from None  # it was stopped for that
                if opening is not self._opening:
                    raise OpenedAgainError(AGAIN) from None  # and for that
                known = server.entries.known(f"indexing {self.name}", error)
                self._failed(known)
                raise known from None
            finally:
                self._cancels.discard(cancel)
                opening.indexed.set()
        if opening is self._opening:
            self._tell(*(("error", health.reason) if health.state == "failed" else ("ready", health.reason)))
        return health

    def _failed(self, error: GazetteerError) -> None:
        """Say what went wrong, where people look; of what is closed, nothing."""
        if self._closed:
            return
        if isinstance(error, CancelledError):
            self._tell("stale", STOPPED)
            return
        self._server.entries.error(f"{self.name}: {error.message}")
        self._tell("error", error.message)

    async def open_session(self) -> "Session":
        """Return the session, once it is open; what could not be opened before is tried again.

        Raises:
            GazetteerError: it cannot be opened.
        """
        if self._opening.error is not None and not self._closed:
            self._opening = Opening(self._server, self.root, self._beside)
            self.start()
        return await self._opening.wait()

    async def ready(self, bar: Bar | None = None) -> "Session":
        """Return the session once it can answer and has judged every open document; ``bar`` follows the wait."""
        while True:
            session, opening = await self.open_session(), self._opening
            if not opening.indexed.is_set():
                with self._shown(bar, end=False):
                    await opening.indexed.wait()
            if opening is self._opening:
                break  # else it was opened again meanwhile
        await self.judged()
        if self._closed:
            raise NotFoundError(CLOSED)
        return session

    async def use(
        self,
        kind: Kind,
        work: "Callable[[Session, Cancel], T]",
        wait: "Callable[[], Awaitable[Session]] | None" = None,
    ) -> T:
        """Do ``work`` with the session on a thread; once more with the next one, where it is opened again meanwhile.

        Args:
            kind: whose threads.
            work: gets the session and a token to poll.
            wait: what is waited for before; `ready` if nothing else is said.

        Raises:
            NotFoundError: this was closed meanwhile.
            GazetteerError: what ``work`` raises.
        """
        while True:
            session, opening = await (wait or self.ready)(), self._opening
            failure: GazetteerError | None = None
            try:
                result = await self._server.jobs.run(kind, partial(work, session))
            except GazetteerError as error:
                failure = error
            if self._closed:
                raise NotFoundError(CLOSED)
            if opening is self._opening:  # else what came of it is of no account: the session was closed under it
                if failure is not None:
                    raise failure
                return result

    async def caught_up(self) -> "Session":
        """Return the session once it has also looked at what changed before it was opened."""
        session = await self.ready()
        if self._work is not None:
            await asyncio.wait([self._work])
        return session

    async def judged(self) -> None:
        """Wait until every open document was asked about, and no longer: a first index is not waited for."""
        kb = self._feed()
        while self._judging:
            await asyncio.wait(list(self._judging.values()))
        if kb is not None and kb.buffers.undecided:
            await self._server.jobs.run("verdict", lambda cancel: kb.settle_buffers(cancel.is_set))

    def mend(self, work: Callable[[Cancel], bool]) -> None:
        """Have ``work`` open again or mend, in the background and once at a time, what a glance could not see.

        Where it says that there is nothing to see all the same, the tree is indexed.
        """
        if self._mending is None or self._mending.done():
            self._mending = self._server.keep(self._mend(work))

    def view(self, session: "Session") -> "asyncio.Task[None]":
        """Have a glance made of what is open now, in the background and once at a time."""
        if self._viewing is None or self._viewing.done():
            self._viewing = self._server.keep(self._server.jobs.run("query", lambda _: _make_glance(session)))
        return self._viewing

    async def _mend(self, work: Callable[[Cancel], bool]) -> None:
        if not await self._server.jobs.run("index", work):
            await self.index(quiet=True)

    def restart(self) -> None:
        """Open it again, under other settings."""
        self._end()
        self._opening = Opening(self._server, self.root, self._beside)
        self.start()

    def close(self) -> None:
        """Stop what is under way and let go; a question that waits here fails."""
        self._closed = True
        self._end()

    async def _read_in(self) -> None:
        """Do beforehand what the next question would have to wait for."""
        if self.indexed:
            with suppress(GazetteerError):  # whoever asks is told
                await self.use("pause", read_in)

    def _end(self) -> None:
        self._quiet.end()
        for cancel in self._cancels:
            cancel.set()
        self._opening.end()

    # -- documents ----------------------------------------------------------------------------------------------

    def put(self, path: DocumentPath, buffer: "Buffer") -> None:
        """Let an editor's text rule a document."""
        self._buffers[path] = buffer
        self._quiet.stir()
        kb, judging = self._feed(), self._judging.get(path)
        if kb is None or (judging is not None and not judging.done()):  # one that is done has given what was there
            return
        if path in kb.buffers.opened:
            kb.buffers.put(path, buffer)
        else:
            self._judge(kb, path)

    def drop(self, path: DocumentPath) -> None:
        """Let the disk rule a document again."""
        self._buffers.pop(path, None)
        self._quiet.stir()
        if (kb := self._feed()) is not None:
            kb.close_buffer(path)

    def mark(self, path: DocumentPath | None, reason: str) -> None:
        """Note that a document, or with None anything, may have changed."""
        self._quiet.stir()
        if (kb := self._feed()) is not None:
            kb.mark_dirty(path, reason)

    def touch(self, path: DocumentPath, reason: str) -> None:
        """Take a hint about what was there, or is: a document, or a folder, which stands for everything below it.

        ``path`` is "" for the whole tree. What was neither, and is not there, has gone without ever being of the tree,
        as editors' temporary files do.
        """
        if (kb := self._feed()) is None or ".git" in path.split("/"):
            return
        place, generation = os.path.join(self.root.real, path), kb.store.head().generation
        with suppress(GazetteerError):
            if kb.store.document(generation, path) is not None or os.path.isfile(place):
                self.mark(path, reason)
            elif not path or os.path.isdir(place) or kb.store.holds_below(generation, path):
                self.mark(None, reason)

    def _feed(self) -> "KnowledgeBase | None":
        """Give the open documents to the knowledge base that is open now, if it does not have them."""
        if self.session is None:
            return None
        kb = self.session.kb
        if kb is not self._fed:
            self._fed = kb
            for path in self._buffers:
                self._judge(kb, path)
        return kb

    def _judge(self, kb: "KnowledgeBase", path: DocumentPath) -> None:
        """Ask whether the tree's rules let a document in: that may call git, so not on the loop."""
        task = self._server.keep(self._judged(kb, path))
        self._judging[path] = task
        task.add_done_callback(lambda done: self._judging.pop(path) if self._judging.get(path) is done else None)

    async def _judged(self, kb: "KnowledgeBase", path: DocumentPath) -> None:
        """Give a document to the knowledge base with its verdict; whatever asking runs into, its text is not lost."""
        counts, asked_under = None, kb.buffers.rules
        try:
            counts = await self._server.jobs.run("verdict", lambda cancel: kb.admits(path, cancel.is_set))
        except GazetteerError:
            pass  # it is undecided, and asked about again
        finally:
            if (buffer := self._buffers.get(path)) is not None:
                kb.buffers.put(path, buffer, counts=counts, asked_under=asked_under)

    # -- what people see ----------------------------------------------------------------------------------------

    @contextmanager
    def _shown(self, bar: Bar | None, *, end: bool = True) -> Iterator[None]:
        """Let a bar follow the indexing."""
        if bar is not None:
            self._bars.append(bar)
        try:
            yield
        finally:
            if bar is not None:
                self._bars.remove(bar)
                if end:
                    bar.end()

    def _progress(self, message: str, percentage: int | None) -> None:
        for bar in self._bars:
            bar.report(message, percentage)
        if self.state == "indexing":
            self._tell("indexing", message, percentage)

    def _tell(self, state: FolderState, message: str = "", percent: int | None = None) -> None:
        if self._closed:
            return  # nobody has it any more
        self.state, self.message = state, message
        self._server.tell_status(self, percent)


def _make_glance(session: "Session") -> None:
    session.glance()  # it is at hand then
