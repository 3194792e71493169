"""The barrier: clients and tests wait for what was said to be in effect, and not for ever."""

from typing import Any

import pytest

from .conftest import Bench
from .wire import Wire


@pytest.fixture
def wire(bench: Bench) -> Wire:
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(capabilities={"workspace": {"configuration": False}})
    wire.request("gazetteer/barrier", {})
    return wire


def publish(bench: Bench, wire: Wire) -> None:
    bench.write("b.py", "def banana(): ...\n")
    wire.request("gazetteer/sync", {})


def test_a_generation_is_waited_for(bench: Bench, wire: Wire) -> None:
    number = wire.begin("gazetteer/barrier", {"generation": 2})
    wire.request("gazetteer/status", {})
    assert wire.answers(number) == []
    publish(bench, wire)
    assert wire.answer(number)["result"] == {"generation": 2}
    assert wire.request("gazetteer/barrier", {"generation": 1}) == {"generation": 2}


def test_one_that_does_not_come_is_not_waited_for_for_ever(wire: Wire) -> None:
    error = wire.fails("gazetteer/barrier", {"generation": 99, "ms": 1})
    assert error["data"]["code"] == "timeout"
    assert "99" in error["message"]
    assert wire.fails("gazetteer/barrier", {"ms": -1})["data"]["argument"] == "ms"
    number = wire.begin("gazetteer/barrier", {"generation": 99})
    wire.notify("$/cancelRequest", {"id": number})
    assert wire.answer(number)["error"]["code"] == -32800


def test_it_outlives_a_folder_that_is_opened_again(bench: Bench, wire: Wire) -> None:
    number = wire.begin("gazetteer/barrier", {"generation": 2})
    wire.request("gazetteer/status", {})
    for limit in (2_000_000, 3_000_000):
        settings: Any = {"gazetteer": {"maxFileBytes": limit}}
        wire.notify("workspace/didChangeConfiguration", {"settings": settings})
        wire.request("gazetteer/barrier", {})
    publish(bench, wire)
    assert wire.answer(number)["result"]["generation"] >= 2


def test_it_ends_with_its_folder(bench: Bench, wire: Wire) -> None:
    number = wire.begin("gazetteer/barrier", {"generation": 99})
    wire.request("gazetteer/status", {})
    removed = {"event": {"added": [], "removed": [{"uri": bench.uri(), "name": "tree"}]}}
    wire.notify("workspace/didChangeWorkspaceFolders", removed)
    assert wire.answer(number)["error"]["data"]["code"] == "not_found"
    assert wire.logged() == []
    assert wire.leave() == 0
