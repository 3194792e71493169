"""Headings of Markdown by CommonMark's rules: ``# title``, ``title`` over ``===``, and ``<h1>`` on one line.

What looks like one inside fenced code, comments, HTML blocks, front matter, list items and quotations is none. Every
pattern is linear in what it reads, and what never closes is looked for once.
"""

import functools
import re
from collections.abc import Iterator

from .headings import Heading

_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(?=\S)(?:.*\n)*?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
_LIST_MARKER = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
_BLOCK_TAGS = (
    "address|article|aside|blockquote|center|details|dialog|div|dl|dt|dd|fieldset|figure|footer|form|header|hr|iframe|li|main|nav"
    "|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_LINE = re.compile(
    rf"^(?:(?P<indent> {{0,3}})(?P<marks>\#{{1,6}})(?:[ \t]+(?P<title>.*)|$)"
    rf"|[ \t]*(?:{_LIST_MARKER})*(?P<fence>`{{3,}}(?=[^`\n]*$)|~{{3,}})"
    r"|[ ]{0,3}(?P<underline>=+|-+)[ \t]*$"
    r"|[ ]{0,3}<h(?P<tag>[1-6])(?=[ >])[^>\n]*>(?P<html_title>(?:(?!</h)[^\n])*)</h(?P=tag)>"
    rf"|[ ]{{0,3}}(?P<html><!--|<(?:pre|script|style|textarea)(?=[\s>])|</?(?:{_BLOCK_TAGS})(?=[\s/>])))",
    re.MULTILINE | re.IGNORECASE,
)
_HTML_ENDS = {
    opening: re.compile(closing, re.IGNORECASE)
    for opening, closing in (
        ("<!--", "-->"),
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    )
}
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n|\Z)")
_ITEM = re.compile(rf"[ ]*{_LIST_MARKER}")
_ITEM_OR_QUOTE = re.compile(rf"[ ]{{0,3}}(?:>|{_LIST_MARKER}(?![-_* \t]*$)|[-*+]$)")
_NO_PARAGRAPH = re.compile(r"[ \t]*$|[ ]{0,3}(?:#{1,6}(?:[ \t]|$)|(?:[-_*][ \t]*){3,}$)")
_LIST_LINES, _TITLE_LINES = 50, 10
"""Lines above a heading that are looked at for the list item that holds it, and for the start of its title."""

PLAIN = (
    (re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>"), ""),
    (re.compile(r"!?\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])"), r"\1"),
    (re.compile(r"(?:^|(?<=\s))!?\[([^\[\]]+)\]"), r"\1"),
    (re.compile(r"\s\{[#.:][^{}]*\}\s*$"), ""),
    (re.compile(r"\*\*|`|~~"), ""),
    (re.compile(r"(?<![\w\\])[*_]([^*_\s][^*_]*)[*_](?!\w)"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
"""How a title loses its markup: patterns and replacements, in this order."""

NAMES = re.compile(r"(?<!`)`(?:[^\W\d]\w*(?:\.|::|#|->))*(?P<name>[^\W\d]\w*)(?:\(\))?`(?!`)")
"""A code span that is one identifier; the last part of a dotted one is ``name``."""


def headings(text: str) -> Iterator[Heading]:
    """Every heading of the document itself, in order."""
    front = _FRONT_MATTER.match(text)
    at = floor = front.end() if front else 0  # floor: behind the last block that no paragraph reaches into
    unclosed: dict[tuple[str, int], int] = {}
    while (match := _LINE.search(text, at)) is not None:
        at = max(match.end(), at + 1)
        start = match.start()
        if match["marks"]:
            if not _in_list(text, start, len(match["indent"])):
                title = max(match.start("title"), start)
                length = len(_without_closing_marks(match["title"] or ""))
                yield Heading(len(match["marks"]), start, start, title, title + length)
        elif match["fence"]:
            at = floor = _behind_fence(text, match, unclosed)
        elif match["underline"]:
            paragraph = _paragraph(text, start, floor)
            if paragraph is not None:
                level = 1 if match["underline"][0] == "=" else 2
                floor = at
                yield Heading(level, paragraph, paragraph, paragraph, start - 1)
        elif match["tag"]:
            yield Heading(int(match["tag"]), start, start, *match.span("html_title"))
        else:
            close = _HTML_ENDS.get(match["html"].lower(), _BLANK_LINE).search(text, match.end())
            at = floor = close.end() if close else len(text)


def _without_closing_marks(title: str) -> str:
    """``title ##`` without its end; ``title#`` as it is."""
    title = title.rstrip(" \t")
    words = title.rstrip("#")
    return title if words and words[-1] not in " \t" else words.rstrip(" \t")


def _behind_fence(text: str, opening: re.Match[str], unclosed: dict[tuple[str, int], int]) -> int:
    """Offset behind a fenced block; the end of the text without a closing fence, unless a list ends it.

    ``unclosed`` remembers the shortest fence of each kind that nothing closes any more.
    """
    fence, lead = opening["fence"], len(text[opening.start() : opening.start("fence")].expandtabs(4))
    kind, length = (fence[0], min(lead, 4)), len(fence)
    if length < unclosed.get(kind, length + 1):
        close = _closing_fence(*kind, length).search(text, opening.end())
        if close is not None:
            return close.end()
        unclosed[kind] = length
    return opening.end() if lead > 3 or _in_list(text, opening.start(), lead) else len(text)


@functools.lru_cache(256)
def _closing_fence(mark: str, lead: int, length: int) -> re.Pattern[str]:
    indent = "[ \t]*" if lead > 3 else rf"[ ]{{0,{lead + 3}}}"
    return re.compile(rf"^{indent}{mark}{{{length},}}[ \t]*$", re.MULTILINE)


def _in_list(text: str, start: int, indent: int) -> bool:
    """Whether an indented line at ``start`` belongs to a list item: the nearest line with less indentation is one."""
    for _ in range(_LIST_LINES if indent >= 2 else 0):
        if start == 0:
            break
        above, start = start, text.rfind("\n", 0, start - 1) + 1
        line = text[start : above - 1]
        if line.strip() and len(line) - len(line.lstrip(" ")) < indent:
            item = _ITEM.match(line)
            return item is not None and item.end() <= indent
    return False


def _paragraph(text: str, underline: int, floor: int) -> int | None:
    """Start of the paragraph right above ``underline``; None when the line above is no paragraph."""
    start = underline
    for _ in range(_TITLE_LINES):
        if start <= floor:
            break
        above = text.rfind("\n", floor, start - 1) + 1 or floor
        line = text[above : start - 1]
        if _ITEM_OR_QUOTE.match(line):
            return None  # the paragraph is that item's or quotation's
        if _NO_PARAGRAPH.match(line):
            break
        start = above
    else:
        return None
    while start < underline and text.startswith(("    ", "\t"), start):  # indented code, no start of a paragraph
        start = text.index("\n", start) + 1
    return start if start < underline else None
