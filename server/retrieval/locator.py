"""A place in a document as one word that can be copied, kept and given back: ``gz1:<corpus>:<path>:<lines>:<content>``.

Pure. A locator holds all that finds the place again without a registry: which corpus, which document, which lines, and
which content these lines were read from. It is made of this process's own values and read back from anybody's, so
reading trusts nothing: a path in it never leads out of the root (pitfall SE01), and there is exactly one spelling of
every locator.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.model import ContentId, DocumentPath

VERSION = "gz1"
CORPUS_DIGITS = 16
CONTENT_DIGITS = 12
MAX_PATH_BYTES = 4_096
"""Longer than any path a file system takes."""

FORM = re.compile(
    rf"{VERSION}:([0-9a-f]{{{CORPUS_DIGITS}}}):([A-Za-z0-9_-]{{2,{MAX_PATH_BYTES * 4 // 3 + 1}}})"
    rf":([1-9][0-9]{{0,8}})-([1-9][0-9]{{0,8}}):([0-9a-f]{{{CONTENT_DIGITS}}})"
)
"""What a locator looks like; `parse` says whether it is one."""
_HEX = re.compile(r"[0-9a-f]*")
_STEPS = frozenset({"", ".", ".."})


class Locator(msgspec.Struct, frozen=True):
    """What a locator says. Lines are 1-based and inclusive; ``content`` is the beginning of a content id."""

    corpus_key: str
    path: DocumentPath
    first_line: int
    last_line: int
    content: str

    def __str__(self) -> str:
        name = urlsafe_b64encode(self.path.encode("utf-8", "surrogateescape")).rstrip(b"=").decode("ascii")
        return f"{VERSION}:{self.corpus_key}:{name}:{self.first_line}-{self.last_line}:{self.content}"


def make(corpus_key: str, path: DocumentPath, first_line: int, last_line: int, content_id: ContentId) -> str:
    """Return the locator of lines ``first_line`` to ``last_line`` of a content of a document.

    Raises:
        InvalidArgumentError: a value that `parse` would not give back, naming the argument.

    """
    _require(len(corpus_key) == CORPUS_DIGITS and _HEX.fullmatch(corpus_key), "corpus_key", "is not 16 hex digits")
    _require(_relative(path), "path", "is not the path of a file below the root")
    _require(1 <= first_line <= last_line < 10**9, "lines", "are not 1-based, first before last")
    content = content_id[:CONTENT_DIGITS]
    _require(len(content) == CONTENT_DIGITS and _HEX.fullmatch(content), "content_id", "is not a hash in hex")
    return str(Locator(corpus_key, path, first_line, last_line, content))


def parse(text: str) -> Locator:
    """Return what a locator says.

    Raises:
        InvalidArgumentError: ``text`` is no locator, naming the argument ``locator``.

    """
    match = FORM.fullmatch(text)
    _require(match, "locator", "does not look like gz1:corpus:path:first-last:content")
    assert match is not None
    corpus_key, name, first, last, content = match.groups()
    path = _path(name)
    _require(path and _relative(path), "locator", "names no file below the root")
    locator = Locator(corpus_key, DocumentPath(path), int(first), int(last), content)
    _require(locator.first_line <= locator.last_line, "locator", "ends before it begins")
    _require(str(locator) == text, "locator", "is not spelled as it was given out")
    return locator


def _path(name: str) -> str:
    try:
        return urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode("utf-8", "surrogateescape")
    except ValueError:
        return ""


def _relative(path: str) -> bool:
    """Say whether ``path`` can only be below the root: whole steps, none up, nothing a system call cuts."""
    if "\0" in path or not _STEPS.isdisjoint(path.split("/")):
        return False
    try:
        return len(path.encode("utf-8", "surrogateescape")) <= MAX_PATH_BYTES
    except UnicodeEncodeError:
        return False


def _require(condition: object, argument: str, what: str) -> None:
    if not condition:
        raise InvalidArgumentError(
            f"The {argument.replace('_', ' ')} {what}; copy it from an answer as it is.", argument=argument
        )
