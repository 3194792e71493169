"""Fusion votes by list, never by mention; collapsing loses nothing; ties have one order."""

import random
from fractions import Fraction

from gazetteer.retrieval.fuse import RRF_K, SAME_DOCUMENT, SAME_TEXT, collapse, fuse
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.integers(0, 12)
LISTS = st.dictionaries(st.sampled_from(["exact", "structural", "lexical"]), st.lists(KEYS, max_size=12), max_size=3)
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30)  # (document, chunk)


def test_an_item_twice_in_one_list_is_one_vote() -> None:
    """QU10: ``[a, a], [b]`` is a tie, and a second mention moves nobody down."""
    rows = fuse({"one": ["a", "a", "c"], "two": ["b"]})
    assert [row.key for row in rows] == ["a", "b", "c"]
    assert rows[0].score == rows[1].score
    assert rows[2].votes[0].rank == 2


@given(LISTS, st.randoms(use_true_random=False))
def test_duplicates_change_nothing(lists: dict[str, list[int]], chance: random.Random) -> None:
    """QU10: mentions injected behind the first one of their key leave order and scores as they were."""
    repeated = {}
    for name, keys in lists.items():
        copy = list(keys)
        for key in keys:
            copy.insert(chance.randint(copy.index(key) + 1, len(copy)), key)
        repeated[name] = copy
    assert fuse(repeated) == fuse(lists)


def test_one_chunk_of_three_lists_is_one_row_with_three_votes() -> None:
    """QU09: it stands above whatever one list alone puts first."""
    rows = fuse({"one": ["x", "c"], "two": ["y", "c"], "three": ["z", "c"]})
    assert [row.key for row in rows] == ["c", "x", "y", "z"]
    assert [(vote.list, vote.rank) for vote in rows[0].votes] == [("one", 2), ("two", 2), ("three", 2)]


@given(LISTS)
def test_scores_are_the_published_formula(lists: dict[str, list[int]]) -> None:
    """The oracle adds exact fractions over positions found by scanning."""
    expected: dict[int, Fraction] = {}
    for keys in lists.values():
        seen: list[int] = []
        for key in keys:
            if key not in seen:
                seen.append(key)
                expected[key] = expected.get(key, Fraction(0)) + Fraction(1, 60 + len(seen))
    rows = fuse(lists)
    assert RRF_K == 60
    assert {row.key for row in rows} == set(expected)
    for row in rows:
        assert abs(row.score - float(expected[row.key])) < 1e-12
    assert [(row.score, -row.key) for row in rows] == sorted(((row.score, -row.key) for row in rows), reverse=True)


@given(LISTS)
def test_the_order_of_lists_does_not_decide_ties(lists: dict[str, list[int]]) -> None:
    turned = dict(reversed(list(lists.items())))
    ours = {row.key: round(row.score, 12) for row in fuse(lists)}
    assert ours == {row.key: round(row.score, 12) for row in fuse(turned)}


def test_weights_scale_a_list() -> None:
    rows = fuse({"strong": ["a"], "weak": ["b"]}, weights={"weak": 0.5})
    assert [row.key for row in rows] == ["a", "b"]
    assert rows[1].score == rows[0].score / 2


@given(PAIRS)
def test_collapsing_shows_every_document_once_and_loses_no_chunk(ranked: list[tuple[int, int]]) -> None:
    """R7: the row of a document stands where its best chunk stood, and lists the others in their order."""
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
