"""The corpora beside the folders of the workspace: which there are, opening them, and asking them together.

What takes part by itself and has an index is opened in the background when the client is ready; everything else when a
question means it. A question waits for the folders that it is asked in and for what it names, and for all others a
while: a first index goes on in the background then, and the answer says who was left out. Changes are on the event loop
only; `session` and `beside` are read from any thread.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from ..kb.cancel import Cancel
from ..kb.errors import GazetteerError, UnavailableError
from ..kb.paths import Root, printable, to_uri
from ..retrieval.query import Scope, Standing
from .autoindex import Autoindex
from .folder import Folder

if TYPE_CHECKING:
    from ..app import Session
    from ..corpora.entry import Entries
    from ..corpora.mentions import Mentions
    from ..corpora.registry import Catalogue, Corpus
    from ..corpora.roll import Place
    from ..workspace import Workspace
    from .progress import Bar
    from .server import GazetteerServer

PATIENCE_S: "dict[Standing, float | None]" = {
    "own": None,
    "attached": None,
    "registered": 5.0,
    "declared": 1.0,
    "shared": 1.0,
    "found": 1.0,
}
"""How long a question waits for a corpus that is not open, or has no index yet; None is for as long as it takes. One
that has an index takes milliseconds."""
POLL_S = 0.05
"""How often somebody who waits for room looks whether there is some."""
ANSWER_S = 10.0
"""How long a corpus may take for its part of an answer, beside others that are there."""
OWN = Scope()


class Meant(NamedTuple):
    """What a question means: who takes part, which trees are registered, by real path, and how many may be open."""

    places: "tuple[Place, ...]"
    registered: frozenset[str]
    most: int


class Corpora:
    """Those of one server."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server
        self._folders: dict[str, Folder] = {}  # by real path
        self._along: frozenset[str] = frozenset()  # of them, those that take part in every question
        self._asked: Counter[str] = Counter()  # of them, how many questions under way each is held open for
        self._freed = asyncio.Event()  # set whenever a question is over
        self._catalogue: Catalogue | None = None
        self._mentions: Mentions | None = None  # for as long as the editor is open
        self.autoindex = Autoindex(server)

    def __iter__(self) -> Iterator[Folder]:
        return iter(tuple(self._folders.values()))

    @property
    def catalogue(self) -> "Catalogue":
        """The user's registry."""
        if self._catalogue is None:
            from ..corpora.registry import Catalogue

            self._catalogue = Catalogue(corpus_root=self._server.configuration.index.corpus_root)
        return self._catalogue

    def at(self, real: str) -> Folder | None:
        """Return what is open beside the workspace at a real path."""
        return self._folders.get(real)

    def entries(self, root: Root) -> "Entries":
        """Return what gives the registry's entry of a tree."""
        from ..corpora.entry import entry_of

        catalogue = self.catalogue
        return lambda: entry_of(catalogue.current(), root.real)

    def beside(self, folder: Folder) -> list[Folder]:
        """Return who can be looked at at once beside a folder, the client's own first."""
        sessions = self._server.sessions
        along = (one for real, one in tuple(self._folders.items()) if real in self._along)
        return [one for one in (*sessions, *along) if one is not folder and one.indexed]

    # -- opening ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Open in the background what takes part by itself and has an index, and keep fresh what is to be.

        Called once the client is ready, and when its folders or the registry have changed by its hand.
        """
        self._server.keep(self._start())
        self.autoindex.wake()

    async def _start(self) -> None:
        sessions = tuple(self._server.sessions)
        for folder in sessions:
            with suppress(GazetteerError):
                await folder.open_session()
        with suppress(GazetteerError):
            meant = await self._call([folder.root.given for folder in sessions], OWN)
            for place in await self._server.jobs.run("query", lambda _: self._indexed(meant.places)):
                self._attach(place)
            self._along = frozenset(place.real for place in meant.places)

    def _indexed(self, places: "Sequence[Place]") -> "list[Place]":
        """Those that have an index."""
        from ..kb.room import corpus_folder

        cache = self._server.configuration.index.index_root()
        folders = ((place, corpus_folder(cache, Root(place.root, place.real))) for place in places)
        return [place for place, folder in folders if os.path.exists(os.path.join(folder, "kb.db"))]

    def restart(self) -> None:
        """Open every one again, under other settings."""
        self._catalogue = None
        for folder in self:
            folder.restart()

    def _attach(self, place: "Place") -> Folder:
        """Return the folder of a place; opens it where that was not done yet."""
        known = self._server.sessions.at(place.real)
        if known is not None:
            return known
        own = next(iter(self._server.sessions), None)
        root = Root(place.root, place.real)  # asks no disk: here nobody may wait for one
        beside = own.root.given if own is not None else root.given
        folder = Folder(self._server, to_uri(root.given), root, beside=beside)
        self._folders[place.real] = folder
        self._server.sessions.place_again()
        folder.start()
        return folder

    def open(self, name: str, root: str, real: str) -> Folder:
        """Return the folder of a registered tree, opened where it was not."""
        from ..corpora.roll import Place

        return self._attach(Place(name, "attached", root, real))

    def kept_open(self, corpus: "Corpus", most: int) -> Folder | None:
        """Return the folder of a corpus that is kept fresh, opened where it was not; None where ``most`` are open."""
        from ..corpora.roll import Place

        if corpus.real not in self._folders and len(self._folders) + len(tuple(self._server.sessions)) >= most:
            return None
        return self._attach(Place(corpus.name, "attached", corpus.root, corpus.real))

    @asynccontextmanager
    async def closed(self, real: str) -> AsyncIterator[None]:
        """Close what is beside the workspace at a real path; nothing of it is open while the block lasts, nor kept.

        Questions under way are answered first, for as long as one may take.
        """
        async with self.autoindex.held(real):
            await self._until(lambda: not self._asked[real])
            folder = self._folders.get(real)
            session = folder.session if folder is not None else None
            self._let_go(real)
            if session is not None:
                await self._server.jobs.run("index", lambda _: session.close())
            yield

    def _let_go(self, real: str) -> None:
        folder = self._folders.pop(real, None)
        if folder is not None:
            self._server.sessions.place_again()
            folder.close()

    # -- asking -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def gathered(
        self, folders: Sequence[Folder], scope: Scope, bar: "Bar | None" = None, *, passage: str = ""
    ) -> "AsyncIterator[Workspace]":
        """Give the workspace of some folders, once everybody who is meant can be asked or has had time to open.

        Nobody of them is closed for the sake of another question before this one is over.

        Args:
            folders: those that the question is asked in.
            scope: what it says of corpora.
            bar: follows what is waited for.
            passage: a locator or ``PATH:LINE`` whose tree has to be open as well.

        Raises:
            InvalidArgumentError, NotFoundError: nobody is left to ask.
        """
        from ..corpora.registry_json import composed

        left_out = set(map(composed, scope.without))
        for folder in folders:
            if not scope.corpora and composed(folder.name) not in left_out:
                with suppress(GazetteerError):  # whoever asks it is told
                    await folder.ready(bar)
        folders = self._still_open(folders)
        meant = await self._call([folder.root.given for folder in folders], scope, passage)
        self._prune(meant)
        own = {folder.root.real for folder in folders}
        wanted = await self._room_for([place for place in meant.places if place.real not in own], meant.most)
        named = [place for place in meant.places if place.real in own and scope.corpora]
        held = [place.real for place in wanted]
        self._asked.update(held)
        try:
            asked = [(self._attach(place), place.standing) for place in (*wanted, *named)]
            await asyncio.gather(*(self._wait(folder, PATIENCE_S[standing], bar) for folder, standing in asked))
            if scope == OWN:
                self._along = frozenset(place.real for place in meant.places)
            yield self.workspace([folder.root.given for folder in self._still_open(folders)])
        finally:
            self._asked.subtract(held)
            self._freed.set()

    async def _until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds that questions under way stand against, for as long as one may take."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                while not holds():
                    self._freed.clear()
                    with suppress(TimeoutError):  # what is opened or indexed tells nobody when that is done
                        await asyncio.wait_for(self._freed.wait(), POLL_S)

    def _still_open(self, folders: Sequence[Folder]) -> Sequence[Folder]:
        """Those that the client has not let go of while they were waited for; all of them, if there is none."""
        return [one for one in folders if self._server.sessions.at(one.root.real) is one] or folders

    async def _wait(self, folder: Folder, patience: float | None, bar: "Bar | None") -> None:
        """Wait until a corpus can be asked, or for so long; whoever asks it is told what is the matter."""
        with suppress(GazetteerError, TimeoutError):
            await asyncio.wait_for(folder.ready(bar), patience)

    def workspace(self, roots: Sequence[str]) -> "Workspace":
        """Return the workspace of some trees of one's own."""
        from ..corpora.mentions import Mentions
        from ..workspace import Workspace

        self._mentions = self._mentions or Mentions(_typed)
        cache = self._server.configuration.index.index_root()
        return Workspace(roots, self.catalogue, cache, self.session, mentions=self._mentions, patience_s=ANSWER_S)

    def session(self, root: str) -> "Session":
        """Return the session of a tree that is open; from any thread.

        Raises:
            GazetteerError: it is not, and why.
        """
        folder = self._server.sessions.at(os.path.realpath(root))
        if folder is None:
            from ..shelf import most_open

            if len(self._folders) + len(tuple(self._server.sessions)) < most_open():
                raise UnavailableError(f"{printable(root)} is not open here any more; ask again.")
            raise UnavailableError(
                f"{printable(root)} is one more tree than may be open at once; ask fewer corpora, or allow the server "
                "more files with `ulimit -n`."
            )
        session = folder.session
        if session is None:
            raise folder.error or UnavailableError(f"{folder.name} is being opened; ask again in a moment.")
        if not folder.indexed:
            raise UnavailableError(f"{folder.name} is being indexed for the first time; ask again when that is done.")
        return session

    async def of_locator(self, text: str) -> Folder:
        """Return the folder of the corpus that a locator names, opened where it was not.

        Raises:
            InvalidArgumentError: it is no locator.
            NotFoundError: nothing here has its corpus.
        """
        roots = [folder.root.given for folder in self._server.sessions]

        def home(_: Cancel) -> tuple[str, str]:
            root = self.workspace(roots).root_of(text)
            return root, os.path.realpath(root)

        return self.open("", *await self._server.jobs.run("query", home))

    async def _call(self, roots: Sequence[str], scope: Scope, passage: str = "") -> Meant:
        from ..corpora.roll import Place
        from ..shelf import most_open

        def call() -> Meant:
            workspace = self.workspace(roots)
            places = workspace.roll(scope).places
            if passage:  # first of all, because without it there is no question
                root = workspace.home_of(passage, scope)[0]
                home = Place("", "attached", root, os.path.realpath(root))
                places = (home, *(place for place in places if place.real != home.real))
            registered = frozenset(corpus.real for corpus in self.catalogue.current().corpora.values())
            return Meant(places, registered, most_open())

        return await self._server.jobs.run("query", lambda _: call())

    async def _room_for(self, places: "list[Place]", most: int) -> "list[Place]":
        """Return the first of the places, as many as may be open at once; closes others for them, longest open first.

        What another question is asking, or somebody is indexing, is not closed but waited for.
        """
        most = max(0, most - len(tuple(self._server.sessions)))
        places = places[:most]
        wanted = {place.real for place in places}
        allowed: set[str] = set()

        def is_room() -> bool:
            held = False
            new = [place.real for place in places if place.real not in self._folders]
            for real, folder in tuple(self._folders.items()):
                busy = self._asked[real] or folder.state in ("starting", "indexing")
                if len(self._folders) + len(new) > most and real not in wanted:
                    held = held or bool(busy)
                    if not busy:
                        self._let_go(real)
            allowed.clear()
            allowed.update(self._folders, new[: max(0, most - len(self._folders))])
            return not held or wanted <= allowed

        await self._until(is_room)
        return [place for place in places if place.real in allowed]

    def _prune(self, meant: Meant) -> None:
        """Close what was let go of by somebody, or is a folder of the client's by now."""
        own = {folder.root.real for folder in self._server.sessions}
        wanted = {place.real for place in meant.places}
        for real in tuple(self._folders):
            if real in own or not (real in meant.registered or real in wanted or self._asked[real]):
                self._let_go(real)


def _typed(name: str) -> str:
    """How a corpus is asked in an editor."""
    return f'corpus:"{name}" QUESTION' if " " in name else f"corpus:{name} QUESTION"
