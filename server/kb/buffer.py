r"""An editor's own document: its text exactly as the editor has it, and the edits it sends.

Positions of an edit count in the editor's text, with the editor's line ends, so that text is kept apart from the
normalised text that is indexed (`text.py`): an offset taken in one is never used in the other. A ``Buffer`` is
immutable and holds lines, so that typing one character costs a copy of the list of lines and not of the text; the whole
text is joined only when somebody asks.

An edit that does not fit is refused with a typed error and changes nothing: text that drifts from the editor's without
a word is worse than a document that has to be sent again.
"""

from collections.abc import Sequence
from functools import cached_property
from io import StringIO

import msgspec

from .errors import ConflictError, InvalidArgumentError
from .text import Units, count_characters, ending, normalise, whole


class Change(msgspec.Struct, frozen=True, gc=False):
    """One LSP content change; without a range ``text`` is the whole document.

    ``range`` is (start line, start character, end line, end character), 0-based, characters in the session's units.
    """

    text: str
    range: tuple[int, int, int, int] | None = None


class Buffer(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of an open document."""

    version: int
    lines: tuple[str, ...]  # each with its line end; the last has none and may be empty

    @classmethod
    def of(cls, text: str, version: int) -> "Buffer":
        """Return the buffer that ``didOpen`` describes."""
        return cls(version, tuple(_split(whole(text))))

    @cached_property
    def text(self) -> str:
        """The text as the editor has it."""
        return "".join(self.lines)

    @cached_property
    def normalised(self) -> str:
        """The text as content (`text.normalise`)."""
        return normalise(self.text)

    def apply(self, changes: Sequence[Change], version: int, units: Units) -> "Buffer":
        """Return the buffer after ``changes``, each applied to what the one before it left.

        Positions beyond a line or the text mean its end, as the protocol says.

        Raises:
            ConflictError: ``version`` is not newer than this one, so a change was lost, repeated or overtaken.
            InvalidArgumentError: a range is reversed or negative.

        """
        if version <= self.version:
            raise ConflictError(
                f"Version {version} of the document came after version {self.version}; close the document and open it "
                "again.",
                version=version,
                current=self.version,
            )
        lines: list[str] = list(self.lines)
        for change in changes:
            if change.range is None:
                lines = _split(whole(change.text))
            else:
                _splice(lines, change.range, whole(change.text), units)
        return Buffer(version, tuple(lines))


def _split(text: str) -> list[str]:
    r"""Return the lines of ``text``, which end at ``\n``, ``\r\n`` or ``\r``; the last one has no end."""
    lines = list(StringIO(text, newline=""))
    if not lines or ending(lines[-1]):
        lines.append("")
    return lines


def _splice(lines: list[str], span: tuple[int, int, int, int], text: str, units: Units) -> None:
    """Replace ``span`` of ``lines`` by ``text``, in place."""
    start_line, start_character, end_line, end_character = span
    if min(span) < 0 or (start_line, start_character) > (end_line, end_character):
        raise InvalidArgumentError(
            f"The edit's range {start_line}:{start_character}-{end_line}:{end_character} runs backwards; "
            "send the whole text of the document instead.",
            range=list(span),
        )
    first, column = _locate(lines, start_line, start_character, units)
    last, stop = _locate(lines, end_line, end_character, units)
    middle = "".join((lines[first][:column], text, lines[last][stop:]))
    if middle.startswith("\n") and first > 0 and lines[first - 1].endswith("\r"):
        first -= 1  # the two are one line end now
        middle = lines[first] + middle
    elif "\n" not in text and "\r" not in text:
        lines[first : last + 1] = (middle,)
        return
    replacement = _split(middle)
    if last + 1 < len(lines):
        replacement.pop()  # the empty line that follows every line end is the next line here
    lines[first : last + 1] = replacement


def _locate(lines: list[str], line: int, character: int, units: Units) -> tuple[int, int]:
    """Return the index of a line and a column in it, both clamped."""
    if line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    text = lines[line]
    stop = len(text) - ending(text)
    if text.isascii():
        return line, min(stop, character)
    return line, count_characters(text[: min(stop, character)], character, units)
