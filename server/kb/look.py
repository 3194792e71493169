"""What has to be read: the whole tree compared with what is known of it, or only the paths that somebody named.

A look at named paths costs what they cost, however large the tree is. It asks for no folder and no rule; a path that is
not known is listed as the rules say now, and many of those are a look at the whole tree. No file is read here.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .derive import Clock
from .errors import CancelledError
from .job import Job
from .model import DocumentPath, Signature
from .scan import Refusal, Scan, ScanRules, Sweep, compare, list_tree, sweep, would_index
from .tree import TreeState
from .walk import unreadable

STRANGERS = 16
"""Unknown paths, about each of which git may be asked; more of them cost more than looking at the whole tree."""


class Look(NamedTuple):
    """What a look found.

    ``scan`` is the tree as it is now, or, when it was not ``whole``, as it was; ``there`` are the files of the tree
    among those that were looked at, with what the disk says of them. ``doubtful`` are those whose bytes have to be
    looked at, ``gone`` those that are known and not in the tree any more.
    """

    scan: Scan
    there: Mapping[DocumentPath, Signature]
    doubtful: set[DocumentPath]
    gone: list[DocumentPath]
    whole: bool
    listed: bool = False
    unreadable: int = 0  # known files in folders that cannot be entered now; what is known of them stays


def look(
    root: str,
    rules: ScanRules,
    state: TreeState,
    job: Job,
    clock: Clock,
    *,
    changed_settings: bool,
    outdated: Iterable[DocumentPath],
) -> Look:
    """Look at what a job asks for, or at the whole tree when that is needed to answer.

    Args:
        root: the tree.
        rules: which files it has.
        state: what is known of it.
        job: what is asked for.
        clock: when signatures are taken.
        changed_settings: the known tree was listed by other settings.
        outdated: documents to be derived again when the whole tree is looked at, whatever the disk says.

    Raises:
        CancelledError: the job was told to stop, or gives way.
        UnavailableError, TruncatedError: as `scan.list_tree`.
    """
    everything = job.force or (job.whole and (job.strict or job.dirty.all))
    if state.scan is None or changed_settings or everything or _limit_moved(state.scan, rules):
        job.tell("listing")
        by_git = state.scan is not None and state.scan.lister == "git"
        listing = list_tree(root, rules, clock, needs_git=by_git, should_stop=job.should_stop)
        found = compare({p: s.signature for p, s in state.files.items() if s.refusal != Refusal.SIZE}, listing)
    else:
        glance = None if job.whole else _glance(root, rules, state, state.scan, job)
        if glance is not None:
            return glance
        found = sweep(root, rules, state.scan, clock, should_stop=job.stops_looking)
    if not found.complete:
        raise CancelledError("Indexing was stopped; what was published before still answers.")
    return _whole(found, state, everything, {*job.dirty.paths, *outdated})


def _whole(found: Sweep, state: TreeState, everything: bool, named: set[DocumentPath]) -> Look:
    scan = found.scan
    gone = [path for path in state.files if path not in scan.files and path not in scan.oversize]
    doubtful = set(scan.files) if everything else {*found.changed, *found.created, *found.suspect}
    doubtful.update(path for path in named if path in scan.files)
    return Look(scan, scan.files, doubtful, gone, True, found.full, len(found.unreadable))


def _limit_moved(scan: Scan, rules: ScanRules) -> bool:
    """Whether the limit on files would cut the tree elsewhere than it did."""
    return len(scan.files) > rules.max_files or (scan.partial and len(scan.files) < rules.max_files)


def _glance(root: str, rules: ScanRules, state: TreeState, scan: Scan, job: Job) -> Look | None:
    """Look at the dirty paths alone; None when the tree has to be looked at for that.

    That is so for many unknown ones, and for a known one that is there and not let in any more, as a file that has
    become too large: only a listing counts it, and sees when it comes back.
    """
    paths = job.dirty.paths
    if sum(path not in scan.files for path in paths) > STRANGERS:
        return None
    there: dict[DocumentPath, Signature] = {}
    for path in paths:
        known = scan.files.get(path)
        now = _signature_now(root, rules, path, known, job)
        if now is not None:
            there[path] = now
        elif known is not None and os.path.lexists(os.path.join(root, path)):
            return None
    gone = [path for path in paths if path not in there and path in state.files and path not in scan.oversize]
    if gone:
        try:
            os.scandir(root).close()
        except OSError as error:  # its files have not been deleted
            raise unreadable(root, error) from error
    return Look(scan, there, set(there), gone, whole=False)


def _signature_now(
    root: str, rules: ScanRules, path: DocumentPath, known: Signature | None, job: Job
) -> Signature | None:
    """What the disk says of a file; None when it is no file of the tree."""
    try:
        status = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return known  # it cannot be seen; what is known of it stays, and the boundary does not serve it
    regular = stat.S_ISREG(status.st_mode) and status.st_size <= rules.max_file_bytes
    if known is None or not regular:
        verdict = would_index(root, rules, path, should_stop=job.should_stop)
        if not verdict:
            return known if verdict.reason is Refusal.UNREADABLE else None
    return Signature.of(status, 0)
