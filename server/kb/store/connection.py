"""How the databases are opened: pragmas, file modes, and SQLite's errors turned into ours.

Both databases run in WAL mode. Readers and the writer of one process use separate connections, so that a query never
waits for a bulk write; each connection is guarded by its own lock because threads share it. A cache folder that cannot
be written is read through ``immutable=1``: nobody can change it under us either.
"""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..errors import DamagedError, GazetteerError, UnavailableError
from ..failpoints import reach
from .patience import note_wait, patience

_POLL_S = 0.01
_SIDES = ("-wal", "-shm")
_MAKING = threading.Lock()
_DAMAGE = (
    "malformed",
    "not a database",
    "corrupt",
    "no such table",
    "no such column",
    "disk image",
    "could not decode",
    "constraint failed",  # nothing here breaks one of a sound database
)


def is_no_file(path: str) -> bool:
    """Whether something is at a path, links followed, that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def make_private_folder(folder: str) -> None:
    """Create ``folder`` (and parents) with mode 0700; an existing one of ours is set to it.

    Raises:
        UnavailableError: the folder cannot be made.
    """
    try:
        _make_private(os.path.abspath(folder))
        if os.stat(folder).st_uid == os.geteuid() and os.access(folder, os.W_OK):
            os.chmod(folder, 0o700)
    except OSError as error:
        raise UnavailableError(
            f"The cache folder {folder} cannot be used ({error.strerror}); name another one with --db-path.",
            path=folder,
        ) from error


def _make_private(folder: str) -> None:
    """Make what is missing of a path; ``os.makedirs`` gives every folder but the last one the umask's mode."""
    parent = os.path.dirname(folder)
    if parent != folder and not os.path.isdir(parent):
        _make_private(parent)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def translate(error: sqlite3.Error, path: str) -> GazetteerError:
    """The error of ours that says what ``error`` means to a person."""
    text = str(error).lower()
    if any(word in text for word in _DAMAGE):
        return DamagedError(
            f"The database {path} is damaged ({error}); run `gazetteer sync` to build it again.", path=path
        )
    if "full" in text:
        return UnavailableError(
            f"The disk that holds {path} is full; free some space or name another place with --db-path.", path=path
        )
    if "readonly" in text or "read-only" in text:
        return UnavailableError(
            f"The database {path} cannot be written; give write permission or name another place with --db-path.",
            path=path,
        )
    if "locked" in text or "busy" in text:
        return UnavailableError(f"The database {path} is busy; try again.", path=path)
    return UnavailableError(
        f"The database {path} cannot be used ({error}); check its folder or name another place with --db-path.",
        path=path,
    )


class Connection:
    """One SQLite connection with its lock. ``read_only`` says that nothing can be written through it."""

    def __init__(self, path: str, *, read_only: bool = False, full_sync: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._lock = threading.RLock()
        self._waits_s = patience(path)  # as SQLite was told
        self._raw, self._file = self._open_lasting(full_sync)

    def is_replaced(self) -> bool:
        """Whether another file is at the path now, or none: somebody removed this one, and nobody else reads it."""
        return _file_at(self.path) != self._file

    def _open_lasting(self, full_sync: bool) -> tuple[sqlite3.Connection, tuple[int, int] | None]:
        """A connection, and the file that it is to: not one that somebody replaces while it is opened."""
        while True:
            wrong = _wrong_with(self.path)
            if wrong:
                raise DamagedError(
                    f"The database {self.path} {wrong}; run `gazetteer sync` to build it again.", path=self.path
                )
            before = _file_at(self.path)
            try:
                raw = self._open(full_sync)
            except sqlite3.Error as error:
                raise self._told(error) from error
            file = _file_at(self.path)
            if before in (None, file):
                return raw, file
            raw.close()

    def _open(self, full_sync: bool) -> sqlite3.Connection:
        if self.read_only:
            raw = self._open_reading()
        else:
            # The file is made by us first: SQLite would give it the umask's mode, and -wal/-shm take after it.
            _make_private_file(self.path)
            raw = self._connect(self.path, uri=False)
            try:
                _keep_a_log(raw, patience(self.path))
            except BaseException:
                raw.close()
                raise
            raw.execute(f"PRAGMA synchronous={'FULL' if full_sync else 'NORMAL'}")
            raw.execute("PRAGMA foreign_keys=ON")
        raw.execute("PRAGMA temp_store=MEMORY")
        raw.execute("PRAGMA mmap_size=268435456")
        return raw

    def _open_reading(self) -> sqlite3.Connection:
        quoted = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        if _wal_is_usable(self.path):
            raw = self._connect(f"file:{quoted}?mode=ro", uri=True)
            if _can_share(raw, self.path) or _has_log(self.path):
                return raw
            raw.close()  # without a log the file alone is the whole database
        return self._connect(f"file:{quoted}?immutable=1", uri=True)

    def _connect(self, target: str, *, uri: bool) -> sqlite3.Connection:
        return sqlite3.connect(
            target,
            uri=uri,
            timeout=self._waits_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=64,
        )

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """The raw connection, for this thread alone while the block runs; SQLite's errors become ours."""
        with self._lock:
            try:
                self._wait_as_now()
                yield self._raw
            except sqlite3.Error as error:
                raise self._told(error) from error

    def _wait_as_now(self) -> None:
        """Wait as long as whoever comes now should, and not as one did in whose time this was opened."""
        wait_s = patience(self.path)
        if wait_s != self._waits_s:
            self._raw.execute(f"PRAGMA busy_timeout={wait_s * 1000:.0f}")
            self._waits_s = wait_s

    def _told(self, error: sqlite3.Error) -> GazetteerError:
        if _is_busy(error):
            note_wait(self.path, in_vain=True)
        return translate(error, self.path)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: committed when the block ends, undone when it raises."""
        with self.use() as raw:
            raw.execute("BEGIN IMMEDIATE")
            note_wait(self.path, in_vain=False)
            try:
                yield raw
                raw.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    raw.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read transaction: every statement in the block sees one state of the database."""
        with self.use() as raw:
            raw.execute("BEGIN")
            try:
                yield raw
            finally:
                with suppress(sqlite3.Error):
                    raw.execute("ROLLBACK")

    def close(self) -> None:
        """Close; a second call does nothing."""
        with self._lock:
            self._raw.close()


def _wrong_with(path: str) -> str:
    """What can be seen to be wrong with a database that is not open here; "" for nothing.

    One that was cut to nothing has its log still, if somebody uses it: no database has one before it has a first page.
    SQLite would wait for whoever that is to end, and then take the log away.
    """
    if any(is_no_file(path + suffix) for suffix in ("", *_SIDES)):
        return "is no file"
    try:
        empty = os.stat(path).st_size == 0
    except OSError:
        return ""
    return "was cut to nothing" if empty and any(os.path.exists(path + side) for side in _SIDES) else ""


def _is_busy(error: sqlite3.Error) -> bool:
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", 0)  # the module's own errors have none
    return code & 0xFF if isinstance(code, int) else 0


def _keep_a_log(raw: sqlite3.Connection, wait_s: float) -> None:
    """Switch a database to WAL mode, where it is not in it.

    Two that do so to a new one at once have to wait for each other, and SQLite does not: it says at once that it is
    locked, as each of them may be what the other one would wait for.
    """
    until = time.monotonic() + wait_s
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > until:
                raise
            reach("store.refused")
            time.sleep(_POLL_S)
        else:
            return


def _make_private_file(path: str) -> None:
    """Make a database's file with mode 0600, or give an existing one that mode.

    An existing file is never opened here: closing any descriptor of a file drops all locks that this process has on it,
    those of SQLite's other connections included, and then another process takes the log away under them.
    """
    with _MAKING:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            with suppress(OSError):  # not ours to change, or a file system without modes
                os.chmod(path, 0o600)
        except OSError as error:
            raise UnavailableError(
                f"The database {path} cannot be made ({error.strerror}); make room, give write permission, or name "
                "another place with --db-path.",
                path=path,
            ) from error


def _wal_is_usable(path: str) -> bool:
    """A read-only connection to a WAL database needs ``-shm``: there already, or in a folder where it can be made."""
    return os.access(os.path.dirname(path), os.W_OK) or os.path.exists(path + "-shm")


def _file_at(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _can_share(raw: sqlite3.Connection, path: str) -> bool:
    """Whether ``-shm`` can be had: a full disk has no room for it. Damage is told to whoever reads.

    Who has it locked now will write: what is read as if nobody could would never be seen to change. So it is where the
    files are there, and may be opened, and only this process cannot for now.
    """
    try:
        raw.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
    except sqlite3.OperationalError as error:
        return _is_busy(error) or (_primary_code(error) == sqlite3.SQLITE_CANTOPEN and _is_shared(path))
    except sqlite3.DatabaseError:
        return True
    return True


def _is_shared(path: str) -> bool:
    """Whether the files are there that others share it by, and may be opened."""
    return os.path.exists(path + "-wal") and os.access(path + "-shm", os.R_OK | os.W_OK)


def _has_log(path: str) -> bool:
    try:
        return os.path.getsize(path + "-wal") > 0
    except OSError:
        return False


def remove_database(path: str) -> None:
    """Remove a database with its side files."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)
