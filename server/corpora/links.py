"""Where the roots of the registry are, links followed, and whether they are there, without waiting for a dead disk.

To follow a link is to ask the disk it lies on, and one that is gone (a network, mostly) answers nobody: whoever asks it
hangs, and cannot be ended. So threads of their own ask, which nobody waits for longer than a moment; a root that is
being asked about is not asked about again. Whoever reads the registry is told what is known by then.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait

WAIT_S = 3.0
"""How long answers are waited for, all together. They take microseconds; a root that gives none costs this once."""
STEP_S = 0.25
"""How long nothing may come before another thread goes on with those behind the root that hangs."""

_Asked = deque[tuple[str, "Future[str]"]]


class Links:
    """Follows links, and knows where they led last. Safe to use from threads.

    Args:
        realpath: asks the disk; it says "" of what is not there, where that matters.
        wait_s: how long answers are waited for.
    """

    def __init__(self, *, realpath: Callable[[str], str] = os.path.realpath, wait_s: float = WAIT_S) -> None:
        self._realpath = realpath
        self._wait_s = wait_s
        self._lock = threading.Lock()
        self._found: dict[str, str] = {}
        self._asked: dict[str, Future[str]] = {}  # a thread has them, or will have
        self._silent: set[str] = set()  # of those, what was waited for in vain

    def follow(self, roots: Iterable[str]) -> Mapping[str, str]:
        """Return the real paths of roots; where one does not answer, that of before, or nothing where none is known."""
        waiting: _Asked = deque()
        with self._lock:
            wanted = tuple(dict.fromkeys(roots))
            for root in wanted:
                if root not in self._asked:
                    self._asked[root] = Future()
                    waiting.append((root, self._asked[root]))
            mine = {root: self._asked[root] for root in wanted}
            left = {future for root, future in mine.items() if root not in self._silent}
        until = time.monotonic() + self._wait_s
        self._begin(waiting)
        while left and (patience := until - time.monotonic()) > 0.0:
            before = len(left)
            left = wait(left, min(STEP_S, patience)).not_done
            if len(left) == before:
                self._begin(waiting)
        with self._lock:
            while waiting:  # those that no thread has come to are asked about the next time
                del self._asked[waiting.popleft()[0]]
            self._silent |= {root for root, future in mine.items() if self._asked.get(root) is future}
            return {root: self._found[root] for root in wanted if root in self._found}

    def is_silent(self, root: str) -> bool:
        """Say whether a root was asked about in vain, and has not answered since."""
        with self._lock:
            return root in self._silent

    def _begin(self, waiting: _Asked) -> None:
        if not waiting:
            return
        try:
            threading.Thread(target=self._work, args=(waiting,), name="links", daemon=True).start()
        except RuntimeError:  # no more threads: then whoever wants to know asks, and waits for as long as it takes
            self._work(waiting)

    def _work(self, waiting: _Asked) -> None:
        while True:
            with self._lock:
                if not waiting:
                    return
                root, future = waiting.popleft()
            real = self._realpath(root)
            with self._lock:
                self._found[root] = real
                self._asked.pop(root, None)
                self._silent.discard(root)
            future.set_result(real)


LINKS = Links()
"""What this process knows: a disk that does not answer is waited for once, however often the registry is read."""


def folder_at(root: str) -> str:
    """Return a root that is a folder now, "" for any other."""
    return root if os.path.isdir(root) else ""


FOLDERS = Links(realpath=folder_at)
"""The same of folders that have to be there: a disk may die after it was asked where they are."""


def is_there(root: str, folders: Links = FOLDERS) -> bool:
    """Say whether a folder is there; one whose disk does not answer is not, until it does."""
    found = folders.follow((root,)).get(root)
    return bool(found) and not folders.is_silent(root)
