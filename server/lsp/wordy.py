"""The same doors as `markdown`, for clients that show plain text: words, names and passages, made visible."""

from ..context.visible import one_line, visible
from .markdown import MAX_CODE, MAX_WORDS


def plain(text: str, limit: int = MAX_WORDS) -> str:
    """Return words on one line."""
    return one_line(text, limit)


def prose(text: str, limit: int = MAX_WORDS) -> str:
    """Return a sentence on one line."""
    return plain(text, limit)


def code(text: str, limit: int = MAX_CODE) -> str:
    """Return a name, path or signature on one line."""
    return plain(text, limit)


def fence(text: str, language: str = "") -> str:
    """Return a passage, set in."""
    del language
    return "\n".join(f"    {line}" for line in visible(text).strip("\n").split("\n"))


def link(text: str, uri: str, line: int = 0) -> str:
    """Return what a link would show; where it leads is in it."""
    del uri, line
    return plain(text)


def strong(text: str) -> str:
    """Return ``text``."""
    return text


BREAK = ""
