"""What to say about a tree that has more files than the limit: which folders used it up, and what would help.

The remedy is checked before it is printed: leaving out the folder that is named brings the tree under the limit.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping

from . import ignore
from .errors import TruncatedError
from .walk import VENDORED

NAMED = 4
NEARLY_ALL = 0.8


def too_many_files(files: Iterable[str], beyond: Mapping[str, int], limit: int) -> TruncatedError:
    """Make the error for ``files`` up to the limit and, by folder, the number of those past it."""
    totals = _totals(files, beyond)
    total = totals[""]
    folders = _heaviest(totals)
    helps = _enough(totals, total - limit)
    named = ", ".join(f"{path or '.'} ({count})" for path, count in folders)
    exclude = f"./{ignore.escape(helps)}" if helps else ""
    remedy = f"leave one out with --exclude {shlex.quote(exclude)}, or " if helps else ""
    return TruncatedError(
        f"The tree has {total} files, more than the limit of {limit}, most of them in {named}; {remedy}"
        f"raise the limit with --max-files {total}, or take the first {limit} with --allow-partial.",
        limit=limit,
        total=total,
        directories=[{"path": path, "files": count} for path, count in folders],
        exclude=exclude,
    )


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


def _heaviest(totals: Counter[str]) -> list[tuple[str, int]]:
    """Return a few folders that hold most of the files, none inside another.

    Each is as deep as it still holds nearly all of its parents' files, but other people's code is named as a whole.
    """
    children: dict[str, list[str]] = {}
    for folder in sorted(totals):
        if folder:
            children.setdefault(folder.rpartition("/")[0], []).append(folder)

    def heir(folder: str, share: float) -> str:
        heaviest = max(children.get(folder, ()), key=totals.__getitem__, default="")
        return heaviest if heaviest and totals[heaviest] >= share * totals[folder] and not _vendored(folder) else ""

    top = ""
    while (below := heir(top, 1)) and children.get(below):
        top = below
    chosen = []
    for folder in children.get(top, ()):
        deep = folder
        while below := heir(deep, NEARLY_ALL):
            deep = below
        chosen.append((deep, totals[deep]))
    chosen.sort(key=lambda item: (-item[1], item[0]))
    return chosen[:NAMED] or [("", totals[""])]


def _enough(totals: Counter[str], surplus: int) -> str:
    """Return a folder without which the tree has at most the limit, or "". Never one without which nothing is left.

    Vendored-looking first, then the largest, then the one nearest to the root.
    """
    candidates = [
        (not _vendored(folder), -count, folder.count("/"), folder)
        for folder, count in totals.items()
        if folder and surplus <= count < totals[""]
    ]
    return min(candidates)[3] if candidates else ""


def _vendored(folder: str) -> bool:
    return folder.rpartition("/")[2] in VENDORED
