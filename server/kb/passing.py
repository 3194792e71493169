"""Failures of the system that say nothing of what was asked for: they pass, and leave no trace in it when they do.

Whatever fails so is neither gone, nor damaged, nor forbidden: it is asked for again. A permission is not among them: it
is the file's own, and its times tell when it changes. What can be made again from the tree is not kept for a disk that
fails: there only what this process or the machine lacks counts.
"""

import errno

LACKING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EINTR})
"""What this process or the machine lacks for now."""
PASSING = LACKING | {errno.EIO, errno.ESTALE, errno.EBUSY, errno.ETIMEDOUT}
"""That, and what a disk or a network may do again in a while."""


def passes(error: BaseException) -> bool:
    """Whether an error is of this kind."""
    return isinstance(error, OSError) and error.errno in PASSING


def lacks(error: BaseException) -> bool:
    """Whether an error says that something is lacking here, and nothing of the disk."""
    return isinstance(error, OSError) and error.errno in LACKING
