"""A session's life: what is answered before, between and after, and how the process ends (PR03, PR04, PR08)."""

import os
import socket
import subprocess
import sys
from typing import Any

import pytest

from .conftest import Bench, environment
from .wire import Wire

NOT_INITIALIZED, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32002, -32600, -32601, -32602
PARSE_ERROR, CANCELLED = -32700, -32800


def initialize(wire: Wire) -> None:
    wire.initialize()


def request(wire: Wire) -> None:
    wire.answer(wire.begin("gazetteer/nothing"))


def shutdown(wire: Wire) -> None:
    wire.answer(wire.begin("shutdown"))


def leave(wire: Wire) -> None:
    wire.notify("exit")


def hang_up(wire: Wire) -> None:
    wire.hang_up()


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ((initialize, shutdown, leave), 0),
        ((initialize, request, shutdown, request, leave), 0),
        ((initialize, shutdown, hang_up), 0),
        ((initialize, leave), 1),
        ((initialize, hang_up), 1),
        ((leave,), 1),
        ((hang_up,), 1),
        ((shutdown, leave), 1),  # refused: it was not initialized
    ],
)
def test_the_exit_status_says_whether_it_was_shut_down(bench: Bench, steps: tuple[Any, ...], status: int) -> None:
    """PR04: 0 after shutdown, 1 without."""
    wire = bench.start()
    for step in steps:
        step(wire)
    assert wire.status() == status


def test_shutdown_and_exit_in_one_breath_still_answer(bench: Bench) -> None:
    """PR04: an exit right behind the shutdown waits for its answer, and everything asked before is answered too."""
    bench.write("a.py", "x = 1\n")
    wire = bench.serve()
    asked = wire.begin("gazetteer/retrieve", {"query": "x"})
    ended = wire.begin("shutdown")
    wire.notify("exit")
    assert wire.status() == 0
    assert [answer["result"] for answer in wire.answers(ended)] == [None]
    assert [answer["error"]["code"] for answer in wire.answers(asked)] == [CANCELLED]


def test_nothing_is_served_before_initialize_and_nothing_after_shutdown(bench: Bench) -> None:
    """PR08, PR04: requests are refused with the codes of the specification, notifications dropped."""
    wire = bench.start()
    assert wire.fails("textDocument/hover", {})["code"] == NOT_INITIALIZED
    assert wire.fails("shutdown")["code"] == NOT_INITIALIZED
    wire.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///a", "text": ""}})
    wire.initialize()
    assert wire.fails("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["code"] == INVALID_REQUEST
    wire.notify("textDocument/didChange", {"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": []})
    assert wire.request("shutdown") is None
    assert any("not open" in line for line in wire.logged())  # the first notification was dropped
    assert wire.fails("gazetteer/status")["code"] == INVALID_REQUEST
    assert wire.fails("shutdown")["code"] == INVALID_REQUEST
    assert wire.fails("initialize", {})["code"] == INVALID_REQUEST
    wire.notify("exit")
    assert wire.status() == 0


def test_a_bad_initialize_is_refused_and_a_good_one_may_follow(bench: Bench) -> None:
    """PR08: no silence."""
    wire = bench.start()
    error = wire.fails("initialize", {"processId": "me", "rootUri": 5, "capabilities": {}})
    assert error["code"] == INVALID_PARAMS
    assert "params." in error["message"]
    assert wire.initialize()["serverInfo"]["name"] == "gazetteer"
    assert wire.leave() == 0


@pytest.mark.parametrize(
    ("body", "number", "code"),
    [
        (b"{", None, PARSE_ERROR),
        (b"\xff\xfe", None, PARSE_ERROR),
        (b"[]", None, INVALID_REQUEST),
        (b"7", None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 7}', 7, INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 7, "method": "shutdown"}', 7, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": [7], "method": "shutdown"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 7}', 7, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": "7", "method": "$/none"}', "7", METHOD_NOT_FOUND),
        (
            b'{"jsonrpc": "2.0", "id": 7, "method": "m", "params": ' + b"[" * 90_000 + b"]" * 90_000 + b"}",
            7,
            INVALID_PARAMS,
        ),
        (
            b'{"params": ' + b"[" * 90_000 + b"]" * 90_000 + b', "method": "m", "id": "x", "jsonrpc": "2.0"}',
            "x",
            INVALID_PARAMS,
        ),
        (b"[" * 90_000 + b"]" * 90_000, None, INVALID_REQUEST),
        (b"[" * 90_000, None, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "m", "params": ' + b"[" * 90_000, None, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 7, "result": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "textDocument/didSave", "params": null}', 7, INVALID_PARAMS),
    ],
    ids=lambda given: repr(given)[:40],
)
def test_whatever_is_no_request_is_answered_with_why(bench: Bench, body: bytes, number: Any, code: int) -> None:
    wire = bench.serve()
    wire.frame(body)
    error = wire.answer(number)["error"]
    assert error["code"] == code
    assert len(error["message"]) < 200
    assert wire.leave() == 0


def test_lines_between_frames_and_other_headers_are_passed_over(bench: Bench) -> None:
    wire = bench.start()
    body = b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'
    wire.raw(b"noise\r\n\r\ncontent-LENGTH:%d\nContent-Type: x; charset=utf-8\r\n\r\n%b" % (len(body), body))
    assert wire.answer(1)["error"]["code"] == NOT_INITIALIZED
    wire.raw(b"Content-Length: 999999999999\r\n\r\n")
    assert wire.status() == 1
    assert "longer" in wire.errors()


@pytest.mark.parametrize("length", [b"abc", b"-5", b"", b"1.5", b"0x10"])
def test_a_frame_without_a_length_ends_the_connection_with_a_word(bench: Bench, length: bytes) -> None:
    """Where the next frame begins cannot be known, and waiting for one would be silence for ever."""
    wire = bench.start()
    wire.raw(b"Content-Length: %b\r\n\r\n{}" % length)
    assert wire.status() == 1
    assert "no length" in wire.errors()


def test_the_server_ends_with_its_editor(bench: Bench) -> None:
    """PR03: the editor's process is watched, because nobody may close the pipe for it."""
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    bench.write("a.py", "x = 1\n")
    wire = bench.start()
    wire.initialize(processId=editor.pid, rootUri=bench.uri())
    wire.request("gazetteer/status")
    editor.kill()
    assert wire.status() == 1  # while the editor is not even reaped
    editor.communicate()


def test_an_editor_that_is_gone_already_is_noticed(bench: Bench) -> None:
    """PR03: so is the one that ended before it was heard of; a number that no process can have is not waited for."""
    editor = subprocess.Popen([sys.executable, "-c", ""])
    editor.wait()
    wire = bench.start()
    wire.begin("initialize", {"processId": editor.pid, "rootUri": None, "capabilities": {}})
    assert wire.status() == 1
    for number in (0, -1):
        wire = bench.start()
        wire.initialize(processId=number)
        assert wire.leave() == 0


def test_it_speaks_to_one_client_on_a_local_address(bench: Bench) -> None:
    """L1: TCP for tests; SE09: nothing listens for others."""
    command = [sys.executable, "-P", "-m", "gazetteer", "serve", "--tcp", "127.0.0.1:0"]
    server = subprocess.Popen(command, env=environment(bench.home), stderr=subprocess.PIPE, cwd=bench.tree)
    with server:
        assert server.stderr is not None
        port = int(server.stderr.readline().rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port)) as client, client.makefile("rwb") as stream:
            for number, method in enumerate(("initialize", "shutdown")):
                params = b',"params":{"processId":null,"rootUri":null,"capabilities":{}}' if number == 0 else b""
                body = b'{"jsonrpc":"2.0","id":%d,"method":"%b"%b}' % (number, method.encode(), params)
                stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                stream.flush()
                length = int(stream.readline().split(b":")[1])
                assert b'"error"' not in stream.read(length + 2)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))
        assert server.wait(30) == 0


@pytest.mark.parametrize("address", ["0.0.0.0:80", "example.com:80", "127.0.0.1", ":80", "[::]:80", "127.0.0.1:99999"])
def test_no_other_address_is_listened_on(bench: Bench, address: str) -> None:
    """SE09: there is no password, so nobody but this machine is served."""
    wire = bench.start("--tcp", address)
    assert wire.status() == 2
    assert "127.0.0.1:7777" in wire.errors()


def test_only_frames_are_on_standard_output(bench: Bench) -> None:
    """A stray print, of this process or of a child, lands on standard error."""
    bench.write("a.py", "x = 1\n")
    (bench.home / "sitecustomize.py").write_text("")
    wire = bench.serve()
    wire.request("gazetteer/retrieve", {"query": "x"})
    target = os.readlink(f"/proc/{wire.pid}/fd/1")
    assert target == os.readlink(f"/proc/{wire.pid}/fd/2")
    assert os.readlink(f"/proc/{wire.pid}/fd/0") == "/dev/null"
    assert wire.leave() == 0
    assert wire.junk == b""


NUMBERS: list[Any] = [0.5, "0", True, None, -1, [], {}]


@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/codeAction", "gazetteer/related"])
def test_a_position_is_made_of_nothing_but_numbers(bench: Bench, method: str) -> None:
    """PR09: what the library would take for a place, and answer about another one."""
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve()
    wire.request("gazetteer/barrier", {})
    given: dict[str, Any] = {"context": {"diagnostics": []}} if "Action" in method else {}
    given |= {"uri": bench.uri("a.py")} if "gazetteer" in method else {"textDocument": {"uri": bench.uri("a.py")}}

    def at(number: Any) -> dict[str, Any]:
        place = {"line": 0, "character": number}
        return {**given, **({"range": {"start": place, "end": place}} if "Action" in method else {"position": place})}

    for number in NUMBERS:
        assert wire.fails(method, at(number))["code"] == INVALID_PARAMS, number
    wire.request(method, at(4))
    assert wire.leave() == 0


def test_a_name_is_a_string_and_a_truth_is_one(bench: Bench) -> None:
    wire = bench.serve()
    names: list[Any] = [5, None, True, ["file:///a"], {}]
    for uri in names:
        given = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        error = wire.fails("textDocument/hover", given)
        assert error["code"] == INVALID_PARAMS
        assert "uri" in error["message"]
    assert wire.leave() == 0
