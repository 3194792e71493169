r"""Text as its reader will see it: characters that are not seen, or that steer what is seen, are gone (pitfall SE05).

Controls, directions, zero widths, tags, private and unassigned code points, and letters that draw nothing. What is left
may still be markup; that is the business of whoever writes markup. Line ends are ``\n``.
"""

import re
import unicodedata

_KEPT = frozenset("\n\t")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANKS = frozenset("\u2800\u3164\u115f\u1160\uffa0\u034f")  # letters and marks that show nothing
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def visible(text: str) -> str:
    """Return ``text`` without what is not seen."""
    if text.isascii() and text.isprintable():
        return text
    text = _SELECTORS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(one for one in text if one in _KEPT or _is_seen(one))


def one_line(text: str, limit: int) -> str:
    """Return ``text`` as one line of at most ``limit`` characters, without what is not seen."""
    words = " ".join(visible(text[: limit * 4]).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _BLANKS
