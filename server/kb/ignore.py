"""Ignore rules with git's own meaning: ``.gitignore``, ``.gazetteerignore`` and the globs of the settings.

A rule is translated to one regular expression over *bytes*, as git compares bytes: ``?`` is one byte, not one letter.
What ``dir.c`` and ``wildmatch.c`` do is followed to the letter, oddities included (a literal start before ``**`` makes
that ``**`` cross directories); the oracle of the tests is git itself. Nothing here looks at the disk.

Never slow on purpose-built rules: all stars but the last of a piece are atomic groups, so that a match costs at most
the square of the path's length.

Whether a directory's content is reached at all is the walker's business (``scan``): as in git, a file below an ignored
directory cannot be taken back by a rule about the file.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .errors import InvalidArgumentError

MAX_RULE_BYTES = 1 << 20
"""An ignore file is read up to here; what follows cannot have been written by a person."""

_SPECIAL = frozenset(b"*?[\\")
_STAR, _GAP, _ALL = "star", "gap", "all"
_JOINT = {(_GAP, True): b"(?:.*/)?", (_GAP, False): b"(?:.*?/)??", (_ALL, True): b".*", (_ALL, False): b".*?"}
_ANY = b"[^/]"
_NEVER = b"(?!)"
_compile = lru_cache(maxsize=4096)(re.compile)


def _ascii(wanted: str) -> frozenset[int]:
    return frozenset(wanted.encode())


_LOWER = _ascii("abcdefghijklmnopqrstuvwxyz")
_UPPER = _ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGIT = _ascii("0123456789")
_GRAPH = frozenset(range(0x21, 0x7F))
_CLASSES: dict[bytes, frozenset[int]] = {
    b"alnum": _LOWER | _UPPER | _DIGIT,
    b"alpha": _LOWER | _UPPER,
    b"blank": _ascii(" \t"),
    b"cntrl": frozenset((*range(0x20), 0x7F)),
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _GRAPH | _ascii(" "),
    b"punct": _GRAPH - _LOWER - _UPPER - _DIGIT,
    b"space": _ascii(" \t\n\r"),  # git's own table: no form feed, no vertical tab
    b"upper": _UPPER,
    b"xdigit": _DIGIT | _ascii("abcdefABCDEF"),
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One rule. ``expression`` has to match the whole name (``by_name``) or the whole path from the rule's folder."""

    expression: bytes
    negative: bool
    directories_only: bool
    by_name: bool


class RuleList:
    """The rules of one file, which see paths from the folder that the file lies in.

    ``strip`` bytes are cut from a path of the tree to get there (rules below the root), or ``lead`` is put before it
    (rules of a folder above the root).
    """

    __slots__ = ("_fold_case", "_lead", "_patterns", "_quick", "_strip")

    def __init__(
        self, patterns: Sequence[Pattern], *, strip: int = 0, lead: bytes = b"", fold_case: bool = False
    ) -> None:
        self._patterns = tuple(patterns)
        self._strip = strip
        self._lead = lead
        self._fold_case = fold_case
        self._quick: dict[bool, tuple[re.Pattern[bytes] | None, re.Pattern[bytes] | None]] = {}

    def verdict(self, path: bytes, name: bytes, directory: bool) -> bool | None:
        """Say whether the last rule that matches ignores ``path`` (True) or takes it back (False); None without one.

        ``path`` is relative to the tree's root, ``name`` its last part.
        """
        if not self._patterns:
            return None
        quick = self._quick.get(directory)
        if quick is None:
            quick = self._quick[directory] = self._quick_look(directory)
        names, paths = quick
        seen = self._lead + path[self._strip :]
        if not ((names and names.fullmatch(name)) or (paths and paths.fullmatch(seen))):
            return None
        for pattern in reversed(self._patterns):
            if pattern.directories_only and not directory:
                continue
            if self._regex(pattern.expression).fullmatch(name if pattern.by_name else seen):
                return not pattern.negative
        return None

    def _regex(self, expression: bytes) -> re.Pattern[bytes]:
        return _compile(expression, re.DOTALL | re.IGNORECASE if self._fold_case else re.DOTALL)

    def _quick_look(self, directory: bool) -> tuple[re.Pattern[bytes] | None, re.Pattern[bytes] | None]:
        """Two expressions that say in one go that no rule matches, which is the answer for most paths."""
        sides: tuple[list[bytes], list[bytes]] = ([], [])
        for pattern in self._patterns:
            if directory or not pattern.directories_only:
                sides[0 if pattern.by_name else 1].append(pattern.expression)
        names, paths = (self._regex(b"|".join(side)) if side else None for side in sides)
        return names, paths


NO_RULES = RuleList(())


def verdict(rules: Iterable[RuleList], path: bytes, name: bytes, directory: bool) -> bool | None:
    """The verdict of the first list that has one; the nearest folder's list comes first."""
    for rule_list in rules:
        found = rule_list.verdict(path, name, directory)
        if found is not None:
            return found
    return None


def parse_rules(data: bytes, *, strip: int = 0, lead: bytes = b"", fold_case: bool = False) -> RuleList:
    """Read an ignore file; any bytes are one."""
    lines = data[:MAX_RULE_BYTES].removeprefix(b"\xef\xbb\xbf").split(b"\n")
    patterns = [pattern for line in lines if (pattern := parse_line(line, fold_case=fold_case))]
    return RuleList(patterns, strip=strip, lead=lead, fold_case=fold_case) if patterns else NO_RULES


def parse_globs(globs: Iterable[str], setting: str, root: str = "") -> RuleList:
    """Read the globs of a setting, which are written as in an ignore file at the tree's root.

    A bare name or glob matches anywhere, one that holds a ``/`` from the root, and ``./name`` only there. With
    ``root``, the real path of the tree, one that begins with that is understood too, because people copy paths.

    Raises InvalidArgumentError for a glob that can never match or takes something back.
    """
    patterns = []
    for given in globs:
        rest = below(given, root) if root else None
        patterns += [_pattern(glob, setting) for glob in ((given, f"/{rest}") if rest else (given,))]
    return RuleList(patterns) if patterns else NO_RULES


def _pattern(glob: str, setting: str) -> Pattern:
    line = glob.encode(errors="surrogateescape")
    if line.startswith(b"./"):
        line = line[1:]
    pattern = parse_line(line)
    if pattern is None or pattern.negative or _NEVER in pattern.expression or b"\n" in line:
        raise InvalidArgumentError(
            f"{setting} has a glob {glob!r} that matches nothing; write it as in a .gitignore, without !.",
            setting=setting,
            glob=glob,
        )
    return pattern


def below(glob: str, root: str) -> str | None:
    """Return what an absolute glob means below a tree, written from its root.

    It is "" for all of it, where the glob ends at the root or above; None where it leads elsewhere, or is not absolute.
    Links in what it begins with are followed, because ``root`` is a real path.
    """
    if not glob.startswith("/") or "\0" in glob:
        return None
    parts = [part for part in glob.split("/") if part]
    fixed = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts))
    real = os.path.realpath("/" + "/".join(parts[:fixed]))
    wanted = [*(escape(name) for name in real.split("/") if name), *parts[fixed:]]
    names = [name for name in root.split("/") if name]
    for at, name in enumerate(names):
        if at == len(wanted):
            return ""
        if wanted[at] == "**":  # as many folders as it takes
            return "/".join(wanted[at:])
        if wanted[at] == escape(name):
            continue
        pattern = parse_line(os.fsencode("/" + wanted[at]))
        if pattern is None or not re.fullmatch(pattern.expression, os.fsencode(name), re.DOTALL):
            return None
    rest = "/".join(wanted[len(names) :])
    return rest + "/" if rest and glob.endswith("/") else rest


def parse_line(line: bytes, *, fold_case: bool = False) -> Pattern | None:
    """Read one line of an ignore file, without its line end; None for a comment or an empty line."""
    if not line or line.startswith(b"#"):
        return None
    text = _without_trailing_spaces(line.removesuffix(b"\r").split(b"\0", 1)[0])
    negative = text.startswith(b"!")
    text = text[negative:]
    if not text:
        return None
    directories_only = text.endswith(b"/")
    text = text[: len(text) - directories_only]
    by_name = b"/" not in text
    if not by_name and text.startswith(b"/"):
        text = text[1:]
    fixed = next((index for index, byte in enumerate(text) if byte in _SPECIAL), len(text))
    expression = re.escape(text[:fixed]) + _translate(text[fixed:], by_name, fold_case)
    return Pattern(expression if text else _NEVER, negative, directories_only, by_name)


_WILD = re.compile(r"[*?\[\\]")


def escape(path: str) -> str:
    """Write ``path`` so that a glob means exactly it."""
    return re.sub(r"([*?\[\\])", r"\\\1", path)


# ---------------------------------------------------------------- one pattern


def _without_trailing_spaces(line: bytes) -> bytes:
    """Cut spaces at the end, unless a backslash holds the first of them."""
    end, index = 0, 0
    while index < len(line):
        if line[index] == 0x5C:  # a backslash and what it holds
            index += 2
            if index > len(line):
                return line
            end = index
            continue
        index += 1
        if line[index - 1] != 0x20:
            end = index
    return line[:end]


def _translate(glob: bytes, by_name: bool, fold_case: bool) -> bytes:
    """Turn what follows a pattern's literal start into an expression."""
    groups: list[list[bytes | str]] = [[]]
    joints: list[str] = []
    at = 0
    while at < len(glob):
        byte = glob[at]
        if byte == 0x2A:
            after = at + len(glob[at:]) - len(glob[at:].lstrip(b"*"))
            kind = _star(glob, at, after, by_name)
            if kind == _STAR:
                groups[-1].append(_STAR)
            else:
                joints.append(kind)
                groups.append([])
            at = after + (kind == _GAP)
        elif byte == 0x3F:
            groups[-1].append(_ANY)
            at += 1
        elif byte == 0x5B:
            members, at = _bracket(glob, at + 1, fold_case)
            if not members:
                return _NEVER
            groups[-1].append(b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]")
        else:
            at += byte == 0x5C
            if at == len(glob):
                return _NEVER
            groups[-1].append(re.escape(glob[at : at + 1]))
            at += 1
    return _join(groups, joints)


def _star(glob: bytes, start: int, after: int, by_name: bool) -> str:
    """Tell apart ``*`` from ``**`` that stands alone between slashes."""
    if by_name or after - start < 2 or (start and glob[start - 1] != 0x2F):
        return _STAR
    rest = glob[after : after + 2]
    if rest.startswith(b"/"):
        return _GAP
    return _ALL if not rest or rest == b"\\/" else _STAR


def _join(groups: list[list[bytes | str]], joints: list[str]) -> bytes:
    """Put the pieces between ``**`` together; only the last of them may try another place."""
    out = _piece(groups[0])
    for number, (joint, group) in enumerate(zip(joints, groups[1:], strict=True), 1):
        last = number == len(joints)
        before, after = (b"", b"") if last else (b"(?>", b")")
        out += before + _JOINT[joint, last] + _piece(group) + after
    return out


def _piece(group: list[bytes | str]) -> bytes:
    """A piece without ``**``: the leftmost place for the text after a star is as good as any, but for the last star."""
    texts: list[bytes] = [b""]
    for token in group:
        if isinstance(token, bytes):
            texts[-1] += token
        else:
            texts.append(b"")
    if len(texts) == 1:
        return texts[0]
    middle = b"".join(b"(?>[^/]*?" + text + b")" for text in texts[1:-1])
    return texts[0] + middle + b"[^/]*" + texts[-1]


def _bracket(glob: bytes, at: int, fold_case: bool) -> tuple[frozenset[int], int]:
    """Read a set after its ``[``: the bytes it stands for, never ``/``, and where it ends. Empty when it is broken."""
    nothing: frozenset[int] = frozenset()
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    single: set[int] = set()
    spans: set[int] = set()
    before, first = 0, True
    while first or glob[at : at + 1] != b"]":
        first = False
        if at >= len(glob):
            return nothing, at
        byte = glob[at]
        if byte == 0x5C:
            at += 1
            if at >= len(glob):
                return nothing, at
            before = glob[at]
            single.add(before)
        elif byte == 0x2D and before and glob[at + 1 : at + 2] not in (b"", b"]"):
            at += 2 if glob[at + 1] == 0x5C else 1
            if at >= len(glob):
                return nothing, at
            spans.update(range(before, glob[at] + 1))
            before = 0
        elif glob[at : at + 2] == b"[:" and (end := glob.find(b"]", at + 2)) < 0:
            return nothing, at
        elif glob[at : at + 2] == b"[:" and end > at + 2 and glob[end - 1] == 0x3A:
            name = glob[at + 2 : end - 1]
            if name not in _CLASSES:
                return nothing, at
            spans.update(_CLASSES[name])
            before, at = 0, end
        else:
            before = byte
            single.add(byte)
        at += 1
    if fold_case:
        members = {byte for byte in range(256) if _holds(bytes((byte,)).lower()[0], single, spans)}
    else:
        members = single | spans
    return frozenset((set(range(1, 256)) - members if negated else members) - {0x2F}), at + 1


def _holds(byte: int, single: set[int], spans: set[int]) -> bool:
    return byte in single or byte in spans or bytes((byte,)).upper()[0] in spans
