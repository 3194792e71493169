r"""A text in blocks: what makes an edit of a large document as cheap as one of a small one.

A text is a tuple of ``Block``, each some thousand characters long, that is never changed: an edit makes one or two new
blocks and shares the others with the text before it, so its cost depends neither on the document's size nor on how
long its lines are. Joined, the blocks are the text. Two invariants make counting lines block by block exact: no block
is empty but the only one of an empty text, and a ``\r\n`` is never cut in two.

Positions count as an editor counts them: lines end at ``\n``, ``\r\n`` or ``\r`` and nowhere else.
"""

from functools import cached_property
from io import StringIO
from itertools import accumulate, islice

import msgspec

from .text import Units, count_characters, width

SIZE = 8192
"""Characters in a new block. An edit copies one block and the tuple of all of them: this is where both are cheap."""
_LEAST = SIZE // 4
_MOST = SIZE * 2

Place = tuple[int, int]
"""A block's index, and an offset in it that may be its end."""


class Block(msgspec.Struct, frozen=True, dict=True, eq=False):
    """A piece of a text, with what was counted in it."""

    text: str

    @cached_property
    def line_ends(self) -> int:
        """How many lines end in it."""
        text = self.text
        ends = text.count("\n")
        return ends + text.count("\r") - text.count("\r\n") if "\r" in text else ends

    def width(self, units: Units) -> int:
        """Its length in ``units``."""
        if units == "utf-32" or self.text.isascii():
            return len(self.text)
        return self._utf16 if units == "utf-16" else self._utf8

    @cached_property
    def _utf8(self) -> int:
        return width(self.text, "utf-8")

    @cached_property
    def _utf16(self) -> int:
        return width(self.text, "utf-16")


Blocks = tuple[Block, ...]


def cut(text: str) -> Blocks:
    """Return ``text`` in blocks."""
    if len(text) <= _MOST:
        return (Block(text),)
    blocks = []
    start = 0
    while start < len(text):
        stop = start + SIZE
        stop += text[stop - 1 : stop + 1] == "\r\n"
        blocks.append(Block(text[start:stop]))
        start = stop
    return tuple(blocks)


def locate(blocks: Blocks, line: int, character: int, units: Units) -> Place | None:
    """Return the place of a position, none of whose numbers is negative; None when it is inside a character.

    Beyond a line it is the line's end, beyond the text the text's end.
    """
    start = _start_of(blocks, line)
    if start is None:
        return len(blocks) - 1, len(blocks[-1].text)
    index, offset = start
    while True:
        block = blocks[index]
        stop = _end_of_line(block, offset)
        ends = stop < len(block.text)
        rest = block.text[offset:stop]
        there = width(rest, units) if offset or ends else block.width(units)
        if character < there:
            count = count_characters(rest, character, units)
            return (index, offset + count) if width(rest[:count], units) == character else None
        if ends or index + 1 == len(blocks):
            return index, stop
        character -= there
        index, offset = index + 1, 0


def splice(blocks: Blocks, start: Place, end: Place, text: str) -> Blocks:
    """Return the blocks with ``text`` in the place of what is between two places that `locate` gave.

    A line end can only come to meet one in the block before: a place is never at the end of a block but the last.
    """
    first, after = start[0], end[0] + 1
    middle = "".join((blocks[first].text[: start[1]], text, blocks[end[0]].text[end[1] :]))
    if len(middle) < _LEAST and after < len(blocks):
        middle += blocks[after].text
        after += 1
    if first and (len(middle) < _LEAST or (middle.startswith("\n") and blocks[first - 1].text.endswith("\r"))):
        first -= 1
        middle = blocks[first].text + middle
    return (*blocks[:first], *cut(middle), *blocks[after:])


def _start_of(blocks: Blocks, line: int) -> Place | None:
    """Return the place where a 0-based line starts, or None when the text has fewer lines."""
    if line == 0:
        return 0, 0
    for index, block in enumerate(blocks):
        if line <= block.line_ends:
            ends = accumulate(map(len, StringIO(block.text, newline="")))
            return index, next(islice(ends, line - 1, None))
        line -= block.line_ends
    return None


def _end_of_line(block: Block, offset: int) -> int:
    """Return where the line that goes on at ``offset`` ends, or the block's end."""
    if not block.line_ends:
        return len(block.text)
    found = block.text.find("\n", offset)
    stop = found if found >= 0 else len(block.text)
    found = block.text.find("\r", offset, stop)
    return found if found >= 0 else stop
