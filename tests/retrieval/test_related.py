"""What resembles a passage is asked for by the words that are rare elsewhere and frequent here."""

from gazetteer.kb.derive import derive_text
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.related import MAX_TERMS, names_in, related_request
from gazetteer.retrieval.terms import terms
from hypothesis import given
from hypothesis import strategies as st

TEXT = """def parse_header(line):
    name, value = split_once(line)
    checksum = crc32(value)
    checksum = verify(checksum)
    return name, value, checksum
"""
COUNTS = {"name": 900, "value": 800, "line": 300, "return": 950, "checksum": 4, "crc32": 30, "split_once": 2}


def term(word: str) -> str:
    """A word as the index spells it."""
    return terms(word)[0]


FREQUENCY = {term(word): count for word, count in COUNTS.items()}


def frequency(one: str) -> int:
    return FREQUENCY.get(one, 10)


def test_rare_and_repeated_terms_lead_and_common_ones_are_left_out() -> None:
    derived = derive_text(DocumentPath("a.py"), TEXT)[1]
    found = related_request(TEXT, derived.chunks[0], derived, frequency, 1_000)
    asked = [one.text for one in found.terms]
    assert asked[0] == term("checksum")
    assert set(map(term, ("name", "value", "return", "line"))).isdisjoint(asked)
    assert asked.index(term("split_once")) < asked.index(term("crc32"))
    assert names_in(derived.chunks[0], derived) == (("parse_header",), ("split_once", "crc32", "verify"))


def test_names_count_more_than_words() -> None:
    derived = derive_text(DocumentPath("a.py"), TEXT)[1]
    weights = {t.text: t.weight for t in related_request(TEXT, derived.chunks[0], derived, lambda _: 10, 1_000).terms}
    assert weights[term("parse_header")] > weights[term("header")]


def test_a_small_corpus_has_no_common_terms() -> None:
    derived = derive_text(DocumentPath("a.py"), TEXT)[1]
    assert related_request(TEXT, derived.chunks[0], derived, lambda _: 3, 4).terms


@given(st.text(max_size=300), st.integers(0, 50), st.integers(0, 2_000))
def test_any_text_gives_bounded_weights_of_its_own_terms(text: str, known: int, chunks: int) -> None:
    derived = derive_text(DocumentPath("a.txt"), text)[1]
    for chunk in derived.chunks:
        found = related_request(text, chunk, derived, lambda _: known, chunks)
        assert len(found.terms) <= MAX_TERMS
        assert {one.text for one in found.terms} <= set(terms(text))
        assert all(0.0 < one.weight <= 1.0 for one in found.terms)
        assert found == related_request(text, chunk, derived, lambda _: known, chunks)


def test_names_are_those_of_the_passage_alone() -> None:
    text = TEXT + "\n\n" + TEXT.replace("parse_header", "parse_footer").replace("crc32", "crc64")
    derived = derive_text(DocumentPath("a.py"), text)[1]
    defines, uses = names_in(derived.chunks[-1], derived)
    assert defines == ("parse_footer",)
    assert "crc64" in uses
    assert "crc32" not in uses
