"""Words that say the same in another form meet under one stem: "parsing", "parser" and "parsed" are looked up as one.

A table of English endings, applied until none fits, so that the stem of a stem is itself and every form of a word ends
at the same place. It serves index and query alike and only has to be the same for both: a stem is no word. Careful in
one direction: words with digits, of other scripts, or short ones stay as they are. Pure, no state; callers memoise.
"""

from typing import NamedTuple

MIN_WORD = 4
"""Shorter words stay as they are."""


class Ending(NamedTuple):
    """An ending, what takes its place, and how many letters must stand in front of it."""

    ending: str
    instead: str
    front: int


ENDINGS = (
    # one and many
    Ending("sses", "ss", 1),
    Ending("ches", "ch", 2),
    Ending("shes", "sh", 2),
    Ending("xes", "x", 1),
    Ending("zes", "z", 2),
    Ending("ies", "y", 2),
    Ending("s", "", 3),
    # tenses
    Ending("ing", "", 3),
    Ending("ied", "y", 2),
    Ending("ed", "", 3),
    Ending("e", "", 4),
    Ending("y", "i", 3),
    # who does it, and what comes of it
    Ending("er", "", 5),
    Ending("or", "", 5),
    Ending("tion", "t", 3),
    Ending("ssion", "ss", 3),
    Ending("ation", "at", 3),
    Ending("ator", "at", 3),
    Ending("ate", "at", 3),
    Ending("ization", "iz", 3),
    Ending("izer", "iz", 3),
    Ending("ize", "iz", 3),
)
KEPT = ("ss", "us", "is", "ias", "eed")
"""Endings that only look like one of the above: class, status, this, alias, feed."""

_DOUBLED = frozenset("bcdfgkmnprtvz")


def _by_last_letter() -> dict[str, tuple[Ending, ...]]:
    rows = [*ENDINGS, *(Ending(kept, kept, 0) for kept in KEPT)]
    rows.sort(key=lambda row: (-len(row.ending), row.ending))
    letters = sorted({row.ending[-1] for row in rows})
    return {letter: tuple(row for row in rows if row.ending[-1] == letter) for letter in letters}


_ROWS = _by_last_letter()


def stem(word: str) -> str:
    """The stem of a lower-cased word."""
    if len(word) < MIN_WORD or not (word.isascii() and word.isalpha()):
        return word
    while len(word) >= MIN_WORD:
        shorter = _once(word)
        if shorter == word:
            break
        word = shorter
    return word


def _once(word: str) -> str:
    """``word`` without its longest ending that fits; a letter doubled before the ending is single again."""
    for ending, instead, front in _ROWS.get(word[-1], ()):
        if not word.endswith(ending):
            continue
        if instead == ending:
            return word
        left = len(word) - len(ending)
        if left >= front:
            word = word[:left] + instead
            if not instead and left > 3 and word[-1] == word[-2] and word[-1] in _DOUBLED:
                word = word[:-1]
            return word
    return word
