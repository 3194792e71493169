"""What a person types in a question restricts it; the same text from anywhere else is only text (L7, QU02)."""

from typing import Any

import pytest

from .conftest import Bench
from .wire import Wire

INVALID_PARAMS = -32602


@pytest.fixture
def wire(bench: Bench) -> Wire:
    bench.write("src/apple.py", "def apple():\n    return 1\n")
    bench.write("src/apple.c", "int apple(void) { return 1; }\n")
    bench.write("docs/apple.md", "# Apple\n\nAn apple a day: lang:c is how a question is restricted.\n")
    wire = bench.serve()
    wire.request("gazetteer/sync", {})
    return wire


def found(wire: Wire, query: str, **more: Any) -> list[str]:
    return [hit["relpath"] for hit in wire.request("gazetteer/retrieve", {"query": query, **more})["hits"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("apple lang:c", ["src/apple.c"]),
        ("lang:md apple", ["docs/apple.md"]),
        ("apple path:src/ lang:py", ["src/apple.py"]),
        ("apple kind:function path:*.py", ["src/apple.py"]),
        ("apple type:docs", ["docs/apple.md"]),
        ("apple lang:rust", []),
    ],
)
def test_a_typed_filter_is_one(wire: Wire, query: str, expected: list[str]) -> None:
    assert found(wire, query, typed=True) == expected
    answer = wire.request("gazetteer/explain", {"query": query, "typed": True})
    assert [one["citation"].split(" ")[0] for one in answer["evidence"]] == expected


def test_what_nobody_typed_restricts_nothing(wire: Wire) -> None:
    assert found(wire, "lang:c restricted")[0] == "docs/apple.md"
    assert len(found(wire, "apple lang:rust")) == 3


def test_typed_filters_join_those_that_are_given(wire: Wire) -> None:
    assert found(wire, "apple path:docs/", typed=True, path=["src/*.c"]) == ["src/apple.c", "docs/apple.md"]


@pytest.mark.parametrize(
    ("query", "argument"),
    [("kind:funktion a", "kind"), ("lang:klingon a", "lang"), ("path:../x a", "path"), ("lang:c", "query")],
)
def test_a_typed_filter_that_makes_no_sense_is_named(wire: Wire, query: str, argument: str) -> None:
    error = wire.fails("gazetteer/retrieve", {"query": query, "typed": True})
    assert (error["code"], error["data"]["argument"]) == (INVALID_PARAMS, argument)


def test_a_corpus_that_is_typed_is_asked(wire: Wire) -> None:
    """One that is not there is named by the answer, so the filter has reached whoever chooses corpora."""
    error = wire.fails("gazetteer/retrieve", {"query": "apple corpus:no-such-corpus", "typed": True})
    assert "no-such-corpus" in error["message"]
