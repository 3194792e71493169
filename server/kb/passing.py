"""Failures of the system that say nothing of what was asked for: they pass, and leave no trace in it when they do.

Whatever fails so is neither gone, nor damaged, nor forbidden: it is asked for again. A permission is not among them: it
is the file's own, and its times tell when it changes.
"""

import errno

PASSING = frozenset(
    {
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.ESTALE),
        *(errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.ETIMEDOUT),
    }
)
"""What this process, the machine or a network lacks for now."""


def passes(error: BaseException) -> bool:
    """Whether an error is of this kind."""
    return isinstance(error, OSError) and error.errno in PASSING
