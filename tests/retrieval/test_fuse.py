"""Collapsing a ranked list shows every document and every text once, and loses nothing."""

from gazetteer.retrieval.fuse import SAME_DOCUMENT, SAME_TEXT, collapse
from hypothesis import given
from hypothesis import strategies as st

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30)  # (document, chunk)


@given(PAIRS)
def test_collapsing_shows_every_document_once_and_loses_no_chunk(ranked: list[tuple[int, int]]) -> None:
    """R7, QU10: an entry twice is one; the row of a document stands at its best chunk, and lists the others."""
    result = collapse(ranked, document=lambda key: key[0])
    once = list(dict.fromkeys(ranked))
    assert [row.key[0] for row in result.rows] == list(dict.fromkeys(key[0] for key in ranked))
    for row in result.rows:
        assert [row.key, *row.same_document] == [key for key in once if key[0] == row.key[0]]
    assert len(once) == len(result.rows) + result.suppressed.get(SAME_DOCUMENT, 0)


@given(PAIRS, st.dictionaries(st.integers(0, 4), st.sampled_from(["same", "other", ""]), max_size=5))
def test_copies_are_one_row_that_names_every_other_document(
    ranked: list[tuple[int, int]], contents: dict[int, str]
) -> None:
    """R7, C5: every key is a row, in a row, or counted; documents without a known content are copies of nothing."""
    result = collapse(ranked, document=lambda key: key[0], content=lambda key: contents.get(key[0], ""))
    rows = [row.key[0] for row in result.rows]
    assert len(rows) == len(set(rows))
    texts = [contents[document] for document in rows if contents.get(document)]
    assert len(texts) == len(set(texts))
    for row in result.rows:
        for copy in row.same_text:
            assert copy[0] != row.key[0]
            assert contents[copy[0]] == contents[row.key[0]] != ""
        assert len({copy[0] for copy in row.same_text}) == len(row.same_text)
    shown = set(rows) | {copy[0] for row in result.rows for copy in row.same_text}
    assert shown == {key[0] for key in ranked}
    assert len(set(ranked)) == len(rows) + sum(result.suppressed.values())
    assert set(result.suppressed) <= {SAME_DOCUMENT, SAME_TEXT}


def test_a_document_cannot_corroborate_itself() -> None:
    """R7: three chunks of one document do not lift it over a document that is ranked before them."""
    result = collapse([("b", 1), ("a", 1), ("a", 2), ("a", 3)], document=lambda key: key[0])
    assert [row.key for row in result.rows] == [("b", 1), ("a", 1)]
    assert result.rows[1].same_document == (("a", 2), ("a", 3))
    assert result.suppressed == {SAME_DOCUMENT: 2}
