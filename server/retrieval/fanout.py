"""Several corpora at work on one question: a thread each, one deadline, and no corpus that can stop the others.

Whoever fails or is late drops out with a sentence and is not waited for; what it has begun in the background goes on.
Nothing here knows what is asked.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from ..kb.cancel import Cancel
from ..kb.errors import GazetteerError, TimeoutExpiredError
from ..kb.freshness import POLL_S

AHEAD_S = 0.015
"""How long one corpus is let work by itself before the next begins beside it: most of a step holds the interpreter, and
threads that take turns at that are a third slower than one after the other."""
LEAST_S = 1.0
"""What everybody has for each step, however long one that dropped out was waited for."""
T = TypeVar("T")


class Side(Protocol):
    """A corpus at work: its name, and the token that stops it."""

    name: str
    cancel: Cancel


S = TypeVar("S", bound=Side)


class Fanout:
    """The corpora that still take part, and why others do not any more. Use it as a context manager, from one thread.

    Args:
        width: how many corpora there are.
        until: when all of them have to be done, on the monotonic clock; None for whenever they are.
        cancel: stops all of them.
    """

    def __init__(self, width: int, until: float | None, cancel: Cancel | None) -> None:
        self._pool = ThreadPoolExecutor(max(1, width), thread_name_prefix="corpus")
        self._until = until
        self._cancel = cancel
        self.failures: dict[str, GazetteerError] = {}
        self.spent: dict[str, float] = {}  # milliseconds

    def __enter__(self) -> "Fanout":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def alive(self, sides: Iterable[S]) -> list[S]:
        """Those that have not dropped out."""
        return [side for side in sides if side.name not in self.failures]

    def each(self, sides: Sequence[S], act: Callable[[S], T]) -> dict[str, T]:
        """Do something for every corpus at once; by name, in the order given, for those that did it.

        Raises:
            CancelledError: the question was stopped.
        """
        until = None if self._until is None else max(self._until, time.monotonic() + LEAST_S)
        under_way: dict[str, Future[T]] = {}
        for side in self.alive(sides):
            under_way[side.name] = self._begin(side, act)
            wait([under_way[side.name]], AHEAD_S if until is None else max(0.0, min(AHEAD_S, until - time.monotonic())))
        pending: set[Future[T]] = set(under_way.values())
        while pending:
            if self._cancel is not None and self._cancel.is_set():
                self._stop(sides)
                self._cancel.check()
            left = POLL_S if until is None else min(POLL_S, until - time.monotonic())
            if left <= 0.0:
                break
            pending = wait(pending, left).not_done
        for side in sides:
            if under_way.get(side.name) in pending:
                side.cancel.set()
                message = (
                    f"It did not answer in time; ask again in a moment, or leave it out with --without {side.name}."
                )
                self.failures[side.name] = TimeoutExpiredError(message)
        return self._results(under_way)

    def _begin(self, side: S, act: Callable[[S], T]) -> "Future[T]":
        def work() -> T:
            started = time.perf_counter()
            try:
                return act(side)
            finally:
                self.spent[side.name] = self.spent.get(side.name, 0.0) + (time.perf_counter() - started) * 1000

        return self._pool.submit(work)

    def _results(self, under_way: Mapping[str, "Future[T]"]) -> dict[str, T]:
        results: dict[str, T] = {}
        for name, future in under_way.items():
            if name in self.failures:
                continue
            try:
                results[name] = future.result()
            except GazetteerError as error:
                if self._cancel is not None:
                    self._cancel.check()
                self.failures[name] = error
        return results

    def _stop(self, sides: Iterable[Side]) -> None:
        for side in sides:
            side.cancel.set()
