"""A client that is nothing but frames: what it sends is exactly what a test says, and what comes is kept as it came.

It answers nothing by itself. Whatever a server writes that is no frame is an error of the test.
"""

import json
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .nursery import Born

PATIENCE_S = 120.0
"""How long something may take before it counts as never; all of it takes well under a second on an idle machine."""
Json = dict[str, Any]


class Wire:
    """One connection to one server."""

    def __init__(self, born: Born) -> None:
        self._born = born
        self.pid = born.pid
        self.got: list[Json] = []
        self.junk = b""
        self._news = threading.Condition()
        self._over = False
        self._number = 0
        self._errors: list[bytes] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    # -- sending ------------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        self._born.stdin.write(data)

    def frame(self, body: bytes) -> None:
        self.raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send(self, message: Any) -> None:
        self.frame(json.dumps(message).encode())

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any = None, number: Any = None) -> Any:
        """Send a request and return its id."""
        if number is None:
            self._number += 1
            number = self._number
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def respond(self, number: Any, result: Any = None, error: Any = None) -> None:
        answer = {"result": result} if error is None else {"error": error}
        self.send({"jsonrpc": "2.0", "id": number, **answer})

    # -- receiving ----------------------------------------------------------------------------------------------

    def wait(self, fits: Callable[[Json], bool]) -> Json:
        """Return the first message that fits, now or later."""
        seen = 0
        until = time.monotonic() + PATIENCE_S
        with self._news:
            while True:
                for message in self.got[seen:]:
                    if fits(message):
                        return message
                seen = len(self.got)
                left = until - time.monotonic()
                assert not self._over, f"the server ended; it said {self.errors()!r} and sent {self.got[-3:]}"
                assert left > 0, f"nothing fits among {self.got[-5:]}"
                self._news.wait(left)

    def answer(self, number: Any) -> Json:
        return self.wait(lambda message: "method" not in message and message.get("id") == number)

    def answers(self, number: Any) -> list[Json]:
        with self._news:
            return [one for one in self.got if "method" not in one and one.get("id") == number]

    def request(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result; an error answer is an error of the test."""
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def fails(self, method: str, params: Any = None) -> Json:
        """Send a request that has to fail and return the error."""
        answer = self.answer(self.begin(method, params))
        assert "result" not in answer, answer
        error: Json = answer["error"]
        return error

    def asked(self, method: str) -> Json:
        """Wait for a request or notification of the server."""
        return self.wait(lambda message: message.get("method") == method)

    def logged(self) -> list[str]:
        with self._news:
            return [one["params"]["message"] for one in self.got if one.get("method") == "window/logMessage"]

    def methods(self) -> set[str]:
        """Everything that the server asked or told."""
        with self._news:
            return {one["method"] for one in self.got if "method" in one}

    def errors(self) -> str:
        return b"".join(self._errors).decode("utf-8", "replace")

    # -- the life of a session ----------------------------------------------------------------------------------

    def initialize(self, **more: Any) -> Any:
        given = {"processId": os.getpid(), "rootUri": None, "capabilities": {}, **more}
        result = self.request("initialize", given)
        self.notify("initialized", {})
        return result

    def leave(self) -> int:
        """Shut down properly."""
        self.request("shutdown")
        self.notify("exit")
        return self.status()

    def hang_up(self) -> None:
        """Close what the server reads."""
        self._born.stdin.close()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def status(self) -> int:
        """Wait for the end and return the exit status; -9 after a kill."""
        assert select.select([self._born.ended], [], [], PATIENCE_S)[0], "the server is still there"
        status = int(self._born.ended.readline() or 255)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return status

    def close(self) -> None:
        """Let go of the server, whatever it is doing."""
        if not self._over or self._threads[0].is_alive():
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for stream in (self._born.stdin, self._born.stdout, self._born.stderr, self._born.ended):
            stream.close()

    # -- threads ------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        stream = self._born.stdout
        while line := stream.readline():
            if not line.startswith(b"Content-Length: "):
                self.junk += line
                continue
            length = int(line.split(b":")[1])
            blank = stream.readline()
            body = stream.read(length)
            with self._news:
                if blank != b"\r\n" or len(body) < length:
                    self.junk += blank + body
                else:
                    self.got.append(json.loads(body))
                self._news.notify_all()
        with self._news:
            self._over = True
            self._news.notify_all()

    def _read_errors(self) -> None:
        while data := self._born.stderr.read1(65536):  # type: ignore[attr-defined]
            self._errors.append(data)
