"""A snippet is one slice of the text, shows the lines it names, and holds what the query looked for."""

import re

import pytest
from gazetteer.kb.model import Chunk, Kind
from gazetteer.retrieval.excerpt import (
    LEAD_LINES,
    MAX_CHARACTERS,
    MAX_HIGHLIGHTS,
    MAX_LINES,
    cut,
    fence,
    one_line,
    trimmed,
)
from gazetteer.retrieval.terms import terms
from hypothesis import example, given
from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["get", "User", "getUserName", "user_name", "def", "😀", "naïve", "e\u0301te", "данные", "", "  "]
)
LINES = st.lists(WORDS, max_size=8).map(" ".join)
TEXTS = st.lists(LINES, min_size=1, max_size=40).map("\n".join)
WEIGHTS = st.dictionaries(
    st.sampled_from(["get", "user", "name", "getusername", "данные", "été", "naïve"]), st.floats(0.1, 5)
)


def whole(text: str, first_line: int = 1) -> Chunk:
    return Chunk(0, len(text), first_line, first_line + text.count("\n"), Kind.FUNCTION, "f", ("f",))


@given(TEXTS, WEIGHTS, st.data())
def test_the_lines_a_snippet_shows_are_the_lines_it_names(
    text: str, weights: dict[str, float], data: st.DataObject
) -> None:
    start = data.draw(st.sampled_from([0, *(at.end() for at in re.finditer("\n", text))]))
    end = data.draw(st.integers(start, len(text)))
    first = text.count("\n", 0, start) + 1
    chunk = Chunk(start, end, first, text.count("\n", 0, max(start, end - 1)) + 1, Kind.BLOCK)
    definition = data.draw(st.integers(-1, len(text)))
    most = data.draw(st.sampled_from([1, 7, 40, 80, MAX_CHARACTERS]))
    found = cut(text, chunk, weights, definition=definition, max_characters=most)
    assert found.snippet == text[found.start : found.end]
    assert start <= found.start <= found.end <= max(end, start)
    assert len(found.snippet) <= most
    assert found.first_line == text.count("\n", 0, found.start) + 1
    assert found.last_line == found.first_line + found.snippet.count("\n")
    assert found.last_line - found.first_line < MAX_LINES
    if found.snippet.count("\n"):  # several lines are whole lines
        lines = text.split("\n")
        shown = found.snippet.split("\n")
        assert shown[1:-1] == lines[found.first_line : found.last_line - 1]


@given(TEXTS, WEIGHTS)
def test_highlights_are_words_of_the_query_in_order(text: str, weights: dict[str, float]) -> None:
    """The oracle knows nothing of terms but that their first letters are letters of the word."""
    found = cut(text, whole(text), weights)
    last = 0
    for start, end in found.highlights:
        assert last <= start < end <= len(found.snippet)
        last = end
        word = found.snippet[start:end].replace("_", "").replace("e\u0301", "é").lower()
        assert any(term[:3] in word for term in weights)


def spelled(**weights: float) -> dict[str, float]:
    """Weights by words, as a query gives them."""
    return {terms(word)[0]: weight for word, weight in weights.items()}


def test_the_window_with_the_rarest_terms_is_shown() -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    lines[9] = "common common common common"
    lines[69] = "the rare needle"
    text = "\n".join(lines)
    found = cut(text, whole(text), spelled(common=0.5, needle=4.0))
    assert found.first_line <= 70 <= found.last_line
    assert found.last_line - found.first_line + 1 == MAX_LINES
    assert [found.snippet[start:end] for start, end in found.highlights] == ["needle"]
    assert found.first_line == 68  # two lines of what leads to it


def test_terms_together_beat_one_term_repeated() -> None:
    lines = ["filler"] * 100
    for at in range(20, 26):
        lines[at] = "alpha"
    lines[60], lines[63] = "alpha", "beta"
    text = "\n".join(lines)
    found = cut(text, whole(text), spelled(alpha=1.0, beta=1.0))
    assert found.first_line <= 61
    assert found.last_line >= 64


def test_the_definition_line_is_shown_where_the_name_matched() -> None:
    text = "\n".join(["# comment"] * 20 + ["def needle():"] + ["    pass"] * 30 + ["    needle needle other"] * 5)
    weights = spelled(needle=1.0, other=9.0)
    without = cut(text, whole(text), weights)
    assert "def needle" not in without.snippet
    found = cut(text, whole(text), weights, definition=text.index("needle"))
    assert "def needle():" in found.snippet.split("\n")
    assert found.snippet.count("\n") < MAX_LINES


def test_more_is_shown_behind_the_definition_line_than_before_it() -> None:
    """However well the comment above says what was asked."""
    text = "\n".join(["# needle other"] * 20 + ["def needle():"] + ["    pass"] * 30)
    found = cut(text, whole(text), spelled(needle=1.0, other=9.0), definition=text.index("def needle") + 4)
    lines = found.snippet.split("\n")
    assert len(lines) == MAX_LINES
    assert lines.index("def needle():") <= MAX_LINES // 2 + LEAD_LINES


@pytest.mark.parametrize("at", [0, 5_000, 50_000, 99_990])
def test_one_line_of_a_hundred_thousand_characters_is_cut_around_the_match(at: int) -> None:
    """SC01: the snippet is bounded in characters, not in lines alone."""
    text = "x" * at + " needle " + "y" * (100_000 - at)
    found = cut(text, whole(text), spelled(needle=1.0))
    assert "needle" in found.snippet
    assert len(found.snippet) <= MAX_CHARACTERS
    assert (found.first_line, found.last_line) == (1, 1)
    start, end = found.highlights[0]
    assert found.snippet[start:end] == "needle"


def test_spellings_of_one_identifier_are_highlighted() -> None:
    text = "getUserName get_user_name GETUSERNAME username"
    found = cut(text, whole(text), spelled(getUserName=1.0))
    assert [text[a:b] for a, b in found.highlights] == ["getUserName", "get_user_name", "GETUSERNAME"]


def test_spellings_are_found_alike_however_many_were_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gazetteer.retrieval.excerpt.WORDS", 2)
    for text in ("parse_query here", "ParseQuery there", "a tree of words", "parsing queries") * 2:
        excerpt = cut(text, whole(text), spelled(pars=1.0, word=1.0))
        assert [text[start:end] for start, end in excerpt.highlights] == re.findall(r"(?i)pars\w+|words", text)


def test_a_letter_with_its_accent_apart_is_one_word() -> None:
    text = "un e\u0301te\u0301 chaud"
    found = cut(text, whole(text), {"été": 1.0})
    assert [text[a:b] for a, b in found.highlights] == ["e\u0301te\u0301"]


def test_highlights_are_bounded() -> None:
    text = "a1 " * 300
    assert len(cut(text, whole(text), {"a1": 1.0}).highlights) == MAX_HIGHLIGHTS


def test_nothing_to_find_shows_the_beginning() -> None:
    text = "\n\n\n" + "\n".join(f"line {n}" for n in range(50))
    found = cut(text, whole(text, 10), {})
    assert found.snippet.startswith("line 0\nline 1")
    assert (found.first_line, found.last_line) == (13, 24)


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "   \n\t"])
def test_an_empty_chunk_is_an_empty_snippet(text: str) -> None:
    found = cut(text, whole(text), {"a": 1.0})
    assert (found.snippet.strip(), found.highlights) == ("", ())
    assert found.first_line == found.last_line == 1


@given(TEXTS, st.data())
def test_trimming_takes_away_white_space_alone(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = trimmed(text, start, end)
    assert start <= first <= last <= end
    assert text[start:end].strip() == text[first:last].strip()
    if text[start:end].strip():
        assert not text[last:end].strip()
        assert first == start or text[first - 1] == "\n"


@example("```", "")
@example("a\n`````\nb", "md")
@given(st.text(alphabet="`~\n ab<[", max_size=60), st.text(max_size=10))
def test_nothing_in_a_snippet_ends_its_fence(snippet: str, language: str) -> None:
    """SE04: the fence is longer than any run inside, so markup in the text stays text."""
    opening, *body, closing = fence(snippet, language).split("\n")
    assert "\n".join(body) == snippet
    assert set(closing) == {"`"}
    assert len(closing) >= 3
    assert opening.startswith(closing)
    assert "`" not in opening[len(closing) :]
    assert closing not in snippet


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name", "plain name"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("file\u202egpj.exe", "file\\u202egpj.exe"),
        ("bad\udcf5name", "bad\\xf5name"),
        ("emoji 😀 naïve", "emoji 😀 naïve"),
        ("x" * 301, "x" * 299 + "…"),
    ],
)
def test_a_label_is_one_line_that_shows_what_it_is(text: str, shown: str) -> None:
    """SE04, PE13: nothing in a heading or a file name steers a terminal or breaks a line."""
    assert one_line(text) == shown
