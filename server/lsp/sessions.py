"""The workspace's folders, and which of them a document is in.

Each folder is one tree with a session of its own. A document belongs to every folder that holds it: the innermost
answers for it, and all of them see its unsaved text. Folders come and go while documents stay open.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..kb.errors import InvalidArgumentError, NotFoundError
from ..kb.model import DocumentPath
from ..kb.paths import Root, canonical_uri, from_uri
from . import params
from .folder import Folder

if TYPE_CHECKING:
    from .documents import Document
    from .server import GazetteerServer


MANY = 64
"""How often a document of a hint is held against a tree before it stands for all of them; 0.1 ms each time at most."""


NO_FOLDER = "No folder is open; open the folder of a tree."


class Place(NamedTuple):
    """A document in a folder."""

    folder: Folder
    path: DocumentPath


class Sessions:
    """All folders, in the client's order; on the event loop only."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server
        self._folders: dict[str, Folder] = {}  # by real path
        self._named: dict[str, dict[str, str]] = {}  # by real path: what the client calls it, each with its URI
        self._places: dict[str, tuple[Place, ...]] = {}  # of open documents
        self._started = False
        self.era = 0  # counts how often sessions were closed under whoever asks: all of them, or a folder's

    def __iter__(self) -> Iterator[Folder]:
        return iter(tuple(self._folders.values()))

    # -- folders ------------------------------------------------------------------------------------------------

    def add(self, uri: str) -> None:
        """Take in a folder of the workspace; one that is no folder of this machine is named in the log."""
        path = from_uri(uri)
        if path is None:
            self._server.entries.warning("A workspace folder that is not on this machine is left out.")
            return
        root = Root(path)
        self._named.setdefault(root.real, {})[path.rstrip("/")] = uri
        if root.real in self._folders:
            return
        folder = self._folders[root.real] = Folder(self._server, uri, root)
        self.place_again()
        if self._started:
            folder.start()
            self._server.corpora.start()

    def remove(self, uri: str) -> None:
        """Let a folder go; one that the client has open under another name as well stays."""
        path = from_uri(uri)
        if path is None:
            return
        real = Root(path).real
        names = self._named.get(real, {})
        if names.pop(path.rstrip("/"), None) is None and len(names) == 1:
            names.clear()  # the one that there is, called otherwise
        folder = self._folders.get(real)
        if folder is not None and names:
            folder.uri = next(iter(names.values()))
        elif folder is not None:
            del self._folders[real], self._named[real]
            self.era += 1
            self.place_again()
            folder.close()

    def start(self) -> None:
        """Open every folder; called once, when the client is ready."""
        self._started = True
        for folder in self:
            folder.start()
        self._server.corpora.start()

    def restart(self) -> None:
        """Open every folder again, under other settings."""
        self.era += 1
        for folder in self:
            if self._started:
                folder.restart()
        self._server.corpora.restart()

    def of(self, root: str | None, uri: str | None) -> Folder:
        """Return the folder that is meant: named, else that of a document, else the first that is there.

        It may be one beside the workspace.

        Raises:
            InvalidArgumentError: ``root`` is no folder of this workspace.
            NotFoundError: there is no folder at all.
        """
        if root is not None:
            path = from_uri(root)
            found = self.at(Root(path).real) if path else None
            if found is None:
                raise InvalidArgumentError("root is not a folder of this workspace.", argument="root")
            return found
        places = self.places(uri) if uri is not None else ()
        if places:
            return places[0].folder
        if not self._folders:
            raise NotFoundError(NO_FOLDER)
        return next((folder for folder in self if folder.is_there), next(iter(self)))

    def asked(self, given: params.Scoped) -> list[Folder]:
        """Return the folders that a question is asked in: the one that it names or comes from, else all.

        Those that it names as corpora come behind that one: to ask another folder of the window, it need not be
        registered. Which of them are meant is for who is given them to say.

        Raises:
            InvalidArgumentError: ``root`` is no folder of this workspace.
            NotFoundError: there is no folder, and the question names no corpus.
        """
        if given.root is not None or (given.uri is not None and self.places(given.uri)):
            from ..corpora.registry_json import composed

            first = self.of(given.root, given.uri)
            named = {composed(name) for name in (*given.attach, *given.without)}
            others = (one for one in self if one is not first)
            return [first, *(one for one in others if given.corpora or composed(one.name) in named)]
        if not self._folders and not given.corpora:
            raise NotFoundError(NO_FOLDER)
        return list(self)

    def at(self, real: str) -> Folder | None:
        """Return the folder at a real path: the client's, or one beside; from any thread."""
        return self._folders.get(real) or self._server.corpora.at(real)

    # -- documents ----------------------------------------------------------------------------------------------

    def places(self, uri: str) -> tuple[Place, ...]:
        """Return where a document is, innermost folder first; () outside of the workspace and all corpora beside."""
        known = self._places.get(canonical_uri(uri))
        return known if known is not None else self._locate(uri)

    def put(self, document: "Document") -> None:
        """Let the text of an open document rule wherever it is."""
        places = self._places.setdefault(canonical_uri(document.uri), self._locate(document.uri))
        for place in places:
            place.folder.put(place.path, document.buffer)

    def drop(self, uri: str) -> None:
        """Let the disk rule a document again."""
        for place in self._places.pop(canonical_uri(uri), ()):
            heir = self._another(place)
            if heir is None:
                place.folder.drop(place.path)
            else:
                place.folder.put(place.path, heir.buffer)

    def mark(self, uri: str, reason: str) -> None:
        """Note that a document may have changed."""
        for place in self.places(uri):
            place.folder.mark(place.path, reason)

    def touch(self, uris: Sequence[str], reason: str) -> None:
        """Take hints: documents, or whatever is below folders, may have changed, come or gone.

        More than a few stand for whole trees, because telling them apart takes time. What git writes for itself says
        nothing of a tree; it comes in crowds with every command.
        """
        told = [uri for uri in uris if "/.git/" not in uri]
        trees = (*self, *self._server.corpora)
        for folder in trees:
            if len(told) * len(trees) > MANY:
                folder.mark(None, reason)
                continue
            for uri in told:
                if (path := folder.root.document_of_uri(uri)) is not None:
                    folder.touch(path, reason)

    def holds(self, uri: str) -> bool:
        """Whether a document, or a folder, is one of the workspace's folders or in one."""
        trees = (*self, *self._server.corpora)
        return any(folder.root.document_of_uri(uri) is not None for folder in trees)

    def _another(self, place: Place) -> "Document | None":
        """Return the open document, of another URI, that is the same file; of several the one opened last."""
        open_there = [one for one in self._server.documents if place in self._places.get(canonical_uri(one.uri), ())]
        return open_there[-1] if open_there else None

    def _locate(self, uri: str) -> tuple[Place, ...]:
        folders = (*self, *self._server.corpora)
        found = (Place(folder, path) for folder in folders if (path := folder.root.document_of_uri(uri)))
        return tuple(sorted(found, key=lambda place: -len(place.folder.root.real)))

    def place_again(self) -> None:
        """Find anew where the open documents are, after the folders, or the corpora beside them, have changed."""
        before, self._places = self._places, {}
        for document in self._server.documents:
            key = canonical_uri(document.uri)
            places = self._places[key] = self._locate(document.uri)
            for place in places:
                if place not in before.get(key, ()):
                    place.folder.put(place.path, document.buffer)
