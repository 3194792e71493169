"""Several corpora at work on one question: one deadline, and no corpus that can stop the others.

A thread takes one corpus after the other, as long as none takes its time; then another thread goes on with the rest.
Whoever fails or is late drops out with a sentence and is not waited for; what it has begun in the background goes on.
Nothing here knows what is asked.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Generic, Protocol, TypeVar, cast

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


class _Step(Generic[S, T]):
    """One thing that is done for every corpus. Those that have not begun stand in line; a thread takes one by one."""

    def __init__(self, sides: Iterable[S], act: Callable[[S], T], spent: dict[str, float]) -> None:
        self._line = deque(sides)
        self._act = act
        self._spent = spent
        self._lock = Lock()
        self._left = len(self._line)
        self._outcomes: dict[str, tuple[T | None, BaseException | None]] = {}
        self.begun = time.monotonic()  # when the last one began
        self.over = Event()
        if not self._left:
            self.over.set()

    @property
    def in_line(self) -> bool:
        """Whether some have not begun."""
        return bool(self._line)

    def work(self) -> None:
        """Take from the line until nobody stands there."""
        while True:
            try:
                side = self._line.popleft()
            except IndexError:  # another thread has taken the last one
                return
            started = self.begun = time.monotonic()
            outcome: tuple[T | None, BaseException | None]
            try:
                outcome = (self._act(side), None)
            except BaseException as error:
                outcome = (None, error)
            with self._lock:
                self._spent[side.name] = self._spent.get(side.name, 0.0) + (time.monotonic() - started) * 1000
                self._outcomes[side.name] = outcome
                self._left -= 1
                if not self._left:
                    self.over.set()

    def close(self) -> None:
        """Let nobody begin any more; who has begun is not waited for."""
        self._line.clear()

    def outcomes(self) -> dict[str, tuple[T | None, BaseException | None]]:
        """What came of it so far: a result, or what was raised."""
        with self._lock:
            return dict(self._outcomes)


class Fanout:
    """The corpora that still take part, and why others do not any more. Use it as a context manager, from one thread.

    Args:
        width: how many corpora there are.
        until: when all of them have to be done, on the monotonic clock; None for whenever they are.
        cancel: stops all of them.
    """

    def __init__(self, width: int, until: float | None, cancel: Cancel | None) -> None:
        # one more than may hang
        self._pool = ThreadPoolExecutor(width + 1, thread_name_prefix="corpus")
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
        """Do something for every corpus; by name, in the order given, for those that did it.

        Raises:
            CancelledError: the question was stopped.
        """
        self._check(sides)
        until = None if self._until is None else max(self._until, time.monotonic() + LEAST_S)
        asked = self.alive(sides)
        step = _Step(asked, act, self.spent)
        try:
            self._work_through(step, sides, until)
        finally:
            step.close()
        outcomes = step.outcomes()
        results: dict[str, T] = {}
        for side in asked:
            if side.name not in outcomes:
                side.cancel.set()
                message = (
                    f"It did not answer in time; ask again in a moment, or leave it out with --without {side.name}."
                )
                self.failures[side.name] = TimeoutExpiredError(message)
                continue
            result, error = outcomes[side.name]
            if isinstance(error, GazetteerError):
                if self._cancel is not None:
                    self._cancel.check()
                self.failures[side.name] = error
            elif error is not None:
                raise error
            else:
                results[side.name] = cast(T, result)
        return results

    def do(self, act: Callable[[], T]) -> T:
        """Do something with what was found, on the thread that found it: its processor has it at hand.

        Raises what ``act`` does.
        """
        return self._pool.submit(act).result()

    def _work_through(self, step: _Step[S, T], sides: Iterable[Side], until: float | None) -> None:
        """Let one thread go along the line, and another one beside it whenever a corpus takes its time."""
        if step.over.is_set():
            return
        self._pool.submit(step.work)
        while True:
            now = time.monotonic()
            if step.in_line and now - step.begun >= AHEAD_S:
                step.begun = now
                self._pool.submit(step.work)
            left = step.begun + AHEAD_S - now if step.in_line else POLL_S
            if until is not None:
                left = min(left, until - now)
                if left <= 0.0 and now >= until:
                    return
            if step.over.wait(max(0.0, left)):
                return
            self._check(sides)

    def _check(self, sides: Iterable[Side]) -> None:
        """Go on, or stop all and say so."""
        if self._cancel is not None and self._cancel.is_set():
            for side in sides:
                side.cancel.set()
            self._cancel.check()
