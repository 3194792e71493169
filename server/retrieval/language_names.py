"""What people call a language, as the names that documents carry."""

import difflib
from collections.abc import Iterable

from ..kb.errors import InvalidArgumentError
from ..kb.languages import LANGUAGES
from .excerpt import one_line
from .query_words import LANGUAGE_WORDS

SHOWN = 40
"""Characters of a mistyped name that are shown."""


def language_names(words: Iterable[str], *, said_by: str) -> tuple[str, ...]:
    """Turn names, extensions and everyday words into the names that documents carry; ``said_by`` is the argument.

    Raises:
        InvalidArgumentError: a word that is no language; names those that are near.
    """
    known: dict[str, tuple[str, ...]] = dict(LANGUAGE_WORDS)
    for language in LANGUAGES:
        for extension in language.extensions:
            known.setdefault(extension[1:], (language.name,))
        known[language.name] = (language.name,)
    found: list[str] = []
    for word in words:
        names = known.get(word.lower().lstrip("."))
        if names is None:
            near = difflib.get_close_matches(word[:SHOWN].lower(), known, 3)
            hint = f"did you mean {' or '.join(near)}?" if near else "name it as in python or .rs."
            raise InvalidArgumentError(
                f"{said_by} {one_line(word, SHOWN)} is not a language that is known; {hint}", argument="lang"
            )
        found.extend(names)
    return tuple(dict.fromkeys(found))
