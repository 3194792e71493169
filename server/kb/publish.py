"""Candidate -> verify -> publish: the one door through which a corpus changes (row K7).

Under one file lock per corpus, which the kernel frees when its holder dies: contents are there already (idempotent
writes), the candidates' bytes are looked at once more, one transaction makes the next generation visible, and then each
follower applies it. A candidate that lost a race is handed back, never published (invariant 4); nothing here reads a
tree for anything but that last look.

The order is the invariant: store before follower, data before status, verify before commit.
"""

import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

import msgspec

from .derive import Candidate, Clock
from .errors import UnavailableError
from .failpoints import reach
from .follow import NOTHING_PREPARED, Follower
from .lock import LOCK_TIMEOUT_S, publish_lock
from .model import Derived, DiskHash, DocumentId, DocumentPath, Generation, Recipe, Signature
from .source import hash_file
from .store.content import ContentStore
from .store.corpus import CorpusStore
from .store.rows import Coverage, DocumentRow, Head, NewDocument, PlacesDelta

KEEP_SECONDS = 600.0
"""How long a superseded generation can still be read: longer than any query or held snapshot is promised."""
NOTHING_BY_PATH: Mapping[DocumentPath, bytes] = MappingProxyType({})
NEVER_SEEN = Signature(0, 0, 0, 0, 0)
COLLECT_EVERY = 32  # generations between two collections


class Proposal(msgspec.Struct, frozen=True):
    """What one refresh found: documents to set and to drop, and the places that it compared."""

    base: Head  # the head that the places were compared with
    candidates: Sequence[Candidate]
    deletes: Sequence[DocumentPath]
    places: PlacesDelta
    coverage: Coverage


class Published(msgspec.Struct, frozen=True):
    """What became of a proposal.

    ``retry`` are paths whose bytes changed under way; ``raced`` says that the head had moved.
    """

    head: Head
    documents: int
    deleted: int
    retry: tuple[DocumentPath, ...] = ()
    raced: bool = False
    places: PlacesDelta | None = None  # what was recorded; None after a race: read all of it again
    notices: tuple[str, ...] = ()


class Feed:
    """What followers read of the store, bound to one head."""

    def __init__(self, store: CorpusStore, contents: ContentStore, head: Head) -> None:
        self._store = store
        self._contents = contents
        self.head = head

    def knows(self, head: Head) -> bool:
        """Whether the store published this very pair and can still say what changed since."""
        return head.generation == 0 or self._store.knows(head)

    def changes(self, after: Generation) -> tuple[list[DocumentId], list[DocumentRow]]:
        """Ids that died and rows that were born and live, netted over ``(after, head]``."""
        return self._store.changes(after, self.head.generation)

    def load(self, document_id: DocumentId) -> tuple[str, Derived]:
        """Read the normalised text and what was derived from it."""
        row = self._store.by_id(document_id)
        if row is None:
            raise UnavailableError("A document was collected while the index was being built; try again.")
        return self._contents.load(row.content_id, row.recipe)

    def live_documents(self) -> Iterator[DocumentRow]:
        """Yield every document of the head, ordered by path."""
        return self._store.documents(self.head.generation)


class _PreparedById(Mapping[DocumentId, bytes]):
    """Annotations kept by path, seen by the ids that the store gave their documents; read one at a time."""

    def __init__(self, rows: Iterable[DocumentRow], prepared: Mapping[DocumentPath, bytes]) -> None:
        self._paths = {row.id: row.path for row in rows if row.path in prepared}
        self._prepared = prepared

    def __getitem__(self, document_id: DocumentId) -> bytes:
        return self._prepared[self._paths[document_id]]

    def __iter__(self) -> Iterator[DocumentId]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Publisher:
    """Publishes into one corpus.

    Args:
        root: the real path of the tree.
        folder: the corpus's folder, which holds the lock.
    """

    def __init__(
        self,
        root: str,
        folder: str,
        store: CorpusStore,
        contents: ContentStore,
        followers: Sequence[Follower],
        clock: Clock = time.time_ns,
    ) -> None:
        self._root = root
        self._clock = clock
        self._store = store
        self._contents = contents
        self._followers = tuple(followers)
        self._lock = publish_lock(folder)

    @contextmanager
    def locked(self, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
        """Hold the publish lock: no other process and no other thread publishes meanwhile.

        Raises:
            TimeoutExpiredError: it was held for too long.
            UnavailableError: the lock file cannot be made.
        """
        if self._store.read_only:
            raise UnavailableError("The index is read-only here; what was published before still answers.")
        with self._lock.held(timeout_s):
            reach("publish.locked")
            yield

    def is_held(self) -> bool:
        """Whether a living process is publishing now."""
        return self._lock.is_held()

    def publish(self, proposal: Proposal, prepared: Mapping[DocumentPath, bytes] = NOTHING_BY_PATH) -> Published:
        """Publish what still holds of a proposal; see `Published`.

        Raises:
            UnavailableError: another process removed the index meanwhile; nothing is made of it again.
            TimeoutExpiredError: another process publishes for too long.
        """
        with self.locked():
            if self._store.is_replaced():
                raise UnavailableError("The index was removed by another process meanwhile; ask again to build it.")
            head = self._store.head()
            raced = head != proposal.base
            keep, retry, signatures = self._verify(proposal.candidates)
            there = {path for path in proposal.deletes if os.path.lexists(self._absolute(path))} if raced else set()
            deletes = [path for path in proposal.deletes if path not in there]
            retry += [path for path in proposal.deletes if path in there]
            upserts = self._rebase(head, keep)
            live = [path for path in deletes if self._store.document(head.generation, path) is not None]
            places = _settle_places(proposal.places, signatures, set(retry), raced=raced)
            reach("publish.verified")
            if upserts or live or head.generation == 0:
                reach("publish.before_commit")
                publish_id = secrets.token_hex(8)
                head = self._store.commit(head, upserts, live, places, proposal.coverage, publish_id)
                reach("publish.after_commit")
                notices = self._follow(head, prepared)
                if not notices:  # a follower that is behind still needs what led from its generation to this one
                    self._collect(head)
            else:
                self._store.note_places(head, places, proposal.coverage)
                notices = self._follow(head, {})
            return Published(head, len(upserts), len(live), tuple(retry), raced, None if raced else places, notices)

    def feed(self) -> "Feed":
        """What followers read, bound to the head as it is now."""
        return Feed(self._store, self._contents, self._store.head())

    def catch_up(self, timeout_s: float = LOCK_TIMEOUT_S) -> tuple[str, ...]:
        """Bring every follower to the head, as after a crash behind the store's commit; troubles come as notices.

        Raises:
            TimeoutExpiredError: another process publishes for longer than ``timeout_s``.
        """
        with self.locked(timeout_s):
            return self._follow(self._store.head(), {})

    def _absolute(self, path: DocumentPath) -> str:
        return os.path.join(self._root, path)

    def _verify(
        self, candidates: Sequence[Candidate]
    ) -> tuple[list[Candidate], list[DocumentPath], dict[DocumentPath, Signature]]:
        """The last look: a trusted signature that has not moved, or the same bytes once more."""
        keep: list[Candidate] = []
        retry: list[DocumentPath] = []
        signatures: dict[DocumentPath, Signature] = {}
        missing = self._contents.missing([(c.content_id, c.recipe) for c in candidates])
        for candidate in candidates:
            if (candidate.content_id, candidate.recipe) in missing:
                retry.append(candidate.path)  # collected by another process since it was stored
                continue
            now = hash_file(self._root, candidate.path, known=candidate.signature, clock=self._clock)
            if now is None or now[0] not in ("", candidate.disk_hash):
                retry.append(candidate.path)
                continue
            signatures[candidate.path] = now[1]
            keep.append(candidate)
        return keep, retry, signatures

    def _rebase(self, head: Head, candidates: Sequence[Candidate]) -> list[NewDocument]:
        """Only what differs from the head as it is now, whoever published it."""
        upserts = []
        for c in candidates:
            old = self._store.document(head.generation, c.path) if head.generation else None
            same = old is not None and (old.disk_hash, old.content_id, old.recipe, old.source_type) == (
                c.disk_hash,
                c.content_id,
                c.recipe,
                c.source_type,
            )
            if same:
                continue
            regressed = old is not None and c.problems > 0 and (old.problems == 0 or old.regressed)
            upserts.append(
                NewDocument(
                    c.path,
                    c.content_id,
                    DiskHash(c.disk_hash),
                    c.language,
                    c.source_type,
                    Recipe(c.recipe),
                    c.partial,
                    c.problems,
                    c.chunks,
                    c.symbols,
                    regressed,
                    c.size,
                    c.signature.mtime_ns / 1e9,
                )
            )
        return upserts

    def _follow(self, head: Head, prepared: Mapping[DocumentPath, bytes]) -> tuple[str, ...]:
        feed = Feed(self._store, self._contents, head)
        by_id: Mapping[DocumentId, bytes] = NOTHING_PREPARED
        if prepared:
            by_id = _PreparedById(self._store.changes(Generation(head.generation - 1), head.generation)[1], prepared)
        troubles = []
        for follower in self._followers:
            try:
                follower.catch_up(feed, by_id)
                follower.settle()
            except UnavailableError as error:
                # The store has the truth already; the follower says how far it got and is brought up next time.
                troubles.append(f"The {follower.name} is behind: {error.message}")
        reach("publish.followed")
        return tuple(troubles)

    def _collect(self, head: Head) -> None:
        if head.generation % COLLECT_EVERY == 0:
            self._store.collect(KEEP_SECONDS, head.generation)
            reach("publish.collected")


def _settle_places(
    places: PlacesDelta, signatures: Mapping[DocumentPath, Signature], retry: set[DocumentPath], *, raced: bool
) -> PlacesDelta:
    """The places that may be recorded: never a signature whose bytes were not published.

    After a race the directories and rule files are left as the other process saw them, but for the root: this process
    may have published what a rule that the other one has seen leaves out, so the tree has to be listed again, whoever
    looks next and even if this process ends here.
    """
    files = {
        path: msgspec.structs.replace(state, signature=signatures[path])
        if state is not None and path in signatures
        else state
        for path, state in places.files.items()
        if path not in retry
    }
    if raced:
        return PlacesDelta(files=files, directories={DocumentPath(""): NEVER_SEEN})
    if retry:
        return PlacesDelta(files=files, directories={})
    return msgspec.structs.replace(places, files=files)
