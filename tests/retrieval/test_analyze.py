"""What text and questions become before anything is looked up."""

import itertools
import re

import pytest
from gazetteer.kb.model import Chunk, Derived, Kind, Symbol
from gazetteer.retrieval import query_words, terms
from gazetteer.retrieval.analyze import (
    CHANGE_WEIGHT,
    FUNCTION_WEIGHT,
    MAX_TERMS,
    PART_WEIGHT,
    analyse,
    identifier_parts,
)
from gazetteer.retrieval.query import MAX_QUERY_CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

SPECIAL = "\"'-:()[]{}*^~+\\/|&! "


def content(query: str) -> dict[str, float]:
    return {term.text: term.weight for term in analyse(query).terms}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTPServer2", "httpserver2 http server 2"),
        ("getUserName", "getusernam get user name"),
        ("get_user_name", "getusernam get user name"),
        ("GET_USER_NAME", "getusernam get user name"),
        ("GETUSERNAME", "getusernam"),
        ("max-files", "max file"),
        ("std::vector<int>", "std vector int"),
        ("self->field", "self field"),
        ("__init__", "init"),
        ("URLs", "url"),
        ("parseURLs", "parseurl par url"),
        ("utf8", "utf8 utf 8"),
        ("0x1F 10ms", "0x1f 10ms"),
        ("größeÄndern", "größeändern größe ändern"),
        ("запрос", "запрос"),
        ("データ", "データ"),
        ("_ __ ---", ""),
        ("", ""),
    ],
)
def test_words_are_kept_whole_and_split(text: str, expected: str) -> None:
    assert terms.terms(text) == expected.split()
    assert terms.index_text(text).split() == expected.split()


@pytest.mark.parametrize(
    "forms", ["request requests requested requesting", "cache caches cached caching", "index indexes"]
)
def test_forms_of_a_word_meet(forms: str) -> None:
    assert len(set(terms.terms(forms))) == 1
    assert len(set(terms.terms(" ".join(f"get_{form}_now" for form in forms.split()))) - {"get", "now"}) > 1


@pytest.mark.parametrize(
    ("question", "places", "counts"),
    [
        ("net/tcp: keep the port", ("net", "tcp"), {"net": 1.0, "tcp": 1.0, "keep": 1.0, "port": 1.0}),
        ("fix(autotag): keep the port", ("autotag",), {"autotag": 1.0, "keep": 1.0, "port": 1.0}),
        ("[wayland] keep the port", ("wayland",), {"wayland": 1.0, "keep": 1.0, "port": 1.0}),
        ("net: fix the port", ("net",), {"net": 1.0, "fix": CHANGE_WEIGHT, "port": 1.0}),
        ("Fixed the unused port", (), {"fix": CHANGE_WEIGHT, "unus": CHANGE_WEIGHT, "port": 1.0}),
        ("how is a fix found", (), {"fix": 1.0, "found": 1.0}),
        ("std::vector of ports", (), {"std": 1.0, "vector": 1.0, "port": 1.0}),
        ("FixPort and supportFix", (), {"fixport": 1.0, "fix": PART_WEIGHT, "port": PART_WEIGHT}),
    ],
)
def test_a_question_that_says_what_is_to_be_done(
    question: str, places: tuple[str, ...], counts: dict[str, float]
) -> None:
    """Words of change are weak evidence then, and what stands before a colon is the place; an identifier is neither."""
    assert analyse(question).places == places
    assert counts.items() <= content(question).items()


@pytest.mark.parametrize("question", ["fix: fix", "docs: docs", "Fix"])
def test_a_question_of_nothing_but_change_is_still_asked(question: str) -> None:
    assert content(question)


def test_function_words_are_told_by_their_stem() -> None:
    query = analyse("where does this happen during everything")
    assert {term.text for term in query.support} >= set(terms.terms("where does this during"))


def test_a_composed_and_a_decomposed_letter_are_one() -> None:
    assert terms.terms("cafe\u0301") == terms.terms("caf\u00e9") == ["café"]


def test_an_overlong_word_is_cut_and_not_split() -> None:
    assert terms.terms("aB" * 5_000) == ["ab" * (terms.MAX_WORD // 2)]


@given(st.text())
def test_terms_are_words_that_a_whitespace_tokenizer_gives_back(text: str) -> None:
    for term in terms.terms(text):
        assert re.fullmatch(r"[^\s]+", term)
        assert term == term.lower()
        term.encode()


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_fast_path_for_ascii_gives_what_the_other_path_gives(text: str) -> None:
    assert terms.words(text) == re.findall(r"\w+", text, re.ASCII)


@given(st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True), min_size=1, max_size=4))
def test_a_dotted_name_is_found_by_its_parts(names: list[str]) -> None:
    """QU07: index and query cut a dotted term alike."""
    together = terms.terms(".".join(names))
    assert together == [term for name in names for term in terms.terms(name)]
    assert {term.text for term in analyse(".".join(names)).all_terms} == set(together)


def test_the_fields_of_a_chunk_hold_what_is_defined_in_it() -> None:
    text = "class HttpServer:\n    port = 1\n\ndef runServer(): pass\n"
    middle = text.index("def")
    derived = Derived(
        "python",
        "",
        4,
        (
            Chunk(0, middle, 1, 3, Kind.CLASS, "HttpServer", ("net", "HttpServer")),
            Chunk(middle, len(text), 4, 4, Kind.FUNCTION, "runServer", ("net", "runServer")),
        ),
        (
            Symbol("HttpServer", Kind.CLASS, -1, 0, middle, 6, 1, 3),
            Symbol("port", Kind.FIELD, 0, 22, 30, 22, 2, 2),
            Symbol("runServer", Kind.FUNCTION, -1, middle, len(text), middle + 4, 4, 4),
        ),
    )
    first, second = terms.chunk_fields(text, derived)
    assert first.defined == ("HttpServer", "port")
    assert first.names == terms.index_text("HttpServer port")
    assert first.trail == terms.index_text("net HttpServer")
    assert second.defined == ("runServer",)
    assert second.body == terms.index_text("def runServer pass")
    assert terms.unpack_fields(terms.prepare("a.py", text, derived)) == [first, second]  # type: ignore[arg-type]


def test_every_string_of_three_special_characters_is_a_query() -> None:
    """QU03: half-quoted input and dashes are never an error, and mean nothing."""
    for size in range(4):
        for letters in itertools.product(SPECIAL, repeat=size):
            assert analyse("".join(letters)).is_blank


@given(st.text(max_size=80))
def test_any_string_is_a_query(text: str) -> None:
    query = analyse(text)
    assert query.raw == text
    assert len({term.text for term in query.all_terms}) == len(query.all_terms)


@pytest.mark.parametrize("query", ["std::vec", "body:foo", "f:x", "foo AND bar", "NEAR(a, 2)", "foo*", "^foo"])
def test_operators_of_search_engines_are_text(query: str) -> None:
    """QU02: a colon, a star or AND asks for nothing but words."""
    analysed = analyse(query)
    assert {term.text for term in analysed.all_terms} == set(terms.terms(query))
    assert not analysed.phrases
    assert not analysed.excluded


def test_a_quoted_phrase_is_kept_whole() -> None:
    query = analyse('error "No such file" handling')
    assert [phrase.terms for phrase in query.phrases] == [("no", "such", "file")]
    assert content('error "No such file" handling') == {"error": 1.0, "handl": 1.0}
    assert {term.text for term in query.support} == {"no", "such", "file"}


def test_an_odd_quote_is_no_phrase() -> None:
    assert not analyse('say "hello').phrases
    assert content('say "hello') == {"say": 1.0, "hello": 1.0}


def test_exclusions_are_words_behind_a_dash() -> None:
    query = analyse('parser -test -"old style" --flag x-ray -v 3 - 4')
    assert [phrase.terms for phrase in query.excluded] == [("old", "styl"), ("test",)]
    assert list(content("parser -test --flag x-ray -v")) == ["parser", "flag", "x", "ray", "v"]


def test_exclusions_alone_are_searched_for() -> None:
    query = analyse("-Wall")
    assert [term.text for term in query.terms] == ["wall"]
    assert not query.excluded
    assert query.notices


def test_a_query_without_a_word_says_so() -> None:
    for text in ("!!!", " ", '""', "((("):
        assert analyse(text).is_blank
        assert "no word" in analyse(text).notices[0]
    assert analyse("C++").notices == ()
    assert analyse("").notices == (), "what is asked by a place has no text"


def test_not_and_no_are_content() -> None:
    assert list(content("files not in the index, no cache")) == ["file", "not", "index", "no", "cach"]


def test_function_words_are_evidence_only_when_there_is_nothing_else() -> None:
    query = analyse("how is the cache used")
    assert [term.text for term in query.terms] == ["cach"]
    assert {term.text: term.weight for term in query.support} == dict.fromkeys(
        ("how", "is", "the", "used"), FUNCTION_WEIGHT
    )
    assert content("what is this") == {"what": 1.0, "is": 1.0, "this": 1.0}


def test_parts_of_an_identifier_count_less_than_the_whole() -> None:
    assert content("getUserName user") == {"getusernam": 1.0, "get": PART_WEIGHT, "user": 1.0, "name": PART_WEIGHT}


def test_identifiers_and_paths_are_told_by_their_shape() -> None:
    query = analyse("where does os.path.join meet getUserName, __init__ and MAX_SIZE in src/net/http.py or setup.cfg?")
    assert query.identifiers == ("os.path.join", "getUserName", "__init__", "MAX_SIZE", "setup.cfg")
    assert query.paths == ("os.path.join", "src/net/http.py", "setup.cfg")
    assert identifier_parts("std::vec->push.back") == ("std", "vec", "push", "back")


@pytest.mark.parametrize(
    ("query", "languages"),
    [
        ("sort a list in go", ("go",)),
        ("go to the next page", ()),
        ("rust trait for errors", ("rust",)),
        ("Python decorators", ("python",)),
        ("c++ templates", ("cpp",)),
        ("parse json", ()),
        ("in C#", ("c_sharp",)),
        ("src/python/x.py", ()),
    ],
)
def test_languages_are_asked_for_in_words(query: str, languages: tuple[str, ...]) -> None:
    assert analyse(query).languages == languages


def test_kinds_and_tests_are_asked_for_in_words() -> None:
    query = analyse("the class with tests")
    assert query.kinds[0] is Kind.CLASS
    assert query.wants_tests
    assert not query.wants_docs


def test_an_overlong_query_is_bounded_with_a_notice() -> None:
    query = analyse(" ".join(f"word{number}" for number in range(10_000)))
    assert len(query.text) == MAX_QUERY_CHARACTERS
    assert len(query.all_terms) == MAX_TERMS
    assert len(query.notices) == 2


def test_words_of_the_tables_can_be_met() -> None:
    """A word that the tokenizer never gives would be dead weight in a table."""
    for table in (query_words.FUNCTION_WORDS, query_words.KIND_WORDS, query_words.TEST_WORDS):
        for word in table:
            assert len(terms.terms(word)) == 1
    assert {"not", "no"}.isdisjoint(query_words.FUNCTION_WORDS)
