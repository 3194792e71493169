"""From what was found and verified to the answer that travels: hits, receipt, and what stands against "complete".

Pure builders over one view; the loop that made them is ``engine``.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import log
from typing import NamedTuple

import msgspec

from ..kb.freshness import Boundary, Verdict
from ..kb.model import DiskHash, DocumentPath
from ..kb.paths import printable
from ..kb.scan_rules import Refusal
from ..kb.snapshot import Snapshot
from ..kb.source import RefusalReason
from .analyze import ANALYZER_VERSION, AnalysedQuery
from .evidence import Found, Origin, build_hit
from .fuse import ChunkKey, Row
from .query import (
    CorpusSnapshot,
    Evidence,
    Freshness,
    FreshnessInfo,
    Hit,
    OverlayState,
    Receipt,
    SnapshotInfo,
)
from .search import Searched
from .view import View

BLOCKING = frozenset({Refusal.UNREADABLE, RefusalReason.UNREADABLE, RefusalReason.TOO_LARGE})
"""Refusals that make an index incomplete; what was left out by rule or on purpose does not (row K9)."""
_FRESHNESS: Mapping[Verdict, Freshness] = {
    Verdict.VERIFIED: "verified",
    Verdict.OVERLAY: "overlay",
    Verdict.CHANGED: "stale",
    Verdict.GONE: "stale",
    Verdict.UNVERIFIED: "unverified",
}


class Round(NamedTuple):
    """One time that a question was asked: what was found, what of it is shown, and what was passed over."""

    view: View
    searched: Searched
    rows: tuple[Row[ChunkKey], ...]
    verdicts: Mapping[DocumentPath, Verdict]
    wrong: tuple[DocumentPath, ...]  # documents whose bytes are not what the view says
    number: int
    saved: Mapping[DocumentPath, DiskHash]  # open buffers that say what the disk says, with its hash


def weights(analysed: AnalysedQuery, view: View) -> dict[str, float]:
    """What every term of a query counts for in an excerpt: rarer ones more."""
    chunks = max(view.reader.chunks, 1)
    found: dict[str, float] = {}
    for term in analysed.all_terms:
        rarity = log(1 + chunks / (1 + view.reader.frequency("body", term.text)))
        found[term.text] = max(found.get(term.text, 0.0), term.weight * rarity)
    for phrase in analysed.phrases:
        for text in phrase.terms:
            found.setdefault(text, 1.0)
    return found


def build_hits(
    origin: Origin,
    view: View,
    searched: Searched,
    rows: Iterable[Row[ChunkKey]],
    verdicts: Mapping[DocumentPath, Verdict],
    saved: Mapping[DocumentPath, DiskHash],
    analysed: AnalysedQuery,
    spans: Mapping[ChunkKey, tuple[int, int]] | None = None,
) -> tuple[Hit, ...]:
    """The rows to show, as hits; ``spans`` says which chunks are shown with that of a row, if not that alone."""
    counts = weights(analysed, view)
    hits = []
    for row in rows:
        document = view.document(row.key)
        found = Found(
            document=document,
            ordinal=row.key.ordinal,
            signals=searched.signals.get(row.key, ()),
            score=searched.scores[row.key],
            freshness=_FRESHNESS[verdicts.get(row.key.path, Verdict.UNVERIFIED)],
            saved=saved.get(row.key.path, DiskHash("")) if document.overlay is not None else DiskHash(""),
            same_document=tuple(key.ordinal for key in row.same_document),
            copies=tuple(key.path for key in row.same_text if key.corpus == row.key.corpus),
            span=spans.get(row.key) if spans is not None else None,
        )
        snapshot = view.snapshot
        hits.append(build_hit(origin, found, snapshot.text(document), snapshot.derived(document), counts))
    return tuple(hits)


def within(hits: tuple[Hit, ...], characters: int) -> tuple[Hit, ...]:
    """The first hits whose texts together are no longer than that; the very first is cut at a line, never left out."""
    left, kept = characters, []
    for hit in hits:
        if len(hit.text) > left:
            break
        left -= len(hit.text)
        kept.append(hit)
    if hits and not kept:
        cut = hits[0].text[:characters]
        kept = [msgspec.structs.replace(hits[0], text=cut[: cut.rfind("\n") + 1] or cut)]
    return tuple(kept)


def evidence_of(hits: Iterable[Hit], rows: Iterable[Row[ChunkKey]], searched: Searched) -> tuple[Evidence, ...]:
    """Why each hit stands where it stands."""
    return tuple(
        Evidence(hit.citation, hit.locator, hit.score, hit.signals, dict(searched.features.get(row.key, {})))
        for hit, row in zip(hits, rows, strict=True)
    )


def build_receipt(
    corpus: str,
    last: Round,
    boundary: Boundary,
    *,
    notices: Iterable[str],
    missing: Iterable[str],
    left_out: int,
    elapsed_ms: float,
    units: str,
) -> Receipt:
    """What the answer says about itself; ``left_out`` hits were not shown, or not in full, for its budget."""
    view, searched = last.view, last.searched
    age = boundary.sweep_age_s
    return Receipt(
        snapshot=SnapshotInfo(view.snapshot.id, (_corpus_snapshot(corpus, view),)),
        freshness=FreshnessInfo(
            hashed=boundary.hashed,
            refreshed=boundary.refreshed,
            rounds=last.number,
            sweep_complete=boundary.sweep_complete,
            sweep_age_ms=age * 1000 if age != float("inf") else -1.0,
            stale_excluded=len(last.wrong),
        ),
        semantic=False,
        semantic_reason="this corpus has no index of vectors",
        analyzer=ANALYZER_VERSION,
        position_encoding=units,
        plan=searched.plan,
        notices=tuple(dict.fromkeys((*notices, *_own_notices(last, boundary)))),
        missing=tuple(missing),
        suppressed=dict(sorted({**searched.suppressed, **({"budget": left_out} if left_out else {})}.items())),
        truncated=bool(left_out) or len(searched.rows) > len(last.rows) + len(last.wrong),
        elapsed_ms=elapsed_ms,
    )


def _corpus_snapshot(corpus: str, view: View) -> CorpusSnapshot:
    snapshot = view.snapshot
    totals = snapshot.totals
    return CorpusSnapshot(
        corpus=corpus,
        generation=snapshot.head.generation,
        documents=totals.documents,
        chunks=totals.chunks,
        lexical_coverage=1.0 if not totals.chunks else min(1.0, view.reader.chunks / totals.chunks),
        vector_coverage=0.0,
        overlays=tuple(
            OverlayState(printable(overlay.path), overlay.version, overlay.content_id) for overlay in snapshot.overlays
        ),
        partial=snapshot.coverage.partial,
    )


def _own_notices(last: Round, boundary: Boundary) -> Iterator[str]:
    partial = last.view.snapshot.coverage.partial
    if partial:
        yield f"Partial: {partial}."
    if out_of_step := _out_of_step(last.view.snapshot):
        yield (
            f"An edit of {printable(out_of_step[0])} was lost, so its last known text is shown; close it in the editor "
            "and open it again."
        )
    if Verdict.UNVERIFIED in last.verdicts.values():
        yield (
            "The deadline passed before every hit was verified."
            if boundary.is_late()
            else "Hits in folders that cannot be read are shown as they were indexed, unverified."
        )


def gaps(last: Round, boundary: Boundary, *, pending: bool, unreadable: int) -> list[str]:
    """What keeps an answer from being complete and current, one clause each (row K9); nothing when it is both."""
    view, snapshot = last.view, last.view.snapshot
    coverage, totals = snapshot.coverage, snapshot.totals
    found = []
    if coverage.partial:
        found.append(coverage.partial)
    found += [
        f"{count} files: {reason.replace('_', ' ')}" for reason, count in coverage.refused.items() if reason in BLOCKING
    ]
    if coverage.failed:
        found.append(f"{len(coverage.failed)} folders cannot be read")
    if totals.partial:
        found.append(f"{totals.partial} documents are read in part")
    if totals.regressed:
        found.append(f"{totals.regressed} documents have errors that their last version had not")
    broken = [overlay.path for overlay in snapshot.overlays if _half_written(view, overlay.path)]
    if broken:
        found.append(f"{len(broken)} open buffers are half-written")
    if out_of_step := _out_of_step(snapshot):
        found.append(f"{len(out_of_step)} open buffers are out of step with their editor")
    if unreadable:
        found.append(f"{unreadable} documents are in folders that cannot be read now")
    if pending:
        found.append("documents are waiting to be read again")
    if boundary.behind or boundary.overtaken:
        found.append("the keyword index is behind what was read last")
    if last.wrong:
        found.append(f"{len(last.wrong)} documents are left out, which have changed or gone since they were indexed")
    verdicts = [last.verdicts.get(row.key.path, Verdict.UNVERIFIED) for row in last.rows]
    if stale := sum(_FRESHNESS[verdict] == "stale" for verdict in verdicts):
        found.append(f"{stale} hits are of files that have changed since this snapshot")
    if unverified := verdicts.count(Verdict.UNVERIFIED):
        found.append(f"{unverified} hits were not compared with their files")
    if not boundary.sweep_complete:
        found.append("the tree was not compared with the index as a whole")
    return found


def _out_of_step(snapshot: Snapshot) -> list[DocumentPath]:
    return [overlay.path for overlay in snapshot.overlays if not overlay.buffer.in_step]


def _half_written(view: View, path: DocumentPath) -> bool:
    document = view.snapshot.document(path)
    if document is None:
        return False
    derived = view.snapshot.derived(document)
    return bool(derived.partial) or any(problem.code == "syntax" for problem in derived.problems)
