"""Documents that are nearly the same: a file that several trees carry, the same board once for every vendor.

Copies to the byte are one row already. What was copied and then changed a little says the words of a question as often
as what it was copied from, and fills an answer with one thing. Copies are told by the names that they define, headings
included: they are known of every document, and whoever copies keeps most of them. Pure.
"""

from collections.abc import Callable, Sequence
from itertools import chain

from ..kb.model import ChunkNote
from .fuse import ChunkKey
from .inquiry import Shown

ALIKE = 0.6
"""The least share of all their names that two documents have in common if they are nearly the same."""
NAMES = 3
"""The fewest names, of both together, that say anything."""
NEAR_COPY = "near copy"
"""Reason why a row follows behind the first ones, though it scores as much as the last of them."""


def apart(
    rows: Sequence[Shown], limit: int, names: Callable[[ChunkKey], frozenset[str]]
) -> tuple[list[Shown], list[Shown], list[Shown]]:
    """The first rows of which none is of a near copy of another one's document, what follows them, and near copies.

    Args:
        rows: best first; those of one document are no copies of each other.
        limit: how many first rows are wanted.
        names: what the document of a row defines (`defined_in`).
    """
    first: list[Shown] = []
    behind: list[Shown] = []
    copies: list[Shown] = []
    known: dict[tuple[str, str], frozenset[str]] = {}
    judged: dict[tuple[str, str], bool] = {}
    for row in rows:
        document = row.row.key[:2]
        if document not in judged:
            own = names(row.row.key)
            judged[document] = any(_alike(own, other) for other in known.values())
            if not judged[document] and len(first) < limit:
                known[document] = own
        place = copies if judged[document] else first if len(first) < limit else behind
        place.append(row)
    return first, behind, copies


def defined_in(outline: Sequence[ChunkNote]) -> frozenset[str]:
    """The names that a document defines."""
    return frozenset(chain.from_iterable([note.defined for note in outline]))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    few, many = len(one), len(other)
    if few < ALIKE * many or many < ALIKE * few:
        return False
    common = len(one & other)
    together = few + many - common
    return together >= NAMES and common >= ALIKE * together
