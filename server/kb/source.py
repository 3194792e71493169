"""Reading a document: the open buffer when there is one, else the bytes on disk, validated now.

The one place that opens files of a tree to read them. It holds that no byte from outside the root is read, whatever
happens to the tree meanwhile: the path is walked one component at a time from the root's own descriptor and no
component may be a symbolic link, so there is no moment between a check and its use. Nothing here hangs (a FIFO is
opened without waiting and refused) or raises on content: what cannot be read is a ``Refusal`` with its reason.
"""

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable
from enum import StrEnum

import msgspec

from .judge import looks_generated, looks_minified
from .model import ContentId, DiskHash, DocumentPath, Problem, Signature
from .overlay import Overlay, OverlayMap
from .passing import passes
from .scan_rules import is_secret
from .text import Encoding, Newline, content_id, decode, disk_hash, is_binary, width

MAX_FILE_BYTES = 2 * 1024 * 1024
"""Larger files are refused before they are read, unless the caller says otherwise."""

Clock = Callable[[], int]
"""Wall clock in nanoseconds."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", 0)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class RefusalReason(StrEnum):
    """Why a file is no document; counted and shown by ``status``."""

    BINARY = "binary"
    MINIFIED = "minified"
    GENERATED = "generated"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    NOT_REGULAR = "not_regular"
    OUTSIDE_ROOT = "outside_root"
    SECRET = "secret"  # noqa: S105 - the name of a reason
    LEFT_OUT = "left_out"  # by the tree's rules (`KnowledgeBase.current`); a listing says which


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """A file that was not taken. ``signature`` and ``disk_hash`` are there as far as the file was looked at.

    What is ``passing`` says nothing of the file, and does not show in its signature once it is over: it is read again.
    """

    path: DocumentPath
    reason: RefusalReason
    detail: str = ""
    signature: Signature | None = None
    disk_hash: DiskHash = DiskHash("")
    passing: bool = False


class RawBytes(msgspec.Struct, frozen=True, gc=False):
    """The exact bytes of a file, and what ``stat`` said of it before they were read."""

    data: bytes
    disk_hash: DiskHash
    signature: Signature


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A document as it is on disk."""

    path: DocumentPath
    text: str  # normalised
    content_id: ContentId
    disk_hash: DiskHash
    signature: Signature
    encoding: Encoding
    newline: Newline
    bom: bool
    problem: Problem | None = None


def current(
    root: str, path: DocumentPath, overlays: OverlayMap, *, max_bytes: int = MAX_FILE_BYTES
) -> Overlay | Reading | Refusal:
    """Return the text that rules now: the open buffer's, else the disk's. The same rules refuse both."""
    overlay = overlays.get(path)
    if overlay is None:
        return read(root, path, max_bytes=max_bytes)
    if _holds_secrets(path):
        return Refusal(path, RefusalReason.SECRET)
    size = width(overlay.text, "utf-8")
    if size > max_bytes:
        return Refusal(path, RefusalReason.TOO_LARGE, f"{size} bytes")
    reason = _machine_output(overlay.text, path)
    return overlay if reason is None else Refusal(path, reason)


def read(
    root: str, path: DocumentPath, *, max_bytes: int = MAX_FILE_BYTES, clock: Clock = time.time_ns
) -> Reading | Refusal:
    """Read and decode one file of the tree. ``root`` is a real path (`paths.Root.real`)."""
    if _holds_secrets(path):
        return Refusal(path, RefusalReason.SECRET)
    raw = read_bytes(root, path, max_bytes=max_bytes, clock=clock)
    if isinstance(raw, Refusal):
        return raw
    data = raw.data
    if is_binary(data):
        return Refusal(path, RefusalReason.BINARY, "", raw.signature, raw.disk_hash)
    decoded = decode(data)
    reason = _machine_output(decoded.text, path)
    if reason is not None:
        return Refusal(path, reason, "", raw.signature, raw.disk_hash)
    as_it_is = decoded.encoding == "utf-8" and decoded.newline in ("lf", "")
    return Reading(
        path=path,
        text=decoded.text,
        content_id=ContentId(raw.disk_hash) if as_it_is else content_id(decoded.text),
        disk_hash=raw.disk_hash,
        signature=raw.signature,
        encoding=decoded.encoding,
        newline=decoded.newline,
        bom=decoded.bom,
        problem=decoded.problem,
    )


def saved_as(root: str, overlay: Overlay, *, max_bytes: int = MAX_FILE_BYTES) -> DiskHash:
    """Return the hash of the bytes on disk when they say what an open buffer says; "" when the text is not there.

    The text of a buffer that lost a change is not the editor's, so it is compared with nothing.
    """
    if not overlay.buffer.in_step:
        return DiskHash("")
    now = read(root, overlay.path, max_bytes=max_bytes)
    return now.disk_hash if isinstance(now, Reading) and now.content_id == overlay.content_id else DiskHash("")


def read_bytes(
    root: str, path: DocumentPath, *, max_bytes: int = MAX_FILE_BYTES, clock: Clock = time.time_ns
) -> RawBytes | Refusal:
    """Read and hash one file of the tree, whatever it holds.

    The signature is taken before the bytes: a write in between gives the file another one, which the next look sees.
    """
    try:
        descriptor = _open(root, path)
    except (OSError, ValueError) as error:
        return Refusal(path, *_why(root, path, error), passing=passes(error))
    try:
        mode, signature = _look(descriptor, clock)
        if not stat.S_ISREG(mode):
            return Refusal(path, RefusalReason.NOT_REGULAR, _KINDS.get(stat.S_IFMT(mode), "a special file"))
        if signature.size > max_bytes:
            return Refusal(path, RefusalReason.TOO_LARGE, f"{signature.size} bytes", signature)
        data = _read_all(descriptor, signature.size, max_bytes)
    except OSError as error:
        return Refusal(path, RefusalReason.UNREADABLE, error.strerror or "", passing=passes(error))
    finally:
        os.close(descriptor)
    if len(data) > max_bytes:
        return Refusal(path, RefusalReason.TOO_LARGE, f"grew over {max_bytes} bytes while it was read", signature)
    return RawBytes(data, disk_hash(data), signature)


def hash_file(
    root: str, path: DocumentPath, *, known: Signature | None = None, clock: Clock = time.time_ns
) -> tuple[DiskHash, Signature] | None:
    """Return the hash of a file's bytes as they are now, with its signature; None when there is no such file to read.

    The hash is ``""`` when ``known`` is a trusted signature that the file still has: then its bytes are those that
    ``known`` was taken with, and are not read. Files of any size are hashed in bounded memory.
    """
    try:
        descriptor = _open(root, path)
    except (OSError, ValueError):
        return None
    try:
        mode, signature = _look(descriptor, clock)
        if not stat.S_ISREG(mode):
            return None
        if known is not None and known.trusted() and known.same(signature):
            return DiskHash(""), signature
        digest = hashlib.sha256()
        while data := os.read(descriptor, 1 << 20):
            digest.update(data)
        return DiskHash(digest.hexdigest()), signature
    except OSError:
        return None
    finally:
        os.close(descriptor)


def is_hindered(root: str, path: DocumentPath) -> bool:
    """Whether nothing can be said of a file now, for a reason that is none of its own."""
    try:
        os.close(_open(root, path))
    except (OSError, ValueError) as error:
        return passes(error)
    return False


def is_hidden(root: str, path: DocumentPath) -> bool:
    """Whether it cannot even be said that a file is there: its folder, or the whole tree, may not be entered."""
    try:
        os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return False


def _look(descriptor: int, clock: Clock) -> tuple[int, Signature]:
    """Return the mode and the signature of an open file. The clock is read first, so that trust errs to hashing."""
    taken = clock()
    found = os.fstat(descriptor)
    return found.st_mode, Signature.of(found, taken)


def open_folder(root: str, path: str) -> tuple[int, str]:
    """Open the folder of ``path`` below ``root`` without following a link anywhere; returns it and the file's name.

    The caller closes the descriptor, which serves for naming what is in the folder.

    Raises:
        ValueError: it is no path of a document.
        OSError: there is no such folder, or a link is in the way.
    """
    *parents, name = path.split("/")
    if name in _STEPS or not _STEPS.isdisjoint(parents):
        raise ValueError(path)
    folder = os.open(root, _DIRECTORY)
    try:
        for parent in parents:
            inner = os.open(parent, _DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder, name


def _open(root: str, path: str) -> int:
    """Open ``path`` below ``root`` without following a link anywhere; the caller closes the descriptor."""
    folder, name = open_folder(root, path)
    try:
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _read_all(descriptor: int, expected: int, most: int) -> bytes:
    """Read to the end, or one byte more than ``most``: then nothing more is asked for."""
    data = os.read(descriptor, expected + 1)
    if len(data) == expected:
        return data
    parts = [data]
    have = len(data)
    while data:
        data = os.read(descriptor, min(1 << 20, most + 1 - have))
        parts.append(data)
        have += len(data)
    return b"".join(parts)


def _holds_secrets(path: str) -> bool:
    """Apply the scanner's rule; a path without a name is refused when it is opened."""
    name = path.rpartition("/")[2]
    return bool(name) and is_secret(name)


def _machine_output(text: str, path: str) -> RefusalReason | None:
    if looks_minified(text, path):
        return RefusalReason.MINIFIED
    return RefusalReason.GENERATED if looks_generated(text) else None


_STEPS = frozenset({"", ".", ".."})
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_GONE = (errno.ENOENT, errno.ENOTDIR)
_SPECIAL = (errno.ENXIO, errno.ENODEV)


def _why(root: str, path: str, error: OSError | ValueError) -> tuple[RefusalReason, str]:
    """Name the reason for which a file could not be opened; the tree is looked at again for that name only."""
    if not isinstance(error, OSError):
        return RefusalReason.OUTSIDE_ROOT, "not a relative path of a file"
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        inside = f"{root.rstrip('/')}/"
        try:
            target = os.path.realpath(inside + path)
        except OSError:  # swapped once more while it was looked at
            return RefusalReason.VANISHED, ""
        if not target.startswith(inside):
            return RefusalReason.OUTSIDE_ROOT, "a symbolic link leads out of the root"
        if error.errno == errno.ELOOP or target != inside + path:
            return RefusalReason.NOT_REGULAR, "a symbolic link"
    if error.errno in _GONE:
        return RefusalReason.VANISHED, ""
    if error.errno in _SPECIAL:
        return RefusalReason.NOT_REGULAR, "a socket or device"
    return RefusalReason.UNREADABLE, error.strerror or ""
