"""What of a ranking over several corpora is shown: documents, then passages of them, one row a text.

Copies in several corpora are one row. A document that answers may have more than one passage to show: a further one
stands where its own share of the document's score puts it, so that it takes a place from a weak document only. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import msgspec

from ..kb.model import DocumentPath
from .coverage import Coverage
from .features import Candidate
from .fuse import ChunkKey, Row, collapse
from .inquiry import Found, Shown
from .passages import passages
from .rank import Ranked

PASSAGES = 3
"""Passages of one document at most."""
FURTHER = 0.7
"""Score of a further passage, as a share of the document's, before its own keywords count."""
COVERED = 4
"""Documents for every row that is asked for which are held against the question as a whole."""
LOOKED_AT = 400
"""Chunks that hold words of the question, in one document, up to which all may be part of passages."""
TELLING = 0.25
"""Share of what the most telling chunk of a document says from which another one is part of passages."""


def candidates_of(ranked: Sequence[Ranked], limit: int) -> dict[str, list[DocumentPath]]:
    """The documents that may be shown, by corpus, best first."""
    found: dict[str, list[DocumentPath]] = {}
    for corpus, path in islice(dict.fromkeys(one.key[:2] for one in ranked), COVERED * limit):
        found.setdefault(corpus, []).append(path)
    return found


class Ordered(msgspec.Struct, frozen=True):
    """Passages to show, best first, more than were asked for; and what has no row of its own, by reason."""

    rows: tuple[Shown, ...]
    suppressed: Mapping[str, int]


def ordered(ranked: Sequence[Ranked], found: Mapping[str, Found], coverage: Coverage, limit: int) -> Ordered:
    """Make rows of a ranking.

    Args:
        ranked: all candidates, best first.
        found: what each corpus found, by its name.
        coverage: what the documents of `candidates_of` hold of the question.
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
    for row in collapsed.rows[: COVERED * limit]:
        rows += _passages(row, of, said, found[row.key.corpus], coverage)
    rows.sort(key=lambda one: (-one.score, one.row.key))
    return Ordered(tuple(rows), collapsed.suppressed)


def _passages(
    row: Row[ChunkKey],
    of: Mapping[ChunkKey, Ranked],
    said: Mapping[ChunkKey, Candidate],
    found: Found,
    coverage: Coverage,
) -> list[Shown]:
    """The passages of one document; its copies are listed with the first."""
    key, best = row.key, of[row.key]
    outline = found.finding.gathered.outlines[key.path]
    hits = {one.ordinal: one for one in (key, *row.same_document)}
    telling = _telling(hits, key, coverage)
    whole = said[key].named or said[key].located  # found by its name, whatever else it says
    first, *further = passages(outline, telling, key.ordinal, PASSAGES)
    others = tuple(one for at, one in hits.items() if not first.first <= at <= first.last)
    span = (first.first, first.last)
    covers = 1.0 if whole else coverage.factor(key, span)
    because = {**best.because, "coverage": covers}
    rows = [Shown(Row(key, others, row.same_text), span, best.score * covers, because)]
    for passage in further:
        inside = [at for at in hits if passage.first <= at <= passage.last]
        if not inside:  # no strategy found any of it
            continue
        own = hits[min(inside, key=lambda at: (-telling[at], at))]
        span = (passage.first, passage.last)
        share = FURTHER * min(1.0, passage.score / first.score) if first.score else 0.0
        covers = coverage.factor(own, span)
        because = {"same document": share, "coverage": covers}
        rows.append(Shown(Row(own), span, min(best.score * share * covers, rows[0].score), because))
    return rows


def _telling(hits: Iterable[int], key: ChunkKey, coverage: Coverage) -> dict[int, float]:
    """Chunks of a document that passages are made of: those that were found, and those that say as much as they do."""
    held = coverage.held(key)
    told = {at: coverage.told(bits) for at, bits in held.items()}
    least = TELLING * max(told.values(), default=0.0)
    telling = {at: value for at, value in told.items() if value >= least} if len(held) <= LOOKED_AT else {}
    return telling | {at: told.get(at, 0.0) for at in hits}
