"""`PITFALLS.md` tells the truth: every pitfall has its row, and every test that a row names is there and runs."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TABLE = (TESTS / "PITFALLS.md").read_text(encoding="utf-8")
NUMBERS = {
    "ST": (1, 2, 3, 4, 5, 6, 9, 11, 13, 15, 17, 18, 19, 20, 21, 22, 23),
    "PE": (3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 25),
    "SC": (1, 3, 4, 5, 6, 7, 9, 10, 13),
    "CC": (3, 4, 5, 7, 9, 10, 13, 14, 15, 16, 18, 19, 20),
    "PR": (1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 15, 16, 19),
    "QU": (2, 3, 4, 7, 8, 9, 10, 11, 13),
    "TS": (1, 2, 3, 4),
    "SE": (1, 2, 4, 5, 6, 7, 9, 10),
}
"""Every pitfall of the list that concerns what is built so far."""
PITFALLS = [f"{group}{number:02}" for group, numbers in NUMBERS.items() for number in numbers]
ROW = re.compile(r"^\| ([A-Z]{2}\d\d) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROWS = {match[1]: match[3].split("<br>") for match in ROW.finditer(TABLE)}
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


@cache
def functions(path: Path) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    module = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_pitfall_has_one_row_and_no_row_is_about_nothing() -> None:
    assert len(ROW.findall(TABLE)) == len(ROWS)
    assert sorted(ROWS) == sorted(PITFALLS)


@pytest.mark.parametrize("pitfall", PITFALLS)
def test_a_row_names_tests_that_are_there_or_says_why_there_are_none(pitfall: str) -> None:
    held = [NAMED.fullmatch(part) for part in ROWS[pitfall]]
    sentences = [part for part, named in zip(ROWS[pitfall], held, strict=True) if named is None]
    assert all(re.fullmatch(r"[A-Z].*\.", sentence) and "::" not in sentence for sentence in sentences)
    for named in filter(None, held):
        path = TESTS / named[1]
        assert path.is_file(), named[1]
        assert named[2] in functions(path), named[0]


def test_what_a_row_names_is_not_expected_to_fail() -> None:
    """A test that is skipped for good, or may fail, holds nothing."""
    excused = [
        named[0]
        for named in NAMED.finditer(TABLE)
        for decorator in functions(TESTS / named[1])[named[2]].decorator_list
        if re.search(r"\bmark\.(xfail|skip)\b", ast.unparse(decorator))
    ]
    assert excused == []


def test_what_tests_say_of_themselves_is_in_the_table() -> None:
    """A pitfall that is named in a test is one of the list: no number is made up or mistyped."""
    said = {
        (pitfall, path.name)
        for path in TESTS.rglob("test_*.py")
        for pitfall in re.findall(r"\b(?:ST|PE|SC|CC|PR|QU|TS|SE)\d\d\b", path.read_text(encoding="utf-8"))
        if path != Path(__file__)
    }
    assert {(pitfall, name) for pitfall, name in said if pitfall not in PITFALLS} == set()
