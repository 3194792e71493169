"""What to say about a tree that has more files than the limit: which folders used it up, and what would help.

Other people's code comes first: folders with names such as ``vendor``, then projects of their own in the tree, such as
the boot loader of a product. The remedy is worked out before it is printed: leaving out what is named brings the tree
under the limit.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from . import ignore
from .errors import TruncatedError
from .scan_rules import VENDORED

NAMED = 4
NEARLY_ALL = 0.8
WORTH_NAMING = 0.05
"""The share of a tree's files below which a folder did not use up the limit."""
MOST_EXCLUDED = 8
"""Folders that a remedy leaves out at most; whoever needs more has another problem."""

VENDORED_RANK, PROJECT_RANK, OWN_RANK = range(3)
_TERMS = ("copying", "license", "licence", "maintainers")
_BUILD_FILES = """
build.gradle cargo.toml cmakelists.txt configure configure.ac gnumakefile go.mod makefile meson.build mix.exs
package.json pom.xml pyproject.toml sconstruct setup.py
"""
_BUILDS = frozenset(_BUILD_FILES.split())
"""A folder that has a way to build it and terms of use (one of these, or a folder of them) is a project of its own. So
is the topmost one that is configured by Kconfig: a kernel, a boot loader, a library for small systems."""


def too_many_files(files: Iterable[str], beyond: Mapping[str, int], limit: int) -> TruncatedError:
    """Make the error for ``files`` up to the limit and, by folder, the number of those past it.

    Its data: ``limit``, ``total``, ``directories`` (path and number of files, what to look at first) and ``exclude``,
    globs that bring the tree under the limit together; none when no folders would.
    """
    files = tuple(files)
    totals = _totals(files, beyond)
    total = totals[""]
    ranks = _Ranks(files)
    folders = _worth_naming(totals, ranks)
    excluded = [f"./{ignore.escape(folder)}" for folder in _enough(totals, ranks, total - limit)]
    named = ", ".join(f"{path or '.'} ({count})" for path, count in folders)
    options = " ".join(f"--exclude {shlex.quote(glob)}" for glob in excluded)
    remedy = f"leave {'one' if len(excluded) == 1 else 'some'} out with {options}, or " if excluded else ""
    return TruncatedError(
        f"The tree has {total} files, more than the limit of {limit}, most of them in {named}; {remedy}"
        f"raise the limit with --max-files {total}, or take the first {limit} with --allow-partial.",
        limit=limit,
        total=total,
        directories=[{"path": path, "files": count} for path, count in folders],
        exclude=excluded,
    )


class _Ranks:
    """Whose code a folder looks like: vendored, a project of its own, or the tree's."""

    def __init__(self, files: Iterable[str]) -> None:
        terms: set[str] = set()
        builds: set[str] = set()
        configured: set[str] = set()
        for path in files:
            folder, _, name = path.rpartition("/")
            low = name.lower()
            above, _, inner = folder.rpartition("/")
            if low in _BUILDS:
                builds.add(folder)
            elif low.startswith(_TERMS):
                terms.add(folder)
            elif low == "kconfig":
                configured.add(folder)
            if inner.lower() == "licenses":
                terms.add(above)
        tops = {folder for folder in configured if not any(above in configured for above in _above(folder))}
        self._projects = (((terms | tops) & builds) | (terms & configured)) - {""}

    def of(self, folder: str) -> int:
        """Return the rank of a folder; the lower, the less it is the tree's own."""
        if folder.rpartition("/")[2] in VENDORED:
            return VENDORED_RANK
        return PROJECT_RANK if folder in self._projects else OWN_RANK


def _totals(files: Iterable[str], beyond: Mapping[str, int]) -> Counter[str]:
    """Count files by folder, each in all folders above it."""
    direct = Counter(path.rpartition("/")[0] for path in files)
    direct.update(beyond)
    totals: Counter[str] = Counter()
    for folder, count in direct.items():
        totals[""] += count
        end = len(folder)
        while end > 0:
            totals[folder[:end]] += count
            end = folder.rfind("/", 0, end)
    return totals


def _worth_naming(totals: Counter[str], ranks: _Ranks) -> list[tuple[str, int]]:
    """Return a few folders that hold much of the tree, none inside another, other people's code first."""
    least = max(1.0, WORTH_NAMING * totals[""])
    foreign = sorted((f for f in totals if f and totals[f] >= least and ranks.of(f) < OWN_RANK), key=len)
    tops = [f for f in foreign if not any(_within(f, other) for other in foreign if other != f)]
    tops.sort(key=lambda folder: (ranks.of(folder), -totals[folder], folder))
    chosen = [(folder, totals[folder]) for folder in tops]
    chosen += [
        (folder, count)
        for folder, count in _heaviest(totals, ranks)
        if not any(_within(folder, top) or _within(top, folder) for top in tops)
    ]
    return chosen[:NAMED] or [("", totals[""])]


def _heaviest(totals: Counter[str], ranks: _Ranks) -> list[tuple[str, int]]:
    """Return folders that hold most of the files, none inside another, heaviest first.

    Each is as deep as it still holds nearly all of its parents' files, but other people's code is named as a whole.
    """
    children: dict[str, list[str]] = {}
    for folder in sorted(totals):
        if folder:
            children.setdefault(folder.rpartition("/")[0], []).append(folder)

    def heir(folder: str, share: float) -> str:
        if folder and ranks.of(folder) < OWN_RANK:
            return ""
        heaviest = max(children.get(folder, ()), key=totals.__getitem__, default="")
        return heaviest if heaviest and totals[heaviest] >= share * totals[folder] else ""

    top = ""
    while (below := heir(top, 1)) and children.get(below):
        top = below
    chosen = []
    for folder in children.get(top, ()):
        deep = folder
        while below := heir(deep, NEARLY_ALL):
            deep = below
        chosen.append((deep, totals[deep]))
    return sorted(chosen, key=lambda item: (-item[1], item[0]))


def _enough(totals: Counter[str], ranks: _Ranks, surplus: int) -> list[str]:
    """Return folders without which the tree has at most the limit, or none. Never so many that nothing is left.

    One that does it alone, if there is one: other people's code first, then the largest, then the one nearest to the
    root. Else, one after the other, the largest of other people's, then the largest.
    """
    left = Counter(totals)
    chosen: list[str] = []
    while surplus > 0:
        folders = [folder for folder, count in left.items() if folder and count < left[""]]
        if not folders or len(chosen) == MOST_EXCLUDED:
            return []
        alone = [folder for folder in folders if left[folder] >= surplus]
        large = [folder for folder in folders if left[folder] >= WORTH_NAMING * totals[""]]
        best = min(alone or large or folders, key=lambda f: (ranks.of(f), -left[f], f.count("/"), f))
        surplus -= left[best]
        chosen.append(best)
        _take_out(left, best)
    return chosen


def _take_out(totals: Counter[str], folder: str) -> None:
    """Take a folder, and what is in it, out of the counts."""
    count = totals[folder]
    for path in [path for path in totals if path and _within(path, folder)]:
        del totals[path]
    for above in _above(folder):
        totals[above] -= count


def _above(folder: str) -> Iterator[str]:
    """Yield the folders above one, up to the root of the tree."""
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
