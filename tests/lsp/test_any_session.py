"""Whatever a client sends, in whatever order: one answer a request, only frames, legal codes, and the server lives."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from .conftest import Bench
from .nursery import Nursery
from .sequences import DOCUMENTS, Reference, Session, Step, sessions
from .wire import Wire

NOT_INITIALIZED, INVALID_REQUEST, PARSE_ERROR = -32002, -32600, -32700
LEGAL = {PARSE_ERROR, INVALID_REQUEST, NOT_INITIALIZED, -32601, -32602, -32800, -32803}
"""Never InternalError: nothing that a client sends is a bug of ours."""
CAPABLE = {
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
    "experimental": {"gazetteer": {"status": True}},
}
ALWAYS = {"window/logMessage", "$/progress", "window/showMessage"}
WHEN_CAPABLE = {
    *("window/workDoneProgress/create", "window/showDocument", "client/registerCapability"),
    "gazetteer/didChangeStatus",
}


class Run:
    """One session, played to a server, beside the model of what has to come of it."""

    def __init__(self, wire: Wire, bench: Bench, session: Session) -> None:
        self.wire, self.bench, self.session = wire, bench, session
        self.encoding = session.encoding or "utf-16"
        self.state = "new"
        self.expected: dict[int, set[int] | None] = {}  # by id: codes that have to come, None for anything legal
        self.documents: dict[str, Reference] = {}
        self.asked = 0

    def play(self) -> None:
        for step in self.session.first:
            self.do(step)
        self.do(Step("initialize"))
        for step in self.session.then:
            self.do(step)
        if self.state == "running":
            self.compare()
        self.do(Step("shutdown"))
        self.do(Step("wait"))
        self.wire.notify("exit")
        assert self.wire.status() == (0 if self.state == "down" else 1)
        self.judge()

    def do(self, step: Step) -> None:
        getattr(self, step.what.replace(" ", "_"))(*([] if step.given is None else [step.given]))

    # -- what a client does -------------------------------------------------------------------------------------

    def initialize(self) -> None:
        given: dict[str, Any] = {"processId": os.getpid(), "rootUri": self.bench.uri()}
        given["capabilities"] = dict(CAPABLE) if self.session.capable else {}
        if self.session.encoding is not None:
            given["capabilities"]["general"] = {"positionEncodings": ["odd", self.session.encoding]}
        self.send_request("initialize", given, {"new": set[int](), "running": {INVALID_REQUEST}})
        if self.state == "new":
            self.state = "running"
            self.wire.notify("initialized", {})

    def initialize_badly(self) -> None:
        self.send_request("initialize", {"capabilities": 5}, {"new": {-32602}, "running": {INVALID_REQUEST}})

    def shutdown(self) -> None:
        self.send_request("shutdown", None, {"running": set[int]()})
        if self.state == "running":
            self.state = "down"

    def request(self, given: tuple[str, Any]) -> None:
        self.send_request(given[0], given[1], {"running": None})

    def command(self, given: tuple[str, Any]) -> None:
        params = {"command": f"gazetteer.{given[0]}", "arguments": given[1]}
        self.send_request("workspace/executeCommand", params, {"running": None})

    def send_request(self, method: str, params: Any, codes: dict[str, set[int] | None]) -> None:
        self.asked += 1
        gate: dict[str, set[int] | None] = {"new": {NOT_INITIALIZED}, "down": {INVALID_REQUEST}}
        self.expected[self.asked] = {**gate, **codes}[self.state]
        self.wire.begin(method, params, self.asked)

    def notify(self, given: tuple[str, Any]) -> None:
        self.wire.notify(*given)

    def cancel(self, back: int) -> None:
        self.wire.notify("$/cancelRequest", {"id": self.asked - back})

    def respond(self, given: Any = None) -> None:
        self.wire.respond("gazetteer-1", given)
        self.wire.respond("nobody", given)

    def bytes(self, given: bytes) -> None:
        self.wire.frame(given)

    def wait(self) -> None:
        if self.asked:
            self.wire.answer(self.asked)

    # -- documents ----------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return name if ":" in name else self.bench.uri(name)

    def open(self, given: tuple[str, str]) -> None:
        name, text = given
        document = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.wire.notify("textDocument/didOpen", {"textDocument": document})
        if self.state == "running":
            self.documents[name] = Reference(text, 1)

    def change(self, given: tuple[str, int | None, list[tuple[Any, str]]]) -> None:
        name, delta, changes = given
        known = self.documents.get(name)
        version = None if delta is None else (known.version if known else 0) + delta
        self.wire.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(name), "version": version},
                "contentChanges": [as_edit(span, text) for span, text in changes],
            },
        )
        if self.state == "running" and known is not None:
            known.change(version, changes, self.encoding)

    def close(self, name: str) -> None:
        self.wire.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})
        if self.state == "running":
            self.documents.pop(name, None)

    # -- what has to come of it ---------------------------------------------------------------------------------

    def compare(self) -> None:
        """The server's documents are those of the model."""
        self.asked += 1
        self.expected[self.asked] = set()
        self.wire.begin("gazetteer/retrieve", {"query": "apple"}, self.asked)
        result = self.wire.answer(self.asked)["result"]
        (corpus,) = result["receipt"]["snapshot"]["corpora"]
        seen = {one["path"]: (one["version"], one["contentId"]) for one in corpus["overlays"]}
        assert seen == {name: one.state for name, one in self.documents.items() if ":" not in name}
        assert result["receipt"]["positionEncoding"] == self.encoding

    def judge(self) -> None:
        wire = self.wire
        assert wire.junk == b""
        answers = [one for one in wire.got if "method" not in one]
        counts = Counter(one["id"] for one in answers if one["id"] is not None)
        assert counts == dict.fromkeys(self.expected, 1)
        for one in answers:
            code = one["error"]["code"] if "error" in one else None
            assert code is None or code in LEGAL, one
            expected = self.expected.get(one["id"]) if one["id"] is not None else {PARSE_ERROR, INVALID_REQUEST}
            assert expected is None or (code in expected if expected else code is None), one
        assert wire.methods() <= (ALWAYS | WHEN_CAPABLE if self.session.capable else ALWAYS)
        assert [line for line in wire.logged() if re.search(r"\.py:\d", line)] == []
        assert wire.errors() == ""


def as_edit(span: Any, text: str) -> dict[str, Any]:
    if span is None:
        return {"text": text}
    start, end = ({"line": line, "character": character} for line, character in span)
    return {"range": {"start": start, "end": end}, "text": text}


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("hall")
    bench = Bench(folder, nursery)
    bench.write(DOCUMENTS[0], "def apple():\n    return 1\n")
    yield bench
    bench.close()


def _play(bench: Bench, session: Session) -> None:
    wire = bench.start()
    try:
        Run(wire, bench, session).play()
    finally:
        bench.forget(wire)


ALL_OF_THEM = settings(
    max_examples=2_000, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
A_TWENTIETH = settings(ALL_OF_THEM, max_examples=100)


@A_TWENTIETH
@given(session=sessions)
def test_any_session_is_answered(hall: Bench, session: Session) -> None:
    """A twentieth of the full count, always the same sessions."""
    _play(hall, session)


@pytest.mark.soak
@ALL_OF_THEM
@given(session=sessions)
def test_many_sessions_are_answered(hall: Bench, session: Session) -> None:
    """2,000 sessions, always the same ones."""
    _play(hall, session)
