"""Adding to the registry and removing from it: one implementation for every front door (rows C1, C2).

Every change is made under one lock between processes, on what the file says at that moment, and takes its place in one
step: two processes lose nothing of each other's, a killed one leaves the old file, and what this version does not
understand stays as it stands. A file that cannot be read as a whole is never written over. A tree is never touched.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal

import msgspec

from ..kb.errors import GazetteerError, InvalidArgumentError, NotFoundError, RefusedError, UnavailableError
from ..kb.lock import Lock, publish_lock
from ..kb.paths import Root, printable
from ..kb.room import (
    CONTENT_DB,
    collect_contents,
    corpus_folder,
    file_size,
    folder_size,
    noted_as,
    remove_index,
)
from .registry import Catalogue, Corpus, Registry, read_bytes
from .registry_json import FIELDS, Entries, EntryError, composed, name_fault, parse, write

WAIT_S = 30.0
"""How long another process may take for its change; one takes milliseconds."""
INDEX_WAIT_S = 10.0
"""How long the index of a removed corpus is waited for, when somebody is writing it."""


class Registered(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What became of adding a corpus; ``change`` is ``kept`` when everything stood there already."""

    name: str
    root: str
    change: Literal["added", "changed", "kept"]
    notices: tuple[str, ...] = ()


class Removed(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What became of removing a corpus; ``removed`` names what was deleted, for people."""

    name: str
    root: str
    removed: tuple[str, ...] = ()
    freed_bytes: int = 0
    notices: tuple[str, ...] = ()


def add(catalogue: Catalogue, name: str, path: str, options: Mapping[str, Any] | None = None) -> Registered:
    """Register a folder under a name; options that are not given stay as they are.

    Args:
        catalogue: the registry.
        name: what to call it.
        path: its folder.
        options: keys of an entry but ``path``, with values as JSON has them.

    Raises:
        InvalidArgumentError: this is no name, no folder, or no value of an option; or the registry cannot be read.
        NotFoundError: there is no such folder.
        RefusedError: the name is of another folder, or the folder has another name.
        TimeoutExpiredError: another process has been changing the registry for too long.
        UnavailableError: the registry cannot be written.
    """
    name = composed(name)
    _check_name(name)
    given = {"path": folder_at(path), **_checked(options or {})}
    with _editing(catalogue) as entries:
        before = catalogue.current()
        _check_free(before, name, given["path"])
        key = _key(entries, name)
        if key not in entries:
            entries[key] = given
        elif not isinstance(entries[key], dict):
            raise RefusedError(f"{name} is a key of {catalogue.file} that is no entry; take another name.", corpus=name)
        else:
            entries[key].update({key: value for key, value in given.items() if key != "path"})
    after = catalogue.current()
    change: Literal["added", "changed", "kept"] = "added"
    if name in before.corpora:
        change = "kept" if after.corpora.get(name) == before.corpora[name] else "changed"
    corpus = after.find(name)
    notices = (*after.notices, *filter(None, [corpus.waiting]))
    return Registered(name=name, root=corpus.root, change=change, notices=notices)


def remove(catalogue: Catalogue, name: str, cache: str) -> Removed:
    """Take a corpus out of the registry, and free what only its index needs. Its tree need not exist any more.

    Args:
        catalogue: the registry.
        name: the corpus's name; its entry may be broken.
        cache: the cache root that holds every index.

    Raises:
        InvalidArgumentError: the registry cannot be read.
        NotFoundError: there is none of that name.
        TimeoutExpiredError: another process has been changing the registry for too long.
        UnavailableError: the registry cannot be written.
    """
    name = composed(name)
    _registered(catalogue, name)  # a mistake makes no file
    with _editing(catalogue) as entries:
        before = catalogue.current()
        corpus = _registered(catalogue, name)
        del entries[_key(entries, name)]
    after = catalogue.current()
    notices = [
        f"{printable(other)} still names it among its corpora."
        for other, heir in after.corpora.items()
        if name in map(composed, heir.corpora)
    ]
    if corpus is None:
        return _broken_removed(name, before.silent.get(name), after, cache, notices)
    same = [other for other, heir in after.corpora.items() if heir.real == corpus.real]
    if same:
        notices.append(f"The index stays: {printable(same[0])} is the same folder.")
        return Removed(name=name, root=corpus.root, notices=tuple(notices))
    root = Root(corpus.root, corpus.real)
    removed, freed = _free(cache, corpus_folder(cache, root), root.real, notices)
    return Removed(name=name, root=corpus.root, removed=removed, freed_bytes=freed, notices=tuple(notices))


def _broken_removed(name: str, silent: Corpus | None, after: Registry, cache: str, notices: list[str]) -> Removed:
    """What became of removing an entry that is broken. The index of a tree that does not answer has a note of it."""
    removed: tuple[str, ...] = ()
    freed = 0
    if silent is not None:
        folder = noted_as(cache, silent.root)
        heirs = {**after.corpora, **after.silent}
        same = [other for other, heir in heirs.items() if (heir.real or heir.root) == silent.root]
        if same:
            notices.append(f"The index stays: {printable(same[0])} is the same folder.")
        elif folder:
            removed, freed = _free(cache, folder, silent.root, notices)
        else:
            notices.append("Its index, if it has one, stays: where its tree leads to cannot be said now.")
    return Removed(
        name=name,
        root=silent.root if silent is not None else "",
        removed=("its broken entry", *removed),
        freed_bytes=freed,
        notices=tuple(notices),
    )


def _key(entries: Entries, name: str) -> str:
    """Return how the file spells a name; the name itself where it has none such."""
    return next((key for key in entries if composed(key) == name), name)


def _registered(catalogue: Catalogue, name: str) -> Corpus | None:
    """Return the corpus of a name; None where the entry is broken."""
    registry = catalogue.current()
    if registry.notices and name not in registry.corpora:
        raise InvalidArgumentError(registry.notices[0], corpus=name)
    return None if name in registry.broken else registry.find(name)


def _free(cache: str, folder: str, root: str, notices: list[str]) -> tuple[tuple[str, ...], int]:
    """Delete an index and the stored contents that no other refers to; what cannot be deleted is a notice."""
    content_db = os.path.join(cache, CONTENT_DB)
    if not os.path.isdir(folder):
        return (), 0
    before = folder_size(folder) + file_size(content_db)
    removed = []
    try:
        with publish_lock(folder).held(INDEX_WAIT_S):
            remove_index(folder)
        removed.append(f"the index of {root}")
        if dropped := collect_contents(cache):
            removed.append(f"{dropped} stored text{'' if dropped == 1 else 's'} that no index refers to")
    except (GazetteerError, OSError) as error:
        why = error.message if isinstance(error, GazetteerError) else f"it cannot be deleted ({error.strerror})."
        notices.append(
            f"Its index is still in {folder}: {why} `gazetteer clean --root {shlex.quote(root)}` deletes it."
        )
    return tuple(removed), max(0, before - folder_size(folder) - file_size(content_db))


# ---------------------------------------------------------------- what may be added


def _check_name(name: str) -> None:
    fault = name_fault(name)
    if fault == "is a path":
        raise InvalidArgumentError(
            f"{printable(name)[:200]} is a path and no name; say "
            f"`gazetteer corpus add NAME {shlex.quote(printable(name)[:200])}`.",
            argument="name",
        )
    if fault:
        raise InvalidArgumentError(f"'{printable(name)[:80]}' is no name: it {fault}.", argument="name")


def folder_at(path: str) -> str:
    """Return the absolute path of a folder, as it was spelled.

    Raises:
        InvalidArgumentError: this is no path, or that of a file.
        NotFoundError: there is no such folder.
    """
    root = Root(path)
    if not os.path.exists(root.real):
        raise NotFoundError(f"There is no folder {printable(path)}; name one that is there.", argument="path")
    if not os.path.isdir(root.real):
        raise InvalidArgumentError(f"{printable(path)} is a file; name the folder that holds it.", argument="path")
    return root.given


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as they are written: what is added can be read again."""
    for key, value in options.items():
        if key == "path" or key not in FIELDS:
            raise InvalidArgumentError(f"{printable(key)[:80]} is no option of a corpus.", argument=key)
        try:
            FIELDS[key](key, value)
        except EntryError as error:
            raise InvalidArgumentError(f"The corpus {error}.", argument=key) from error
    return dict(options)


def _check_free(registry: Registry, name: str, path: str) -> None:
    if name in registry.broken:
        raise RefusedError(f"{registry.broken[name]} Until then it is not changed.", corpus=name)
    real = os.path.realpath(path)
    known = registry.corpora.get(name)
    if known is not None and known.real != real:
        raise RefusedError(
            f"{name} is {printable(known.root)} already; take another name, or let go of that one with "
            f"`gazetteer corpus rm {shlex.quote(name)}`.",
            corpus=name,
        )
    for other, corpus in registry.corpora.items():
        if other != name and corpus.real == real:
            raise RefusedError(
                f"{printable(path)} is registered as {other}; use that name, or let go of it with "
                f"`gazetteer corpus rm {shlex.quote(other)}`.",
                corpus=other,
            )


# ---------------------------------------------------------------- the file


@contextmanager
def _editing(catalogue: Catalogue) -> Iterator[Entries]:
    """Give the entries as they are now to be changed, and write them when that was done; nobody else writes meanwhile.

    The file may be a link, as people keep such files elsewhere: what it leads to is replaced, and the link stays.
    """
    file = os.path.realpath(catalogue.file)
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    except OSError as error:
        raise _unwritable(file, error) from error
    busy = "Another process has been changing the registry for too long; end it or try again."
    with Lock(f"{file}.lock", busy=busy, remedy="").held(WAIT_S):
        document = parse(read_bytes(file), file)
        if document.blurred:
            raise RefusedError(f"The registry {file} has a key twice, of which one would be lost; keep one.", file=file)
        before = write(document.entries)
        yield document.entries
        after = write(document.entries)
        if after != before:
            try:
                _replace(file, after)
            except OSError as error:
                raise _unwritable(file, error) from error


def _replace(file: str, data: bytes) -> None:
    """Put other bytes in the place of the file, all or none. Only the holder of the lock makes the file beside it."""
    beside = f"{file}.new"
    with suppress(FileNotFoundError):
        os.unlink(beside)  # a killed process left it
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as opened:
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, os.stat(file).st_mode & 0o777)
        opened.write(data)
        opened.flush()
        os.fsync(descriptor)
    os.replace(beside, file)


def _unwritable(file: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"The registry {file} cannot be written ({error.strerror}); allow this user to write it and its folder.",
        file=file,
    )
