"""What a document is about: more often is more, not in proportion, and less in a long document."""

import math

import pytest
from gazetteer.retrieval import about
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.lists(st.sampled_from(["parse", "token", "scan", "größe", "x"]), max_size=60)


@given(WORDS)
def test_what_an_index_holds_is_read_back(terms: list[str]) -> None:
    assert about.parse(about.index_text(terms)) == about.levels(terms)
    assert set(about.levels(terms)) == set(terms)


@pytest.mark.parametrize(("count", "level"), [(1, 0), (2, 1), (4, 2), (10, 3), (25, 4), (400, 4)])
def test_counts_become_levels(count: int, level: int) -> None:
    """In a document of the usual length."""
    filling = [f"w{at}" for at in range(about.USUAL_LENGTH - count)]
    assert about.levels(["parse"] * count + filling)["parse"] == level


def test_a_long_document_has_to_say_it_more_often() -> None:
    said = ["parse"] * 10
    assert about.levels(said + ["x"] * 200)["parse"] > about.levels(said + [f"w{at}" for at in range(20_000)])["parse"]


@given(WORDS, st.sampled_from(["parse", "token"]))
def test_saying_it_once_more_never_makes_it_less(terms: list[str], term: str) -> None:
    worth = {term: 2.0}
    assert about.weigh(about.levels([*terms, term]), worth) >= about.weigh(about.levels(terms), worth)


def test_levels_are_the_middle_of_what_they_stand_for() -> None:
    """The table's values, from the formula in its docstring."""
    bounds = [*about.LEVELS, 50.0]
    for level, value in enumerate(about.VALUES):
        middle = math.sqrt(bounds[level] * bounds[level + 1]) if level else 1.0
        assert value == pytest.approx(middle / (middle + 6), abs=0.01)


def test_a_rare_word_tells_more() -> None:
    assert about.rarity(1, 1_000) > about.rarity(500, 1_000) > about.rarity(1_000, 1_000) > 0.0
    assert about.rarity(0, 1_000) == 0.0
    assert about.rarity(3, 2) == 0.0  # dead entries of an index can outnumber what is there
