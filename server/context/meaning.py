"""What a place in a text means: a name and what defines it, an import and what it takes, a path, a locator.

There is one way to find that out, for whoever asks: what a hover shows is where a jump goes to and what a citation
names. Every answer comes from one glance, unsaved buffers included. Knows nothing of editors.
"""

import re
from collections.abc import Callable

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.model import Derived, DocumentPath, Import, Kind, SourceType
from ..kb.snapshot import Document
from ..retrieval import locator
from ..retrieval.containment import last_part
from ..retrieval.glance import Glance
from ..retrieval.graph import Definition, Definitions, Graph
from ..retrieval.origins import Near
from . import pointing
from .pointing import Name, PathLike

_WORDS = re.compile(r"[\w$]+")
TRIED = 6
"""Places that are looked at for one to show, when the first ones changed meanwhile."""
_CONTAINERS = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.MODULE, Kind.NAMESPACE, Kind.TYPE})


class Named(msgspec.Struct, frozen=True):
    """A name that something defines, in the tree or outside of it; ``best`` is none where all have changed since."""

    name: Name
    found: Definitions
    best: Definition | None = None


class Imported(msgspec.Struct, frozen=True):
    """The module of import ``at`` of the document, and the documents that it means, each once."""

    at: int
    taken: Import
    start: int
    paths: tuple[DocumentPath, ...] = ()


class Written(msgspec.Struct, frozen=True):
    """A path of a document of the tree."""

    said: PathLike
    document: Document


class Located(msgspec.Struct, frozen=True):
    """A locator: what it says and the document it means, or why that is none."""

    start: int
    end: int
    place: locator.Locator | None = None
    document: Document | None = None
    fault: str = ""


_SETTING = frozenset({"defconfig"})
"""Languages that only set what others define: a name in them means what it is defined as."""
Meaning = Named | Imported | Written | Located


class Meanings:
    """Finds meanings in one glance.

    Args:
        glance: what is seen.
        should_stop: whether it is time to stop counting uses; what it raises ends the work.
    """

    def __init__(self, glance: Glance, should_stop: Callable[[], bool]) -> None:
        self._glance = glance
        self._snapshot = glance.snapshot
        self.graph: Graph = glance.graph(should_stop)

    def at(self, document: Document, offset: int) -> Meaning | None:
        """What an offset of a document means; None where there is nothing to say."""
        text, derived = self._snapshot.text(document), self._snapshot.derived(document)
        language = document.language
        if (where := pointing.locator_at(text, offset)) is not None:
            return self._located(where)
        name = pointing.name_at(text, offset, language)
        at = pointing.import_at(text, derived, self._glance.lines(document), offset, language)
        if at >= 0:
            return self._imported(document, at, name)
        named = self.name(document, name) if name is not None else None
        return named or self._written(document, pointing.path_at(text, offset))

    def name(self, document: Document, name: Name) -> Named | None:
        """What a name that stands in a document means; None where nothing is known to define it."""
        return self._named(name, self._define(document, name))

    def bare(self, text: str, start: int = 0) -> Named | None:
        """What a name means by itself, wherever it stands: a document of another tree says it at ``start``."""
        return self._named(Name(text, start, 1), self.graph.definitions(text))

    def _named(self, name: Name, found: Definitions) -> Named | None:
        if not found.found and not found.external:
            return None
        best = next((one for one in found.found[:TRIED] if self._glance.holds(one.document)), None)
        return Named(name, found, best)

    def _define(self, document: Document, name: Name) -> Definitions:
        """Definitions of a name as it stands in a document, the one that it is itself first."""
        derived = self._snapshot.derived(document)
        found = self.graph.definitions(name.text, near_of(document, derived, name))
        here = [
            one
            for one in found.found
            if one.document.path == document.path and derived.symbols[one.at].name_start == name.start
        ]
        if here and document.language not in _SETTING:
            rest = tuple(one for one in found.found if one not in here)
            return msgspec.structs.replace(found, found=(*here, *rest))
        return found

    def _imported(self, document: Document, at: int, name: Name | None) -> Meaning:
        """The import, or what the last step of its module names in the document that it means."""
        taken = self._snapshot.derived(document).imports[at]
        text, line = self._snapshot.text(document), self._glance.lines(document).start_of(taken.line)
        start = pointing.module_place(text, taken, line, document.language)
        paths = tuple(dict.fromkeys(target.path for target in self.graph.targets(document, at)))
        end = start + len(taken.module)
        if name is not None and start < name.start and name.start + len(name.text) == end:
            named = self.name(document, name)
            if named is not None and named.best is not None and named.best.document.path in paths:
                return named
        return Imported(at, taken, start, paths)

    def _written(self, document: Document, said: PathLike | None) -> Written | None:
        path = self._glance.path_of(document.path, said.path) if said is not None else None
        target = self._snapshot.document(path) if path is not None else None
        return Written(said, target) if said is not None and target is not None else None

    def _located(self, where: tuple[int, int, str]) -> Located:
        start, end, text = where
        try:
            place = locator.parse(text)
        except InvalidArgumentError as error:
            return Located(start, end, fault=error.message)
        if place.corpus_key != self._glance.origin.root.key:
            return Located(start, end, fault="This locator is of another tree.")
        document = self._snapshot.document(place.path)
        if document is None:
            return Located(start, end, fault="The document of this locator is not there any more.")
        return Located(start, end, place, document)

    # -- about definitions --------------------------------------------------------------------------------------

    def line_of(self, definition: Definition) -> int:
        """The line of the name, which may come after decorators."""
        symbol = self._snapshot.derived(definition.document).symbols[definition.at]
        text = self._snapshot.text(definition.document)
        return symbol.first_line + text.count("\n", symbol.start, symbol.name_start)

    def container(self, definition: Definition) -> str:
        """What contains a definition, as a person writes it."""
        symbols = self._snapshot.derived(definition.document).symbols
        symbol = symbols[definition.at]
        steps = [symbol.owner] if symbol.owner else []
        seen = {definition.at}
        while symbol.container >= 0 and symbol.container not in seen:
            seen.add(symbol.container)
            symbol = symbols[symbol.container]
            steps.insert(0, symbol.name)
        return ".".join(steps)


def near_of(document: Document, derived: Derived, name: Name) -> Near:
    """How a name stands in a document, as the graph asks for it."""
    qualifiers = name.qualifiers
    if name.of_self and not qualifiers:
        qualifiers = tuple(one.name for one in pointing.around(derived, name.line) if one.kind in _CONTAINERS)[:1]
    code = document.source_type == SourceType.CODE.value
    used = (
        any(one.line == name.line and _says(one.name, name.text) for one in derived.references)
        or any(one.name_start == name.start for one in derived.symbols)
        or (code and name.in_comment and (name.called or pointing.looks_like_code(name.text)))
    )
    return Near(document.path, name.line, qualifiers, name.member, used)


def _says(reference: str, name: str) -> bool:
    """Whether what is used is the name, or is qualified by it."""
    return name in reference and name in (reference, last_part(reference), *_WORDS.findall(reference))
