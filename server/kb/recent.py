"""What was read lately, kept at hand within a bound of weight; shared by threads."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping that forgets what was used longest ago.

    Args:
        bound: the most weight to keep; a value heavier than that is not kept at all.
        weigh: the weight of a value; 1 for each without it.
    """

    def __init__(self, bound: int, weigh: Callable[[V], int] = lambda _value: 1) -> None:
        self._bound = bound
        self._weigh = weigh
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value that is kept for a key."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def some(self, keys: Iterable[K]) -> dict[K, V]:
        """The values that are kept for some keys; others are left out."""
        found: dict[K, V] = {}
        kept = self._kept
        with self._lock:
            for key in keys:
                if key in kept:
                    kept.move_to_end(key)
                    found[key] = kept[key]
        return found

    def put(self, key: K, value: V) -> None:
        """Keep a value; a key that is kept already stays as it is."""
        weight = self._weigh(value)
        with self._lock:
            if key in self._kept or weight > self._bound:
                return
            self._kept[key] = value
            self._weight += weight
            while self._weight > self._bound:
                self._weight -= self._weigh(self._kept.popitem(last=False)[1])

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._weight = 0
