"""What of a ranking over several corpora is shown: documents, then passages of them, one row a text.

Copies in several corpora are one row. A document that answers may have more than one passage to show: a further one
stands where its own share of the document's score puts it, so that it takes a place from a weak document only. Pure.
"""

from collections.abc import Mapping, Sequence

import msgspec

from .features import Candidate
from .fuse import ChunkKey, Row, collapse
from .inquiry import Found, Shown
from .passages import passages
from .rank import Ranked

PASSAGES = 3
"""Passages of one document at most."""
FURTHER = 0.7
"""Score of a further passage, as a share of the document's, before its own keywords count."""
SPARE = 2
"""Rows in store for every one that is asked for: some turn out to have changed."""


class Ordered(msgspec.Struct, frozen=True):
    """Passages to show, best first, more than were asked for; and what has no row of its own, by reason."""

    rows: tuple[Shown, ...]
    suppressed: Mapping[str, int]
    documents: int  # that could be shown


def ordered(ranked: Sequence[Ranked], found: Mapping[str, Found], limit: int) -> Ordered:
    """Make rows of a ranking.

    Args:
        ranked: all candidates, best first.
        found: what each corpus found, by its name.
        limit: how many rows are asked for.
    """
    collapsed = collapse(
        [one.key for one in ranked],
        document=lambda key: (key.corpus, key.path),
        content=lambda key: found[key.corpus].contents[key.path],
    )
    of = {one.key: one for one in ranked}
    said = {one.key: one for part in found.values() for one in part.finding.gathered.candidates}
    rows: list[Shown] = []
    for row in collapsed.rows[: SPARE * limit]:
        rows += _passages(row, of, said, found[row.key.corpus])
    rows.sort(key=lambda one: (-one.score, one.row.key))
    return Ordered(tuple(rows), collapsed.suppressed, len(collapsed.rows))


def _passages(
    row: Row[ChunkKey], of: Mapping[ChunkKey, Ranked], said: Mapping[ChunkKey, Candidate], found: Found
) -> list[Shown]:
    """The passages of one document; its copies are listed with the first."""
    key, best = row.key, of[row.key]
    outline = found.finding.gathered.outlines[key.path]
    scores = {one.ordinal: said[one].passage for one in (key, *row.same_document)}
    first, *further = passages(outline, scores, key.ordinal, PASSAGES)
    others = tuple(one for one in row.same_document if not first.first <= one.ordinal <= first.last)
    rows = [Shown(Row(key, others, row.same_text), (first.first, first.last), best.score, best.because)]
    for passage in further:
        share = FURTHER * min(1.0, passage.score / first.score) if first.score else 0.0
        own = ChunkKey(key.corpus, key.path, passage.best)
        span = (passage.first, passage.last)
        rows.append(Shown(Row(own), span, best.score * share, {"same document": share}))
    return rows
