"""What leaves the program: nothing that acts on a terminal, JSON in every encoding."""

import io
import json
import sys
import unicodedata
from typing import Any

import pytest
from gazetteer.cli.highlight import highlight
from gazetteer.cli.output import STYLES, Output, paint, visible
from gazetteer.cli.show_answer import excerpt
from hypothesis import given
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


def acts(text: str) -> bool:
    """Say whether a terminal would do something else than show the text."""
    return any(
        sign != "\t"
        and (
            unicodedata.category(sign) in ("Cc", "Zl", "Zp")
            or (unicodedata.bidirectional(sign)[-1:] in "EFIO" and unicodedata.category(sign) == "Cf")
        )
        for sign in text
    )


@given(ANY_TEXT)
def test_nothing_visible_acts_on_a_terminal(text: str) -> None:
    assert not acts(visible(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\rb\nc", "a\\rb\\nc"),
        ("\u202egpj.exe", "\\u202egpj.exe"),
        ("tab\tstays", "tab\tstays"),
        ("naïve 🦊", "naïve 🦊"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.lists(st.tuples(st.sampled_from([style for style in STYLES if style != "raw"]), ANY_TEXT), max_size=4))
def test_only_our_own_colours_are_painted(pieces: list[tuple[str, str]]) -> None:
    assert paint(tuple(pieces), color=False) == "".join(visible(text) for _, text in pieces)
    painted = paint(tuple(pieces), color=True)
    for code in STYLES.values():
        painted = painted.replace(f"\x1b[{code}m", "")
    assert "\x1b" not in painted.replace("\x1b[0m", "")


@pytest.mark.parametrize("color", [False, True])
def test_an_excerpt_shows_every_line_with_its_number_and_no_control_character(color: bool) -> None:
    text = "\n\ndef f():\n\tx = '\x1b]0;title\x07'\n\n\n    return 1\n"
    lines = [paint(line, color=False) for line in excerpt(text, 9, "python", [(7, 8)], color=color)]
    assert len(lines) == 7
    plain = [_without_colour(line) for line in lines]
    assert [int(line.split("│")[0]) for line in plain] == list(range(9, 16))
    assert plain[3].endswith("│ \tx = '\\x1b]0;title\\x07'")
    assert plain[-1].endswith("│     return 1")
    assert all(not acts(line) for line in plain)


def _without_colour(text: str) -> str:
    out, at = "", 0
    while at < len(text):
        if text[at] == "\x1b":
            at = text.index("m", at) + 1
        else:
            out += text[at]
            at += 1
    return out


@pytest.mark.parametrize("language", ["python", "c_sharp", "make", "text", "no-such-language", "", "restructuredtext"])
def test_any_language_is_painted_or_left_plain(language: str) -> None:
    lines = ["class A:", "", "  x = 1", ""]
    assert [_without_colour(line) for line in highlight(lines, language, [(0, 5)])] == lines


@given(st.lists(ANY_TEXT.map(visible), min_size=1, max_size=6))
def test_painting_changes_no_text(lines: list[str]) -> None:
    painted = highlight(lines, "python", [(0, 1)])
    assert [_without_colour(line) for line in painted] == lines


def test_a_match_is_marked_where_it_is_shown() -> None:
    """A control character before it takes four columns; the mark moves with the text."""
    text = "a\n\x1bneedle here"
    line = [paint(line, color=False) for line in excerpt(text, 1, "", [(3, 9)], color=True)][1]
    marked = [part for part in line.split("\x1b[") if part.startswith("1;31")]
    assert [part.partition("m")[2] for part in marked] == ["needle"]


@given(st.text("ab\n\x1b", max_size=40), st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_a_match_anywhere_never_raises(text: str, match: tuple[int, int]) -> None:
    assert list(excerpt(text, 1, "python", [match], color=True))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "latin-1", "utf-16"])
@given(value=st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, max_size=3), max_size=3))
def test_json_is_json_in_every_encoding(encoding: str, value: Any) -> None:
    """PE08, PE13, PE25: undecodable names, NUL and emoji come back as they were."""
    raw = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        stream = io.TextIOWrapper(raw, encoding=encoding)
        patch.setattr(sys, "stdout", stream)
        Output(as_json=True).data(value)
        stream.flush()
        written = raw.getvalue().decode(encoding)
    assert json.loads(written) == value
    assert not acts(written.removesuffix("\n"))
    if encoding != "utf-16":
        assert json.loads(raw.getvalue()) == value
