"""How an index is, as people read it: a word for the state, then what there is to know, one thing a line.

Pure: values in, lines out. What is zero and unremarkable is not printed; what needs somebody stands in colour.
"""

import time
from collections.abc import Iterator

from ..corpora.health import CheckReport, CleanReport, Health, State, Status
from .output import Line
from .show_answer import duration

STATE_STYLES: dict[State, str] = {
    "ready": "good",
    "empty": "good",
    "indexing": "warn",
    "stale": "warn",
    "missing": "warn",
    "partial": "warn",
    "failed": "bad",
}
WIDTH = 15
UNITS = ("B", "KB", "MB", "GB", "TB")


def status(found: Status) -> Iterator[Line]:
    """Return the state, its reason, and what the index holds."""
    reason = f"  {found.reason}" if found.reason else ""
    yield ((STATE_STYLES[found.state], found.state), ("path", f"  {found.root}"), ("", reason))
    yield from _rows(found)


def health(found: Health) -> Iterator[Line]:
    """Return the status and how the tree differed from it."""
    yield from status(found)
    drift = found.drift
    if found.state == "failed" and not drift.walked:
        yield _row("tree", "not looked at", "warn")
        return
    parts = [f"{number:,} {word}" for word, number in _drift(found) if number]
    yield _row("tree", f"{count(drift.walked, 'file')} looked at, {', '.join(parts) if parts else 'all as indexed'}")
    yield _row("took", duration(found.elapsed_ms))


def check(report: CheckReport) -> Iterator[Line]:
    """Return what does not hold, and the verdict."""
    for finding in report.findings:
        where = f"{finding.path}: " if finding.path else ""
        yield (("bad", finding.code), ("path", f"  {where}"), ("", finding.message))
    depth = "in full" if report.full else "quickly; --full derives everything again"
    verdict, style = ("sound", "good") if report.ok else (count(len(report.findings), "finding"), "bad")
    yield (
        (style, verdict),
        (
            "",
            f"  generation {report.generation}, {count(report.documents, 'document')}, {count(report.chunks, 'chunk')}",
        ),
        ("dim", f"  checked {depth}; {duration(report.elapsed_ms)}"),
    )


def clean(report: CleanReport) -> Iterator[Line]:
    """Return what was deleted."""
    for removed in report.removed:
        yield (("", f"removed {removed}"),)
    if report.removed:
        yield (("dim", f"{size(report.freed_bytes)} freed; the next question indexes {report.root} again"),)
    else:
        yield (("", f"there was no index of {report.root}"),)


def size(amount: float) -> str:
    """Say a number of bytes in the unit that people would use."""
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError


def count(number: int, noun: str) -> str:
    """Say how many there are of something."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _row(name: str, text: str, style: str = "") -> Line:
    return (("dim", f"  {name:<{WIDTH}}"), (style, text))


def _rows(found: Status) -> Iterator[Line]:
    if found.generation:
        yield _row("generation", f"{found.generation}{_published(found)}")
        languages = ", ".join(f"{name} {number:,}" for name, number in found.languages.items())
        yield _row("documents", f"{found.documents:,}{f' ({languages})' if languages else ''}")
        yield _row("chunks", f"{found.chunks:,}, symbols {found.symbols:,}")
    for refusal in found.refused:
        examples = ", ".join(refusal.examples)
        more = ", …" if refusal.count > len(refusal.examples) > 0 else ""
        yield _row("left out", f"{refusal.count:,} {refusal.reason}{f' ({examples}{more})' if examples else ''}")
    if found.problems:
        yield _row("problems", f"{count(found.problems, 'document')} with errors; what could be read is served")
    if found.partial_documents:
        yield _row("in part", f"{count(found.partial_documents, 'document')} could not be read in full", "warn")
    if found.partial:
        yield _row("partial", found.partial, "warn")
    if found.last_error:
        yield _row("last error", found.last_error, "bad")
    for follower in found.followers:
        behind = f", {follower.behind} behind" if follower.behind else ""
        yield _row(follower.name, f"generation {follower.generation}{behind}", "warn" if behind else "")
    if found.sweep_age_ms is not None:
        yield _row("swept", f"{duration(found.sweep_age_ms)} ago")
    for notice in found.notices:
        yield _row("notice", notice, "warn")
    yield _row("index", f"{size(found.index_bytes)} in {found.db_path}")


def _published(found: Status) -> str:
    if found.published_at is None:
        return ""
    return f", published {duration(max(0.0, time.time() - found.published_at) * 1000)} ago"


def _drift(found: Health) -> tuple[tuple[str, int], ...]:
    drift = found.drift
    return (
        ("new", drift.added),
        ("changed", drift.changed),
        ("deleted", drift.deleted),
        ("cannot be read", drift.unreadable),
    )
