"""Clauses become one definition, names lose what is no name, and no text in any of these languages ends the process."""

import subprocess
import sys
from pathlib import Path

import pytest
from gazetteer.kb import languages
from gazetteer.kb.extract import derive

FACTS = Path(__file__).parent / "facts"
LANGUAGES = [
    *(
        "bash",
        "bitbake",
        "cmake",
        "css",
        "dart",
        "devicetree",
        "elixir",
        "haskell",
        "json",
        "kconfig",
        "kotlin",
        "lua",
        "make",
    ),
    *("scala", "swift", "toml", "yaml", "zig"),
]
PROSE = ["html", "markdown", "rst"]


def defined(source: str, language: str) -> list[str]:
    found = derive(source, language).symbols
    return [f"{symbol.name} {symbol.first_line}-{symbol.last_line}" for symbol in found]


def test_a_signature_and_its_equations_are_one_definition() -> None:
    source = "f :: Int -> Int\nf 0 = 1\n\n-- otherwise\n{- or so -}\nf n = n\n\ng = f\n\nf' = 1\n"
    assert defined(source, "haskell") == ["f 1-6", "g 8-8", "f' 10-10"]


def test_equations_apart_from_each_other_stay_apart() -> None:
    assert defined("f 0 = 1\ng = 2\nf n = n\n", "haskell") == ["f 1-1", "g 2-2", "f 3-3"]


def test_clauses_end_with_what_holds_them() -> None:
    source = "defmodule A do\n  def f(0), do: 1\n  def f(n), do: n\nend\n\ndefmodule B do\n  def f(x), do: x\nend\n"
    assert defined(source, "elixir") == ["A 1-4", "f 2-3", "B 6-8", "f 7-7"]


def test_a_clause_with_documentation_of_its_own_is_another_definition() -> None:
    source = 'defmodule A do\n  def f(0), do: 1\n\n  @doc "Two."\n  def f(a, b), do: a\nend\n'
    assert defined(source, "elixir") == ["A 1-6", "f 2-2", "f 5-5"]
    assert [symbol.doc for symbol in derive(source, "elixir").symbols] == ["", "", "Two."]


def test_a_constructor_named_like_its_type_stays_its_own_definition() -> None:
    assert defined("newtype N = N Int\n", "haskell") == ["N 1-1", "N 1-1"]


def test_an_instance_is_no_clause_of_its_type() -> None:
    assert defined("instance A T\ndata T = B\n", "haskell") == ["T 2-2", "B 2-2"]
    assert defined("data T = B\ninstance A T\n", "haskell") == ["T 1-1", "B 1-1"]


def test_instances_of_one_type_stay_apart() -> None:
    source = "instance A T where\n  f = 1\n  g = 2\n\ninstance B T where\n  h = 3\n  i = 4\n"
    chunks = derive(source, "haskell").chunks
    assert [(chunk.first_line, chunk.last_line, chunk.name) for chunk in chunks] == [(1, 4, "T"), (5, 7, "T")]


def test_a_clause_is_no_call_of_its_function() -> None:
    found = derive("defmodule A do\n  def f(0), do: 1\n  def f(n), do: g(n)\nend\n", "elixir")
    assert [use.name for use in found.references] == ["g"]


def test_other_languages_keep_definitions_of_one_name_apart() -> None:
    assert defined("void f(int x) {}\nvoid f(char x) {}\n", "cpp") == ["f 1-1", "f 2-2"]


@pytest.mark.parametrize("row", [row for row in languages.LANGUAGES if row.grammar], ids=lambda row: row.name)
def test_a_language_with_a_grammar_has_a_query_that_fits_it(row: languages.Language) -> None:
    assert languages.query_source(row.name)
    assert [problem for problem in derive("x\n", row.name).problems if problem.code == "grammar"] == []


@pytest.mark.parametrize("language", [*LANGUAGES, *PROSE])
def test_a_language_has_a_fixture(language: str) -> None:
    assert (FACTS / f"{language}.txt").is_file()


IN_A_CHILD = """
import random, sys
from pathlib import Path
from gazetteer.kb.extract import derive

def check(text, language):
    derived = derive(text, language, deadline_s=0.2)
    assert "".join(text[chunk.start:chunk.end] for chunk in derived.chunks) == text

draw = random.Random(7)
facts = Path(sys.argv[1])
for language in sys.argv[2:]:
    print(language, flush=True)
    for opener in ("(", "{", "[", "- ", "? ", "if ", "do ", "class A {", "$(", '"'):
        check(opener * 600, language)
    for opener in ("a:", "- a:", "where", "f = do", "class A:", "case x of"):
        check("".join(" " * level + opener + chr(10) for level in range(300)), language)
    source = (facts / f"{language}.txt").read_text(encoding="utf-8").split("-- facts --")[0]
    for _ in range(20):
        text = source
        for _ in range(draw.randint(1, 8)):
            at, size = draw.randrange(len(text) + 1), draw.choice((1, 1, 3, 40, 400))
            piece = draw.choice(("", chr(0), "{", "}", "(", '"', "/*", chr(10), chr(0xD800), "#", text[at:at + size]))
            text = text[:at] + piece + text[at + draw.choice((0, size)):]
        check(text, language)
print("survived")
"""


def test_no_text_ends_the_process() -> None:
    """TS02, SC10: mutated and nested text, in a child process; left alone, YAML's scanner crashes at 254 levels."""
    child = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD, str(FACTS), *LANGUAGES, *PROSE], capture_output=True, text=True, check=False
    )
    assert child.stdout.split()[-1] == "survived", (child.returncode, child.stdout, child.stderr[-2000:])
