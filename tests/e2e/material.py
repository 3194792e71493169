"""Names, texts and rules that histories are made of: few of each, so that they meet."""

import os
import time
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st

PATHS = ("a.py", "b.py", "B.py", "docs/guide.md", "src/a.py", "src/deep/c.c", "note.txt", "out/x.py", "e\u0301 #%.py")
SOURCES = tuple(path for path in PATHS if path.endswith(".py"))
FOLDERS = ("src", "src/deep", "docs", "out")
NEW_NAMES = ("moved", "src", "SRC", "docs", "out", "src/in")
WORDS = ("alpha", "beta", "gamma", "delta")
RULE_FILES = (".gitignore", "src/.gitignore", ".gazetteerignore", ".git/info/exclude")
IGNORES = ("", "out/\n", "*.py\n", "/src/deep\n!a.py\n", "docs\n", "*\n")
LIMIT = 60
SETTINGS = (
    "",
    "exclude: ['src/**']\n",
    "include: ['*.py']\n",
    f"max_file_bytes: {LIMIT}\n",
    "aliases:\n  a.py: [thing]\n",
)
BROKEN_SETTINGS = "include: [\n"
FLOOD = 320
"""More sections than a short question looks at."""
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where caches and trees lie: on a disk every publication waits for the disk."""

paths = st.sampled_from(PATHS)
words = st.sampled_from(WORDS)


@st.composite
def texts(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Small sources with a few words, half-written ones among them."""
    names = draw(st.lists(words, min_size=0, max_size=3))
    body = "".join(f"def {name}_{at}(x):\n    return {name}\n\n" for at, name in enumerate(names))
    tail: str = draw(st.sampled_from(("", "# tail\n", "def broken(:\n", "x = '\U0001f40d'\n")))
    return body + tail


def odd_bytes() -> st.SearchStrategy[bytes]:
    """What may take the place of a source: nothing, binary, other encodings, more than the limit of a setting."""
    samples = (b"", b"\0\1alpha", "alpha = '\u00e9'\n".encode("latin-1"), "alpha\n".encode("utf-16"), b"beta\r\n" * 20)
    return st.sampled_from(samples)


def ahead() -> int:
    """A clock ten seconds fast: signatures are trusted at once, so that only they can tell of a write."""
    return time.time_ns() + 10_000_000_000


def flood(word: str) -> str:
    """A source of many sections, each of which says the word more often than any other file does."""
    lines = f"    first = {word}\n    second = {word}\n    return {', '.join([word] * 6)}\n\n\n"
    return "".join(f"def {word}_{at}():\n{lines}" for at in range(FLOOD))


def same_size(data: bytes, number: int) -> tuple[bytes, str]:
    """As many bytes with another word in place of every word, and that word: if possible one that was not there."""
    new = [word for word in WORDS if word.encode() not in data] or list(WORDS)
    other = new[number % len(new)]
    for word in WORDS:
        data = data.replace(word.encode(), other[: len(word)].ljust(len(word)).encode())
    return data, other
