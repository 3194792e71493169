"""A citation of what a name means, as a comment of the language that it stands in (row L4).

The document's own tree comes first; what that does not define is looked for in the corpora beside, and cited as a hit
of theirs is.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.errors import NotFoundError
from .across import defined_in, is_defined, name_used
from .jumps import stopping
from .looking import Look

if TYPE_CHECKING:
    from ..app import Session
    from ..context.meaning import Meanings, Named

_OPENERS: tuple[tuple[str, str], ...] = (
    ("//", ""), ("#", ""), ("--", ""), (";", ""), ("%", ""), ('"', ""), ("/*", " */"), ("<!--", " -->"),
)  # fmt: skip
"""What begins and what ends a comment, those that end with their line first."""
_NO_COMMENTS = frozenset({"json"})


def comment_for(language: str) -> Callable[[str], str] | None:
    """Return what makes a comment of a line in a language; None where there is none."""
    from ..kb.languages import BY_NAME, TEXT

    marks = BY_NAME.get(language, TEXT).comments
    opener = next((one for one in _OPENERS if one[0] in marks), None)
    if opener is None or language in _NO_COMMENTS:
        return None
    start, end = opener

    def made(text: str) -> str:
        inside = text.replace("*/", "* /").replace("-->", "-- >").replace("--!>", "-- !>") if end else text
        return f"{start} {inside}{end}"

    return made


def citation(seen: Look, position: types.Position, beside: "Sequence[Session]", cancel: Cancel) -> tuple[int, str]:
    """Return the line to insert at, and the line that cites the definition of the name at a position.

    It is looked for in the corpora beside where the document's own tree defines nothing of the name.

    Raises:
        NotFoundError: nothing defines it, or its document has changed since.
    """
    from ..retrieval.evidence import citation_of

    comment, offset = comment_for(seen.document.language), seen.offset(position)
    cited = None
    if comment is not None:
        cited = _cited(seen, offset, cancel) or _cited_across(seen, offset, beside, cancel)
    if cited is None or comment is None:
        raise NotFoundError("Nothing in the index defines this name now; run `gazetteer sync` and ask again.")
    start = seen.lines.start_of(position.line + 1)
    line = seen.text[start : seen.lines.end_of(position.line + 1)]
    indent = line[: len(line) - len(line.lstrip())]
    return position.line, f"{indent}{comment(f'see {citation_of(*cited)}')}\n"


def _cited(seen: Look, offset: int, cancel: Cancel) -> tuple[str, int] | None:
    """The label and the line of what is pointed at."""
    from ..context.meaning import Imported, Meanings, Named, Written
    from ..retrieval.evidence import label_of

    meanings = Meanings(seen.glance, stopping(cancel))
    meaning = meanings.at(seen.document, offset)
    path, line = None, 1
    if isinstance(meaning, Named) and meaning.best is not None:
        return _defined(seen, meanings, meaning)
    if isinstance(meaning, Imported) and meaning.paths:
        path = meaning.paths[0]
    elif isinstance(meaning, Written):
        path, line = meaning.document.path, meaning.said.line or 1
    if path is None or seen.at_line(path, line) is None:
        return None
    return label_of(seen.glance.origin.path(path), ""), line


def _cited_across(seen: Look, offset: int, beside: "Sequence[Session]", cancel: Cancel) -> tuple[str, int] | None:
    """The same, of the first corpus beside that defines it."""
    name = name_used(seen, offset)
    if name is None or is_defined(seen, name, cancel):
        return None
    found = (_defined(there, meanings, named) for there, meanings, named in defined_in(beside, name, seen, cancel))
    return next(filter(None, found), None)


def _defined(seen: Look, meanings: "Meanings", named: "Named") -> tuple[str, int] | None:
    """The label and the line of the best definition of a name; None where its document has changed since."""
    from ..retrieval.evidence import label_of

    best = named.best
    if best is None:
        return None
    path, line = best.document.path, meanings.line_of(best)
    if seen.at_line(path, line) is None:
        return None
    heading = ".".join(filter(None, (meanings.container(best), named.name.text)))
    return label_of(seen.glance.origin.path(path), heading), line
