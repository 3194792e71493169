"""Opening the database of a corpus, whatever state its file is in.

A file that is damaged, or of another layout, is never patched: it is removed and made again from the tree, under the
lock, because another process may be using what lies there, or have made it again already.
"""

from collections.abc import Sequence

from .errors import DamagedError, UnavailableError
from .follow import Follower
from .lock import publish_lock
from .store.connection import remove_database
from .store.corpus import CorpusStore


def open_store(folder: str, followers: Sequence[Follower], *, why_read_only: str) -> tuple[CorpusStore, bool]:
    """Open the database in a corpus's folder; whether an empty one had to take the place of what was there.

    What follows the old one is made again with it.

    Args:
        folder: where it lies.
        followers: what follows it.
        why_read_only: why it may only be read, with the remedy; "" when it may be written.

    Raises:
        UnavailableError: it cannot be made, or is damaged and may only be read.
    """
    try:
        return _sound(folder, read_only=bool(why_read_only)), False
    except DamagedError as error:
        if why_read_only:
            raise UnavailableError(why_read_only, path=folder) from error
    with publish_lock(folder).held():
        try:
            return _sound(folder, read_only=False), False  # another process may have built it again meanwhile
        except DamagedError as error:
            remove_database(error.data["path"])
            for follower in followers:
                follower.reset()
            return CorpusStore(folder), True


def _sound(folder: str, *, read_only: bool) -> CorpusStore:
    store = CorpusStore(folder, read_only=read_only)
    try:
        store.head()
    except BaseException:
        store.close()
        raise
    return store
