"""What a process may have open, cut down to a few more files than it has open now."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def few_descriptors(left: int) -> Iterator[None]:
    """Let this process open no more than ``left`` further files: the next one is refused with ``EMFILE``."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    filled = []
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) < highest:
        filled.append(descriptor)
    os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptor + left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in filled:
            os.close(descriptor)
