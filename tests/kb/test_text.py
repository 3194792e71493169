"""Any bytes become one normalised text and can be written back; every place in a text has one position."""

import hashlib
import json

import pytest
from gazetteer.kb.errors import RefusedError
from gazetteer.kb.text import (
    LineIndex,
    Units,
    content_id,
    decode,
    decode_exact,
    disk_hash,
    encode,
    is_binary,
    normalise,
    whole,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

PIECES = ["a", "b\t", "é", "中", "😀", "\n", "\r\n", "\r", "\f", "\x0b", "\x1c", "\x85", "\u2028", "\u2029", "\0"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("data", "text", "encoding", "newline", "bom"),
    [
        (b"", "", "utf-8", "", False),
        (b"a\nb\n", "a\nb\n", "utf-8", "lf", False),
        (b"a\r\nb\r\n", "a\nb\n", "utf-8", "crlf", False),
        (b"a\rb\r", "a\nb\n", "utf-8", "cr", False),
        (b"a\r\nb\nc\r", "a\nb\nc\n", "utf-8", "mixed", False),
        (b"\n\r", "\n\n", "utf-8", "mixed", False),
        ("é😀".encode(), "é😀", "utf-8", "", False),
        (b"\xef\xbb\xbfdef f(): ...\r\n", "def f(): ...\n", "utf-8-sig", "crlf", True),
        (b"\xff\xfe" + "é\r\n".encode("utf-16-le"), "é\n", "utf-16-le", "crlf", True),
        (b"\xfe\xff" + "😀\n".encode("utf-16-be"), "😀\n", "utf-16-be", "lf", True),
        ("int x = 1;\n".encode("utf-16-le"), "int x = 1;\n", "utf-16-le", "lf", False),
        ("int x = 1;\n".encode("utf-16-be"), "int x = 1;\n", "utf-16-be", "lf", False),
        (b"caf\xe9 \x80\n", "café \x80\n", "latin-1", "lf", False),
        (b"a\0b", "a\0b", "utf-8", "", False),
    ],
)
def test_bytes_are_read_in_the_encoding_that_they_are_in(
    data: bytes, text: str, encoding: str, newline: str, bom: bool
) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.newline, decoded.bom) == (text, encoding, newline, bom)
    assert decoded.problem is None


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\xfe\xff\xd8\x3d", b"\xef\xbb\xbfa\nb\xff"])
def test_bytes_that_break_their_own_mark_are_read_as_far_as_they_go_and_reported(data: bytes) -> None:
    decoded = decode(data)
    assert "\ufffd" in decoded.text
    assert decoded.problem is not None
    assert decoded.problem.code == "decode"
    assert decoded.problem.line == 1 + decoded.text.count("\n")
    with pytest.raises(RefusedError, match="without loss"):
        encode(decoded.text, decoded)


@given(st.one_of(st.binary(max_size=40), texts.map(str.encode), texts.map(lambda t: t.encode("utf-16-le"))))
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
@example(b"\xff\xfe\xff\xfe\r\0\n\0")
@example(b"a\0b\0\0\xd8")
@settings(max_examples=500, deadline=None)
def test_every_sequence_of_bytes_reads_as_text_and_writes_back_exactly(data: bytes) -> None:
    exact = decode_exact(data)
    exact.text.encode("utf-8")  # raises on a surrogate
    decoded = decode(data)
    assert "\r" not in decoded.text
    if exact.problem is None:
        assert encode(exact.text, exact) == data
        if exact.newline != "mixed":
            assert encode(decoded.text, decoded) == data


@given(texts)
@settings(max_examples=300, deadline=None)
def test_a_buffer_and_every_file_that_say_the_same_are_the_same_content(text: str) -> None:
    """PE06: with or without a mark, in any encoding, with any line ends; the hash of the bytes tells them apart."""
    normal = normalise(text)
    files = [
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        b"\xff\xfe" + text.encode("utf-16-le"),
        b"\xfe\xff" + normal.replace("\n", "\r\n").encode("utf-16-be"),
    ]
    if b"\0" in files[0]:
        del files[0]  # may read as UTF-16 without a mark
    assert {content_id(decode(data).text) for data in files} | {content_id(normalise("\ufeff" + text))} == {
        content_id(normal)
    }
    assert len({disk_hash(data) for data in files}) == len(files)


def test_only_three_things_end_a_line() -> None:
    text = normalise("one\ftwo\x0b\x1c\x1d\x1e\x85\u2028\u2029\r\nnext\rlast\n")
    assert text == "one\ftwo\x0b\x1c\x1d\x1e\x85\u2028\u2029\nnext\nlast\n"
    assert LineIndex(text).count == 4


@pytest.mark.parametrize("byte", range(32))
def test_control_bytes_are_content_that_json_can_carry(byte: int) -> None:
    """PE13: a NUL near the start means binary, which is a documented rule; every other control byte is text."""
    data = b"void f() {" + bytes([byte]) + b"}\n"
    assert is_binary(data) is (byte == 0)
    text = decode(data).text
    assert json.loads(json.dumps(text)) == text


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"\x7fELF\x02\x01\x01\0\0\0", True),
        (b"x" * 8191 + b"\0", True),
        (b"x" * 8192 + b"\0", False),
        ("#include <a.h>\n".encode("utf-16-le"), False),
        (b"\xff\xfe" + "中文".encode("utf-16-le"), False),
        (b"\xfe\xff\0a\0\0", True),
        (b"\xff\xfe\0\0a\0\0\0", True),  # UTF-32, which no source is in
        (b"\0\0\xfe\xff\0\0\0a", True),
        (bytes(range(1, 9)) * 4 + b"\0" * 32, True),
        (b"\1\0\2\0\3\0\4\0", True),
        (b"a\0", True),
    ],
)
def test_binary_is_a_nul_that_no_encoding_explains(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


@pytest.mark.parametrize(
    ("data", "text", "remedy"),
    [
        (b"caf\xe9", "5 €", "UTF-8"),
        (b"caf\xe9", "Ã©", "UTF-8"),  # its Latin-1 bytes are the UTF-8 of another text
        (b"plain", "\ufeffplain", "UTF-8"),
        ("wide".encode("utf-16-le"), "中文", "UTF-8"),
        (b"x", "\ud83d", "UTF-8"),
    ],
)
def test_a_text_that_would_read_back_as_another_is_not_written(data: bytes, text: str, remedy: str) -> None:
    with pytest.raises(RefusedError, match=remedy):
        encode(text, decode(data))


def test_writing_keeps_mark_encoding_and_line_ends() -> None:
    assert encode("a\nb\r\n", decode(b"\xef\xbb\xbfx\r\n")) == b"\xef\xbb\xbfa\r\nb\r\n"
    assert encode("é\n", decode(b"\xff\xfe\r\0")) == b"\xff\xfe" + "é\r".encode("utf-16-le")
    assert encode("a\r\nb\nc", decode(b"a\r\nb\n")) == b"a\r\nb\nc"


def test_surrogates_never_reach_a_content() -> None:
    """A client may send half a character; it counts the same in UTF-16 and UTF-8 as what it becomes."""
    assert whole("a\ud83d\ude00b") == "a😀b"
    assert whole("a\ud83db\udc00") == "a\ufffdb\ufffd"
    assert normalise("\ufeffa\ud83d\r\n") == "a\ufffd\n"
    assert normalise("\ufeff\ufeffx") == "\ufeffx"


def test_hashes_are_plain_sha256() -> None:
    assert content_id("é\n") == hashlib.sha256(b"\xc3\xa9\n").hexdigest()
    assert disk_hash(b"\xe9\r\n") == hashlib.sha256(b"\xe9\r\n").hexdigest()


# -- lines and positions; the oracle counts characters one by one ---------------------------------------------------


def units_of(character: str, units: Units) -> int:
    return {"utf-32": 1, "utf-16": 1 + (character > "\uffff"), "utf-8": len(character.encode())}[units]


def lines_of(text: str) -> list[tuple[int, int]]:
    """The (start, end without line end) of each line."""
    lines, start, i = [], 0, 0
    while i < len(text):
        step = 2 if text[i : i + 2] == "\r\n" else 1
        if text[i] in "\r\n":
            lines.append((start, i))
            start = i + step
        i += step
    return [*lines, (start, len(text))]


@given(texts, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
@settings(max_examples=400, deadline=None)
def test_every_place_has_the_position_that_counting_gives_and_comes_back(text: str, units: Units) -> None:
    """PE04: columns are in the negotiated units."""
    index, lines = LineIndex(text), lines_of(text)
    assert index.count == len(lines)
    for number, (start, end) in enumerate(lines, 1):
        assert (index.start_of(number), index.end_of(number)) == (start, end)
        stop = lines[number][0] if number < len(lines) else len(text) + 1
        for offset in range(start, stop):
            column = sum(units_of(c, units) for c in text[start : min(offset, end)])
            assert index.line_of(offset) == number
            assert index.position(offset, units) == (number - 1, column)
            assert index.offset(number - 1, column, units) == min(offset, end)


@given(texts, st.integers(-2, 12), st.integers(-2, 40), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
@settings(max_examples=500, deadline=None)
def test_any_position_means_the_last_character_that_starts_before_it(
    text: str, line: int, character: int, units: Units
) -> None:
    lines = lines_of(text)
    if line < 0:
        expected = 0
    elif line >= len(lines):
        expected = len(text)
    else:
        expected, end = lines[line]
        room = character
        while expected < end and (room := room - units_of(text[expected], units)) >= 0:
            expected += 1
    assert LineIndex(text).offset(line, character, units) == expected


def test_a_position_inside_a_character_is_its_start() -> None:
    index = LineIndex("a😀b\n")
    assert [index.offset(0, character, "utf-16") for character in range(6)] == [0, 1, 1, 2, 3, 3]
    assert [index.offset(0, character, "utf-8") for character in range(8)] == [0, 1, 1, 1, 1, 2, 3, 3]
    assert [index.offset(0, character, "utf-32") for character in range(5)] == [0, 1, 2, 3, 3]


def test_offsets_and_lines_outside_the_text_are_clamped() -> None:
    index = LineIndex("ab\ncd")
    assert (index.line_of(-1), index.line_of(99)) == (1, 2)
    assert (index.start_of(0), index.start_of(3), index.end_of(9)) == (0, 5, 5)
    assert (index.position(-5, "utf-16"), index.position(99, "utf-16")) == ((0, 0), (1, 2))
    assert LineIndex("").position(0, "utf-8") == (0, 0)
    assert LineIndex("").count == 1
