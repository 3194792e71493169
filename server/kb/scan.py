"""Which files a tree has, what was left out and why, and the quick look that finds what changed since.

``list_tree`` looks at everything. ``sweep`` asks every known file, folder and rule file for its signature, and lists
again when a folder or a rule changed; nothing is believed because of a time alone: a signature that was taken too soon
after a change is *suspect*, and its file has to be hashed. A tree that cannot be read is an error and never an empty
tree; files in a folder that cannot be read any more stay known.

Settings are ``scan_rules``; the pass over the tree is ``walk``; git is ``git``. Nothing is read here but ignore files.
"""

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from . import limit
from .errors import CancelledError
from .model import DocumentPath, Signature
from .scan_rules import Refusal, ScanRules
from .survey import survey
from .walk import Frame, Ground, enter, look_inside, refuse, signature, start, walk

__all__ = ["Refusal", "Scan", "ScanRules", "Sweep", "Verdict", "compare", "list_tree", "sweep", "would_index"]

Clock = Callable[[], int]
ShouldStop = Callable[[], bool]
Progress = Callable[[int, int], None]

BATCH = 2_000
"""Files between two looks at ``should_stop``: about 4 ms."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a tree had when it was listed. Paths are sorted; ``""`` in ``directories`` is the root.

    ``rule_files`` are absolute paths of everything that decides what is listed: ignore files, git's index and settings;
    None stands for one that is not there. All signatures carry the time at which the listing began.
    """

    files: Mapping[DocumentPath, Signature]
    directories: Mapping[DocumentPath, Signature]
    rule_files: Mapping[str, Signature | None]
    refused: Mapping[Refusal, int]
    examples: Mapping[Refusal, tuple[str, ...]]  # the first few paths of each reason
    oversize: Mapping[DocumentPath, Signature]  # refused for their size; they may shrink
    failed: tuple[str, ...]  # folders that could not be read
    lister: Literal["git", "walk"]
    notices: tuple[str, ...]
    suspect: frozenset[DocumentPath]  # files whose signature is not to be trusted yet
    partial: bool = False  # cut at ``max_files``


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


class Verdict(NamedTuple):
    """Whether one path would be listed; true when it would."""

    reason: Refusal | None

    def __bool__(self) -> bool:
        return self.reason is None


def list_tree(
    root: str, rules: ScanRules, clock: Clock = time.time_ns, *, should_stop: ShouldStop | None = None
) -> Scan:
    """List the files of the tree at ``root``, an absolute real path.

    Raises UnavailableError when the root cannot be read, TruncatedError when it has more than ``max_files`` files
    (unless ``allow_partial``), InvalidArgumentError for a bad glob, CancelledError when ``should_stop`` says so.
    """
    around = survey(root, rules, clock(), should_stop=should_stop)
    found = walk(around.ground, should_stop)
    beyond = sum(found.beyond.values())
    if beyond and not rules.allow_partial:
        raise limit.too_many_files(found.files, found.beyond, rules.max_files)
    notices = around.notices
    if beyond:
        notices += (f"Only {len(found.files)} of {len(found.files) + beyond} files are listed (--allow-partial).",)
    return Scan(
        files=dict(sorted(found.files.items())),
        directories=dict(sorted(found.directories.items())),
        rule_files=dict(sorted((around.rule_files | found.rule_files).items())),
        refused=dict(sorted(found.refused.items())),
        examples={reason: tuple(paths) for reason, paths in sorted(found.examples.items())},
        oversize=found.oversize,
        failed=tuple(sorted(found.failed)),
        lister="walk" if around.ground.listed is None else "git",
        notices=notices,
        suspect=frozenset(path for path, known in found.files.items() if not known.trusted()),
        partial=beyond > 0,
    )


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
    if not _must_list(root, rules, previous):
        seen = _look(root, rules, previous, taken_ns, should_stop, progress)
        if seen is not None:
            return seen
    try:
        return compare(previous.files, list_tree(root, rules, lambda: taken_ns, should_stop=should_stop))
    except CancelledError:
        return Sweep(previous, full=True, complete=False)


def would_index(root: str, rules: ScanRules, path: DocumentPath) -> Verdict:
    """Say whether ``list_tree`` would list ``path`` now, the limit on the number of files aside.

    Raises what ``list_tree`` does, but for TruncatedError.
    """
    *folders, name = path.split("/")
    if not name or not all(folders) or {".", ".."} & {*folders, name}:
        return Verdict(Refusal.MISSING)
    if ".git" in (*folders, name):
        return Verdict(Refusal.IGNORED)
    ground = survey(root, rules, time.time_ns(), paths=(path,)).ground
    try:
        frame: Frame | Refusal = look_inside(ground, start(ground))
        for folder in folders:
            if isinstance(frame, Refusal):
                break
            frame = _step(ground, frame, folder)
        if isinstance(frame, Refusal):
            return Verdict(frame)
        status = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return Verdict(Refusal.MISSING)
    except OSError:
        return Verdict(Refusal.UNREADABLE)
    return Verdict(_by_kind(status) or refuse(ground, frame, path, name) or _by_size(status, rules))


def _step(ground: Ground, frame: Frame, folder: str) -> Frame | Refusal:
    """Go one folder down, as the walk does."""
    path = frame.lead + folder
    status = os.lstat(os.path.join(ground.root, path))
    if not stat.S_ISDIR(status.st_mode):
        return _by_kind(status) or Refusal.MISSING
    entered = enter(ground, frame, path, folder)
    return look_inside(ground, entered) if isinstance(entered, Frame) else entered


def _by_kind(status: os.stat_result) -> Refusal | None:
    if stat.S_ISLNK(status.st_mode):
        return Refusal.LINK
    return None if stat.S_ISREG(status.st_mode) else Refusal.SPECIAL


def _by_size(status: os.stat_result, rules: ScanRules) -> Refusal | None:
    return Refusal.SIZE if status.st_size > rules.max_file_bytes else None


# ---------------------------------------------------------------- the quick look


def _must_list(root: str, rules: ScanRules, previous: Scan) -> bool:
    """Say whether a folder or a rule changed, or a file may be listed now that was too large."""
    if not all(_is_still(os.stat, path, known) for path, known in previous.rule_files.items()):
        return True
    lead = os.path.join(root, "")
    if not all(_is_still(os.lstat, lead + path, known) for path, known in previous.directories.items()):
        return True
    return any(_fits(lead + path, rules.max_file_bytes) for path in previous.oversize)


def _is_still(ask: Callable[[str], os.stat_result], path: str, known: Signature | None) -> bool:
    """Say whether a folder or a rule file certainly is as it was."""
    try:
        now = ask(path)
    except OSError:
        return known is None
    return (
        known is not None
        and known.mtime_ns == now.st_mtime_ns
        and known.ctime_ns == now.st_ctime_ns
        and known.inode == now.st_ino
        and known.size == now.st_size
        and known.trusted()
    )


def _fits(path: str, max_bytes: int) -> bool:
    try:
        return os.lstat(path).st_size <= max_bytes
    except OSError:
        return True


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
    for path, known in previous.files.items():
        if checked % BATCH == 0:
            if progress is not None:
                progress(checked, total)
            if should_stop is not None and should_stop():
                stopped = True
                break
        checked += 1
        try:
            now = lstat(lead + path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            unreadable.append(path)
            continue
        if (
            now.st_mtime_ns == known.mtime_ns
            and now.st_ctime_ns == known.ctime_ns
            and now.st_size == known.size
            and now.st_ino == known.inode
        ):
            if path in suspect:
                again[path] = signature(now, taken_ns)
        elif not stat.S_ISREG(now.st_mode) or now.st_size > rules.max_file_bytes:
            return None
        else:
            moved[path] = signature(now, taken_ns)
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
