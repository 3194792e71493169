"""The bond of a corpus with the stored texts that it refers to: they lie in a database of their own, which may be lost.

``content.db`` is shared by every corpus and is thrown away alone when it is damaged. A corpus notes which one it refers
to, so that another one in its place is noticed at the next opening and never taken for its own.
"""

from .store.content import ContentStore
from .store.corpus import CorpusStore

CONTENTS = "contents"


class Bond:
    """Whether the stored texts of one corpus are there.

    Args:
        store: the corpus, which has the note.
        contents: the stored texts as they are open now.
    """

    def __init__(self, store: CorpusStore, contents: ContentStore) -> None:
        self._store = store
        self._contents = contents
        known = store.meta(CONTENTS)
        self.broken = bool(known) and known != contents.identity

    def tie(self) -> None:
        """Note that the corpus refers to what is open now: all of it was derived into there."""
        self.broken = False
        if self._store.meta(CONTENTS) != self._contents.identity:
            self._store.set_meta(CONTENTS, self._contents.identity)
