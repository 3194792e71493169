"""How the work for a text grows with its length: counted, so that it says the same whatever else the machine does.

What is counted are the lines of the knowledge base that are executed, and the steps of its regular expressions; what
other calls of the library cost, as a search for a word in all that follows, is not.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

from .regex_steps import Counted, EndlessError

SHORT, LONG = 200, 1_600
"""Characters. Eight times the text is eight times the work; what is read squared would be sixty-four times."""
MOST = 12
SURE = 2
"""Steps that any character may take: some texts are not read at all before they are long enough."""
ROOM = "gazetteer.kb"


def grows_with_its_length(read: Callable[[str], object], lead: str, piece: str) -> bool:
    """Whether a text of one piece again and again takes no more work than its length says."""
    short, long = (lead + piece * (size // len(piece)) for size in (SHORT, LONG))
    try:
        steps_of(read, short)  # what is made once, and imported
        return all(
            count(read, long) < MOST * (count(read, short) + SURE * len(short)) for count in (steps_of, lines_of)
        )
    except EndlessError:
        return False


def lines_of(read: Callable[[str], object], text: str) -> int:
    """Lines of the knowledge base that are executed, and 1."""
    executed = 1

    def line(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal executed
        executed += event == "line"
        return line

    def called(frame: FrameType, _event: str, _argument: object) -> Any:
        return line if str(frame.f_globals.get("__name__", "")).startswith(ROOM) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        read(text)
    finally:
        sys.settrace(before)
    return executed


def steps_of(read: Callable[[str], object], text: str) -> int:
    """Steps of the knowledge base's regular expressions, and 1."""
    Counted.steps = 1
    with _counted_patterns():
        read(text)
    return Counted.steps


@contextmanager
def _counted_patterns() -> Iterator[None]:
    """Have every pattern of the knowledge base counted, those included that it makes while it reads."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith(ROOM)]
    kept = [(module, name, value, _counted(value)) for module in modules for name, value in vars(module).items()]
    changed = [one for one in kept if one[2] is not one[3]]
    deep = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)  # a step of a pattern is a call
    for module, name, _, counted in changed:
        vars(module)[name] = counted
    try:
        yield
    finally:
        for module, name, value, _ in changed:
            vars(module)[name] = value
        sys.setrecursionlimit(deep)


_made: dict["re.Pattern[str]", Counted] = {}


def _counted(value: Any) -> Any:
    """The same with patterns that are counted; the very same where there is none in it."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        return _made.setdefault(value, Counted(value))
    if isinstance(value, ModuleType) and value is re:
        return SimpleNamespace(**{**vars(re), "compile": lambda *args: _counted(re.compile(*args))})
    if type(value) is tuple:
        inner = tuple(map(_counted, value))
        return inner if any(one is not other for one, other in zip(inner, value, strict=True)) else value
    return value
