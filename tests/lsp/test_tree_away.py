"""A tree that is away for a while, as a disk that is unplugged: what is typed meanwhile, and what is answered later."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Bench
from .test_documents import did_open
from .wire import PATIENCE_S, Wire


@pytest.fixture
def away(bench: Bench) -> Iterator[Wire]:
    """A server whose tree has just gone."""
    bench.write("a.py", "def apple():\n    return 1\n")
    bench.write("b.py", "def banana():\n    return 2\n")
    bench.write(".gitignore", "ignored/\n")
    wire = bench.serve(initializationOptions={"sweepReuseMs": 0})
    wire.request("gazetteer/barrier", {})
    bench.tree.rename(bench.tree.with_name("elsewhere"))
    yield wire
    assert wire.leave() == 0


def back(bench: Bench) -> None:
    bench.tree.with_name("elsewhere").rename(bench.tree)


def ask(wire: Wire, query: str) -> tuple[list[tuple[str, str]], Any]:
    answer = wire.request("gazetteer/retrieve", {"query": query})
    return [(hit["relpath"], hit["freshness"]) for hit in answer["hits"]], answer["receipt"]


def notices(wire: Wire, query: str, *, some: bool = False) -> list[str]:
    """What an answer has to say, but for that the tree is still being looked at: a server waits a moment for that.

    With ``some``, of the first answer that has anything to say.
    """
    until = time.monotonic() + PATIENCE_S
    while True:
        said = [notice for notice in ask(wire, query)[1]["notices"] if "still being read" not in notice]
        if said or not some:
            return said
        assert time.monotonic() < until


def test_what_is_opened_while_the_tree_is_away_is_found_when_it_is_back(bench: Bench, away: Wire) -> None:
    """Of a known file, and of one that was never saved."""
    did_open(away, bench.uri("a.py"), "def cherry(): ...\n")
    did_open(away, bench.uri("new.py"), "def damson(): ...\n")
    ask(away, "cherry")
    back(bench)
    assert ask(away, "cherry")[0] == [("a.py", "overlay")]
    assert ask(away, "damson")[0] == [("new.py", "overlay")]
    assert ask(away, "apple")[0] == []


def test_while_the_tree_is_away_its_own_documents_are_answered_from_and_no_others(bench: Bench, away: Wire) -> None:
    """SE07: what its rules would say of others is not known, so they wait; an answer says that."""
    did_open(away, bench.uri("a.py"), "def cherry(): ...\n")
    did_open(away, bench.uri("ignored/key.py"), "def cherry_key(): ...\n")
    hits, receipt = ask(away, "cherry")
    assert hits == [("a.py", "overlay")]
    assert any("2 open documents" in notice for notice in receipt["notices"])
    missing = ask(away, "banana")[1]["missing"]
    assert "1 documents are left out, which have changed or gone since they were indexed" in missing
    back(bench)
    hits, receipt = ask(away, "cherry")
    assert hits == [("a.py", "overlay")]
    assert not any("open documents" in notice for notice in receipt["notices"])


def test_the_first_question_after_its_return_is_answered_or_says_what_is_missing(bench: Bench, away: Wire) -> None:
    ask(away, "apple")
    back(bench)
    hits, receipt = ask(away, "apple")
    assert hits == [("a.py", "verified")] or receipt["missing"]
    away.request("gazetteer/barrier", {})
    assert ask(away, "apple")[0] == [("a.py", "verified")]


def test_a_buffer_of_an_ignored_file_is_in_no_answer_that_says_it_is_complete(bench: Bench) -> None:
    """SE07: a rule that comes while it is open changes no document, and yet what there is to search."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(initializationOptions={"sweepReuseMs": 0})
    did_open(wire, bench.uri("secret/new.py"), "def cherry(): ...\n")
    assert ask(wire, "cherry")[0] == [("secret/new.py", "overlay")]
    for rules, expected in (("secret/\n", []), ("", [("secret/new.py", "overlay")])):
        bench.write(".gitignore", rules)
        hits, receipt = ask(wire, "cherry")
        assert hits == expected or receipt["missing"]
    assert wire.leave() == 0


@pytest.mark.parametrize("started", ["before", "after"])
def test_that_the_tree_is_away_is_one_sentence_with_the_remedy(bench: Bench, away: Wire, started: str) -> None:
    """For a server that has seen it, and for one that finds it gone; of several questions each says it once."""
    wire = away if started == "before" else bench.serve()
    for _ in range(3):
        (notice,) = notices(wire, "banana", some=True)
        assert notice.count(str(bench.tree)) == 1
        assert "is not there; bring it back" in notice
    if wire is not away:
        assert wire.leave() == 0
    back(bench)
    assert notices(away, "banana") == []
