"""What one round of a question searches: a keyword reader and a snapshot of the same generation, buffers included.

Index rows of a document that an open buffer owns are masked before top-k (row K10); the buffer's chunks are scored with
the index's own statistics and stand in the same list. Everything above speaks of chunks by `ChunkKey`, whichever side
they come from.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple

import msgspec

from ..kb.model import DocumentId, DocumentPath
from ..kb.snapshot import Document, Snapshot
from . import about
from .analyze import Term
from .buffer_entries import BufferEntries
from .fuse import ChunkKey
from .lexical import LexicalReader
from .lexical_request import FIELD_BOOSTS, PHRASE_FIELD, QUOTING_BOOSTS, ChunkAddress, LexicalRequest
from .overlay_score import OverlayScorer
from .terms import whole


class Match(NamedTuple):
    """A chunk that keyword search found, with its BM25 score."""

    key: ChunkKey
    score: float


class View:
    """A reader and a snapshot, bound together; immutable."""

    def __init__(self, corpus: str, reader: LexicalReader, snapshot: Snapshot, entries: BufferEntries) -> None:
        self.corpus = corpus
        self.reader = reader
        self.snapshot = snapshot
        self._boosts = QUOTING_BOOSTS if entries.quoting else FIELD_BOOSTS
        self._buffers = {overlay.path: entries.of(snapshot, overlay) for overlay in snapshot.overlays}
        self.masked = frozenset(snapshot.masked_ids())

    def named(self, corpus: str) -> "View":
        """The same view under another name of the corpus."""
        view = copy(self)
        view.corpus = corpus
        return view

    def search(self, request: LexicalRequest, paths: frozenset[DocumentPath] | None = None) -> list[Match]:
        """The best chunks, best first; ties by path and place.

        Args:
            request: terms and filters, ``documents`` and ``masked`` left to this function.
            paths: only documents at these paths; None for all.
        """
        bound = msgspec.structs.replace(
            request,
            boosts=self._boosts if request.boosts is FIELD_BOOSTS else request.boosts,
            masked=self.masked,
            documents=None if paths is None else frozenset(self.snapshot.ids_of(paths)),
        )
        matches = self._indexed(bound)
        if self._buffers:
            matches += self._buffered(bound, paths)
            matches.sort(key=lambda match: (-match.score, match.key))
        return matches[: request.limit]

    def subjects(self, worth: Mapping[str, float], limit: int) -> list[tuple[Document, float]]:
        """The documents that are most about a question, best first, each with its score.

        Args:
            worth: what `worth` says of its terms.
            limit: how many documents at most.
        """
        found = self.reader.weigh(worth, limit, masked=self.masked)
        known = self.snapshot.by_ids([document_id for document_id, _ in found])
        weighed = [(known[document_id], score) for document_id, score in found if document_id in known]
        for path, buffer in self._buffers.items():
            weighed.append((self._at(path), about.weigh(buffer.said, worth)))
        weighed.sort(key=lambda one: (-one[1], one[0].path))
        return [one for one in weighed[:limit] if one[1] > 0.0]

    def weigh(self, worth: Mapping[str, float], documents: Iterable[Document]) -> dict[DocumentPath, float]:
        """The scores of some documents for being about a question; one that is left out has none."""
        paths: dict[DocumentId, DocumentPath] = {}
        weighed: dict[DocumentPath, float] = {}
        for document in documents:
            if document.row is not None:
                paths[document.row.id] = document.path
            else:
                weighed[document.path] = about.weigh(self._buffers[document.path].said, worth)
        for document_id, score in self.reader.weigh(worth, len(paths), documents=paths.keys(), masked=self.masked):
            weighed[paths[document_id]] = score
        return weighed

    def worth(self, terms: Iterable[Term], rarity: Mapping[str, float] | None = None) -> dict[str, float]:
        """What a document's saying each term counts for: its weight in the question times its rarity.

        ``rarity`` stands in place of the index's own, where several indexes are asked together; terms that no document
        of this one holds count for nothing in any case.
        """
        own = self.reader.rarity
        if rarity is None:
            return {term.text: term.weight * own(term.text) for term in terms}
        return {term.text: term.weight * rarity.get(term.text, 0.0) if own(term.text) > 0.0 else 0.0 for term in terms}

    def definitions(self, names: Iterable[str], *, folded: bool = False, limit: int = 1_000) -> list[ChunkKey]:
        """Chunks that define one of the names, by path and place; ``folded`` ignores case and underscores."""
        wanted = tuple(names)
        addresses = self.reader.definitions(wanted, folded=folded, limit=limit)
        keys = self._keys(addresses)
        sought = frozenset(whole(name) for name in wanted) if folded else frozenset(wanted)
        for path, buffer in self._buffers.items():
            if not folded and sought.isdisjoint(self._defined[path]):
                continue
            for ordinal, entry in enumerate(buffer.entries):
                defined = {whole(name) for name in entry.defined} if folded else entry.defined
                if not sought.isdisjoint(defined):
                    keys.append(ChunkKey(self.corpus, path, ordinal))
        return sorted(keys)

    def held(self, terms: Sequence[str], paths: Iterable[DocumentPath]) -> dict[DocumentPath, dict[int, int]]:
        """Which of the terms each chunk of some documents holds, by place, as bits; see `LexicalReader.held`."""
        wanted = frozenset(paths)
        ids = frozenset(self.snapshot.ids_of(wanted - self._buffers.keys()))
        found = self.reader.held(terms, ids)
        documents = self.snapshot.by_ids(found)
        held = {document.path: found[document_id] for document_id, document in documents.items()}
        for path in wanted & self._buffers.keys():
            counts = [entry.counts[PHRASE_FIELD] for entry in self._buffers[path].entries]
            bits = [sum(1 << at for at, term in enumerate(terms) if term in one) for one in counts]
            held[path] = {ordinal: one for ordinal, one in enumerate(bits) if one}
        return held

    def holding(
        self, term: str, limit: int, *, source_type: str, languages: Sequence[str]
    ) -> tuple[list[Document], bool]:
        """Documents whose text holds a term, by path; see `LexicalReader.holding`."""
        ids, complete = self.reader.holding(
            term, limit, source_type=source_type, languages=languages, masked=self.masked
        )
        found = list(self.snapshot.by_ids(ids).values())
        for path, buffer in self._buffers.items():
            document = self.snapshot.document(path)
            if document is None or document.source_type != source_type:
                continue
            fits = not languages or document.language in languages
            if fits and term in buffer.said:
                found.append(document)
        return sorted(found, key=lambda document: document.path), complete

    @cached_property
    def _defined(self) -> dict[DocumentPath, frozenset[str]]:
        """All names that each buffer defines, so that most buffers are passed over at once."""
        return {
            path: frozenset().union(*(entry.defined for entry in buffer.entries))
            for path, buffer in self._buffers.items()
        }

    def document(self, key: ChunkKey) -> Document:
        """The document of a chunk of this view."""
        return self._at(key.path)

    def documents(self, paths: Iterable[DocumentPath]) -> dict[DocumentPath, Document]:
        """The documents at some paths that keys of this view name."""
        return {path: self._at(path) for path in paths}

    def _at(self, path: DocumentPath) -> Document:
        document = self.snapshot.document(path)
        assert document is not None, "a key of this view names a document of its snapshot"
        return document

    def _indexed(self, request: LexicalRequest) -> list[Match]:
        found = self.reader.best(request, self.snapshot.paths_of)
        documents = self.snapshot.by_ids([document_id for document_id, _, _ in found])
        corpus, new = self.corpus, tuple.__new__  # hundreds of them: as their types make them, without a call for each
        matches = [
            new(Match, (new(ChunkKey, (corpus, documents[document_id].path, ordinal)), score))
            for document_id, ordinal, score in found
            if document_id in documents
        ]
        matches.sort(key=lambda match: (-match.score, match.key))
        return matches

    def _buffered(self, request: LexicalRequest, paths: frozenset[DocumentPath] | None) -> list[Match]:
        scorer = OverlayScorer(request, self.reader.statistics, self.reader.frequency)
        return [
            Match(ChunkKey(self.corpus, path, ordinal), score)
            for path, buffer in self._buffers.items()
            if paths is None or path in paths
            for ordinal, entry in enumerate(buffer.entries)
            if (score := scorer.score(entry)) is not None
        ]

    def _keys(self, addresses: Iterable[ChunkAddress]) -> list[ChunkKey]:
        wanted = list(addresses)
        documents: dict[DocumentId, Document] = self.snapshot.by_ids([address.document_id for address in wanted])
        return [
            ChunkKey(self.corpus, documents[document_id].path, ordinal)
            for document_id, ordinal in wanted
            if document_id in documents
        ]
