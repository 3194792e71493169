"""Where words leave the program: standard output for what was asked, standard error for everything said about it.

Three promises, held here for every command. What the output's encoding cannot say is written as an escape and never
raises (``PYTHONIOENCODING=ascii``, a Windows code page, names of files that are not text). Control characters of
source text never reach a terminal: nothing read from a tree can move the cursor or hide a line. JSON is JSON in every
encoding.
"""

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

Piece = tuple[str, str]
"""A style (a key of ``STYLES``, or "") and text of one line."""
Line = tuple[Piece, ...]

STYLES: dict[str, str] = {
    "path": "35",
    "heading": "1",
    "number": "32",
    "dim": "2",
    "good": "32",
    "warn": "33",
    "bad": "31;1",
    "raw": "",  # already painted and made visible
}
"""What each style is on a terminal; the colours are those of ripgrep, so that they mean what people are used to."""

# C0 but tab, DEL, C1, line and paragraph separators, bidirectional overrides and isolates, the byte order mark
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_JSON_UNSAFE = re.compile("[\ud800-\udfff\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    r"""Return ``text`` with every character that could act on a terminal written as an escape, as in ``\x1b``."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def _json(value: Any, encoding: str, indent: int | None) -> str:
    r"""Return a JSON document whose bytes are UTF-8: another encoding of the output gets ASCII and ``\u20ac`` only."""
    utf8 = encoding.lower().replace("-", "").replace("_", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=indent, default=str)
    return _JSON_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class OutputError(Exception):
    """Standard output cannot be written; the cause is the system's error."""


class Output:
    """Both streams of one command."""

    def __init__(self, *, as_json: bool = False, color: str = "auto") -> None:
        self.as_json = as_json
        self.color = _paints(sys.stdout, color)
        self._color_notes = _paints(sys.stderr, color)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")

    def lines(self, lines: Iterable[Line]) -> None:
        """Write lines of the answer to standard output.

        Raises:
            BrokenPipeError: whoever reads has seen enough.
            OutputError: it cannot be written.
        """
        _write("".join(f"{paint(line, color=self.color)}\n" for line in lines))

    def notes(self, lines: Iterable[Line]) -> None:
        """Write lines about the answer to standard error; they never mix with what a pipe carries on.

        Where they cannot be written, the answer and the exit status say enough.
        """
        if sys.stderr is None:
            return
        try:
            sys.stderr.write("".join(f"{paint(line, color=self._color_notes)}\n" for line in lines))
            sys.stderr.flush()
        except OSError:
            let_go(sys.stderr)

    def data(self, value: Any) -> None:
        """Write plain data (of ``to_wire``) as one JSON document: a line, or indented on a terminal.

        Raises as `lines` does.
        """
        if sys.stdout is None:
            return
        indent = 2 if sys.stdout.isatty() else None
        _write(_json(value, sys.stdout.encoding or "", indent) + "\n")


def _write(text: str) -> None:
    """Write all of a text to standard output now, so that a failure is one of the output and of nothing else.

    Raises:
        BrokenPipeError: whoever reads has seen enough.
        OutputError: it cannot be written.
    """
    if sys.stdout is None:
        return
    try:
        if text:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        let_go(sys.stdout)
        raise OutputError(error) from error


def flush() -> None:
    """Write what others left in the buffer of standard output; raises as `Output.lines` does."""
    _write("")


def let_go(stream: TextIO | None) -> None:
    """Point a stream's descriptor nowhere, so that what is left in its buffer can be thrown away in peace."""
    if stream is None:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def paint(line: Line, *, color: bool) -> str:
    """Return one line as a terminal shows it, every piece made visible before it is painted."""
    return "".join(_painted(style, text, color) for style, text in line)


def _painted(style: str, text: str, color: bool) -> str:
    if style == "raw":
        return text
    code = STYLES[style] if style and color else ""
    return f"\x1b[{code}m{visible(text)}\x1b[0m" if code else visible(text)


def _paints(stream: TextIO | None, color: str) -> bool:
    if color != "auto":
        return color == "always"
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()
