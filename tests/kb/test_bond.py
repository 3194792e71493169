"""A corpus notices that the stored texts it refers to were exchanged, and takes no others for its own."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from gazetteer.kb.bond import Bond
from gazetteer.kb.store.connection import remove_database
from gazetteer.kb.store.content import ContentStore
from gazetteer.kb.store.corpus import CorpusStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CorpusStore]:
    with closing(CorpusStore(str(tmp_path / "corpus"))) as store:
        yield store


@contextmanager
def opened(store: CorpusStore, path: Path) -> Iterator[Bond]:
    """The bond of a corpus with the texts at a path."""
    with closing(ContentStore(str(path))) as contents:
        yield Bond(store, contents)


def test_a_corpus_that_refers_to_nothing_misses_nothing(store: CorpusStore, tmp_path: Path) -> None:
    with opened(store, tmp_path / "content.db") as bond:
        assert not bond.broken


def test_texts_that_were_exchanged_are_missed_until_there_is_another_bond(store: CorpusStore, tmp_path: Path) -> None:
    path = tmp_path / "content.db"
    with opened(store, path) as bond:
        bond.tie()
    with opened(store, path) as bond:
        assert not bond.broken
    remove_database(str(path))
    for _ in range(2):  # looking does not mend it
        with opened(store, path) as bond:
            assert bond.broken
    with opened(store, path) as bond:
        bond.tie()
        assert not bond.broken
    with opened(store, path) as bond:
        assert not bond.broken
