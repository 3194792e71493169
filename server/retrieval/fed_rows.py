"""What of a ranking over several corpora is shown: documents, then passages of them, one row a text.

Copies in several corpora are one row, and near copies follow behind what is asked for. A document that answers may have
more than one passage to show: a further one stands where its own share of the document's score puts it, so that it
takes a place from a weak document only. Pure.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from heapq import heapify, heappush, heappushpop, nlargest

import msgspec

from ..kb.model import ChunkNote, ContentId, DocumentPath
from .coverage import Coverage
from .features import Candidate
from .fuse import ChunkKey, Collapsed, Row, counted
from .inquiry import Found, Shown
from .near_copies import NEAR_COPY, apart, defined_in
from .passages import passages
from .rank import RankedDocument

PASSAGES = 3
"""Passages of one document at most."""
FURTHER = 0.7
"""Score of a further passage, as a share of the document's, before its own keywords count."""
COVERED = 4
"""Documents for every row that is asked for which are held against the question as a whole."""
NEARLY = 0.7
"""Share of the best score from which the best row of a corpus has a place, however many rows of others say more."""
LOOKED_AT = 400
"""Chunks that hold words of the question, in one document, up to which all may be part of passages."""
TELLING = 0.25
"""Share of what the most telling chunk of a document says from which another one is part of passages."""


_ROUNDING = 1.0 + 1e-9
"""What keeps a bound a bound whatever is lost in rounding."""


def candidates_of(ranked: Sequence[RankedDocument], limit: int) -> dict[str, list[DocumentPath]]:
    """The documents that may be shown, by corpus, best first."""
    found: dict[str, list[DocumentPath]] = {}
    for at, (corpus, path, _) in enumerate(one.key for one in ranked):
        if at < COVERED * limit or corpus not in found:
            found.setdefault(corpus, []).append(path)
    return found


class Ordered(msgspec.Struct, frozen=True):
    """Passages to show, best first, and what has no row of its own, by reason.

    ``rows`` are right as far as they were asked for; documents that cannot be among those may be ``left``, and are in
    the rows that ``whole`` makes.
    """

    rows: tuple[Shown, ...]
    suppressed: Mapping[str, int]
    left: int = 0
    whole: Callable[[], tuple[Shown, ...]] = tuple


def ordered(
    ranked: Sequence[RankedDocument],
    found: Mapping[str, Found],
    coverage: Coverage,
    limit: int,
    names: Sequence[str],
) -> Ordered:
    """Make rows of a ranking.

    Args:
        ranked: all documents, best first.
        found: what each corpus found, by its name.
        coverage: what the documents of `candidates_of` hold of the question.
        limit: how many rows are asked for.
        names: the corpora, best known first: of copies the one that is best known is shown.
    """
    rows, of, suppressed, places = _rows(ranked, found, limit, names)

    def made(some: Iterable[Row[ChunkKey]]) -> list[Shown]:
        return [one for row in some for one in _passages(row, of[row.key], found[row.key.corpus], coverage, places)]

    @cache  # rows are set apart more than once
    def defined(key: ChunkKey) -> frozenset[str]:
        return defined_in(found[key.corpus].finding.gathered.outlines[key.path])

    at_most = {key: one.score * _covers_at_most(one.document.best, coverage, places) for key, one in of.items()}
    page, behind, near, left = _best(rows, at_most, made, limit, defined)
    if as_good := sum([one.score >= page[-1].score for one in near]):
        suppressed[NEAR_COPY] = as_good

    def whole() -> tuple[Shown, ...]:
        page, behind, near = apart(_sorted(made(rows)), limit, defined)
        return (*_seated(page, behind), *near)

    return Ordered((*_seated(page, behind), *near), suppressed, left, whole)


def _rows(
    ranked: Sequence[RankedDocument], found: Mapping[str, Found], limit: int, names: Sequence[str]
) -> tuple[list[Row[ChunkKey]], dict[ChunkKey, RankedDocument], dict[str, int], Counter[str]]:
    """Rows of the documents of `candidates_of`, one a text; what each was ranked as; what has no row of its own.

    Then the names that documents define in the chunk by which the question's names led to them, with how many do: of
    one text once.
    """
    by_path = {one.key[:2]: one for one in ranked}
    of: dict[ChunkKey, RankedDocument] = {}
    rows: list[Row[ChunkKey]] = []
    seen: set[str] = set()
    within, elsewhere = 0, 0
    places: Counter[str] = Counter()
    for at, (first, *copies) in enumerate(one_a_text(by_path, found, names)):
        one = by_path[first]
        if one.document.best.located:
            places.update(frozenset(one.document.best.note.defined))
        within += len(one.document.chunks) - 1
        elsewhere += sum([len(by_path[copy].document.chunks) for copy in copies])
        if at < COVERED * limit or first[0] not in seen:
            seen.add(first[0])
            of[one.key] = one
            further = tuple([chunk.key for chunk in one.further()])
            rows.append(Row(one.key, further, tuple([by_path[copy].key for copy in copies])))
    return rows, of, counted(within, elsewhere), places


def _held_to(candidate: Candidate, places: Mapping[str, int]) -> float:
    """How much it counts what a document says of the question, which may have found it by its name.

    Not at all where the question names this file, or something that is in one place. The more places a name leads to,
    the less it singles out any of them.
    """
    if candidate.named or not candidate.located:
        return 0.0 if candidate.named else 1.0
    return 1.0 - 1.0 / max([places[name] for name in candidate.note.defined], default=1)


def _covers_at_most(candidate: Candidate, coverage: Coverage, places: Mapping[str, int]) -> float:
    """What the score of a document is multiplied by at most, whichever passage of it is shown."""
    return float(coverage.most(candidate.key) ** _held_to(candidate, places)) * _ROUNDING


def _best(
    rows: Sequence[Row[ChunkKey]],
    at_most: Mapping[ChunkKey, float],
    made: Callable[[Iterable[Row[ChunkKey]]], list[Shown]],
    limit: int,
    defined: Callable[[ChunkKey], frozenset[str]],
) -> tuple[list[Shown], list[Shown], list[Shown], int]:
    """Passages of the documents that may be among the first as `apart` has them; how many documents were left out.

    Those that may score most come first, so that the rest is known not to matter as soon as enough others score more:
    neither for the first rows nor for the place that a corpus without any of them may have (`_seated`).
    """
    line = sorted(rows, key=lambda row: -at_most[row.key])
    shown: list[Shown] = []
    at, wanted = 0, limit
    while True:
        best = nlargest(wanted, [one.score for one in shown])
        heapify(best)
        while at < len(line) and (len(best) < wanted or at_most[line[at].key] >= best[0]):
            for one in made([line[at]]):
                shown.append(one)
                (heappush if len(best) < wanted else heappushpop)(best, one.score)
            at += 1
        shown = _sorted(shown)
        first, *_ = apart(shown[:wanted], limit, defined)
        if len(first) == limit or at == len(line):
            break
        wanted += limit - len(first)
    seated = {one.row.key.corpus for one in first}
    close = [row for row in line[at:] if row.key.corpus not in seated and at_most[row.key] >= NEARLY * first[0].score]
    return *apart(_sorted([*shown, *made(close)]), limit, defined), len(line) - at - len(close)


def _sorted(rows: Iterable[Shown]) -> list[Shown]:
    return sorted(rows, key=lambda one: (-one.score, one.row.key))


def one_row_a_text(keys: Iterable[ChunkKey], found: Mapping[str, Found], names: Sequence[str]) -> Collapsed[ChunkKey]:
    """Rows of chunks that are in order, each once: as `fuse.collapse`, but of copies the best known corpus has the row.

    Hundreds of chunks are of some hundred documents, so it is done by document.
    """
    chunks: dict[tuple[str, DocumentPath], list[ChunkKey]] = {}
    for key in keys:
        chunks.setdefault(key[:2], []).append(key)
    rows: list[Row[ChunkKey]] = []
    within, elsewhere = 0, 0
    for best, *copies in one_a_text(chunks, found, names):
        first, *further = chunks[best]
        rows.append(Row(first, tuple(further), tuple([chunks[copy][0] for copy in copies])))
        within += len(further)
        elsewhere += sum([len(chunks[copy]) for copy in copies])
    return Collapsed(tuple(rows), counted(within, elsewhere))


def one_a_text(
    documents: Iterable[tuple[str, DocumentPath]], found: Mapping[str, Found], names: Sequence[str]
) -> list[list[tuple[str, DocumentPath]]]:
    """Documents that are in order, by text: that of the best known corpus, then its copies."""
    rank_of = {name: at for at, name in enumerate(names)}
    texts: dict[ContentId, list[tuple[str, DocumentPath]]] = {}
    for one in documents:
        texts.setdefault(found[one[0]].contents[one[1]], []).append(one)
    for copies in texts.values():
        if len(copies) > 1:
            best = min(copies, key=lambda one: rank_of[one[0]])
            copies.remove(best)
            copies.insert(0, best)
    return list(texts.values())


def _seated(rows: Sequence[Shown], behind: Sequence[Shown]) -> list[Shown]:
    """Let a corpus that says nearly as much as the very best have a place, from one that has several."""
    first = list(rows)
    for one in behind:
        taken = [other.row.key.corpus for other in first]
        if one.row.key.corpus in taken or one.score < NEARLY * rows[0].score:
            continue
        several = [at for at, corpus in enumerate(taken) if taken.count(corpus) > 1]
        if several:
            del first[several[-1]]
            first.append(one)
    chosen = {id(one) for one in first}
    return [*first, *(one for one in (*rows, *behind) if id(one) not in chosen)]


def _passages(
    row: Row[ChunkKey], best: RankedDocument, found: Found, coverage: Coverage, places: Mapping[str, int]
) -> list[Shown]:
    """The passages of one document; its copies are listed with the first."""
    key = row.key
    outline = found.finding.gathered.outlines[key.path]
    hits = {one.ordinal: one for one in (key, *row.same_document)}
    telling = _telling(hits, key, outline, coverage)
    first, *further = passages(outline, telling, key.ordinal, PASSAGES, coverage.held(key), coverage.told)
    others = tuple(one for at, one in hits.items() if not first.first <= at <= first.last)
    span = (first.first, first.last)
    covers = float(coverage.factor(key, span) ** _held_to(best.document.best, places))
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


def _telling(
    hits: Collection[int], key: ChunkKey, outline: Sequence[ChunkNote], coverage: Coverage
) -> dict[int, float]:
    """Chunks of a document that passages are made of: those that were found, and those that say as much as they do.

    What a chunk is called tells what it is about: words that stand there count once more.
    """
    held, tells = coverage.held(key), coverage.told
    if len(held) > LOOKED_AT:
        looked_at = [at for at in hits if at in held]
    else:
        most = max([tells[bits] for bits in set(held.values())], default=0.0)
        least = 0.5 * TELLING * most  # what tells less is not part of any, whatever it is called
        looked_at = [at for at, bits in held.items() if tells[bits] >= least or at in hits]
    named = coverage.named
    told = {at: tells[bits := held[at]] + tells[bits & named(outline[at])] for at in looked_at}
    least = TELLING * max(told.values(), default=0.0)
    telling = {at: value for at, value in told.items() if value >= least} if len(held) <= LOOKED_AT else {}
    return telling | {at: told.get(at, 0.0) for at in hits}
