"""Filters that a person types in a question: ``lang:c path:src/** kind:function corpus:NAME where is it parsed``. Pure.

Only for what somebody typed as a question: a selection or a name is text of a tree, which restricts nothing, and a
program has parameters. A word that begins as a filter and is meant as a word stands in quotes, as every passage that is
looked for as it is. Names of filters are those of the command line's options.
"""

import difflib
import re
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.model import Kind, SourceType
from .excerpt import one_line

T = TypeVar("T", Kind, SourceType)

FILTERS = ("lang", "path", "kind", "type", "corpus", "with", "without")
"""What can be typed before a colon; several of one are alternatives, and so are words between commas."""
EVERY_CORPUS = "all"
SHOWN = 40
"""Characters of a mistyped filter that are shown."""
_WORD = re.compile(rf'(?:(?P<name>{"|".join(FILTERS)}):(?P<value>"[^"]+"|[^\s"]+)(?!\S))|"[^"]*"?|[^\s"]+|\s+')
_COMMA_IS_TEXT = "path"  # a comma may be in the name of a file, or between the braces of a glob


class Typed(msgspec.Struct, frozen=True):
    """A question without its filters, and those; empty ones restrict nothing."""

    text: str
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    types: tuple[SourceType, ...] = ()
    corpora: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()  # corpora that are asked too
    without: tuple[str, ...] = ()  # those that are not

    @property
    def everywhere(self) -> bool:
        """Whether every corpus was named."""
        return EVERY_CORPUS in self.corpora


def read_typed(question: str) -> Typed:
    """Take the filters out of a question.

    Raises:
        InvalidArgumentError: a filter names no kind or type that there is, or nothing is asked beside filters.
    """
    found: dict[str, list[str]] = {name: [] for name in FILTERS}
    words = []
    for match in _WORD.finditer(question):
        name = match["name"]
        begins = match.start() == 0 or question[match.start() - 1].isspace()
        if name is None or not begins:
            words.append(match[0])
            continue
        value = match["value"].strip('"')
        found[name] += [value] if name == _COMMA_IS_TEXT else filter(None, value.split(","))
    text = " ".join("".join(words).split()) if any(found.values()) else question
    if not text.strip() and any(found.values()):
        raise InvalidArgumentError(
            "Only filters are typed; add words to look for, or put in quotes what is meant as a word.", argument="query"
        )
    return Typed(
        text,
        languages=_once(found["lang"]),
        paths=_once(found["path"]),
        kinds=tuple(_one(Kind, value, "kind") for value in _once(found["kind"])),
        types=tuple(_one(SourceType, value, "type") for value in _once(found["type"])),
        corpora=_once(found["corpus"]),
        attach=_once(found["with"]),
        without=_once(found["without"]),
    )


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _one(choices: type[T], value: str, name: str) -> T:
    """The member of that value."""
    known = {member.value: member for member in choices}
    if value in known:
        return known[value]
    near = difflib.get_close_matches(value[:SHOWN], known, 3, 0.5) or list(known)
    raise InvalidArgumentError(
        f"{name}:{one_line(value, SHOWN)} is no {name} that there is; use {' or '.join(near)}, or put it in quotes.",
        argument=name,
    )
