"""Rules for the shape of a question as a whole: quoted, in sentences, or about everything."""

import re

from .rule import Question, Rule, Sight

FEW_WORDS = 2
"""Content words up to which a query without code in it is broad."""
_OVERVIEW = re.compile(
    r"(?i)\b(?:overview|architecture|big picture|getting started|how (?:does|is) (?:this|the) "
    r"(?:project|code\w*|repo\w*)|what (?:is|does) this (?:project|code\w*|repo\w*)"
    r"|where (?:do|should) i start|project structure|entry points?)\b"
)


def _phrase(question: Question) -> Sight | None:
    phrases = [phrase.text for phrase in question.analysed.phrases]
    return Sight(", ".join(phrases)) if phrases else None


def _overview(question: Question) -> Sight | None:
    match = _OVERVIEW.search(question.analysed.text)
    return Sight(match[0]) if match else None


def _words(question: Question) -> tuple[str, ...]:
    """Content words, parts of identifiers left out."""
    return tuple(term.text for term in question.analysed.terms if term.weight >= 1.0)


def _concept(question: Question) -> Sight | None:
    found = _words(question)
    return Sight(f"{len(found)} content words") if len(found) > FEW_WORDS else None


def _broad(question: Question) -> Sight | None:
    found = _words(question)
    return Sight(" ".join(found)) if 0 < len(found) <= FEW_WORDS else None


SHAPE_RULES: tuple[Rule, ...] = (
    Rule(
        id="phrase.quoted",
        looks_at="quotation marks",
        query_class="phrase",
        confidence=0.75,
        strategies=("lexical",),
        reason="the query quotes a passage",
        look=_phrase,
    ),
    Rule(
        id="broad.overview",
        looks_at="words",
        query_class="broad",
        confidence=0.7,
        strategies=("lexical", "semantic"),
        reason="the query asks for an overview",
        look=_overview,
    ),
    Rule(
        id="concept.words",
        looks_at="number of content words",
        query_class="concept",
        confidence=0.5,
        strategies=("lexical", "semantic"),
        reason="the query describes something in words",
        look=_concept,
    ),
    Rule(
        id="broad.few_words",
        looks_at="number of content words",
        query_class="broad",
        confidence=0.4,
        strategies=("lexical", "semantic"),
        reason="the query is a word or two",
        look=_broad,
    ),
)
