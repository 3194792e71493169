"""Derive processes: bulk work beside the main process, so that parsing never holds its interpreter lock.

Plain ``python -m`` children that speak length-prefixed msgpack over pipes; no fork, nothing shared. They answer file by
file, each within a time. A child that hangs or dies on a file costs that file its structure and nothing else: it gets
chunks and a problem, and the others of its batch are read in another process (pitfalls SC06, TS01). Children end when
their standard input does, whatever happened to the parent, and an interrupt is the parent's alone: nobody who presses
Ctrl-C is told how its children died or waits for what they were at.
"""

import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import msgspec

from . import extract, languages
from .child import receive, send, start
from .derive import Candidate, DeriveOptions, Outcome, Refused, derive_file, load_annotator
from .derive_room import ROOM, Room
from .derive_round import ASIDE_BYTES, BATCH_BYTES, Results, Round, batches_of
from .errors import CancelledError, UnavailableError
from .model import Derived, DocumentPath, Problem

IDLE_S = 60.0
"""How long a process without work is kept: starting one takes a quarter of a second, and it holds about 70 MB."""
CLOSED = "The index was closed meanwhile; open the tree again."
GRACE_S = 10.0  # what a file may take beyond its deadline before its process is given up
ASIDE_TIMES = 12
"""How many times as long it may take aside: a process of the lowest priority gets what others leave, and nobody waits.
What is not read by then would be kept as a file that cannot be read."""

_encode = msgspec.msgpack.Encoder().encode
_derived = msgspec.msgpack.Decoder(Derived).decode
_outcome = msgspec.msgpack.Decoder(tuple[bool, msgspec.Raw]).decode
_candidate = msgspec.msgpack.Decoder(Candidate).decode
_refused = msgspec.msgpack.Decoder(Refused).decode


class _Child:
    """One derive process; asked from one thread at a time. It has a place in a room, which it gives back at its end."""

    def __init__(self, options: DeriveOptions, room: Room, *, aside: bool = False) -> None:
        self.options = options
        self._room = room
        self._gone = threading.Lock()  # taken once, at the end
        self._process = start("derive_pool_child", aside=aside)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._hung = False
        self.idle_since = 0.0  # on the monotonic clock
        self.buffer = DocumentPath("")  # the open buffer that it read last, whose tree it has
        with suppress(BrokenPipeError):  # seen as a death at the first question
            send(self._stdin, _encode(options))

    def ask(self, paths: Sequence[DocumentPath], timeout_s: float) -> list[Outcome]:
        """Outcomes in the order of ``paths``, ``timeout_s`` for each at most.

        Fewer when the process hung or died on the next one; it is gone then.
        """
        outcomes: list[Outcome] = []
        request: bytes | None = _encode(([os.fsencode(path) for path in paths], b""))
        for path in paths:
            payload = self._exchange(request, timeout_s)
            if payload is None:
                break
            request = None
            ok, raw = _outcome(payload)
            outcome = _candidate(raw) if ok else _refused(raw)
            # The path travels one way only: a name that is not valid text could not come back as it went.
            outcomes.append(msgspec.structs.replace(outcome, path=path))
        return outcomes

    def ask_text(self, path: DocumentPath, text: str, timeout_s: float) -> Derived | None:
        """Facts of a text that is on no disk; None when the process hung or died."""
        request = ([os.fsencode(path)], text.encode("utf-8", "surrogatepass"))
        self.buffer = path
        payload = self._exchange(_encode(request), timeout_s)
        return _derived(payload) if payload is not None else None

    def _exchange(self, request: bytes | None, timeout_s: float) -> bytes | None:
        """Ask, or wait for the next answer to what was asked; None when the process hung or died."""
        watchdog = threading.Timer(timeout_s, self._give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            if request is not None:
                send(self._stdin, request)
            payload = receive(self._stdout)
        except OSError:
            payload = None
        finally:
            watchdog.cancel()
        if payload is None:
            self.close()
        return payload

    @property
    def hung(self) -> bool:
        return self._hung

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def _give_up(self) -> None:
        self._hung = True
        self.kill()

    def kill(self) -> None:
        """End the process in the middle of what it is at; whoever waits for its answer sees a death."""
        self._process.kill()

    def close(self) -> None:
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()
        if self._gone.acquire(blocking=False):
            self._room.leave()


class DerivePool:
    """A number of derive processes, bounded in all pools of a room, started for work and ended when they long had none.

    Nothing outlives `close`: what is at work then ends when it has answered, and whoever comes later is refused.
    What is done ``aside`` takes one process of the lowest priority.
    """

    def __init__(
        self,
        options: DeriveOptions,
        processes: int,
        *,
        aside: bool = False,
        idle_s: float = IDLE_S,
        room: Room = ROOM,
    ) -> None:
        self._room = room
        self._options = options
        self._processes = max(1, processes)
        self._aside = aside
        self._idle_s = idle_s
        self._idle: list[_Child] = []
        self._reaper: threading.Timer | None = None
        self._closed = False
        self._lock = threading.Lock()
        room.join(self)

    def configure(self, options: DeriveOptions) -> None:
        """Take over other options; a process that was started with others ends when it has answered."""
        with self._lock:
            self._options = options
            idle, self._idle = self._idle, []
        for child in idle:
            child.close()

    def run(
        self, work: Sequence[tuple[DocumentPath, int]], should_stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Outcome]:
        """Derive every ``(path, bytes)``; outcomes come as they are ready, in no order.

        Raises:
            CancelledError: ``should_stop`` said so; what was ready by then has come.
            UnavailableError: no derive process can be started, or the pool was closed.
        """
        batches: queue.SimpleQueue[list[DocumentPath]] = queue.SimpleQueue()
        count = 0
        for batch in batches_of(work, ASIDE_BYTES if self._aside else BATCH_BYTES):
            batches.put(batch)
            count += 1
        results: Results = queue.Queue(maxsize=8)
        this_round = Round()
        threads = [
            threading.Thread(target=self._work, args=(batches, results, this_round), daemon=True)
            for _ in range(min(1 if self._aside else self._processes, count))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in range(count):
                while True:
                    if should_stop():
                        yield from this_round.left(threads, results)
                        raise CancelledError("Indexing was stopped; what was published before still answers.")
                    try:
                        result = results.get(timeout=0.1)
                        break
                    except queue.Empty:
                        continue
                if isinstance(result, BaseException):
                    raise result
                yield from result
        finally:
            for _ in this_round.left(threads, results):
                pass

    def derive_text(self, path: DocumentPath, text: str) -> Derived:
        """Facts of one text. A parser that hangs or dies on it leaves plain chunks and a problem.

        Raises:
            UnavailableError: no derive process can be started, or the pool was closed.
        """
        child = self._take(path)
        derived = child.ask_text(path, text, self._options.deadline_s + GRACE_S)
        if derived is not None:
            self._give_back(child)
            return derived
        return extract.derive(text, languages.detect(path, text[:4096]).name, failure=_failure(child))

    def _work(
        self,
        batches: "queue.SimpleQueue[list[DocumentPath]]",
        results: Results,
        this_round: Round,
    ) -> None:
        while not this_round.over:
            try:
                batch = batches.get_nowait()
            except queue.Empty:
                return
            try:
                results.put(self._derive(batch, this_round))
            except Exception as error:
                results.put(error)
                return

    def _derive(self, batch: list[DocumentPath], this_round: Round) -> list[Outcome]:
        """Outcomes of a batch; those that there are by then when the round is over."""
        outcomes: list[Outcome] = []
        rest, again = batch, False
        while rest:
            child = self._take_for(this_round)
            if child is None:
                return outcomes
            if not this_round.begin(child):
                self._give_back(child)
                return outcomes
            # A death may be nobody's fault, as when memory is short: the file is asked for once more, alone.
            asked = rest[:1] if again else rest
            done = child.ask(asked, self._patience_s())
            this_round.end(child)
            outcomes += done
            rest = rest[len(done) :]
            if len(done) == len(asked):
                self._give_back(child)
                again = False
            elif this_round.over:
                return outcomes
            elif again or child.hung:
                outcomes.append(self._unparsed(rest[0], _failure(child)))
                rest, again = rest[1:], False
            else:
                again = True
        return outcomes

    def _patience_s(self) -> float:
        return (self._options.deadline_s + GRACE_S) * (ASIDE_TIMES if self._aside else 1)

    def _unparsed(self, path: DocumentPath, failure: Problem) -> Outcome:
        return derive_file(path, self._options, None, load_annotator(self._options.annotator), failure=failure)

    def _take(self, buffer: str = "") -> _Child:
        """An idle process, best the one that read this open buffer before; else a new one, room or not."""
        child = self._alive(buffer)
        if child is None:
            self._room.push_in()
            child = self._start()
        return child

    def _take_for(self, this_round: Round) -> _Child | None:
        """An idle process, else a new one as soon as there is room; None when the round is over by then."""
        child = self._alive()
        if child is not None:
            return child
        if not self._room.enter(self._processes, lambda: this_round.over or self._closed):
            return None if not self._closed else self._pop("")
        return self._start()

    def _alive(self, buffer: str = "") -> _Child | None:
        while (child := self._pop(buffer)) is not None:
            if child.alive:
                return child
            child.close()  # it ended while nobody needed it; no file is to blame for that
        return None

    def _start(self) -> _Child:
        """A new process, in a place that was taken for it."""
        try:
            return _Child(self._options, self._room, aside=self._aside)
        except OSError as error:
            self._room.leave()
            raise UnavailableError(f"No derive process can be started ({error.strerror}); free some memory.") from error

    def _pop(self, buffer: str) -> _Child | None:
        with self._lock:
            if self._closed:
                raise UnavailableError(CLOSED)
            if not self._idle:
                return None
            best = next((at for at, child in enumerate(self._idle) if child.buffer == buffer), -1)
            return self._idle.pop(best)

    def surrender(self) -> _Child | None:
        """Give up the process that was idle for longest, for the work of another tree; see `Room.enter`."""
        with self._lock:
            return self._idle.pop(0) if self._idle else None

    def _give_back(self, child: _Child) -> None:
        with self._lock:
            kept = not self._closed and child.options == self._options
            if kept:
                child.idle_since = time.monotonic()
                self._idle.append(child)
                self._watch_idle()
        if not kept:
            child.close()

    def _watch_idle(self) -> None:
        """See to it that idle processes end; the lock is held."""
        if self._reaper is None and self._idle:
            self._reaper = threading.Timer(self._idle_s, self._end_idle)
            self._reaper.daemon = True
            self._reaper.start()

    def _end_idle(self) -> None:
        """End the processes that had no work for so long: each holds what it learned of languages and words."""
        until = time.monotonic() - self._idle_s
        with self._lock:
            self._reaper = None
            ended = [child for child in self._idle if child.idle_since <= until]
            self._idle = [child for child in self._idle if child.idle_since > until]
            self._watch_idle()
        for child in ended:
            child.close()

    def close(self) -> None:
        """End the idle processes, and start no more; a second call does nothing."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            if self._reaper is not None:
                self._reaper.cancel()
        for child in idle:
            child.close()


def _failure(child: _Child) -> Problem:
    """What a text is told to have done to the process that it was parsed in."""
    if child.hung:
        return Problem("timeout", "reading its structure took too long")
    return Problem("crash", "the parser did not survive it")
