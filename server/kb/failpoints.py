"""Named places where a test may kill this process, to show that no moment of a publication loses anything.

``GAZETTEER_FAILPOINT=name`` or ``name:3`` (the third time it is reached) ends the process with SIGKILL there, as a
power cut would. Without the variable a fail point costs one comparison.
"""

import os
import signal

NAMES = (
    "store.refused",
    "content.before_put",
    "content.after_put",
    "publish.locked",
    "publish.verified",
    "publish.before_commit",
    "publish.after_commit",
    "publish.followed",
    "publish.collected",
    "follower.before_commit",
    "follower.after_commit",
    "follower.before_swap",
    "follower.after_swap",
)

_armed, _, _count = os.environ.get("GAZETTEER_FAILPOINT", "").partition(":")
_left = int(_count) if _count.isdigit() else 1


def reach(name: str) -> None:
    """Die here if a test armed this point."""
    global _left
    if name != _armed:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
