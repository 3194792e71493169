"""Hints say where to look, and no more than that (row K4): here the tree is looked at as a whole only when told to.

A look at the whole tree is seen by what it finds: files that came without a word.
"""

import os
import shutil
from typing import Any

import pytest

from .conftest import Bench
from .wire import Wire

MINUTE_MS = 60_000


@pytest.fixture
def wire(bench: Bench) -> Wire:
    bench.write("a.py", "def apple(): ...\n")
    bench.write("sub/deep/b.py", "def banana(): ...\n")
    bench.write(".git/HEAD", "ref: refs/heads/main\n")
    bench.write("node_modules/x.js", "function walnut() {}\n")
    wire = bench.serve(initializationOptions={"sweepReuseMs": MINUTE_MS})
    wire.request("gazetteer/barrier", {})
    assert wire.logged() == [], "it is looked at as a whole no more often than that"
    bench.write("quiet.py", "def quince(): ...\n")
    return wire


def found(wire: Wire, query: str) -> list[str]:
    wire.request("gazetteer/barrier", {})
    return [hit["relpath"] for hit in wire.request("gazetteer/retrieve", {"query": query})["hits"]]


def watched(wire: Wire, *events: tuple[str, int]) -> None:
    wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": kind} for uri, kind in events]})


def test_what_was_never_of_the_tree_and_is_gone_costs_no_look(bench: Bench, wire: Wire) -> None:
    """As git's lock and editors' temporary files come and go, with every command and every save."""
    for path in (".git/index.lock", ".git/HEAD", "a.py~", "sub/deep/.b.py.swp", "a.py/x", "sub/.git/index"):
        for kind in (1, 2, 3):
            watched(wire, (bench.uri(path), kind))
    watched(wire, *((bench.uri(f".git/objects/{n:02x}/x"), 1) for n in range(200)))
    wire.notify("workspace/didDeleteFiles", {"files": [{"uri": bench.uri("sub/deep/4913")}]})
    assert found(wire, "quince") == []
    assert wire.leave() == 0


@pytest.mark.parametrize("gone", ["sub", "sub/deep"])
def test_a_folder_that_goes_takes_its_documents_along(bench: Bench, wire: Wire, gone: str) -> None:
    shutil.rmtree(bench.tree / gone)
    watched(wire, (bench.uri(gone), 3))
    assert found(wire, "banana") == []
    assert found(wire, "quince") == ["quiet.py"]


def test_a_document_that_goes_is_looked_at_alone(bench: Bench, wire: Wire) -> None:
    os.unlink(bench.tree / "a.py")
    watched(wire, (bench.uri("a.py"), 3))
    assert found(wire, "apple") == []
    assert found(wire, "quince") == []


def mark(wire: Wire, **given: Any) -> None:
    wire.request("gazetteer/markDirty", given)


@pytest.mark.parametrize("what", ["quiet.py", "", "new", "all", "many"])
def test_a_program_may_name_a_document_a_folder_or_nothing(bench: Bench, wire: Wire, what: str) -> None:
    if what == "new":
        bench.write("new/c.py", "def quince_too(): ...\n")
    uris = {"all": [], "many": [bench.uri(f"{n}.py") for n in range(99)]}.get(what, [bench.uri(what)])
    mark(wire, uris=uris)
    assert "quiet.py" in found(wire, "quince")


def test_what_is_outside_is_refused_and_marks_nothing(bench: Bench, wire: Wire) -> None:
    uris = [bench.uri("quiet.py"), bench.tree.parent.as_uri()]
    assert wire.fails("gazetteer/markDirty", {"uris": uris})["data"]["argument"] == "uris"
    assert found(wire, "quince") == []
