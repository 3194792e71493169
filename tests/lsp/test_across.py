"""Hover, definition, references and evidence lead from a document into the other corpora that take part (L3, L5)."""

from pathlib import Path
from typing import Any

import pytest

from ..trees import cursor
from .conftest import Bench
from .wire import Wire

BOAT = (
    "def moor_vessel(vessel):\n    '''Give a vessel its berth.'''\n    return vessel\n\n\ndef sail():\n    return 1\n"
)
CALLS = "from boat import moor_vessel\n\n\ndef arrive(vessel):\n    return moor_vessel(vessel)\n"
NAVIGATION = {"navigation": {"languages": ["*"]}}


@pytest.fixture
def harbour(bench: Bench) -> Bench:
    """A folder that calls what a registered tree beside it defines."""
    bench.write("calls.py", CALLS)
    boat = bench.home.parent / "boat"
    boat.mkdir()
    (boat / "boat.py").write_text(BOAT)
    return bench


def boat(bench: Bench) -> Path:
    return bench.home.parent / "boat" / "boat.py"


def serve(bench: Bench, capabilities: Any = None, **entry: Any) -> Wire:
    """A server that has the other tree open, beside the folder."""
    wire = bench.serve(initializationOptions=NAVIGATION, capabilities=capabilities or {})
    wire.request("gazetteer/corpus.add", {"path": str(boat(bench).parent), "name": "boat", **entry})
    wire.request("gazetteer/corpus.index", {})
    wire.request("gazetteer/retrieve", {"query": "vessel"})  # who takes part is known from here on
    return wire


def at(wire: Wire, bench: Bench, method: str, path: str, marked: str, **more: Any) -> Any:
    text, offset = cursor(marked)
    line = text.count("\n", 0, offset)
    place = {"line": line, "character": offset - (text.rfind("\n", 0, offset) + 1)}
    document = {"uri": bench.uri(path), "languageId": "python", "version": 1, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    answer = wire.request(
        f"textDocument/{method}", {"textDocument": {"uri": bench.uri(path)}, "position": place, **more}
    )
    wire.notify("textDocument/didClose", {"textDocument": {"uri": bench.uri(path)}})
    return answer


MARKED = CALLS.replace("return moor_vessel", "return moor|_vessel")


def test_hover_says_what_another_corpus_defines_and_which(harbour: Bench) -> None:
    wire = serve(harbour, shared=True)
    shown = at(wire, harbour, "hover", "calls.py", MARKED)["contents"]["value"]
    first = shown.splitlines()[0]
    assert "moor_vessel" in first
    assert "boat.py:1" in first
    assert first.endswith("in `boat`")
    assert "Give a vessel its berth" in shown
    assert wire.leave() == 0


def test_definition_leads_there_and_references_come_back(harbour: Bench) -> None:
    wire = serve(harbour, shared=True)
    there = at(wire, harbour, "definition", "calls.py", MARKED)
    assert [(one["uri"], one["range"]["start"]["line"]) for one in there] == [(boat(harbour).as_uri(), 0)]
    uses = at(wire, harbour, "references", "calls.py", MARKED, context={"includeDeclaration": True})
    assert boat(harbour).as_uri() in {one["uri"] for one in uses}
    # from the corpus that defines it to the folder that uses it
    uses = at(
        wire,
        harbour,
        "references",
        str(boat(harbour)),
        BOAT.replace("def moor", "def |moor"),
        context={"includeDeclaration": False},
    )
    assert harbour.uri("calls.py") in {one["uri"] for one in uses}
    assert wire.leave() == 0


RESOLVING = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "resolveSupport": {"properties": ["edit", "command"]},
            "dataSupport": True,
        }
    }
}


def cited(wire: Wire, bench: Bench, marked: str) -> Any:
    """The line that a citation of what is marked would insert; None where none is offered."""
    text, offset = cursor(marked)
    place = {"line": text.count("\n", 0, offset), "character": offset - (text.rfind("\n", 0, offset) + 1)}
    document = {"uri": bench.uri("calls.py"), "languageId": "python", "version": 1, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    asked = {"textDocument": {"uri": bench.uri("calls.py")}, "range": {"start": place, "end": place}}
    offered = wire.request("textDocument/codeAction", {**asked, "context": {"diagnostics": []}})
    action = next((one for one in offered if one["kind"] == "gazetteer.cite"), None)
    if action is not None and "data" in action:
        action = wire.request("codeAction/resolve", action)
    wire.notify("textDocument/didClose", {"textDocument": {"uri": bench.uri("calls.py")}})
    return action and action["edit"]["changes"][bench.uri("calls.py")][0]["newText"]


@pytest.mark.parametrize("resolving", [True, False], ids=["when it is chosen", "when it is offered"])
def test_a_citation_leads_into_the_corpus_that_defines_a_name(harbour: Bench, resolving: bool) -> None:
    """L4: spelled as a hit of that corpus is, and only where the document's own tree defines nothing of the name."""
    capabilities: Any = RESOLVING
    if not resolving:
        capabilities = {
            "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
        }
    wire = serve(harbour, capabilities=capabilities, shared=True)
    hit = wire.request("gazetteer/retrieve", {"query": "moor_vessel", "corpora": ["boat"]})["hits"][0]
    assert hit["path"] == str(boat(harbour))
    assert cited(wire, harbour, MARKED) == f"    # see {hit['citation']}\n"
    assert "boat.py" not in cited(wire, harbour, "def sail():\n    return 2\n\n\nsa|il()\n")
    assert wire.leave() == 0


def test_a_corpus_that_does_not_take_part_is_not_looked_at(harbour: Bench) -> None:
    """What is merely registered answers when it is asked, and not in a hover."""
    wire = serve(harbour)
    assert wire.request("gazetteer/retrieve", {"query": "vessel", "with": ["boat"]})["hits"]
    shown = at(wire, harbour, "hover", "calls.py", MARKED)
    assert shown is None or "Give a vessel its berth" not in shown["contents"]["value"]
    assert not at(wire, harbour, "definition", "calls.py", MARKED)
    assert wire.leave() == 0


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("def arrive(ship):\n    return ship.|sail()\n", "whose method it is is not known"),
        ("def sail():\n    return 2\n\n\nsa|il()\n", "the tree has one of its own"),
        ("# the sa|il was red\n", "a word of prose"),
    ],
)
def test_a_name_that_may_be_another_thing_stays_at_home(harbour: Bench, marked: str, why: str) -> None:
    wire = serve(harbour, shared=True)
    found = at(wire, harbour, "definition", "calls.py", marked) or []
    assert boat(harbour).as_uri() not in {one["uri"] for one in found}, why
    assert wire.leave() == 0


def test_evidence_is_gathered_from_all_and_says_whose_it_is(harbour: Bench) -> None:
    wire = serve(harbour, shared=True)
    text = wire.request("gazetteer/evidence", {"query": "moor_vessel", "uri": harbour.uri("calls.py")})["text"]
    assert "boat: " in text
    assert "tree: " in text
    shown = wire.request(
        "gazetteer/show", {"title": "t", "method": "gazetteer/retrieve", "params": {"query": "vessel"}}
    )
    assert "boat: [" in Path(shown["uri"].removeprefix("file://")).read_text()
    assert wire.leave() == 0
