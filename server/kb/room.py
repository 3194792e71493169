"""The room on disk that indexes take: measuring it, and giving it back."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress

from .errors import GazetteerError, UnavailableError
from .lock import PUBLISH_LOCK, publish_lock
from .model import ContentId
from .paths import Root
from .store.connection import is_no_file, make_private_folder
from .store.content import ContentStore
from .store.corpus import CorpusStore

CONTENT_DB = "content.db"
CORPORA = "corpora"
SWEPT = "swept"
TREE = "tree"
"""The file in a corpus's folder that holds the path of its tree: a key alone leads nowhere."""
MAX_PATH_BYTES = 8192
LEAST_ROOM = 256 * 1024
"""Free bytes below which an index is only read: opening both databases for writing alone takes 64 KB."""


def corpus_folder(cache: str, root: Root) -> str:
    """Where a tree's index lies below a cache root."""
    return os.path.join(cache, CORPORA, root.key)


def prepare(cache: str, root: Root, *, read_only: bool) -> str:
    """Return the folder of an index, made where there is none, ready to be opened.

    What lies in it and is no file is none of ours and would make whoever opens it wait for ever: a pipe, a socket, a
    device. It is taken away, and what is missing then is made again as after any damage.

    Raises:
        UnavailableError: the folder cannot be made, or what is in it cannot be taken away.
    """
    folder = corpus_folder(cache, root)
    if not read_only:
        make_private_folder(cache)
        make_private_folder(folder)
    strange = [path for path in (os.path.join(cache, CONTENT_DB), *_within(folder)) if is_no_file(path)]
    try:
        if strange and not read_only:
            with publish_lock(folder).held():
                for path in filter(is_no_file, strange):
                    os.unlink(path)
            strange = []
    except OSError:
        pass  # as where nothing may be written
    if strange:
        raise UnavailableError(f"{strange[0]} is no file, and nobody may remove it here; remove it.", path=strange[0])
    if not read_only:
        note_root(folder, root)
    return folder


def _within(folder: str) -> Iterator[str]:
    """Everything in an index but its lock, which may be of any kind, and folders."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # who opens it says what is the matter
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name != PUBLISH_LOCK and not entry.is_file(follow_symlinks=False):
                    yield entry.path


def why_read_only(cache: str, folder: str) -> str:
    """Why an index that is there may only be read, in one sentence with the remedy; "" when it may be written.

    A missing one is always tried to be made.
    """
    if not os.path.exists(os.path.join(folder, "kb.db")):
        return ""
    if not (os.access(folder, os.W_OK) and os.access(cache, os.W_OK)):
        return f"The index in {folder} cannot be written; give write permission or name another place with --db-path."
    disk = os.statvfs(folder)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize < LEAST_ROOM:
        return f"The disk that holds {folder} is full; free some space or name another place with --db-path."
    return ""


def note_sweep(folder: str, at: float) -> None:
    """Note when the whole tree was last compared with an index, in seconds since the epoch.

    Kept as the time of an empty file: a write to the database costs more than many a sweep.
    """
    path = os.path.join(folder, SWEPT)
    with suppress(OSError):  # it is told to people and decides nothing
        # a FIFO of that name must not make a question wait
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))
        os.utime(path, (at, at))


def last_sweep(folder: str) -> float:
    """When any process last compared the whole tree with an index; 0 where that is not known."""
    try:
        return os.stat(os.path.join(folder, SWEPT)).st_mtime
    except OSError:
        return 0.0


def note_root(folder: str, root: Root) -> None:
    """Note beside an index which tree it is of."""
    path, said = os.path.join(folder, TREE), os.fsencode(root.real)
    with suppress(OSError):  # locators of a tree that nobody names cannot be followed then
        with suppress(FileNotFoundError):
            if _noted(path) == said:
                return
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(path, flags, 0o600), "wb") as file:
            file.write(said)


def root_of(cache: str, key: str) -> str:
    """The real path of the tree that an index of this key is of; "" where there is none."""
    try:
        noted = os.fsdecode(_noted(os.path.join(cache, CORPORA, key, TREE)))
        return noted if Root(noted).key == key else ""
    except (OSError, GazetteerError):
        return ""


def noted_as(cache: str, real: str) -> str:
    """The folder of the index that is noted to be of the tree at a real path, which is not asked; "" for none."""
    said = os.fsencode(real)
    with suppress(OSError):
        for key in sorted(os.listdir(os.path.join(cache, CORPORA))):
            folder = os.path.join(cache, CORPORA, key)
            with suppress(OSError):
                if _noted(os.path.join(folder, TREE)) == said:
                    return folder
    return ""


def _noted(path: str) -> bytes:
    # a FIFO of that name must not make a question wait
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(MAX_PATH_BYTES)


def file_size(path: str) -> int:
    """Bytes of a database with its side files; 0 where there is none."""
    total = 0
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            total += os.stat(path + suffix).st_size
    return total


def folder_size(folder: str) -> int:
    """Bytes of all files below a folder; one that goes away while it is counted does not count."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(where, name)).st_size
    return total


def remove_index(folder: str) -> None:
    """Delete what is in a corpus's folder, under its publish lock.

    The lock file stays: a process that waits for it must not wait for another file than the next one does.
    """
    if not os.path.isdir(folder):
        return
    for name in sorted(os.listdir(folder)):
        if name == PUBLISH_LOCK:
            continue
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(FileNotFoundError):
                os.unlink(path)


def collect_contents(cache: str, *, keep_seconds: int = 60, keep_bytes: int = 0) -> int:
    """Drop stored contents that no corpus below the cache root refers to; return how many.

    What was stored within ``keep_seconds`` may belong to a publication that is under way, and stays.

    A corpus whose database cannot be read may refer to anything: then nothing is dropped.
    """
    path = os.path.join(cache, CONTENT_DB)
    if not os.path.exists(path):
        return 0
    reachable: set[ContentId] = set()
    corpora = os.path.join(cache, CORPORA)
    for name in sorted(os.listdir(corpora)) if os.path.isdir(corpora) else []:
        folder = os.path.join(corpora, name)
        if not os.path.exists(os.path.join(folder, "kb.db")):
            continue
        try:
            store = CorpusStore(folder, read_only=True)
        except GazetteerError:
            return 0
        try:
            reachable |= store.contents()
        except GazetteerError:
            return 0
        finally:
            store.close()
    contents = ContentStore(path)
    try:
        dropped = contents.collect(reachable, keep_seconds=keep_seconds, keep_bytes=keep_bytes)
        if dropped:
            contents.shrink()
        return dropped
    finally:
        contents.close()
