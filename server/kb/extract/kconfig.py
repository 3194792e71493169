"""Kconfig, and the settings that are made with it (``defconfig``), to captures, line by line.

A statement is one line with its continuations; a help text lasts as long as it is indented like its first line. A menu
and a choice hold what stands in them; one that never ends holds the rest of the file. Linear; never raises on a text.
"""

import re
from itertools import islice

from ..parse import Parsed, Spans
from .statements import MAX_GROUPS, LineReader, line_end, logical_end

_MAX_ERRORS = 10
_TAB = 8

_LINE = re.compile(r"[ \t]*(?P<word>[a-z_]+|---help---)(?=[ \t\n\"'$]|$)[ \t]*")
_STRING = r"\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?"
_PROMPT = re.compile(_STRING)
_NAME = re.compile(r"\w+")
_PATH = re.compile(r"[\"']?(?P<path>[^\"'\n]+)")
_OPERAND = re.compile(rf"{_STRING}|#[^\n]*|(?<![\w$\-])(?P<symbol>(?=[A-Z0-9_]*[A-Z])[A-Z0-9_]\w*+)(?!-)")
_MACRO = re.compile(r"[ \t]*(?P<name>[A-Za-z][\w\-]*)[ \t]*(?::=|\+=|=)")

_TYPES = frozenset({"bool", "boolean", "tristate", "string", "hex", "int", "prompt"})
_EXPRESSIONS = frozenset(
    {"def_bool", "def_tristate", "default", "depends", "select", "imply", "range", "visible", "requires", "if"}
)
_SOURCES = frozenset({"source", "rsource", "osource", "orsource", "gsource", "grsource"})
_BLOCKS = {"endmenu": "menu", "endchoice": "choice", "endif": "if"}
_PLAIN = frozenset({"comment", "mainmenu", "option", "optional", "modules", "transitional", "on", "def_string"})
_HELP = frozenset({"help", "---help---"})

_SETTING = re.compile(
    r"^(?:# (?=CONFIG_\w+ is not set))?(?P<name>CONFIG_\w+)(?:[ \t]*=| is not set)[^\n]*", re.MULTILINE
)


class _Open:
    """An entry, a menu, a choice or a condition while it is read."""

    __slots__ = ("docs", "end", "kind", "name", "start", "word")

    def __init__(self, word: str, kind: str, start: int, name: tuple[int, int] | None) -> None:
        self.word = word
        self.kind = kind  # of the definition; "" for a condition
        self.start = start
        self.end = start
        self.name = name
        self.docs: list[tuple[int, int]] = []


def captures(text: str) -> Parsed:
    """Symbols with prompt and help as their documentation, menus, choices, what depends on what, files taken in."""
    reader = _Reader(text)
    reader.read()
    return Parsed(reader.marks, reader.groups, reader.errors[:_MAX_ERRORS])


def settings(text: str) -> Parsed:
    """The options that a ``defconfig`` sets: they are defined in a Kconfig, and declared here."""
    return Parsed(
        groups=[
            (0, {"declaration.key": [found.span()], "name": [found.span("name")]})
            for found in islice(_SETTING.finditer(text), MAX_GROUPS)
        ]
    )


class _Reader(LineReader):
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.errors: list[int] = []
        self.entry: _Open | None = None  # the config or comment that attributes belong to
        self.blocks: list[_Open] = []

    def read(self) -> None:
        text, at, size = self.text, 0, len(self.text)
        while at < size and self.has_room:
            end = line_end(text, at)
            content = text[at:end].strip()
            if not content:
                at = end + 1
            elif content[0] == "#":
                self.marks.append(("comment", text.index("#", at), end))
                at = end + 1
            else:
                at = self._statement(at, logical_end(text, at)) + 1
        self._close_entry()
        for block in reversed(self.blocks):
            self._finish(block, size)

    def _statement(self, at: int, end: int) -> int:
        text = self.text
        found = _LINE.match(text, at, end)
        macro = _MACRO.match(text, at, end)
        if macro is not None:
            self._close_entry()
            self.groups.append((0, {"definition.variable": [(at, end)], "name": [macro.span("name")]}))
            return end
        if found is None:
            if text[at:end].lstrip()[:1] != "$":
                self.errors.append(at)
            return end
        word, rest = found["word"], found.end()
        if word in ("config", "menuconfig"):
            self._close_entry()
            name = _NAME.match(text, rest, end)
            if name is not None:
                self.entry = _Open(word, "key", at, name.span())
                self.entry.end = end
        elif word in ("menu", "choice", "if"):
            self._open(word, at, rest, end)
        elif word in _BLOCKS:
            self._end(_BLOCKS[word], end)
        elif word in _SOURCES:
            self._close_entry()
            path = _PATH.match(text, rest, end)
            if path is not None:
                self.groups.append((2, {"import": [(at, end)], "module": [path.span("path")]}))
        elif word in _HELP:
            return self._help(end)
        else:
            self._attribute(word, at, rest, end)
        return end

    def _attribute(self, word: str, at: int, rest: int, end: int) -> None:
        """A line about the entry, or about the choice or menu, above it."""
        if word not in _TYPES and word not in _EXPRESSIONS and word not in _PLAIN:
            self.errors.append(at)
            return
        if word in ("comment", "mainmenu"):
            self._close_entry()
            return
        target = self.entry or (self.blocks[-1] if self.blocks else None)
        if word in _TYPES and target is not None:
            prompt = _PROMPT.match(self.text, rest, end)
            if prompt is not None and target.kind == "key":
                target.docs.append(prompt.span())
            elif prompt is not None and target.name is None:
                target.name = (prompt.start() + 1, max(prompt.start() + 1, prompt.end() - 1))
        if self.entry is not None:
            self.entry.end = end
        self._uses(rest, end)

    def _uses(self, start: int, end: int) -> None:
        for found in _OPERAND.finditer(self.text, start, end):
            if found["symbol"]:
                self.marks.append(("reference.use", *found.span("symbol")))

    def _open(self, word: str, at: int, rest: int, end: int) -> None:
        self._close_entry()
        name = None
        if word == "menu" and (title := _PROMPT.match(self.text, rest, end)) is not None:
            name = (title.start() + 1, max(title.start() + 1, title.end() - 1))
        self.blocks.append(_Open(word, "" if word == "if" else "namespace", at, name))
        if word == "if":
            self._uses(rest, end)

    def _end(self, word: str, end: int) -> None:
        self._close_entry()
        if any(block.word == word for block in self.blocks[-64:]):
            while True:
                block = self.blocks.pop()
                self._finish(block, end)
                if block.word == word:
                    return

    def _help(self, end: int) -> int:
        """The lines below that are indented like the first of them; gives where the last one ends."""
        text, first = self.text, -1
        start = last = end
        line = end + 1
        while line < len(text):
            stop = line_end(text, line)
            content = text[line:stop]
            if content.strip():
                depth = _indent(content)
                if first < 0:
                    first, start = depth, line
                if depth < first or not depth:
                    break
                last = stop
            line = stop + 1
        if self.entry is not None:
            self.entry.end = last
            if last > start:
                self.entry.docs.append((start, last))
        return last

    def _close_entry(self) -> None:
        if self.entry is not None:
            self._finish(self.entry, self.entry.end)
            self.entry = None

    def _finish(self, item: _Open, end: int) -> None:
        if not item.kind or item.name is None or item.name[0] >= item.name[1]:
            return
        spans: Spans = {f"definition.{item.kind}": [(item.start, end)], "name": [item.name]}
        if item.docs:
            spans["doc"] = item.docs[:2]
        self.groups.append((0, spans))


def _indent(line: str) -> int:
    """Columns before the first word."""
    columns = 0
    for character in line:
        if character == "\t":
            columns += _TAB - columns % _TAB
        elif character == " ":
            columns += 1
        else:
            break
    return columns
