"""Whole lines of a text: what chunks are cut along."""

from bisect import bisect_right
from operator import sub

from .text import LineIndex


class Lines(LineIndex):
    """`LineIndex` for code that works on ranges of offsets: rounding to lines, and the starts themselves."""

    __slots__ = ("size", "starts")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.size = len(text)
        self.starts = self._starts

    def at(self, offset: int) -> int:
        """The 1-based line that holds the character at ``offset`` (0 or more)."""
        return bisect_right(self.starts, offset)

    def floor(self, offset: int) -> int:
        """Start of the line that holds ``offset``."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def ceil(self, offset: int) -> int:
        """``offset`` itself at the start of a line, else the start of the next line or the end of the text."""
        place = bisect_right(self.starts, offset)
        if self.starts[place - 1] == offset:
            return offset
        return self.starts[place] if place < len(self.starts) else self.size

    def longest(self) -> int:
        """Characters in the longest line, its line break included."""
        starts = self.starts
        return max(self.size - starts[-1], max(map(sub, starts[1:], starts), default=0))
