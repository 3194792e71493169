"""Code actions: ask about what is selected or pointed at, follow it, cite it, copy the evidence for it, open the map.

They are offered where somebody asks for actions or has selected something, and not at every step of the cursor. What
costs a question is done when an action is chosen (``codeAction/resolve``), where the client can resolve; an edit names
the version it was made for. Answers are shown by the client's own view (``gazetteer.view``), or opened as a document by
the server's command ``gazetteer.show``, which takes the same argument.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from lsprotocol import types
from pygls.capabilities import get_capability

from ..context.visible import one_line
from ..kb.cancel import Cancel
from ..kb.errors import NotFoundError
from ..retrieval.query import Answer, Query
from . import params
from .across import others
from .carried import check_unchanged, version_of
from .choosing import as_meant
from .citing import citation, comment_for
from .commands import Row
from .edits import takes_versions
from .looking import Look, look, range_of
from .orienting import is_map_there, map_seen

if TYPE_CHECKING:
    from ..app import Session
    from ..context.pointing import Name
    from ..workspace import Workspace
    from .server import GazetteerServer

KIND = "gazetteer"
ASK, RELATED, CALLERS, CITE, COPY, MAP = (
    f"{KIND}.{name}" for name in ["ask", "related", "callers", "cite", "copy", "map"]
)
MAX_SELECTED = 1_000
"""Characters of a selection that a question is made of."""
_SHOWN = 40  # of those in a title
EVIDENCE = 6
"""Passages that are copied."""


class Chosen(msgspec.Struct, frozen=True):
    """What an action carries until it is chosen; it comes back from the client, so it is read like any parameter."""

    do: Literal["cite", "copy"]
    uri: str
    range: params.Span
    version: int | None = None


class Evidence(params.Scoped, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A question whose evidence is wanted as text."""

    query: str


def register(server: "GazetteerServer") -> None:
    """Serve code actions, and evidence as text."""
    actions = Actions(server)
    options = types.CodeActionOptions(code_action_kinds=[KIND], resolve_provider=True)
    server.on(types.TEXT_DOCUMENT_CODE_ACTION, actions.offer, options)
    server.on(types.CODE_ACTION_RESOLVE, actions.resolve)
    server.commands.add(Row("evidence", Evidence, actions.evidence, as_command=False))


class Actions:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def offer(self, given: types.CodeActionParams) -> list[types.CodeAction | types.Command] | None:
        """Say what can be done here."""
        server, context = self._server, given.context
        selected = given.range.start != given.range.end
        automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic
        if not server.configuration["codeActions.enable"] or (automatic and not selected):
            return None
        version = version_of(server, given.text_document.uri)
        beside = others(server, given.text_document.uri)

        def work(seen: Look, cancel: Cancel) -> list[types.CodeAction]:
            return list(self._offered(given, seen, version, beside, cancel))

        found = await look(server, given.text_document.uri, work) or []
        wanted = [one for one in found if _is_wanted(str(one.kind), context.only)]
        if get_capability(server.client_capabilities, "text_document.code_action.code_action_literal_support", None):
            return [*wanted]
        return [one.command for one in wanted if one.command is not None]

    async def resolve(self, given: types.CodeAction) -> types.CodeAction:
        """Do the work of an action that was chosen."""
        if given.data is None:
            return given
        chosen = params.read(given.data, Chosen, "codeAction/resolve")
        check_unchanged(self._server, chosen.uri, chosen.version)
        if chosen.do == "cite":
            given.edit = await self._cite(chosen)
        else:
            query = await look(self._server, chosen.uri, lambda seen, _: _words(seen, range_of(chosen.range)))
            text = (await self.evidence(Evidence(query=query or "", uri=chosen.uri)))["text"]
            given.command = types.Command(given.title, "gazetteer.copy", arguments=[{"text": text}])
        return given

    async def evidence(self, given: Evidence) -> Any:
        """Give the evidence for a question as text that says what it is."""
        server = self._server
        given = await as_meant(server, given)
        query = Query(given.query, limit=EVIDENCE, scope=given.scope)
        async with server.corpora.gathered(server.sessions.asked(given), given.scope) as workspace:
            return {"text": await server.jobs.run("query", lambda cancel: _evidence(workspace, query, cancel))}

    # -- offers -------------------------------------------------------------------------------------------------

    def _offered(
        self,
        given: types.CodeActionParams,
        seen: Look,
        version: int | None,
        beside: "Sequence[Session]",
        cancel: Cancel,
    ) -> Iterator[types.CodeAction]:
        from ..context.pointing import name_at

        uri, span = given.text_document.uri, given.range
        name = name_at(seen.text, seen.offset(span.start), seen.document.language)
        selected = _selection(seen, span)
        words = selected or (name.text if name is not None else "")
        place = {"uri": uri, "position": {"line": span.start.line, "character": span.start.character}}
        if words:
            yield self._view(ASK, f"Ask about {_brief(words)}", "retrieve", {"query": words, "uri": uri})
        yield self._view(RELATED, "Show related code", "related", place)
        if name is not None:
            query = {"query": f"who calls {name.text}", "via": ["graph"], "uri": uri}
            yield self._view(CALLERS, f"Show callers of {_brief(name.text)}", "retrieve", query)
            yield from self._citing(given, seen, name, version, beside, cancel)
        if words:
            yield self._copying(given, words, version)
        yield self._mapping(given, seen)

    def _view(self, kind: str, title: str, method: str, arguments: dict[str, Any]) -> types.CodeAction:
        argument = {"title": title, "method": f"gazetteer/{method}", "params": arguments}
        name = "gazetteer.view" if self._server.experimental.get("view") else "gazetteer.show"
        return types.CodeAction(title, kind, command=types.Command(title, name, arguments=[argument]))

    def _citing(
        self,
        given: types.CodeActionParams,
        seen: Look,
        name: "Name",
        version: int | None,
        beside: "Sequence[Session]",
        cancel: Cancel,
    ) -> Iterator[types.CodeAction]:
        if comment_for(seen.document.language) is None:
            return
        action = types.CodeAction(f"Insert a citation of {_brief(name.text)}", CITE)
        if self._resolves("edit"):
            action.data = _data("cite", given, version)
        else:
            try:
                made = citation(seen, given.range.start, beside, cancel)
            except NotFoundError:
                return
            action.edit = self._edit(given.text_document.uri, version, *made)
        yield action

    def _copying(self, given: types.CodeActionParams, words: str, version: int | None) -> types.CodeAction:
        """The evidence is a question's, and a menu waits for none: it is fetched once the action is chosen."""
        title = f"Copy the evidence for {_brief(words)}"
        if self._server.experimental.get("clipboard") and self._resolves("command"):
            return types.CodeAction(title, COPY, data=_data("copy", given, version))
        return self._view(COPY, title, "evidence", {"query": words, "uri": given.text_document.uri})

    def _mapping(self, given: types.CodeActionParams, seen: Look) -> types.CodeAction:
        exists = bool(map_seen(seen).origin) or is_map_there(seen)
        title = "Open the orientation map" if exists else "Create an orientation map"
        argument = {"uri": given.text_document.uri, "open": True, "create": not exists}
        return types.CodeAction(title, MAP, command=types.Command(title, "gazetteer.map", arguments=[argument]))

    def _resolves(self, what: str) -> bool:
        found = get_capability(
            self._server.client_capabilities, "text_document.code_action.resolve_support.properties", None
        )
        return what in (found or ())

    # -- citing -------------------------------------------------------------------------------------------------

    async def _cite(self, chosen: Chosen) -> types.WorkspaceEdit:
        start, beside = range_of(chosen.range).start, others(self._server, chosen.uri)
        made = await look(self._server, chosen.uri, lambda seen, cancel: citation(seen, start, beside, cancel))
        if made is None:
            raise NotFoundError("This document is not indexed, so its names are not known; see `gazetteer status`.")
        return self._edit(chosen.uri, chosen.version, *made)

    def _edit(self, uri: str, version: int | None, line: int, text: str) -> types.WorkspaceEdit:
        at = types.Position(line, 0)
        edit = types.TextEdit(types.Range(at, at), text)
        if takes_versions(self._server.client_capabilities):
            document = types.OptionalVersionedTextDocumentIdentifier(uri, version)
            return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
        return types.WorkspaceEdit(changes={uri: [edit]})


# -- inside -------------------------------------------------------------------------------------------------------


def _evidence(workspace: "Workspace", query: Query, cancel: Cancel) -> str:
    from ..context.quoting import quote

    answer: Answer = workspace.retrieve(query, cancel=cancel)
    return quote(query.text, ", ".join(one.corpus for one in answer.receipt.snapshot.corpora), answer.hits)


def _words(seen: Look, span: types.Range) -> str:
    from ..context.pointing import name_at

    name = name_at(seen.text, seen.offset(span.start), seen.document.language)
    return _selection(seen, span) or (name.text if name is not None else "")


def _selection(seen: Look, span: types.Range) -> str:
    start, end = seen.offset(span.start), seen.offset(span.end)
    return " ".join(seen.text[start : min(end, start + MAX_SELECTED)].split())


def _brief(words: str) -> str:
    return f"'{one_line(words, _SHOWN)}'"


def _data(do: str, given: types.CodeActionParams, version: int | None) -> dict[str, Any]:
    start, end = given.range.start, given.range.end
    return {
        "do": do,
        "uri": given.text_document.uri,
        "version": version,
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
    }


def _is_wanted(kind: str, only: Any) -> bool:
    """Whether an action is of one of the kinds that were asked for, or of a kind below one."""
    return not only or any(not str(one) or kind == str(one) or kind.startswith(f"{one}.") for one in only)
