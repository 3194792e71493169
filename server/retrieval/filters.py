"""Hard restrictions of a question: which documents may answer at all (rows R8, R8a).

Path globs are written as in a ``.gitignore`` at the root, as ripgrep's ``-g`` takes them: ``*.py`` anywhere, ``src/``
for all below it, ``/src/*.py`` for one place. An absolute path means what it leads to, in whichever tree that is.
"""

import os
from collections.abc import Iterable
from unicodedata import normalize

from ..kb import ignore
from ..kb.ignore import RuleList
from ..kb.model import DocumentPath
from ..kb.snapshot import Document
from .query import Filters


class Restriction:
    """The filters of one query, ready to be asked about documents of the tree whose real path is ``root``."""

    def __init__(self, filters: Filters, root: str = "") -> None:
        self._filters = filters
        self._by_letters = not all(map(str.isascii, filters.paths))
        meant = (self._spelled(path) for glob in filters.paths for path in _meant(glob, root))
        self._globs = ignore.parse_globs(meant, "path")

    @property
    def by_place(self) -> bool:
        """Whether documents have to be looked at one by one: the keyword index knows neither paths nor times."""
        return bool(self._filters.paths) or self._filters.changed_since is not None

    def paths(self, documents: Iterable[Document]) -> frozenset[DocumentPath]:
        """Those documents that may answer, by path."""
        return frozenset(document.path for document in documents if self.admits(document))

    def admits(self, document: Document) -> bool:
        """Whether a document may answer; kinds and entities are about chunks and not looked at."""
        filters = self._filters
        if filters.languages and document.language not in filters.languages:
            return False
        if filters.source_types and document.source_type not in filters.source_types:
            return False
        since, row = filters.changed_since, document.row
        if since is not None and row is not None and row.changed_at < since:
            return False
        return not filters.paths or _included(self._globs, self._spelled(document.path))

    def _spelled(self, path: str) -> str:
        """A path as globs see it: accents that lie beside their letters, as macOS has them, are read as people type."""
        return normalize("NFC", path) if self._by_letters else path


def _meant(glob: str, root: str) -> tuple[str, ...]:
    """What a glob means in the tree; an absolute one also what is written so from its root."""
    below = ignore.below(glob, root) if root else None
    return (glob,) if below is None else (glob, f"/{below}") if below else ("*",)


def _included(globs: RuleList, path: str) -> bool:
    parts = path.split("/")
    for depth in range(len(parts), 0, -1):
        name = os.fsencode(parts[depth - 1])
        verdict = globs.verdict(os.fsencode("/".join(parts[:depth])), name, depth < len(parts))
        if verdict is not None:
            return verdict
    return False
