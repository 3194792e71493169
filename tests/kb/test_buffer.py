"""An editor's edits give exactly the editor's text, or are refused and change nothing."""

import random

import pytest
from gazetteer.kb.blocks import SIZE
from gazetteer.kb.buffer import Buffer, Change
from gazetteer.kb.errors import ConflictError, InvalidArgumentError
from gazetteer.kb.text import Units
from hypothesis import example, given, settings
from hypothesis import strategies as st

PIECES = ["a", "bc", "é", "😀", "\n", "\r\n", "\r", "\f", "\u2028"]
UNITS: list[Units] = ["utf-8", "utf-16", "utf-32"]
Span = tuple[int, int, int, int]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
positions = st.tuples(st.integers(0, 8), st.integers(0, 12))


def offset_of(text: str, line: int, character: int, units: Units) -> int | None:
    """What a client's position means in its own text, counted one character at a time; None inside a character."""
    i = 0
    while line and i < len(text):
        if text[i] in "\r\n":
            line -= 1
            i += text[i : i + 2] == "\r\n"
        i += 1
    if line:
        return len(text)
    while i < len(text) and text[i] not in "\r\n":
        cost = {"utf-8": len(text[i].encode()), "utf-16": 1 + (text[i] > "\uffff"), "utf-32": 1}[units]
        if character < cost:
            return i if character == 0 else None
        character -= cost
        i += 1
    return i


def edited(text: str, span: Span, new: str, units: Units) -> str | None:
    """The client's text after one edit; None when the edit has to be refused."""
    start, end = offset_of(text, *span[:2], units), offset_of(text, *span[2:], units)
    return None if start is None or end is None else text[:start] + new + text[end:]


def spans() -> st.SearchStrategy[Span]:
    return st.tuples(positions, positions).map(lambda pair: (*min(pair), *max(pair)))


@given(
    texts,
    st.lists(st.tuples(spans(), texts), max_size=8),
    st.sampled_from(UNITS),
)
@example("a\r", [((1, 0, 1, 0), "\n")], "utf-16")
@example("a\rb\n", [((1, 0, 1, 1), "")], "utf-16")
@example("a\n", [((0, 1, 0, 1), "\r")], "utf-16")
@example("a\r\nb", [((0, 0, 0, 1), ""), ((0, 0, 1, 0), "\r")], "utf-8")
@settings(max_examples=800, deadline=None)
def test_ranged_edits_do_what_they_do_in_the_editor(text: str, edits: list[tuple[Span, str]], units: Units) -> None:
    """PE03, PE05: any characters, any line ends, any units, including edits that join or part a carriage return."""
    one_by_one = together = Buffer.of(text, 0)
    done: list[Change] = []
    for version, (span, new) in enumerate(edits, 1):
        after = edited(text, span, new, units)
        if after is None:
            with pytest.raises(InvalidArgumentError, match="inside a character"):
                one_by_one.apply([Change(new, span)], version, units)
            continue
        text = after
        done.append(Change(new, span))
        one_by_one = one_by_one.apply([done[-1]], version, units)
        assert one_by_one.text == text
    assert together.apply(done, 9, units).text == text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("units", UNITS)
def test_text_after_an_emoji_and_below_an_inserted_line_does_not_drift(end: str, units: Units) -> None:
    """PE03, PE05: the same script on every kind of file."""
    column = {"utf-8": 9, "utf-16": 7, "utf-32": 6}[units]
    buffer = Buffer.of(end.join(['x = "😀"', "y = 1", ""]), 1)
    buffer = buffer.apply([Change("!", (0, column, 0, column))], 2, units)
    buffer = buffer.apply([Change(f"new{end}", (1, 0, 1, 0)), Change("2", (2, 4, 2, 5))], 3, units)
    assert buffer.text == end.join(['x = "😀!"', "new", "y = 2", ""])
    assert buffer.normalised == 'x = "😀!"\nnew\ny = 2\n'


@pytest.mark.parametrize(
    ("meeting", "span", "new"),
    [
        ("\r|y\n", (1, 0, 1, 1), ""),
        ("\r|yz", (1, 0, 1, 1), "\n"),
        ("a|\n", (0, SIZE - 1, 0, SIZE), "\r"),
        ("a\r|\n", (0, SIZE - 2, 0, SIZE - 1), "\n"),
        ("\r|\n", (0, SIZE - 1, 1, 0), "\r"),
    ],
)
def test_line_ends_that_meet_where_blocks_meet_are_one(meeting: str, span: Span, new: str) -> None:
    """PE05: ``|`` is where the text is cut; what comes behind it is counted right afterwards."""
    before, after = meeting.split("|")
    text = before.rjust(SIZE, "x") + after + "w" * 3 * SIZE + "\nlast"
    buffer = Buffer.of(text, 0)
    for version, (place, word) in enumerate([(span, new), ((1, 1, 1, 2), "!"), ((2, 0, 2, 1), "?")], 1):
        made = edited(text, place, word, "utf-16")
        assert made is not None
        text, buffer = made, buffer.apply([Change(word, place)], version, "utf-16")
        assert buffer.text == text


def test_a_thousand_changes_in_a_row_are_all_there() -> None:
    """ST17: each is applied to what the one before left, not to the text on disk."""
    rng = random.Random(17)
    text, buffer = "", Buffer.of("", 0)
    for version in range(1, 1001):
        line, column = rng.randrange(4), rng.randrange(20)
        new = rng.choice(["x", "y\n", "😀"])
        after = edited(text, (line, column, line, column), new, "utf-16")
        if after is None:
            column, after = 0, edited(text, (line, 0, line, 0), new, "utf-16")
        assert after is not None
        text = after
        buffer = buffer.apply([Change(new, (line, column, line, column))], version, "utf-16")
    assert buffer.text == text
    assert len(text) >= 1000


@pytest.mark.parametrize("span", [(0, 0, 3, 0), (0, 0, 99, 0), (0, 0, 2, 99), (0, 0, 2**31 - 1, 2**31 - 1)])
def test_a_range_that_ends_beyond_the_text_ends_with_it(span: Span) -> None:
    """PR16: what an editor sends when everything is deleted."""
    assert Buffer.of("a\nb\nc", 1).apply([Change("", span)], 2, "utf-16").text == ""


@pytest.mark.parametrize("span", [(1, 0, 0, 0), (0, 2, 0, 1), (-1, 0, 0, 0), (0, -1, 0, 1), (99, 1, 99, 0)])
def test_a_range_that_makes_no_sense_is_refused(span: Span) -> None:
    """PR16: never silently wrong text; an edit before it in the same message is undone with it."""
    buffer = Buffer.of("abc\ndef\n", 1)
    with pytest.raises(InvalidArgumentError, match="whole text"):
        buffer.apply([Change("X", (0, 0, 0, 0)), Change("Y", span)], 2, "utf-16")
    assert (buffer.text, buffer.version) == ("abc\ndef\n", 1)


@pytest.mark.parametrize(
    ("units", "columns"), [("utf-8", (1, 2, 3)), ("utf-16", (1,)), ("utf-32", ())], ids=["utf-8", "utf-16", "utf-32"]
)
def test_a_range_inside_a_character_is_refused(units: Units, columns: tuple[int, ...]) -> None:
    """PR16: half of an emoji cannot be replaced, and neither half nor all of it is, on its own, what was meant."""
    buffer = Buffer.of("😀x", 1)
    for column in columns:
        for span in ((0, column, 0, column), (0, 0, 0, column), (0, column, 0, 9)):
            with pytest.raises(InvalidArgumentError, match="inside a character"):
                buffer.apply([Change("", span)], 2, units)


def test_behind_a_refused_change_only_the_whole_text_is_taken() -> None:
    """PR16: later ranges count in a text that is not here; the version that was refused does not come back either."""
    buffer = Buffer.of("abc\ndef\n", 1).lost()
    with pytest.raises(ConflictError, match="open it again"):
        buffer.apply([Change("x", (0, 0, 0, 0))], 3, "utf-16")
    assert (buffer.text, buffer.in_step) == ("abc\ndef\n", False)
    healed = buffer.apply([Change("x", (9, 9, 0, 0)), Change("new"), Change("!", (0, 3, 0, 3))], 3, "utf-16")
    assert (healed.text, healed.version, healed.in_step) == ("new!", 3, True)


@pytest.mark.parametrize("version", [6, 7])
def test_a_version_that_is_not_newer_is_refused(version: int) -> None:
    buffer = Buffer.of("abc", 7)
    with pytest.raises(ConflictError, match="open it again"):
        buffer.apply([Change("x")], version, "utf-16")
    assert buffer.apply([Change("x")], 12, "utf-16").version == 12


def test_the_same_text_sent_again_gives_one_copy() -> None:
    """PR19: as a whole, and as a range over all of it."""
    opened = Buffer.of("abc", 1)
    assert opened.apply([Change("abc")], 2, "utf-16").text == "abc"
    assert opened.apply([Change("abc", (0, 0, 0, 3))], 2, "utf-16").text == "abc"
    assert opened.apply([Change("abc"), Change("d", (0, 3, 0, 3))], 2, "utf-16").text == "abcd"


def test_half_a_character_keeps_later_positions_right() -> None:
    buffer = Buffer.of("a\ud83db", 1).apply([Change("\ude00", (0, 3, 0, 3)), Change("c", (0, 4, 0, 4))], 2, "utf-16")
    assert buffer.text == "a\ufffdb\ufffdc"
