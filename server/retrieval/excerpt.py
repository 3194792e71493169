"""The few lines of a chunk that show why it was found, cut exactly: what a hit shows is what the document says there.

Pure. A snippet is always one slice of the text, never a collage, so the lines it names are the lines it shows. It stays
what it is, untrusted text: nothing here makes it markup, and `fence` and `one_line` are what keeps it from becoming so
where a front door puts it into something that is read as markup or sent to a terminal (pitfall SE04).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import accumulate

import msgspec

from ..kb.model import Chunk
from ..kb.paths import printable
from .terms import index_text, words

MAX_LINES = 12
MAX_CHARACTERS = 1_200
"""Characters of a snippet, its line ends counted. A longer line is cut inside, around what was found in it."""
MAX_HIGHLIGHTS = 64
MAX_LABEL = 300
LEAD_LINES = 2
"""Lines before the first match, where there is room."""
LEAD_CHARACTERS = 80
"""Characters before the first match in a line that is cut inside."""
REPEAT_WEIGHT = 0.05
"""What a further mention of a term adds to a window, as a part of the term's weight."""
LINE_COST = 1e-6
"""Of windows worth the same, the first."""
WORDS = 50_000
"""Words whose terms are remembered."""

_WORD = re.compile(r"(?:\w[\u0300-\u036f]*)+")
_BACKTICKS = re.compile("`+")
_NO_LANGUAGE = re.compile(r"[^\w+#-]")


class Excerpt(msgspec.Struct, frozen=True):
    """A slice of a text: offsets ``start`` to ``end``, the 1-based lines they lie in, and the matches inside it.

    ``highlights`` are half-open offsets into ``snippet``, in order, not overlapping.
    """

    snippet: str
    start: int
    end: int
    first_line: int
    last_line: int
    highlights: tuple[tuple[int, int], ...] = ()


class _Match(msgspec.Struct, frozen=True, gc=False):
    start: int
    end: int
    line: int  # counted from the chunk's first
    terms: tuple[str, ...]


def cut(
    text: str,
    chunk: Chunk,
    weights: Mapping[str, float],
    *,
    definition: int = -1,
    max_lines: int = MAX_LINES,
    max_characters: int = MAX_CHARACTERS,
) -> Excerpt:
    """Return the lines of ``chunk`` that hold the most, and the rarest, of the terms of a query.

    Args:
        text: the document's normalised text.
        chunk: where to cut.
        weights: what each term counts for, as `terms.terms` spells it: higher for rarer ones.
        definition: offset of the chunk's name where the name is what matched; that line is then always shown.
        max_lines: most lines of the snippet, at least 1.
        max_characters: most characters of the snippet, at least 1.

    """
    start, end = trimmed(text, chunk.start, chunk.end)
    first_line = chunk.first_line + text.count("\n", chunk.start, start)
    body = text[start:end]
    starts = [*accumulate([len(line) + 1 for line in body.split("\n")[:-1]], initial=0)]
    matches = _matches(body, starts, weights)
    anchor = _line_at(starts, definition - start) if start <= definition < end else -1
    first, last = _window(matches, weights, len(starts), anchor, max_lines)
    focus = _focus(matches, first, last, definition - start if anchor >= 0 else -1, starts)
    left, right = _fit(body, starts, first, last, focus, max_characters)
    left, right = trimmed(body, left, right)
    spans = [(max(m.start, left) - left, min(m.end, right) - left) for m in matches if m.start < right and m.end > left]
    return Excerpt(
        snippet=body[left:right],
        start=start + left,
        end=start + right,
        first_line=first_line + body.count("\n", 0, left),
        last_line=first_line + body.count("\n", 0, right),
        highlights=tuple(spans[:MAX_HIGHLIGHTS]),
    )


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return ``[start, end)`` without empty lines before and white space behind; one empty line if nothing is left."""
    stop = start + len(text[start:end].rstrip())
    if stop == start:
        return start, start + len(text[start:end].split("\n", 1)[0])
    begin = start + (stop - start - len(text[start:stop].lstrip()))
    return max(start, text.rfind("\n", start, begin) + 1), stop


def one_line(text: str, limit: int = MAX_LABEL) -> str:
    """Return ``text`` as one line that shows what it is: escapes, directions and raw bytes made visible."""
    return printable(text if len(text) <= limit else text[: limit - 1] + "…")


def fence(snippet: str, language: str = "") -> str:
    """Return ``snippet`` as a Markdown code block that nothing in it can end."""
    ticks = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(snippet)), default=0))
    return f"{ticks}{_NO_LANGUAGE.sub('', language)}\n{snippet}\n{ticks}"


def _matches(body: str, starts: list[int], weights: Mapping[str, float]) -> list[_Match]:
    """Words of ``body`` that give at least one of the terms, in order."""
    ascii_only = body.isascii()
    hits = _SPELLINGS.giving(set(words(body) if ascii_only else _WORD.findall(body)), weights)
    if not hits:
        return []
    if ascii_only:  # few words are hits: looking for those is faster than looking at all
        found = sorted([place for spelled in hits for place in _places(body, spelled)])
    else:
        found = [(word.start(), word.end(), word[0]) for word in _WORD.finditer(body) if word[0] in hits]
    return [_Match(start, end, bisect_right(starts, start) - 1, hits[spelled]) for start, end, spelled in found]


class _Spellings:
    """Words seen lately, by the terms they give: of hundreds in an excerpt few matter, and these are found by sets.

    Threads share it without a lock: what one adds is whole for another, as the interpreter does one step of a dict or a
    set at a time, and a word counts as known only once all of its terms are.
    """

    def __init__(self) -> None:
        self._known: tuple[dict[str, tuple[str, ...]], dict[str, set[str]]] = {}, {}

    def giving(self, spelled: set[str], weights: Mapping[str, float]) -> dict[str, tuple[str, ...]]:
        """Those of some words that give at least one of the terms, with these."""
        terms_of, spelling = self._known
        if len(terms_of) > WORDS:
            terms_of, spelling = self._known = {}, {}  # begin anew; a thread that has the old ones goes on with them
        for word in spelled.difference(terms_of):
            terms = tuple(dict.fromkeys(index_text(word).split()))
            for term in terms:
                spelling.setdefault(term, set()).add(word)
            terms_of[word] = terms
        found = {word for term in weights if term in spelling for word in spelling[term] & spelled}
        return {word: tuple([term for term in terms_of[word] if term in weights]) for word in found}


_SPELLINGS = _Spellings()


def _places(body: str, word: str) -> list[tuple[int, int, str]]:
    """Where ``word`` stands in an ASCII text as a whole word: from and to, and the word."""
    found = []
    at, length = body.find(word), len(word)
    while at >= 0:
        end = at + length
        before, behind = body[at - 1 : at], body[end : end + 1]
        if not (before.isalnum() or before == "_" or behind.isalnum() or behind == "_"):
            found.append((at, end, word))
        at = body.find(word, end)
    return found


def _window(matches: list[_Match], weights: Mapping[str, float], count: int, anchor: int, size: int) -> tuple[int, int]:
    """First and last line of the best window of at most ``size`` lines. Windows that begin at a match are enough.

    The line of ``anchor`` stands in the first half: what follows a definition's first line says more than its comment.
    """
    if count <= size:
        return 0, count - 1
    candidates = sorted({match.line for match in matches} | ({anchor} if anchor >= 0 else {0}))
    lines = [match.line for match in matches]
    best, best_value = 0, -1.0
    for first in candidates:
        if anchor >= 0 and not anchor - size // 2 < first <= anchor:
            continue
        inside = matches[bisect_left(lines, first) : bisect_left(lines, first + size)]
        value = _value(inside, weights) - first * LINE_COST
        if value > best_value:
            best, best_value = first, value
    last_needed = max([best, anchor, *lines[bisect_left(lines, best) : bisect_left(lines, best + size)]])
    # What is left of the room goes before the first match, up to the lead, and behind the last one.
    lead = min(LEAD_LINES, size - 1 - (last_needed - best))
    first = max(0, min(best - lead, count - size))
    return first, min(count, first + size) - 1


def _value(matches: list[_Match], weights: Mapping[str, float]) -> float:
    seen: set[str] = set()
    value = 0.0
    for match in matches:
        for term in match.terms:
            value += weights[term] * (REPEAT_WEIGHT if term in seen else 1.0)
            seen.add(term)
    return value


def _focus(matches: list[_Match], first: int, last: int, definition: int, starts: list[int]) -> int:
    """Offset that the snippet must not lose: the name, else the first match of the window, else its start."""
    if definition >= 0:
        return definition
    return next((match.start for match in matches if first <= match.line <= last), starts[first])


def _fit(body: str, starts: list[int], first: int, last: int, focus: int, most: int) -> tuple[int, int]:
    """As many whole lines of the window as fit; only the line of ``focus`` is cut inside, if it must be."""
    line = _line_at(starts, focus)
    ends = [*(start - 1 for start in starts[1:]), len(body)]
    left, right = starts[line], ends[line]
    if right - left > most:
        left = max(left, min(focus - min(LEAD_CHARACTERS, most // 2), right - most))
        return left, min(right, left + most)
    top = bottom = line
    grown = True
    while grown:
        grown = False
        if bottom < last and ends[bottom + 1] - left <= most:
            bottom, right, grown = bottom + 1, ends[bottom + 1], True
        if top > first and right - starts[top - 1] <= most:
            top, left, grown = top - 1, starts[top - 1], True
    return left, right


def _line_at(starts: list[int], offset: int) -> int:
    return max(0, bisect_right(starts, offset) - 1)
