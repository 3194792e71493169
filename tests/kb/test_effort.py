"""What is counted of the work for a text: everything that is read squared is seen, and nothing that is read once."""

import re
import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .effort import grows_with_its_length
from .regex_steps import Counted

PATTERNS = [
    r"a*?b|ab{1,3}c",
    r"(?P<quote>['\"])(?:(?!(?P=quote)).){0,20}(?P=quote)",
    r"^(?:ab?)++c|(?<!a)b(?=c)|(?<=a)c",
    r"^[ \t]*+(\w+)(?:[ ]+\1)*$",
    r"\b(a|ab)(c|bcd)?(d*)\Z",
    r"(?:a*)*b|(?:a|b)*?c",
    r"(?i:A)[^\nb](?s:.)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text("abcd '\"\n", max_size=30), pos=st.integers(0, 5), cut=st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_a_counted_pattern_finds_what_the_library_finds(pattern: str, text: str, pos: int, cut: int) -> None:
    """It compares itself with the library at every call."""
    real = re.compile(pattern, re.MULTILINE)
    counted, before = Counted(real), Counted.steps
    for method in ("match", "search", "fullmatch"):
        getattr(counted, method)(text, pos, len(text) - cut if len(text) > cut else sys.maxsize)
    assert [one.span() for one in counted.finditer(text)] == [one.span() for one in real.finditer(text)]
    assert (counted.sub("-", text), counted.findall(text)) == (real.sub("-", text), real.findall(text))
    assert Counted.steps > before


def room(monkeypatch: pytest.MonkeyPatch, source: str) -> Callable[[str], object]:
    """The function ``read`` of a module of the knowledge base that says so."""
    module = ModuleType("gazetteer.kb.made_up")
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    read: Callable[[str], object] = module.read
    return read


@pytest.mark.parametrize(
    ("source", "linear"),
    [
        ("def read(text):\n for _ in text:\n  pass", True),
        ("def read(text):\n for _ in text:\n  for _ in text:\n   pass", False),
        ("def read(text):\n return [0 for _ in text for _ in text]", False),
        ("import re\nP = re.compile('a*b')\ndef read(text):\n return P.match(text)", True),
        ("import re\nP = re.compile('a*b')\ndef read(text):\n return P.search(text)", False),
        ("import re\nP = re.compile('a*a*b')\ndef read(text):\n return P.match(text)", False),
        ("import re\nP = re.compile('a*+a*b')\ndef read(text):\n return P.match(text)", True),
        ("import re\nP = re.compile('(?:a+)+b')\ndef read(text):\n return P.match(text)", False),
        ("import re\nALL = ((re.compile('a*b'), 'x'),)\ndef read(text):\n return ALL[0][0].sub('x', text)", False),
        ("import re\ndef read(text):\n return re.compile('a*b').search(text)", False),
        (
            "import re\nP = re.compile('b')\ndef read(text):\n return [P.search(text, at) for at in range(len(text))]",
            False,
        ),
    ],
)
def test_work_that_grows_faster_than_its_text_is_seen(
    source: str, linear: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grows_with_its_length(room(monkeypatch, source), "", "a") is linear
