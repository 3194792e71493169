"""One round of work for derive processes: its batches, who is at it, and what is left when it is stopped.

Decides nothing about processes but to give them up.
"""

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from .derive import Outcome
from .model import DocumentPath

BATCH_FILES = 24
BATCH_BYTES = 400_000
ASIDE_BYTES = 50_000
"""The same of what nobody waits for: it is stopped often, and the batch that a process is at is then read again."""
WAIT_S = 0.02

Results = queue.Queue[list[Outcome] | BaseException]


class Worker(Protocol):
    """What may be given up."""

    def kill(self) -> None:
        """End at once."""


class Round:
    """The children that work for one `DerivePool.run`, so that all of them can be stopped at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: set[Worker] = set()
        self._over = False

    @property
    def over(self) -> bool:
        """Whether it was stopped."""
        return self._over

    def begin(self, child: Worker) -> bool:
        """Whether ``child`` may begin with a batch: not when the round is over."""
        with self._lock:
            if not self._over:
                self._busy.add(child)
            return not self._over

    def end(self, child: Worker) -> None:
        """Note that ``child`` is done with its batch."""
        with self._lock:
            self._busy.discard(child)

    def stop(self) -> None:
        """Begin nothing more, and give up what is under way."""
        with self._lock:
            self._over = True
            for child in self._busy:
                child.kill()

    def left(self, threads: Sequence[threading.Thread], results: Results) -> Iterator[Outcome]:
        """Stop, and give what was read by then and nobody has taken; all threads have ended afterwards."""
        self.stop()
        while any(thread.is_alive() for thread in threads) or not results.empty():
            with suppress(queue.Empty):
                result = results.get(timeout=WAIT_S)
                if not isinstance(result, BaseException):
                    yield from result


def batches_of(work: Sequence[tuple[DocumentPath, int]], most_bytes: int = BATCH_BYTES) -> Iterator[list[DocumentPath]]:
    """Split ``(path, bytes)`` into what a process is asked for at once."""
    batch: list[DocumentPath] = []
    size = 0
    for path, weight in work:
        batch.append(path)
        size += weight
        if size >= most_bytes or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
