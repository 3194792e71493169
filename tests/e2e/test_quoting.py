"""A corpus that declares ``examples_quote_queries`` can be found by what it quotes, and is not about it (row R12)."""

from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath

from .small import Small, ask

NOTES = """# Choosing a port

Ports are chosen by the operator. People ask "where is the zebra started" or `zebra --start`.

> where is the zebra started
"""
ABOUT = """# Starting

The zebra is started by hand. Then wait for the zebra.
"""


@pytest.fixture
def small(tmp_path: Path) -> Small:
    small = Small(tmp_path)
    small.write("asking.md", NOTES)
    small.write("starting.md", ABOUT)
    return small


def share(session: Session) -> float:
    """What the page that quotes the question is worth beside the page that answers it."""
    hits = ask(session, "where is the zebra started").hits
    assert [hit.relpath for hit in hits] == ["starting.md", "asking.md"]
    return hits[1].score.value / hits[0].score.value


def test_what_is_only_quoted_is_found_and_counts_next_to_nothing(small: Small) -> None:
    small.write("knowledge.yaml", "examples_quote_queries: true\n")
    with small.open() as session:
        assert share(session) < 0.05
        assert ask(session, "operator ports").hits[0].relpath == "asking.md"


def test_it_is_declared_and_never_inferred(small: Small) -> None:
    with small.open() as session:
        assert share(session) > 0.5


def test_declaring_it_later_rebuilds_the_index_in_an_open_session(small: Small) -> None:
    """C9: changed settings that decide what the corpus is always do."""
    with small.open() as session:
        assert share(session) > 0.5
        small.write("knowledge.yaml", "examples_quote_queries: true\n")
        assert share(session) < 0.05
        assert not session.check(full=True).findings


def test_an_open_buffer_of_such_a_corpus_is_read_the_same_way(small: Small) -> None:
    """K10: one meaning of "about" for buffers and files."""
    small.write("knowledge.yaml", "examples_quote_queries: true\n")
    with small.open() as session:
        session.kb.open_buffer(DocumentPath("asking.md"), NOTES, 1)
        assert share(session) < 0.05
