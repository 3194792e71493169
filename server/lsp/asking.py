"""``retrieve``, ``expand``, ``related``, ``explain``: a question in, evidence out, as the command line prints it.

A question waits for a first index, with progress where the client wants it, and runs on a thread; cancelling it stops
it. Hits of the first round go ahead as one batch when the client gave a token for it; the answer is whole all the same.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..kb.cancel import Cancel
from ..kb.errors import GazetteerError, InvalidArgumentError, NotFoundError
from ..retrieval.query import Filters, Hit, Query, to_wire
from ..retrieval.typed import read_typed
from ..settings import glob_fault
from . import params
from .choosing import as_meant
from .commands import Row

if TYPE_CHECKING:
    from ..workspace import Workspace
    from .server import GazetteerServer


def register(server: "GazetteerServer") -> None:
    """Serve the questions."""
    asking = Asking(server)
    server.commands.add(
        Row("retrieve", params.Retrieve, asking.retrieve),
        Row("expand", params.Expand, asking.expand),
        Row("related", params.Related, asking.related),
        Row("explain", params.Retrieve, asking.explain),
    )


class Asking:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def retrieve(self, given: params.Retrieve) -> Any:
        """Answer a question."""
        given = await as_meant(self._server, checked(given))
        first = self._batch(given.partial_result_token)
        return await self._ask(
            given, lambda workspace, cancel: workspace.retrieve(query_of(given), cancel=cancel, first=first)
        )

    async def explain(self, given: params.Retrieve) -> Any:
        """Say how a question is answered."""
        given = await as_meant(self._server, checked(given))
        return await self._ask(given, lambda workspace, cancel: workspace.explain(query_of(given), cancel=cancel))

    async def expand(self, given: params.Expand) -> Any:
        """Show what stands where a locator points, in whichever corpus."""
        server = self._server
        with server.bars.followed(given.work_done_token, "Asking") as bar:
            folder = await server.corpora.of_locator(given.locator)
            return await folder.use(
                "query",
                lambda session, cancel: to_wire(
                    session.expand(given.locator, given.before, given.after, cancel=cancel)
                ),
                partial(folder.ready, bar),
            )

    async def related(self, given: params.Related) -> Any:
        """Show what resembles a place."""
        target = self._target(given)
        given = await as_meant(self._server, given)
        return await self._ask(
            given,
            lambda workspace, cancel: workspace.related(target, given.limit, scope=given.scope, cancel=cancel),
            passage=target,
        )

    # -- inside -------------------------------------------------------------------------------------------------

    async def _ask(self, given: params.Scoped, work: "Callable[[Workspace, Cancel], Any]", *, passage: str = "") -> Any:
        """Do ``work`` with who is asked; once more where all is opened again, under other settings, meanwhile."""
        server = self._server
        with server.bars.followed(given.work_done_token, "Asking") as bar:
            while True:
                era, failure = server.sessions.era, None
                try:
                    asked = server.sessions.asked(given)
                    async with server.corpora.gathered(asked, given.scope, bar, passage=passage) as workspace:
                        result = await server.jobs.run("query", partial(_on_the_wire, work, workspace))
                except GazetteerError as error:
                    failure = error
                if era == server.sessions.era:  # else what came of it is of no account: sessions were closed under it
                    if failure is not None:
                        raise failure
                    return result

    def _batch(self, token: params.Token | None) -> Callable[[tuple[Hit, ...]], None] | None:
        """Return what sends the first hits, from any thread; None when nobody wants them.

        Once the request is cancelled nothing is sent any more: nobody expects a part of what was answered already.
        """
        if token is None:
            return None
        loop, asked = asyncio.get_running_loop(), asyncio.current_task()
        assert asked is not None

        def tell(hits: Any) -> None:
            if not (asked.done() or asked.cancelling()):
                self._server.bars.tell(token, {"hits": hits})

        def send(hits: tuple[Hit, ...]) -> None:
            loop.call_soon_threadsafe(tell, to_wire(hits))

        return send

    def _target(self, given: params.Related) -> str:
        if given.target is not None:
            return given.target
        if given.uri is None or given.position is None:
            raise InvalidArgumentError("related: name a target, or uri and position.", argument="target")
        places = self._server.sessions.places(given.uri)
        if not places:
            raise NotFoundError("This document is in no folder of the workspace; open its folder.")
        return f"{places[0].folder.root.absolute(places[0].path)}:{given.position.line + 1}"


def _on_the_wire(work: "Callable[[Workspace, Cancel], Any]", workspace: "Workspace", cancel: Cancel) -> Any:
    return to_wire(work(workspace, cancel))


def checked(given: params.Retrieve) -> params.Retrieve:
    """Return the question with what is typed in it as parameters, before anything is waited for.

    Raises:
        InvalidArgumentError: a filter or a glob that makes no sense.
    """
    if given.typed:
        typed = read_typed(given.query)
        given = msgspec.structs.replace(
            given,
            query=typed.text,
            lang=[*given.lang, *typed.languages],
            path=[*given.path, *typed.paths],
            kind=[*given.kind, *typed.kinds],
            type=[*given.type, *typed.types],
            corpora="all" if typed.everywhere else [*typed.corpora] or given.corpora,
            attach=[*given.attach, *typed.attach],
            without=[*given.without, *typed.without],
        )
    for glob in given.path:
        if fault := glob_fault(glob):
            raise InvalidArgumentError(f"path has a bad glob {glob!r}: it {fault}.", argument="path")
    return given


def query_of(given: params.Retrieve) -> Query:
    """Return the question; on a thread, because it may load the table of languages."""
    languages: tuple[str, ...] = ()
    if given.lang:
        from ..retrieval.language_names import language_names

        languages = language_names(given.lang, said_by="lang")
    return Query(
        text=given.query,
        limit=given.limit,
        require=given.require,
        freshness=given.freshness,
        snapshot=given.snapshot,
        filters=Filters(
            paths=tuple(given.path),
            languages=languages,
            kinds=tuple(kind.value for kind in given.kind),
            source_types=tuple(source.value for source in given.type),
            via=tuple(given.via),
        ),
        budget_ms=given.budget.ms,
        budget_characters=given.budget.characters,
        scope=given.scope,
    )
