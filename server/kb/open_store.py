"""Opening the database of a corpus, whatever state its file is in.

A file that is damaged, or of another layout, is never patched: it is removed and made again from the tree, under the
lock, because another process may be using what lies there, or have made it again already.
"""

from collections.abc import Sequence

from .errors import DamagedError
from .follow import Follower
from .lock import publish_lock
from .store.connection import remove_database
from .store.corpus import CorpusStore


def open_store(folder: str, followers: Sequence[Follower], *, read_only: bool) -> tuple[CorpusStore, bool]:
    """Open the database in a corpus's folder; whether an empty one had to take the place of what was there.

    What follows the old one is made again with it.

    Raises:
        DamagedError: it is damaged, and may only be read.
        UnavailableError: it cannot be made.
    """
    try:
        return _sound(folder, read_only=read_only), False
    except DamagedError:
        if read_only:
            raise
    with publish_lock(folder).held():
        try:
            return _sound(folder), False  # another process may have built it again meanwhile
        except DamagedError as error:
            remove_database(error.data["path"])
            for follower in followers:
                follower.reset()
            return CorpusStore(folder), True


def _sound(folder: str, *, read_only: bool = False) -> CorpusStore:
    store = CorpusStore(folder, read_only=read_only)
    try:
        store.head()
    except BaseException:
        store.close()
        raise
    return store
