"""A locator gives back exactly what it was made of, and nothing that is not a locator is read as one."""

import base64
import hashlib
import os

import pytest
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.model import ContentId, DocumentPath
from gazetteer.retrieval.locator import make, parse
from hypothesis import given
from hypothesis import strategies as st

KEY = "0123456789abcdef"
CONTENT = ContentId(hashlib.sha256(b"text").hexdigest())
NAMES = st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name) and name not in (b".", b".."))
PATHS = st.lists(NAMES, min_size=1, max_size=6).map(lambda names: DocumentPath(os.fsdecode(b"/".join(names))))


def spelled(path: bytes, lines: str = "1-2", key: str = KEY, content: str = CONTENT[:12]) -> str:
    return f"gz1:{key}:{base64.urlsafe_b64encode(path).decode().rstrip('=')}:{lines}:{content}"


@given(PATHS, st.integers(1, 10**8), st.integers(0, 10**8))
def test_every_path_survives_byte_by_byte(path: DocumentPath, first: int, more: int) -> None:
    """PE08: a name of any bytes goes into a locator and comes out; the locator itself is plain ASCII in one line."""
    text = make(KEY, path, first, first + more, CONTENT)
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text
    found = parse(text)
    assert os.fsencode(found.path) == os.fsencode(path)
    assert (found.corpus_key, found.first_line, found.last_line) == (KEY, first, first + more)
    assert CONTENT.startswith(found.content)
    assert str(found) == text


def test_the_form_is_the_documented_one() -> None:
    text = make(KEY, DocumentPath("src/a.py"), 120, 168, CONTENT)
    assert text == f"gz1:{KEY}:c3JjL2EucHk:120-168:{CONTENT[:12]}"
    assert text == spelled(b"src/a.py", "120-168")


@pytest.mark.parametrize(
    "path",
    [
        b"../x",
        b"a/../../x",
        b"a/..",
        b"..",
        b".",
        b"./a",
        b"/etc/passwd",
        b"//etc/passwd",
        b"a//b",
        b"a/",
        b"",
        b"a\0b",
        b"a/./b",
        b"x" * 5_000,
    ],
)
def test_no_locator_leads_out_of_the_root(path: bytes) -> None:
    """SE01: spellings that climb, start at the top or end early are no locators."""
    with pytest.raises(InvalidArgumentError) as caught:
        parse(spelled(path))
    assert caught.value.data["argument"] == "locator"


@pytest.mark.parametrize("path", ["~/x", "%2e%2e/x", "a\\..\\x", "C:/x", "~"])
def test_what_only_looks_like_climbing_is_an_ordinary_name(path: str) -> None:
    """SE01: nothing expands or decodes a path of a locator, so these mean files of these very names."""
    assert parse(make(KEY, DocumentPath(path), 1, 1, CONTENT)).path == path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gz1",
        "gz2" + spelled(b"a")[3:],
        "GZ1" + spelled(b"a")[3:],
        spelled(b"a") + ":",
        spelled(b"a") + "\n",
        " " + spelled(b"a"),
        spelled(b"a", key=KEY[:-1]),
        spelled(b"a", key=KEY.upper()),
        spelled(b"a", content=CONTENT[:11]),
        spelled(b"a", content=CONTENT[:13]),
        spelled(b"a", "2-1"),
        spelled(b"a", "0-1"),
        spelled(b"a", "-1-1"),
        spelled(b"a", "01-2"),
        spelled(b"a", "1"),
        spelled(b"a", "1-9999999999"),
        spelled(b"a", "١-٢"),
        spelled(b"ab").replace("YWI", "YWJ"),  # the last digit carries bits that no name has
        spelled(b"ab").replace("YWI", "YWI="),
        spelled(b"a").replace("YQ", "Y"),
        spelled(b"a").replace("YQ", "Y+/A"),
        "src/a.py:12",
        "x" * 100_000,
    ],
)
def test_anything_odd_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        parse(text)
    assert caught.value.data["argument"] == "locator"
    assert len(caught.value.message) < 200


@given(st.text(max_size=60))
def test_any_text_is_a_locator_or_refused(text: str) -> None:
    for candidate in (text, f"gz1:{KEY}:{text}:1-2:{CONTENT[:12]}"):
        try:
            assert str(parse(candidate)) == candidate
        except InvalidArgumentError as error:
            assert error.data["argument"] == "locator"  # noqa: PT017


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("corpus_key", ("xyz", "a", 1, 1, CONTENT)),
        ("path", (KEY, "../a", 1, 1, CONTENT)),
        ("path", (KEY, "\ud800", 1, 1, CONTENT)),
        ("path", (KEY, "x" * 5_000, 1, 1, CONTENT)),
        ("lines", (KEY, "a", 0, 1, CONTENT)),
        ("lines", (KEY, "a", 2, 1, CONTENT)),
        ("content_id", (KEY, "a", 1, 1, "short")),
    ],
)
def test_a_value_that_could_not_be_read_back_is_not_written(argument: str, values: tuple[object, ...]) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        make(*values)  # type: ignore[arg-type]
    assert caught.value.data["argument"] == argument
