"""The same hostile texts by the clock, at sizes where work that is not counted would show: searches, slices, joins.

`effort` counts lines and steps of patterns, and sees nothing of what one call of the library costs. A clock sees all of
it, and whatever else the machine does; so this is for the long run, and a text is suspected only when it is slow again
and again.
"""

import time
from collections.abc import Callable
from functools import partial

import pytest
from gazetteer.kb.extract import derive

from . import test_bitbake, test_kconfig, test_makefile, test_prose

SHORT, LONG = 16_000, 256_000
MOST = 64
"""Sixteen times the text may take so many times as long; what is read squared takes 256 times as long."""
NOISE_S = 0.001
TRIES = 4

CASES = {
    "make": (test_makefile.LEADS, test_makefile.PIECES),
    "kconfig": (test_kconfig.LEADS, test_kconfig.PIECES),
    "defconfig": (test_kconfig.LEADS, test_kconfig.PIECES),
    "bitbake": (("", "do_a() {\n", 'FOO = "', "python () {\n    ", "inherit "), test_bitbake.PIECES),
    "rst": (("", ".. glossary::\n\n   a\n", "T\n=\n", ".. option:: "), test_prose.PIECES),
}


def seconds(read: Callable[[str], object], text: str) -> float:
    """What this thread worked at it."""
    before = time.thread_time()
    read(text)
    return time.thread_time() - before


@pytest.mark.soak
@pytest.mark.parametrize("language", CASES)
def test_hostile_text_takes_time_by_its_length(language: str) -> None:
    read = partial(derive, language=language, deadline_s=600)
    leads, pieces = CASES[language]
    for lead in leads:
        for piece in pieces:
            short, long = (lead + piece * (size // len(piece)) for size in (SHORT, LONG))
            assert any(seconds(read, long) < MOST * (seconds(read, short) + NOISE_S) for _ in range(TRIES)), (
                lead,
                piece,
            )


UNCOUNTED: dict[str, Callable[[str], object]] = {
    "searches": lambda text: [text.find("\0", at) for at in range(len(text))],
    "slices": lambda text: [len(text[at:]) for at in range(len(text))],
}


@pytest.mark.soak
@pytest.mark.parametrize("read", UNCOUNTED.values(), ids=UNCOUNTED.keys())
def test_what_is_not_counted_is_seen(read: Callable[[str], object]) -> None:
    """With a bound on time that a text of one letter keeps when it is read once."""
    assert not any(seconds(read, "a" * LONG) < MOST * (seconds(read, "a" * SHORT) + NOISE_S) for _ in range(TRIES))
