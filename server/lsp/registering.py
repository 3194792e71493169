"""``corpus.list``, ``add``, ``rm``, ``scan`` and ``index``: the registry, as the command line has it (rows C2, C3).

What they do is done in ``corpora``; here it is read and answered. A corpus that is let go of is closed first, so that
its index is not made again behind the back of whoever deletes it.
"""

import os
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ..kb.cancel import Cancel
from ..kb.errors import InvalidArgumentError
from ..kb.paths import from_uri
from ..retrieval.query import to_wire
from . import params
from .choosing import of_each
from .commands import Row
from .folder import OpenedAgainError

if TYPE_CHECKING:
    from ..corpora.health import Status
    from ..corpora.registry import Corpus
    from .server import GazetteerServer


class Add(params.Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A folder (a path or a URI) and its options; without a name it gets one that is free. What is not said stays."""

    path: str
    name: str | None = None
    kind: str | None = None
    indexer: str | None = None
    autoindex: bool | None = None
    prompt_file: str | None = None
    collection: str | None = None
    corpora: list[str] | None = None
    shared: bool | None = None
    exclude: list[str] | None = None
    families: list[str] | None = None
    semantic: str | None = None

    def options(self) -> dict[str, Any]:
        """What was said beside the path and the name, as an entry has it."""
        said = {key: getattr(self, key) for key in self.__struct_fields__ if key not in _NO_OPTIONS}
        return {key: value for key, value in said.items() if value is not None}


_NO_OPTIONS = frozenset({"path", "name", *params.Params.__struct_fields__})


class Named(params.Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A corpus."""

    name: str


class Scan(params.Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A folder (a path or a URI) to look below, and the fewest files that make a tree worth listing."""

    path: str
    min: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Index(params.Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Corpora to index; none at all means every registered one."""

    names: tuple[str, ...] = ()


def register(server: "GazetteerServer") -> None:
    """Serve the commands."""
    rows = Registering(server)
    server.commands.add(
        Row("corpus.list", params.Params, rows.list),
        Row("corpus.add", Add, rows.add),
        Row("corpus.rm", Named, rows.remove),
        Row("corpus.remove", Named, rows.remove),
        Row("corpus.scan", Scan, rows.scan),
        Row("corpus.index", Index, rows.index),
        Row("index", Index, rows.index),
    )


class Registering:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def list(self, _given: params.Params) -> Any:
        """Say what is registered, how each index is, and what of it is open here."""
        from ..corpora.listing import listing

        server = self._server
        catalogue, cache = server.corpora.catalogue, server.configuration.index.index_root()

        def work(_: Cancel) -> tuple[Any, list[str]]:
            registry = catalogue.current()
            return to_wire(listing(registry, cache)), [corpus.real for corpus in registry.corpora.values()]

        told, reals = await server.jobs.run("query", work)
        for row, real in zip(told["corpora"], reals, strict=True):
            folder = server.sessions.at(real)
            row["state"] = folder.state if folder is not None else None
            row["own"] = folder is not None and folder.own
        return told

    async def add(self, given: Add) -> Any:
        """Register a folder."""
        from ..corpora.registering import add
        from ..corpora.scanning import free_name

        catalogue, path = self._server.corpora.catalogue, _path(given.path)

        def work(_: Cancel) -> Any:
            registry, real = catalogue.current(), os.path.realpath(path)
            known = next((corpus.name for corpus in registry.corpora.values() if corpus.real == real), None)
            name = given.name or known or free_name(real, {*registry.corpora, *registry.broken})
            return add(catalogue, name, path, given.options())

        added = to_wire(await self._server.jobs.finish("query", work))
        self._server.corpora.start()
        return added

    async def remove(self, given: Named) -> Any:
        """Let go of a name, and delete the index of its tree; the tree is not touched."""
        from ..corpora.registering import remove
        from ..corpora.registry_json import composed

        server = self._server
        catalogue, cache = server.corpora.catalogue, server.configuration.index.index_root()
        registry = await server.jobs.run("query", lambda _: catalogue.current())
        corpus = registry.corpora.get(composed(given.name))
        async with server.corpora.closed(corpus.real) if corpus is not None else nullcontext():
            removed = to_wire(await server.jobs.finish("index", lambda _: remove(catalogue, given.name, cache)))
        server.corpora.start()
        return removed

    async def scan(self, given: Scan) -> Any:
        """List the repositories below a folder; registers nothing."""
        from ..corpora.roots import find_root
        from ..corpora.scanning import DEFAULT_LEAST, scan

        server = self._server
        catalogue, settings, path = server.corpora.catalogue, server.configuration.index, _path(given.path)
        least = given.min if given.min is not None else DEFAULT_LEAST

        def work(cancel: Cancel) -> Any:
            return scan(find_root(path), catalogue.current(), settings, least=least, should_stop=cancel.is_set)

        return to_wire(await server.jobs.run("index", work))

    async def index(self, given: Index) -> Any:
        """Bring the indexes of registered trees up to them, one after the other; one that fails costs its own row."""

        async def build(corpus: "Corpus") -> "Status":
            while True:
                with suppress(OpenedAgainError):
                    folder = self._server.corpora.open(corpus.name, corpus.root, corpus.real)
                    found: Status = await folder.index()
                    return found

        with self._server.bars.followed(given.work_done_token, "Indexing corpora") as bar:
            return to_wire(await of_each(self._server, given.names, build, bar))


def _path(said: str) -> str:
    """Return the path that was said, as one or as a URI."""
    path = from_uri(said) if said.startswith("file:") else os.path.expanduser(said)
    if path is None or not os.path.isabs(path):
        raise InvalidArgumentError("path is neither an absolute path nor the URI of a folder.", argument="path")
    return path
