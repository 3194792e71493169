"""Files to facts, however many: few and small ones here, the rest in derive processes; facts are stored as they come.

Memory stays bounded: a batch of facts is written to the shared store at a time, what followers have prepared goes to a
spool, and what is left of a file is a line.
"""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, suppress

import msgspec

from .derive import Annotator, Candidate, Clock, DeriveOptions, Outcome, derive_file
from .derive_pool import DerivePool
from .errors import CancelledError, GazetteerError
from .failpoints import reach
from .job import Job
from .model import Derived, DocumentPath, Signature
from .spool import Spool
from .store.content import ContentRow, ContentStore

IN_PROCESS_FILES = 64
IN_PROCESS_BYTES = 600_000
"""Bytes that are read here: a derive process would have come up only when they are done."""
ASIDE_FILES = 4
"""The same of what nobody waits for: each of them may keep this process from a question for some milliseconds."""
LARGE_FILE = 64_000
PUT_ROWS = 400


class Bulk:
    """Reads files of one tree and stores what they say.

    Args:
        options: what derive processes are told.
        contents: where facts are stored, and looked up.
        processes: how many derive processes there may be.
        annotate: what followers want to have prepared.
        clock: when signatures are taken.
    """

    def __init__(
        self,
        options: DeriveOptions,
        contents: ContentStore,
        processes: int,
        annotate: Annotator | None,
        clock: Clock = time.time_ns,
    ) -> None:
        self._options = options
        self._contents = contents
        self._processes = processes
        self._annotate = annotate
        self._clock = clock
        self._pool = DerivePool(options, processes)

    def configure(self, max_file_bytes: int) -> None:
        """Read files up to another size from now on."""
        if max_file_bytes != self._options.max_file_bytes:
            self._options = msgspec.structs.replace(self._options, max_file_bytes=max_file_bytes)
            self._pool.configure(self._options)

    def derive_apart(self, path: DocumentPath, text: str) -> Derived:
        """Facts of a large text, made in a derive process, so that this one stays responsive (invariant 7)."""
        return self._pool.derive_text(path, text)

    def close(self) -> None:
        """End the derive processes, and start no more."""
        self._pool.close()

    def derive(
        self, work: Sequence[DocumentPath], files: Mapping[DocumentPath, Signature], spool: Spool, job: Job
    ) -> list[Outcome]:
        """Read every file of ``work``, and store its facts; outcomes by path, without texts and facts."""
        outcomes: list[Outcome] = []
        rows: list[ContentRow] = []
        job.tell("reading", 0, len(work))
        try:
            # Closed when anything below raises: a traceback that is kept would keep the derive processes at work.
            with closing(self._outcomes([(path, files[path].size) for path in work], job)) as stream:
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
        except CancelledError:
            with suppress(GazetteerError):  # it was stopped, whatever became of that
                self._put(rows)  # whoever begins again need not read them again
            raise
        self._put(rows)
        self._contents.touch([o.content_id for o in outcomes if isinstance(o, Candidate) and not o.derived])
        return sorted(outcomes, key=lambda outcome: outcome.path)

    def _outcomes(self, sizes: Sequence[tuple[DocumentPath, int]], job: Job) -> Generator[Outcome, None, None]:
        """Derive ``(path, bytes)``, here or in derive processes; what is stored does not count under ``force``."""
        small = (
            len(sizes) <= (ASIDE_FILES if job.aside else IN_PROCESS_FILES)
            and sum(size for _, size in sizes) <= IN_PROCESS_BYTES
            and all(size <= LARGE_FILE for _, size in sizes)
        )
        if small:
            contents = None if job.force else self._contents
            for path, _ in sizes:
                yield derive_file(path, self._options, contents, self._annotate, self._clock)
            return
        pool = self._pool
        if job.force or job.aside:
            options = msgspec.structs.replace(self._options, content_db="") if job.force else self._options
            pool = DerivePool(options, self._processes, aside=job.aside)
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
