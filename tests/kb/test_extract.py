"""Each language's definitions, uses, imports and chunks are found, and nothing in a text can make `derive` raise.

``facts/<language>.txt`` holds a source and all that must be read from it; adding a language adds a file.
"""

import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from gazetteer.kb import languages
from gazetteer.kb.extract import derive
from gazetteer.kb.model import Derived, Kind, Reference, Role
from hypothesis import given, settings
from hypothesis import strategies as st

FACTS = Path(__file__).parent / "facts"
FIXTURES = sorted(path.stem for path in FACTS.glob("*.txt"))
STRUCTURED = ["python", "javascript", "typescript", "tsx", "java", "c", "cpp", "c_sharp", "go", "rust", "ruby", "php"]


def sections_of(fixture: str) -> dict[str, str]:
    """``-- name --`` opens a section of the fixture."""
    found: dict[str, str] = {}
    name = ""
    for line in fixture.splitlines(keepends=True):
        if line.startswith("-- ") and line.rstrip().endswith(" --"):
            name = line.strip()[3:-3]
            found[name] = ""
        else:
            found[name] += line
    return {name: part.rstrip("\n") + "\n" for name, part in found.items()}


def qualified(derived: Derived, index: int) -> str:
    """``Outer.Inner.name``; what is known of the owner by name only stands in brackets."""
    symbol = derived.symbols[index]
    around = qualified(derived, symbol.container) + "." if symbol.container >= 0 else ""
    return around + (f"[{symbol.owner}]." if symbol.owner else "") + symbol.name


def rendered(derived: Derived) -> list[str]:
    """All facts of a text, one a line."""
    lines = [f"problem {problem.code} {problem.line}" for problem in derived.problems]
    for index, symbol in enumerate(derived.symbols):
        word = "declared " if symbol.declaration else ""
        parts = [f"{word}{symbol.kind} {qualified(derived, index)} {symbol.first_line}-{symbol.last_line}"]
        lines.append(" | ".join([*parts, symbol.signature, symbol.doc]).removesuffix(" | "))
    for role in Role:
        uses = [_used(derived, use) for use in derived.references if use.role is role]
        lines += [f"{role}: {', '.join(uses)}"] if uses else []
    lines += [f"import {item.module} {item.line}: {', '.join(item.names)}".rstrip(": ") for item in derived.imports]
    for chunk in derived.chunks:
        heading = " > ".join(chunk.trail) + (f" ({chunk.part})" if chunk.part else "")
        lines.append(f"chunk {chunk.first_line}-{chunk.last_line} {chunk.kind} {heading}".rstrip())
    return lines


def _used(derived: Derived, use: Reference) -> str:
    scope = f"@{derived.symbols[use.scope].name}" if use.scope >= 0 else ""
    return f"{use.name} {use.line}{scope}"


@pytest.mark.parametrize("fixture", FIXTURES)
def test_a_language_gives_the_facts_that_a_reader_sees(fixture: str) -> None:
    parts = sections_of((FACTS / f"{fixture}.txt").read_text(encoding="utf-8"))
    expected = parts.pop("facts").split("\n")
    (path, source), *_ = parts.items()
    language = languages.detect(path, source)
    assert rendered(derive(source, language.name)) == [line for line in expected if line]


def test_every_structured_language_has_a_fixture() -> None:
    assert set(STRUCTURED) <= set(FIXTURES)


@pytest.mark.parametrize("language", STRUCTURED)
def test_the_same_text_gives_the_same_facts_whatever_was_derived_before(language: str) -> None:
    """TS03: facts come from a fresh parse; an edit to invalid text and back leaves nothing behind."""
    parts = sections_of((FACTS / f"{language}.txt").read_text(encoding="utf-8"))
    source = next(iter(parts.values()))
    first = derive(source, language)
    derive(source[: len(source) // 2] + "}}}(((" + source[len(source) // 2 :], language)
    assert derive(source, language) == first


def test_offsets_are_code_points_beyond_ascii() -> None:
    """PE06: neither wide characters nor a lone surrogate before a definition move it."""
    source = 'a = "\U0001f600é\u4e2d\ud800"\n\n\ndef \u540d\u524d(\u5024):\n    return fn(\u5024)\n'
    derived = derive(source, "python")
    (symbol,) = [symbol for symbol in derived.symbols if symbol.kind is Kind.FUNCTION]
    assert source[symbol.start :].startswith("def \u540d\u524d")
    assert source[symbol.name_start :].startswith("\u540d\u524d(")
    assert (symbol.name, symbol.first_line, symbol.last_line) == ("\u540d\u524d", 4, 5)
    assert Reference("fn", Role.CALL, 5, 1) in derived.references


def test_syntax_errors_are_named_by_line_and_cost_no_other_fact() -> None:
    derived = derive("def good():\n    pass\n\n\nx = = 1\n\n\ndef also():\n    pass\n", "python")
    assert [symbol.name for symbol in derived.symbols if symbol.kind is Kind.FUNCTION] == ["good", "also"]
    assert [(problem.code, problem.line) for problem in derived.problems] == [("syntax", 5)]
    assert derived.partial == ""


def test_control_characters_cost_no_fact_behind_them() -> None:
    """PE13: NUL and its kin in a text do not end it."""
    for code in range(32):
        source = (
            f'before = "{chr(code)}"\n\n\ndef after():\n    pass\n' if chr(code) not in "\n\r" else "def after(): 0\n"
        )
        derived = derive(source, "python")
        assert "after" in [symbol.name for symbol in derived.symbols], code
        assert "".join(source[chunk.start : chunk.end] for chunk in derived.chunks) == source


@pytest.mark.parametrize("power", [12, 15, 16, 17])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_texts_around_powers_of_two_are_read_to_the_end(power: int, off: int) -> None:
    """SC04: no buffer size of a library cuts a text."""
    tail = "int last(void) { return 1; }"
    size = (1 << power) + off
    filling = "".join(f"int v{number};\n" for number in range(size // 8))
    source = filling[: size - len(tail) - 1].rpartition("\n")[0].ljust(size - len(tail) - 1) + "\n" + tail
    assert len(source) == size
    assert derive(source, "c").symbols[-1].name == "last"


def test_a_large_text_is_read_to_the_end_or_says_that_it_is_not() -> None:
    """SC03: facts are never missing in silence."""
    body = "int fn{0}(void) {{ return {0}; }}\n"
    source = "".join(body.format(number) for number in range(20_500))
    derived = derive(source, "c", deadline_s=60)
    assert len(derived.symbols) == 20_000
    assert [problem.code for problem in derived.problems] == ["size"]
    assert "20,500" in derived.problems[0].message


def test_a_deadline_gives_chunks_without_facts_and_says_so() -> None:
    """SC06: one slow text costs its own facts."""
    source = "x = [\n" + "".join(f"  ({number}, 2),\n" for number in range(20_000)) + "]\n"
    derived = derive(source, "python", deadline_s=0)
    assert derived.partial == "timeout"
    assert [problem.code for problem in derived.problems] == ["timeout"]
    assert "".join(source[chunk.start : chunk.end] for chunk in derived.chunks) == source


def test_a_machine_that_does_much_else_costs_no_text_its_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was derived is kept: a deadline on the wall would leave texts unread that met a busy moment once."""
    source = "x = [\n" + "".join(f"  ({number}, 2),\n" for number in range(2_000)) + "]\n"
    hours = count(step=3_600)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    assert derive(source, "python", deadline_s=60) == derive(source, "python", deadline_s=1e9)
    assert derive(source, "python", deadline_s=60).partial == ""


def test_an_endless_line_gives_chunks_in_proportion_to_its_length() -> None:
    """SC01: 2,000 functions on one line cost what they cost on 2,000 lines."""
    functions = [f"function f{number}() {{ return g({number}) + '{'x' * 60}'; }}" for number in range(2_000)]
    on_one, on_many = derive(" ".join(functions), "javascript"), derive("\n".join(functions), "javascript")
    assert on_one.partial == "size"
    for derived in (on_one, on_many):
        assert max(chunk.end - chunk.start for chunk in derived.chunks) <= 2_400
    assert len(on_one.chunks) <= 2 * len(on_many.chunks)


def test_nesting_is_bounded_and_said() -> None:
    """SC10: what lies deeper than the bound is kept in the last level; trails stay short."""
    depth = 200
    source = "".join(f"{' ' * level}class C{level}:\n" for level in range(depth)) + " " * depth + "pass\n"
    derived = derive(source, "python")
    assert len(derived.symbols) == depth
    assert [problem.code for problem in derived.problems] == ["depth"]
    assert max(len(chunk.trail) for chunk in derived.chunks) <= 34


IN_A_CHILD = """
import random, sys
from gazetteer.kb.extract import derive
draw = random.Random(int(sys.argv[1]))

def check(text, language):
    derived = derive(text, language, deadline_s=2)
    assert "".join(text[chunk.start:chunk.end] for chunk in derived.chunks) == text
    return derived

for argument in sys.argv[2:]:
    language, path = argument.split("=", 1)
    source = open(path, encoding="utf-8").read().partition("--\\n")[2]
    start = "<?php " if language == "php" else "a"
    for opener, closer in ("()", "{}", "[]", "<>"):
        for depth in (1_000, 10_000, 100_000):
            assert check(start + opener * depth, language).problems
            check(start + opener * depth + closer * depth, language)
        for depth in (300, 2_000) if opener in "(<" else (300,):
            varied = "".join(f"{draw.getrandbits(40):x}_{opener}\\n" for _ in range(depth))
            assert check(start + varied, language).problems
    for _ in range(6):
        text = source
        for _ in range(draw.randint(1, 8)):
            at, size = draw.randrange(len(text) + 1), draw.choice((1, 1, 3, 40, 400))
            pieces = "\\0", "{", "}", "(", '"', "'", "/*", "\\n", "\\ud800", "\\U0001f600", "#", text[at : at + size]
            text = text[:at] + draw.choice(("", "", *pieces)) + text[at + draw.choice((0, size)) :]
        check(text, language)
print("survived")
"""


@pytest.mark.parametrize("languages_of_a_child", [STRUCTURED[:6], STRUCTURED[6:]], ids=["first", "second"])
def test_no_text_ends_the_process(languages_of_a_child: list[str]) -> None:
    """TS02, SC10: shipped queries over mutated and deeply nested text, in a child process."""
    sources = [f"{language}={FACTS / language}.txt" for language in languages_of_a_child]
    command = [sys.executable, "-c", IN_A_CHILD, "7", *sources]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.stdout == "survived\n", child.stderr[-2000:]


def test_text_that_would_take_gigabytes_to_parse_is_not_given_to_the_parser() -> None:
    """SC06: a step of error recovery can take memory in the square of its text; such text is told by its shape."""
    assert derive("/*\n" * 20_000, "python").partial == "size"
    angles = "".join(f"a{number}<\n" for number in range(20_000))
    assert [problem.code for problem in derive(angles, "java").problems] == ["depth"]


@settings(max_examples=60, deadline=None)
@given(st.text(), st.sampled_from([row.name for row in languages.LANGUAGES]))
def test_derive_never_raises_and_covers_all_of_the_text(text: str, language: str) -> None:
    derived = derive(text, language)
    assert "".join(text[chunk.start : chunk.end] for chunk in derived.chunks) == text
    for symbol in derived.symbols:
        assert 0 <= symbol.start <= symbol.name_start < symbol.end <= len(text)
        assert len(symbol.signature) <= 200
        assert len(symbol.doc) <= 200
        assert -1 <= symbol.container < len(derived.symbols)
    assert all(-1 <= use.scope < len(derived.symbols) for use in derived.references)
