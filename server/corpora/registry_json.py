"""The words of ``projects.json``: bytes to entries and back, or one sentence that says what is wrong.

A person edits that file too, and a later version may know more of it. So everything in it is kept as it stands, unknown
keys included, in its order; an entry that makes no sense is named and left out, and the others count. The size is
bounded before anything is read of it, and nothing in it is ever run or imported.
"""

import json
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from ..kb.errors import InvalidArgumentError
from ..settings import glob_fault
from .indexers import INDEXERS

MAX_BYTES = 4 * 1024 * 1024
MAX_NAME = 200

EVERY = "all"
"""What a question says to mean every corpus; no single one can be called so, however it is written."""

_NAME = re.compile(r"[^\W_](?:[\w .+-]*[\w.+-])?")
_SURROGATE = re.compile("[\ud800-\udfff]")


class EntryError(Exception):
    """An entry that makes no sense; the words follow its name."""


class Entries(dict[str, Any]):
    """A JSON object as it was read; ``twice`` are keys that stand in it more than once, of which the last counts."""

    twice: tuple[str, ...] = ()


class Document:
    """A registry file as it was read. ``blurred`` says that writing it again would lose what stands in it twice."""

    def __init__(self, entries: Entries, *, blurred: bool = False) -> None:
        self.entries = entries
        self.blurred = blurred


def parse(raw: bytes, file: str) -> Document:
    """Read the bytes of a registry; an empty file is an empty one.

    Raises:
        InvalidArgumentError: these are no entries by name, or too many of them.
    """
    if len(raw) > MAX_BYTES:
        raise _unusable(file, f"is larger than {MAX_BYTES // (1024 * 1024)} MB; shorten it")
    blurred = False

    def keep(pairs: list[tuple[str, Any]]) -> Entries:
        nonlocal blurred
        entries = Entries(pairs)
        if len(entries) < len(pairs):
            blurred = True
            names = [name for name, _ in pairs]
            entries.twice = tuple(name for name in entries if names.count(name) > 1)
        return entries

    try:
        text = raw.decode("utf-8-sig")
        found = json.loads(text, object_pairs_hook=keep) if text.strip() else Entries()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _unusable(file, f"is not UTF-8 in line {line}; save it as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _unusable(file, f"is not JSON ({error.msg} in line {error.lineno}); correct it") from error
    except (RecursionError, ValueError) as error:
        raise _unusable(file, "holds more than entries need; shorten it") from error
    if not isinstance(found, Entries):
        raise _unusable(file, "holds no entries; write {} and add one with `gazetteer corpus add`")
    return Document(found, blurred=blurred)


def write(entries: Mapping[str, Any]) -> bytes:
    """Return the bytes of a registry that holds these entries, in their order."""
    text = json.dumps(entries, indent=2, ensure_ascii=False)
    return (_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()


def composed(name: str) -> str:
    """Return a name as it is compared and kept: an accent and its letter are one, however a system keeps them apart."""
    return unicodedata.normalize("NFC", name)


def name_fault(name: str) -> str:
    """Say what is wrong with a name, as a predicate of "it", or "" when a corpus can have it.

    Marks on letters are no faults: many scripts write vowels so.
    """
    if len(name) > MAX_NAME:
        return f"is longer than {MAX_NAME} characters"
    if os.sep in name or name in (".", "..") or name.startswith("~"):
        return "is a path"
    if name.casefold() == EVERY:
        return "stands for every corpus where a question names some"
    letters = "".join(part for part in name if not is_mark(part))
    fits = name and not is_mark(name[0]) and _NAME.fullmatch(letters)
    return "" if fits else "is not made of letters, digits and, after the first, . _ + - or spaces"


def is_mark(part: str) -> bool:
    """Say whether a character is a mark on the letter before it."""
    return unicodedata.category(part).startswith("M")


def read_entry(name: str, found: Any) -> dict[str, Any]:
    """Return what an entry says, by key, unknown keys left out.

    Raises:
        EntryError: it makes no sense.
    """
    if fault := name_fault(name):
        raise EntryError(f"has a name that {fault}; give it another one")
    if not isinstance(found, dict):
        raise EntryError('is not an object such as {"path": "/src/tree"}; write one')
    if isinstance(found, Entries) and found.twice:
        raise EntryError(f"has {found.twice[0]!r} twice; keep one")
    values = {key: FIELDS[key](key, value) for key, value in found.items() if key in FIELDS and value is not None}
    if "path" not in values:
        raise EntryError("has no path; say where its tree is")
    return values


def is_entry(name: str, found: Any) -> bool:
    """Say whether a person may have meant an entry; a later version may keep something else beside them."""
    return not name.startswith(("$", "_")) and isinstance(found, dict | list | str)


def unknown_keys(found: Any) -> tuple[str, ...]:
    """Keys of an entry that this version does not know; they are kept and change nothing."""
    return tuple(key for key in found if key not in FIELDS) if isinstance(found, dict) else ()


# ---------------------------------------------------------------- values


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise EntryError(f"has {key} that is not text; put it in quotes")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise EntryError(f"has {key} with characters that no name can have; write it again") from None
    if "\0" in value:
        raise EntryError(f"has {key} with a NUL character; remove it")
    return value


def _path(key: str, value: Any) -> str:
    path = _text(key, value)
    if not path.strip():
        raise EntryError(f"has an empty {key}; name a place or remove it")
    return path


def _boolean(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise EntryError(f"has {key} that is neither true nor false; write one of them")
    return value


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise EntryError(f'has {key} that is not a list; write it as ["a", "b"]')
    return tuple(_text(key, item) for item in value)


def _globs(key: str, value: Any) -> tuple[str, ...]:
    globs = _texts(key, value)
    for glob in globs:
        if fault := glob_fault(glob):
            raise EntryError(f"has {key} with a bad glob {glob!r}: it {fault}")
    return globs


def _indexer(key: str, value: Any) -> str:
    indexer = _text(key, value)
    if indexer not in INDEXERS:
        raise EntryError(f"has an {key} that is none of {', '.join(INDEXERS)}; write one of them")
    return indexer


def _provider(key: str, value: Any) -> str:
    return "" if value is False else _text(key, value)


FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "path": _path,
    "kind": _text,
    "indexer": _indexer,
    "autoindex": _boolean,
    "prompt_file": _path,
    "collection": _text,
    "corpora": _texts,
    "shared": _boolean,
    "exclude": _globs,
    "families": _texts,
    "semantic": _provider,
}
"""The keys of an entry, and how the value of each is read."""


def _unusable(file: str, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"The registry {file} {what}.", file=file)
