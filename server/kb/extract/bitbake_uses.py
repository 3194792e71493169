"""Names that BitBake metadata uses inside of values and bodies: variables that are expanded or asked for, and calls.

What stands in a body is shell or Python, and neither is parsed here: a use is recognised by how it is written
(``${FOO}``, ``d.getVar("FOO")``, a word with an underscore that begins a line), which misses some and invents few. All
patterns are linear: what repeats gives nothing back. Each begins with something rare, which is what makes them fast.
"""

import keyword
import re

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


def value_uses(marks: list[Mark], text: str, start: int, end: int) -> None:
    """Add the uses in the value of a variable, or in a statement."""
    at = text.find("${", start, end)
    if at >= 0:
        marks.extend(("reference.use", *found.span(1)) for found in _EXPANDED.finditer(text, at, end))
        at = text.find("${@", at, end)
        if at >= 0:
            _calls(marks, text, at, end)


def shell_uses(marks: list[Mark], text: str, start: int, end: int) -> None:
    """Add the uses in the body of a shell task."""
    value_uses(marks, text, start, end)
    found = (word for word in _COMMAND.finditer(text, start, end) if "_" in word[1])  # others may be any program
    marks.extend(("reference.call", *word.span(1)) for word in found)


def python_uses(marks: list[Mark], text: str, start: int, end: int) -> None:
    """Add the uses in a body of Python."""
    _calls(marks, text, start, end)
    if text.find("${", start, end) >= 0:
        marks.extend(("reference.use", *found.span(1)) for found in _EXPANDED.finditer(text, start, end))


def tasks(marks: list[Mark], text: str, start: int, end: int) -> None:
    """Add tasks that are named, as what others depend on is."""
    marks.extend(("reference.use", *found.span()) for found in _TASK.finditer(text, start, end))


def functions(marks: list[Mark], text: str, start: int, end: int) -> None:
    """Add the functions that a list of functions names."""
    found = (word for word in _FUNCTION.finditer(text, start, end) if "_" in word[0] and not word[0].isupper())
    marks.extend(("reference.call", *word.span()) for word in found)


def _calls(marks: list[Mark], text: str, start: int, end: int) -> None:
    for found in _CALL.finditer(text, start, end):
        name, asked = found.groups()
        if asked is not None and _ASKING.fullmatch(name) is not None:
            marks.append(("reference.use", *found.span(2)))
            continue
        if asked is not None and name in _RUNNING:
            marks.append(("reference.use", *found.span(2)))
        if not keyword.iskeyword(name):
            marks.append(("reference.call", *found.span(1)))
