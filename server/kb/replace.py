"""Putting new bytes in the place of a file's: all of them or none, whenever this process or the machine stops.

The file is held (`hold`) from the first look to the last: its folder is open, reached without following a link, and a
lock on the file itself keeps out everybody else who writes through here, whichever index they use. The new bytes go
into a file beside it, to the disk, and then over the name. What a crash leaves beside it was noted before it was made,
and goes away at the next opening (`clean_up`). Nothing here knows what the bytes mean or who may write them.
"""

import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .errors import ConflictError, GazetteerError, NotFoundError, RefusedError, TimeoutExpiredError, UnavailableError
from .failpoints import reach
from .model import DocumentPath
from .paths import is_document, printable
from .scan_rules import UNFINISHED
from .source import open_folder

WAIT_S = 5.0
"""How long a file is waited for that somebody else is writing; a write takes milliseconds."""
_POLL_S = 0.002
_WRITING = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY)
_GONE = (errno.ENOENT, errno.ENOTDIR)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""What file systems say that know no second name of a file."""
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Held:
    """A regular file, open for writing and locked, in an open folder."""

    def __init__(self, root: str, path: DocumentPath, folder: int, name: str, file: int) -> None:
        self._root = root
        self._path = path
        self._folder = folder
        self._name = name
        self._file = file
        self._status = os.fstat(file)

    def read(self) -> bytes:
        """The bytes as they are now."""
        os.lseek(self._file, 0, os.SEEK_SET)
        with open(self._file, "rb", closefd=False) as file:
            return file.read()

    def is_in_place(self) -> bool:
        """Whether the path, walked again from the root, still leads to this very file."""
        try:
            folder, name = open_folder(self._root, self._path)
        except OSError:
            return False
        try:
            return _names(folder, name, self._status) and os.path.sameopenfile(folder, self._folder)
        finally:
            os.close(folder)

    def replace(self, data: bytes, notes: str, last_look: Callable[[], None]) -> None:
        """Put ``data`` in the place of the file, with its mode, owner and attributes.

        Another name of the same file (a hard link) keeps the old bytes: it may be outside of the root.

        Args:
            data: the new bytes.
            notes: the folder where unfinished writes are noted; empty for nowhere.
            last_look: called just before the new bytes take the name; when it raises, nothing has changed.
        """
        temporary = UNFINISHED + secrets.token_hex(8)
        beside = DocumentPath("/".join((*self._path.split("/")[:-1], temporary)))
        with _noted(notes, temporary, beside):
            descriptor = os.open(temporary, _NEW, 0o600, dir_fd=self._folder)
            try:
                try:
                    self._fill(descriptor, data)
                finally:
                    os.close(descriptor)
                reach("write.filled")
                last_look()
                os.replace(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=self._folder)
                raise
            reach("write.replaced")
        with suppress(OSError):  # some file systems know no such thing of a folder
            _sync_folder(self._folder)

    def _fill(self, descriptor: int, data: bytes) -> None:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        wanted, made = self._status, os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (wanted.st_uid, wanted.st_gid):
            os.fchown(descriptor, wanted.st_uid, wanted.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(wanted.st_mode))
        _copy_attributes(self._file, descriptor)
        os.fsync(descriptor)


@contextmanager
def hold(root: str, path: DocumentPath, check: Callable[[], object] = lambda: None) -> Iterator[Held]:
    """Hold a file of the tree while it is compared and replaced; errors of the system come out as sentences.

    ``check`` is called while somebody else is waited for; what it raises ends that.

    Raises:
        NotFoundError: there is no such file.
        RefusedError: it may not be written, or is no regular file, or a link is in the way.
        TimeoutExpiredError: somebody else holds it.
        UnavailableError: the disk is full or fails.
    """
    try:
        folder, name = open_folder(root, path)
        try:
            file = _open_locked(folder, name, path, check)
            try:
                yield Held(root, path, folder, name, file)
            finally:
                os.close(file)
        finally:
            os.close(folder)
    except OSError as error:
        raise _told(error, path) from error


def create(root: str, path: DocumentPath, data: bytes, notes: str) -> None:
    """Make a file of the tree, where there is none, in a folder that is there; no link is followed on the way.

    Args:
        root: the tree.
        path: what to make.
        data: its bytes.
        notes: the folder where unfinished writes are noted; empty for nowhere.

    Raises:
        ConflictError: something is there already.
        RefusedError: it cannot be written there, or a link is in the way.
        UnavailableError: the disk is full.
    """
    temporary = UNFINISHED + secrets.token_hex(8)
    beside = DocumentPath("/".join((*path.split("/")[:-1], temporary)))
    try:
        folder, name = open_folder(root, path)
        try:
            with _noted(notes, temporary, beside):
                try:
                    with open(os.open(temporary, _NEW, 0o666, dir_fd=folder), "wb") as file:
                        file.write(data)
                        file.flush()
                        os.fsync(file.fileno())
                    reach("create.filled")
                    _name(folder, temporary, name)
                finally:
                    with suppress(OSError):
                        os.unlink(temporary, dir_fd=folder)
            with suppress(OSError):  # some file systems know no such thing of a folder
                _sync_folder(folder)
        finally:
            os.close(folder)
    except FileExistsError:
        raise ConflictError(f"{printable(path)} is there already; edit it.", path=printable(path)) from None
    except OSError as error:
        if error.errno in _FULL:
            raise _told(error, path) from error
        raise RefusedError(
            f"{printable(path)} cannot be written ({error.strerror}); make it a file in a folder of the tree.",
            path=printable(path),
        ) from error


def _name(folder: int, temporary: str, name: str) -> None:
    """Give a file its name, unless somebody has it; raises FileExistsError."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(os.open(name, _NEW, 0o666, dir_fd=folder))  # the name is ours then, and empty for a moment
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def clean_up(notes: str, root: str) -> None:
    """Remove what writers that were killed left beside their files. A writer that lives holds the lock of its note."""
    try:
        names = sorted(os.listdir(notes))
    except OSError:
        return  # nothing was ever written, or nothing can be done about it now
    for name in names:
        with suppress(OSError):
            _clean_up(os.path.join(notes, name), root)


def _clean_up(note: str, root: str) -> None:
    with open(note, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        left = os.fsdecode(file.read())
        # A note is only believed as far as it names what this module makes.
        if is_document(left) and left.rpartition("/")[2].startswith(UNFINISHED):
            with suppress(FileNotFoundError):
                folder, name = open_folder(root, left)
                try:
                    os.unlink(name, dir_fd=folder)
                finally:
                    os.close(folder)
        os.unlink(note)


@contextmanager
def _noted(notes: str, name: str, left: DocumentPath) -> Iterator[None]:
    """Say in ``notes``, as long as the block runs or for good if it is never left, what may be lying around."""
    if not notes:
        yield
        return
    os.makedirs(notes, mode=0o700, exist_ok=True)
    note = os.path.join(notes, name)
    descriptor = os.open(note, _NEW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, os.fsencode(left))
        yield
    finally:
        with suppress(OSError):
            os.unlink(note)
        os.close(descriptor)


def _open_locked(folder: int, name: str, path: DocumentPath, check: Callable[[], object]) -> int:
    """Open a file that may be written and lock it; once the lock is there, the name still leads to it."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        file = os.open(name, _WRITING, dir_fd=folder)
        try:
            status = os.fstat(file)
            _check_kind(status, path)
            if _locks(file, deadline, check) and _names(folder, name, status):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)
    raise TimeoutExpiredError(
        f"{printable(path)} is being written by somebody else all the time; try again.", path=printable(path)
    )


def _check_kind(status: os.stat_result, path: DocumentPath) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{printable(path)} is no regular file; name one.", path=printable(path), reason="special")
    if not status.st_mode & _ANY_WRITE:  # even for those whom permissions do not bind
        raise PermissionError(errno.EACCES, "it is read-only")


def _locks(file: int, deadline: float, check: Callable[[], object]) -> bool:
    while True:
        check()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_S)
        else:
            return True


def _names(folder: int, name: str, status: os.stat_result) -> bool:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(found, status)


def _copy_attributes(source: int, target: int) -> None:
    """Copy what a file has beside its mode (access lists, labels), as far as this user and file system may."""
    with suppress(OSError):
        for name in os.listxattr(source):
            with suppress(OSError):
                os.setxattr(target, name, os.getxattr(source, name))


def _sync_folder(folder: int) -> None:
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _told(error: OSError, path: DocumentPath) -> GazetteerError:
    name, why = printable(path), error.strerror or "an unknown error"
    if error.errno in _GONE:
        return NotFoundError(f"There is no document {name}; name one that is there.", path=name)
    if error.errno == errno.ELOOP:
        return RefusedError(f"{name} is a symbolic link; name the file that it leads to.", path=name, reason="link")
    if error.errno in _FULL:
        return UnavailableError(
            f"{name} was not changed, because it could not be written ({why}); free some space and try again.",
            path=name,
            reason="full",
        )
    if error.errno in _FORBIDDEN:
        return RefusedError(
            f"{name} may not be written ({why}); give write permission and try again.", path=name, reason="read_only"
        )
    return UnavailableError(f"{name} was not changed, because the disk fails ({why}); try again.", path=name)
