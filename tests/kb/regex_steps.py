"""How many steps a regular expression takes on a text: counted, so that it says the same on every machine.

The library's own parse tree is walked as the library walks it, from left to right and back where it fails; a run of
characters of one kind is a step each, though it is found at once. What matches, and where, is asked of the library.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from re import _compiler, _parser  # type: ignore[attr-defined]  # the only place that says how a pattern was read
from typing import Any

Then = Callable[[int], bool]
Step = Callable[[int, Then], bool]
Nodes = list[tuple[Any, Any]]

_ONE = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
"""What stands for one character."""
_REPEATS = {"MAX_REPEAT": True, "MIN_REPEAT": False, "POSSESSIVE_REPEAT": True}
MOST = 1_000_000


class EndlessError(Exception):
    """A text takes more steps than any that is read in proportion to its length."""


class Run:
    """The call of a pattern that is under way: where it looks, what its groups hold, and how many steps it took."""

    def __init__(self) -> None:
        self.text, self.end = "", 0
        self.groups: dict[int, tuple[int, int]] = {}
        self.steps = 0

    def take(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST:
            raise EndlessError


class Counted:
    """A pattern in the place of one of the library's; every call of a method adds its steps to ``steps``."""

    steps = 0  # of all patterns

    def __init__(self, real: "re.Pattern[str]") -> None:
        self.real = real
        self._run = Run()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    @cached_property
    def _step(self) -> Step:
        tree = _parser.parse(self.real.pattern, self.real.flags & ~re.UNICODE)
        return _sequence(list(tree), self._run, tree.state, self.real.flags)

    def _count(self, text: str, at: int, end: int, *, anchored: bool, full: bool = False) -> tuple[int, int] | None:
        """Take the steps of one attempt at ``at``, or of all attempts up to the first that succeeds; what is found."""
        run, step = self._run, self._step
        run.text, run.end, run.steps = text, end, 0
        found: list[int] = []

        def matched(now: int) -> bool:
            if full and now != end:
                return False
            found.append(now)
            return True

        try:
            for start in range(at, at + 1 if anchored else end + 1):
                run.take(1)
                run.groups.clear()
                if step(start, matched):
                    return start, found[0]
            return None
        finally:
            Counted.steps += run.steps

    def _once(self, method: str, text: str, pos: int, endpos: int, **how: bool) -> Any:
        end = min(endpos, len(text))
        told = self._count(text, pos, end, **how) if pos <= end else None
        found = getattr(self.real, method)(text, pos, endpos)
        assert told == (None if found is None else found.span()), (self.real, text[pos:end])
        return found

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        return self._once("match", text, pos, endpos, anchored=True)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        return self._once("fullmatch", text, pos, endpos, anchored=True, full=True)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        return self._once("search", text, pos, endpos, anchored=False)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[Any]:
        end = min(endpos, len(text))
        real = self.real.finditer(text, pos, end)
        while pos <= end:
            self._count(text, pos, end, anchored=False)
            found = next(real, None)
            if found is None:
                return
            yield found
            pos = found.end() + (found.end() == found.start())
        yield from real

    def findall(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> list[Any]:
        self._all(text, pos, endpos)
        return self.real.findall(text, pos, endpos)

    def sub(self, repl: Any, text: str, count: int = 0) -> str:
        self._all(text)
        return self.real.sub(repl, text, count)

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        self._all(text)
        return self.real.split(text, maxsplit)

    def _all(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> None:
        for _ in self.finditer(text, pos, endpos):
            pass


def _sequence(nodes: Nodes, run: Run, state: Any, flags: int) -> Step:
    steps = [_node(node, run, state, flags) for node in nodes]

    def go(at: int, then: Then, number: int = 0) -> bool:
        if number == len(steps):
            return then(at)
        return steps[number](at, lambda now: go(now, then, number + 1))

    return steps[0] if len(steps) == 1 else go


def _compiled(nodes: Nodes, state: Any, flags: int) -> "re.Pattern[str]":
    return _compiler.compile(_parser.SubPattern(state, nodes), flags & ~re.UNICODE)  # type: ignore[no-any-return]


def _node(node: tuple[Any, Any], run: Run, state: Any, flags: int) -> Step:
    name, value = str(node[0]), node[1]
    if name in _ONE or name == "AT":
        return _simple(node, run, state, flags)
    if name in _REPEATS:
        low, high, body = value
        if len(body) == 1 and str(body[0][0]) in _ONE:
            return _characters(name, int(low), int(high), body[0], run, state, flags)
        return _repeat(name, int(low), int(high), _sequence(list(body), run, state, flags), run)
    return _COMPOUND[name](value, run, state, flags)


def _simple(node: tuple[Any, Any], run: Run, state: Any, flags: int) -> Step:
    match = _compiled([node], state, flags).match

    def simple(at: int, then: Then) -> bool:
        run.take(1)
        found = match(run.text, at, run.end)
        return found is not None and then(found.end())

    return simple


def _characters(name: str, low: int, high: int, body: tuple[Any, Any], run: Run, state: Any, flags: int) -> Step:
    """A run of characters of one kind: found at once, a step each, and given back one after the other."""
    match = _compiled([(_parser.POSSESSIVE_REPEAT, (0, high, _parser.SubPattern(state, [body])))], state, flags).match

    def characters(at: int, then: Then) -> bool:
        found = match(run.text, at, run.end)
        most = found.end() - at if found is not None else 0
        if name == "MIN_REPEAT":
            for count in range(low, most + 1):
                run.take(1)
                if then(at + count):
                    return True
            return False
        run.take(most + 1)
        for count in range(most, low - 1, -1):
            if then(at + count):
                return True
            if name == "POSSESSIVE_REPEAT":
                break
            run.take(1)
        return False

    return characters


def _repeat(name: str, low: int, high: int, body: Step, run: Run) -> Step:
    def again(at: int, then: Then, count: int) -> bool:
        def more() -> bool:
            return count < high and body(at, lambda now: (now > at or count < low) and again(now, then, count + 1))

        if count < low:
            return more()
        return (more() or then(at)) if _REPEATS[name] else (then(at) or more())

    def possessive(at: int, then: Then) -> bool:
        ends: list[int] = []

        def ended(now: int) -> bool:
            ends.append(now)
            return True

        while len(ends) < high and body(at, ended) and ends[-1] > at:
            at = ends[-1]
        return len(ends) >= low and then(at)

    return possessive if name == "POSSESSIVE_REPEAT" else lambda at, then: again(at, then, 0)


def _branch(value: Any, run: Run, state: Any, flags: int) -> Step:
    ways = [_sequence(list(way), run, state, flags) for way in value[1]]

    def branch(at: int, then: Then) -> bool:
        for way in ways:
            run.take(1)
            if way(at, then):
                return True
        return False

    return branch


def _group(value: Any, run: Run, state: Any, flags: int) -> Step:
    number, on, off, nodes = value
    body = _sequence(list(nodes), run, state, (flags | on) & ~off)

    def group(at: int, then: Then) -> bool:
        before = run.groups.get(number)

        def ended(now: int) -> bool:
            run.groups[number] = (at, now)
            if then(now):
                return True
            if before is None:
                run.groups.pop(number, None)
            else:
                run.groups[number] = before
            return False

        return body(at, ended)

    return body if number is None else group


def _same(value: Any, run: Run, _state: Any, _flags: int) -> Step:
    def same(at: int, then: Then) -> bool:
        if value not in run.groups:
            return False
        said = run.text[slice(*run.groups[value])]
        run.take(1 + len(said))
        return run.text.startswith(said, at, run.end) and then(at + len(said))

    return same


def _ahead(value: Any, run: Run, state: Any, flags: int, wanted: bool = True) -> Step:
    direction, nodes = value
    body = _sequence(list(nodes), run, state, flags)
    width = nodes.getwidth()[0] if direction < 0 else 0

    def ahead(at: int, then: Then) -> bool:
        run.take(1)
        held = at >= width and body(at - width, lambda _: True)
        return held is wanted and then(at)

    return ahead


def _not_ahead(value: Any, run: Run, state: Any, flags: int) -> Step:
    return _ahead(value, run, state, flags, wanted=False)


_COMPOUND: dict[str, Callable[[Any, Run, Any, int], Step]] = {
    "BRANCH": _branch,
    "SUBPATTERN": _group,
    "GROUPREF": _same,
    "ASSERT": _ahead,
    "ASSERT_NOT": _not_ahead,
}
