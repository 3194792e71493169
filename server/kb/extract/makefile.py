"""Makefiles to captures, line by line, as make itself reads them.

What make calls a line is one with its continuations; a recipe is what is indented by a tab below a rule, and belongs to
it. Conditions choose among lines and hold none: what stands in either branch is read. Names may be made of other
names, so a line is cut at the first ``=`` or ``:`` outside of brackets. Linear; never raises on a text.
"""

import re
from collections.abc import Iterator
from itertools import islice

from ..parse import Parsed
from .statements import MAX_WORDS, LineReader, line_end, logical_end

_MAX_TARGETS = 200
_DEPTH = 40  # brackets in each other

_CUT = re.compile(r"\$\$|\$[({]|[(){}]|(?::{1,3}|[?+!])?=|&?::?|#")
_DIRECTIVE = re.compile(
    r"[ \t]*(?P<word>-?include|sinclude|endef|ifn?eq|ifn?def|else|endif|export|unexport|vpath|undefine)(?![\w\-./%])"
    r"(?![ \t]*(?:[:=]|[?+!]=))"
)
_PREFIX = re.compile(r"[ \t]*(?:(?:export|override|private)[ \t]++)*+")
_PART = re.compile(r"(?P<blank>[ \t\n]++)|(?P<open>\$?[({])|(?P<close>[)}])|\$\$?|[^\s$(){}]++|[^\S \t\n]")
_USE = re.compile(
    r"\$[({](?:call[ \t]+(?P<call>[\w.\-]++)|(?P<name>[\w.\-]++)(?=[)}:]))|(?<!\w)(?P<option>CONFIG_\w++)"
    r"|CONFIG_\$\(\w+\)(?P<phase>\w++)"
)
_DEFINE = re.compile(r"[ \t]*(?:(?:export|override)[ \t]++)*+define(?![\w\-.])[ \t]*+(?P<name>[^\s=:?+!]++)?")
_DEFINED = re.compile(r"^[ \t]*(?:(?:export|override)[ \t]++)*+(?P<word>define|endef)(?![\w\-.])", re.MULTILINE)
_NAMED = re.compile(r"(?!\.[A-Z_]+$)\S+")  # `.PHONY` and its kin are no targets
_LISTS = re.compile(r"(?:[\w\-]+-)?(?:obj|lib|libs|subdir|objs)(?:-|$)|.*-(?:objs|y|m)$|.*-\$\(")
_PLAIN = re.compile(r"[\w./+\-]+")

_ROLES = {"call": "reference.call", "name": "reference.use", "option": "reference.use", "phase": "reference.use"}
_CLOSERS = {"(": ")", "{": "}"}


def captures(text: str) -> Parsed:
    """Variables, targets, canned recipes, what they use, and the files that are taken in."""
    reader = _Reader(text)
    reader.read()
    return Parsed(reader.marks, reader.groups, ())


class _Reader(LineReader):
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.targets: list[tuple[int, int]] = []  # names of the rule whose recipe is read
        self.rule = 0  # where that rule begins
        self.end = 0  # where what is known of it ends
        self.defined = _definitions(text)

    def read(self) -> None:
        text, at, size = self.text, 0, len(self.text)
        while at < size and self.has_room:
            first = line_end(text, at)
            content = text[at:first].lstrip()
            if not content:
                at = first + 1
                continue
            end = logical_end(text, at)
            if text[at] == "\t" and self.targets:
                self._uses(at, end)
                self.end = end
            elif content[0] == "#":
                self.marks.append(("comment", first - len(content), end))
            else:
                end = self._line(at, end)
            at = end + 1
        self._close()

    def _line(self, at: int, end: int) -> int:
        text = self.text
        if (defined := _DEFINE.match(text, at, end)) is not None:
            return self._define(at, end, defined)
        directive = _DIRECTIVE.match(text, at, end)
        start = _PREFIX.match(text, at, end)
        begin = start.end() if start is not None else at
        cut, sign = self._cut(begin, end)
        if directive is not None and not (sign.endswith("=") and " " not in text[begin:cut].strip()):
            self._directive(directive["word"], at, directive.end(), end)
        elif sign.endswith("="):
            self._close()
            self._assignment(at, begin, cut, sign, end)
        elif sign:
            self._close()
            self._rule(at, begin, cut, sign, end)
        else:
            self._uses(at, end)
        return end

    def _cut(self, start: int, end: int) -> tuple[int, str]:
        """Where the first sign stands that is in no brackets, and the sign; "" without one."""
        stack: list[str] = []
        for found in _CUT.finditer(self.text, start, end):
            sign = found[0]
            if sign == "$$":
                continue
            if sign[0] == "$":
                if len(stack) < _DEPTH:
                    stack.append(_CLOSERS[sign[1]])
            elif sign in "({":
                if stack and len(stack) < _DEPTH:
                    stack.append(_CLOSERS[sign])
            elif sign in ")}":
                if stack and stack[-1] == sign:
                    stack.pop()
            elif not stack:
                return (found.start(), sign) if sign != "#" else (found.start(), "")
        return end, ""

    # -- what a line says -----------------------------------------------------------------------------------------

    def _define(self, at: int, end: int, head: re.Match[str]) -> int:
        """A canned recipe, to its own ``endef``; to the end of its first line if there is none."""
        self._close()
        stop = self.defined.get(at, end)
        if head["name"]:
            self._add("definition.macro", at, stop, head.span("name"))
        self._uses(head.end(), stop)
        return stop

    def _directive(self, word: str, at: int, rest: int, end: int) -> None:
        if word.endswith("include"):
            self._close()
            for path in islice(_words(self.text, rest, end), MAX_WORDS):
                self.groups.append((1, {"import": [(at, end)], "module": [path]}))
        elif word in ("ifdef", "ifndef", "undefine"):
            self.marks.extend(("reference.use", *name) for name in _words(self.text, rest, end))
        elif word in ("export", "unexport"):
            self.marks.extend(("export", *name) for name in _words(self.text, rest, end))
        self._uses(rest, end)

    def _assignment(self, at: int, begin: int, cut: int, sign: str, end: int) -> None:
        name = (begin, begin + len(self.text[begin:cut].rstrip()))
        self._add("definition.variable", at, end, name)
        self._uses(begin, end)
        self._listed(self.text[slice(*name)], at, cut + len(sign), end)

    def _listed(self, name: str, at: int, start: int, end: int) -> None:
        """Objects that a list has built, and folders that it leads into."""
        if _LISTS.match(name) is None:
            return
        for start_, stop in islice(_words(self.text, start, end), MAX_WORDS):
            word = self.text[start_:stop]
            if word.endswith("/") and _PLAIN.fullmatch(word) is not None:
                self.groups.append((1, {"import": [(at, end)], "module": [(start_, stop)]}))
            elif word.endswith(".o"):
                self.marks.append(("reference.use", start_, stop))

    def _rule(self, at: int, begin: int, cut: int, sign: str, end: int) -> None:
        text = self.text
        behind, second = self._cut(cut + len(sign), end)
        if second.endswith("="):  # `target: VARIABLE = value`
            start = cut + len(sign)
            start += len(text[start:behind]) - len(text[start:behind].lstrip())
            self._add("definition.variable", at, end, (start, start + len(text[start:behind].rstrip())))
            self._uses(begin, end)
            return
        names = [place for place in _words(text, begin, cut) if _NAMED.fullmatch(text[slice(*place)]) is not None]
        semicolon = text.find(";", cut, end)
        for start, stop in _words(text, cut + len(sign), semicolon if semicolon >= 0 else end):
            stop -= text[stop - 1] == ":"  # `targets: pattern: prerequisites`
            if text[start] not in ":|$" and " " not in text[start:stop]:
                self.marks.append(("reference.use", start, stop))
        self._uses(begin, end)
        self.targets, self.rule, self.end = names[:_MAX_TARGETS], at, end

    def _close(self) -> None:
        """The rule whose recipe was read ends."""
        for name in self.targets:
            self._add("definition.target", self.rule, self.end, name)
        self.targets = []

    def _add(self, capture: str, start: int, end: int, name: tuple[int, int]) -> None:
        if name[0] < name[1]:
            self.groups.append((0, {capture: [(start, end)], "name": [name]}))

    def _uses(self, start: int, end: int) -> None:
        for found in _USE.finditer(self.text, start, end):
            group = found.lastgroup
            if group is not None:
                self.marks.append((_ROLES[group], *found.span(group)))


def _definitions(text: str) -> dict[int, int]:
    """Where each ``define`` begins that has an ``endef`` of its own, and where that ends."""
    found: dict[int, int] = {}
    around: list[int] = []
    for mark in _DEFINED.finditer(text):
        if mark["word"] == "define":
            around.append(mark.start())
        elif around:
            found[around.pop()] = line_end(text, mark.end())
    return found


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Words up to a comment; blanks in brackets end none."""
    begin, depth = -1, 0
    for found in _PART.finditer(text, start, end):
        if found["blank"] and not depth:
            if begin >= 0 and text[begin : found.start()] != "\\":
                yield begin, found.start()
            begin = -1
            continue
        if begin < 0:
            if found[0][0] == "#":
                return
            begin = found.start()
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth = max(0, depth - 1)
    if begin >= 0:
        yield begin, end
