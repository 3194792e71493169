"""Answers as people read them: one block a hit, then what the answer says about itself.

Pure: values in, lines out. A block is the citation, why it was found, and the excerpt with its line numbers;
freshness is said only where it is not ``verified``, so that silence means current, and the corpus only where several
answered.
"""

from collections.abc import Iterator, Sequence

from ..kb.paths import printable
from ..retrieval.query import Answer, Expansion, Explanation, Hit, Place, PlanInfo, Receipt, RouteStep, Standing
from .highlight import Span
from .output import Line, visible

MAX_ALSO = 4
MAX_LINE = 500
"""Characters of one source line that are shown; the file has the rest."""

FRESHNESS = {
    "overlay": "unsaved text of an open editor",
    "stale": "the file has changed since",
    "unverified": "not compared with the file",
}
"""What people are told; ``verified`` goes without saying."""

SAID = (
    "have changed since this snapshot",
    "were not compared with their files",
    "was not compared with the index as a whole",
    "have changed or gone since they were indexed",
    "documents are read in part",
    "files: too large",
)
"""How those clauses of what is missing end that a mark at a hit or the receipt says anyway, or that hold for a tree as
long as its files stay as they are: health is for these."""

STANDINGS: dict[Standing, str] = {
    "own": "your own",
    "declared": "declared",
    "shared": "shared",
    "attached": "attached",
    "registered": "registered",
    "found": "below",
}
"""Why a corpus takes part, in a word."""


def hits(answer: Answer, *, color: bool) -> Iterator[Line]:
    """Return the blocks of all hits, best first, with an empty line between two."""
    several = len(answer.receipt.snapshot.corpora) > 1
    for number, hit in enumerate(answer.hits):
        if number:
            yield ()
        yield from _hit(hit, hit.corpus if several else "", color)


def about(answer: Answer | Explanation) -> Iterator[Line]:
    """Return the notices and the one-line receipt."""
    receipt = answer.receipt
    for notice in receipt.notices:
        yield (("warn", "note: "), ("", notice))
    for gap in receipt.plan.gaps:
        if gap not in receipt.notices:
            yield (("warn", "note: "), ("", gap))
    if unsaid := "; ".join(_unsaid(receipt)):
        yield (("warn", "note: "), ("", f"The evidence is not complete: {unsaid}."))
    found = answer.hits if isinstance(answer, Answer) else answer.evidence
    yield (("dim", _receipt(receipt, len(found))),)


def _unsaid(receipt: Receipt) -> Iterator[str]:
    """Return what is missing and said by no notice, no mark at a hit and no word of the receipt."""
    said = (*SAID, *(corpus.partial for corpus in receipt.snapshot.corpora if corpus.partial))
    for clause in receipt.missing:
        if not clause.endswith(said) and not any(clause.rstrip(".") in notice for notice in receipt.notices):
            yield clause


def _hit(hit: Hit, corpus: str, color: bool) -> Iterator[Line]:
    yield _citation(hit.citation, corpus)
    freshness = FRESHNESS.get(hit.freshness)
    yield (("dim", f"  {_why(hit)}"), *((("warn", f" · {freshness}"),) if freshness else ()))
    yield from excerpt(hit.snippet, hit.snippet_lines[0], hit.language, hit.highlights, color=color)
    yield from _also(hit.also)


def _also(places: Sequence[Place]) -> Iterator[Line]:
    """Return what else a hit stands for, one line a reason: passages of its document, then copies elsewhere."""
    here = [f"{place.lines[0]} {place.heading}".rstrip() for place in places if place.reason == "same document"]
    copies = [_copy(place) for place in places if place.reason == "same text"]
    for words, found in ((f"also in line{'s' if len(here) > 1 else ''} ", here), ("same text in ", copies)):
        if found:
            more = f" and {len(found) - MAX_ALSO} more" if len(found) > MAX_ALSO else ""
            yield (("dim", f"  {words}{', '.join(found[:MAX_ALSO])}{more}"),)


def _copy(place: Place) -> str:
    return (
        f"{printable(place.corpus)}: {place.path}:{place.lines[0]}"
        if place.corpus
        else f"{place.path}:{place.lines[0]}"
    )


def _citation(citation: str, corpus: str = "") -> Line:
    path, separator, rest = citation.partition(" § ")
    named = (("number", printable(corpus)), ("dim", ": ")) if corpus else ()
    return (*named, ("path", path), ("", separator), ("heading", rest))


def _why(hit: Hit) -> str:
    """Say which signals found a hit, and their reasons where they have one."""
    reasons = {signal.via: signal.reason for signal in hit.signals if signal.reason}
    return " · ".join(f"{via}: {reasons[via]}" if via in reasons else via for via in hit.via)


def excerpt(text: str, first_line: int, language: str, matches: Sequence[Span] = (), *, color: bool) -> Iterator[Line]:
    """Return numbered lines of source text, in colour and with the matches marked where there is any colour."""
    text = text.rstrip("\n")
    lines = [visible(_cut(line)) for line in text.split("\n")]
    width = len(str(first_line + len(lines) - 1))
    if color:
        from .highlight import highlight

        lines = highlight(lines, language, _shown(text, matches))
    for number, line in enumerate(lines, first_line):
        bar = " │ " if line else " │"
        yield (("number", f"  {number:>{width}}"), ("dim", bar), ("raw", line))


def _shown(text: str, matches: Sequence[Span]) -> Iterator[Span]:
    """Move matches from the text to the lines as they are shown: cut, and with control characters written out."""
    begin = shown = 0
    for line in text.split("\n"):
        for start, end in matches:
            if begin <= start < end <= begin + min(len(line), MAX_LINE):
                yield shown + len(visible(line[: start - begin])), shown + len(visible(line[: end - begin]))
        begin += len(line) + 1
        shown += len(visible(_cut(line))) + 1


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} …"


def _receipt(receipt: Receipt, count: int) -> str:
    words = [f"{count} hit{'' if count == 1 else 's'}{', and there are more' if receipt.truncated else ''}"]
    corpora = receipt.snapshot.corpora
    if len(corpora) > 1:
        words.append(f"{len(corpora)} corpora, {sum(corpus.documents for corpus in corpora):,} documents")
        words += [f"{printable(corpus.corpus)} partial: {corpus.partial}" for corpus in corpora if corpus.partial]
    else:
        words += [
            f"{corpus.corpus} generation {corpus.generation}, {corpus.documents:,} documents"
            + (f", partial: {corpus.partial}" if corpus.partial else "")
            for corpus in corpora
        ]
    words.append(_freshness(receipt))
    if receipt.suppressed:
        words.append("held back: " + ", ".join(f"{number} {reason}" for reason, number in receipt.suppressed.items()))
    words.append(f"{receipt.elapsed_ms:,.0f} ms")
    return " · ".join(words)


def _freshness(receipt: Receipt) -> str:
    fresh = receipt.freshness
    refreshed = f", {fresh.refreshed:,} refreshed" if fresh.refreshed else ""
    stale = f", {fresh.stale_excluded:,} stale left out" if fresh.stale_excluded else ""
    if fresh.sweep_complete:
        return f"tree swept{refreshed}{stale}"
    swept = f"last whole sweep {duration(fresh.sweep_age_ms)} ago" if fresh.sweep_age_ms >= 0 else "tree not swept"
    return f"{swept}{refreshed}{stale}"


def duration(milliseconds: float) -> str:
    """Say a span of time in the unit that people would use."""
    for unit, size in (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000)):
        if milliseconds >= size:
            count = int(milliseconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{milliseconds:.0f} ms"


def plan(info: PlanInfo) -> Iterator[Line]:
    """Return the plan: what the question was taken for, and every step that was taken or left."""
    yield (("heading", info.query_class), ("dim", f"  confidence {info.confidence:.2f}"))
    if info.terms:
        yield (("dim", "terms  "), ("", " ".join(info.terms)))
    for step in info.steps:
        mark, style = ("+", "good") if step.chosen else ("-", "dim")
        cost = f"  {step.found:,} found, {step.cost_ms:.1f} ms" if step.chosen else ""
        yield ((style, f"{mark} {step.strategy}"), ("", f"  {step.reason}"), ("dim", f"  [{step.rule}]{cost}"))
    for route in info.routing:
        yield _route(route)
    for gap in info.gaps:
        yield (("warn", "gap: "), ("", gap))


def _route(route: RouteStep) -> Line:
    """Return what was decided about one corpus, and what became of it."""
    mark, style = ("+", "good") if route.chosen else ("-", "dim")
    shown = f"  {route.found:,} found, {route.shown:,} shown, {route.cost_ms:.1f} ms" if route.chosen else ""
    return (
        (style, f"{mark} {printable(route.corpus)}"),
        ("dim", f" ({STANDINGS[route.standing]})"),
        ("", f"  {route.reason}"),
        ("dim", f"  [{route.rule}]{shown}"),
    )


def expansion(found: Expansion, *, color: bool) -> Iterator[Line]:
    """Return the live text of a place."""
    yield _citation(found.citation)
    if found.text:
        yield from excerpt(found.text, found.text_lines[0], found.language, color=color)


def about_expansion(found: Expansion) -> Iterator[Line]:
    """Return whether the text is still what was indexed."""
    style = "dim" if found.state == "same" else "warn"
    freshness = FRESHNESS.get(found.freshness)
    cut = "; the text is cut here" if found.truncated else ""
    yield ((style, f"{found.state}: {found.reason}{f'; {freshness}' if freshness else ''}{cut}"),)


def explanation(found: Explanation) -> Iterator[Line]:
    """Return the plan, and why each hit stands where it stands."""
    yield from plan(found.plan)
    for number, evidence in enumerate(found.evidence, 1):
        yield ()
        yield (("number", f"{number} "), *_citation(evidence.citation))
        yield (("dim", "  "), ("", f"{evidence.score.kind} {evidence.score.value:.4f}"))
        for signal in evidence.signals:
            reason = f"  {signal.reason}" if signal.reason else ""
            score = f"{signal.score.kind} {signal.score.value:.3f}"
            yield (("dim", "  "), ("", f"{signal.via}: rank {signal.rank}, {score}"), ("dim", reason))
        for name, worth in evidence.features.items():
            yield (("dim", "  "), ("good" if worth > 0 else "warn", f"{worth:+.3f}"), ("", f" {name}"))
