"""How many derive processes there may be in all, however many trees one process has open.

Every tree has a pool of its own, because a derive process is told once which tree it reads; but the processors are the
same for all of them, and an idle process holds about 70 MB. Whoever wants a process and may have no more gets the room
of another tree's idle one, else waits for one to be done. What somebody types waits for nobody.
"""

import threading
from collections.abc import Callable
from typing import Protocol
from weakref import WeakSet

POLL_S = 0.1
"""How often whoever waits looks whether it should stop waiting."""


class Process(Protocol):
    """A derive process."""

    def close(self) -> None:
        """End it, and say so with `Room.leave`."""


class Pool(Protocol):
    """What has derive processes."""

    def surrender(self) -> Process | None:
        """Give up the process that was idle for longest; None when all are at work."""


class Room:
    """The room of one process of ours. Safe to use from several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pools: WeakSet[Pool] = WeakSet()
        self.count = 0

    def join(self, pool: Pool) -> None:
        """Know of a pool, whose idle processes may have to make room."""
        with self._changed:
            self._pools.add(pool)

    def enter(self, most: int, should_stop: Callable[[], bool]) -> bool:
        """Take a place for one more process, of ``most`` in all; False when it was stopped before there was one.

        Whoever got it calls `leave` once the process has ended.
        """
        while not should_stop():
            with self._changed:
                if self.count < most:
                    self.count += 1
                    return True
                pools = sorted(self._pools, key=id)
            if (idle := next(filter(None, (pool.surrender() for pool in pools)), None)) is not None:
                idle.close()
                continue
            with self._changed:
                if self.count >= most:
                    self._changed.wait(POLL_S)
        return False

    def push_in(self) -> None:
        """Take a place whether there is one or not."""
        with self._changed:
            self.count += 1

    def leave(self) -> None:
        """Give a place back."""
        with self._changed:
            self.count -= 1
            self._changed.notify_all()


ROOM = Room()
