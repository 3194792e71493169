"""Text to captures: with `parse_edited`, the only place that knows tree-sitter.

Grammars and compiled queries are loaded lazily and kept; trees and nodes never leave these files (pitfall TS01): what
comes out are plain tuples of names and code point offsets. Every parse is a fresh one (TS03), bounded in size, line
length and time (SC06), and walks nothing by recursion (SC10). A grammar that is missing or built for another ABI turns
its language into text and nothing else (TS04). Nothing is downloaded, and nothing here raises on content (invariant 6).
"""

import functools
import importlib
import re
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import tree_sitter

from . import languages
from .model import Problem

MAX_BYTES = 8_000_000
"""Longer text is not parsed: a tree takes about 190 bytes of memory for each byte of text."""
MIN_REPEATED_BYTES = 4_096
MAX_REPETITION = 40
"""Text that compresses better than this is not parsed; of 4,500 real files no source came above 17."""
MAX_OPEN = 400
"""Angle brackets open at one place, with nothing between them that would close a statement."""
MAX_LINE = 50_000
"""Text with a longer line is not parsed: it is generated, and grammars that count columns become quadratic in it."""
MAX_ERRORS = 20
"""Places of syntax errors that are reported of one document."""
MAX_INJECTIONS = 3
"""Levels of text inside text that are parsed again."""
MAX_VISITED = 50_000
"""Nodes looked at in search of syntax errors."""
MAX_QUERY_COST = 400_000_000
"""Steps that broken text may cost a query beyond its size (about 0.3 s); dearer text gives its errors and no facts."""
MATCH_LIMIT = 65_536
"""Matches that may be unfinished at one moment of a query."""
READ_BYTES = 512
"""What the parser is given at a time. A predicate that reads a node's text asks again and copies as much: with the
whole rest of the text, queries with predicates take two to four times as long. The parser itself does not mind."""

Mark = tuple[str, int, int]
"""A capture that stands alone: (capture name, start, end)."""
Spans = dict[str, list[tuple[int, int]]]
Group = tuple[int, Spans]
"""Captures that belong together: (index of the pattern in the query file, capture name -> ranges)."""


class Parsed(NamedTuple):
    """What the query found, in code point offsets. ``failure`` says why nothing could be looked for."""

    marks: Sequence[Mark] = ()
    groups: Sequence[Group] = ()
    errors: Sequence[int] = ()  # where the first syntax errors start
    failure: Problem | None = None


class Grammar(NamedTuple):
    """What reads a language."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    noise: re.Pattern[bytes] | None


class Captured(NamedTuple):
    """What a query found, in byte offsets, in the order in which it found it."""

    marks: list[Mark]
    groups: list[Group]


class Reading(NamedTuple):
    """A text that may be parsed: what reads it, and the bytes that the parser is given."""

    grammar: Grammar
    source: bytes


def captures(text: str, language: str, *, longest_line: int, deadline_s: float) -> Parsed:
    """Parse ``text`` and run the language's query over it.

    ``longest_line`` is in characters. A language without structure gives an empty result without a failure.
    """

    def run(grammar: Grammar, source: bytes, late: Late) -> Parsed:
        found = whole(Reading(grammar, blanked(grammar, source)), late)
        return in_characters(text, source, found.captured, found.errors)

    return bounded(text, language, longest_line, deadline_s, run)


def bounded(
    text: str, language: str, longest_line: int, deadline_s: float, run: Callable[[Grammar, bytes, "Late"], Parsed]
) -> Parsed:
    """Run a parse of bytes, noise included, within the bounds that hold for every text; no error leaves it."""
    grammar = load(language)
    if grammar is None or not text:
        return Parsed()
    if isinstance(grammar, Problem):
        return Parsed(failure=grammar)
    # Some grammars take NUL for the end of the text, and a lone surrogate (an unpaired \ud800 from an editor) has no
    # UTF-8: a blank and "?" keep every offset.
    source = text.encode("utf-8", "replace").replace(b"\0", b" ")
    doubt = _doubt(source, longest_line)
    if doubt is not None:
        return Parsed(failure=doubt)
    # Time of this thread: what a file took must not depend on what else the machine did, because it is kept.
    until = time.thread_time() + deadline_s

    def late(*_state: object) -> bool:
        return time.thread_time() > until

    try:
        return run(grammar, source, late)
    except OutOfTimeError:
        return Parsed(failure=Problem("timeout", f"not parsed within {deadline_s:g} s"))
    except Exception as error:  # whatever the binding makes of weird content costs this document its facts, no more
        return Parsed(failure=Problem("syntax", f"the parser failed: {type(error).__name__}: {error}"[:300]))


def blanked(grammar: Grammar, source: bytes) -> bytes:
    """The bytes with what the grammar stumbles over blank. A pattern of it looks at one line and those beside it."""
    return source if grammar.noise is None else grammar.noise.sub(_blank, source)


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


class OutOfTimeError(Exception):
    """The deadline passed while a tree was made."""


Late = Callable[..., bool]
"""Whether the deadline has passed."""


def _doubt(source: bytes, longest_line: int) -> Problem | None:
    """Why a text is not given to the parser at all.

    No deadline helps where one step of error recovery takes gigabytes: 6 kB of ``/*`` lines read as Python take 1.4 GB,
    10,000 open ``<`` as Java as much. Both are no programs, and cheap to tell from one.
    """
    size = len(source)
    if size > MAX_BYTES:
        return Problem("size", f"{size:,} bytes are more than the {MAX_BYTES:,} that are parsed")
    if longest_line > MAX_LINE:
        return Problem("size", f"a line of {longest_line:,} characters is longer than the {MAX_LINE:,} that are parsed")
    if size > MIN_REPEATED_BYTES and _is_repetition(source[: size // 5], size) and _is_repetition(source, size):
        return Problem("size", "one pattern repeated over and over is not parsed")
    if source.count(b"<") > MAX_OPEN and _OPEN_ANGLES.search(source) is not None:
        return Problem("depth", f"more than {MAX_OPEN} open angle brackets")
    return None


def _is_repetition(source: bytes, size: int) -> bool:
    """Whether this much of a text says too little for its size. A start that says enough spares looking at the rest."""
    return size > MAX_REPETITION * len(zlib.compress(source, 1))


class Whole(NamedTuple):
    """All of a text. ``tree`` is None where more than one query over one tree made it."""

    captured: Captured
    errors: Sequence[int]
    tree: tree_sitter.Tree | None


def whole(reading: Reading, late: Late) -> Whole:
    """Parse a text and look at all of it, and at what stands in text inside of it.

    Raises:
        OutOfTimeError: it took too long.
    """
    grammar, source = reading
    tree = tree_of(grammar, source, late)
    broken = errors_of(tree.root_node)
    found = Captured([], [])
    if broken.cost > MAX_QUERY_COST:
        return Whole(found, broken.places, None)
    ranges = query(grammar, tree.root_node, found)
    if not ranges:
        return Whole(found, broken.places, tree)
    for _ in range(MAX_INJECTIONS):
        root = tree_of(grammar, source, late, ranges=ranges).root_node
        if errors_of(root).cost > MAX_QUERY_COST:
            break
        ranges = query(grammar, root, found)
        if not ranges:
            break
    return Whole(found, broken.places, None)


def tree_of(
    grammar: Grammar,
    source: bytes,
    late: Late,
    *,
    ranges: Sequence[tree_sitter.Range] = (),
    old: tree_sitter.Tree | None = None,
) -> tree_sitter.Tree:
    """Parse ``source``, or only some ranges of it; ``old`` is the edited tree of the text before.

    Raises:
        OutOfTimeError: it took too long.
    """

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + READ_BYTES]

    parser = tree_sitter.Parser(grammar.language, included_ranges=ranges or None)
    try:
        if old is None:
            return parser.parse(read, progress_callback=late)
        return parser.parse(read, old, progress_callback=late)
    except ValueError as error:
        raise (OutOfTimeError if late() else error) from None


def query(
    grammar: Grammar, root: tree_sitter.Node, found: Captured, within: tuple[int, int] | None = None
) -> list[tree_sitter.Range]:
    """Add what the query finds (``within``: what touches these bytes); give the ranges to be parsed on their own."""
    inner: list[tree_sitter.Range] = []
    # No deadline here: the binding crashes when a query cursor has a progress callback (0.26.1). Queries are ours, run
    # in linear time, and `match_limit` bounds what they hold open.
    cursor = tree_sitter.QueryCursor(grammar.query, match_limit=MATCH_LIMIT)
    if within is not None:
        cursor.set_byte_range(*within)
    for pattern, captured in cursor.matches(root):
        if len(captured) > 1:
            found.groups.append((pattern, {name: [node.byte_range for node in captured[name]] for name in captured}))
            continue
        for name, nodes in captured.items():
            if name == "inject":
                inner.extend(map(_inside, nodes))
                continue
            for node in nodes:
                start, end = node.byte_range
                found.marks.append((name, start, end))
    return inner


def _inside(node: tree_sitter.Node) -> tree_sitter.Range:
    """The range between a node's brackets."""
    first, last = node.start_point, node.end_point
    start, end = node.byte_range
    return tree_sitter.Range((first.row, first.column + 1), (last.row, last.column - 1), start + 1, end - 1)


class Errors(NamedTuple):
    """How broken a text is."""

    places: list[int]  # where the first of them start
    cost: int  # of a query over the tree, in steps beyond what its size says


def errors_of(root: tree_sitter.Node) -> Errors:
    """Find syntax errors by walking (iteratively, a bounded way) to where the tree has them.

    A query for them would be quadratic in the depth of a broken tree. Any query is quadratic in the children of one
    error node, because they are kept as a plain list; ``cost`` tells whether that would hurt.
    """
    places: list[int] = []
    cost = 0
    if not root.has_error:
        return Errors(places, cost)
    cursor = root.walk()
    for _ in range(MAX_VISITED):
        node = cursor.node
        broken = node is not None and node.has_error
        if node is not None and broken and (node.is_error or node.is_missing):
            places.append(node.start_byte)
            cost += node.child_count**2
        if len(places) >= MAX_ERRORS or cost > MAX_QUERY_COST:
            break
        if (broken and cursor.goto_first_child()) or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            break
    return Errors(sorted(set(places)) or [0], cost)


_OPEN_ANGLES = re.compile(rb"<(?:[^<>;{}()]*+<){%d}" % MAX_OPEN)
_WIDE = re.compile("[^\x00-\x7f\ud800-\udfff]")


def in_characters(text: str, source: bytes, captured: Captured, errors: Sequence[int]) -> Parsed:
    """The same captures with byte offsets turned into code point offsets."""
    marks, groups = captured
    if len(source) == len(text):
        return Parsed(marks, groups, errors)
    places = [match.start() for match in _WIDE.finditer(text)]
    extra = list(accumulate((_extra_bytes(text[place]) for place in places), initial=0))
    # Byte offset just behind each wide character: an offset at or past the i-th lies i wide characters further on.
    behind = [place + 1 + extra[i + 1] for i, place in enumerate(places)]

    def at(offset: int) -> int:
        return offset - extra[bisect_right(behind, offset)]

    return Parsed(
        [(name, at(start), at(end)) for name, start, end in marks],
        [
            (pattern, {name: [(at(start), at(end)) for start, end in spans] for name, spans in found.items()})
            for pattern, found in groups
        ],
        [at(offset) for offset in errors],
    )


def _extra_bytes(character: str) -> int:
    return 1 if character < "\u0800" else 2 if character < "\U00010000" else 3


@functools.cache
def load(language: str) -> Grammar | Problem | None:
    """The language's grammar with its query; None without structure, a Problem when it cannot be used."""
    row = languages.BY_NAME.get(language, languages.TEXT)
    source = languages.query_source(row.name)
    if not source:
        return None
    try:
        module = importlib.import_module(row.grammar)
        grammar = tree_sitter.Language(getattr(module, row.function)())
        noise = re.compile(row.noise.encode(), re.MULTILINE) if row.noise else None
        return Grammar(grammar, tree_sitter.Query(grammar, source), noise)
    except Exception as error:  # missing package, foreign ABI, a query for another version: this language is text then
        return Problem("grammar", f"{row.package} cannot be used: {type(error).__name__}: {error}"[:300])
