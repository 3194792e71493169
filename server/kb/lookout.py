"""Whether trees are as they were, asked of a process beside this one.

A sweep asks the file system about every file, and each time gives the interpreter away to the questions that it works
beside, and takes it from them: with several trees they lose more by that than the sweep takes. A tree in which the last
whole look found nothing to do is therefore looked at by one lookout process for all trees (`lookout_child`). It says
only whether everything is as it was. Whatever else happens - a file has changed, a time cannot be trusted, the process
is not there yet, has died or does not answer - the tree is swept here, as it always was.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from subprocess import Popen, TimeoutExpired

import msgspec

from .child import receive, send, start
from .listing import Scan
from .lookout_child import Listing, Question

LEAST_FILES = 500
"""Files of a tree that are worth a process: fewer are looked at in a millisecond or two."""
POLL_S = 0.02
PATIENCE_S = 10.0
"""How long an answer is waited for. Then the disk is asked here, which may take as long."""

_encode = msgspec.msgpack.Encoder().encode
_answer = msgspec.msgpack.Decoder(tuple[int, bool]).decode


class _Process:
    """One lookout process, with a thread that writes to it and one that reads: nobody hangs on a pipe with it.

    Raises:
        OSError: it cannot be started.
        RuntimeError: there can be no more threads.
    """

    def __init__(self) -> None:
        self._process: Popen[bytes] = start("lookout_child")
        self._lock = threading.Lock()
        self._asked: dict[int, Future[bool]] = {}
        self._letters: SimpleQueue[bytes | None] = SimpleQueue()
        self.told: dict[int, object] = {}
        """The state of each tree that it was told of."""
        self.ready = threading.Event()
        self.over = False
        try:
            threading.Thread(target=self._read, name="lookout-read", daemon=True).start()
            threading.Thread(target=self._write, name="lookout-write", daemon=True).start()
        except RuntimeError:
            self.end()
            with suppress(TimeoutExpired, OSError):
                self._process.communicate(timeout=POLL_S)
            raise

    def ask(self, question: Question) -> "Future[bool]":
        """Ask; the answer is no where it ends before it has said anything else.

        Raises:
            UnicodeEncodeError: a name is no text.
        """
        letter, future = _encode(question), Future[bool]()
        with self._lock:
            if self.over:
                future.set_result(False)
            else:
                self._asked[question.number] = future
        self._letters.put(letter)
        return future

    def forget(self, tree: int) -> None:
        """Have it forget a tree."""
        if self.told.pop(tree, None) is not None:
            self._letters.put(_encode(Question(tree, over=True)))

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended, which the other thread sees
            while (letter := self._letters.get()) is not None:
                send(self._process.stdin, letter)
        with suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while (payload := receive(self._process.stdout)) is not None:
                number, found = _answer(payload)
                self.ready.set()
                with self._lock:
                    future = self._asked.pop(number, None)
                if future is not None:
                    future.set_result(found)
        except (OSError, msgspec.DecodeError):  # one of another version, where this one was replaced on disk
            pass
        finally:
            self.end()
            self._letters.put(None)
        self._process.stdout.close()
        self._process.wait()

    def _give_up(self) -> None:
        """Have nobody wait for it any more."""
        with self._lock:
            self.over = True
            asked, self._asked = self._asked, {}
        for future in asked.values():
            future.set_result(False)

    def end(self) -> None:
        """End it in the middle of what it is at; on a disk that does not answer it lives on, and nobody cares."""
        self._give_up()
        with suppress(OSError):
            self._process.kill()


class Lookout:
    """The lookout process of this one: started when it is first needed, and again where it has ended.

    It ends with the last station. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._numbers = count(1)
        self._stations: set[int] = set()

    def station(self) -> "Station":
        """A place for one tree."""
        with self._lock:
            tree = next(self._numbers)
            self._stations.add(tree)
        return Station(self, tree)

    def process(self) -> _Process | None:
        """The process if it is ready; where there is none, and a station, one is started for the next time."""
        with self._lock:
            if not self._stations:
                return None
            if self._process is None or self._process.over:
                self._process = None
                with suppress(OSError, RuntimeError):  # no memory, or no more processes or threads
                    self._process = _Process()
            return self._process if self._process is not None and self._process.ready.is_set() else None

    def number(self) -> int:
        """A number for a question."""
        return next(self._numbers)

    def leave(self, tree: int) -> None:
        """Forget a tree, and end the process with the last one."""
        with self._lock:
            self._stations.discard(tree)
            last, process = not self._stations, self._process
            if last:
                self._process = None
        if process is not None:
            process.forget(tree)
            if last:
                process.end()


class Station:
    """Where one tree is looked at from; asked by one thread at a time."""

    def __init__(self, lookout: Lookout, tree: int) -> None:
        self._lookout = lookout
        self._tree = tree

    def unmoved(
        self, state: object, root: str, scan: Scan, max_file_bytes: int, should_stop: Callable[[], bool]
    ) -> bool:
        """Whether everything certainly is as ``scan`` has it.

        Args:
            state: stands for ``scan``, which must not change while it is the same.
            root: the tree, an absolute real path.
            scan: the tree as it is known.
            max_file_bytes: what is larger is refused.
            should_stop: ends the waiting; the answer is no then.
        """
        process = self._lookout.process() if len(scan.files) >= LEAST_FILES else None
        if process is None:
            return False
        listing = None
        if process.told.get(self._tree) is not state:
            if not _certain(scan):
                return False
            over = tuple(scan.oversize)
            listing = Listing(root, max_file_bytes, scan.files, scan.directories, scan.rule_files, over)
        try:
            answer = process.ask(Question(self._tree, self._lookout.number(), listing))
        except UnicodeEncodeError:
            return False
        process.told[self._tree] = state
        for _ in range(round(PATIENCE_S / POLL_S)):
            with suppress(FutureTimeout):
                return answer.result(POLL_S)
            if should_stop():
                return False
        process.end()
        return False

    def close(self) -> None:
        """Have the tree forgotten."""
        self._lookout.leave(self._tree)


def _certain(scan: Scan) -> bool:
    """Whether equal signatures say that nothing has changed."""
    return (
        not scan.suspect
        and not scan.failed
        and all(known.trusted() for known in scan.directories.values())
        and all(known is None or known.trusted() for known in scan.rule_files.values())
    )


LOOKOUT = Lookout()
"""Of this process."""
