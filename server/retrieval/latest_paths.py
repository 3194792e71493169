"""The table of all paths, kept for the newest generation: an edit changes none of them, and then nothing is read."""

import threading

from ..kb.store.corpus import CorpusStore
from ..kb.store.rows import Head
from .path_table import PathTable


class LatestPaths:
    """Safe to use from several threads."""

    def __init__(self, store: CorpusStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: tuple[Head, PathTable] | None = None

    def of(self, head: Head) -> PathTable:
        """The paths of a generation, made from those of an earlier one where these are at hand."""
        with self._lock:
            if self._known is None or self._known[0] != head:
                self._known = (head, self._made(head))
            return self._known[1]

    def _made(self, head: Head) -> PathTable:
        if self._known is not None:
            known, table = self._known
            if known.generation < head.generation and self._store.knows(known):
                removed, added = self._store.changes(known.generation, head.generation)
                gone = {row.path for row in self._store.by_ids(removed).values()}
                return table.after(gone, {row.path for row in added})
        return PathTable(self._store.paths(head.generation))
