"""All paths of one generation, to be asked which of them end in what somebody wrote. Immutable, in memory.

A name of a file, or the last steps of a path, matches whole steps only (row R6). Nothing is opened or resolved: a path
that is not in the table cannot come out of it, whatever dots or links are asked for (pitfalls SE01, SE02).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, islice, takewhile

from ..kb.model import DocumentPath
from ..kb.paths import fold_key

_END = "\0"  # the one character that no path holds


class PathTable:
    """Paths in order. Made from the last one's: only where a path came or went is anything done."""

    def __init__(self, paths: Iterable[DocumentPath]) -> None:
        self._paths = sorted(paths)

    def after(self, gone: set[DocumentPath], new: set[DocumentPath]) -> "PathTable":
        """Return the table without the paths of ``gone`` and with those of ``new``; this one when that is the same."""
        if gone == new:
            return self
        return PathTable([*(path for path in self._paths if path not in gone), *new])

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        at = bisect_left(self._paths, path)
        return at < len(self._paths) and self._paths[at] == path

    def ending(self, suffix: str, *, folded: bool = False, limit: int = 100) -> tuple[DocumentPath, ...]:
        """Return the paths whose last steps are ``suffix``: one that is it whole first, then by path.

        ``folded`` compares as a file system does that ignores case.
        """
        wanted = normal(fold_key(suffix) if folded else suffix)
        if not wanted or _END in wanted:
            return ()
        joined, starts = self._folded if folded else self._exact
        needle = f"/{wanted}{_END}"
        found: list[int] = []
        at = joined.find(needle)
        while at >= 0:
            found.append(bisect_right(starts, at) - 1)
            at = joined.find(needle, at + 1)
        length = len(wanted)
        found.sort(key=lambda place: (len(self._paths[place]) != length, place))
        return tuple(self._paths[place] for place in found[:limit])

    def bearing(self, steps: str, *, limit: int = 100) -> tuple[DocumentPath, ...]:
        """Return the paths whose last steps without extension are ``steps``: ``ui/menu`` gives ``src/ui/menu.py``."""
        wanted = normal(steps)
        if not wanted or _END in wanted:
            return ()
        joined, starts = self._exact
        needle = f"/{wanted}."
        found: list[DocumentPath] = []
        at = joined.find(needle)
        while at >= 0 and len(found) < limit:
            path = self._paths[bisect_right(starts, at) - 1]
            if bears(path, wanted):
                found.append(path)
            at = joined.find(needle, at + 1)
        return tuple(dict.fromkeys(found))

    def inside(self, folder: str, *, limit: int = 100) -> tuple[DocumentPath, ...]:
        """Return the documents that lie directly in a folder whose path ends in ``folder`` ("" is the root)."""
        wanted = normal(folder)
        if not wanted:
            return tuple(islice((path for path in self._paths if "/" not in path), limit))
        if _END in wanted:
            return ()
        joined, starts = self._exact
        needle = f"/{wanted}/"
        found: list[DocumentPath] = []
        at = joined.find(needle)
        while at >= 0 and len(found) < limit:
            place = bisect_right(starts, at) - 1
            if joined.find("/", at + len(needle), starts[place] + len(self._paths[place]) + 1) < 0:
                found.append(self._paths[place])
            at = joined.find(needle, at + 1)
        return tuple(dict.fromkeys(found))

    def below(self, folder: str, *, limit: int = 1_000) -> tuple[DocumentPath, ...]:
        """Return the paths below a folder, those nearest to it first, then by path; at most ``limit`` are looked at."""
        prefix = f"{normal(folder)}/"
        first = bisect_left(self._paths, prefix)
        inside = takewhile(lambda path: path.startswith(prefix), islice(self._paths, first, first + limit))
        return tuple(sorted(inside, key=lambda path: (path.count("/"), path)))

    @cached_property
    def _exact(self) -> tuple[str, list[int]]:
        return _join(self._paths)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return _join([fold_key(path) for path in self._paths])


def ends_in(path: DocumentPath, suffix: str, *, folded: bool = False) -> bool:
    """Say of one path what `PathTable.ending` says of all."""
    wanted, known = (fold_key(suffix), fold_key(path)) if folded else (suffix, path)
    wanted = normal(wanted)
    return bool(wanted) and f"/{known}".endswith(f"/{wanted}")


def bears(path: DocumentPath, steps: str) -> bool:
    """Say of one path what `PathTable.bearing` says of all."""
    above, slash, name = path.rpartition("/")
    stem, dot, _ = name.partition(".")
    return bool(dot and stem) and f"/{above}{slash}{stem}".endswith(f"/{normal(steps)}")


def normal(suffix: str) -> str:
    """Return the end of a path without what says where it begins: ``./``, ``/``."""
    while suffix.startswith("./"):
        suffix = suffix[2:]
    return suffix.strip("/")


def _join(paths: list[str] | list[DocumentPath]) -> tuple[str, list[int]]:
    parts = [f"/{path}{_END}" for path in paths]
    return "".join(parts), list(accumulate(map(len, parts), initial=0))[:-1]
