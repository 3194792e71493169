"""How long it is waited for whoever has a database locked.

Long: another process may write much, on a machine that does much else. But several corpora share a database and are
asked one after the other: where one has waited in vain, the next ones do not wait as long again. That is known to this
process alone, by the path of the database, and forgotten once a wait has ended well.
"""

import time

BUSY_TIMEOUT_S = 30.0
AGAIN_S = 1.0
"""How long it is waited where somebody of this process has just waited in vain: a write of few rows takes less."""
JUST_S = 10.0
"""How lately that has to have been."""

_in_vain: dict[str, float] = {}  # when the last wait for a database ended so


def patience(path: str) -> float:
    """Seconds to wait for the database at a path now; it changes, so who waits asks each time."""
    ended = _in_vain.get(path)
    return BUSY_TIMEOUT_S if ended is None or time.monotonic() - ended > JUST_S else min(AGAIN_S, BUSY_TIMEOUT_S)


def note_wait(path: str, *, in_vain: bool) -> None:
    """Note how a wait for the database at a path ended, or that there was nothing to wait for."""
    if in_vain:
        _in_vain[path] = time.monotonic()
    elif _in_vain:
        _in_vain.pop(path, None)
