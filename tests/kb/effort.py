"""How the work for a text grows with its length, in seconds of this process's own, whatever else the machine does."""

import time
from collections.abc import Callable

SHORT, LONG = 2_500, 20_000
"""Characters. Eight times the text is eight times the work; what is read squared would be sixty-four times."""
MOST = 24
TRIES = 3
"""Something else may cost time once, as a collection of garbage does; never in each of three tries in the same way."""


def grows_with_its_length(read: Callable[[str], object], lead: str, piece: str) -> bool:
    """Whether a text of one piece again and again takes no more work than its length says."""
    return any(_growth(read, lead, piece) < MOST for _ in range(TRIES))


def _growth(read: Callable[[str], object], lead: str, piece: str) -> float:
    short, long = (_cost(read, lead + piece * (size // len(piece))) for size in (SHORT, LONG))
    return long / short


def _cost(read: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started
