"""Captures to uses: which names a document calls, has as types, inherits from, exports and imports.

A use is kept once for each name, role and line; what a use means is resolved at query time, never here.
"""

from collections.abc import Iterable, Sequence

from ..lines import Lines
from ..model import Import, Problem, Reference, Role, Symbol
from ..parse import Group, Mark
from . import wording

MAX_REFERENCES = 100_000
MAX_IMPORTED_NAMES = 200

_ROLES: dict[str, Role] = {
    "reference.call": Role.CALL,
    "reference.type": Role.TYPE,
    "reference.inherit": Role.INHERIT,
    "reference.use": Role.REFERENCE,
    "export": Role.EXPORT,
}


def references(
    text: str, lines: Lines, groups: Iterable[Group], marks: Iterable[Mark], symbols: Sequence[Symbol]
) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Uses in order of appearance; the name of a definition is no use of it, an export of it is one."""
    roles = _ROLES
    found = [(start, end, roles[name]) for name, start, end in marks if name in roles]
    for _pattern, spans in groups:
        if not spans.keys().isdisjoint(roles):
            for name, ranges in spans.items():
                if name in roles:
                    found.extend((start, end, roles[name]) for start, end in ranges)
    found.sort()
    problems: tuple[Problem, ...] = ()
    if len(found) > MAX_REFERENCES:
        problems = (Problem("size", f"{len(found):,} uses of names or more; the first {MAX_REFERENCES:,} are kept"),)
        del found[MAX_REFERENCES:]
    own = {symbol.name_start for symbol in symbols}
    own.update(place[0] for _pattern, spans in groups for place in spans.get("name", ()))
    seen: set[tuple[str, Role, int]] = set()
    kept: list[Reference] = []
    stack: list[int] = []
    upcoming, count = 0, len(symbols)
    line, starts = 1, lines.starts
    last_line = len(starts)
    before = -1
    for start, end, role in found:
        if start == before and role is Role.TYPE:  # it is called or inherited from at the same place
            continue
        before = start
        while line < last_line and starts[line] <= start:
            line += 1
        while upcoming < count and symbols[upcoming].start <= start:
            stack.append(upcoming)
            upcoming += 1
        while stack and symbols[stack[-1]].end <= start:
            stack.pop()
        if role is not Role.EXPORT and start in own:
            continue
        name = text[start:end]
        if not name.isidentifier():
            name = wording.name(name)
        key = (name, role, line)
        if name and key not in seen:
            seen.add(key)
            kept.append(Reference(name, role, line, stack[-1] if stack else -1))
    return tuple(kept), problems


def imports(text: str, lines: Lines, groups: Iterable[Group], marks: Iterable[Mark]) -> tuple[Import, ...]:
    """Imports in order of appearance; matches on the same statement are one import."""
    modules: dict[tuple[int, int], str] = {}
    names: dict[tuple[int, int], list[str]] = {}
    for name, start, end in marks:
        if name == "import":
            modules.setdefault((start, 0), text[start:end])
    for _pattern, spans in groups:
        statements = spans.get("import")
        if not statements:
            continue
        start, end = statements[0]
        # `import a, b` is one statement with two modules: told apart by where the module stands.
        named = spans.get("module")
        key = (start, named[0][0] if named else 0)
        modules.setdefault(key, text[named[0][0] : named[-1][1]] if named else text[start:end])
        names.setdefault(key, []).extend(text[slice(*place)] for place in spans.get("import.name", ()))
    return tuple(
        Import(
            wording.module(module),
            lines.at(key[0]),
            tuple(dict.fromkeys(map(wording.name, names.get(key, ())[:MAX_IMPORTED_NAMES]))),
        )
        for key, module in sorted(modules.items())
        if module.strip()
    )
