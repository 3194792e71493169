"""How the process ends: by ``exit``, with its editor, or with the connection; within five seconds whatever is running.

The thread that waits for the editor's death and the last steps of an ending do not depend on the event loop or on any
lock of the work that is under way: an index being built is left as a kill would leave it, which the next start mends.
"""

import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress

ORDER_S = 1.0
"""How long the event loop may take to answer what had arrived before the end."""
GRACE_S = 1.5
"""How long open indexes may take to close before the process goes without them."""
LOOK_S = 1.0


class Ending:
    """Ends the process, once, with the status of whoever says so first.

    Args:
        stop: closes what is open; runs on a thread and may take too long.
        flush: writes out what is queued, bounded by itself.
    """

    def __init__(self, stop: Callable[[], None], flush: Callable[[], None]) -> None:
        self._stop = stop
        self._flush = flush
        self._lock = threading.Lock()
        self._begun = False

    def begin_within(self, seconds: float, status: Callable[[], int]) -> None:
        """End the process by then, if nobody has by then; from any thread."""
        timer = threading.Timer(seconds, lambda: self.begin(status()))
        timer.daemon = True
        timer.start()

    def begin(self, status: int) -> None:
        """End the process soon; from any thread."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
        threading.Thread(target=self._end, args=(status,), name="ending", daemon=True).start()

    def _end(self, status: int) -> None:
        closing = threading.Thread(target=self._stop, name="closing", daemon=True)
        closing.start()
        closing.join(GRACE_S)
        with suppress(Exception):
            self._flush()
        os._exit(status)


def watch_parent(process: int, gone: Callable[[], None]) -> None:
    """Call ``gone`` once that process has ended, on a thread of its own; a number that no process has is ignored."""
    if not 0 < process < 2**31:
        return
    threading.Thread(target=_watch, args=(process, gone), name="parent-watch", daemon=True).start()


def _watch(process: int, gone: Callable[[], None]) -> None:
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        gone()
        return
    except (AttributeError, OSError):  # no such call here
        while _is_alive(process):
            time.sleep(LOOK_S)
    else:
        with suppress(OSError):
            select.select([descriptor], [], [])
        os.close(descriptor)
    gone()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    with suppress(OSError), open(f"/proc/{process}/stat", "rb") as stat:
        return not stat.read().rpartition(b")")[2].lstrip().startswith(b"Z")
    return True
