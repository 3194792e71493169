"""Memory of a process that lives long: given back to the system after much work, and seldom searched for garbage.

The C library keeps freed memory for later, and a server that has built an index has no use for as much again; where
that is not glibc nothing is given back. Never frees anything that is in use.
"""

import ctypes
import functools
import gc
from collections.abc import Callable

COLLECTIONS = (5_000, 20, 50)
"""Objects made between collections of what is young, and how many collections of each generation are one of the next.
A question makes next to no cycles: with the interpreter's own numbers it is stopped twice to look for some, and with
much larger ones for longer at a time."""


def settle() -> None:
    """Keep what is loaded by now out of collections, and have few of the rest.

    A collection that walked all of it would hold every thread, an event loop's too, for tens of milliseconds, and would
    find nothing. What was kept out before and is garbage by now goes now, or never.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)


def give_back() -> None:
    """Return freed memory; takes milliseconds, without the interpreter lock."""
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], object] | None:
    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
    return found
