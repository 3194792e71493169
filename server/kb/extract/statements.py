"""Lines and the lines that they are continued on, as the languages that are read by lines count them."""


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
