"""Titles of reStructuredText by docutils' rules, object descriptions (``.. method:: get(url)``) and glossaries.

A title is the first line of a block, over an adornment that is long enough or between two equal ones. A style's level
is the order in which styles first appear, so ``===`` may be a chapter here and a section there.
"""

import functools
import heapq
import re
import unicodedata
from collections.abc import Iterator

from ..model import Kind
from .headings import Heading

_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1*[ ]*$", re.MULTILINE)
_KINDS = {
    **dict.fromkeys(("function", "decorator"), Kind.FUNCTION),
    **dict.fromkeys(("method", "decoratormethod", "classmethod", "staticmethod"), Kind.METHOD),
    **dict.fromkeys(("attribute", "property", "member"), Kind.FIELD),
    **dict.fromkeys(("data", "var", "envvar"), Kind.VARIABLE),
    **dict.fromkeys(("option", "confval", "setting"), Kind.KEY),
    **dict.fromkeys(("class", "exception"), Kind.CLASS),
    **dict.fromkeys(("describe", "object", "directive", "role"), Kind.SECTION),
    "enum": Kind.ENUM,
    "macro": Kind.MACRO,
    "module": Kind.MODULE,
    "struct": Kind.STRUCT,
    "type": Kind.TYPE,
}
_OBJECT = re.compile(
    rf"^(?P<indent>[ ]{{0,40}})\.\.[ ](?:\w+:)?(?P<described>{'|'.join(_KINDS)})::[ ]+(?P<signature>\S.*)$",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?<![\w\-])--[\w][\w\-]*|(?<![\w\-])-\w[\w\-]*")
_GLOSSARY = re.compile(r"^(?P<indent>[ ]{0,40})\.\.[ ]glossary::[^\n]*$", re.MULTILINE)
_TERM = re.compile(r"^(?P<indent>[ ]{1,60})(?P<term>[^\s].*)$", re.MULTILINE)
_NO_TERM = re.compile(r":[\w\-]+:(?:[ ]|$)|\.\.[ ]")
_LABEL = re.compile(r"[ ]*\.\.[ ]_[^\n]{1,200}:[ ]*\n")
_ABOVE = 24
"""Lines above a title in which its labels are looked for."""
_MARKUP = r"[ \t]|[-*+•‣⁃][ ]|\.\.(?:[ ]|$)|__[ ]|\|[ ]|:[^:]+:(?:[ ]|$)"
_BLOCK_ABOVE = re.compile(_MARKUP)
_NO_TITLE = re.compile(_MARKUP + "|>>>[ ]")

PLAIN = (
    (re.compile(r":[\w:+.-]+:`"), "`"),
    (re.compile(r"`([^`<]*?)\s*<[^<>`]*>`_{0,2}"), r"\1"),
    (re.compile(r"``|`_{0,2}"), ""),
    (re.compile(r"(?<!\w)\*{1,2}([^*\s][^*]*)\*{1,2}(?!\w)"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
)
"""How a title loses its markup: patterns and replacements, in this order."""

NAMES = re.compile(
    r"(?:(?<!`)``|:`~?|^[ ]*\.\.[ ](?:\w+:)?auto\w+::[ ])(?:[^`\n<]{0,200}<)?"
    r"(?:[^\W\d]\w*(?:\.|::|#|->))*(?P<name>[^\W\d]\w*)(?:\(\))?(?:>?`|[ ]*$)",
    re.MULTILINE,
)
"""A literal, a role or an ``auto...`` directive whose content is one identifier; its last part is ``name``."""

INCLUDES = re.compile(r"^[ ]*\.\.[ ](?:include|literalinclude)::[ ]+(\S+)", re.MULTILINE)
"""A directive that takes another file in."""


def headings(text: str) -> Iterator[Heading]:
    """Every title, and every object description and term of a glossary that has a body, in order."""
    return heapq.merge(_titles(text), _objects(text), _terms(text), key=lambda heading: heading.start)


def _titles(text: str) -> Iterator[Heading]:
    styles: dict[tuple[str, bool], int] = {}
    done = 0  # behind the last adornment that was used
    for match in _ADORNMENT.finditer(text):
        if match.start() < done:
            continue
        style = match[0].rstrip()
        found = _overlined(text, match, style, done)
        overlined = found is not None
        found = found or _underlined(text, match.start(), style, done)
        if found is None:
            continue
        line, title, title_end, below = found
        done = max(below, match.end())
        level = styles.setdefault((style[0], overlined), len(styles) + 1)
        yield Heading(level, _with_labels(text, min(line, match.start())), line, title, title_end)


def _with_labels(text: str, start: int) -> int:
    """Where the labels directly above a title begin: they name it. A blank line or two may stand between."""
    found, at, blank = start, start, 0
    for _ in range(_ABOVE):
        if at == 0 or blank > 2:
            break
        line = text.rfind("\n", 0, at - 1) + 1
        if not text[line : at - 1].strip(" "):
            blank += 1
        elif _LABEL.match(text, line, at):
            found, blank = line, 0
        else:
            break
        at = line
    return found


_Found = tuple[int, int, int, int]
"""Start of the title's line, range of the title, end of the last line that was used."""


def _overlined(text: str, over: re.Match[str], style: str, done: int) -> _Found | None:
    """A title between two equal adornments that starts a block."""
    line = over.end() + 1
    line_end = text.find("\n", line)
    if line_end < 0:
        return None
    under_end = text.find("\n", line_end + 1)
    under_end = len(text) if under_end < 0 else under_end
    title = text[line:line_end]
    words = title.strip()
    if not words or text[line_end + 1 : under_end].rstrip() != style or _width(words) > len(style) < 4:
        return None
    if not _starts_block(text, over.start(), done):
        return None
    start = line + len(title) - len(title.lstrip())
    return line, start, start + len(words), under_end


def _underlined(text: str, under: int, style: str, done: int) -> _Found | None:
    """A title above its adornment that is the first line of a block."""
    if under == 0:
        return None
    start = text.rfind("\n", 0, under - 1) + 1
    title = text[start : under - 1].rstrip()
    if not title or start < done or _NO_TITLE.match(title) or _ADORNMENT.fullmatch(title):
        return None
    if _width(title) > len(style) < 4 or not _starts_block(text, start, done):
        return None
    return start, start, start + len(title), under


def _starts_block(text: str, start: int, done: int) -> bool:
    """Whether the line at ``start`` begins something new: the line above is blank, indented, markup or an adornment."""
    if start == 0 or start <= done + 1:
        return True
    above = text[text.rfind("\n", 0, start - 1) + 1 : start - 1]
    return not above.strip() or _BLOCK_ABOVE.match(above) is not None


def _width(title: str) -> int:
    """Columns that a title takes: wide characters count twice, combining ones not at all."""
    if title.isascii():
        return len(title)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in title)
    return len(title) + wide - sum(unicodedata.combining(character) > 0 for character in title)


def _objects(text: str) -> Iterator[Heading]:
    """Object descriptions with a body: a reader looks for them as for sections."""
    for match in _OBJECT.finditer(text):
        dedent = _dedent(len(match["indent"])).search(text, match.end())
        end = dedent.start() if dedent else len(text)
        if not text[match.end() : end].strip():
            continue
        kind = _KINDS[match["described"]]
        title, title_end = _object_name(match["signature"], kind)
        at = match.start("signature")
        yield Heading(0, match.start(), match.start(), at + title, at + title_end, end, kind)


def _object_name(signature: str, kind: Kind) -> tuple[int, int]:
    """The part of a signature that is the name: of an option, its longest spelling."""
    if kind is Kind.KEY and signature.startswith("-"):
        spans = [found.span() for found in _OPTION.finditer(signature)] or [(0, len(signature.split(maxsplit=1)[0]))]
        return max(spans, key=lambda place: place[1] - place[0])
    head = signature.split("(", 1)[0].rstrip()
    name = head[head.rfind(" ") + 1 :].lstrip("*&")
    return len(head) - len(name), len(head)


def _terms(text: str) -> Iterator[Heading]:
    """Terms of glossaries with what they mean; several terms of one meaning go by the first."""
    done = 0
    for glossary in _GLOSSARY.finditer(text):
        if glossary.start() < done:
            continue
        dedent = _dedent(len(glossary["indent"])).search(text, glossary.end())
        done = dedent.start() if dedent else len(text)
        yield from _terms_of(text, glossary.end(), done)


def _terms_of(text: str, start: int, end: int) -> Iterator[Heading]:
    depth, opened, below = -1, None, False
    for line in _TERM.finditer(text, start, end):
        if depth < 0 and _NO_TERM.match(line["term"]) is None:
            depth = len(line["indent"])
        if depth < 0 or len(line["indent"]) > depth:
            below = below or opened is not None
            continue
        if _NO_TERM.match(line["term"]) is not None or (opened is not None and not below):
            continue
        if opened is not None:
            yield Heading(0, opened.start(), opened.start(), *opened.span("term"), line.start())
        opened, below = line, False
    if opened is not None and below:
        yield Heading(0, opened.start(), opened.start(), *opened.span("term"), end)


@functools.lru_cache(256)
def _dedent(indent: int) -> re.Pattern[str]:
    return re.compile(rf"^[ ]{{0,{indent}}}\S", re.MULTILINE)
