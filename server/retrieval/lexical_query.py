"""What the keyword index is asked, as tantivy's objects; with `lexical`, the only place that knows it.

Query objects are built, never parsed from text, so that no character of a question is an operator (pitfall QU02).
"""

from collections.abc import Iterable, Iterator, Sequence

import tantivy

from ..kb.model import DocumentId
from .analyze import Phrase, Term
from .lexical_request import ABOUT_FIELD, PHRASE_BOOST, PHRASE_FIELD, TEXT_FIELDS, LexicalRequest

Query, Occur = tantivy.Query, tantivy.Occur


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("document", indexed=True, fast=True)
    builder.add_unsigned_field("ordinal", fast=True)
    for field in TEXT_FIELDS:
        option = "position" if field == PHRASE_FIELD else "freq"
        builder.add_text_field(field, tokenizer_name="spaced", index_option=option)
    builder.add_text_field(ABOUT_FIELD, tokenizer_name="spaced", index_option="basic")
    for field in ("language", "kind", "source_type", "defined", "defined_folded", "marker"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("head", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


SCHEMA = _schema()


def build_query(request: LexicalRequest) -> tantivy.Query | None:
    """The request as tantivy's objects; None when nothing could match."""
    if request.is_blank:
        return None
    evidence = [(Occur.Should, query) for query in _scored(request.terms, request)]
    evidence += [(Occur.Should, Query.boost_query(_phrase(phrase), PHRASE_BOOST)) for phrase in request.phrases]
    clauses = [(Occur.Must, Query.boolean_query(evidence))]
    clauses += [(Occur.Should, query) for query in _scored(request.support, request)]
    for phrase in request.excluded:
        clauses += [(Occur.MustNot, query) for query in _holding(phrase)]
    for query in _filters(request):
        if query is None:
            return None
        clauses.append((Occur.Must, Query.const_score_query(query, 0.0)))
    if request.masked:
        clauses.append((Occur.MustNot, documents_query(request.masked)))
    return clauses[0][1] if len(clauses) == 1 else Query.boolean_query(clauses)


def holding_query(term: str, filters: LexicalRequest) -> tantivy.Query:
    """Entries whose body holds a term and that pass the filters of a request, unscored."""
    wanted = [term_query(PHRASE_FIELD, term), *(query for query in _filters(filters) if query is not None)]
    clauses = [(Occur.Must, Query.const_score_query(query, 0.0)) for query in wanted]
    if filters.masked:
        clauses.append((Occur.MustNot, documents_query(filters.masked)))
    return Query.boolean_query(clauses)


def _filters(request: LexicalRequest) -> Iterator[tantivy.Query | None]:
    for field, values in (
        ("language", request.languages),
        ("kind", request.kinds),
        ("source_type", request.source_types),
        ("defined", request.defining),
    ):
        if values:
            yield any_of(field, values)
    if request.documents is not None:
        documents = request.documents - request.masked
        yield documents_query(documents) if documents else None


def _scored(terms: Iterable[Term], request: LexicalRequest) -> Iterator[tantivy.Query]:
    for term in terms:
        for field in TEXT_FIELDS:
            boost = request.boosts.get(field, 0.0) * term.weight * request.scales.get((field, term.text), 1.0)
            if boost > 0.0:
                yield Query.boost_query(term_query(field, term.text), boost)


def _phrase(phrase: Phrase) -> tantivy.Query:
    if len(phrase.terms) == 1:
        return term_query(PHRASE_FIELD, phrase.terms[0])
    return Query.phrase_query(SCHEMA, PHRASE_FIELD, list(phrase.terms))


def _holding(phrase: Phrase) -> list[tantivy.Query]:
    """What entries that an exclusion drops look like: a word in any field, several words in sequence in the body."""
    if len(phrase.terms) == 1:
        return [term_query(field, phrase.terms[0]) for field in TEXT_FIELDS]
    return [_phrase(phrase)]


def documents_query(documents: Iterable[DocumentId]) -> tantivy.Query:
    """Entries of these documents."""
    return Query.term_set_query(SCHEMA, "document", sorted(documents))


def any_of(field: str, values: Sequence[str]) -> tantivy.Query | None:
    """Entries that hold one of the values; None for no value."""
    return Query.term_set_query(SCHEMA, field, list(dict.fromkeys(values))) if values else None


def term_query(field: str, text: str) -> tantivy.Query:
    """Entries that hold a term, scored by how often."""
    return Query.term_query(SCHEMA, field, text, "freq")
