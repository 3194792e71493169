"""Registered trees with ``autoindex``: brought up to date in the background (row C1).

In rounds, one tree after the other; one that takes long, or is on a disk that does not answer, goes on beside the next.
Whatever anybody waits for goes first: it stops a look that is under way, which begins again in the next pause, and
finds what it had read. After a few times a look goes on beside questions, reading in one process of the lowest
priority, because it has to come to an end. Nothing here decides an answer: a question looks at its tree all the same.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..kb.cancel import Cancel
from ..kb.errors import CancelledError, GazetteerError, TimeoutExpiredError
from ..kb.paths import Root
from .jobs import AWAITED, Kind

if TYPE_CHECKING:
    from ..app import Session
    from ..corpora.registry import Corpus
    from .folder import Folder
    from .server import GazetteerServer

SHARE = 50
"""A round begins after so many times the work of the last one: about 2 % of a processor, where that took less than six
seconds."""
LONGEST_S = 300.0
"""However long the last round took, this is waited at most."""
ENDS_S = 5.0
"""How long whoever lets go of a tree waits for the look at it to stop."""
WATCHED_S = 600.0
"""How old a look may be at a tree whose changes the operating system reports, while it has reported none."""


async def _next_round(woken: asyncio.Event, seconds: float) -> None:
    """Wait for so long, or until somebody knows of something new."""
    with suppress(TimeoutError):
        await asyncio.wait_for(woken.wait(), seconds)


@dataclass(frozen=True, slots=True)
class Pace:
    """When trees are looked at; times are seconds."""

    every_s: float = 30.0  # from one round to the next
    quiet_s: float = 2.0  # for how long nobody may have asked
    turn_s: float = 10.0  # how long the others of a round wait for one tree
    recent_s: float = 15.0  # a tree that any process swept so lately is left to the next round
    gives_way: int = 5  # how often a look begins again for whoever asks
    next_round: Callable[[asyncio.Event, float], Awaitable[None]] = _next_round


class _Seen(NamedTuple):
    """What has to be known of a tree before it is looked at: is there an index, and how many trees may be open."""

    indexed: bool
    most: int


class Autoindex:
    """Keeps the trees of one server fresh; on the event loop only.

    Args:
        server: whose threads, settings and open trees there are.
        pace: when.
    """

    def __init__(self, server: "GazetteerServer", pace: Pace | None = None) -> None:
        self._server = server
        self._pace = pace or Pace()
        self._woken = asyncio.Event()
        self._rounds: asyncio.Task[None] | None = None
        self._looks: dict[str, asyncio.Task[None]] = {}  # under way, by real path
        self._held: set[str] = set()  # real paths that nobody may look at now
        self._failed: dict[str, str] = {}  # by real path: why the last look failed, which is said once
        self._worked = 0.0  # seconds of the round

    def wake(self) -> None:
        """Begin, or have the next round begin at once: there may be other trees."""
        self._woken.set()
        if self._rounds is None:
            self._rounds = asyncio.ensure_future(self._go_on())  # no end of it is waited for
            self._rounds.add_done_callback(self._server.over)

    @asynccontextmanager
    async def held(self, real: str) -> AsyncIterator[None]:
        """Look at a tree no more, for as long as the block lasts: it is being let go of."""
        self._held.add(real)
        try:
            if (look := self._looks.get(real)) is not None:
                look.cancel()
                await asyncio.wait([look], timeout=ENDS_S)
            yield
        finally:
            self._held.discard(real)

    async def _go_on(self) -> None:
        while not self._server.jobs.stopped:
            self._woken.clear()
            self._worked = 0.0
            for corpus in await self._registered():
                if corpus.real not in self._looks and corpus.real not in self._held:
                    await asyncio.wait([self._begin(corpus)], timeout=self._pace.turn_s)
            seconds = max(self._pace.every_s, min(SHARE * self._worked, LONGEST_S))
            await self._pace.next_round(self._woken, seconds)

    async def _registered(self) -> "Sequence[Corpus]":
        """Those that say so, in the order of the registry."""
        catalogue = self._server.corpora.catalogue

        def read(_: Cancel) -> "Sequence[Corpus]":
            return [corpus for corpus in catalogue.current().corpora.values() if corpus.autoindex]

        return await self._server.jobs.run("aside", read)

    def _begin(self, corpus: "Corpus") -> "asyncio.Task[None]":
        task = self._looks[corpus.real] = self._server.keep(self._look(corpus))
        task.add_done_callback(lambda _: self._looks.pop(corpus.real))
        return task

    async def _look(self, corpus: "Corpus") -> None:
        """Bring a tree up to date, in as many attempts as somebody comes in between, within bounds."""
        server, loop, attempts = self._server, asyncio.get_running_loop(), 0
        while corpus.real not in self._held and not server.jobs.stopped:
            attempts += 1
            await server.jobs.quiet(self._pace.quiet_s)
            began = loop.time()
            try:
                seen = await server.jobs.aside(lambda _: self._seen(corpus))
                if seen is not None:
                    await self._open_and_freshen(corpus, seen, last=attempts > self._pace.gives_way)
            except CancelledError:
                continue
            finally:
                self._worked += loop.time() - began
            return

    def _seen(self, corpus: "Corpus") -> _Seen | None:
        """None where there is nothing to do; on a thread: the disk may not answer."""
        from ..kb.room import corpus_folder, last_sweep
        from ..shelf import most_open

        if not corpus.there:
            return None  # whoever asks it is told
        folder = corpus_folder(self._server.configuration.index.index_root(), Root(corpus.root, corpus.real))
        swept = last_sweep(folder)
        if 0 <= time.time() - swept < self._pace.recent_s:
            return None
        return _Seen(bool(swept), most_open())

    async def _open_and_freshen(self, corpus: "Corpus", seen: _Seen, *, last: bool) -> None:
        """Bring it up to date with the session that is open or can be kept open, else with one for this alone.

        The ``last`` attempt gives way to nobody but whoever has something indexed.
        """
        corpora = self._server.corpora
        folder = self._server.sessions.at(corpus.real) or (
            corpora.kept_open(corpus, seen.most) if seen.indexed else None
        )
        if folder is None or folder.error is not None:
            if await self._freshen(corpus, None, last):
                folder = folder or corpora.kept_open(corpus, seen.most)
                with suppress(GazetteerError):  # no question has to wait for it from now on
                    if folder is not None:
                        await folder.open_session()
        elif folder.state != "indexing":  # else somebody is at it
            await self._freshen(corpus, folder, last)

    async def _freshen(self, corpus: "Corpus", folder: "Folder | None", last: bool) -> bool:
        """Bring it up to date; whether that could be done. A failure is said once.

        Raises:
            CancelledError: somebody asks for something, or lets go of it.
        """
        server, failed = self._server, ""
        session: Session | None = None
        try:
            session = await folder.open_session() if folder is not None else None
            first: frozenset[Kind] = frozenset({"index"}) if last else AWAITED
            failed = await server.jobs.aside(partial(self._sync, corpus, session), first)
        except TimeoutExpiredError:
            return False  # somebody is at it
        except CancelledError:
            raise
        except Exception as error:
            if folder is not None and folder.session is not session:
                return False  # it was closed under this, or is opened again
            failed = server.entries.known(f"looking at {corpus.name}", error).message
            if folder is not None and folder.error is error:
                self._failed[corpus.real] = failed  # it was said when it was opened
        if failed and self._failed.get(corpus.real) != failed:
            server.entries.warning(f"{corpus.name}: {failed}")
        self._failed[corpus.real] = failed
        if not failed and folder is not None and folder.state == "error":
            with suppress(GazetteerError):
                await folder.index(quiet=True)  # so that people see that it is well again
        return not failed

    def _sync(self, corpus: "Corpus", session: "Session | None", cancel: Cancel) -> str:
        """Bring the index up to the tree; why that failed, "" when it did not. On a thread."""
        from ..app import Session

        if session is None:
            settings, entries = (
                self._server.configuration.index,
                self._server.corpora.entries(Root(corpus.root, corpus.real)),
            )
            with Session(corpus.root, settings, entries=entries) as made:
                return self._sync(corpus, made, cancel)
        if session.kb.read_only:
            return ""  # an index that is only read is nobody's to keep here
        watcher = session.parts.watcher
        watched = watcher is not None and watcher.started.is_set() and not session.kb.journal.pending
        if watched and 0 <= time.time() - session.kb.indexer.swept_at < WATCHED_S:
            return ""
        health = session.sync(cancel=cancel, aside=True)
        return health.reason if health.state == "failed" else ""
