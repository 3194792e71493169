"""Where the keyword index lies on disk: numbered folders, and one small file that says which of them is live.

A rebuild happens beside the live folder and becomes visible by replacing that file, so that a crash leaves the old
index or the new one (pitfall CC20). Only the holder of the publish lock makes, switches or sweeps folders; readers
follow. Nothing here knows what is inside a folder, but for the list of segments that tantivy keeps in ``meta.json`` and
the checksum that it puts behind every file and never looks at: noise in the middle of a file would change answers
without a word.
"""

import errno
import os
import secrets
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from ..kb.errors import UnavailableError
from ..kb.passing import lacks

POINTER = "CURRENT"
_PREFIX = "ix-"
_META = "meta.json"

Signature = tuple[int, int, int]
"""Inode, modification time and size of the list of segments: another value means another commit."""


class _Deletes(msgspec.Struct):
    num_deleted_docs: int
    opstamp: int = 0


class _Segment(msgspec.Struct):
    max_doc: int
    segment_id: str = ""
    deletes: _Deletes | None = None


class _Meta(msgspec.Struct):
    segments: list[_Segment]


class _Footer(msgspec.Struct):
    crc: int


_FILES = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")
_MAGIC = 1337
_LONGEST_FOOTER = 1_000
_BLOCK = 1 << 20


class IndexFolder:
    """The folder that belongs to one keyword index."""

    def __init__(self, root: str) -> None:
        self.root = root

    def current(self) -> str | None:
        """Path of the live folder; None when there is none yet or the pointer says nonsense.

        Raises:
            UnavailableError: The pointer may not be read.

        """
        try:
            # a FIFO of that name must not make a question wait
            with open(os.path.join(self.root, POINTER), "rb", opener=_without_waiting) as file:
                name = file.read(100).decode("ascii", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnavailableError(
                f"The keyword index in {self.root} cannot be opened ({error.strerror}); give read permission or name "
                "another place with --db-path."
            ) from error
        valid = name.startswith(_PREFIX) and name.removeprefix(_PREFIX).isalnum()
        return os.path.join(self.root, name) if valid else None

    def fresh(self) -> str:
        """Make a new, empty folder that is not live."""
        os.makedirs(self.root, mode=0o700, exist_ok=True)
        path = os.path.join(self.root, _PREFIX + secrets.token_hex(6))
        os.mkdir(path, 0o700)
        return path

    def switch(self, path: str) -> None:
        """Make ``path`` the live folder, in one step that survives a crash."""
        target = os.path.join(self.root, POINTER)
        descriptor = os.open(target + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(os.path.basename(path).encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(target + ".new", target)

    def forget(self) -> None:
        """Make no folder live."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.root, POINTER))

    def sweep(self) -> None:
        """Remove folders that are not live. A reader that has one open keeps what it mapped."""
        live = self.current()
        for entry in self._entries():
            if entry.name.startswith(_PREFIX) and entry.path != live:
                shutil.rmtree(entry.path, ignore_errors=True)

    def tighten(self, path: str) -> None:
        """Close the files to other users; the library that writes them leaves that to the umask (pitfall SE06)."""
        with suppress(FileNotFoundError), os.scandir(path) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # a merge may have replaced it meanwhile
                    if entry.stat().st_mode & 0o077:
                        os.chmod(entry.path, 0o600)

    def _entries(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.root) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def signature(path: str) -> Signature | None:
    """Which commit the folder is at; None when it holds no index."""
    try:
        stat = os.stat(os.path.join(path, _META))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def counts(path: str) -> tuple[int, int]:
    """Entries of all segments, dead ones included, and how many of them are dead; zeros when that cannot be read."""
    try:
        with open(os.path.join(path, _META), "rb") as file:
            meta = msgspec.json.decode(file.read(), type=_Meta)
    except (OSError, msgspec.MsgspecError):
        return 0, 0
    dead = sum(segment.deletes.num_deleted_docs for segment in meta.segments if segment.deletes)
    return sum(segment.max_doc for segment in meta.segments), dead


def is_sound(path: str) -> bool:
    """Whether every file of the index is as it was written: 2 GB a second, for those that are opened.

    Raises:
        UnavailableError: This process may not open more files, or lacks memory.

    """
    try:
        with open(os.path.join(path, _META), "rb") as file:
            segments = msgspec.json.decode(file.read(), type=_Meta).segments
        return all(_is_whole(os.path.join(path, name)) for segment in segments for name in _files_of(segment))
    except (OSError, msgspec.MsgspecError) as error:
        if lacks(error):
            raise UnavailableError(
                f"The keyword index in {path} cannot be read for now ({error}); close something and ask again."
            ) from error
        return False


def _files_of(segment: _Segment) -> Iterator[str]:
    name = segment.segment_id.replace("-", "")
    yield from (name + ending for ending in _FILES)
    if segment.deletes is not None:
        yield f"{name}.{segment.deletes.opstamp}.del"


def _is_whole(path: str) -> bool:
    """Compare a file with its footer: JSON with the checksum, the length of that, and a number all files end with."""
    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - _LONGEST_FOOTER))
            tail = file.read()
            length, magic = int.from_bytes(tail[-8:-4], "little"), int.from_bytes(tail[-4:], "little")
            if magic != _MAGIC or length + 8 > len(tail):
                return False
            left, found = end - length - 8, 0
            file.seek(0)
            while left and (block := file.read(min(left, _BLOCK))):
                left, found = left - len(block), zlib.crc32(block, found)
            return found == msgspec.json.decode(tail[-8 - length : -8], type=_Footer).crc
    except FileNotFoundError:
        return True  # a merge of another process has replaced it; opening says what is missing


def is_closed(path: str) -> bool:
    """Whether an index may be read but not opened in place, because its lock file cannot be made or written."""
    lock = os.path.join(path, ".tantivy-meta.lock")
    return not os.access(lock if os.path.exists(lock) else path, os.W_OK)


def linked_view(path: str) -> "tempfile.TemporaryDirectory[str]":
    """Link an index that may only be read into a folder of ours: opening one makes a lock file (pitfall CC16)."""
    view = tempfile.TemporaryDirectory(prefix="gazetteer-")
    for name in sorted(os.listdir(path)):
        if not name.endswith(".lock"):
            os.symlink(os.path.join(path, name), os.path.join(view.name, name))
    return view
