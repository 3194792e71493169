"""Source text in colour: the only user of the highlighting library, loaded only when something is painted.

What comes in was made visible before; what goes out is one painted string a line, to be written as it is. Painting
never decides what is shown: a language that the library does not know, or any trouble with it, gives the text without
colour.
"""

import re
from collections.abc import Iterable, Sequence
from io import StringIO

LEXERS = {"c_sharp": "csharp", "make": "makefile", "restructuredtext": "rst", "text": ""}
"""Languages whose highlighter has another name than their grammar."""
THEME = "ansi_dark"
MATCH_STYLE = "bold red"


def highlight(lines: Sequence[str], language: str, terms: Iterable[str]) -> list[str]:
    """Paint ``lines``, with the words of the query standing out."""
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.text import Text

    text = "\n".join(lines)
    lexer = LEXERS.get(language, language)
    painted = Syntax(text, lexer, theme=THEME, background_color="default").highlight(text) if lexer else Text(text)
    words = sorted({term for term in terms if len(term) > 1}, key=lambda term: (-len(term), term))
    if words:
        painted.highlight_regex(re.compile("|".join(map(re.escape, words)), re.IGNORECASE), MATCH_STYLE)
    console = Console(file=StringIO(), force_terminal=True, color_system="standard", width=10_000)
    rows = painted.split("\n", allow_blank=True)
    found = []
    for row in rows[: len(lines)]:
        row.rstrip()
        with console.capture() as captured:
            console.print(row, end="", soft_wrap=True)
        found.append(captured.get())
    # the library may drop blank lines at the end; every line keeps its number
    return found + list(lines[len(found) :])
