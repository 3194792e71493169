"""The keyword index: opening, writing and asking one folder of it; with `lexical_query`, all that knows tantivy.

The entries are chunks plus one head entry, which says in the same commit how far the index follows the store, and holds
one sentinel term in every text field, from which the statistics of the fields are read.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice, repeat
from typing import cast

import msgspec
import tantivy

from ..kb.errors import DamagedError, UnavailableError
from ..kb.model import DocumentId, Generation
from ..kb.passing import LACKING
from ..kb.store.rows import DocumentRow, Head
from . import about
from .lexical_query import SCHEMA, among, any_of, build_query, documents_query, holding_query, term_query, told_query
from .lexical_request import (
    ABOUT_FIELD,
    PHRASE_FIELD,
    TEXT_FIELDS,
    ChunkAddress,
    LexicalMatch,
    LexicalRequest,
    PathsOf,
    Scored,
    best_matches,
    order_matches,
    tie_rank,
)
from .lexical_terms import Lexicon
from .overlay_score import FieldStatistics
from .terms import ANALYZER_VERSION, ChunkFields, path_terms, whole

LAYOUT_VERSION = 3
"""Raise when the fields below change: an index of another layout is rebuilt (pitfall ST20)."""

SENTINEL = "\u00a4"
"""A term that no text gives, because it is no word character."""
MAX_BITS = 20
"""Terms of which can be asked at once where each chunk holds them."""
_TIE_MARGIN = 16
_MAX_FETCH = 8_192
_DELETE_BATCH = 10_000
_MIN_HEAP = 15_000_000  # tantivy refuses less a thread
_SYSTEM_ERROR = re.compile(r"\bcode: ([0-9]+)")

Columns = tuple[list[DocumentId], list[tantivy.DocAddress], list[float]]


class _HeadEntry(msgspec.Struct):
    generation: int
    publish_id: str
    format: str


def format_of(analyzer: str = ANALYZER_VERSION, *, quoting: bool = False) -> str:
    """Everything but the texts that decides what an index holds."""
    return f"{LAYOUT_VERSION}/{analyzer}{'/quoting' if quoting else ''}"


@contextmanager
def reading() -> Iterator[None]:
    """Turn what tantivy raises on a damaged index, panics included, into `DamagedError`.

    Where the system lacks something for now, that is an `UnavailableError`: nothing is wrong with the index.
    """
    try:
        yield
    except ValueError as error:
        if _lacks(error):
            raise UnavailableError(
                f"The keyword index cannot be read for now ({_first_line(error)}); close something and ask again."
            ) from error
        raise DamagedError(
            f"The keyword index cannot be read ({_first_line(error)}); it is rebuilt by itself."
        ) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3 gives it no importable name
            raise
        raise DamagedError("The keyword index is damaged; it is rebuilt by itself.") from error


def _lacks(error: ValueError) -> bool:
    """Whether the library lacked something: it tells the number of the system's error among its words."""
    return any(int(number) in LACKING for number in _SYSTEM_ERROR.findall(str(error)))


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


class Engine:
    """One folder of tantivy, open. Not shared between processes that write; see `lexical_index`."""

    def __init__(self, path: str, *, create: bool = False) -> None:
        """Open the index at ``path``, or make an empty one there.

        Raises:
            DamagedError: There is none, or it cannot be read.

        """
        self.path = path
        with reading():
            self._index = tantivy.Index(SCHEMA, path) if create else tantivy.Index.open(path)
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("spaced", analyzer)
        self._index.config_reader("manual")

    def reader(self) -> "LexicalReader":
        """Bind a reader to the newest commit.

        Raises:
            DamagedError: It cannot be read, or has no head.

        """
        with reading():
            self._index.reload()
            return LexicalReader(self._index.searcher())

    def writer(self, *, heap: int = _MIN_HEAP, threads: int = 1) -> "Writer":
        """Start writing. Raises what tantivy raises; only one writer of a folder exists at a time."""
        writer = self._index.writer(max(heap, _MIN_HEAP * threads), threads)
        # A process that was killed inside its commit leaves files of deletions whose names this one will come to again.
        writer.garbage_collect_files()
        return Writer(writer)


class Writer:
    """Adds and removes entries; nothing shows before `commit`. Raises what tantivy raises (``ValueError``)."""

    def __init__(self, writer: tantivy.IndexWriter) -> None:
        self._writer = writer

    def remove(self, documents: Iterable[DocumentId]) -> None:
        """Drop all chunks of these versions."""
        # By query: `delete_documents_by_term` takes an int for a signed term, which an unsigned field never holds.
        remaining = iter(documents)
        while batch := list(islice(remaining, _DELETE_BATCH)):
            self._writer.delete_documents_by_query(documents_query(batch))

    def add(self, row: DocumentRow, chunks: Sequence[ChunkFields]) -> None:
        """Add the chunks of one version, in order."""
        path = path_terms(row.path)
        add_document = self._writer.add_document
        for ordinal, chunk in enumerate(chunks):
            entry = tantivy.Document()
            entry.add_unsigned("document", row.id)
            entry.add_unsigned("ordinal", ordinal)
            entry.add_text("body", chunk.body)
            if chunk.names:
                entry.add_text("names", chunk.names)
            entry.add_text("path", path)
            if chunk.trail:
                entry.add_text("trail", chunk.trail)
            if chunk.quoted:
                entry.add_text("quoted", chunk.quoted)
            if chunk.about:
                entry.add_text(ABOUT_FIELD, f"{about.MARK} {chunk.about}")
            entry.add_text("language", row.language)
            entry.add_text("kind", chunk.kind)
            entry.add_text("source_type", row.source_type)
            for name in chunk.defined:
                entry.add_text("defined", name)
                entry.add_text("defined_folded", whole(name))
            add_document(entry)

    def commit(self, head: Head, index_format: str) -> None:
        """Make everything since the last commit visible, together with how far it follows the store."""
        self._writer.delete_documents_by_term("marker", "head")
        entry = tantivy.Document()
        entry.add_text("marker", "head")
        stored = _HeadEntry(head.generation, head.publish_id, index_format)
        entry.add_text("head", msgspec.json.encode(stored).decode())
        for field in TEXT_FIELDS:
            entry.add_text(field, SENTINEL)
        self._writer.add_document(entry)
        self._writer.commit()

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        self._writer.rollback()

    def finish(self) -> None:
        """Wait for merges and give the folder back; the writer is of no use afterwards."""
        self._writer.wait_merging_threads()


class LexicalReader:
    """One commit of the index, unchanged for as long as it is held. Safe to use from several threads."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._marker = term_query("marker", "head")
        hits = searcher.search(self._marker, 1, count=False).hits
        if not hits:
            raise ValueError("it has no head entry")
        self._marker_address = hits[0][1]
        stored = searcher.doc(self._marker_address).get_first("head")
        entry = msgspec.json.decode(str(stored), type=_HeadEntry)
        self.head = Head(Generation(entry.generation), entry.publish_id)
        self.format = entry.format
        self.lexicon = Lexicon(self._count)

    @property
    def chunks(self) -> int:
        """Number of chunks that can be found."""
        return self._searcher.num_docs - 1

    @property
    def documents(self) -> int:
        """Number of documents with a chunk that can be found, dead ones included."""
        return self.lexicon.documents

    def search(self, request: LexicalRequest, paths_of: PathsOf | None = None) -> list[LexicalMatch]:
        """Give the best ``request.limit`` chunks, best first; ties by path (if ``paths_of`` is given) and place.

        Raises:
            DamagedError: The index cannot be read.

        """
        return order_matches(self.best(request, paths_of), paths_of)

    def best(self, request: LexicalRequest, paths_of: PathsOf | None = None) -> list[Scored]:
        """The same chunks as `search`, for those who order them anyhow.

        Raises:
            DamagedError: The index cannot be read.

        """
        query = build_query(request, self.lexicon.query)
        if query is None or request.limit < 1:
            return []
        with reading():
            documents, addresses, scores = self._fetch(query, request.limit)
            matches = list(zip(documents, self._ordinals(addresses), scores, strict=True))
        return best_matches(matches, request.limit, paths_of)

    def weigh(
        self,
        worth: Mapping[str, float],
        limit: int,
        *,
        documents: Collection[DocumentId] | None = None,
        masked: Collection[DocumentId] = (),
    ) -> list[tuple[DocumentId, float]]:
        """Give the documents that are most about some terms, in no order, each with its score (`about.weigh`).

        Args:
            worth: what a document's saying each term counts for.
            limit: how many documents at most.
            documents: only these; None for all.
            masked: none of these.

        Raises:
            DamagedError: The index cannot be read.

        """
        if limit < 1 or (documents is not None and not documents):
            return []
        with reading():
            query = self.lexicon.subject(worth)
            if query is None:
                return []
            found, _, scores = self._fetch(among(query, documents, masked), limit)
        if len(found) <= limit:
            return list(zip(found, scores, strict=True))
        matches = list(zip(found, repeat(0), scores))  # the entry of a document's first chunk holds what it is about
        return [(document, score) for document, _, score in best_matches(matches, limit)]

    def rarity(self, term: str) -> float:
        """What a term tells (`about.rarity`), by the number of documents that hold it, dead ones included."""
        return self.lexicon.rarity(term)

    def holders(self, term: str) -> int:
        """Number of documents that hold a term, dead ones included."""
        return self.lexicon.holders(term)

    def definitions(self, names: Iterable[str], *, folded: bool = False, limit: int = 1_000) -> list[ChunkAddress]:
        """Chunks that define one of the names; ``folded`` ignores case and underscores. Ordered by document and place.

        Raises:
            DamagedError: The index cannot be read.

        """
        field = "defined_folded" if folded else "defined"
        wanted = [whole(name) if folded else name for name in names]
        query = any_of(field, [name for name in wanted if name])
        if query is None:
            return []
        with reading():
            documents, addresses, _ = self._columns(query, limit)
            return sorted(map(ChunkAddress, documents, self._ordinals(addresses)))

    def holding(
        self, term: str, limit: int, *, source_type: str, languages: Sequence[str], masked: Collection[DocumentId] = ()
    ) -> tuple[list[DocumentId], bool]:
        """Documents of one type, in some languages (any without), whose text holds a term; whether those are all.

        At most ``limit`` chunks are looked at; nothing is scored, so this is cheap for any number of them.

        Raises:
            DamagedError: The index cannot be read.

        """
        filters = LexicalRequest(languages=tuple(languages), source_types=(source_type,), masked=frozenset(masked))
        query = holding_query(term, filters)
        with reading():
            hits = self._searcher.search(query, limit, count=False).hits
            values = self._searcher.fast_field_values("document", [address for _, address in hits])
        return sorted({DocumentId(int(value or 0)) for value in values}), len(hits) < limit

    def held(self, terms: Sequence[str], documents: Collection[DocumentId]) -> dict[DocumentId, dict[int, int]]:
        """Which of some terms each chunk of some documents holds: by place, bits in the order of the terms.

        Chunks that hold none are left out, and where there are very many those that hold the first terms come first.

        Args:
            terms: at most `MAX_BITS`.
            documents: whose chunks are looked at.

        Raises:
            DamagedError: The index cannot be read.

        """
        if not terms or not documents:
            return {}
        # Each term adds another power of two, so that the score says which: exact up to 24 bits.
        held: defaultdict[DocumentId, dict[int, int]] = defaultdict(dict)
        with reading():
            asked = [(self.lexicon.query(PHRASE_FIELD, term), 1 << at) for at, term in enumerate(terms[:MAX_BITS])]
            query = told_query((query, float(bit)) for query, bit in asked if query is not None)
            if query is not None:
                found, addresses, scores = self._columns(among(query, documents), _MAX_FETCH)
                for document, ordinal, bits in zip(found, self._ordinals(addresses), map(int, scores), strict=True):
                    held[document][ordinal] = bits
        return dict(held)

    def frequency(self, field: str, term: str) -> int:
        """Number of entries, dead ones included, that hold ``term`` in ``field``."""
        return self.lexicon.frequency(field, term)

    def _count(self, field: str, term: str) -> int:
        with reading():
            return self._searcher.doc_freq(field, term)

    def vocabulary(self, prefix: str, limit: int = 20) -> list[tuple[str, int]]:
        """Terms of bodies that begin with ``prefix``, each with the number of chunks that hold it."""
        with reading():
            return self._searcher.terms_with_prefix("body", prefix, limit=limit)

    @cached_property
    def statistics(self) -> Mapping[str, FieldStatistics]:
        """What BM25 uses of each text field: number of entries and their average length."""
        with reading():
            return {field: self._field_statistics(field) for field in TEXT_FIELDS}

    def _field_statistics(self, field: str) -> FieldStatistics:
        explanation = term_query(field, SENTINEL).explain(self._searcher, self._marker_address)
        found: dict[str, float] = {}
        pending = [json.loads(explanation.to_json())]
        while pending:
            node = pending.pop()
            found[node["description"].partition(",")[0]] = node["value"]
            pending.extend(node.get("details", ()))
        return FieldStatistics(int(found["N"]), found["avgdl"])

    def _fetch(self, query: tantivy.Query, limit: int) -> Columns:
        """Fetch through all entries that tie with the last one wanted, so that our order decides among them."""
        fetch = limit + _TIE_MARGIN
        while True:
            columns = self._columns(query, fetch)
            scores = columns[2]
            if len(scores) < fetch or tie_rank(scores[-1]) < tie_rank(scores[limit - 1]) or fetch >= _MAX_FETCH:
                return columns
            fetch *= 4

    def _columns(self, query: tantivy.Query, limit: int) -> Columns:
        """Documents, addresses of entries, and scores of what a query finds, best first."""
        hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        # Only the head entry lacks these fields, and nothing that is asked for is in it.
        documents = cast(list[DocumentId], self._searcher.fast_field_values("document", addresses))
        return documents, addresses, [score for score, _ in hits]

    def _ordinals(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """The place in its document of the chunk that each entry is of."""
        return cast(list[int], self._searcher.fast_field_values("ordinal", addresses))
