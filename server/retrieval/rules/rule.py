"""What a rule is, what it looks at and what it can say. Values only."""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from ...kb.model import Kind
from ..analyze import AnalysedQuery
from ..query import Filters, Via
from ..query_words import FUNCTION_WORDS, KIND_WORDS

SHORT = 6
"""Words of a question up to which its last word can be a name whatever its shape."""
QueryClass = Literal["blank", "identifier", "path", "phrase", "relationship", "concept", "broad"]
Relation = Literal["member", "subtype", "kind", "caller", "user", "callee", "importer", "importee"]
"""What an `Ask` wants: members of a name, what inherits from it, definitions of it of some kind (structural); what
calls or uses it, what it calls, what imports it, what it imports (graph)."""


Aliases = Sequence[tuple[str, Sequence[str]]]
"""Paths of documents or folders, each with what the owner of the tree also calls it."""


class Question(msgspec.Struct, frozen=True):
    """All that a rule may look at."""

    analysed: AnalysedQuery
    filters: Filters
    aliases: Aliases = ()


class Alias(msgspec.Struct, frozen=True):
    """A path that the question calls by another name."""

    path: str
    name: str


class Ask(msgspec.Struct, frozen=True):
    """A request for a relation: ``relation`` to ``name``, restricted to ``kinds`` if there are any."""

    relation: Relation
    name: str
    kinds: tuple[Kind, ...] = ()


class Sight(msgspec.Struct, frozen=True):
    """What a rule saw: in words, and as what the strategies are to look up."""

    saw: str
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    asks: tuple[Ask, ...] = ()
    aliases: tuple[Alias, ...] = ()


NAME = r"[^\W\d][\w$]*(?:(?:::|\.|->|#)[^\W\d][\w$]*)*"
"""A name as people write it, with what qualifies it."""


def is_name(word: str, question: Question) -> bool:
    """Say whether a word of a sentence is meant as a name.

    It is shaped like code, begins with a capital, or the sentence ends with it ("what uses memory") and is short. Any
    other word is prose: "implementation of the retry logic" asks for no subtypes of "retry".
    """
    if word.lower() in FUNCTION_WORDS or word.lower() in KIND_WORDS:
        return False
    if word in question.analysed.identifiers or word[0].isupper():
        return True
    text = question.analysed.text.rstrip(" ?.!`'\"()")
    return text.endswith(word) and len(text.split()) <= SHORT


class Rule(msgspec.Struct, frozen=True):
    """One row of the table.

    ``look`` gives None when the rule does not apply. A rule that applies votes for its class with its confidence, and
    asks for its strategies. ``reason`` is a clause that ``saw`` completes.
    """

    id: str
    looks_at: str
    query_class: QueryClass
    confidence: float
    strategies: tuple[Via, ...]
    reason: str
    look: Callable[[Question], Sight | None]
