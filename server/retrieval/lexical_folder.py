"""Where the keyword index lies on disk: numbered folders, and one small file that says which of them is live.

A rebuild happens beside the live folder and becomes visible by replacing that file, so that a crash leaves the old
index or the new one (pitfall CC20). Only the holder of the publish lock makes, switches or sweeps folders; readers
follow. Nothing here knows what is inside a folder, but for the list of segments that tantivy keeps in ``meta.json``.
"""

import os
import secrets
import shutil
import tempfile
from contextlib import suppress

import msgspec

from ..kb.errors import UnavailableError

POINTER = "CURRENT"
_PREFIX = "ix-"
_META = "meta.json"

Signature = tuple[int, int, int]
"""Inode, modification time and size of the list of segments: another value means another commit."""


class _Deletes(msgspec.Struct):
    num_deleted_docs: int


class _Segment(msgspec.Struct):
    max_doc: int
    deletes: _Deletes | None = None


class _Meta(msgspec.Struct):
    segments: list[_Segment]


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
            with open(os.path.join(self.root, POINTER), "rb") as file:
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


def signature(path: str) -> Signature | None:
    """Which commit the folder is at; None when it holds no index."""
    try:
        stat = os.stat(os.path.join(path, _META))
    except (FileNotFoundError, NotADirectoryError):
        return None
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
