"""Forms of a word meet, other words do not, and a stem stays what it is."""

import pytest
from gazetteer.retrieval.stems import ENDINGS, stem
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "forms",
    [
        "filter filters filtering filtered",
        "render rendering rendered renderer",
        "parser parsers",
        "parse parsing parsed parses",
        "query queries querying queried",
        "copy copies copied copying",
        "serialize serializer serialization serializing",
        "cache caches caching cached",
        "iterate iterator iteration iterating",
        "connect connection connector connecting",
        "map maps mapping mapped",
        "box boxes boxing",
        "class classes",
        "alias aliases",
        "status statuses",
        "compress compression compressor",
        "search searches searching",
    ],
)
def test_forms_of_one_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words",
    [
        "auth author",
        "time timer",
        "head header",
        "user use",
        "feed fee",
        "note not",
        "case cas",
        "this thi",
        "bus bu",
        "x86s x86",
        "größes größe",
    ],
)
def test_other_words_do_not(words: str) -> None:
    first, second = words.split()
    assert stem(first) != stem(second)


@pytest.mark.parametrize("row", ENDINGS, ids=lambda row: row.ending)
def test_every_row_is_needed_for_some_word(row: tuple[str, str, int]) -> None:
    """A row that no word needs is dead: with exactly enough letters in front its ending goes."""
    ending, _, front = row
    word = "pklmnq"[: max(front, 4 - len(ending))] + ending
    assert stem(word) != word


@given(st.text(st.characters(min_codepoint=97, max_codepoint=122), max_size=14))
def test_the_stem_of_a_stem_is_itself(word: str) -> None:
    assert stem(stem(word)) == stem(word)


@given(st.text(max_size=20))
def test_any_text_has_a_stem_that_is_not_longer(word: str) -> None:
    assert len(stem(word)) <= len(word)
    assert stem(word) or not word
