"""Which corpora a request means: those that it names, else the one that the user has set, else a folder (C2, C6).

Choosing another corpus moves nothing: edits are those of the folders of the workspace, whatever is asked.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ..kb.cancel import Cancel
from ..kb.errors import CancelledError, GazetteerError
from ..kb.paths import printable
from . import params

if TYPE_CHECKING:
    from ..corpora.health import Status
    from ..corpora.registry import Corpus
    from ..corpora.rounds import Round
    from .folder import Folder
    from .progress import Bar
    from .server import GazetteerServer

S = TypeVar("S", bound=params.Scoped)


async def as_meant(server: "GazetteerServer", given: S) -> S:
    """Return a question as it is meant: to the corpus that the user has set, where it does not say whom it asks.

    Raises:
        InvalidArgumentError: the entry of that corpus is broken.
        NotFoundError: there is none of that name, or its tree is gone.
    """
    if not server.configuration["corpus"] or given.corpora or given.root is not None:
        return given
    corpus = await server.jobs.run("query", lambda _: _set(server))
    return msgspec.structs.replace(given, corpora=[corpus.name])


async def corpus_of(server: "GazetteerServer", given: params.OfTree) -> "Corpus | None":
    """Return the registered corpus that is named, or that the user has set; None where a folder is meant.

    Raises:
        InvalidArgumentError: its entry is broken.
        NotFoundError: there is none of that name, or its tree is gone.
    """
    if given.corpus:
        name = given.corpus
        return await server.jobs.run("query", lambda _: _called(server, name))
    if given.root is not None or not server.configuration["corpus"]:
        return None
    return await server.jobs.run("query", lambda _: _set(server))


async def tree_of(server: "GazetteerServer", given: params.OfTree) -> "Folder":
    """Return the folder of the tree that is meant, opened where it was not.

    Raises:
        InvalidArgumentError: ``root`` is no folder of this workspace, or the entry of the corpus is broken.
        NotFoundError: there is no such corpus, its tree is gone, or there is no folder at all.
    """
    corpus = await corpus_of(server, given)
    if corpus is None:
        return server.sessions.of(given.root, given.uri)
    return server.corpora.open(corpus.name, corpus.root, corpus.real)


async def of_each(
    server: "GazetteerServer",
    names: Sequence[str],
    act: "Callable[[Corpus], Awaitable[Status]]",
    bar: "Bar | None" = None,
) -> "Round":
    """Do ``act`` to the corpora of these names, one after the other; to all of the registry when there is none.

    One that fails costs its own row.

    Raises:
        NotFoundError: nothing is registered, or not what was named.
        InvalidArgumentError: what was named is broken.
    """
    from ..corpora.rounds import Turn, called, failed, whole

    registry = await server.jobs.run("query", lambda _: server.corpora.catalogue.current())
    wanted, broken = called(registry, names)
    turns: list[Turn] = []
    for at, corpus in enumerate(wanted):
        if bar is not None:
            bar.report(corpus.name, at * 100 // len(wanted))
        try:
            await server.jobs.run("query", partial(_looked_for, corpus))
            turns.append(Turn(corpus=corpus.name, root=corpus.root, found=await act(corpus)))
        except CancelledError:
            raise
        except GazetteerError as error:
            turns.append(failed(corpus, error))
    return whole(registry, [*turns, *broken])


def _set(server: "GazetteerServer") -> "Corpus":
    """The corpus that the user has set; an error names the setting, which nobody sees in a question."""
    name = server.configuration["corpus"]
    try:
        return _called(server, name)
    except GazetteerError as error:
        said = f"The setting gazetteer.corpus is {printable(name)[:80]}: {error.message}"
        raise type(error)(said, **error.data) from error


def _called(server: "GazetteerServer", name: str) -> "Corpus":
    from ..corpora.roll import tree_called

    roots = [folder.root.given for folder in server.sessions]
    registry = server.corpora.catalogue.current()
    corpus = tree_called(name, roots, registry)
    # a folder says itself what is the matter with it
    return _there(corpus) if corpus.name in registry.corpora else corpus


def _looked_for(corpus: "Corpus", _: Cancel) -> None:
    _there(corpus)


def _there(corpus: "Corpus") -> "Corpus":
    if not corpus.there:
        raise corpus.absent()
    return corpus
