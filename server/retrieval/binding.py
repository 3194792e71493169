"""The newest view of a corpus for one question: a keyword reader and the snapshot of its generation.

The reader is brought to the head of the store first, as long as that may be waited for; one that stays behind still
answers, and the answer says so: it is not complete, whatever the tree was compared with.
"""

import time
from functools import partial

from ..kb.beside import Beside
from ..kb.derive import LARGE_TEXT
from ..kb.errors import TimeoutExpiredError, UnavailableError
from ..kb.freshness import POLL_S, Boundary
from ..kb.knowledge import KnowledgeBase
from ..kb.lock import LOCK_TIMEOUT_S
from ..kb.store.rows import Head
from .buffer_entries import BufferEntries
from .lexical import LexicalReader
from .lexical_index import LexicalIndex
from .view import View


class Binding:
    """Makes the views of one corpus. Safe to use from several threads."""

    def __init__(self, kb: KnowledgeBase, lexical: LexicalIndex, entries: BufferEntries, wait_s: float | None) -> None:
        self._kb = kb
        self._lexical = lexical
        self._entries = entries
        self._wait_s = wait_s
        self._beside = Beside("buffers")

    def bind(self, name: str, boundary: Boundary) -> View:
        """Bind a view of the corpus, in which it is called ``name``.

        Raises:
            UnavailableError: there is no keyword index that could answer.
            TimeoutExpiredError: another process publishes the first one for too long.
        """
        troubles: tuple[str, ...] = ()
        boundary.behind = False
        for attempt in range(3):
            head = self._kb.store.head()
            reader = self._lexical.reader()
            if reader is not None and reader.head == head:
                return self._view(name, reader, head, boundary)
            behind = reader is not None and self._kb.store.knows(reader.head)
            patience = LOCK_TIMEOUT_S if not behind or self._wait_s is None else self._wait_s
            try:
                troubles = tuple(self._catch_up(boundary, boundary.left(patience)))
                boundary.notices += troubles
            except (UnavailableError, TimeoutExpiredError) as error:
                if reader is None or not behind:
                    raise
                late = isinstance(error, TimeoutExpiredError) and self._wait_s is not None
                why = "it is being brought up to what was read last; ask again in a moment." if late else error.message
                boundary.notices.append(f"The {self._lexical.name} is behind: {why}")
            else:
                if attempt == 0:
                    continue
            if reader is not None and behind:
                boundary.behind = True
                return self._view(name, reader, reader.head, boundary)
        raise UnavailableError(
            troubles[-1] if troubles else "The keyword index cannot be brought up to the store; run `gazetteer doctor`."
        )

    def close(self) -> None:
        """End the thread that reads large buffers."""
        self._beside.close()

    def _view(self, name: str, reader: LexicalReader, head: Head, boundary: Boundary) -> View:
        """Bind a view; what large buffers need for it is made beside, and waited for until cancelled."""
        boundary.bound = head
        snapshot = self._kb.snapshot(head)
        make = partial(View, name, reader, snapshot, self._entries)
        large = any(len(overlay.text) > LARGE_TEXT for overlay in snapshot.overlays)
        return self._beside.do(make, boundary.cancel) if large else make()

    def _catch_up(self, boundary: Boundary, patience: float) -> tuple[str, ...]:
        """Bring the keyword index to the store, waiting for another process that publishes, but not when cancelled."""
        until = time.monotonic() + patience
        while True:
            left = until - time.monotonic()
            try:
                return self._kb.publisher.catch_up(max(0.0, min(left, POLL_S)))
            except TimeoutExpiredError:
                boundary.cancel.check()
                if left <= POLL_S:
                    raise
