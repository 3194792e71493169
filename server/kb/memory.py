"""Memory given back to the system after much work: what was freed meanwhile stays with the process otherwise.

The C library keeps freed memory for later, and a server that has built an index has no use for as much again. Where the
library is not glibc nothing is done. Never frees anything that is in use.
"""

import ctypes
import functools
from collections.abc import Callable


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
