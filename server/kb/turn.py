"""Asking the file system about the files of a tree, for sweeps here and in a lookout: turns, and what a size allows."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_TURN = Lock()
"""Held while signatures of files are asked for. Each gives the interpreter away: threads that do nothing else, as where
several trees are asked about at once, take it from each other at every file, and that costs more than the asking."""
TURN_S = 0.01
"""How long a turn is waited for: whoever has it on a disk that does not answer keeps nobody from another disk."""


@contextmanager
def turn() -> Iterator[None]:
    """Ask alone, as far as that can be had."""
    alone = _TURN.acquire(timeout=TURN_S)
    try:
        yield
    finally:
        if alone:
            _TURN.release()


def fits(path: str, max_bytes: int) -> bool:
    """Whether a file that was too large may be read now, or is gone."""
    try:
        return os.lstat(path).st_size <= max_bytes
    except OSError:
        return True
