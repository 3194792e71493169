"""The contract between the store and whatever follows it: an index of keywords, an index of vectors.

The store is the only truth. A follower holds a copy made for another purpose, says how far it got, and can always be
thrown away and rebuilt. ``kb`` defines both sides here and imports no follower; the composition root joins them.

Invariants a follower holds: it never shows a generation that the store has not published; it commits what it applied
together with the pair (generation, publish id) in one step; with a pair that the store does not know it rebuilds.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import msgspec

from .model import Derived, DocumentId, Generation
from .store.rows import DocumentRow, Head


class FollowerState(msgspec.Struct, frozen=True):
    """How far a follower is. ``rebuilt`` says why it was built anew, "" when it only caught up."""

    head: Head
    entries: int
    rebuilt: str = ""


class FollowerFeed(Protocol):
    """What the store offers to its followers. Everything comes from one held read of the store."""

    @property
    def head(self) -> Head:
        """The state to catch up to."""

    def knows(self, head: Head) -> bool:
        """Whether the store published this very pair and can still say what changed since."""

    def changes(self, after: Generation) -> tuple[Sequence[DocumentId], Sequence[DocumentRow]]:
        """Ids that died and rows that were born and live, netted over ``(after, head]``."""

    def load(self, document_id: DocumentId) -> tuple[str, Derived]:
        """Read the normalised text and what was derived from it."""

    def live_documents(self) -> Iterable[DocumentRow]:
        """Yield every document of the head, ordered by path: the same state is rebuilt in the same order."""


Prepared = Mapping[DocumentId, bytes]
"""What a derive process computed for a follower ahead of publishing, by document; the follower defines the bytes."""
NOTHING_PREPARED: Prepared = MappingProxyType({})


class Follower(Protocol):
    """An index that follows the store. All but ``close`` are called under the publish lock, by one thread."""

    @property
    def name(self) -> str:
        """A word for messages: "keyword index"."""

    def catch_up(self, feed: FollowerFeed, prepared: Prepared = NOTHING_PREPARED) -> FollowerState:
        """Apply everything up to ``feed.head`` and commit it together with the head; rebuild where that cannot be done.

        Returns as soon as readers may see it; slow tidying is left to ``settle``.

        Raises:
            UnavailableError: It cannot be written now (full disk, no permission). What was there still answers.

        """

    def settle(self) -> None:
        """Finish the tidying that ``catch_up`` left, before the publish lock is given back."""

    @property
    def needs_compaction(self) -> bool:
        """Whether so much of it is dead that `compact` pays."""

    def compact(self, feed: FollowerFeed) -> FollowerState:
        """Build it again from the store, beside what answers meanwhile.

        Raises:
            UnavailableError: It cannot be written now. What was there still answers.

        """

    def reset(self) -> None:
        """Forget everything, so that the next ``catch_up`` rebuilds."""

    def close(self) -> None:
        """Give back files and memory."""
