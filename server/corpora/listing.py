"""What is registered, as people list it (row C2).

Looks only: no index is made, none is opened for writing. What cannot be looked at costs its own row a word. Frozen
values that travel as camelCase JSON; times are seconds since the epoch, sizes are bytes.
"""

import os
from typing import Literal

import msgspec

from ..kb.errors import GazetteerError
from ..kb.paths import Root
from ..kb.room import corpus_folder, folder_size
from ..kb.store.corpus import CorpusStore
from .registry import Corpus, Registry
from .state import LAST_ERROR

IndexState = Literal["none", "indexed", "partial", "failed", "unknown"]
"""``failed``: the last refresh did, and the generation before it serves; ``unknown``: it cannot be read now."""


class CorpusRow(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One registered corpus: what its entry says, whether its tree is there, and what its index holds."""

    name: str
    root: str
    kind: str = ""
    indexer: str = "generic"
    autoindex: bool = False
    shared: bool = False
    corpora: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    semantic: str = ""
    there: bool
    index: IndexState = "none"
    documents: int = 0
    chunks: int = 0
    generation: int = 0
    published_at: float | None = None
    index_bytes: int = 0


class Broken(msgspec.Struct, frozen=True, rename="camel"):
    """An entry that cannot be used, and why, in one sentence."""

    name: str
    reason: str


class Listing(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The registry: its file, its corpora in the file's order, and what is wrong with it."""

    file: str
    corpora: tuple[CorpusRow, ...] = ()
    broken: tuple[Broken, ...] = ()
    notices: tuple[str, ...] = ()


def listing(registry: Registry, cache: str) -> Listing:
    """Say what is registered; ``cache`` is the root that holds every index."""
    return Listing(
        file=registry.file,
        corpora=tuple(_row(corpus, cache) for corpus in registry.corpora.values()),
        broken=tuple(Broken(name, reason) for name, reason in registry.broken.items()),
        notices=(
            *registry.notices,
            *registry.unknown,
            *filter(None, (corpus.waiting for corpus in registry.corpora.values())),
        ),
    )


def _row(corpus: Corpus, cache: str) -> CorpusRow:
    folder = corpus_folder(cache, Root(corpus.root, corpus.real))
    row = CorpusRow(
        name=corpus.name,
        root=corpus.root,
        kind=corpus.kind,
        indexer=corpus.indexer,
        autoindex=corpus.autoindex,
        shared=corpus.shared,
        corpora=corpus.corpora,
        exclude=corpus.exclude,
        families=corpus.families,
        semantic=corpus.semantic,
        there=corpus.there,
    )
    if not os.path.exists(os.path.join(folder, "kb.db")):
        return row
    size = folder_size(folder)
    try:
        store = CorpusStore(folder, read_only=True)
        try:
            head = store.head()
            totals, coverage, published_at = store.published(head.generation)
            failed = store.meta(LAST_ERROR)
        finally:
            store.close()
    except GazetteerError:
        return msgspec.structs.replace(row, index="unknown", index_bytes=size)
    state: IndexState = "failed" if failed else "partial" if coverage.partial else "indexed"
    return msgspec.structs.replace(
        row,
        index=state if head.generation or failed else "none",
        documents=totals.documents,
        chunks=totals.chunks,
        generation=head.generation,
        published_at=published_at or None,
        index_bytes=size,
    )
