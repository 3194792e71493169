"""One bad grammar, query or text costs itself and a problem; what leaves the parser are plain tuples."""

import sys
import types

import msgspec
import pytest
import tree_sitter
from gazetteer.kb import languages, parse
from gazetteer.kb.extract import derive
from gazetteer.kb.languages import LANGUAGES
from gazetteer.kb.model import Problem
from gazetteer.kb.parse import Parsed, captures

STRUCTURED = [row.name for row in LANGUAGES if languages.query_source(row.name)]


def run(text: str, language: str = "python") -> Parsed:
    return captures(text, language, longest_line=0, deadline_s=30)


@pytest.fixture
def _fresh_grammars() -> object:
    parse.load.cache_clear()
    yield
    parse.load.cache_clear()


@pytest.mark.parametrize("language", STRUCTURED)
def test_every_shipped_query_belongs_to_its_installed_grammar(language: str) -> None:
    """TS04: a grammar and a query that do not fit are found here, not by a user."""
    assert not isinstance(parse.load(language), Problem)


@pytest.mark.parametrize("language", STRUCTURED)
def test_queries_use_only_predicates_that_are_safe(language: str) -> None:
    """TS02: predicates stand on captures that their pattern has, and the library knows them."""
    loaded = parse.load(language)
    assert isinstance(loaded, parse.Grammar)
    known = {"#eq?", "#not-eq?", "#any-of?", "#not-any-of?", "#match?", "#not-match?"}
    source = "\n".join(line.partition(";")[0] for line in languages.query_source(language).splitlines())
    assert {word.strip("()") for word in source.split() if word.startswith("(#")} <= {*known}
    for pattern in range(loaded.query.pattern_count):
        assert loaded.query.pattern_settings(pattern) == {}


def test_captures_are_plain_tuples_of_code_point_ranges() -> None:
    """TS01: no node and no tree leaves the file that made it."""
    text = "# \U0001f600 é\ndef f(): g()\n"
    parsed = run(text)
    assert [(name, text[start:end]) for name, start, end in parsed.marks] == [
        ("comment", "# \U0001f600 é"),
        ("reference.call", "g"),
    ]
    ((_, spans),) = parsed.groups
    assert {name: [text[start:end] for start, end in places] for name, places in spans.items()} == {
        "definition.function": ["def f(): g()"],
        "name": ["f"],
        "body": ["g()"],
    }
    assert msgspec.to_builtins(parsed.groups)


@pytest.mark.parametrize("wide", ["é", "\u4e2d", "\U0001f600", "\U0001f600é\u4e2d", "\ud800"])
def test_offsets_behind_wide_characters_are_exact(wide: str) -> None:
    text = f"x = '{wide}'; a_{1}()\ny = '{wide * 3}'; b()\n"
    assert [text[start:end] for _, start, end in run(text).marks] == ["a_1", "b"]


def test_a_text_too_large_or_with_an_endless_line_is_refused_by_name() -> None:
    large = "".join(f"x{number} = {number}\n" for number in range(500_000))
    assert run(large).failure == Problem("size", f"{len(large):,} bytes are more than the 8,000,000 that are parsed")
    failure = captures("x = 1\n", "python", longest_line=50_001, deadline_s=1).failure
    assert failure is not None
    assert failure.code == "size"


def test_errors_are_a_bounded_number_of_places() -> None:
    text = "".join(f"x{number} = = {number}\n" for number in range(500))
    assert 1 < len(run(text).errors) <= parse.MAX_ERRORS
    assert run("x = 1\n").errors == []


def test_broken_text_whose_query_would_be_quadratic_gives_errors_and_no_facts() -> None:
    """SC10: an error node keeps its children as a plain list, and a query walks that list once for each child."""
    text = "int f(void) { return 1; }\n" + "".join(f"({number}\n" for number in range(30_000))
    parsed = run(text, "c")
    assert parsed.failure is None
    assert parsed.errors
    assert parsed.groups == []


def test_a_name_stands_in_the_tree_of_items_inside_a_macro() -> None:
    text = "cfg! {\n    fn inner() {\n        cfg! { fn local() {} }\n    }\n    cfg! { fn deep() {} }\n}\n"
    names = [text[slice(*spans["name"][0])] for _, spans in run(text, "rust").groups]
    assert names == ["inner", "deep"]


@pytest.mark.usefixtures("_fresh_grammars")
@pytest.mark.parametrize(
    "module",
    [
        None,
        types.SimpleNamespace(),
        types.SimpleNamespace(language=lambda: None),
        types.SimpleNamespace(language=lambda: 1 / 0),
    ],
    ids=["missing", "empty", "not a grammar", "raises"],
)
def test_a_grammar_that_cannot_be_loaded_turns_its_language_into_text(
    module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TS04: one language is off and says so, the rest works."""
    monkeypatch.setitem(sys.modules, "tree_sitter_python", module)
    source = "def f():\n    pass\n"
    derived = derive(source, "python")
    assert [problem.code for problem in derived.problems] == ["grammar"]
    assert "tree-sitter-python" in derived.problems[0].message
    assert (derived.symbols, derived.grammar, derived.partial) == ((), "", "")
    assert "".join(source[chunk.start : chunk.end] for chunk in derived.chunks) == source
    assert derive("int f(void) { return 0; }\n", "c").symbols[0].name == "f"


@pytest.mark.usefixtures("_fresh_grammars")
def test_a_grammar_of_another_abi_turns_its_language_into_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """TS04: what the library says of a foreign ABI is what the problem says."""

    def foreign(_pointer: object) -> object:
        raise ValueError("Incompatible Language version 99. Must be between 13 and 15")

    monkeypatch.setattr(tree_sitter, "Language", foreign)
    assert "version 99" in derive("x = 1\n", "python").problems[0].message
