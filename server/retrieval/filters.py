"""Hard restrictions of a question: which documents may answer at all (rows R8, R8a).

Path globs are written as in a ``.gitignore`` at the root, as ripgrep's ``-g`` takes them: ``*.py`` anywhere, ``src/``
for all below it, ``/src/*.py`` for one place. An absolute path means what it leads to, in whichever tree that is.
"""

import os
from collections.abc import Iterable

from ..kb import ignore
from ..kb.ignore import RuleList
from ..kb.model import DocumentPath
from ..kb.snapshot import Document
from .query import Filters


class Restriction:
    """The filters of one query, ready to be asked about documents of the tree whose real path is ``root``."""

    def __init__(self, filters: Filters, root: str = "") -> None:
        self._filters = filters
        paths = ("*" if root and ignore.below(glob, root) == "" else glob for glob in filters.paths)
        self._globs = ignore.parse_globs(paths, "path", root)

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
        return not filters.paths or _included(self._globs, document.path)


def _included(globs: RuleList, path: DocumentPath) -> bool:
    parts = path.split("/")
    for depth in range(len(parts), 0, -1):
        name = os.fsencode(parts[depth - 1])
        verdict = globs.verdict(os.fsencode("/".join(parts[:depth])), name, depth < len(parts))
        if verdict is not None:
            return verdict
    return False
