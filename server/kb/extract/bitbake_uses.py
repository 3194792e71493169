"""Names that BitBake metadata uses inside of values and bodies: variables that are expanded or asked for, and calls.

What stands in a body is shell or Python, and neither is parsed here: a use is recognised by how it is written
(``${FOO}``, ``d.getVar("FOO")``, a word with an underscore that begins a line), which misses some and invents few. All
patterns are linear: what repeats gives nothing back. Each begins with something rare, which is what makes them fast.
"""

import keyword
import re
from collections.abc import Iterator

from ..parse import Mark

_EXPANDED = re.compile(r"\$\{(?P<expanded>[A-Za-z_][\w\-+./]{2,}+)")
"""Of three letters and more: ``${D}``, ``${PN}`` and their like stand in every recipe and are no evidence of use."""
_CALL = re.compile(r"(?<!\w)(?P<call>[A-Za-z_]\w*+)\((?:[ \t]*+[\"'](?P<asked>[A-Za-z_][\w\-+./]*+)[\"'])?")
_COMMAND = re.compile(
    r"^[ \t]++(?:(?:if|then|elif|else|while|until|do|time|!)[ \t]++)*+(?P<command>[A-Za-z]\w*+)(?=[ \t;)|&\n]|$)",
    re.MULTILINE,
)
_TASK = re.compile(r"(?<![\w/.\-])do_[a-z]\w*+")
_FUNCTION = re.compile(r"(?<![\w${@.])[A-Za-z]\w*+(?![\w.(])")

_ASKING = re.compile(r"(?:get|set|append|prepend|del|rename)Var(?:Flags?)?|contains(?:_any)?|filter")
"""Functions whose first argument is the name of a variable."""
_RUNNING = frozenset({"exec_func", "exec_task", "addtask", "deltask"})
"""Functions whose first argument is the name of a function."""


def value_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in the value of a variable, or in a statement."""
    at = text.find("${", start, end)
    if at >= 0:
        yield from _expansions(text, at, end)
        at = text.find("${@", at, end)
        if at >= 0:
            yield from _calls(text, at, end)


def shell_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in the body of a shell task."""
    yield from value_uses(text, start, end)
    for found in _COMMAND.finditer(text, start, end):
        if "_" in found["command"]:  # other words may be any program
            yield "reference.call", *found.span("command")


def python_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in a body of Python."""
    yield from _calls(text, start, end)
    yield from _expansions(text, start, end)


def tasks(text: str, start: int, end: int) -> Iterator[Mark]:
    """Tasks that are named, as what others depend on is."""
    for found in _TASK.finditer(text, start, end):
        yield "reference.use", *found.span()


def functions(text: str, start: int, end: int) -> Iterator[Mark]:
    """The functions that a list of functions names."""
    for word in _FUNCTION.finditer(text, start, end):
        if "_" in word[0] and not word[0].isupper():
            yield "reference.call", *word.span()


def _expansions(text: str, start: int, end: int) -> Iterator[Mark]:
    for found in _EXPANDED.finditer(text, start, end):
        yield "reference.use", *found.span(1)


def _calls(text: str, start: int, end: int) -> Iterator[Mark]:
    for found in _CALL.finditer(text, start, end):
        name, asked = found.groups()
        if asked is not None and _ASKING.fullmatch(name) is not None:
            yield "reference.use", *found.span(2)
            continue
        if asked is not None and name in _RUNNING:
            yield "reference.use", *found.span(2)
        if not keyword.iskeyword(name):
            yield "reference.call", *found.span(1)
