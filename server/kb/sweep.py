"""The quick look at a tree: which files are not as they were when it was last listed.

Every known file, folder and rule file is asked for its signature; nothing is believed because of a time alone: a
signature that was taken too soon after a change is *suspect*, and its file has to be hashed. The tree is listed again
when something may be listed that was not: a folder has other entries, or a rule changed. Files in a folder that cannot
be read any more stay known.
"""

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from . import git
from .errors import CancelledError, UnavailableError
from .listing import Clock, Scan, ShouldStop, list_tree, listed_key
from .model import DocumentPath, Signature
from .scan_rules import ScanRules
from .turn import fits, turn
from .walk import content_key, signature_of

Progress = Callable[[int, int], None]

BATCH = 2_000
"""Files between two looks at ``should_stop``: about 4 ms."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep found, compared with what was known. All paths sorted, in one of the lists at most.

    ``changed`` and ``created`` have to be read. ``suspect`` look unchanged by a signature that cannot be trusted: hash
    them. ``unreadable`` may still be there; keep what is known of them. ``scan`` is what to pass to the next sweep once
    these were dealt with. When ``complete`` is False the sweep was stopped and says nothing about the other files.
    """

    scan: Scan
    changed: tuple[DocumentPath, ...] = ()
    created: tuple[DocumentPath, ...] = ()
    deleted: tuple[DocumentPath, ...] = ()
    suspect: tuple[DocumentPath, ...] = ()
    unreadable: tuple[DocumentPath, ...] = ()
    full: bool = False  # the tree was listed again
    complete: bool = True
    checked: int = 0


def sweep(
    root: str,
    rules: ScanRules,
    previous: Scan,
    clock: Clock = time.time_ns,
    *,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Find what changed in the tree since ``previous``, without reading any file.

    ``progress`` is told how many files were looked at, of how many. Stopped by ``should_stop``, it returns what it has
    found so far with ``complete`` False. Raises what ``list_tree`` does, but for CancelledError.
    """
    taken_ns = clock()
    try:
        settled = _settled(root, rules, previous, taken_ns, should_stop)
        if settled is not None:
            seen = _look(root, rules, settled, taken_ns, should_stop, progress)
            if seen is not None:
                return seen
        again = list_tree(root, rules, lambda: taken_ns, needs_git=previous.lister == "git", should_stop=should_stop)
        return compare(previous.files, again)
    except CancelledError:
        return Sweep(previous, full=True, complete=False)


def compare(known: Mapping[DocumentPath, Signature], scan: Scan) -> Sweep:
    """Say what a fresh listing means for files of which signatures are known, such as those of a stored index."""
    files = scan.files
    created = tuple(path for path in files if path not in known)
    changed = tuple(path for path, now in files.items() if path in known and not now.same(known[path]))
    gone = sorted(path for path in known if path not in files)
    below = tuple(folder + "/" for folder in scan.failed)
    unreadable = tuple(path for path in gone if path.startswith(below)) if below else ()
    if unreadable:
        kept = {path: known[path] for path in unreadable}
        scan = replace(scan, files=dict(sorted({**files, **kept}.items())))
    moved = frozenset(changed)
    return Sweep(
        scan,
        changed,
        created,
        deleted=tuple(path for path in gone if path not in scan.files),
        suspect=tuple(path for path in files if path in known and path not in moved and not known[path].trusted()),
        unreadable=unreadable,
        full=True,
        checked=len(files),
    )


# ---------------------------------------------------------------- the quick look


def _settled(root: str, rules: ScanRules, previous: Scan, taken_ns: int, should_stop: ShouldStop | None) -> Scan | None:
    """Return ``previous`` with what folders and rule files say now; None when other files may be listed now.

    A folder that changed and still holds the same names, as after a save that replaces a file, lists the same; so does
    an index that changed and has git list the same, as after ``git status``.
    """
    lead = os.path.join(root, "")
    folders: dict[DocumentPath, Signature] = {}
    rule_files: dict[str, Signature | None] = {}
    for path, known in previous.rule_files.items():
        now = signature_of(path, taken_ns)
        if not _certain(known, now):
            if not path or path != previous.index or not previous.listed_key:
                return None
            rule_files[path] = now
    if any(fits(lead + path, rules.max_file_bytes) for path in previous.oversize):
        return None
    with turn():
        for path, known in previous.directories.items():
            now = _folder(lead + path, taken_ns)
            if not _certain(known, now):
                key = _content_key(lead + path)
                if now is None or key is None or key != previous.contents.get(path):
                    return None
                folders[path] = now
    if rule_files and _listed_key(root, should_stop) != previous.listed_key:
        return None
    if not folders and not rule_files:
        return previous
    return replace(
        previous,
        directories={**previous.directories, **folders},
        rule_files={**previous.rule_files, **rule_files},
    )


def _folder(path: str, taken_ns: int) -> Signature | None:
    try:
        return Signature.of(os.lstat(path), taken_ns)
    except OSError:
        return None


def _certain(known: Signature | None, now: Signature | None) -> bool:
    """Say whether a folder or a rule file certainly is as it was."""
    if known is None or now is None:
        return known is now
    return now.same(known) and known.trusted()


def _content_key(folder: str) -> int | None:
    try:
        return content_key(folder)
    except OSError:
        return None


def _listed_key(root: str, should_stop: ShouldStop | None) -> int | None:
    try:
        return listed_key(git.list_files(root, should_stop=should_stop))
    except UnavailableError:
        return None


def _look(
    root: str,
    rules: ScanRules,
    previous: Scan,
    taken_ns: int,
    should_stop: ShouldStop | None,
    progress: Progress | None,
) -> Sweep | None:
    """Ask every known file for its signature; None when one is no longer what a listing would list."""
    lead = os.path.join(root, "")
    moved: dict[DocumentPath, Signature] = {}
    again: dict[DocumentPath, Signature] = {}
    unreadable: list[DocumentPath] = []
    suspect, lstat = previous.suspect, os.lstat
    total, checked, stopped = len(previous.files), 0, False
    left = iter(previous.files.items())
    while batch := list(islice(left, BATCH)):
        if progress is not None:
            progress(checked, total)
        if should_stop is not None and should_stop():
            stopped = True
            break
        checked += len(batch)
        with turn():
            for path, known in batch:
                try:
                    now = lstat(lead + path)
                except (FileNotFoundError, NotADirectoryError):
                    return None
                except OSError:
                    unreadable.append(path)
                    continue
                if known.is_of(now):
                    if path in suspect:
                        again[path] = Signature.of(now, taken_ns)
                elif not stat.S_ISREG(now.st_mode) or now.st_size > rules.max_file_bytes:
                    return None
                else:
                    moved[path] = Signature.of(now, taken_ns)
    return Sweep(
        _updated(previous, {**moved, **again}),
        changed=tuple(moved),
        suspect=tuple(again),
        unreadable=tuple(unreadable),
        complete=not stopped,
        checked=checked,
    )


def _updated(previous: Scan, news: Mapping[DocumentPath, Signature]) -> Scan:
    if not news:
        return previous
    racy = {path for path, known in news.items() if not known.trusted()}
    return replace(previous, files={**previous.files, **news}, suspect=(previous.suspect - news.keys()) | racy)
