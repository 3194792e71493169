"""What stands now where a locator points: read live, and compared with what was indexed (row R11).

The one part of an answer that does not come from a snapshot. It says ``same``, ``moved``, ``changed`` or ``gone``, and
shows only text that is there now. A passage is found again by its own text, then by its heading. Documents are read by
a function that is given (an open buffer first, then the disk, with the root's safety: `kb.source.current`), so that
no path of a locator reaches a file system here.
"""

from collections.abc import Callable

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.languages import Language
from ..kb.model import Chunk, Derived, DiskHash, DocumentPath
from ..kb.overlay import Overlay
from ..kb.paths import printable
from ..kb.source import Reading, Refusal
from .evidence import NOT_SAVED, Origin, citation_of, label_of, range_of, span_of
from .excerpt import one_line
from .locator import Locator, make
from .query import MAX_AROUND, Expansion, Freshness, Position, Range, Stand

MAX_TEXT = 40_000
"""Characters of an expansion's text."""
MIN_PASSAGE = 3
"""A passage with fewer characters that are no white space is anywhere, so its text finds nothing."""

Reader = Callable[[DocumentPath], Overlay | Reading | Refusal]
"""Reads a document as it is now."""
Derive = Callable[[DocumentPath, str], tuple[Language, Derived]]
"""Makes the facts of a text, as `kb.derive.derive_text`."""


class Stored(msgspec.Struct, frozen=True):
    """What the locator was made from, where it is still kept."""

    text: str
    derived: Derived


class _Place(msgspec.Struct, frozen=True):
    state: Stand
    reason: str
    first: int
    last: int


def expand(
    locator: Locator,
    origin: Origin,
    read: Reader,
    derive: Derive,
    *,
    saved: Callable[[Overlay], DiskHash] = lambda _: NOT_SAVED,
    stored: Stored | None = None,
    renamed: DocumentPath | None = None,
    before: int = 0,
    after: int = 0,
    check: Callable[[], object] = lambda: None,
) -> Expansion:
    """Return the passage of a locator as it is now, with lines around it.

    Args:
        locator: where to look.
        origin: the corpus that the locator names, and for whom.
        read: reads a document live.
        derive: makes the facts of a live text.
        saved: the hash of what is on disk if it says what a buffer says, else "".
        stored: the content that the locator names; without it, text that changed cannot be followed.
        renamed: a document that has this very content now, for the case that the locator's own is not there.
        before: lines to show before the passage, at most `MAX_AROUND`.
        after: lines to show behind it, at most `MAX_AROUND`.
        check: is called between the steps; what it raises ends this.

    Raises:
        InvalidArgumentError: the locator is of another corpus, or too many lines are asked for.

    """
    for name, amount in (("before", before), ("after", after)):
        if not 0 <= amount <= MAX_AROUND:
            raise InvalidArgumentError(f"{name} is a number of lines from 0 to {MAX_AROUND:,}.", argument=name)
    if locator.corpus_key != origin.root.key:
        raise InvalidArgumentError("This locator is of another corpus; name its root with --root.", argument="locator")
    path = locator.path
    live = read(path)
    if isinstance(live, Refusal) and renamed is not None and renamed != path:
        path, live = renamed, read(renamed)
    if isinstance(live, Refusal):
        return _gone(locator, origin, f"the document cannot be read: {live.reason.value.replace('_', ' ')}")
    check()
    language, derived = derive(path, live.text)
    check()
    place = _find(locator, live, derived, stored)
    if place is None:
        return _gone(locator, origin, "the document is there, but neither this text nor its heading is in it")
    if path != locator.path:
        place = _Place("moved", f"the document is now {printable(path)}", place.first, place.last)
    freshness: Freshness = "overlay" if isinstance(live, Overlay) and not saved(live) else "verified"
    return _shown(origin, path, live, freshness, language, derived, place, before, after)


def _find(locator: Locator, live: Overlay | Reading, derived: Derived, stored: Stored | None) -> _Place | None:
    first, last = locator.first_line, locator.last_line
    lines = live.text.count("\n") + 1
    if live.content_id.startswith(locator.content) and last <= lines:
        return _Place("same", "the document is as it was indexed", first, last)
    if stored is None:
        reason = "what was indexed is no longer kept, so this is what stands in these lines now"
        return _Place("changed", reason, first, min(last, lines)) if first <= lines else None
    passage = "\n".join(stored.text.split("\n")[first - 1 : last])
    at = _nearest(live.text, passage, first)
    if at is not None:
        moved = at != first
        reason = "the same text, in other lines" if moved else "the document changed elsewhere"
        return _Place("moved" if moved else "same", reason, at, at + last - first)
    chunk = _same_heading(stored.derived, derived, first)
    if chunk is not None:
        span = span_of(live.text, chunk.start, chunk.end, chunk.first_line, "utf-16")
        return _Place("changed", "the text under this heading changed", span.first_line, span.last_line)
    headed = any(chunk.trail for chunk in stored.derived.chunks if chunk.first_line <= first <= chunk.last_line)
    if headed or first > lines:
        return None
    return _Place("changed", "the text changed and has no heading to find it by", first, min(last, lines))


def _nearest(text: str, passage: str, line: int) -> int | None:
    """Return the line at which ``passage`` stands, as whole lines, nearest to ``line``."""
    if len("".join(passage.split())) < MIN_PASSAGE:
        return None
    framed, wanted = f"\n{text}\n", f"\n{passage}\n"
    best: int | None = None
    current, counted = 1, 0
    at = framed.find(wanted)
    while at >= 0:
        current += framed.count("\n", counted + 1, at + 1) if at else 0
        counted = at
        if best is not None and abs(current - line) >= abs(best - line):
            break  # they only get further away
        best = current
        at = framed.find(wanted, at + 1)
    return best


def _same_heading(old: Derived, new: Derived, line: int) -> Chunk | None:
    """Return the chunk under the heading that ``line`` had: the same piece of it, or the last one there is."""
    trail = next((chunk.trail for chunk in old.chunks if chunk.first_line <= line <= chunk.last_line), ())
    if not trail:
        return None
    before = [chunk for chunk in old.chunks if chunk.trail == trail]
    now = [chunk for chunk in new.chunks if chunk.trail == trail]
    if not now:
        return None
    piece = next(at for at, chunk in enumerate(before) if chunk.first_line <= line <= chunk.last_line)
    return now[min(piece, len(now) - 1)]


def _shown(
    origin: Origin,
    path: DocumentPath,
    live: Overlay | Reading,
    freshness: Freshness,
    language: Language,
    derived: Derived,
    place: _Place,
    before: int,
    after: int,
) -> Expansion:
    text = live.text
    starts = [0]
    while (at := text.find("\n", starts[-1])) >= 0:
        starts.append(at + 1)
    count = len(starts)
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    first, last = max(1, place.first - before), min(count, place.last + after)
    shown = text[starts[first - 1] : ends[last - 1]]
    truncated = len(shown) > MAX_TEXT
    if truncated:
        # The passage rules over what is around it.
        first = place.first if len(text[starts[first - 1] : ends[place.last - 1]]) > MAX_TEXT else first
        shown = text[starts[first - 1] : min(starts[first - 1] + MAX_TEXT, ends[last - 1])]
        last = first + shown.count("\n")
    chunk = next((c for c in derived.chunks if c.first_line <= place.first <= c.last_line), None)
    heading, trail = (chunk.name, chunk.trail) if chunk is not None else ("", ())
    spelled = origin.path(path)
    label = label_of(spelled, heading)
    lines = (place.first, place.last)
    return Expansion(
        state=place.state,
        reason=place.reason,
        corpus=origin.corpus,
        path=spelled,
        relpath=printable(path),
        uri=origin.root.uri(path),
        range=range_of(text, starts[lines[0] - 1], ends[lines[1] - 1], lines, origin.units),
        lines=lines,
        language=language.name,
        heading=one_line(heading),
        trail=tuple(map(one_line, trail)),
        label=label,
        citation=citation_of(label, place.first),
        locator=make(origin.root.key, path, *lines, live.content_id),
        freshness=freshness,
        text=shown,
        text_lines=(first, last),
        truncated=truncated,
    )


def _gone(locator: Locator, origin: Origin, reason: str) -> Expansion:
    path = origin.path(locator.path)
    lines = (locator.first_line, locator.last_line)
    return Expansion(
        state="gone",
        reason=reason,
        corpus=origin.corpus,
        path=path,
        relpath=printable(locator.path),
        uri=origin.root.uri(locator.path),
        range=Range(Position(lines[0] - 1, 0), Position(lines[1] - 1, 0)),
        lines=lines,
        language="",
        heading="",
        trail=(),
        label=path,
        citation=citation_of(path, lines[0]),
        locator=str(locator),
        freshness="verified",
        text="",
        text_lines=lines,
    )
