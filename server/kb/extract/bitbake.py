"""BitBake metadata (recipes, classes, configuration, includes) to captures, as a grammar's query would give them.

A reader over lines, because that is what the language is: BitBake itself looks at one line, with its continuations, at
a time, and so do the patterns below. A body ends where BitBake ends it: a task at ``}`` in the first column, a ``def``
at the next line that is not indented. Only a body that never ends is read otherwise, so that a half-written task does
not hide what follows.

A variable's name is what stands before its overrides: ``FOO:append:qemuall = "x"`` sets ``FOO``. A flag is something
that is said of a name, which is a use of it; the flag ``doc`` declares it. Linear in the text; never raises on it.
"""

import re
from collections.abc import Iterator
from itertools import islice

from ..parse import Parsed, Spans
from .bitbake_uses import functions, python_uses, shell_uses, tasks, value_uses
from .statements import MAX_WORDS, LineReader, line_end, logical_end

_MAX_ERRORS = 10

_FUNCTION = re.compile(
    r"(?P<how>(?:(?:python(?=[ \t(])|fakeroot(?=[ \t]))[ \t]*+)*+)(?P<name>[\w.\-+{}$:]++)?"
    r"[ \t]*+\([ \t]*+\)[ \t]*+\{[ \t]*$",
    re.MULTILINE,
)
_DEF = re.compile(r"def[ \t]+(?P<name>\w+)")
_ASSIGNMENT = re.compile(
    r"(?:export[ \t]++)?(?P<name>(?:[a-zA-Z0-9\-_${}/~]++|[.+:](?!=))++)(?:\[(?P<flag>[a-zA-Z0-9\-_+.@/]++)\])?"
    r"[ \t]*+(?:=[+.]?|(?:\?\??|[:+.])=)[ \t]*+(?=[\"'])"
)
_STATEMENT = re.compile(
    r"(?P<word>inherit_defer|inherit|include_all|include|require|addtask|deltask|EXPORT_FUNCTIONS|addhandler"
    r"|addpylib|addfragments|unset|export)[ \t]+(?P<rest>\S)"
)
_BODY_END = re.compile(
    r"^(?:(?P<end>\}[ \t]*$)|(?:(?:python|fakeroot)[ \t]|do_)[\w.\-+{}$: \t]*+\([ \t]*+\)[ \t]*+\{[ \t]*$)",
    re.MULTILINE,
)
_OUTSIDE = re.compile(  # what stands in the first column of no body
    r"^(?:def[ \t]+\w+[ \t]*\(|(?:inherit|require|addtask|EXPORT_FUNCTIONS)[ \t]"
    r"|[A-Z][\w\-+${}/:]*(?:\[[\w\-]+\])?[ \t]+(?::=|\?\?=|\?=|\+=|=\+|=\.|\.=|=)[ \t]*\")",
    re.MULTILINE,
)
_NOT_BODY = re.compile(r"^[^\s#]", re.MULTILINE)
_OLD_OVERRIDE = re.compile(r"_(?:append|prepend|remove)(?:_|$)|_\$\{|:")
_DOCSTRING = re.compile(r"[^\n]*\n[ \t]+(?P<doc>(?P<quote>\"\"\"|''')(?:(?!(?P=quote)).){0,2000}(?P=quote))", re.DOTALL)
_WORD = re.compile(r"\S+")
_OUTER_WORD = re.compile(r"[{}]|(?<!\})(?P<word>[A-Za-z][\w/.+-]*+)(?!\$)|[\w/.+-]++")
_QUOTED_PATH = re.compile(r"[\"'](?P<path>[\w/.+-]++)[\"']")
_TASK_WORD = re.compile(r"[A-Za-z]\w*")

_FUNCTIONS = ("FUNCS", "_COMMAND", "_COMMANDS", "_CMD")
_FUNCTION_FLAGS = frozenset({"prefuncs", "postfuncs", "eventmask"})
"""Endings of variables, and flags, whose words are functions that are called."""
_CLASSES = frozenset(
    {"INHERIT", "INHERIT_DISTRO", "USER_CLASSES", "PACKAGE_CLASSES", "IMAGE_CLASSES", "KERNEL_CLASSES"}
)
"""Variables whose words are classes that are inherited."""
_LAYERS = "BBFILE_COLLECTIONS"
"""The variable whose words are the names of layers."""
_ORDER = frozenset({"after", "before"})


def captures(text: str) -> Parsed:
    """What is defined, used and taken in; ``errors`` are bodies without an end and lines that BitBake would refuse."""
    reader = _Reader(text)
    reader.read()
    return Parsed(reader.marks, reader.groups, reader.errors[:_MAX_ERRORS])


class _Reader(LineReader):
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.errors: list[int] = []
        self.closing: re.Match[str] | None = None  # the next end of a body
        self.closed = -1  # where that is

    def read(self) -> None:
        text, at, size = self.text, 0, len(self.text)
        while at < size and self.has_room:
            first = text[at]
            if first == "\n":
                at += 1
            elif first == "#":
                end = line_end(text, at)
                self.marks.append(("comment", at, end))
                at = end + 1
            else:
                at = self._statement(at) + 1

    def _statement(self, at: int) -> int:
        """The statement that begins at the line start ``at``; gives its end."""
        text = self.text
        if (found := _ASSIGNMENT.match(text, at)) is not None:
            return self._assignment(at, found)
        if (found := _FUNCTION.match(text, at)) is not None:
            return self._function(at, found)
        if (found := _DEF.match(text, at)) is not None:
            return self._def(at, found)
        end = logical_end(text, at)
        if (found := _STATEMENT.match(text, at, end)) is not None:
            self._word(found["word"], at, found.start("rest"), end)
        elif text[at:end].strip("\\ \t\n"):
            self.errors.append(at)
        return end

    # -- bodies -------------------------------------------------------------------------------------------------

    def _function(self, at: int, head: re.Match[str]) -> int:
        text = self.text
        python = "python" in head["how"]
        name = _base(text, *head.span("name")) if head["name"] else (at, text.index(")", at) + 1)
        body = head.end()
        closing = self._closing(body + 1)
        if closing is not None and closing["end"] is not None:
            stop = end = closing.end()
        else:
            limit = closing.start() if closing is not None else len(text)
            outside = _OUTSIDE.search(text, body + 1, limit)
            stop = (outside.start() if outside is not None else limit) - 1
            end = body + len(text[body:stop].rstrip())
            self.errors.append(at)
        self._define("function", at, end, name)
        (python_uses if python else shell_uses)(self.marks, text, body, end)
        return max(stop, body)

    def _closing(self, at: int) -> re.Match[str] | None:
        """What ends a body behind ``at``. It is looked for once, however many bodies before it never end."""
        if at > self.closed:
            self.closing = _BODY_END.search(self.text, at)
            self.closed = self.closing.start() if self.closing is not None else len(self.text)
        return self.closing

    def _def(self, at: int, head: re.Match[str]) -> int:
        text = self.text
        header = _header_end(text, at)
        behind = _NOT_BODY.search(text, min(header + 1, len(text)))
        stop = behind.start() if behind is not None else len(text)
        end = _last_indented(text, header, stop)
        doc = _DOCSTRING.match(text, max(at, text.rfind("\n", at, header) + 1), end)
        more: Spans = {"doc": [doc.span("doc")]} if doc is not None else {}
        self._define("function", at, end, head.span("name"), **more)
        python_uses(self.marks, text, head.end(), end)
        return end

    # -- lines --------------------------------------------------------------------------------------------------

    def _assignment(self, at: int, found: re.Match[str]) -> int:
        text, value, flag = self.text, found.end(), found["flag"]
        end = logical_end(text, value)
        place = _base(text, *found.span("name"))
        name = text[slice(*place)]
        value_uses(self.marks, text, value, end)
        if flag is None:
            self.groups.append((0, {"definition.variable": [(at, end)], "name": [place]}))
            if name.endswith(_FUNCTIONS):
                functions(self.marks, text, value, end)
            if name in _CLASSES:
                self._inherit(at, value, end)
            elif name == _LAYERS:
                for start, stop in islice(_outer_words(text, value, end), MAX_WORDS):
                    self._define("key", start, stop, (start, stop))
        elif flag == "doc":
            kind = "function" if name.startswith("do_") else "variable"
            self.groups.append((1, {f"declaration.{kind}": [(at, end)], "name": [place], "doc": [(value, end)]}))
        else:
            self.marks.append(("reference.use", *place))
            (functions if flag in _FUNCTION_FLAGS else tasks)(self.marks, text, value, end)
        return end

    def _word(self, word: str, at: int, rest: int, end: int) -> None:
        text = self.text
        if word in ("inherit", "inherit_defer"):
            self._inherit(at, rest, end)
        elif word in ("include", "require", "include_all"):
            for path in islice(_paths(text, rest, end), MAX_WORDS):
                self.groups.append((2, {"import": [(at, end)], "module": [path]}))
        elif word == "EXPORT_FUNCTIONS":
            for task in islice(_TASK_WORD.finditer(text, rest, end), MAX_WORDS):
                self.groups.append((1, {"declaration.function": [(at, end)], "name": [task.span()]}))
                self.marks.append(("export", *task.span()))
        elif word in ("addtask", "deltask", "addhandler"):
            comment = text.find("#", rest, end)
            for task in _TASK_WORD.finditer(text, rest, comment if comment >= 0 else end):
                if task[0] not in _ORDER:
                    self.marks.append(("reference.use", *task.span()))
        elif word in ("unset", "export") and (named := _TASK_WORD.match(text, rest, end)) is not None:
            self.marks.append(("export" if word == "export" else "reference.use", *named.span()))
        value_uses(self.marks, text, rest, end)

    def _inherit(self, at: int, start: int, end: int) -> None:
        for word in islice(_outer_words(self.text, start, end), MAX_WORDS):
            self.groups.append((2, {"import": [(at, end)], "module": [word]}))
            self.marks.append(("reference.inherit", *word))

    def _define(self, kind: str, start: int, end: int, name: tuple[int, int], **more: list[tuple[int, int]]) -> None:
        self.groups.append((0, {f"definition.{kind}": [(start, end)], "name": [name], **more}))


def _base(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a name before its overrides, in the new spelling or the old; all of it if nothing is before."""
    override = _OLD_OVERRIDE.search(text, start + 1, end)
    return (start, override.start()) if override is not None else (start, end)


def _outer_words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Words that stand in no ``${...}`` and are no part of a word with one."""
    depth = 0
    for found in _OUTER_WORD.finditer(text, start, end):
        if found["word"] and not depth:
            yield found.span("word")
        elif found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth = max(0, depth - 1)


def _paths(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paths that a statement takes in: its words, or what an inline expression chooses among."""
    if text.find("${@", start, end) >= 0:
        yield from (found.span("path") for found in _QUOTED_PATH.finditer(text, start, end) if "." in found["path"])
    else:
        yield from (found.span() for found in _WORD.finditer(text, start, end) if found[0] != "\\")


def _header_end(text: str, at: int) -> int:
    """The end of the line on which a ``def`` has closed its brackets, of its first line if it never does."""
    first = end = line_end(text, at)
    for _ in range(20):
        head = text[at:end]
        if head.count("(") <= head.count(")"):
            return end
        if end >= len(text):
            break
        end = line_end(text, end + 1)
    return first


def _last_indented(text: str, start: int, stop: int) -> int:
    """The end of the last line before ``stop`` that belongs to a body: the comments and blank lines below do not."""
    end = stop
    while end > start:
        line = text.rfind("\n", start, end - 1) + 1 if end - 1 > start else start
        line = max(line, start)
        content = text[line:end]
        if content.strip() and content[0] in " \t":
            return line + len(content.rstrip())
        if line <= start:
            break
        end = line
    return start
