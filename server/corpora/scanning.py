"""Which trees below a folder could be registered: repositories, with what would be indexed of each (row C2).

Looks only: nothing is read but names and ignore files, nothing is registered or indexed.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import msgspec

from ..kb.errors import CancelledError, GazetteerError
from ..kb.listing import list_tree
from ..kb.paths import printable
from ..kb.walk import is_repository
from ..settings import Settings
from .config import TreeConfig, read_config, scan_rules
from .entry import entry_of
from .registry import Registry
from .registry_json import composed, is_mark, name_fault

DEFAULT_LEAST = 20
NO_LIMIT = 1 << 62
PASSED_OVER = frozenset(("node_modules", "__pycache__"))
"""Folders that are not looked into; neither are hidden ones."""
_NO_NAME = re.compile(r"[^\w.+-]")


class Candidate(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A repository that could be registered; ``name`` is free to be taken, ``registered`` the name it has already."""

    name: str
    root: str
    files: int
    registered: str = ""


class Scanned(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The repositories below a folder that have at least ``least`` files to index, and how many have fewer."""

    folder: str
    least: int
    candidates: tuple[Candidate, ...] = ()
    smaller: int = 0
    notices: tuple[str, ...] = ()


def scan(
    folder: str,
    registry: Registry,
    settings: Settings,
    *,
    least: int = DEFAULT_LEAST,
    should_stop: Callable[[], bool] | None = None,
) -> Scanned:
    """Look for repositories below a folder, itself included, and count what would be indexed of each.

    Args:
        folder: a real path.
        registry: what is registered.
        settings: what the user has set.
        least: the fewest files that make a tree worth listing.
        should_stop: says when to stop.

    Raises:
        CancelledError: ``should_stop`` said so.
    """
    names = {corpus.real: corpus.name for corpus in registry.corpora.values()}
    taken = {*registry.corpora, *registry.broken}
    candidates: list[Candidate] = []
    notices: list[str] = []
    smaller = 0
    for root in repositories(folder, should_stop):
        try:
            files = count(root, registry, settings, should_stop)
        except CancelledError:
            raise
        except GazetteerError as error:
            notices.append(f"{printable(root)}: {error.message}")
            continue
        if files < least:
            smaller += 1
            continue
        name = names.get(root) or free_name(root, taken)
        taken.add(name)
        candidates.append(Candidate(name=name, root=root, files=files, registered=names.get(root, "")))
    return Scanned(folder=folder, least=least, candidates=tuple(candidates), smaller=smaller, notices=tuple(notices))


def repositories(folder: str, should_stop: Callable[[], bool] | None = None) -> Iterator[str]:
    """Yield the folders, from ``folder`` down, that are repositories; no link is followed, hidden ones are passed over.

    Raises:
        CancelledError: ``should_stop`` said so.
    """
    waiting = [folder]
    while waiting:
        if should_stop is not None and should_stop():
            raise CancelledError("The search was stopped; start it again.")
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                below = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
            found = os.path.lexists(os.path.join(here, ".git")) and is_repository(here)
        except OSError:
            continue  # not ours to read, or gone
        if found:
            yield here
        waiting += [
            os.path.join(here, name) for name in reversed(below) if not name.startswith(".") and name not in PASSED_OVER
        ]


def count(root: str, registry: Registry, settings: Settings, should_stop: Callable[[], bool] | None = None) -> int:
    """Return how many files of a tree would be indexed, the limit on their number aside.

    Raises:
        GazetteerError: the tree or its settings cannot be read.
    """
    try:
        config = read_config(root)
    except GazetteerError:
        config = TreeConfig()  # whoever indexes it is told
    rules = scan_rules(settings, config, entry_of(registry, root))
    return len(list_tree(root, replace(rules, max_files=NO_LIMIT), should_stop=should_stop).files)


def free_name(root: str, taken: Collection[str]) -> str:
    """Return a name for a tree that nobody has: its folder, else with the folder above it, else with a number."""
    words = [part for part in root.split(os.sep) if part]
    tries = [_as_name(words[-1:]), _as_name(words[-2:])]
    tries += [f"{tries[0]}-{number}" for number in range(2, len(taken) + 3)]
    return next(name for name in tries if name not in taken and not name_fault(name))


def _as_name(words: list[str]) -> str:
    said = composed("-".join(words))
    kept = "".join(part if is_mark(part) or not _NO_NAME.match(part) else " " for part in said)
    return "-".join(kept.split()).strip("-.+")[:100] or "tree"
