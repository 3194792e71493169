"""From "the tree may have changed" to "the head says so": list or sweep, read, derive, publish (rows K5, K7).

One refresh at a time in a process; another process may refresh the same corpus beside it. Whatever a refresh cannot
settle within its rounds stays dirty: it is handed back to the caller, the old version serves, and the outcome says so.
"""

import os
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import closing

import msgspec

from . import languages
from .bulk import Bulk
from .coverage import coverage_of, oversize_files, refusals, refused_file
from .derive import Annotator, Candidate, Clock, DeriveOptions, Outcome, Refused
from .errors import TimeoutExpiredError, UnavailableError
from .job import Job, Progress, ProgressSink, Refreshed
from .look import Look, look
from .memory import give_back
from .model import Derived, DocumentPath
from .publish import Proposal, Published, Publisher
from .room import note_sweep
from .scan import ScanRules
from .source import hash_file
from .spool import Spool
from .store.content import ContentStore
from .store.corpus import CorpusStore
from .store.rows import NO_PLACES, NOTHING_PUBLISHED, Coverage, FileState, Head, PlacesDelta
from .tree import TreeState
from .walk import unreadable

__all__ = ["Indexer", "Job", "Progress", "ProgressSink", "Refreshed"]

ROUNDS = 3
UNSAVED = 64
"""Signatures of unchanged files that may wait to be written: a write costs more than looking at them again."""

MUCH = 500
"""Published documents past which what the work needed is given back: it is as much as the rest of the process."""


class Indexer:
    """Keeps one corpus's head equal to its tree."""

    def __init__(
        self,
        rules: ScanRules,
        options: DeriveOptions,
        store: CorpusStore,
        contents: ContentStore,
        publisher: Publisher,
        *,
        settings: str = "",
        processes: int = 2,
        annotate: Annotator | None = None,
        clock: Clock = time.time_ns,
    ) -> None:
        self._root = options.root
        self._rules = rules
        self._store = store
        self._publisher = publisher
        self._settings = settings
        self._clock = clock
        self._bulk = Bulk(options, contents, processes, annotate, clock)
        self._state = TreeState()
        self._idle: object | None = None  # stands for the state, since a whole look found nothing to do in it
        self.unreadable = 0  # documents that could not be looked at in the last whole look
        self._lock = threading.Lock()
        self._unsaved = NO_PLACES  # signatures of unchanged bytes, written with the next thing that is
        self._outdated_at: tuple[Head, frozenset[DocumentPath]] = (NOTHING_PUBLISHED, frozenset())

    @property
    def swept_at(self) -> float:
        """When this process last compared the whole tree, in seconds since the epoch; 0 for never."""
        return self._state.swept_at

    @property
    def directories(self) -> frozenset[DocumentPath]:
        """The folders that the tree had when it was looked at last."""
        scan = self._state.scan
        return frozenset(scan.directories) if scan is not None else frozenset()

    def refresh(self, job: Job) -> Refreshed:
        """Bring the head up to the tree.

        Raises:
            UnavailableError: the root or the index cannot be used; the previous generation stays.
            TruncatedError: more files than the limit; nothing is published.
            TimeoutExpiredError: another refresh is under way for longer than the job waits.
            CancelledError: the job was told to stop.
        """
        if not self._lock.acquire(timeout=job.wait_s):
            raise TimeoutExpiredError("The index is being built; what was published before answers meanwhile.")
        try:
            total, again = self._round(job)
            for _ in range(ROUNDS - 1):
                if not again:
                    break
                result, again = self._round(job)
                total = total.then(result)
            if total.documents > MUCH:
                give_back()
            return total
        finally:
            self._lock.release()

    def configure(self, rules: ScanRules, settings: str) -> None:
        """Take over other rules and their digest, between two refreshes."""
        with self._lock:
            self._bulk.configure(rules.max_file_bytes)
            self._rules, self._settings = rules, settings
            self._idle = None

    def derive_apart(self, path: DocumentPath, text: str) -> Derived:
        """Facts of a large text, made in a derive process, so that this one stays responsive (invariant 7)."""
        return self._bulk.derive_apart(path, text)

    def close(self) -> None:
        """End the derive processes, and start no more."""
        self._bulk.close()

    # -- one round ----------------------------------------------------------------------------------------------

    def _round(self, job: Job) -> tuple[Refreshed, bool]:
        """Look, read, publish; whether something has to be looked at once more."""
        coverage = self._reload()
        began = time.time()
        if self._still(job):
            return self._unchanged(began), False
        before, ground = self._state.scan, _ground(self._root)
        seen = self._look(job, coverage)
        work, touched = self._narrow(seen.doubtful, job)
        with closing(Spool(self._store.folder)) as spool:
            outcomes = self._bulk.derive(work, seen.there, spool, job)
            if _ground(self._root) != ground:  # what is not found then is not deleted
                raise UnavailableError(f"The folder {self._root} was moved or replaced meanwhile; ask again.")
            proposal = self._proposal(seen, outcomes, touched, coverage)
            published = self._publish(proposal, coverage, spool, job)
        idle = seen.whole and seen.scan is before and not (work or touched or seen.gone or published.raced)
        self._idle = object() if idle and published.head == proposal.base else None
        if self._idle is None:
            self._remember(seen, proposal, published)
        if job.whole and published.places is not None and not published.raced:
            self.unreadable = seen.unreadable
            self._note_sweep(began)
        vanished = {
            o.path for o in outcomes if isinstance(o, Refused) and o.signature is None and o.reason == "vanished"
        }
        hindered = {o.path for o in outcomes if isinstance(o, Refused) and o.passing}
        busy = tuple(sorted({*published.retry, *vanished, *hindered}))
        result = Refreshed(
            published.head,
            looked_at=len(work) + len(touched),
            documents=published.documents,
            deleted=published.deleted,
            parsed=sum(bool(c.derived) for c in proposal.candidates),
            busy=busy,
            listed=seen.listed,
            swept_at=self._state.swept_at,
            notices=(*seen.scan.notices, *published.notices),
        )
        return result, bool(busy) or published.raced

    def _still(self, job: Job) -> bool:
        """Whether a whole look would certainly find nothing to do, as the last one did."""
        scan = self._state.scan
        if self._idle is None or scan is None or job.station is None:
            return False
        if not job.whole or job.strict or job.force or job.dirty:
            return False
        return job.station.unmoved(self._idle, self._root, scan, self._rules.max_file_bytes, job.stops_looking)

    def _unchanged(self, began: float) -> Refreshed:
        self._note_sweep(began)
        notices = self._state.scan.notices if self._state.scan is not None else ()
        return Refreshed(self._state.head, swept_at=began, notices=notices)

    def _note_sweep(self, began: float) -> None:
        self._state.swept_at = began
        note_sweep(self._store.folder, began)

    def _reload(self) -> Coverage:
        head = self._store.head()
        if head != self._state.head or self._state.scan is None:
            head, places = self._store.places()
            self._unsaved = NO_PLACES
            self._idle = None
            self._state.load(head, places, self._store.published(head.generation)[1])
        return self._store.published(head.generation)[1]

    def _look(self, job: Job, coverage: Coverage) -> Look:
        changed = coverage.settings != self._settings
        return look(
            self._root,
            self._rules,
            self._state,
            job,
            self._clock,
            changed_settings=changed,
            outdated=self._outdated(),
        )

    def _narrow(
        self, doubtful: Iterable[DocumentPath], job: Job
    ) -> tuple[list[DocumentPath], dict[DocumentPath, FileState]]:
        """Split doubtful files into those to derive and those whose bytes turn out to be the known ones."""
        outdated = self._outdated()
        work: list[DocumentPath] = []
        touched: dict[DocumentPath, FileState] = {}
        for path in sorted(doubtful):
            known = self._state.files.get(path)
            if known is None or not known.disk_hash or path in outdated or job.force:
                work.append(path)
                continue
            now = hash_file(self._root, path, clock=self._clock)
            if now is not None and now[0] == known.disk_hash:
                touched[path] = msgspec.structs.replace(known, signature=now[1])
            else:
                work.append(path)
        return work, touched

    def _outdated(self) -> frozenset[DocumentPath]:
        """Documents that an older grammar or extractor was used on (pitfall ST20)."""
        head = self._state.head
        if self._outdated_at[0] != head:
            old = [recipe for name, recipe in self._store.recipes(head.generation) if languages.recipe(name) != recipe]
            paths = frozenset(path for recipe in old for path in self._store.paths_of(head.generation, recipe))
            self._outdated_at = (head, paths)
        return self._outdated_at[1]

    # -- what is published ----------------------------------------------------------------------------------------

    def _proposal(
        self, seen: Look, outcomes: Sequence[Outcome], touched: dict[DocumentPath, FileState], coverage: Coverage
    ) -> Proposal:
        state = self._state
        candidates = [outcome for outcome in outcomes if isinstance(outcome, Candidate)]
        refused = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
        oversize = oversize_files(seen.scan, state.files) if seen.whole else {}
        files: dict[DocumentPath, FileState | None] = {**dict.fromkeys(seen.gone), **touched, **oversize}
        files.update((c.path, FileState(c.signature, c.disk_hash)) for c in candidates)
        files.update((r.path, refused_file(r, seen.there, state.files)) for r in refused)
        delta = state.delta(seen.scan, files) if seen.whole else PlacesDelta(files=files, directories={})
        return Proposal(
            base=state.head,
            candidates=candidates,
            deletes=sorted({*seen.gone, *(r.path for r in refused if not r.passing), *oversize}),
            places=self._unsaved.then(delta),
            coverage=self._coverage(seen, files, coverage),
        )

    def _coverage(self, seen: Look, files: dict[DocumentPath, FileState | None], known: Coverage) -> Coverage:
        before, after = self._state.refused, refusals(files)
        if not seen.whole and all(before.get(path) == after.get(path) for path in files):
            return known  # only what the reader refuses can have changed
        kept = {path: reason for path, reason in before.items() if path not in files}
        return coverage_of(seen.scan, {**kept, **after}, self._settings)

    def _publish(self, proposal: Proposal, coverage: Coverage, spool: Spool, job: Job) -> Published:
        changes = bool(proposal.candidates or proposal.deletes) or proposal.coverage != coverage
        if not changes and proposal.base.generation and len(proposal.places) < UNSAVED:
            self._unsaved = proposal.places
            return Published(proposal.base, 0, 0, places=proposal.places)
        job.tell("publishing", 0, len(proposal.candidates))
        published = self._publisher.publish(proposal, spool)
        self._unsaved = NO_PLACES
        return published

    def _remember(self, seen: Look, proposal: Proposal, published: Published) -> None:
        state = self._state
        if published.places is None or published.raced:
            state.forget()
            return
        outdated_of, outdated = self._outdated_at
        if outdated_of == proposal.base:  # what was published since is of the recipes of today
            done = {candidate.path for candidate in proposal.candidates}.difference(published.retry)
            self._outdated_at = (published.head, outdated - done)
        if seen.whole:
            state.apply(published.head, seen.scan, published.places, complete=not published.retry)
        else:
            state.patch(published.head, published.places, complete=not published.retry)


def _ground(root: str) -> tuple[int, int]:
    """The folder that the tree is in now, whatever it is called.

    Raises:
        UnavailableError: there is none.
    """
    try:
        found = os.stat(root)
    except OSError as error:
        raise unreadable(root, error) from error
    return found.st_dev, found.st_ino
