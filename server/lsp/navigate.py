"""Symbols, definitions, references and links: for the languages in which no other server answers.

Off until the setting ``navigation.languages`` names a language, because two servers that navigate one document show
everything twice; ``*`` names all. What is answered is what the graph says of names: likely definitions in order, and
uses of the name. Lists are bounded, and every document behind them was hashed.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from ..kb.cancel import Cancel
from ..kb.model import DocumentPath, Kind, Symbol
from .looking import Look, folder_of, look

if TYPE_CHECKING:
    from ..context.card import Cards
    from ..context.pointing import Name
    from ..kb.snapshot import Document
    from ..retrieval.glance import Glance
    from .folder import Folder
    from .server import GazetteerServer

MAX_PLACES = 500
MAX_SYMBOLS = 200
MAX_LINKS = 500
EVERY = "*"

_KINDS = {
    Kind.MODULE: types.SymbolKind.Module,
    Kind.NAMESPACE: types.SymbolKind.Namespace,
    Kind.CLASS: types.SymbolKind.Class,
    Kind.STRUCT: types.SymbolKind.Struct,
    Kind.INTERFACE: types.SymbolKind.Interface,
    Kind.ENUM: types.SymbolKind.Enum,
    Kind.FUNCTION: types.SymbolKind.Function,
    Kind.METHOD: types.SymbolKind.Method,
    Kind.MACRO: types.SymbolKind.Function,
    Kind.TYPE: types.SymbolKind.Class,
    Kind.CONSTANT: types.SymbolKind.Constant,
    Kind.VARIABLE: types.SymbolKind.Variable,
    Kind.FIELD: types.SymbolKind.Field,
    Kind.SECTION: types.SymbolKind.String,
    Kind.KEY: types.SymbolKind.Key,
    Kind.TARGET: types.SymbolKind.Event,
    Kind.BLOCK: types.SymbolKind.Null,
}
_CALLED = {
    "shellscript": "bash",
    "csharp": "c_sharp",
    "javascriptreact": "javascript",
    "typescriptreact": "tsx",
    "restructuredtext": "rst",
    "makefile": "make",
    "objective-c": "objective_c",
    "jsonc": "json",
    "sh": "bash",
    "cs": "c_sharp",
}
"""Languages that editors call by another name."""


def register(server: "GazetteerServer") -> None:
    """Serve navigation."""
    navigation = Navigation(server)
    server.on(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, navigation.symbols)
    server.on(types.WORKSPACE_SYMBOL, navigation.workspace_symbols)
    server.on(types.TEXT_DOCUMENT_DEFINITION, navigation.definition)
    server.on(types.TEXT_DOCUMENT_REFERENCES, navigation.references)
    server.on(types.TEXT_DOCUMENT_DOCUMENT_LINK, navigation.links, types.DocumentLinkOptions(resolve_provider=False))


class Navigation:
    """The handlers."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server

    async def symbols(
        self, given: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
        """The outline of a document."""
        if not self._serves(given.text_document.uri):
            return None
        nested = get_capability(
            self._server.client_capabilities,
            "text_document.document_symbol.hierarchical_document_symbol_support",
            False,
        )

        def work(seen: Look, _cancel: Cancel) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
            return list(_outline(seen)) if nested else list(_flat(seen, given.text_document.uri))

        return await look(self._server, given.text_document.uri, work)

    async def definition(self, given: types.DefinitionParams) -> list[types.Location] | None:
        """Where a name is defined, likeliest first; what an import or a path means."""
        if not self._serves(given.text_document.uri):
            return None
        return await look(
            self._server,
            given.text_document.uri,
            lambda seen, cancel: list(_defining(seen, seen.offset(given.position), cancel)),
        )

    async def references(self, given: types.ReferenceParams) -> list[types.Location] | None:
        """Where a name is used."""
        if not self._serves(given.text_document.uri):
            return None
        declared = given.context.include_declaration
        return await look(
            self._server,
            given.text_document.uri,
            lambda seen, cancel: list(_using(seen, seen.offset(given.position), cancel, declared=declared)),
        )

    async def links(self, given: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        """Paths, citations and locators that lead to documents of the tree."""
        if not self._serves(given.text_document.uri):
            return None
        return await look(self._server, given.text_document.uri, lambda seen, cancel: list(_linked(seen, cancel)))

    async def workspace_symbols(self, given: types.WorkspaceSymbolParams) -> list[types.SymbolInformation] | None:
        """Definitions whose names hold what was typed, of every folder."""
        languages = self._languages()
        if not languages or not given.query.strip():
            return None
        found: list[types.SymbolInformation] = []
        for folder in self._server.sessions:
            found += await self._named(folder, given.query.strip(), languages)
        return found[:MAX_SYMBOLS]

    async def _named(self, folder: "Folder", query: str, languages: frozenset[str]) -> list[types.SymbolInformation]:
        session, units = folder.session, self._server.units
        if session is None or not folder.indexed:
            return []

        def work(cancel: Cancel) -> list[types.SymbolInformation]:
            glance = session.glance()
            if glance is None:
                return []
            return [
                types.SymbolInformation(
                    Look.elsewhere(session, glance, document, units).spot(symbol),
                    symbol.name,
                    _KINDS[symbol.kind],
                    container_name=container or None,
                )
                for document, symbol, container in _matching(glance, query, languages, cancel)
            ]

        return await self._server.jobs.run("glance", work)

    def _languages(self) -> frozenset[str]:
        configuration = self._server.configuration
        named = configuration["navigation.languages"] if configuration["navigation.enable"] else ()
        return frozenset(_CALLED.get(str(one).lower(), str(one).lower()) for one in named)

    def _serves(self, uri: str) -> bool:
        """Whether a document is of a language that this server navigates in."""
        languages = self._languages()
        document = self._server.documents.get(uri)
        if not languages or document is None or folder_of(self._server, uri) is None:
            return False
        language = document.language.lower()
        return EVERY in languages or _CALLED.get(language, language) in languages


# -- a document's own -----------------------------------------------------------------------------------------------


def _outline(seen: Look) -> Iterator[types.DocumentSymbol]:
    """The symbols of a document, nested as they contain each other in the text."""
    facts = seen.glance.snapshot.derived(seen.document).symbols
    made: list[types.DocumentSymbol] = []
    for symbol in facts:
        start, end = symbol.start, max(symbol.end, symbol.name_start + len(symbol.name))
        start = min(start, symbol.name_start)
        made.append(
            types.DocumentSymbol(
                symbol.name,
                _KINDS[symbol.kind],
                seen.range(start, end),
                seen.range(symbol.name_start, symbol.name_start + len(symbol.name)),
                detail=symbol.signature or None,
                children=[],
            )
        )
    for symbol, one in zip(facts, made, strict=True):
        outer = facts[symbol.container] if 0 <= symbol.container < len(facts) else None
        children = made[symbol.container].children if outer is not None else None
        if outer is not None and outer.start <= symbol.start and symbol.end <= outer.end and children is not None:
            _append(children, one)
        else:
            yield one


def _append(children: object, one: types.DocumentSymbol) -> None:
    assert isinstance(children, list)
    children.append(one)


def _flat(seen: Look, uri: str) -> Iterator[types.SymbolInformation]:
    facts = seen.glance.snapshot.derived(seen.document).symbols
    for symbol in facts:
        place = types.Location(uri, seen.range(symbol.start, symbol.end))
        container = facts[symbol.container].name if 0 <= symbol.container < len(facts) else symbol.owner
        yield types.SymbolInformation(place, symbol.name, _KINDS[symbol.kind], container_name=container or None)


def _linked(seen: Look, cancel: Cancel) -> Iterator[types.DocumentLink]:
    from ..context.pointing import paths_in

    found = 0
    for said in paths_in(seen.text, seen.document.language):
        cancel.check()
        target = seen.glance.path_of(seen.path, said.path)
        if target is None or target == seen.path:
            continue
        line = f"#L{said.line}" if said.line else ""
        yield types.DocumentLink(seen.range(said.start, said.end), target=f"{seen.uri(target)}{line}")
        found += 1
        if found == MAX_LINKS:
            return


# -- names ----------------------------------------------------------------------------------------------------------


def _defining(seen: Look, offset: int, cancel: Cancel) -> Iterator[types.Location]:
    """What an import means, else what defines the name, else the document that a path means."""
    from ..context.pointing import import_at, name_at, path_at

    at = import_at(seen.text, seen.glance.snapshot.derived(seen.document), seen.lines, offset)
    if at >= 0:
        for target in seen.glance.graph().targets(seen.document, at):
            if (place := seen.at_line(target.path, 0)) is not None:
                yield place
        return
    name = name_at(seen.text, offset, seen.document.language)
    places = list(_definitions(seen, name, cancel)) if name is not None else []
    yield from places
    said = path_at(seen.text, offset) if not places else None
    target_path = seen.glance.path_of(seen.path, said.path) if said is not None else None
    if said is not None and target_path is not None and (place := seen.at_line(target_path, said.line)) is not None:
        yield place


def _definitions(seen: Look, name: "Name", cancel: Cancel) -> Iterator[types.Location]:
    for one in _cards(seen, cancel).define(seen.document, seen.glance.snapshot.derived(seen.document), name).found:
        symbol = seen.glance.snapshot.derived(one.document).symbols[one.at]
        if seen.glance.holds(one.document):
            yield Look.elsewhere(seen.session, seen.glance, one.document, seen.units).spot(symbol)


def _using(seen: Look, offset: int, cancel: Cancel, *, declared: bool) -> Iterator[types.Location]:
    from ..context.card import BY_TEXT
    from ..context.pointing import name_at

    name = name_at(seen.text, offset, seen.document.language)
    if name is None:
        return
    snapshot = seen.glance.snapshot
    defined = _cards(seen, cancel).define(seen.document, snapshot.derived(seen.document), name).found
    language = defined[0].document.language if defined else seen.document.language
    by_text = bool(defined) and snapshot.derived(defined[0].document).symbols[defined[0].at].kind in BY_TEXT
    if declared:
        yield from _definitions(seen, name, cancel)
    graph = seen.glance.graph(_stopping(cancel))
    found = graph.uses(name.text, language=language)
    if by_text and not found.places:
        found = graph.mentions(name.text, language=language)
    held: dict[DocumentPath, bool] = {}
    for use in found.places[:MAX_PLACES]:
        cancel.check()
        if use.document.path not in held:
            held[use.document.path] = seen.glance.holds(use.document)
        if held[use.document.path]:
            yield from seen.on_line(use.document, use.line, name.text)


def _cards(seen: Look, cancel: Cancel) -> "Cards":
    from ..context.card import Cards, Map

    return Cards(seen.glance, Map(), _stopping(cancel))


def _stopping(cancel: Cancel) -> Callable[[], bool]:
    def stop() -> bool:
        cancel.check()
        return False

    return stop


def _matching(
    glance: "Glance", query: str, languages: frozenset[str], cancel: Cancel
) -> "list[tuple[Document, Symbol, str]]":
    """Symbols whose names hold what was typed: those that are it first, then those that begin with it."""
    from ..retrieval.naming import named_like

    found = []
    for document, symbol, container in named_like(glance, query, MAX_SYMBOLS):
        cancel.check()
        if (EVERY in languages or document.language in languages) and glance.holds(document):
            found.append((document, symbol, container))
    return found
