"""Paths, document paths and URIs, and the way from one to another.

A corpus has one real root (its identity) and the spelling that the caller used for it (what answers are spelled with).
A document is a relative path below the real root. It holds that whatever spelling comes in - dots, links, percent
signs, other roots - either means one document of the tree or is refused; and that any name that a file system can
hold, decodable or not, survives every way there and back.

Names are ``str`` as ``os.fsdecode`` gives them (undecodable bytes as surrogates). Whether a file exists or may be read
is not decided here, but in `source.py`, at the moment it is opened.
"""

import hashlib
import os
import re
import unicodedata
from urllib.parse import quote_from_bytes, unquote_to_bytes

from .errors import InvalidArgumentError, RefusedError
from .model import DocumentPath

WINDOWS = os.name == "nt"

_FILE_URI = re.compile(r"file:(?://([^/?#]*))?(/[^?#]*)", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"/?([A-Za-z])[:|](?=[/\\]|$)")
_SAFE = "/-._~"
_NO_STEPS = frozenset({"", ".", ".."})
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that steer a terminal or a reader instead of being seen."""
_JOINERS = "\u200c\u200d"
"""Formats too, but harmless, and part of many emoji."""


class Root:
    """The root of a tree: ``real`` is where it is, ``given`` what the caller calls it, ``key`` its identity.

    ``key`` is 16 hex digits, equal for every spelling of one folder. The folder need not exist.

    Args:
        path: as the caller calls it.
        real: where that is, if somebody knows: then no disk is asked, and none can fail to answer.

    Raises:
        InvalidArgumentError: the path is empty or holds a NUL.

    """

    __slots__ = ("given", "key", "real")

    def __init__(self, path: str, real: str | None = None) -> None:
        if not path or "\0" in path:
            raise InvalidArgumentError("A root is a folder's path; this one is empty or holds a NUL.", root=path)
        self.real = os.path.realpath(path) if real is None else real
        self.given = os.path.abspath(path) if _plain(path) else self.real
        self.key = hashlib.sha256(os.fsencode(self.real)).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"Root({self.given!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Root) and self.real == other.real

    def __hash__(self) -> int:
        return hash(self.real)

    def absolute(self, path: DocumentPath) -> str:
        """Return the path of a document as the caller spells it."""
        return _join(self.given, path)

    def uri(self, path: DocumentPath) -> str:
        """Return the URI of a document as the caller spells it."""
        return to_uri(self.absolute(path))

    def document(self, path: str) -> DocumentPath | None:
        """Return the document that an absolute path means, through whatever links; None outside the root.

        The last component need not exist (a buffer that was never saved).
        """
        if "\0" in path or not os.path.isabs(path):
            return None
        try:
            return _below(self.real, os.path.realpath(path))
        except (OSError, ValueError):  # a link that is swapped while it is read; a name that nothing can have
            return None

    def document_of_uri(self, uri: str) -> DocumentPath | None:
        """Return the document that a URI means; None outside the root, and for everything that is no file."""
        path = from_uri(uri)
        return None if path is None else self.document(path)


def resolve_inside(root: Root, path: str) -> DocumentPath:
    """Return the document that ``path``, relative to the root or absolute, means.

    Raises:
        RefusedError: it means something outside of the root, or the root itself, or may be meant that way by whoever
            reads it next (a home folder, a percent-encoded or backslashed ``..``).

    """
    steps = unquote_to_bytes(path.encode("utf-8", "surrogatepass")).replace(b"\\", b"/").split(b"/")
    disguised = steps.count(b"..") > path.split("/").count("..")
    if not path or "\0" in path or path == "~" or path.startswith("~/") or disguised:
        document = None
    else:
        document = root.document(path if os.path.isabs(path) else _join(root.real, path))
    if not document:
        raise RefusedError(
            f"{printable(path)} is not a document inside {printable(root.given)}; name a file below that folder.",
            path=printable(path),
        )
    return document


def is_document(path: str) -> bool:
    """Say whether a document can have this path: relative, of whole steps, none of which leads up."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return "\0" not in path and _NO_STEPS.isdisjoint(path.split("/"))


def to_uri(path: str, *, windows: bool = WINDOWS) -> str:
    """Return the ``file:`` URI of an absolute path; every byte of the name survives."""
    if not windows:
        return "file://" + quote_from_bytes(os.fsencode(path), safe=_SAFE)
    slashed = path.replace("\\", "/")
    if slashed.startswith("//"):
        return "file:" + _quoted(slashed)
    drive = _DRIVE.match(slashed)
    if drive is None:
        return "file://" + _quoted(slashed)
    return f"file:///{drive[1].upper()}:" + _quoted(slashed[drive.end() :])


def from_uri(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """Return the path that a ``file:`` URI means, in any percent spelling; None for any other URI.

    Other schemes (``untitled:``, ``git:``, notebook cells), other hosts and names with a NUL have no path.
    """
    match = _FILE_URI.match(uri)
    if match is None:
        return None
    host = (match[1] or "").lower()
    try:
        name = unquote_to_bytes(match[2].encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return None
    if b"\0" in name:
        return None
    if not windows:
        return os.fsdecode(name) if host in ("", "localhost") else None
    path = name.decode("utf-8", "surrogateescape")
    if host not in ("", "localhost"):
        return f"//{host}{path}".replace("/", "\\")
    drive = _DRIVE.match(path)
    if drive is None:
        return None
    return (f"{drive[1].upper()}:" + (path[drive.end() :] or "/")).replace("/", "\\")


def canonical_uri(uri: str) -> str:
    """Return the one spelling of a URI under which a document is kept; other schemes are left as they are."""
    path = from_uri(uri)
    return uri if path is None else to_uri(path)


def display_path(path: str, workspace_root: str) -> str:
    """Return an absolute path as a person in ``workspace_root`` uses it: relative inside, absolute outside; printable.

    Both have to be spelled the same way (`Root.absolute`).
    """
    relative = _below(os.path.normpath(workspace_root), os.path.normpath(path))
    return printable(relative or path)


def printable(name: str) -> str:
    r"""Return ``name`` safe to print and to put into JSON: undecodable bytes, controls and bidi marks as ``\x..``."""
    if name.isprintable():
        return name
    return "".join(_escaped(character) if _hidden(character) else character for character in name)


def fold_key(path: str) -> str:
    """Return what a case-insensitive file system compares: equal for names that it takes for one file.

    Simple case folding, one character for one, on composed characters: ``ß`` and ``ss`` stay two files.
    """
    composed = unicodedata.normalize("NFC", path)
    if composed.isascii():
        return composed.lower()
    return "".join(map(_fold, composed))


def _fold(character: str) -> str:
    folded = character.casefold()
    return folded if len(folded) == 1 else character


def _plain(path: str) -> bool:
    """Say whether ``..`` does not occur, so that a path may be tidied without looking at links."""
    return ".." not in path.split("/")


def _join(root: str, path: str) -> str:
    return f"{root}{path}" if root.endswith("/") else f"{root}/{path}"


def _below(root: str, path: str) -> DocumentPath | None:
    """Return ``path`` relative to ``root``; ``""`` for the root itself, None outside. Both absolute and tidy."""
    if path == root:
        return DocumentPath("")
    prefix = _join(root, "")
    return DocumentPath(path[len(prefix) :]) if path.startswith(prefix) else None


def _quoted(path: str) -> str:
    return quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe=_SAFE)


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
