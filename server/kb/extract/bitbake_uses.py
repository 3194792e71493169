"""Names that BitBake metadata uses inside of values and bodies: variables that are expanded or asked for, and calls.

What stands in a body is shell or Python, and neither is parsed here: a use is recognised by how it is written
(``${FOO}``, ``d.getVar("FOO")``, a word with an underscore that begins a command), which misses some and invents few.
All patterns are linear: what repeats gives nothing back.
"""

import keyword
import re
from collections.abc import Iterator

from ..parse import Mark

_ASKED = (
    r"(?:\b(?:get|set|append|prepend|del|rename)Var(?:Flags?)?|\butils\.(?:contains_any|contains|filter))"
    r"\([ \t]*[\"'](?P<asked>[A-Za-z_][\w\-+./]*+)"
)
_EXPANDED = r"\$\{(?P<expanded>[A-Za-z_][\w\-+./]*+)"
_INLINE = r"\$\{@(?=[ \t]*+(?:\w++\.)*+(?P<inline>[A-Za-z_]\w*+)\()"
_TASK = r"(?<![\w/.\-])(?P<task>do_[a-z]\w*+)"
_COMMAND = (
    r"(?:^|;|&&|\|\||\||\$\(|`)[ \t]*+(?:(?:if|then|elif|else|while|until|do|time|!)[ \t]++)*+"
    r"(?P<command>[A-Za-z]\w*+)(?=[ \t;)|&\n]|$)"
)
_VALUE = re.compile(f"{_EXPANDED}|{_INLINE}|{_ASKED}|{_TASK}")
_SHELL = re.compile(f"{_EXPANDED}|{_INLINE}|{_ASKED}|{_COMMAND}|{_TASK}", re.MULTILINE)
_PYTHON = re.compile(rf"{_ASKED}|{_EXPANDED}|(?<!\w)(?P<call>[A-Za-z_]\w*+)\(|[\"']{_TASK}")
_FUNCTION = re.compile(r"(?<![\w${@.])[A-Za-z]\w*+(?![\w.(])")

_ROLES = {
    "asked": "reference.use",
    "expanded": "reference.use",
    "task": "reference.use",
    "inline": "reference.call",
    "command": "reference.call",
    "call": "reference.call",
}


def value_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in the value of a variable, or in a statement."""
    return _uses(_VALUE, text, start, end)


def shell_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in the body of a shell task."""
    return _uses(_SHELL, text, start, end)


def python_uses(text: str, start: int, end: int) -> Iterator[Mark]:
    """Uses in a body of Python."""
    return _uses(_PYTHON, text, start, end)


def named_functions(text: str, start: int, end: int) -> Iterator[Mark]:
    """The functions that a list of functions names."""
    for word in _FUNCTION.finditer(text, start, end):
        if "_" in word[0] and not word[0].isupper():
            yield "reference.call", *word.span()


def _uses(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Mark]:
    for found in pattern.finditer(text, start, end):
        group = found.lastgroup
        if group is None or keyword.iskeyword(found[group]):
            continue
        if group != "command" or "_" in found[group]:  # other words may be any program
            yield _ROLES[group], *found.span(group)
