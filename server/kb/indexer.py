"""From "the tree may have changed" to "the head says so": list or sweep, read, derive, publish (rows K5, K7).

One refresh at a time in a process; another process may refresh the same corpus beside it. Whatever a refresh cannot
settle within its rounds stays dirty: it is handed back to the caller, the old version serves, and the outcome says so.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace

import msgspec

from . import languages
from .coverage import coverage_of, oversize_files, refused_file
from .derive import Annotator, Candidate, Clock, DeriveOptions, Outcome, Refused, derive_file
from .derive_pool import DerivePool
from .errors import CancelledError, TimeoutExpiredError
from .failpoints import reach
from .journal import Drained
from .model import Derived, DocumentPath, Signature
from .publish import Proposal, Published, Publisher
from .room import note_sweep
from .scan import Refusal, Scan, ScanRules, Sweep, compare, list_tree, sweep, would_index
from .source import hash_file
from .spool import Spool
from .store.content import ContentRow, ContentStore
from .store.corpus import CorpusStore
from .store.rows import NO_PLACES, NOTHING_PUBLISHED, Coverage, FileState, Head
from .tree import TreeState

ROUNDS = 3
IN_PROCESS_FILES = 64
IN_PROCESS_BYTES = 256_000
LARGE_FILE = 64_000
PUT_ROWS = 400
STRANGERS = 16
"""Unknown paths, about each of which git may be asked; more of them cost more than looking at the whole tree."""
UNSAVED = 64
"""Signatures of unchanged files that may wait to be written: a write costs more than looking at them again."""


class Progress(msgspec.Struct, frozen=True):
    """How far a refresh is; ``total`` 0 means that it is not known yet."""

    phase: str  # "listing" | "reading" | "publishing"
    done: int = 0
    total: int = 0


ProgressSink = Callable[[Progress], None]


class Refreshed(msgspec.Struct, frozen=True):
    """What a refresh did. ``busy`` are documents that kept changing; they are still dirty."""

    head: Head
    looked_at: int = 0  # files whose bytes were read
    documents: int = 0  # documents published
    deleted: int = 0
    parsed: int = 0  # contents derived anew; the rest was stored already
    busy: tuple[DocumentPath, ...] = ()
    listed: bool = False  # the tree was listed again, not only swept
    swept_at: float = 0.0
    notices: tuple[str, ...] = ()


class Job(msgspec.Struct, frozen=True):
    """What one refresh is asked to do, and who listens."""

    dirty: Drained
    whole: bool = True  # sweep the tree; otherwise only what is dirty is looked at
    strict: bool = False  # read every file, trusting no signature
    force: bool = False  # derive every file again, trusting no stored content
    wait_s: float = -1.0  # how long to wait for a refresh that is under way; negative: until it is done
    progress: ProgressSink | None = None
    should_stop: Callable[[], bool] = lambda: False

    def tell(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Report progress, and stop when asked to."""
        if self.progress is not None:
            self.progress(Progress(phase, done, total))
        if self.should_stop():
            raise CancelledError("Indexing was stopped; what was published before still answers.")


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
        self._options = options
        self._store = store
        self._contents = contents
        self._publisher = publisher
        self._settings = settings
        self._annotate = annotate
        self._clock = clock
        self._processes = processes
        self._pool = DerivePool(options, processes)
        self._state = TreeState()
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
                total = _added(total, result)
            return total
        finally:
            self._lock.release()

    def configure(self, rules: ScanRules, settings: str) -> None:
        """Take over other rules and their digest, between two refreshes."""
        with self._lock:
            if rules.max_file_bytes != self._options.max_file_bytes:
                self._options = msgspec.structs.replace(self._options, max_file_bytes=rules.max_file_bytes)
                self._pool.configure(self._options)
            self._rules, self._settings = rules, settings

    def derive_apart(self, path: DocumentPath, text: str) -> Derived:
        """Facts of a large text, made in a derive process, so that this one stays responsive (invariant 7)."""
        return self._pool.derive_text(path, text)

    def close(self) -> None:
        """End the derive processes, and start no more."""
        self._pool.close()

    # -- one round ----------------------------------------------------------------------------------------------

    def _round(self, job: Job) -> tuple[Refreshed, bool]:
        state = self._state
        coverage = self._reload()
        began = time.time()
        scan, doubtful, listed = self._look(job, coverage)
        gone = [path for path in state.files if path not in scan.files and path not in scan.oversize]
        work, touched = self._narrow(doubtful, job)
        files: dict[DocumentPath, FileState | None] = dict.fromkeys(gone)
        files.update(touched)
        oversize = oversize_files(scan, state.files)
        files.update(oversize)
        with closing(Spool(self._store.folder)) as spool:
            outcomes = self._derive(work, scan, spool, job)
            candidates = [o for o in outcomes if isinstance(o, Candidate)]
            refused = [o for o in outcomes if isinstance(o, Refused)]
            vanished = {o.path for o in refused if o.signature is None and o.reason == "vanished"}
            files.update((c.path, FileState(c.signature, c.disk_hash)) for c in candidates)
            files.update((r.path, refused_file(r, scan)) for r in refused)
            delta = self._unsaved.then(state.delta(scan, files))
            proposal = Proposal(
                base=state.head,
                candidates=candidates,
                deletes=sorted({*gone, *(r.path for r in refused), *oversize}),
                places=delta,
                coverage=coverage_of(scan, {**state.files, **files}, self._settings),
            )
            quiet = not (candidates or proposal.deletes or refused) and proposal.coverage == coverage
            if quiet and state.head.generation and len(delta) < UNSAVED:
                published = Published(state.head, 0, 0, places=delta)
                self._unsaved = delta
            else:
                job.tell("publishing", 0, len(candidates))
                published = self._publisher.publish(proposal, spool)
                self._unsaved = NO_PLACES
        if published.places is not None and not published.raced:
            state.apply(published.head, scan, published.places, complete=not published.retry)
            if job.whole:
                state.swept_at = began
                note_sweep(self._store.folder, began)
        else:
            state.forget()
        busy = tuple(sorted({*published.retry, *vanished}))
        result = Refreshed(
            published.head,
            looked_at=len(work) + len(touched),
            documents=published.documents,
            deleted=published.deleted,
            parsed=sum(bool(c.derived) for c in candidates),
            busy=busy,
            listed=listed,
            swept_at=state.swept_at,
            notices=(*scan.notices, *published.notices),
        )
        return result, bool(busy) or published.raced

    def _reload(self) -> Coverage:
        head = self._store.head()
        if head != self._state.head or self._state.scan is None:
            head, places = self._store.places()
            self._unsaved = NO_PLACES
            self._state.load(head, places, self._store.published(head.generation)[1])
        return self._store.published(head.generation)[1]

    def _look(self, job: Job, coverage: Coverage) -> tuple[Scan, set[DocumentPath], bool]:
        """The tree as it is now, the paths whose bytes have to be looked at, and whether it was listed anew."""
        state = self._state
        everything = job.force or (job.whole and (job.strict or job.dirty.all))
        if state.scan is None or coverage.settings != self._settings or everything or self._limit_moved(state.scan):
            job.tell("listing")
            listing = list_tree(self._root, self._rules, self._clock, should_stop=job.should_stop)
            found = compare({p: s.signature for p, s in state.files.items() if s.refusal != Refusal.SIZE}, listing)
        elif job.whole or sum(path not in state.scan.files for path in job.dirty.paths) > STRANGERS:
            found = sweep(self._root, self._rules, state.scan, self._clock, should_stop=job.should_stop)
        else:
            found = Sweep(self._glance(state.scan, job.dirty.paths))
        if not found.complete:
            raise CancelledError("Indexing was stopped; what was published before still answers.")
        scan = found.scan
        doubtful = set(scan.files) if everything else {*found.changed, *found.created, *found.suspect}
        doubtful.update(path for path in (*job.dirty.paths, *self._outdated()) if path in scan.files)
        return scan, doubtful, found.full

    def _limit_moved(self, scan: Scan) -> bool:
        """Whether the limit on files would cut the tree elsewhere than it did."""
        limit = self._rules.max_files
        return len(scan.files) > limit or (scan.partial and len(scan.files) < limit)

    def _glance(self, scan: Scan, paths: Iterable[DocumentPath]) -> Scan:
        """The known tree with only these paths looked at again: what hints and boundary checks lead to."""
        files = dict(scan.files)
        for path in paths:
            if not self._is_listed(path, files):
                files.pop(path, None)
        if files.keys() - scan.files.keys():
            files = dict(sorted(files.items()))
        return replace(scan, files=files)

    def _is_listed(self, path: DocumentPath, files: dict[DocumentPath, Signature]) -> bool:
        known = path in files
        try:
            status = os.lstat(os.path.join(self._root, path))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError):
            return known  # it cannot be seen; what is known of it stays, and the boundary does not serve it
        regular = stat.S_ISREG(status.st_mode) and status.st_size <= self._rules.max_file_bytes
        if not known or not regular:
            verdict = would_index(self._root, self._rules, path)
            if not verdict:
                return known and verdict.reason is Refusal.UNREADABLE
        files[path] = Signature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, 0)
        return True

    def _outdated(self) -> frozenset[DocumentPath]:
        """Documents that an older grammar or extractor was used on (pitfall ST20)."""
        head = self._state.head
        if self._outdated_at[0] != head:
            old = [recipe for name, recipe in self._store.recipes(head.generation) if languages.recipe(name) != recipe]
            paths = frozenset(path for recipe in old for path in self._store.paths_of(head.generation, recipe))
            self._outdated_at = (head, paths)
        return self._outdated_at[1]

    def _narrow(
        self, doubtful: set[DocumentPath], job: Job
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

    # -- deriving -----------------------------------------------------------------------------------------------

    def _derive(self, work: Sequence[DocumentPath], scan: Scan, spool: Spool, job: Job) -> list[Outcome]:
        outcomes: list[Outcome] = []
        rows: list[ContentRow] = []
        job.tell("reading", 0, len(work))
        # Closed when anything below raises: a traceback that is kept would keep the derive processes at work.
        with closing(self._outcomes([(path, scan.files[path].size) for path in work], job)) as stream:
            for outcome in stream:
                if isinstance(outcome, Candidate):
                    spool.add(outcome.path, outcome.prepared)
                    if outcome.derived:
                        rows.append(_content_row(outcome))
                    outcome = msgspec.structs.replace(
                        outcome, text=b"", outline=b"", prepared=b"", derived=b"new" if outcome.derived else b""
                    )
                outcomes.append(outcome)
                if len(rows) >= PUT_ROWS:
                    self._put(rows)
                if len(outcomes) % 32 == 0 or len(outcomes) == len(work):
                    job.tell("reading", len(outcomes), len(work))
        self._put(rows)
        self._contents.touch([o.content_id for o in outcomes if isinstance(o, Candidate) and not o.derived])
        return sorted(outcomes, key=lambda outcome: outcome.path)

    def _outcomes(self, sizes: Sequence[tuple[DocumentPath, int]], job: Job) -> Generator[Outcome, None, None]:
        """Derive ``(path, bytes)``, here or in derive processes; what is stored does not count under ``force``."""
        small = (
            len(sizes) <= IN_PROCESS_FILES
            and sum(size for _, size in sizes) <= IN_PROCESS_BYTES
            and all(size <= LARGE_FILE for _, size in sizes)
        )
        if small:
            contents = None if job.force else self._contents
            for path, _ in sizes:
                yield derive_file(path, self._options, contents, self._annotate, self._clock)
            return
        pool = self._pool
        if job.force:
            pool = DerivePool(msgspec.structs.replace(self._options, content_db=""), self._processes)
        try:
            # Large files first: the last batch to finish is then a small one.
            yield from pool.run(sorted(sizes, key=lambda item: (-item[1], item[0])), job.should_stop)
        finally:
            if pool is not self._pool:
                pool.close()

    def _put(self, rows: list[ContentRow]) -> None:
        reach("content.before_put")
        self._contents.put(rows)
        rows.clear()
        reach("content.after_put")


def _content_row(candidate: Candidate) -> ContentRow:
    return ContentRow(candidate.content_id, candidate.recipe, candidate.text, candidate.derived, candidate.outline)


def _added(first: Refreshed, second: Refreshed) -> Refreshed:
    return msgspec.structs.replace(
        second,
        looked_at=first.looked_at + second.looked_at,
        documents=first.documents + second.documents,
        deleted=first.deleted + second.deleted,
        parsed=first.parsed + second.parsed,
        listed=first.listed or second.listed,
        notices=tuple(dict.fromkeys((*first.notices, *second.notices))),
    )
