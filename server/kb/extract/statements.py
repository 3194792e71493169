"""Lines and the lines that they are continued on, as the languages that are read by lines count them."""

from ..parse import Group, Mark

MAX_GROUPS = 20_500
MAX_MARKS = 120_000
"""What a reader gives at most, more than is kept of it: a text with more says so, and the rest of it is only text."""
MAX_WORDS = 2_000
"""Files, classes or names that one statement is asked for."""


class LineReader:
    """What a pass over the lines of one text has found so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.marks: list[Mark] = []
        self.groups: list[Group] = []

    @property
    def has_room(self) -> bool:
        """Whether less was found than is given at most."""
        return len(self.groups) < MAX_GROUPS and len(self.marks) < MAX_MARKS


def line_end(text: str, at: int) -> int:
    """The end of the line that ``at`` is on, without its line break."""
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def logical_end(text: str, at: int) -> int:
    """The end of the line that ``at`` is on with those that it is continued on by a backslash."""
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        last = text[end - 1]
        if last != "\\" and (last not in " \t\r\f\v" or not text[at:end].rstrip().endswith("\\")):
            return end
        at = end + 1
