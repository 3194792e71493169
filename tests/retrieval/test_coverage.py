"""How much of a question a passage says, and that the index and open buffers say it alike."""

from pathlib import Path

import pytest
from gazetteer.kb.model import ChunkNote, DocumentPath, Kind
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.coverage import Coverage, words_worth
from gazetteer.retrieval.fuse import ChunkKey
from gazetteer.retrieval.lexical import MAX_BITS
from gazetteer.retrieval.terms import terms
from hypothesis import given
from hypothesis import strategies as st

from ..trees import opened

KEY = ChunkKey("c", DocumentPath("shop/apple.py"), 0)


def held(bits: dict[int, int]) -> dict[str, dict[DocumentPath, dict[int, int]]]:
    return {KEY.corpus: {KEY.path: bits}}


def test_rarer_words_count_more_and_a_path_says_its_words() -> None:
    coverage = Coverage({"pear": 3.0, "plum": 1.0, "appl": 1.0}, held({0: 0b001, 1: 0b010}))
    assert coverage.share(KEY, (0, 0)) == 4 / 5
    assert coverage.share(KEY, (0, 1)) == 1.0
    assert coverage.share(KEY, (2, 2)) == 1 / 5
    assert Coverage({}, {}).factor(KEY, (0, 0)) == 1.0


def test_names_and_headings_say_their_words_whole_and_in_parts() -> None:
    coverage = Coverage({"pear": 3.0, "peelpear": 2.0, "plum": 1.0}, {})
    note = ChunkNote(Kind.FUNCTION, "peel_pears", ("plum", "peel_pears"), ("peel_pears",), 1, 9, 300)
    assert coverage.named(note) == 0b011
    section = ChunkNote(Kind.SECTION, "Of plums", ("Fruit", "Of plums"), (), 1, 9, 300)
    assert coverage.named(section) == 0b100
    assert coverage.named(ChunkNote(Kind.FUNCTION, "", (), (), 1, 9, 300)) == 0


def test_names_are_heard_alike_however_many_were_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gazetteer.retrieval.coverage.NOTES", 2)
    coverage = Coverage({"pear": 3.0, "plum": 1.0}, {})
    notes = [ChunkNote(Kind.FUNCTION, name, (), (name,), 1, 9, 300) for name in ("pear", "plum", "fig") * 3]
    assert [coverage.named(note) for note in (*notes, *notes)] == [0b01, 0b10, 0] * 6


def test_words_that_nothing_holds_do_not_count_and_the_rarest_come_first() -> None:
    worth = words_worth(analyse("the pear and the plum of nowhere"), {"pear": 1.0, "plum": 4.0, "nowher": 0.0})
    assert list(worth) == ["plum", "pear"]
    many = " ".join(f"word{n}" for n in range(3 * MAX_BITS))
    query = analyse(many)
    assert len(words_worth(query, {term.text: 1.0 for term in query.terms})) == MAX_BITS


@given(st.dictionaries(st.integers(0, 5), st.integers(0, 7)), st.integers(0, 5), st.integers(0, 5))
def test_a_longer_passage_never_says_less(bits: dict[int, int], first: int, last: int) -> None:
    coverage = Coverage({"a": 3.0, "b": 2.0, "c": 1.0}, held(bits))
    span = (min(first, last), max(first, last))
    assert 0.0 <= coverage.share(KEY, span) <= coverage.share(KEY, (0, 5)) <= 1.0


def test_the_index_and_a_buffer_say_of_every_chunk_which_words_it_holds(tmp_path: Path) -> None:
    """Oracle: the tokenizer over the text of each chunk."""
    wanted = ("pear", "plum", "appl", "basket", "nowher", "fill_basket", *(f"w{n}" for n in range(MAX_BITS - 6)))
    text = (
        "def fill_basket():\n    # a pear and w3\n    return 1\n\n\ndef other():\n    # plum apples w13\n    return 2\n"
    )
    with opened(tmp_path, f"-- one.py --\n{text}\n-- two.py --\nold = 1\n-- buffer: two.py --\n{text}") as session:
        retriever = session.parts.retriever
        with_view = retriever.glance()
        assert with_view is not None
        view = with_view.view
        found = view.held(wanted, [DocumentPath("one.py"), DocumentPath("two.py")])
        for path in ("one.py", "two.py"):
            document = view.snapshot.document(DocumentPath(path))
            assert document is not None
            whole, derived = view.snapshot.text(document), view.snapshot.derived(document)
            for ordinal, chunk in enumerate(derived.chunks):
                said = set(terms(whole[chunk.start : chunk.end]))
                bits = sum(1 << at for at, term in enumerate(wanted) if term in said)
                assert found[DocumentPath(path)].get(ordinal, 0) == bits
