"""Progress, first batches and cancelling (PR01, PR02, PR05, PR06, row L1)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.paths import Root

from .conftest import Bench, Desk
from .wire import Wire

CANCELLED, REQUEST_FAILED = -32800, -32803
WITH_BARS = {"window": {"workDoneProgress": True}}
FULL = {
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "workspace": {
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
    },
    "experimental": {"gazetteer": {"status": True, "view": True, "clipboard": True}},
}


class Held:
    """Nothing can be published while this is held: an index stays under way for as long as a test wants."""

    def __init__(self, bench: Bench | Desk) -> None:
        folder = bench.home / "indexes" / "corpora" / Root(str(bench.tree)).key
        folder.mkdir(parents=True, exist_ok=True)
        for made in (folder, *folder.parents[:2]):
            made.chmod(0o700)
        self._stack = ExitStack()
        self._stack.enter_context(publish_lock(str(folder)).held())

    def release(self) -> None:
        self._stack.close()


@pytest.fixture
def held(bench: Bench) -> Iterator[Held]:
    bench.write("a.py", "def apple():\n    return 1\n")
    held = Held(bench)
    yield held
    held.release()


def states(wire: Wire) -> list[str]:
    """What was said of the folder, in order."""
    told = [one["params"] for one in list(wire.got) if one.get("method") == "gazetteer/didChangeStatus"]
    return [one["state"] for one in told]


def told(wire: Wire, token: Any) -> list[dict[str, Any]]:
    """What was said under a token, in order."""
    return [
        one["params"]["value"]
        for one in list(wire.got)
        if one.get("method") == "$/progress" and one["params"]["token"] == token
    ]


def kinds(wire: Wire, token: Any) -> list[str]:
    return [value["kind"] for value in told(wire, token)]


def ended(message: dict[str, Any]) -> bool:
    return message.get("method") == "$/progress" and message["params"]["value"].get("kind") == "end"


def begun(message: dict[str, Any]) -> bool:
    return message.get("method") == "$/progress" and message["params"]["value"].get("kind") == "begin"


def test_a_client_without_capabilities_is_asked_and_told_nothing(bench: Bench) -> None:
    """PR05: with empty capabilities there is nothing beside answers and log entries."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(initializationOptions={"nothing": 1})
    for method in ("gazetteer/retrieve", "gazetteer/explain"):
        wire.request(method, {"query": "apple"})
    for method in ("sync", "reindex", "status", "health", "flush", "barrier", "markDirty"):
        wire.request(f"gazetteer/{method}", {})
    wire.notify("workspace/didChangeConfiguration", {"settings": {"gazetteer": {"hover": {"enable": False}}}})
    assert wire.leave() == 0
    assert wire.methods() == {"window/logMessage"}


def test_a_client_with_all_of_them_is_asked_for_what_it_offered(bench: Bench) -> None:
    wire = bench.serve(capabilities=FULL)
    wire.asked("window/workDoneProgress/create")
    wire.asked("workspace/configuration")
    wire.asked("gazetteer/didChangeStatus")
    registered = wire.asked("client/registerCapability")["params"]["registrations"]
    assert [one["method"] for one in registered] == [
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeConfiguration",
    ]
    wire.request("gazetteer/barrier", {})  # though it has answered none of them
    assert wire.leave() == 0


def test_a_bar_begins_once_the_client_agrees_and_ends_with_the_work(bench: Bench, held: Held) -> None:
    """PR06: nothing is said under a token before the client has agreed to it; an answer that comes late is fine."""
    wire = bench.serve(capabilities=WITH_BARS)
    asked = wire.asked("window/workDoneProgress/create")
    token = asked["params"]["token"]
    waiting = wire.begin("gazetteer/retrieve", {"query": "apple"})
    wire.request("gazetteer/status", {})
    assert told(wire, token) == []
    wire.respond(asked["id"])
    held.release()
    wire.wait(ended)
    assert kinds(wire, token)[0] == "begin"
    assert kinds(wire, token).count("begin") == kinds(wire, token).count("end") == 1
    assert told(wire, token)[0]["title"] == "Indexing tree"
    assert wire.answer(waiting)["result"]["hits"][0]["relpath"] == "a.py"


@pytest.mark.parametrize("mode", ["never", "error", "after the end"])
def test_work_goes_on_without_the_clients_agreement(bench: Bench, held: Held, mode: str) -> None:
    """PR06, PR02: a create that is refused, never answered, or answered when all is over."""
    wire = bench.serve(capabilities=WITH_BARS)
    asked = wire.asked("window/workDoneProgress/create")
    if mode == "error":
        wire.respond(asked["id"], error={"code": -32603, "message": "no"})
    held.release()
    assert wire.request("gazetteer/retrieve", {"query": "apple"})["hits"]
    if mode == "after the end":
        wire.request("gazetteer/barrier", {})
        for _ in range(3):
            wire.respond(asked["id"])
    assert wire.request("gazetteer/status", {})["state"] == "ready"
    assert wire.leave() == 0
    assert "$/progress" not in wire.methods()
    assert wire.logged() == []


def test_answers_to_what_was_cancelled_meanwhile_are_dropped(bench: Bench) -> None:
    """PR02: the client may answer a request of ours whose cause is over, a hundred times, without a word in the log."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(capabilities=FULL)
    answered: set[Any] = set()
    for _ in range(100):
        number = wire.begin("gazetteer/show", {"title": "t", "method": "gazetteer/status"})
        shown = wire.wait(lambda one: one.get("method") == "window/showDocument" and one["id"] not in answered)
        wire.notify("$/cancelRequest", {"id": number})
        assert wire.answer(number)["error"]["code"] == CANCELLED
        wire.respond(shown["id"], {"success": True})
        answered.add(shown["id"])
    wire.request("gazetteer/status", {})
    assert wire.logged() == []
    assert wire.leave() == 0
    assert wire.errors() == ""


def test_a_question_shows_the_wait_under_the_clients_own_token(bench: Bench, held: Held) -> None:
    wire = bench.serve()
    number = wire.begin("gazetteer/retrieve", {"query": "apple", "workDoneToken": "mine"})
    wire.wait(lambda one: one.get("method") == "$/progress")
    held.release()
    assert wire.answer(number)["result"]["hits"]
    assert kinds(wire, "mine")[0] == "begin"
    assert kinds(wire, "mine")[-1] == "end"
    done = wire.answer(
        wire.begin("workspace/executeCommand", {"command": "gazetteer.sync", "workDoneToken": 7, "arguments": [{}]})
    )
    assert done["result"]["state"] == "ready"
    assert kinds(wire, 7)[0] == "begin"
    assert kinds(wire, 7)[-1] == "end"


@pytest.mark.parametrize("by", ["request", "token"])
def test_a_question_that_waits_for_an_index_is_cancelled_at_once(bench: Bench, held: Held, by: str) -> None:
    """L1: by $/cancelRequest, or by the bar that stands for it; the index goes on."""
    wire = bench.serve()
    given = {"command": "gazetteer.retrieve", "arguments": [{"query": "apple"}], "workDoneToken": "mine"}
    number = wire.begin("workspace/executeCommand", given)
    wire.wait(lambda one: one.get("method") == "$/progress")
    if by == "request":
        wire.notify("$/cancelRequest", {"id": number})
    else:
        wire.notify("window/workDoneProgress/cancel", {"token": "mine"})
    assert wire.answer(number)["error"]["code"] == CANCELLED
    assert kinds(wire, "mine")[-1] == "end"
    wire.notify("$/cancelRequest", {"id": number})
    wire.notify("$/cancelRequest", {"id": "nobody"})
    wire.notify("$/cancelRequest", {"id": [1]})
    wire.notify("$/cancelRequest", None)
    wire.notify("window/workDoneProgress/cancel", {"token": "mine"})
    held.release()
    assert wire.request("gazetteer/retrieve", {"query": "apple"})["hits"]
    assert len(wire.answers(number)) == 1
    assert wire.leave() == 0


def test_a_request_that_waits_for_a_thread_is_cancelled_at_once_and_never_runs(bench: Bench, held: Held) -> None:
    """PR01: both threads are busy; the one behind them is cancelled while it waits."""
    wire = bench.serve()
    wire.request("gazetteer/status", {})
    running = [wire.begin("gazetteer/sync", {}) for _ in range(2)]
    queued = wire.begin("gazetteer/reindex", {"workDoneToken": "queued"})
    wire.wait(lambda one: one.get("method") == "$/progress")
    wire.notify("$/cancelRequest", {"id": queued})
    assert wire.answer(queued)["error"]["code"] == CANCELLED
    assert kinds(wire, "queued")[-1] == "end"
    held.release()
    for number in running:
        assert wire.answer(number)["result"]["state"] == "ready"
    assert kinds(wire, "queued")[-1] == "end"


def test_an_index_that_a_request_stops_is_not_said_to_go_on(bench: Bench, held: Held) -> None:
    """L10: no status says for ever that something is under way."""
    wire = bench.serve(capabilities={"experimental": {"gazetteer": {"status": True}}})
    held.release()
    wire.request("gazetteer/barrier", {})
    again = Held(bench)
    bench.write("a.py", "def banana():\n    return 1\n")
    number = wire.begin("gazetteer/sync", {"workDoneToken": "mine"})
    wire.wait(lambda one: one.get("method") == "$/progress" and one["params"]["token"] == "mine")
    wire.notify("$/cancelRequest", {"id": number})
    assert wire.answer(number)["error"]["code"] == CANCELLED
    assert states(wire)[-2:] == ["indexing", "stale"]
    again.release()
    assert wire.leave() == 0


def test_an_index_that_is_stopped_by_its_bar_says_so_and_can_be_gone_on_with(bench: Bench, held: Held) -> None:
    for n in range(100):
        bench.write(f"m{n}.py", f"def apple{n}(): ...\n" * 50)
    capabilities = {**WITH_BARS, "experimental": {"gazetteer": {"status": True}}}
    wire = bench.serve(capabilities=capabilities)
    asked = wire.asked("window/workDoneProgress/create")
    wire.respond(asked["id"])
    wire.wait(begun)
    wire.notify("window/workDoneProgress/cancel", {"token": asked["params"]["token"]})
    stale = wire.wait(
        lambda one: one.get("method") == "gazetteer/didChangeStatus" and one["params"]["state"] == "stale"
    )
    assert "gazetteer.sync" in stale["params"]["message"]
    assert stale["params"]["root"] == bench.uri()
    held.release()
    assert wire.request("gazetteer/sync", {})["documents"] == 101
    assert wire.leave() == 0


def test_the_first_hits_are_sent_before_the_answer_that_has_them_all(bench: Bench) -> None:
    """L1: one batch, then the final answer, which is whole."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve()
    number = wire.begin("gazetteer/retrieve", {"query": "apple", "partialResultToken": "batch"})
    answer = wire.answer(number)
    (batch,) = told(wire, "batch")
    assert batch["hits"] == answer["result"]["hits"]
    order = [one for one in wire.got if one is answer or one.get("method") == "$/progress"]
    assert order[-1] is answer


def test_shutdown_answers_everything_that_is_under_way(bench: Bench, held: Held) -> None:
    """PR04: questions that wait, a build that is blocked, and requests of ours that nobody answered."""
    wire = bench.serve(capabilities=FULL)
    numbers = [wire.begin("gazetteer/retrieve", {"query": "apple"}) for _ in range(10)]
    numbers += [wire.begin(f"gazetteer/{name}", {}) for name in ("sync", "sync", "reindex", "flush", "barrier")]
    wire.request("gazetteer/status", {})
    assert wire.leave() == 0
    for number in numbers:
        (answer,) = wire.answers(number)
        assert answer["error"]["code"] == CANCELLED


def test_nothing_is_left_running_when_the_client_goes_away_in_the_middle(bench: Bench, held: Held) -> None:
    """PR03: within five seconds, whatever is under way and locked; the wait for it here is bounded by the wire."""
    wire = bench.serve(capabilities=FULL)
    wire.begin("gazetteer/sync", {})
    wire.request("gazetteer/status", {})
    wire.hang_up()
    assert wire.status() == 1
    assert not Path(f"/proc/{wire.pid}").exists()


def test_an_index_that_cannot_be_closed_keeps_nobody(bench: Bench) -> None:
    """PR03: closing would wait for whoever publishes."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(initializationOptions={"sweepReuseMs": 0})
    wire.request("gazetteer/barrier", {})
    held = Held(bench)
    bench.write("a.py", "def banana(): ...\n")
    assert "not compared" in str(wire.request("gazetteer/retrieve", {"query": "banana"})["receipt"]["missing"])
    wire.hang_up()
    assert wire.status() == 1
    held.release()


def test_a_client_that_never_answers_costs_no_more_with_time(bench: Bench) -> None:
    """PR06: of what we asked it nothing is kept once the work is over for which it was asked."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(capabilities=WITH_BARS)
    for _ in range(20):
        wire.request("gazetteer/sync", {})
    asked = [one for one in wire.got if one.get("method") == "window/workDoneProgress/create"]
    assert len(asked) == 21
    for one in asked:
        wire.respond(one["id"])
    wire.request("gazetteer/barrier", {})
    assert "$/progress" not in wire.methods()
    assert wire.logged() == []
    assert wire.leave() == 0
