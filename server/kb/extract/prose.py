"""Prose to facts: headed sections, names of code that the text talks about, files that it takes in.

Scanners over lines instead of grammars: those read 2-4 MB a second and the one of reStructuredText misses titles, while
two or three neighbouring lines decide what a heading is. Nothing here raises on content, and what is found is bounded.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..lines import Lines
from ..model import Import, Kind, Reference, Role, Symbol
from . import hypertext, markdown, restructured
from .headings import Heading, section_ends

MAX_SECTIONS = 20_000
MAX_REFERENCES = 100_000
MAX_TITLE = 200


class Outline(NamedTuple):
    """What a text has: sections in order (kind ``section``, nested by container), uses of names, files taken in."""

    symbols: tuple[Symbol, ...]
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]


class Flavour(NamedTuple):
    """One way to write prose."""

    headings: Callable[[str], Iterator[Heading]]
    plain: tuple[tuple[re.Pattern[str], str], ...]  # how a title loses its markup
    names: re.Pattern[str]  # group "name": an identifier that the text talks about
    includes: re.Pattern[str] | None = None  # group 1: a file that is taken in


FLAVOURS = {
    "markdown": Flavour(markdown.headings, markdown.PLAIN, markdown.NAMES),
    "html": Flavour(hypertext.headings, hypertext.PLAIN, hypertext.NAMES, hypertext.INCLUDES),
    "rst": Flavour(restructured.headings, restructured.PLAIN, restructured.NAMES, restructured.INCLUDES),
}
"""The flavours of prose, by the name that a row of the language table gives."""


def outline(text: str, flavour: str) -> Outline:
    """Sections, uses and imports of ``text``; ``flavour`` is a key of `FLAVOURS`.

    A section reaches to the last character that is no white space before the next heading of its level or above. A
    heading without words closes sections and opens none.
    """
    kind, lines = FLAVOURS[flavour], Lines(text)
    symbols = tuple(_sections(text, lines, kind))
    includes = kind.includes.finditer(text) if kind.includes is not None else ()
    imports = tuple(Import(match[1], lines.at(match.start())) for match in includes)
    return Outline(symbols, tuple(_references(text, lines, kind.names, symbols)), imports)


def _sections(text: str, lines: Lines, flavour: Flavour) -> Iterator[Symbol]:
    found = list(flavour.headings(text))
    around: list[tuple[int, int]] = []  # (index, end) of the sections that are open
    index = 0
    for heading, end in zip(found, section_ends(found, len(text)), strict=True):
        if index == MAX_SECTIONS:
            break
        name = _plain(text[heading.title : heading.title_end], flavour)
        if not name:
            continue
        while around and around[-1][1] <= heading.start:
            around.pop()
        container = around[-1][0] if around else -1
        around.append((index, end))
        index += 1
        end = heading.start + len(text[heading.start : end].rstrip())
        first, last = lines.at(heading.start), lines.at(end - 1)
        shown = min(max(heading.title_end, lines.ceil(heading.line + 1)), heading.line + 4 * MAX_TITLE)
        signature = _one_line(text[heading.line : shown])
        told = heading.kind is not Kind.SECTION
        yield Symbol(
            name,
            heading.kind,
            container,
            heading.start,
            end,
            heading.title,
            first,
            last,
            signature,
            declaration=told,
        )


def _plain(title: str, flavour: Flavour) -> str:
    title = title[: 4 * MAX_TITLE]
    for pattern, replacement in flavour.plain:
        title = pattern.sub(replacement, title)
    return _one_line(title)


def _one_line(words: str) -> str:
    return " ".join(words[: 4 * MAX_TITLE].split())[:MAX_TITLE]


def _references(text: str, lines: Lines, names: re.Pattern[str], symbols: tuple[Symbol, ...]) -> Iterator[Reference]:
    """Names of code, once for each name and line, in the innermost section around them."""
    starts = [symbol.start for symbol in symbols]
    seen: set[tuple[str, int]] = set()
    for match in names.finditer(text):
        name, at = match["name"], match.start("name")
        line = lines.at(at)
        if (name, line) in seen:
            continue
        seen.add((name, line))
        scope = bisect_right(starts, at) - 1
        while scope >= 0 and symbols[scope].end <= at:
            scope = symbols[scope].container
        yield Reference(name, Role.REFERENCE, line, scope)
        if len(seen) == MAX_REFERENCES:
            return
