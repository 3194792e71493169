"""Edits that all count in one text do what they do for the client, or are refused as a whole."""

import random

import pytest
from gazetteer.kb.edits import Span, TextEdit, apply_edits
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.text import Units
from hypothesis import given
from hypothesis import strategies as st

CODECS: dict[Units, str] = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT_BYTES: dict[Units, int] = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
LINES = st.lists(st.text(alphabet="aé中😀\f\u2028", max_size=5), min_size=1, max_size=5)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[TextEdit], Units, str]:
    """A text, edits of it, what they count in, and the text after them, made by cutting it where the edits are."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    units: Units = draw(st.sampled_from(["utf-8", "utf-16", "utf-32"]))
    lines = draw(LINES)
    places = [(number, column) for number, line in enumerate(lines) for column in range(len(line) + 1)]
    cuts = sorted(draw(st.lists(st.integers(0, len(places) - 1), max_size=6)))
    cuts = cuts[: len(cuts) // 2 * 2]
    text, after, done = end.join(lines), "", 0
    edits = []
    for first, last in zip(cuts[::2], cuts[1::2], strict=True):
        new = draw(st.text(alphabet="xy😀", max_size=3))
        edits.append(TextEdit((*counted(lines, places[first], units), *counted(lines, places[last], units)), new))
        after += text[done : offset(lines, places[first], end)] + new
        done = offset(lines, places[last], end)
    return text, edits, units, after + text[done:]


def counted(lines: list[str], place: tuple[int, int], units: Units) -> tuple[int, int]:
    number, column = place
    return number, len(lines[number][:column].encode(CODECS[units])) // UNIT_BYTES[units]


def offset(lines: list[str], place: tuple[int, int], end: str) -> int:
    return sum(len(line) + len(end) for line in lines[: place[0]]) + place[1]


@given(edited(), st.randoms(use_true_random=False))
def test_edits_count_in_the_text_before_all_of_them(
    case: tuple[str, list[TextEdit], Units, str], dice: random.Random
) -> None:
    text, edits, units, after = case
    assert apply_edits(text, edits, units) == after
    apart = len({edit.range[:2] for edit in edits}) == len(edits)
    if apart:  # then their order says nothing
        dice.shuffle(edits)
        assert apply_edits(text, edits, units) == after


def test_inserts_at_one_place_keep_their_order() -> None:
    here: Span = (0, 1, 0, 1)
    edits = [TextEdit(here, "1"), TextEdit(here, "2"), TextEdit((0, 1, 0, 2), "3")]
    assert apply_edits("abc", edits, "utf-16") == "a123c"


def test_a_text_can_be_replaced_as_a_whole_in_any_way_in_which_clients_say_so() -> None:
    for span in ((0, 0, 2, 0), (0, 0, 3, 0), (0, 0, 2**31 - 1, 2**31 - 1), (0, 0, 1, 99)):
        assert apply_edits("a\nb", [TextEdit(span, "new")], "utf-16") == "new"


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ufffd\ud83d"])
def test_half_of_a_character_is_refused_and_two_halves_are_one(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="half of a character"):
        apply_edits("abc", [TextEdit((0, 1, 0, 1), text)], "utf-16")
    assert apply_edits("abc", [TextEdit((0, 1, 0, 1), "\ud83d\ude00\ufffd")], "utf-16") == "a😀\ufffdbc"


@pytest.mark.parametrize(
    ("spans", "why"),
    [
        ([(0, 2, 0, 1)], "backwards"),
        ([(1, 0, 0, 0)], "backwards"),
        ([(-1, 0, 0, 0)], "backwards"),
        ([(0, 0, 0, 3), (0, 2, 0, 4)], "overlap"),
        ([(0, 1, 0, 3), (0, 1, 0, 1)], "overlap"),
        ([(0, 0, 9, 0), (1, 0, 1, 0)], "overlap"),
        ([(1, 1, 1, 2)], "inside a character"),
        ([(1, 0, 1, 1)], "inside a character"),
    ],
)
def test_edits_that_do_not_fit_are_refused(spans: list[Span], why: str) -> None:
    """PR16: odd ranges are never guessed at."""
    with pytest.raises(InvalidArgumentError, match=why) as caught:
        apply_edits("abcd\n😀", [TextEdit(span, "x") for span in spans], "utf-16")
    assert caught.value.data["argument"] == "edits"
