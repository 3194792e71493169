"""What the keyword index is asked, as tantivy's objects; with `lexical`, the only place that knows it.

Query objects are built, never parsed from text, so that no character of a question is an operator (pitfall QU02).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import tantivy

from ..kb.model import DocumentId
from .analyze import Phrase, Term
from .lexical_request import ABOUT_FIELD, PHRASE_BOOST, PHRASE_FIELD, TEXT_FIELDS, LexicalRequest

Query, Occur = tantivy.Query, tantivy.Occur
Holding = Callable[[str, str], tantivy.Query | None]
"""(field, term) -> the entries that hold it, scored by how often; None when there are none."""
FEW = 200
"""Values of a field up to which looking each up is cheaper than walking along all values that the field has."""


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


def build_query(request: LexicalRequest, holding: Holding) -> tantivy.Query | None:
    """The request as tantivy's objects; None when nothing could match."""
    if request.is_blank:
        return None
    evidence = [(Occur.Should, query) for query in _scored(request.terms, request, holding)]
    evidence += [(Occur.Should, Query.boost_query(_phrase(phrase), PHRASE_BOOST)) for phrase in request.phrases]
    if not evidence:
        return None
    clauses = [(Occur.Must, Query.boolean_query(evidence))]
    clauses += [(Occur.Should, query) for query in _scored(request.support, request, holding)]
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


def _scored(terms: Iterable[Term], request: LexicalRequest, holding: Holding) -> Iterator[tantivy.Query]:
    fields = [(field, boost) for field in TEXT_FIELDS if (boost := request.boosts.get(field, 0.0)) > 0.0]
    for term in terms:
        for field, usual in fields:
            boost = usual * term.weight * request.scales.get((field, term.text), 1.0)
            query = holding(field, term.text)
            if boost > 0.0 and query is not None:
                yield Query.boost_query(query, boost)


def _phrase(phrase: Phrase) -> tantivy.Query:
    if len(phrase.terms) == 1:
        return term_query(PHRASE_FIELD, phrase.terms[0])
    return Query.phrase_query(SCHEMA, PHRASE_FIELD, list(phrase.terms))


def _holding(phrase: Phrase) -> list[tantivy.Query]:
    """What entries that an exclusion drops look like: a word in any field, several words in sequence in the body."""
    if len(phrase.terms) == 1:
        return [term_query(field, phrase.terms[0]) for field in TEXT_FIELDS]
    return [_phrase(phrase)]


def told_query(told: Iterable[tuple[tantivy.Query, float]]) -> tantivy.Query | None:
    """Entries that are in any of the queries, scored by the sum of what those are worth; None for no query."""
    clauses = [(Occur.Should, Query.const_score_query(query, worth)) for query, worth in told]
    return Query.boolean_query([(Occur.Must, Query.boolean_query(clauses))]) if clauses else None


def among(
    query: tantivy.Query, documents: Collection[DocumentId] | None, masked: Collection[DocumentId] = ()
) -> tantivy.Query:
    """What of a query is of these documents (all for None), and of none of the masked ones; scored as before."""
    if documents is not None:
        query = query.and_must_match(Query.const_score_query(documents_query(documents), 0.0))
    return query.and_must_not_match(documents_query(masked)) if masked else query


def documents_query(documents: Iterable[DocumentId]) -> tantivy.Query:
    """Entries of these documents; all score alike."""
    return _one_of("document", sorted(documents))


def any_of(field: str, values: Sequence[str]) -> tantivy.Query | None:
    """Entries that hold one of the values, all with the same score; None for no value."""
    return _one_of(field, list(dict.fromkeys(values))) if values else None


def _one_of(field: str, values: Collection[str] | Collection[DocumentId]) -> tantivy.Query:
    if len(values) > FEW:
        return Query.term_set_query(SCHEMA, field, list(values))
    clauses = [(Occur.Should, Query.term_query(SCHEMA, field, value, "basic")) for value in values]
    return Query.const_score_query(Query.boolean_query(clauses), 1.0)


def term_query(field: str, text: str) -> tantivy.Query:
    """Entries that hold a term, scored by how often."""
    return Query.term_query(SCHEMA, field, text, "freq")
