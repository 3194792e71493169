"""Source text in colour: the only user of the highlighting library, loaded only when something is painted.

What comes in was made visible before; what goes out is one painted string a line, to be written as it is. Painting
never decides what is shown: a language that the library does not know, or any trouble with it, gives the text without
colour.
"""

from collections.abc import Iterable, Sequence
from io import StringIO

LEXERS = {"c_sharp": "csharp", "make": "makefile", "restructuredtext": "rst"}
"""Languages whose highlighter has another name than their grammar."""
THEME = "ansi_dark"
MATCH_STYLE = "bold red"
Span = tuple[int, int]


def highlight(lines: Sequence[str], language: str, matches: Iterable[Span]) -> list[str]:
    """Paint ``lines``, with the matches standing out: offsets into the lines joined by line ends."""
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.syntax import Syntax

    text = "\n".join(lines)
    # a tab size of 0 leaves tabs alone
    syntax = Syntax(text, LEXERS.get(language, language), theme=THEME, background_color="default", tab_size=0)
    painted = syntax.highlight(text)
    for start, end in matches:
        painted.stylize(MATCH_STYLE, start, end)
    console = Console(file=StringIO(), force_terminal=True, color_system="standard")
    found = [
        "".join(
            part.style.render(part.text, color_system=ColorSystem.STANDARD) if part.style else part.text
            for part in row.render(console)
        )
        for row in painted.split("\n", allow_blank=True)[: len(lines)]
    ]
    # the library may drop blank lines at the end; every line keeps its number
    return found + list(lines[len(found) :])
