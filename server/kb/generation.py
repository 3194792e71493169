"""The documents of one generation as they were read from the store, shared by all snapshots of it.

Every question looks up the documents behind hundreds of chunks, and the next one many of the same. A version of a
document never changes within a generation, so what was read once is kept, within a bound.
"""

from collections.abc import Iterable

import msgspec

from .model import ContentId, DocumentId, DocumentPath, Recipe
from .overlay import Overlay
from .store.corpus import CorpusStore
from .store.rows import DocumentRow, Head

KEPT = 10_000
"""Documents that are kept by id, and by path: some 800 bytes each."""


class Document(msgspec.Struct, frozen=True, gc=False):
    """A document as one snapshot has it: ``row`` is None for a buffer, ``overlay`` for a document of the index."""

    path: DocumentPath
    content_id: ContentId
    language: str
    source_type: str
    recipe: Recipe
    row: DocumentRow | None = None
    overlay: Overlay | None = None


class GenerationDocuments:
    """Safe to use from several threads."""

    def __init__(self, store: CorpusStore, head: Head) -> None:
        self._store = store
        self.head = head
        self._by_id: dict[DocumentId, Document | None] = {}
        self._by_path: dict[DocumentPath, Document | None] = {}

    def by_ids(self, ids: Iterable[DocumentId]) -> dict[DocumentId, Document]:
        """Several documents; ids of other generations, or of none, are left out."""
        wanted = list(dict.fromkeys(ids))
        known = self._by_id
        missing = [document_id for document_id in wanted if document_id not in known]
        if missing:
            if len(known) + len(missing) > KEPT:
                known = self._by_id = {}  # begin anew: whoever reads the old one goes on with it
                missing = wanted
            rows = self._store.by_ids(missing)
            for document_id in missing:
                row = rows.get(document_id)
                known[document_id] = of_row(row) if row is not None and self._has(row) else None
        return {document_id: found for document_id in wanted if (found := known[document_id]) is not None}

    def at(self, path: DocumentPath) -> Document | None:
        """The document at a path."""
        known = self._by_path
        if path not in known:
            row = self._store.document(self.head.generation, path)
            if len(known) >= KEPT:
                known = self._by_path = {}
            known[path] = of_row(row) if row is not None else None
        return known[path]

    def _has(self, row: DocumentRow) -> bool:
        return row.born <= self.head.generation < row.died


def of_row(row: DocumentRow) -> Document:
    """A document of the index."""
    return Document(row.path, row.content_id, row.language, row.source_type, row.recipe, row=row)
