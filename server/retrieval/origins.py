"""Where a name in a document comes from: through its imports, and through documents that only pass it on.

Imports are facts of one content; what they mean is asked of `imports`, for one snapshot. A document that takes a name
from a module which resolves to nothing has it from outside the tree, and that is said instead of a guess.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from ..kb.model import ContentId, DocumentPath, Import
from ..kb.snapshot import Document, Snapshot
from .import_rules import Target
from .imports import can_resolve, last_step, targets
from .path_table import PathTable
from .tree_paths import Tree

MAX_HOPS = 3
"""Documents that a name is followed through when each only passes it on."""
_IMPORTS = 200  # of one document that are looked at
_TAKES_ALL = frozenset({"c", "cpp", "objective_c", "devicetree", "ruby", "php", "bash", "haskell", "c_sharp", "swift"})
"""Languages in which an import without names brings in every name of what it imports."""
_ALIAS = re.compile(r"\b\w+\s+as\s+(\w+)|^\s*using\s+(\w+)\s*=|\b(\w+)\s*=\s*(?:@import|require|import)\b")


class Near(msgspec.Struct, frozen=True):
    """Where a name is asked for, and how it stands there."""

    path: DocumentPath
    line: int = 0  # 1-based
    qualifiers: tuple[str, ...] = ()  # what is written in front of it, outermost first
    member: bool = False  # it stands behind an accessor
    used: bool = True  # the facts say that it is used there, so it is no local variable


class Origin(msgspec.Struct, frozen=True):
    """Documents that a name may come from by imports, or the module outside of the tree that it comes from."""

    paths: frozenset[DocumentPath] = frozenset()
    external: str = ""


class Origins:
    """Imports of one snapshot, resolved as they are asked for.

    Args:
        snapshot: documents and their facts.
        table: the paths of the snapshot's generation.
    """

    def __init__(self, snapshot: Snapshot, table: PathTable) -> None:
        self._snapshot = snapshot
        self._tree = Tree(table, (overlay.path for overlay in snapshot.overlays), self._text)
        self._split: tuple[ContentId, list[str]] | None = None
        self._targets: dict[tuple[DocumentPath, int], tuple[Target, ...]] = {}

    def of(self, home: Document, name: str, near: Near) -> Origin:
        """Where ``name``, or what qualifies it, comes from for the document ``home``."""
        found: dict[DocumentPath, None] = {}
        external = ""
        first = near.qualifiers[0] if near.qualifiers else ""
        for at, taken in enumerate(islice(self._snapshot.derived(home).imports, _IMPORTS)):
            known = self._known_as(home, taken)
            direct = (first in known) if near.member and first else name in known
            if not direct and not _brings_all(taken, home.language):
                continue
            reached = self.targets(home, at)
            if direct and not reached and can_resolve(home.language):
                external = external or taken.module
            for target in reached:
                found[target.path] = None
                if home.language not in _TAKES_ALL:
                    found.update(dict.fromkeys(self._passed_on(target.path, name, MAX_HOPS)))
        return Origin(frozenset(found), "" if found else external)

    def _passed_on(self, path: DocumentPath, name: str, hops: int) -> Iterator[DocumentPath]:
        """Documents that ``path`` in turn takes a name from: packages collect what their files define."""
        document = self._snapshot.document(path) if hops else None
        if document is None:
            return
        derived = self._snapshot.derived(document)
        if any(symbol.name == name and symbol.container < 0 for symbol in derived.symbols):
            return  # it is defined here
        for at, taken in enumerate(islice(derived.imports, _IMPORTS)):
            named = name in taken.names or "*" in taken.names
            if not named and (taken.names or hops < MAX_HOPS):
                continue
            for target in self.targets(document, at):
                if target.path != path:
                    yield target.path
                    if named:
                        yield from self._passed_on(target.path, name, hops - 1)

    def _known_as(self, document: Document, taken: Import) -> frozenset[str]:
        """Names under which a document knows what an import takes."""
        module = taken.module
        plain = {name.rpartition(".")[2] for name in taken.names} or {last_step(module), module.split(".", 1)[0]}
        line = self._lines(document)[taken.line - 1 : taken.line]
        aliases = _ALIAS.finditer(line[0]) if line else ()
        return frozenset({*plain, *(match[1] or match[2] or match[3] for match in aliases)})

    def _lines(self, document: Document) -> list[str]:
        split = self._split  # another thread may put its own there meanwhile
        if split is None or split[0] != document.content_id:
            split = self._split = (document.content_id, self._snapshot.text(document).split("\n"))
        return split[1]

    def targets(self, document: Document, at: int) -> tuple[Target, ...]:
        """The documents that import ``at`` of a document means; none for what lies outside the tree."""
        key = (document.path, at)
        if key not in self._targets:
            taken = self._snapshot.derived(document).imports[at]
            self._targets[key] = targets(self._tree, document.path, document.language, taken)
        return self._targets[key]

    def path_of(self, home: DocumentPath, written: str) -> DocumentPath | None:
        """The document that a path in the text of ``home`` means: from its folder, from the root, else the nearest."""
        return self._tree.meant(written, home)

    def _text(self, path: DocumentPath) -> str:
        document = self._snapshot.document(path)
        return self._snapshot.text(document) if document is not None else ""


def _brings_all(taken: Import, language: str) -> bool:
    return "*" in taken.names or "_" in taken.names or (not taken.names and language in _TAKES_ALL)
