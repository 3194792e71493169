"""What a place in a text points at: whole words only, in every way that languages write modules."""

import pytest
from gazetteer.context.pointing import import_at, module_place
from gazetteer.kb.derive import derive_text
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.text import LineIndex
from hypothesis import given
from hypothesis import strategies as st

IMPORTS = {
    "a.py": ["import |m", "from |m import x", "import mm, |m", "import |m.x", "from |.m import m", "from |. import m"],
    "a.js": ['import m from "|m"', 'import { m } from "|./m"', 'const m = require("|m")', 'import "|m"'],
    "a.ts": ['import m, {\n  m as n,\n} from "|m"', "import type { m } from '|m/x'"],
    "a.go": ['import m "|m"', 'import (\n\t"mm"\n\tm "|x/m"\n)'],
    "a.rs": ["use |m::x;", "use |crate::m::{x, y};", "pub use |m;"],
    "a.java": ["import |m.N;", "import static |m.N.im;"],
    "a.kt": ["import |m.N", "import |m.N as m"],
    "a.scala": ["import |m.N", "import |m.{N, im}"],
    "a.cs": ["using |m;", "using im = |m.N;"],
    "a.php": ["<?php\nuse |m\\N;", "<?php\nrequire '|m.php';"],
    "a.rb": ["require '|m'", "require_relative '|m'"],
    "a.lua": ['local m = require("|m")', "local m = require '|m.n'"],
    "a.hs": ["module A where\nimport |M", "module A where\nimport qualified |M.N as M"],
    "a.zig": ['const m = @import("|m");'],
    "a.ex": ["import |M", "alias |M.N"],
    "a.swift": ["import |m"],
    "a.c": ["#include <|m.h>", '#include "|m.h"'],
    "a.dart": ["import '|m.dart' as m;"],
}
CASES = [(path, text) for path, texts in IMPORTS.items() for text in texts]


@pytest.mark.parametrize(("path", "marked"), CASES, ids=[f"{path} {text!r}" for path, text in CASES])
def test_the_module_of_an_import_is_where_it_is_written(path: str, marked: str) -> None:
    """L3: not a part of a keyword or of another word, not the name that it is given, in any language."""
    at = marked.index("|")
    text = marked.replace("|", "") + "\n"
    _, derived = derive_text(DocumentPath(path), text)
    lines = LineIndex(text)
    found = [module_place(text, one, lines.start_of(one.line), path_language(path)) for one in derived.imports]
    assert at in found
    assert derived.imports[import_at(text, derived, lines, at, path_language(path))].module
    inside = [taken.module for taken, place in zip(derived.imports, found, strict=True) if place == at]
    assert all(text.startswith(module, at) for module in inside)


def path_language(path: str) -> str:
    language, _ = derive_text(DocumentPath(path), "")
    return language.name


def test_a_keyword_is_no_module() -> None:
    text = "import m\n"
    _, derived = derive_text(DocumentPath("a.py"), text)
    assert [import_at(text, derived, LineIndex(text), at, "python") for at in range(len(text))] == [-1] * 7 + [0, 0]


WORDS = st.sampled_from(["m", "mm", "import", "im", "m.n", "n"])


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_module_is_never_a_part_of_a_word(modules: list[str]) -> None:
    text = f"import {', '.join(modules)}\n"
    _, derived = derive_text(DocumentPath("a.py"), text)
    for taken in derived.imports:
        place = module_place(text, taken, 0, "python")
        assert not text[place - 1].isalnum()
        assert not text[place + len(taken.module)].isalnum()
