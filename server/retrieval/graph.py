"""How names hang together across documents: what defines one, who uses it, what an import means (row R8).

Nothing of this is stored. Every edge is resolved when it is asked for, from facts that each document has by itself: so
a file that moves or a buffer that is typed into changes answers at once, and no dependants are ever derived again. The
keyword index narrows which documents are read and decides nothing; open buffers are read directly, and their documents'
rows in the index never count (invariant 5).

A name is not a type: where a receiver cannot be known, all definitions of the name are candidates and the order says
which is likely from where it was asked. What is counted is uses *of the name*; callers of this module say so.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec

from ..kb.model import Derived, DocumentPath, Kind, Role, SourceType
from ..kb.outline import OPTION, known_as
from ..kb.snapshot import Document
from .containment import innermost, is_inside, last_part, lies_in
from .import_rules import Target
from .imports import MAX_TARGETS, can_resolve, last_step
from .origins import Near, Origin, Origins
from .pathclass import PathClass, classify
from .terms import terms
from .tree_paths import closeness
from .view import View

MAX_CHUNKS = 3_000
"""Chunks that the keyword index is asked for, for one name."""
MAX_READ = 32
"""Documents whose facts are read for the definitions of one name."""
MAX_USING = 600
"""Documents whose facts are read for the uses of one name."""
MAX_ASKED = 40
"""Documents that are asked whether they reach one definition of a name that several have."""
LEAST = 8
"""Documents that are read for the uses of a name however late it is."""
MAX_CALLEES = 30

_FAMILIES = (
    frozenset({"javascript", "typescript", "tsx", "vue", "svelte"}),
    frozenset({"c", "cpp", "objective_c", "devicetree", "assembly"}),
    frozenset({"java", "kotlin", "scala", "groovy"}),
    frozenset({"bitbake", "python"}),
)
"""Languages that use each other's definitions."""
_NAMES_ITS_IMPORTS = frozenset({"python", "javascript", "typescript", "tsx", "rust"})
"""Languages in which a bare name that is neither defined nor imported in the document is a local, or built in."""
_SPLIT = frozenset({"c", "cpp", "objective_c", "haskell", "bitbake", "defconfig", "rst"})
"""Languages in which what declares a name is somewhere else than what defines it, on purpose."""
_MEMBERS = frozenset({Kind.METHOD, Kind.FIELD})
_BEHIND = frozenset(
    {PathClass.TEST, PathClass.FIXTURE, PathClass.BENCHMARK, PathClass.EXAMPLE, PathClass.VENDORED, PathClass.GENERATED}
)
_USING = frozenset(Role) - {Role.EXPORT}
_ROLE_ORDER = {Role.CALL: 0, Role.INHERIT: 1, Role.TYPE: 2, Role.REFERENCE: 3, Role.EXPORT: 4}


class Reach(IntEnum):
    """How far a definition is from where it was asked for; less is likelier."""

    DOCUMENT = 0
    IMPORTED = 1
    FOLDER = 2
    TREE = 3


class Definition(msgspec.Struct, frozen=True):
    """One definition: symbol ``at`` of a document."""

    document: Document
    at: int
    reach: Reach
    likely: bool = True


class Definitions(msgspec.Struct, frozen=True):
    """Definitions of a name, likeliest first. ``external`` is the module outside the tree that it comes from."""

    found: tuple[Definition, ...] = ()
    complete: bool = True
    external: str = ""


class Use(msgspec.Struct, frozen=True):
    """One place that uses a name; ``scope`` is the index of the symbol around it, or -1."""

    document: Document
    line: int
    role: Role
    scope: int


class Uses(msgspec.Struct, frozen=True):
    """Places that use a name, those that matter most first. Not ``complete``: there may be more than ``places``."""

    places: tuple[Use, ...] = ()
    complete: bool = True


def never() -> bool:
    """Do not stop."""
    return False


class Graph:
    """Edges of one view.

    Args:
        view: what is looked at.
        origins: what the imports of the view's documents mean.
        should_stop: asked between documents; what was found until then is given, and said to be incomplete.
    """

    def __init__(self, view: View, origins: Origins, *, should_stop: Callable[[], bool] = never) -> None:
        self._view = view
        self._snapshot = view.snapshot
        self._should_stop = should_stop
        self._origins = origins

    # -- definitions --------------------------------------------------------------------------------------------

    def definitions(self, name: str, near: Near | None = None) -> Definitions:
        """What defines ``name``, likeliest first for the place it is asked from; headings of prose define nothing."""
        home = self._snapshot.document(near.path) if near is not None else None
        origin = self._origins.of(home, name, near) if home is not None and near is not None else Origin()
        paths = list(dict.fromkeys(key.path for key in self._view.definitions([name], limit=MAX_CHUNKS)))
        documents = [found for path in paths if (found := self._snapshot.document(path)) is not None]
        documents.sort(key=lambda one: (one.path not in origin.paths, *self._document_order(one, home, near)))
        judged = [
            self._judged(name, document, derived, at, home, near, origin)
            for document in documents[:MAX_READ]
            for derived in (self._asked_facts(document),)
            for at, symbol in enumerate(derived.symbols)
            if symbol.kind is not Kind.SECTION and name in known_as(symbol.name, symbol.kind, document.language)
        ]
        judged.sort(key=lambda one: one[0])
        kept = tuple(one for _, one in judged if one.likely)
        if origin.external and not any(one.reach is Reach.DOCUMENT for one in kept):
            return Definitions(external=origin.external)
        return Definitions(kept, len(documents) <= MAX_READ)

    def _judged(
        self,
        name: str,
        document: Document,
        derived: Derived,
        at: int,
        home: Document | None,
        near: Near | None,
        origin: Origin,
    ) -> tuple[tuple[Any, ...], Definition]:
        symbol = derived.symbols[at]
        if home is None or near is None:
            order: tuple[Any, ...] = (symbol.declaration, _behind(document.path), document.path, symbol.name_start)
            return order, Definition(document, at, Reach.TREE)
        reach = _reach(document.path, near.path, origin)
        member = symbol.kind in _MEMBERS and symbol.container >= 0
        odd = member != near.member and reach is not Reach.IMPORTED
        # In a language that names its imports, what is not in reach by them is a local or built in.
        related = _related(document.language, home.language) or name != symbol.name  # others know it by that name
        local = home.language in _NAMES_ITS_IMPORTS and not near.member and reach > Reach.IMPORTED
        prose = home.source_type != SourceType.CODE.value
        likely = (prose or related) and not (local and (odd or not near.used))
        inside = bool(near.qualifiers) and is_inside(derived, at, document.path, near.qualifiers[-1:], folded=False)
        apart = symbol.declaration and home.language in _SPLIT
        order = (
            not inside,
            odd,
            apart,
            reach,
            symbol.declaration,
            *self._document_order(document, home, near),
            symbol.name_start,
        )
        return order, Definition(document, at, reach, likely)

    def _document_order(self, document: Document, home: Document | None, near: Near | None) -> tuple[Any, ...]:
        if home is None or near is None:
            return (_behind(document.path), document.path)
        unrelated = not _related(document.language, home.language)
        return (unrelated, _behind(document.path), *closeness(document.path, near.path))

    def targets(self, document: Document, at: int) -> tuple[Target, ...]:
        """The documents that import ``at`` of a document means; none for what lies outside the tree.

        Where modules are no paths but names, they are the documents that declare the name.
        """
        if can_resolve(document.language):
            return self._origins.targets(document, at)
        module = self._facts(document).imports[at].module
        paths = dict.fromkeys(key.path for key in self._view.definitions([module], limit=MAX_TARGETS))
        return tuple(Target(path) for path in paths if path != document.path)

    # -- uses ---------------------------------------------------------------------------------------------------

    def uses(self, name: str, *, language: str = "", roles: Iterable[Role] = ()) -> Uses:
        """Places that use ``name``, in documents of related languages (of all without ``language``); no exports.

        What matters most comes first: calls before types, the project's own code before tests and copies, one place a
        document before the second of any.
        """
        wanted = frozenset(roles) or _USING
        documents, complete = self._saying(name, language)
        found: list[Use] = []
        for read, document in enumerate(documents):
            if self._is_late(read):
                complete = False
                break
            found += [
                Use(document, one.line, one.role, one.scope)
                for one in self._facts(document).references
                if name in one.name and one.role in wanted and (one.name == name or last_part(one.name) == name)
            ]
        if language == "kconfig" and Role.REFERENCE in wanted:
            elsewhere = self.mentions(OPTION + name)
            found += elsewhere.places
            complete = complete and elsewhere.complete
        return Uses(_by_weight(found), complete)

    def reaching(self, name: str, definition: Definition, places: Sequence[Use]) -> tuple[Use, ...]:
        """Uses in the order given, but those first whose documents reach this very definition of the name."""
        home = definition.document.path
        known: dict[DocumentPath, bool] = {}
        near: list[bool] = []
        for use in places:
            path = use.document.path
            if path not in known and len(known) < MAX_ASKED and not self._should_stop():
                known[path] = path == home or home in self._origins.of(use.document, name, Near(path)).paths
            near.append(not known.get(path, False))
        return tuple(places[at] for at in sorted(range(len(places)), key=lambda at: (near[at], at)))

    def mentions(self, name: str, *, language: str = "") -> Uses:
        """Places where code of related languages says ``name`` as a whole word: for what no fact is a use of."""
        documents, complete = self._saying(name, language)
        found: list[Use] = []
        for read, document in enumerate(documents):
            if self._is_late(read):
                complete = False
                break
            text, derived = self._snapshot.text(document), self._facts(document)
            own = {symbol.name_start for symbol in derived.symbols if symbol.name == name}
            line, counted = 1, 0
            lines: dict[int, None] = {}
            for at in _words(text, name):
                if at not in own:
                    line, counted = line + text.count("\n", counted, at), at
                    lines[line] = None
            found += [Use(document, one, Role.REFERENCE, innermost(derived, one)) for one in lines]
        return Uses(_by_weight(found), complete)

    def _saying(self, name: str, language: str) -> tuple[list[Document], bool]:
        """Documents of code whose text holds the name's term, own code first; whether those are all."""
        found = terms(name)
        if not found:
            return [], True
        code = SourceType.CODE.value
        documents, complete = self._view.holding(found[0], MAX_CHUNKS, source_type=code, languages=_family(language))
        documents.sort(key=lambda one: (_behind(one.path), one.path))
        return documents[:MAX_USING], complete and len(documents) <= MAX_USING

    def callees(self, document: Document, at: int) -> tuple[tuple[str, Definition], ...]:
        """What a definition calls that is defined in the tree, in the order of the calls."""
        derived = self._facts(document)
        first, last = derived.symbols[at].first_line, derived.symbols[at].last_line
        names: dict[str, int] = {}
        for one in derived.references:
            if one.role is Role.CALL and first <= one.line <= last and lies_in(derived, one.scope, at):
                names.setdefault(last_part(one.name), one.line)
        found = []
        for name, line in islice(names.items(), MAX_CALLEES):
            if self._should_stop():
                break
            best = self.definitions(name, Near(document.path, line)).found
            best = best or self.definitions(name, Near(document.path, line, member=True)).found
            if best and not (best[0].document.path == document.path and best[0].at == at):
                found.append((name, best[0]))
        return tuple(found)

    # -- imports ------------------------------------------------------------------------------------------------

    def importers(self, path: DocumentPath) -> Uses:
        """Places where other documents import the document at ``path``."""
        word = _module_word(path)
        documents, complete = self._saying(word, "")
        found: list[Use] = []
        for document in documents:
            if self._should_stop():
                complete = False
                break
            if document.path == path:
                continue
            for at, taken in enumerate(self._facts(document).imports):
                said = word in taken.module or word in taken.names or not last_step(taken.module)
                if said and any(target.path == path for target in self._origins.targets(document, at)):
                    found.append(Use(document, taken.line, Role.REFERENCE, -1))
        return Uses(_by_weight(found), complete)

    def importing(self, name: str) -> Uses:
        """Places where documents import ``name``: a module's last word, or a name that is taken from one."""
        documents, complete = self._saying(name, "")
        found: list[Use] = []
        for document in documents:
            if self._should_stop():
                complete = False
                break
            found += [
                Use(document, taken.line, Role.REFERENCE, -1)
                for taken in self._facts(document).imports
                if name in taken.names or name == taken.module or last_step(taken.module) == name
            ]
        return Uses(_by_weight(found), complete)

    def _is_late(self, read: int) -> bool:
        """Whether to stop after ``read`` documents; asked at the first ones too, where only what it raises counts."""
        return self._should_stop() and read >= LEAST

    def _facts(self, document: Document) -> Derived:
        return self._snapshot.derived(document)

    def _asked_facts(self, document: Document) -> Derived:
        """The facts of a document that is read however late it is, unless asking raises."""
        self._should_stop()
        return self._facts(document)


def _words(text: str, name: str) -> Iterator[int]:
    """Where ``name`` stands as a whole word; looking for it as it is costs a tenth of a pattern."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not any(one.isalnum() or one in "_$" for one in (text[at - 1 : at], text[end : end + 1]) if one):
            yield at
        at = text.find(name, end)


def _family(language: str) -> tuple[str, ...]:
    """A language and those that use its definitions; () for any."""
    related = {language, *(one for family in _FAMILIES if language in family for one in family)}
    return tuple(sorted(related)) if language else ()


def _related(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in _FAMILIES)


@lru_cache(maxsize=8_192)
def _behind(path: DocumentPath) -> int:
    """How many reasons there are to show a document behind the code it tests or copies."""
    return len(_BEHIND.intersection(classify(path)))


def _reach(path: DocumentPath, near: DocumentPath, origin: Origin) -> Reach:
    if path == near:
        return Reach.DOCUMENT
    if path in origin.paths:
        return Reach.IMPORTED
    return Reach.FOLDER if path.rpartition("/")[0] == near.rpartition("/")[0] else Reach.TREE


def _by_weight(found: Iterable[Use]) -> tuple[Use, ...]:
    """One place a document first, then the second of each; own code before tests, calls before other uses.

    A name may stand in one document thousands of times.
    """
    by_document: dict[DocumentPath, list[Use]] = {}
    for use in found:
        by_document.setdefault(use.document.path, []).append(use)
    groups: dict[int, list[list[Use]]] = {}
    for path, uses in by_document.items():
        uses.sort(key=lambda one: (_ROLE_ORDER[one.role], one.line))
        groups.setdefault(_behind(path), []).append(uses)
    placed: list[Use] = []
    for behind in sorted(groups):
        turn, left = 0, groups[behind]
        while left:
            placed += sorted((uses[turn] for uses in left), key=_first_of_a_turn)
            turn += 1
            left = [uses for uses in left if len(uses) > turn]
    return tuple(placed)


def _first_of_a_turn(use: Use) -> tuple[int, DocumentPath]:
    return _ROLE_ORDER[use.role], use.document.path


def _module_word(path: DocumentPath) -> str:
    """What an import of the document has to say: its stem, or its folder's name where it stands for that."""
    *folders, name = path.split("/")
    stem = name.split(".", 1)[0]
    return folders[-1] if folders and stem in ("__init__", "index", "mod", "lib", "main", "init") else stem
