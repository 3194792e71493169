"""Every document has a language, found from its name or its head, and a recipe that changes when its facts would."""

import subprocess
import sys

import pytest
from gazetteer.kb import languages
from gazetteer.kb.languages import BY_NAME, HEAD_CHARACTERS, LANGUAGES, TEXT, detect, recipe
from gazetteer.kb.model import SourceType


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/b.py", "", "python"),
        ("B.PY", "", "python"),
        ("x.tsx", "", "tsx"),
        ("x.mts", "", "typescript"),
        ("Makefile", "", "make"),
        ("CMakeLists.txt", "", "cmake"),
        ("notes.txt", "", "text"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("a.unheard-of", "", "text"),
        ("README", "# Title\n", "text"),
        (".py", "", "text"),
        ("", "", "text"),
        ("bin/run", "#!/usr/bin/env python3\n", "python"),
        ("bin/run", "#!/usr/bin/env -S NODE_ENV=test node --trace\n", "javascript"),
        ("bin/run", "#!/bin/bash -e\n", "bash"),
        ("bin/run", "#! /usr/local/bin/python3.11 -u\n", "python"),
        ("bin/run", "#!\n", "text"),
        ("bin/run", "#!/opt/thing\n", "text"),
        ("a.c", "class X {", "c"),
        ("a.C", "", "cpp"),
        ("a.H", "", "cpp"),
    ],
)
def test_a_document_is_known_by_name_then_ending_then_first_line(path: str, head: str, language: str) -> None:
    assert detect(path, head).name == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"),
        ("#include <stdio.h>\nstruct x { int class; };\n", "c"),
        ("/* A class of things: namespaces. */\nint new;\n", "c"),
        ("#include <vector>\n", "cpp"),
        ("class Foo;\n", "cpp"),
        ("  class EXPORT Foo final : public Bar {\n", "cpp"),
        ("namespace a::b {\n", "cpp"),
        ("template <typename T>\nT f();\n", "cpp"),
        ("inline int f() { return std::max(1, 2); }\n", "cpp"),
        ("", "c"),
    ],
)
def test_a_header_is_cpp_when_its_head_shows_what_c_lacks(head: str, language: str) -> None:
    assert detect("include/a.h", head).name == language


def test_more_text_than_the_head_does_not_change_the_answer() -> None:
    text = "int x;\n" * HEAD_CHARACTERS + "namespace a {}\n"
    assert detect("a.h", text) == detect("a.h", text[:HEAD_CHARACTERS]) == BY_NAME["c"]


def test_the_table_names_each_language_once_and_never_an_ending_twice() -> None:
    assert len(BY_NAME) == len(LANGUAGES)
    for field in ("extensions", "filenames", "shebangs"):
        values = [value for language in LANGUAGES for value in getattr(language, field)]
        assert len(values) == len(set(values)), field
    assert all(ending == ending.lower() for language in LANGUAGES for ending in language.extensions)
    assert TEXT.source_type is SourceType.DOCS


def test_a_recipe_changes_with_everything_that_decides_the_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """ST20: facts of another extractor, chunker, layout, grammar or query are never taken for current ones."""
    seen = {recipe.__wrapped__("python")}
    for name, value in {
        "EXTRACTOR_VERSION": 99,
        "CHUNKER_VERSION": 99,
        "SCHEMA_VERSION": 99,
        "grammar_id": lambda _language: "tree-sitter-python 99",
        "parser_version": lambda: "99",
        "query_source": lambda _language: "(comment) @comment",
    }.items():
        with monkeypatch.context() as patch:
            patch.setattr(languages, name, value)
            seen.add(recipe.__wrapped__("python"))
    assert len(seen) == 7
    assert recipe("c") != recipe("cpp")


def test_a_recipe_needs_no_grammar_in_memory() -> None:
    program = (
        "import sys\n"
        "from gazetteer.kb import languages\n"
        "assert 'tree-sitter-python ' in languages.recipe('python')\n"
        "for row in languages.LANGUAGES: languages.recipe(row.name)\n"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter')], sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_unknown_language_has_the_recipe_of_text() -> None:
    assert recipe("no such language") == recipe("text")
    assert languages.query_source("no such language") == ""
    assert languages.grammar_id("text") == ""


@pytest.mark.parametrize("language", [row.name for row in LANGUAGES if row.grammar])
def test_the_version_in_a_recipe_is_the_installed_one(language: str) -> None:
    """K1: read off a folder's name, it says what the package's own metadata says."""
    import importlib.metadata

    package, _, version = languages.grammar_id(language).partition(" ")
    assert version == importlib.metadata.version(package)
