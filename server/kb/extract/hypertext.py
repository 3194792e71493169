"""Headings of HTML: ``<h1>`` to ``<h6>``, wherever they stand. Comments, scripts and styles have none."""

import re
from collections.abc import Iterator

from .headings import Heading

_MARK = re.compile(
    r"<(?:(?P<skip>!--|(?:script|style|textarea)(?=[\s/>]))|h(?P<level>[1-6])(?:\s[^<>]*)?>)", re.IGNORECASE
)
_ENDS = {
    opening: re.compile(closing, re.IGNORECASE)
    for opening, closing in (("!--", "-->"), ("script", "</script"), ("style", "</style"), ("textarea", "</textarea"))
}
_TITLE = re.compile(r"(?:[^<]+|<(?!/?h[1-6]|!--|script|style|textarea))*", re.IGNORECASE)

PLAIN = (
    (re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL), ""),
    (re.compile(r"&nbsp;"), " "),
    (re.compile(r"&lt;"), "<"),
    (re.compile(r"&gt;"), ">"),
    (re.compile(r"&quot;"), '"'),
    (re.compile(r"&#39;|&apos;"), "'"),
    (re.compile(r"&amp;"), "&"),
)
"""How a title loses its markup: patterns and replacements, in this order."""

NAMES = re.compile(r"<code>(?:[^\W\d]\w*(?:\.|::|#|->))*(?P<name>[^\W\d]\w*)(?:\(\))?</code>")
"""Code that is one identifier; the last part of a dotted one is ``name``."""

INCLUDES = re.compile(r"<(?:script|link)(?=\s)[^<>]*?\s(?:src|href)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)
"""A script or a style sheet that the page takes in."""


def headings(text: str) -> Iterator[Heading]:
    """Every heading, in order."""
    at = 0
    while (match := _MARK.search(text, at)) is not None:
        at = match.end()
        if match["skip"]:
            close = _ENDS[match["skip"].lower()].search(text, at)
            at = close.end() if close else len(text)
            continue
        title = _TITLE.match(text, at)
        at = title.end() if title else at
        yield Heading(int(match["level"]), match.start(), match.start(), match.end(), at)
