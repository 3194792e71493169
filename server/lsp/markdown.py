"""Text of a tree as Markdown that shows it and does nothing else (pitfall SE04, invariant 10).

Whatever a tree says comes through one of three doors: `plain` for words, `code` for names, paths and signatures,
`fence` for passages. What comes out is never a link, an image, HTML, a heading or an end of what it stands in, in any
reader of CommonMark with or without GitHub's extensions; characters that are not seen are gone. Links are made by
`link` alone, to files, from URIs that this server makes itself.
"""

import re

from ..context.visible import one_line, visible

_MARKUP = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")  # an underscore inside of a word is only that
_AUTOLINK = re.compile(r"(?i)(https?|ftp|mailto|xmpp|command|javascript|vscode|file|data)(:)|(www)(\.)|(@)|(:)(?=//)")
_OPENING = re.compile(r"^(\d{0,9})([#+=.)-])")
"""What makes a line something else than words when it begins it."""
_BACKTICKS = re.compile("`+")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)(?<!`)\1(?!`)")
_NO_LANGUAGE = re.compile(r"[^A-Za-z0-9+#_-]")
_FILE_URI = re.compile(r"file://[A-Za-z0-9._~/%:-]*\Z")
BREAK = "  "
"""What ends a line that another one follows in the same paragraph."""
MAX_WORDS = 400
MAX_CODE = 240


def plain(text: str, limit: int = MAX_WORDS) -> str:
    """Return words as one line of words: nothing in them is markup."""
    line = one_line(text, limit)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _MARKUP.sub(r"\\\g<0>", line)
    line = _AUTOLINK.sub(lambda found: f"{found[1] or found[3] or ''}\\{found[2] or found[4] or found[5] or ':'}", line)
    return _OPENING.sub(r"\1\\\2", line)


def prose(text: str, limit: int = MAX_WORDS) -> str:
    """Return a sentence as `plain` does, but what it writes as code stays code."""
    parts: list[str] = []
    line, at = one_line(text, limit), 0
    for span in _SPAN.finditer(line):
        if span.start() == at and parts:
            parts.append(" ")  # two code spans that touch would be one
        elif span.start() > at:
            parts.append(_between(line[at : span.start()]))
        parts.append(code(span[2], limit))
        at = span.end()
    return "".join((*parts, _between(line[at:])))


def _between(words: str) -> str:
    """Words of a line, with the blanks around them."""
    lead = " " if words[:1] == " " else ""
    return f"{lead}{plain(words)}{' ' if words[-1:] == ' ' and words.strip() else ''}"


def code(text: str, limit: int = MAX_CODE) -> str:
    """Return ``text`` as a code span that nothing in it can end; "" for nothing to show."""
    line = one_line(text, limit)
    if not line:
        return ""
    ticks = "`" * _longer_than_runs(line)
    space = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return ``text`` as a code block that nothing in it can end."""
    body = visible(text).strip("\n")
    ticks = "`" * max(3, _longer_than_runs(body))
    return f"{ticks}{_NO_LANGUAGE.sub('', language)[:30]}\n{body}\n{ticks}"


def link(text: str, uri: str, line: int = 0) -> str:
    """Return a link to a file of this machine, at a 1-based line; only ``text`` where ``uri`` is anything else."""
    shown = code(text)
    if not shown or _FILE_URI.fullmatch(uri) is None:
        return shown
    # A code span in a link's text binds tighter than the bracket, so nothing in it ends the link.
    return f"[{shown}]({uri}{f'#L{line}' if line else ''})"


def strong(text: str) -> str:
    """Return words of our own, stressed."""
    return f"**{text}**"


def _longer_than_runs(text: str) -> int:
    return 1 + max(map(len, _BACKTICKS.findall(text)), default=0)
