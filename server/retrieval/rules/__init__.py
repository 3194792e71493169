"""The rules by which a question becomes a plan (row P1): a table of small frozen values, in the order they are tried.

A rule looks at a question and says what it saw; it decides nothing alone. Adding one is a row in the module it belongs
to and a line in the test that walks the table.
"""

from .concepts import Concepts, no_concepts
from .names import NAME_RULES
from .relations import RELATION_RULES
from .rule import Alias, Aliases, Ask, QueryClass, Question, Relation, Rule, Sight
from .shape import SHAPE_RULES

__all__ = [
    "RULES",
    "Alias",
    "Aliases",
    "Ask",
    "Concepts",
    "QueryClass",
    "Question",
    "Relation",
    "Rule",
    "Sight",
    "no_concepts",
]

RULES: tuple[Rule, ...] = (*NAME_RULES, *RELATION_RULES, *SHAPE_RULES)
"""All rules. Of equally confident ones the first wins."""
