"""A text cut into chunks: the unit of retrieval (row K18).

Definitions and headed sections are the units, because a citation must point at something a person can open. A unit
that fits is one chunk, with the comment or decorator directly above it; one that does not is its header and its
members; what is left too long is cut at blank lines, and every piece keeps heading and trail. One-liners, and text
between units, are merged with their neighbours.

Held for any text and any units: every character is in exactly one chunk, in order; no chunk is longer than
`MAX_CHARACTERS`; a line is cut only when it alone is longer than that. Work and result are linear in the text (SC01).
No language is known here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .lines import Lines
from .model import Chunk, Kind

MAX_CHARACTERS = 2_400
SMALL_LINES = 2
SMALL_CHARACTERS = 240
LARGE_FIELD = 600
"""A field or value shorter than this, however documented, stays with its neighbours."""
LARGE_INNER = 800
"""A definition inside a function has a chunk of its own from this length on."""
STRAY_CHARACTERS = 160
"""Text between two units that is shorter than this joins one of them."""


class Unit(NamedTuple):
    """Something that can be a chunk: a definition, or a range that owns what lies in it. Offsets are code points."""

    start: int  # with what is attached above it
    end: int
    kind: Kind
    name: str
    trail: tuple[str, ...]
    declaration: bool = False
    parent: int = -1  # index of the unit around it in the same sequence; parents come first


class _Piece(NamedTuple):
    """A range of whole lines under one heading (``owner`` is None before the first). Loose pieces may be merged."""

    start: int
    end: int
    owner: Unit | None
    loose: bool
    units: int = 0  # definitions among what was merged; `single` is the only one
    single: Unit | None = None
    declared: int = 0


_TYPES = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM})
_ALWAYS = _TYPES | {Kind.SECTION, Kind.MODULE, Kind.NAMESPACE}
_FIELDS = frozenset({Kind.FIELD, Kind.VARIABLE, Kind.CONSTANT})
_CALLABLES = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.MACRO})

_SPACES = frozenset({Kind.MODULE, Kind.NAMESPACE})

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


def chunks(
    text: str, lines: Lines, units: Sequence[Unit], *, comments: tuple[str, ...] = (), gathered: bool = False
) -> tuple[Chunk, ...]:
    """Cut ``text``. ``units`` are sorted by start, outer ones first; ``comments`` start a comment line.

    With ``gathered``, values stay with their neighbours even where no definition holds them.
    """
    if not text:
        return ()
    cutter = _Cutter(text, lines, units, comments, gathered)
    found: list[Chunk] = []
    parts: dict[int, int] = {}
    for piece in cutter.pieces():
        _emit(cutter, piece, parts, found)
    return tuple(found)


def _emit(cutter: "_Cutter", piece: _Piece, parts: dict[int, int], found: list[Chunk]) -> None:
    """The chunks of one piece, numbered on behind the earlier ones under the same heading."""
    owner = piece.owner
    declaration = owner.declaration if owner is not None else False
    if piece.single is not None and piece.units == 1:
        owner, declaration = piece.single, piece.single.declaration
    elif piece.units:
        declaration = piece.declared == piece.units
    part = parts.get(id(owner), 0) if owner is not None else 0
    kind, name, trail = (owner.kind, owner.name, owner.trail) if owner is not None else (Kind.BLOCK, "", ())
    for start, end in cutter.split(piece.start, piece.end):
        first, last = cutter.lines.at(start), cutter.lines.at(end - 1)
        found.append(Chunk(start, end, first, last, kind, name, trail, part, declaration))
        part += 1
    if owner is not None:
        parts[id(owner)] = part


class _Cutter:
    """The walk over the units of one text."""

    def __init__(
        self, text: str, lines: Lines, units: Sequence[Unit], comments: tuple[str, ...], gathered: bool
    ) -> None:
        self.text = text
        self.lines = lines
        self.comments = comments
        self.gathered = gathered
        self.units = units
        self.members: dict[int, list[int]] = {}
        for place, unit in enumerate(units):
            self.members.setdefault(unit.parent, []).append(place)

    def pieces(self) -> list[_Piece]:
        """All of the text in order."""
        return self._inside(0, len(self.text), None, self.members.get(-1, []))

    def _inside(self, start: int, end: int, owner: Unit | None, members: Sequence[int]) -> list[_Piece]:
        """``text[start:end]``, which ``owner`` heads, cut along ``members``. Depth is bounded by the extractor."""
        found: list[_Piece] = []
        at = loose = start  # what was read; where what is not settled begins
        single: Unit | None = None
        units = declared = 0
        for place in members:
            unit = self.units[place]
            first, last = max(at, self.lines.floor(unit.start)), min(end, self.lines.ceil(unit.end))
            if last <= first:  # on lines that are taken
                continue
            at = last
            if not self._is_large(unit, first, last, owner):
                single = single or unit
                units += 1
                declared += unit.declaration
                continue
            if first > loose:
                found.append(_Piece(loose, first, owner, True, units, single, declared))
            single, units, declared = None, 0, 0
            inner = self._own_chunks(place, first, last)
            found.extend(self._inside(first, last, unit, inner) if inner else (_Piece(first, last, unit, False),))
            loose = last
        if loose < end:
            found.append(_Piece(loose, end, owner, True, units, single, declared))
        return self._settled(found, owner)

    def _is_large(self, unit: Unit, start: int, end: int, owner: Unit | None) -> bool:
        size = end - start
        if owner is not None and owner.kind in _CALLABLES and size < LARGE_INNER:
            return False
        if unit.kind in _ALWAYS and not unit.declaration:
            return True
        if unit.kind in _FIELDS and (owner is not None or self.gathered) and size < LARGE_FIELD:
            return False
        return size > SMALL_CHARACTERS or self.lines.at(end - 1) - self.lines.at(start) >= SMALL_LINES

    def _own_chunks(self, place: int, start: int, end: int) -> Sequence[int]:
        """Members along which the unit is cut; empty for one that stays whole."""
        unit, members = self.units[place], self.members.get(place, ())
        if not members:
            return ()
        if end - start > MAX_CHARACTERS:
            return members
        kinds = {self.units[member].kind for member in members}
        if unit.kind is Kind.SECTION and Kind.SECTION in kinds:
            return members
        if unit.kind is Kind.NAMESPACE or (unit.kind is Kind.MODULE and kinds & _ALWAYS):
            return members
        return ()

    def _settled(self, runs: list[_Piece], owner: Unit | None) -> list[_Piece]:
        """Strays merged with a neighbour."""
        found: list[_Piece] = []
        carried = -1  # start of a stray that the next piece takes
        for place, run in enumerate(runs):
            piece, start = run, run.start if carried < 0 else carried
            if run.loose and not run.units:
                side = self._stray(start, run, found[-1] if found else None, runs[place + 1 : place + 2], owner)
                if side < 0:
                    found[-1] = found[-1]._replace(end=run.end)
                    carried = -1
                    continue
                if side > 0:
                    carried = start
                    continue
            found.append(piece._replace(start=start))
            carried = -1
        return [self._named(piece)._replace(loose=False) for piece in found]

    def _stray(
        self, start: int, run: _Piece, before: _Piece | None, after: Sequence[_Piece], owner: Unit | None
    ) -> int:
        """-1 when the text belongs to the piece before, 1 to the piece behind, 0 to itself."""
        size = run.end - start
        fits_before = before is not None and run.end - before.start <= MAX_CHARACTERS
        fits_after = bool(after) and after[0].end - start <= MAX_CHARACTERS
        content = self.text[start : run.end].strip() if size <= MAX_CHARACTERS else "-"
        if not content:
            return -1 if fits_before else 1 if fits_after else 0
        if owner is not None and owner.kind is Kind.SECTION and fits_after and before is None and "\n" not in content:
            return 1  # a title with nothing under it but sections
        if size > STRAY_CHARACTERS:
            return 0
        if fits_after and before is None and owner is not None and owner.kind in _SPACES:
            return 1  # `namespace x {`
        if fits_after and self.comments and content.startswith(self.comments):
            return 1
        return -1 if fits_before and (before is None or not before.loose) else 0

    def _named(self, piece: _Piece) -> _Piece:
        """A loose piece that is one definition and nothing else has its heading; else it has its owner's."""
        if piece.single is None or piece.units != 1:
            return piece
        unit = piece.single
        around = self.text[piece.start : unit.start] + self.text[unit.end : piece.end]
        return piece if not any(map(str.isalnum, around)) else piece._replace(units=2, declared=0)

    def split(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ranges of at most `MAX_CHARACTERS`: cut at blank lines, else at lines, else (one endless line) anywhere."""
        while end - start > MAX_CHARACTERS:
            left = end - start
            count = -(-left // MAX_CHARACTERS)
            at = self._cut(start, start + left // count, start + MAX_CHARACTERS)
            yield start, at
            start = at
        yield start, end

    def _cut(self, start: int, ideal: int, limit: int) -> int:
        low = start + MAX_CHARACTERS // 4
        blank = [match.end() for match in _BLANK_LINES.finditer(self.text, low, limit) if match.end() <= limit]
        if blank:
            return min(blank, key=lambda at: abs(at - ideal))
        line = self.lines.floor(ideal)
        if line > low:
            return line
        line = self.lines.floor(limit)
        return line if line > start else limit
