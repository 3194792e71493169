"""Lines and the lines that they are continued on, as the languages that are read by lines count them."""


def line_end(text: str, at: int) -> int:
    """The end of the line that ``at`` is on, without its line break."""
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def logical_end(text: str, at: int) -> int:
    """The end of the line that ``at`` is on with those that it is continued on by a backslash."""
    while True:
        end = line_end(text, at)
        if end == len(text) or not text[at:end].rstrip().endswith("\\"):
            return end
        at = end + 1
