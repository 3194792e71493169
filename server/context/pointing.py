"""What a place in a text points at: a name with what qualifies it, a path, a locator. Pure, over one text.

No grammar is asked: an editor points into half-written text all the time. Whether a name means anything is decided by
the facts, not here.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from ..kb.languages import BY_NAME, TEXT
from ..kb.model import Derived, Import, SourceType, Symbol
from ..kb.text import LineIndex
from ..retrieval.locator import FORM

MAX_LINE = 2_000
"""Characters of a line that are looked at on either side."""
_LINES = 20_000  # of a text that are looked at for paths
_IMPORT_LINES = 60
"""Lines that an import statement may take until its module is named."""
_NAME = re.compile(r"[^\W\d][\w$]*")
_QUOTES_MODULES = frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "lua", "go", "zig", "dart"})
"""Languages in which the name that a module is given may stand before it, and the module in quotes."""
_QUOTES = "\"'`<>"
_STEPS = ".:/\\-"
"""What stands between the steps of a module."""
_IN_WORD = re.compile(r"[\w$]")
_GOES_ON = re.compile(r"[.:/\\-]+\w")
_MARKED = frozenset({"ruby", "elixir"})  # languages whose names may end in ? or !
_ACCESSOR = re.compile(r"([^\W\d][\w$]*[?!]?)?(?:\([^()]*\)|\[[^\[\]]*\])?\s*(?:\?\.|\.|->|::|(?<=\w):(?=\w))\s*$")
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]+")
_PLACE = re.compile(r"(?P<path>[^:#\s]+?)(?:(?::|#L)(?P<line>[1-9]\d{0,6})(?:[-:,]\S*)?)?[.,:;!?]*")
_CITED = re.compile(r"[^\n(]{0,300}?\(Line (\d{1,7})\)")
_SELF = frozenset({"self", "this", "cls", "super", "Self"})


class Name(msgspec.Struct, frozen=True):
    """A name in a text. ``qualifiers`` are what is written in front of it, outermost first, without ``self``."""

    text: str
    start: int
    line: int  # 1-based
    qualifiers: tuple[str, ...] = ()
    member: bool = False  # it stands behind an accessor
    of_self: bool = False  # that accessor is of the object itself
    called: bool = False
    in_comment: bool = False


class PathLike(msgspec.Struct, frozen=True):
    """Something that may be the path of a document, with the line that it says, or 0."""

    path: str
    line: int
    start: int
    end: int


def name_at(text: str, offset: int, language: str) -> Name | None:
    """Return the name that ``offset`` lies in, or stands right behind; None for anything else."""
    first, last = _line_around(text, offset)
    match = next(
        (one for one in _NAME.finditer(text, first, last) if one.start() <= offset <= one.end()),
        None,
    )
    if match is None:
        return None
    word, end = match[0], match.end()
    if language in _MARKED and text[end : end + 1] in ("?", "!") and text[end + 1 : end + 2] != "=":
        word, end = word + text[end], end + 1
    qualifiers, member, of_self = _qualifiers(text[first : match.start()])
    row = BY_NAME.get(language, TEXT)
    lead = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()
    return Name(
        text=word,
        start=match.start(),
        line=text.count("\n", 0, offset) + 1,
        qualifiers=qualifiers,
        member=member,
        of_self=of_self,
        called=text[end : end + 1] == "(",
        in_comment=any(lead.startswith(mark) or f" {mark} " in lead for mark in (*row.comments, "*")),
    )


def _qualifiers(before: str) -> tuple[tuple[str, ...], bool, bool]:
    found: list[str] = []
    member = of_self = False
    while (match := _ACCESSOR.search(before)) is not None and len(found) < 8:
        member = True
        if not match[1]:
            break
        found.append(match[1])
        before = before[: match.start()]
    if found and found[-1] in _SELF:
        of_self = len(found) == 1
        found.pop()
    return tuple(reversed(found)), member, of_self


def path_at(text: str, offset: int) -> PathLike | None:
    """Return what may be a path at ``offset``; ``path § heading (Line 42)`` says its line too."""
    first, last = _line_around(text, offset)
    match = next((one for one in _TOKEN.finditer(text, first, last) if one.start() <= offset <= one.end()), None)
    if match is None:
        return None
    found = _PLACE.fullmatch(match[0])
    if found is None or not ("/" in found["path"] or "." in found["path"]):
        return None
    line = int(found["line"] or 0)
    if not line and text.startswith(" §", match.end()):
        cited = _CITED.match(text, match.end())
        line = int(cited[1]) if cited is not None else 0
    path = found["path"].removeprefix("./")
    return PathLike(path, line, match.start(), match.start() + len(found["path"]))


def locator_at(text: str, offset: int) -> tuple[int, int, str] | None:
    """Return where the locator at ``offset`` begins and ends, and what it is; None for anything else."""
    first, last = _line_around(text, offset)
    found = (one for one in FORM.finditer(text, first, last) if one.start() <= offset <= one.end())
    return next(((one.start(), one.end(), one[0]) for one in found), None)


def locators_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Every locator of a text, as `locator_at` gives one."""
    yield from ((one.start(), one.end(), one[0]) for one in FORM.finditer(text))


def paths_in(text: str, language: str) -> Iterator[PathLike]:
    """Everything in prose, or in the comment lines of code, that may be a path."""
    row = BY_NAME.get(language, TEXT)
    start = 0
    for line in text.split("\n")[:_LINES]:
        if row.source_type is SourceType.DOCS or line.lstrip().startswith((*row.comments, "*")):
            for token in _TOKEN.finditer(line[:MAX_LINE]):
                if (said := path_at(text, start + token.start())) is not None:
                    yield said
        start += len(line) + 1


def import_at(text: str, derived: Derived, lines: LineIndex, offset: int, language: str) -> int:
    """Return which import of a document has its module at ``offset``, or -1."""
    line = lines.line_of(offset)
    for at, taken in enumerate(derived.imports):
        if taken.line <= line <= taken.line + _IMPORT_LINES:
            place = module_place(text, taken, lines.start_of(taken.line), language)
            if place >= 0 and place <= offset <= place + len(taken.module):
                return at
    return -1


def module_place(text: str, taken: Import, start: int, language: str) -> int:
    """Return where the module of an import that begins at ``start`` is written, as a whole word, or -1."""
    if not taken.module:
        return -1
    end = start
    for _ in range(_IMPORT_LINES):
        end = text.find("\n", end) + 1
        if not end:
            end = len(text)
            break
    first: dict[bool, int] = {}  # whether it stands by itself, not in a longer module
    at = text.find(taken.module, start, end)
    while at >= 0:
        before, behind = text[at - 1 : at], at + len(taken.module)
        if language in _QUOTES_MODULES and before and before in _QUOTES and text[behind : behind + 1] in _QUOTES:
            return at
        if not (_IN_WORD.match(before) or _IN_WORD.match(text, behind)):
            apart = not (before and before in _STEPS) and _GOES_ON.match(text, behind) is None
            first.setdefault(apart, at)
        at = text.find(taken.module, at + 1, end)
    return first.get(True, first.get(False, -1))


def symbol_around(derived: Derived, line: int) -> int:
    """Return the innermost symbol that holds a line, or -1."""
    holding = (
        (symbol.last_line - symbol.first_line, -at)
        for at, symbol in enumerate(derived.symbols)
        if symbol.first_line <= line <= symbol.last_line
    )
    return -min(holding, default=(0, 1))[1]


def around(derived: Derived, line: int) -> tuple[Symbol, ...]:
    """Return the symbols that hold a line, innermost first."""
    at = symbol_around(derived, line)
    found: list[Symbol] = []
    while at >= 0 and len(found) < 16:
        found.append(derived.symbols[at])
        at = derived.symbols[at].container
    return tuple(found)


def looks_like_code(name: str) -> bool:
    """Whether a word is spelled as prose never is: with an underscore, a digit or a capital inside."""
    return any(one == "_" or one.isdigit() or one.isupper() for one in islice(name, 1, None))


def _line_around(text: str, offset: int) -> tuple[int, int]:
    first = text.rfind("\n", 0, offset) + 1
    last = text.find("\n", offset)
    return max(first, offset - MAX_LINE), min(len(text) if last < 0 else last, offset + MAX_LINE)
