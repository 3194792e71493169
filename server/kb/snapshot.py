"""One coherent view of one corpus: a generation of the store with this process's open buffers over it.

Frozen: asked twice it answers the same, "not there" included (invariant 3). An open buffer owns its whole document
(invariant 5). Text comes from the content a generation names, never from the disk, so a snapshot that is held for a
while still says what it said; whether the disk agrees is the business of ``freshness``.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from .generation import Document, GenerationDocuments, of_row
from .model import ChunkNote, ContentId, Derived, DocumentId, DocumentPath, Recipe
from .outline import outline
from .overlay import Overlay, OverlayMap
from .store.corpus import CorpusStore
from .store.rows import Coverage, Totals

__all__ = ["Document", "Facts", "Outlines", "Snapshot"]

Outlines = dict[tuple[ContentId, Recipe], tuple[ChunkNote, ...]]


class Facts(Protocol):
    """What a snapshot asks about the texts it names; never about paths or generations."""

    def load(self, content: ContentId, recipe: Recipe) -> tuple[str, Derived]:
        """Text and facts of a stored content."""

    def derived(self, content: ContentId, recipe: Recipe) -> Derived:
        """Facts of a stored content, without its text."""

    def outlines(self, keys: Sequence[tuple[ContentId, Recipe]]) -> Outlines:
        """Outlines of stored contents."""

    def describe(self, overlay: Overlay) -> tuple[str, str, Recipe, Derived]:
        """Language, source type, recipe and facts of an open buffer."""


class Snapshot:
    """A view that does not change.

    Args:
        root: the real path of the tree, for those who compare the view with it; nothing is read from it here.
        facts: what is known of contents and buffers, however it is made and kept at hand.
        documents: of the generation, without the buffers.
    """

    def __init__(
        self,
        root: str,
        store: CorpusStore,
        facts: Facts,
        documents: GenerationDocuments,
        overlays: OverlayMap,
    ) -> None:
        self.root = root
        self._store = store
        self._facts = facts
        self._documents = documents
        self.head = head = documents.head
        self.overlays = overlays
        self._buffers: dict[DocumentPath, Document] = {}
        self._described: dict[DocumentPath, tuple[str, str, Recipe, Derived]] = {}
        self._totals, self._coverage, self._published_at = store.published(head.generation)

    def __enter__(self) -> "Snapshot":
        """Give it a name for a block; nothing has to be given back afterwards."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: what it reads is kept for a while, held or not (`publish.KEEP_SECONDS`)."""

    @property
    def id(self) -> str:
        """Names this view: the publication, and the buffers over it."""
        digest = hashlib.sha256(f"{self.head.generation}:{self.head.publish_id}:{self.overlays.state_id}".encode())
        return f"{self.head.generation}-{digest.hexdigest()[:12]}"

    @property
    def totals(self) -> Totals:
        """Sums over the documents of the index (buffers not counted)."""
        return self._totals

    @property
    def coverage(self) -> Coverage:
        """What the generation does not hold, and why."""
        return self._coverage

    @property
    def published_at(self) -> float:
        """When the generation was published, in seconds since the epoch; 0 for none."""
        return self._published_at

    def document(self, path: DocumentPath) -> Document | None:
        """The document at a path: the buffer that is open on it, else the generation's version, else None."""
        overlay = self.overlays.get(path)
        return self._documents.at(path) if overlay is None else self._buffer(overlay)

    def by_id(self, document_id: DocumentId) -> Document | None:
        """The document of the index with this id; None when it is of another generation, or masked by a buffer."""
        return self.by_ids([document_id]).get(document_id)

    def paths_of(self, ids: Iterable[DocumentId]) -> dict[DocumentId, DocumentPath]:
        """Paths of documents of the index, for ties that must not depend on history; unknown ones are left out."""
        return {document_id: document.path for document_id, document in self._documents.by_ids(ids).items()}

    def by_ids(self, ids: Iterable[DocumentId]) -> dict[DocumentId, Document]:
        """Several documents of the index at once; those that this snapshot does not show are left out."""
        found = self._documents.by_ids(ids)
        if not len(self.overlays):
            return found
        return {one: document for one, document in found.items() if self.overlays.get(document.path) is None}

    def masked_ids(self) -> Iterator[DocumentId]:
        """Ids of the index's versions of documents that a buffer owns."""
        for overlay in self.overlays:
            row = self._store.document(self.head.generation, overlay.path)
            if row is not None:
                yield row.id

    def ids_of(self, paths: Iterable[DocumentPath]) -> Iterator[DocumentId]:
        """Ids of the index's versions of documents at these paths."""
        for path in sorted(paths):
            document = self.document(path)
            if document is not None and document.row is not None:
                yield document.row.id

    def outlines(self, documents: Iterable[Document]) -> dict[DocumentPath, tuple[ChunkNote, ...]]:
        """The outline of each document, by path."""
        wanted = list(documents)
        stored = {(d.content_id, d.recipe): None for d in wanted if d.overlay is None}
        read = self._facts.outlines(tuple(stored))
        return {
            d.path: read[d.content_id, d.recipe] if d.overlay is None else outline(self._describe(d.overlay)[3])
            for d in wanted
        }

    def documents(self) -> Iterator[Document]:
        """Every document, by path."""
        rows = {row.path: row for row in self._store.documents(self.head.generation)}
        for path in sorted({*rows, *(overlay.path for overlay in self.overlays)}):
            document = self.document(path) if self.overlays.get(path) is not None else of_row(rows[path])
            if document is not None:
                yield document

    def text(self, document: Document) -> str:
        """The normalised text of a document of this snapshot."""
        return document.overlay.text if document.overlay is not None else self._load(document)[0]

    def derived(self, document: Document) -> Derived:
        """The facts of a document of this snapshot."""
        if document.overlay is not None:
            return self._describe(document.overlay)[3]
        return self._facts.derived(document.content_id, document.recipe)

    def _buffer(self, overlay: Overlay) -> Document:
        found = self._buffers.get(overlay.path)
        if found is None:
            language, source, recipe, _ = self._describe(overlay)
            found = Document(overlay.path, overlay.content_id, language, source, recipe, overlay=overlay)
            self._buffers[overlay.path] = found
        return found

    def _describe(self, overlay: Overlay) -> tuple[str, str, Recipe, Derived]:
        """What is known of a buffer, kept as long as this view is: many large ones are not derived again and again."""
        found = self._described.get(overlay.path)
        if found is None:
            found = self._described[overlay.path] = self._facts.describe(overlay)
        return found

    def _load(self, document: Document) -> tuple[str, Derived]:
        return self._facts.load(document.content_id, document.recipe)
