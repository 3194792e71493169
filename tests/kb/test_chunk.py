"""Chunks point at what a person can open, lose no character, and cost no more than the text they cut (row K18)."""

from itertools import pairwise
from pathlib import Path

import pytest
from gazetteer.kb.chunk import MAX_CHARACTERS, Unit, chunks
from gazetteer.kb.extract import derive
from gazetteer.kb.lines import Lines
from gazetteer.kb.model import Chunk, Kind
from hypothesis import given, settings
from hypothesis import strategies as st

FACTS = Path(__file__).parent / "facts"


def check(text: str, found: tuple[Chunk, ...]) -> None:
    """The promises that hold for any text, spelled out without the code that keeps them."""
    assert "".join(text[chunk.start : chunk.end] for chunk in found) == text
    assert all(0 < chunk.end - chunk.start <= 2_400 for chunk in found)
    for before, after in pairwise(found):
        assert before.end == after.start
        if text[after.start - 1] != "\n":  # a line was cut: it alone is longer than a chunk
            line = text[text.rfind("\n", 0, after.start) + 1 :].partition("\n")[0]
            assert len(line) >= 2_400
    for chunk in found:
        assert chunk.first_line == 1 + text.count("\n", 0, chunk.start)
        assert chunk.last_line == 1 + text.count("\n", 0, chunk.end - 1)
        assert chunk.name == (chunk.trail[-1] if chunk.trail else "")


def cut(text: str, *units: Unit) -> list[tuple[str, str, int]]:
    """(text, heading, part) of each chunk."""
    found = chunks(text, Lines(text), units)
    check(text, found)
    return [(text[chunk.start : chunk.end], " > ".join(chunk.trail), chunk.part) for chunk in found]


def read(source: str, language: str = "python") -> list[tuple[str, int]]:
    """(heading, part) of each chunk of a source."""
    found = derive(source, language).chunks
    check(source, found)
    return [(" > ".join(chunk.trail), chunk.part) for chunk in found]


def body(lines: int, indent: str = "    ") -> str:
    return "".join(f"{indent}value_{number} = compute({number})\n" for number in range(lines))


def test_the_empty_text_has_no_chunk() -> None:
    assert derive("", "python").chunks == ()


def test_a_comment_and_a_decorator_above_a_definition_belong_to_its_chunk() -> None:
    source = f"import a\n\n\n# About it.\n@decorated\ndef one():\n{body(3)}\n\ndef two():\n{body(3)}"
    found = derive(source, "python").chunks
    assert [source[chunk.start : chunk.end].split("\n")[0] for chunk in found] == [
        "import a",
        "# About it.",
        "def two():",
    ]
    assert [chunk.name for chunk in found] == ["", "one", "two"]


def test_one_liners_are_merged_with_their_neighbours() -> None:
    source = "import a\nimport b\n\nX = 1\nY = 2\n\n\ndef big():\n" + body(3) + "\n\nZ = 3\n"
    assert read(source) == [("", 0), ("big", 0), ("Z", 0)]


def test_a_class_that_fits_is_one_chunk_and_one_that_does_not_is_header_and_members() -> None:
    small = f'class Small:\n    """Doc."""\n\n    def one(self):\n{body(3, " " * 8)}'
    assert read(small) == [("Small", 0)]
    large = 'class Large:\n    """Doc."""\n\n    limit = 1\n\n' + "".join(
        f"    def method_{number}(self):\n{body(30, ' ' * 8)}\n" for number in range(3)
    )
    assert read(large) == [
        ("Large", 0),
        ("Large > method_0", 0),
        ("Large > method_1", 0),
        ("Large > method_2", 0),
    ]


def test_a_long_definition_is_cut_at_blank_lines_and_every_piece_keeps_its_heading() -> None:
    paragraph = body(12)
    source = "def long():\n" + "\n".join([paragraph] * 12)
    found = derive(source, "python").chunks
    check(source, found)
    assert {chunk.trail for chunk in found} == {("long",)}
    assert [chunk.part for chunk in found] == list(range(len(found)))
    assert all(source[chunk.start - 2 : chunk.start] == "\n\n" for chunk in found[1:])


def test_a_headed_section_is_a_chunk_with_its_trail() -> None:
    source = "Intro.\n\n# Guide\n\n## Install\n\nRun it.\n\n## Use\n\nAsk it.\n"
    found = derive(source, "markdown").chunks
    assert [(chunk.trail, chunk.kind) for chunk in found] == [
        ((), Kind.BLOCK),
        (("Guide", "Install"), Kind.SECTION),  # a title with nothing under it goes with its first section
        (("Guide", "Use"), Kind.SECTION),
    ]


def test_a_closing_bracket_goes_with_what_it_closes() -> None:
    calls = "  g(1, 2, 3);\n" * 60
    source = "namespace a {\n\n" + "\n".join(f"int f{n}() {{\n{calls}}}\n" for n in range(3)) + "\n}  // namespace a\n"
    assert read(source, "cpp") == [("a > f0", 0), ("a > f1", 0), ("a > f2", 0)]


def test_declarations_alone_make_a_chunk_of_declarations() -> None:
    """Kind and name tell where a body is; a header of prototypes says that it has none."""
    source = "int one(void);\nint two(void);\n"
    (chunk,) = derive(source, "c").chunks
    assert chunk.declaration
    (chunk,) = derive(source + "int three;\n", "c").chunks
    assert not chunk.declaration
    (chunk,) = derive("#include <a.h>\n\nint one(void);\n", "c").chunks
    assert not chunk.declaration


def test_text_without_structure_is_cut_at_blank_lines() -> None:
    paragraph = "word " * 150 + "\n\n"
    source = paragraph * 9
    pieces = cut(source)
    assert [len(text) % len(paragraph) for text, _, _ in pieces] == [0] * len(pieces)
    assert len(pieces) == 3


def test_a_line_is_cut_only_when_it_alone_is_longer_than_a_chunk() -> None:
    """SC01: pieces of an endless line add up to the line."""
    source = "short\n" + "x" * 200_000 + "\nshort again\n"
    pieces = cut(source)
    assert pieces[0][0] == "short\n"
    assert len(pieces) <= 2 + 200_000 // 1_200


def test_definitions_on_one_line_share_its_chunk() -> None:
    text = "a = 1; b = 2\nc = 3\n"
    one, two = Unit(0, 6, Kind.CLASS, "a", ("a",)), Unit(7, 12, Kind.CLASS, "b", ("b",))
    assert cut(text, one, two) == [(text, "a", 0)]


def test_a_definition_that_begins_on_a_taken_line_has_the_lines_behind_it() -> None:
    text = "a() {} b() {\n  x\n  y\n}\n"
    one, two = Unit(0, 6, Kind.CLASS, "a", ("a",)), Unit(7, 24, Kind.CLASS, "b", ("b",))
    assert cut(text, one, two) == [("a() {} b() {\n", "a", 0), ("  x\n  y\n}\n", "b", 0)]


def test_documented_fields_stay_together_with_their_class() -> None:
    fields = "".join(
        f"    /* The field\n     * number {number}. */\n    int field_{number};\n\n" for number in range(60)
    )
    assert read(f"struct many {{\n{fields}}};\n", "c") == [("many", 0), ("many", 1)]


def test_a_small_definition_inside_a_function_stays_in_its_text() -> None:
    inner = f"    def inner():\n{body(4, ' ' * 8)}\n"
    assert read(f"def outer():\n{body(50)}\n{inner}\n{body(50)}") == [("outer", 0), ("outer", 1)]


def test_blank_lines_between_definitions_are_no_chunk() -> None:
    source = f"def one():\n{body(3)}" + "\n" * 400 + f"def two():\n{body(3)}"
    assert read(source) == [("one", 0), ("two", 0)]


def test_blank_lines_are_in_a_chunk_like_any_other_text() -> None:
    for text in ("\n", "\n\n\n", "\n" * 5_000, " \n\t\n", "\n" * 2_399 + "x", "x" + "\n" * 2_400):
        cut(text)


UNIT = st.tuples(st.integers(0, 400), st.integers(1, 400), st.sampled_from(list(Kind)), st.booleans())


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["x", "\n", "\n\n", "  ", "word ", "\u2028", "\U0001f600", "y" * 900, "}"])),
    st.lists(UNIT, max_size=12),
)
def test_any_text_and_any_units_keep_every_promise(parts: list[str], drawn: list[tuple[int, int, Kind, bool]]) -> None:
    text = "".join(parts)
    found: list[Unit] = []
    for start, size, kind, declaration in sorted(drawn, key=lambda item: (item[0], -item[1])):
        start, end = min(start, len(text)), min(start + size, len(text))
        inside = [place for place, unit in enumerate(found) if unit.start <= start and end <= unit.end]
        parent = inside[-1] if inside else -1
        name = f"n{len(found)}"
        trail = (*(found[parent].trail if inside else ()), name)
        found.append(Unit(start, end, kind, name, trail, declaration, parent))
    check(text, chunks(text, Lines(text), found))


@pytest.mark.parametrize("language", ["python", "cpp", "javascript", "ruby", "go", "rust", "markdown", "yaml"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_mutated_source_keeps_every_promise(language: str, data: st.DataObject) -> None:
    source = (FACTS / f"{language}.txt").read_text(encoding="utf-8") * data.draw(st.integers(1, 6))
    for _ in range(data.draw(st.integers(0, 4))):
        at, size = data.draw(st.integers(0, len(source))), data.draw(st.integers(0, 200))
        source = (
            source[:at] + data.draw(st.text(st.characters(exclude_characters="\r"), max_size=20)) + source[at + size :]
        )
    check(source, derive(source, language).chunks)


def test_the_bound_is_the_documented_one() -> None:
    assert MAX_CHARACTERS == 2_400
