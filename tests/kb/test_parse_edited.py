"""A text that is read again after an edit gives what it gives when it is read for the first time."""

from pathlib import Path

import pytest
from gazetteer.kb import languages, parse_edited
from gazetteer.kb.derive import EditedBuffer, derive_text
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.parse import Late, Reading, Whole, captures
from gazetteer.kb.parse_edited import EditedText
from hypothesis import given, settings
from hypothesis import strategies as st

FACTS = Path(__file__).parent / "facts"
TEXTS = {
    path.stem: "\n".join(line for line in path.read_text().splitlines() if not line.startswith("-- "))
    for path in sorted(FACTS.glob("*.txt"))
    if languages.query_source(path.stem)
}
PIECES = (
    *("x", " ", "\n", "(", ")", "{", "}", ";", '"', "'", "/*", "*/", "#", "=", "é", "    ", "return x\n", "\n\n"),
    *("\nSOME_MACRO(x)\n", "\n#if X\n", ",", "{{ x }}\n", "suspend {"),
)
"""What is typed: harmless things, what is read as if it were blank, and what breaks the text around it."""

edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from(("", "", *PIECES))), max_size=8)


def applied(text: str, place: float, removed: int, put: str) -> str:
    at = int(place * len(text))
    return text[:at] + put + text[at + removed :]


def read(edited: EditedText, text: str) -> object:
    return edited.captures(text, longest_line=1, deadline_s=30)


@pytest.mark.parametrize("language", TEXTS)
@settings(max_examples=6, deadline=None)
@given(edits=edits)
def test_reading_again_gives_what_reading_gives(language: str, edits: list[tuple[float, int, str]]) -> None:
    """TS03: whatever is typed, and in every language; the order in which things are found included."""
    edited, text = EditedText(language), TEXTS[language]
    read(edited, text)
    for edit in edits:
        text = applied(text, *edit)
        assert read(edited, text) == captures(text, language, longest_line=1, deadline_s=30)


@given(edits=edits)
@settings(max_examples=20, deadline=None)
def test_facts_after_edits_are_those_of_a_text_never_seen(edits: list[tuple[float, int, str]]) -> None:
    path, text = DocumentPath("a.py"), TEXTS["python"]
    buffer = EditedBuffer()
    for edit in edits:
        text = applied(text, *edit)
        assert buffer.derive(path, text, deadline_s=30) == derive_text(path, text, deadline_s=30)[1]


def test_a_buffer_that_becomes_another_document_is_read_as_that() -> None:
    buffer, text = EditedBuffer(), "def f(): g()\n"
    for path in map(DocumentPath, ("a.py", "b.py", "b.rb", "b.py", "b.txt")):
        assert buffer.derive(path, text, deadline_s=30) == derive_text(path, text, deadline_s=30)[1]


FUNCTIONS = "".join(f"def f{number}():\n    return g{number}()\n\n\n" for number in range(40))


def whole_readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the texts that are read from end to end from now on."""
    sizes: list[int] = []
    original = parse_edited.whole  # type: ignore[attr-defined]

    def counted(reading: Reading, late: Late) -> Whole:
        sizes.append(len(reading.source))
        return original(reading, late)

    monkeypatch.setattr(parse_edited, "whole", counted)
    return sizes


def test_an_edit_costs_what_it_touches_even_where_the_text_is_broken_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x = = 1\n\n\n" + FUNCTIONS
    sizes = whole_readings(monkeypatch)
    edited = EditedText("python")
    read(edited, text)
    for old, new in (("f20", "f20a"), ("g30", "g30b"), ("def f35", "y = 2\n\n\ndef f35"), ("def f39", "def f39()")):
        text = text.replace(old, new, 1)
        read(edited, text)
    assert sizes == [len(text) - len("a") - len("b") - len("y = 2\n\n\n") - len("()"), len(text)]


def test_a_language_whose_trees_depend_on_what_was_there_before_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """TS03: Kotlin's, now and then, with no error anywhere."""
    edited, text = EditedText("kotlin"), "fun f() { g() }\n\n" * 9
    sizes = whole_readings(monkeypatch)
    read(edited, text)
    read(edited, text + "\n")
    assert sizes == [len(text), len(text) + 1]


@pytest.mark.parametrize("at", ["f0(", "f1("])
def test_an_edit_beside_an_error_is_read_from_end_to_end(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """TS03: there a tree made from an older one may be another than that of a fresh parse."""
    text = "x = = 1\n\n\n" + FUNCTIONS
    edited = EditedText("python")
    read(edited, text)
    sizes = whole_readings(monkeypatch)
    read(edited, text.replace(at, "q" + at))
    assert len(sizes) == 1
