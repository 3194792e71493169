"""Locks between processes: the only filelock import.

The kernel frees a lock when its holder dies, so a killed process leaves none behind. A lock's file stays where it is:
who waits for it must not wait for another file than the next one does.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from .errors import TimeoutExpiredError, UnavailableError

if TYPE_CHECKING:
    import filelock

LOCK_TIMEOUT_S = 120.0
PUBLISH_LOCK = "publish.lock"


class Lock:
    """One file lock, and one for the threads of this process: a file lock lets every thread of its holder in.

    Args:
        path: the lock's file.
        busy: what is said to whoever waited for too long for another process.
        remedy: what helps where its file cannot be made, beside room and permission.
    """

    def __init__(self, path: str, *, busy: str, remedy: str = ", or name another place with --db-path") -> None:
        self._path = path
        self._busy = busy
        self._remedy = remedy
        self._threads = threading.RLock()

    @cached_property
    def _file(self) -> "filelock.BaseFileLock":
        import filelock  # not with this module: derive processes read and lock nothing

        return filelock.FileLock(self._path, mode=0o600, thread_local=False)

    @contextmanager
    def held(self, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """Keep everybody else out; the thread that holds it may take it again.

        Raises:
            TimeoutExpiredError: it was held for too long.
            UnavailableError: the lock's file cannot be made.
        """
        started = time.monotonic()
        if not self._threads.acquire(timeout=timeout_s):
            raise TimeoutExpiredError("This corpus is being published; try again.")
        try:
            self._take(max(0.0, timeout_s - (time.monotonic() - started)))
            try:
                yield
            finally:
                self._file.release()
        finally:
            self._threads.release()

    def _take(self, timeout_s: float) -> None:
        import filelock

        try:
            self._file.acquire(timeout=timeout_s, poll_interval=0.01)
        except filelock.Timeout as error:
            raise TimeoutExpiredError(self._busy) from error
        except OSError as error:
            raise UnavailableError(
                f"The lock {self._file.lock_file} cannot be taken ({error.strerror}); free disk space or give write "
                f"permission{self._remedy}."
            ) from error

    def is_held(self) -> bool:
        """Whether a living process holds it now."""
        import filelock

        probe = filelock.FileLock(self._file.lock_file, mode=0o600)
        try:
            probe.acquire(blocking=False)
        except filelock.Timeout:
            return True
        except OSError:
            return False
        probe.release()
        return False


def publish_lock(folder: str) -> Lock:
    """The lock of a corpus: held by whoever changes anything in its folder."""
    busy = "Another process has been publishing this corpus for too long; end it or try again."
    return Lock(os.path.join(folder, PUBLISH_LOCK), busy=busy)


def contents_lock(content_db: str) -> Lock:
    """The lock of the stored contents: held by whoever puts another database in their place, and by nobody else."""
    busy = "Another process has been replacing the stored texts for too long; end it or try again."
    return Lock(f"{content_db}.lock", busy=busy)
