"""Symbols, definitions, references and links: for the languages in which no other server answers.

Off until the setting ``navigation.languages`` names a language, because two servers that navigate one document show
everything twice; ``*`` names all. What is answered is what the graph says of names: likely definitions in order, and
uses of the name. Lists are bounded, and every document behind them was hashed.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability

from ..kb.cancel import Cancel
from ..kb.model import DocumentPath, Kind
from .across import defining_across, others, using_across
from .jumps import defining, stopping, using
from .looking import VIEW_S, Look, folder_of, glance_of, look

if TYPE_CHECKING:
    from ..retrieval.naming import Likeness
    from .folder import Folder
    from .server import GazetteerServer

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
        beside = others(self._server, given.text_document.uri)

        def work(seen: Look, cancel: Cancel) -> list[types.Location]:
            offset = seen.offset(given.position)
            return list(defining(seen, offset, cancel)) or list(defining_across(beside, seen, offset, cancel))

        return await look(self._server, given.text_document.uri, work)

    async def references(self, given: types.ReferenceParams) -> list[types.Location] | None:
        """Where a name is used."""
        if not self._serves(given.text_document.uri):
            return None
        declared = given.context.include_declaration
        beside = others(self._server, given.text_document.uri)

        def work(seen: Look, cancel: Cancel) -> list[types.Location]:
            offset = seen.offset(given.position)
            elsewhere = list(defining_across(beside, seen, offset, cancel)) if declared else []
            found = list(using(seen, offset, cancel, declared=declared))
            return [*elsewhere, *found, *using_across(beside, seen, offset, cancel)]

        return await look(self._server, given.text_document.uri, work)

    async def links(self, given: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        """Paths, citations and locators that lead to documents of the tree."""
        if not self._serves(given.text_document.uri):
            return None
        return await look(self._server, given.text_document.uri, lambda seen, cancel: list(_linked(seen, cancel)))

    async def workspace_symbols(self, given: types.WorkspaceSymbolParams) -> list[types.SymbolInformation] | None:
        """Definitions whose names hold what was typed, the best ones of all folders and of the corpora beside them."""
        languages = self._languages()
        if not languages or not given.query.strip():
            return None
        found: list[tuple[tuple[Any, ...], types.SymbolInformation]] = []
        for folder in (*self._server.sessions, *self._server.corpora):
            found += await self._named(folder, given.query.strip(), languages)
        found.sort(key=lambda one: one[0])
        return [symbol for _, symbol in found[:MAX_SYMBOLS]]

    async def _named(
        self, folder: "Folder", query: str, languages: frozenset[str]
    ) -> list[tuple[tuple[Any, ...], types.SymbolInformation]]:
        """The best of one folder, each with its key in the order of all of them."""
        session, units = folder.session, self._server.units
        if session is None or not folder.indexed:
            return []
        spoken = () if EVERY in languages else tuple(sorted(languages))
        glance, _ = await glance_of(self._server, folder, session, patience=VIEW_S)

        def work(cancel: Cancel) -> list[tuple[tuple[Any, ...], types.SymbolInformation]]:
            from ..retrieval.naming import named_like

            if glance is None:
                return []
            likely = named_like(glance, query, languages=spoken, check=cancel.check)
            held = (one for one in likely if glance.holds(one.document))
            return [
                (one.key(session.root), _information(Look.elsewhere(session, glance, one.document, units), one))
                for one in islice(held, MAX_SYMBOLS)
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
    """What leads to another document: paths in prose and comments, and locators anywhere."""
    from ..context.meaning import Located, Meanings
    from ..context.pointing import locators_in, paths_in

    glance = seen.glance
    meanings = Meanings(glance, stopping(cancel))
    said: list[tuple[int, int, DocumentPath | None, int]] = []
    for one in paths_in(seen.text, seen.document.language):
        cancel.check()
        said.append((one.start, one.end, glance.path_of(seen.path, one.path), one.line))
    for start, end, _ in islice(locators_in(seen.text), MAX_LINKS):
        meaning = meanings.at(seen.document, start)
        if isinstance(meaning, Located) and meaning.place is not None:
            said.append((start, end, meaning.place.path, meaning.place.first_line))
    found = 0
    for start, end, target, line in sorted(said, key=lambda one: one[0]):
        if target is None or target == seen.path or found == MAX_LINKS:
            continue
        found += 1
        yield types.DocumentLink(seen.range(start, end), target=f"{seen.uri(target)}{f'#L{line}' if line else ''}")


def _information(seen: Look, one: "Likeness") -> types.SymbolInformation:
    symbol = one.symbol
    return types.SymbolInformation(
        seen.spot(symbol), symbol.name, _KINDS[symbol.kind], container_name=one.container or None
    )
