"""Which files a tree has: the front of this part of the room, and the question about one path.

``list_tree`` (``listing``) looks at everything; ``sweep`` finds what changed since; ``would_index`` answers for one
path what a listing would. Settings are ``scan_rules``, the pass over a tree ``walk``, what is around it ``survey``.
"""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from .listing import Scan, list_tree
from .model import DocumentPath
from .scan_rules import Refusal, ScanRules
from .survey import survey
from .sweep import Sweep, compare, sweep
from .walk import Frame, Ground, enter, look_inside, refuse, start

__all__ = ["Refusal", "Scan", "ScanRules", "Sweep", "Verdict", "compare", "list_tree", "sweep", "would_index"]


class Verdict(NamedTuple):
    """Whether one path would be listed; true when it would."""

    reason: Refusal | None

    def __bool__(self) -> bool:
        return self.reason is None


def would_index(
    root: str,
    rules: ScanRules,
    path: DocumentPath,
    *,
    once_saved: bool = False,
    should_stop: Callable[[], bool] | None = None,
) -> Verdict:
    """Say whether ``list_tree`` would list ``path`` now, the limit on the number of files aside.

    ``once_saved`` judges a file that is not there by its path and the rules, as an editor's new text has to be.

    Raises what ``list_tree`` does, but for TruncatedError, and UnavailableError while git gives no answer.
    """
    *folders, name = path.split("/")
    if not name or not all(folders) or {".", ".."} & {*folders, name}:
        return Verdict(Refusal.MISSING)
    if ".git" in (*folders, name):
        return Verdict(Refusal.IGNORED)
    ground = survey(root, rules, time.time_ns(), paths=(path,), needs_git=True, should_stop=should_stop).ground
    try:
        frame, missing = _walked(ground, folders)
        if isinstance(frame, Refusal):
            return Verdict(frame)
        status = None if missing else _status(os.path.join(root, path))
    except NotADirectoryError:
        return Verdict(Refusal.MISSING)
    except OSError:
        return Verdict(Refusal.UNREADABLE)
    if status is None:
        return Verdict(_by_path(ground, frame, missing, name) if once_saved else Refusal.MISSING)
    return Verdict(_by_kind(status) or refuse(ground, frame, path, name) or _by_size(status, rules))


def _walked(ground: Ground, folders: list[str]) -> tuple[Frame | Refusal, list[str]]:
    """Go down as far as there are folders; return the frame of the last one, and those that are not there."""
    frame: Frame | Refusal = look_inside(ground, start(ground))
    for depth, folder in enumerate(folders):
        if isinstance(frame, Refusal):
            break
        try:
            frame = _step(ground, frame, folder)
        except FileNotFoundError:
            return frame, folders[depth:]
    return frame, []


def _by_path(ground: Ground, frame: Frame, folders: list[str], name: str) -> Refusal | None:
    """Judge what is not there yet: what git lists says nothing of it, and there are no more rules on the way."""
    frame = replace(frame, listed=False)
    for folder in folders:
        entered = enter(ground, frame, frame.lead + folder, folder)
        if isinstance(entered, Refusal):
            return entered
        frame = entered
    return refuse(ground, frame, frame.lead + name, name)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


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
