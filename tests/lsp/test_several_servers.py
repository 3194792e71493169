"""Several servers over one tree, and servers that are killed (CC05, CC18, CC19, issue: what a kill leaves behind)."""

import json
import subprocess
import sys
import time
from functools import partial
from typing import Any

import pytest
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder

from .conftest import Bench, environment
from .wire import PATIENCE_S, Wire


def opened(wire: Wire, uri: str, text: str, version: int = 1) -> None:
    document = {"uri": uri, "languageId": "python", "version": version, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})


def changed(wire: Wire, uri: str, version: int, text: str) -> None:
    wire.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
    )


def found(wire: Wire, query: str) -> list[tuple[str, str]]:
    hits = wire.request("gazetteer/retrieve", {"query": query})["hits"]
    return [(hit["relpath"], hit["freshness"]) for hit in hits]


def found_whole(wire: Wire, query: str) -> list[tuple[str, str]]:
    """The same of the first answer that lacks nothing: none waits for long where another server publishes just then."""
    until = time.monotonic() + PATIENCE_S
    while True:
        answer = wire.request("gazetteer/retrieve", {"query": query})
        if not answer["receipt"]["missing"]:
            return [(hit["relpath"], hit["freshness"]) for hit in answer["hits"]]
        assert time.monotonic() < until, answer["receipt"]["missing"]


def reaches(phase: str, message: Any) -> bool:
    """Whether a status says that phase, or the end."""
    told = message.get("params") if message.get("method") == "gazetteer/didChangeStatus" else None
    return told is not None and (phase in told["message"] or told["state"] == "ready")


def word(number: int, turn: int) -> str:
    """One word that nothing else has."""
    return "quick" + "abcdefghij"[number] * 3 + "klmnopqrst"[turn] * 3


def checked(bench: Bench) -> Any:
    """What ``gazetteer check --full`` says in a process of its own."""
    words = ("check", "--full", "--json", "--root", str(bench.tree))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gazetteer", *words], env=environment(bench.home), capture_output=True, check=False
    )
    return json.loads(done.stdout)["findings"]


def test_two_servers_see_each_their_own_unsaved_buffer_and_never_the_others(bench: Bench) -> None:
    """K10, CC19: one workspace, two editors, one unsaved buffer each, of the same document too."""
    bench.write("a.py", "def apple(): ...\n")
    bench.write("b.py", "def banana(): ...\n")
    first, second = bench.serve(), bench.serve()
    opened(first, bench.uri("a.py"), "def cherry(): ...\n")
    opened(second, bench.uri("b.py"), "def damson(): ...\n")
    assert found(first, "cherry") == [("a.py", "overlay")]
    assert found(second, "damson") == [("b.py", "overlay")]
    assert found(first, "damson") == found(second, "cherry") == []
    assert found(second, "apple") == [("a.py", "verified")]
    opened(second, bench.uri("a.py"), "def elderberry(): ...\n")
    assert found(first, "cherry") == [("a.py", "overlay")]
    assert found(second, "elderberry") == [("a.py", "overlay")]
    bench.write("a.py", "def cherry(): ...\n")
    first.notify("textDocument/didSave", {"textDocument": {"uri": bench.uri("a.py")}})
    first.request("gazetteer/barrier", {})
    assert found(second, "elderberry") == [("a.py", "overlay")]
    second.notify("textDocument/didClose", {"textDocument": {"uri": bench.uri("a.py")}})
    second.request("gazetteer/barrier", {})
    assert found(second, "cherry") == [("a.py", "verified")]
    assert first.leave() == second.leave() == 0
    assert checked(bench) == []


def test_three_servers_that_edit_and_publish_at_once_all_answer(bench: Bench) -> None:
    """CC05, CC19: the same edits at the same time, cold start included; nobody gets a lock's error."""
    for n in range(20):
        bench.write(f"m{n}.py", f"def apple{n}(): ...\n")
    wires = [bench.serve() for _ in range(3)]
    for turn in range(2, 10):
        text = f"def {word(9, turn)}(): ...\n"
        bench.write("shared.py", text)
        for number, wire in enumerate(wires):
            uri = bench.uri("own.py")
            unsaved = f"def {word(number, turn)}(): ...\n"
            if turn == 2:
                opened(wire, uri, unsaved)
            else:
                changed(wire, uri, turn, unsaved)
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": bench.uri("shared.py"), "type": 2}]})
        asked = [wire.begin("gazetteer/barrier", {}) for wire in wires]
        asked_own = [wire.begin("gazetteer/retrieve", {"query": word(n, turn)}) for n, wire in enumerate(wires)]
        for wire, barrier, own in zip(wires, asked, asked_own, strict=True):
            assert "error" not in wire.answer(barrier)
            assert [hit["relpath"] for hit in wire.answer(own)["result"]["hits"]] == ["own.py"]
            assert found_whole(wire, word(9, turn)) == [("shared.py", "verified")]
        assert found(wires[0], word(1, turn)) == found(wires[0], word(2, turn)) == []
    for wire in wires:
        assert wire.logged() == []
        assert wire.leave() == 0
    assert checked(bench) == []


def test_questions_are_answered_while_everything_is_indexed_again(bench: Bench) -> None:
    """CC18: from the generation before, without an error."""
    for n in range(100):
        bench.write(f"m{n}.py", f"def {word(n // 10 % 10, n % 10)}(): ...\n" * 30)
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})

    def ask() -> None:
        assert found(wire, word(0, 7)) == [("m7.py", "verified")]
        assert wire.request("gazetteer/status", {})["documents"] == 100

    with publish_lock(corpus_folder(str(bench.home / "indexes"), Root(str(bench.tree)))).held():
        rebuilt = wire.begin("gazetteer/reindex", {})
        ask()  # it cannot be over by then
        assert not wire.answers(rebuilt)
    while not wire.answers(rebuilt):
        ask()
    assert wire.answer(rebuilt)["result"]["state"] == "ready"


@pytest.mark.parametrize("victim", ["server", "editor"])
def test_a_kill_in_the_middle_of_an_index_leaves_the_next_start_able_to_answer(bench: Bench, victim: str) -> None:
    """CC14, item 6: kill -9 of the server or of its editor at whatever phase; no manual step."""
    for n in range(250):
        bench.write(f"m{n}.py", f"def apple{n}(): ...\n" * 40)
    for phase in ("Listing", "Reading", "Publishing"):
        editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        wire = bench.start()
        wire.initialize(
            processId=editor.pid,
            rootUri=bench.uri(),
            capabilities={"experimental": {"gazetteer": {"status": True}}},
        )
        wire.wait(partial(reaches, phase))
        if victim == "server":
            wire.kill()
            assert wire.status() == -9
        else:
            editor.kill()
            assert wire.status() == 1
        editor.kill()
        editor.communicate()
        bench.write("changed.py", f"def after{phase.lower()}(): ...\n")
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})
    assert found(wire, "afterpublishing") == [("changed.py", "verified")]
    assert found(wire, "apple249")[0] == ("m249.py", "verified")
    assert wire.request("gazetteer/status", {})["state"] == "ready"
    assert wire.leave() == 0
    assert checked(bench) == []
