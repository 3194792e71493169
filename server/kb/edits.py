"""Edits of a text that all count in the text before any of them: what a writer sends (LSP's ``TextEdit``).

Changes of an open buffer, each of which counts in what the one before it left, are in ``buffer.py``. Pure: nothing is
read or written here. An edit that does not fit is refused and nothing is applied.
"""

from collections.abc import Sequence

import msgspec

from .errors import InvalidArgumentError
from .text import LineIndex, Units, whole

Span = tuple[int, int, int, int]
"""Start line, start character, end line, end character; 0-based, characters in the session's units."""


class TextEdit(msgspec.Struct, frozen=True, gc=False):
    """Put ``new_text`` in the place of ``range``."""

    range: Span
    new_text: str


def apply_edits(text: str, edits: Sequence[TextEdit], units: Units) -> str:
    """Return ``text`` after all edits; inserts at one place come in the order in which they are given.

    A character beyond its line means the line's end, a line beyond the text the text's end, as the protocol says.

    Raises:
        InvalidArgumentError: a range runs backwards, is negative, begins or ends inside a character, or overlaps
            another one; a new text has half of a surrogate pair.

    """
    index = LineIndex(text)
    located = [(*_offsets(index, edit.range, units), edit.new_text) for edit in edits]
    located.sort(key=lambda edit: edit[0])  # stable: what begins at one place keeps its order
    pieces: list[str] = []
    done = 0
    for start, end, new_text in located:
        if start < done:
            raise InvalidArgumentError("Two of the edits overlap; send them as one.", argument="edits")
        pieces += (text[done:start], _sound(new_text))
        done = end
    return "".join((*pieces, text[done:]))


def _sound(new_text: str) -> str:
    joined = whole(new_text)
    if joined.count("\ufffd") != new_text.count("\ufffd"):
        raise InvalidArgumentError("A new text has half of a character; send whole characters.", argument="edits")
    return joined


def _offsets(index: LineIndex, span: Span, units: Units) -> tuple[int, int]:
    start, end = span[:2], span[2:]
    if min(span) < 0 or start > end:
        raise InvalidArgumentError(
            f"The range {_shown(span)} runs backwards; give the start before the end.", argument="edits"
        )
    return _offset(index, start, span, units), _offset(index, end, span, units)


def _offset(index: LineIndex, position: tuple[int, int], span: Span, units: Units) -> int:
    offset = index.offset(*position, units)
    within = position[0] < index.count and offset < index.end_of(position[0] + 1)
    if within and index.position(offset, units) != position:
        raise InvalidArgumentError(
            f"The range {_shown(span)} begins or ends inside a character; count in {units} units.", argument="edits"
        )
    return offset


def _shown(span: Span) -> str:
    return f"{span[0]}:{span[1]}-{span[2]}:{span[3]}"
