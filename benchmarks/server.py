"""What the language server costs at its start, beside an empty server of the same library, and what a stop costs.

    python benchmarks/server.py [--tree TREE] [--runs 20]

*Start*: from spawning the process to the answer of ``initialize``, the two in turn, so that whatever else the machine
does meets both. *Stopped*: a question that is cancelled after 10 ms; the time until the thread that works on it has
nothing left to do, and what that thread still computed meanwhile, which other work on the machine does not blur.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from math import ceil
from statistics import median
from typing import Any

EMPTY = "from pygls.lsp.server import LanguageServer\nLanguageServer('empty', '1').start_io()\n"
CANCEL_AFTER_S = 0.01


class Client:
    """A server over pipes, asked one request at a time."""

    def __init__(self, command: list[str], cache: str) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GAZETTEER_DB_PATH": cache},
        )
        self._number = 0

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while (answer := self._receive()).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def initialize(self, root: str | None, capabilities: dict[str, Any]) -> None:
        """Begin the session."""
        self.request("initialize", {"processId": os.getpid(), "rootUri": root, "capabilities": capabilities})

    def close(self) -> None:
        """End it properly."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self._process.wait(10)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream, length = self._process.stdout, 0
        assert stream is not None
        while line := stream.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        answer: dict[str, Any] = json.loads(stream.read(length))
        return answer


def gazetteer() -> list[str]:
    """Return the command that editors run."""
    return [sys.executable, "-P", "-m", "gazetteer", "serve"]


def start(command: list[str], root: str | None, capabilities: dict[str, Any], cache: str) -> float:
    """Milliseconds from the spawn to the answer of ``initialize``."""
    began = time.perf_counter()
    client = Client(command, cache)
    client.initialize(root, capabilities)
    took = (time.perf_counter() - began) * 1000
    client.close()
    return took


def measure_starts(runs: int, root: str, cache: str) -> None:
    """Both servers in turn, with few capabilities and with an editor's."""
    for name, capabilities in (("none", {}), ("an editor's", editor_capabilities())):
        took: dict[str, list[float]] = {"empty": [], "gazetteer": []}
        for _ in range(runs + 1):
            took["empty"].append(start([sys.executable, "-P", "-c", EMPTY], root, capabilities, cache))
            took["gazetteer"].append(start(gazetteer(), root, capabilities, cache))
        empty, ours = (median(took[which][1:]) for which in ("empty", "gazetteer"))
        print(f"| start, capabilities: {name} | empty {empty:.0f} ms, gazetteer {ours:.0f} ms | {ours / empty:.2f}x |")


def editor_capabilities() -> dict[str, Any]:
    """What a well-equipped client says, as far as this server listens."""
    return {
        "general": {"positionEncodings": ["utf-16"]},
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
        "workspace": {
            "applyEdit": True,
            "workspaceFolders": True,
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "workspaceEdit": {"documentChanges": True},
        },
        "textDocument": {
            "synchronization": {"didSave": True},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "codeAction": {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
        },
    }


def measure_stops(runs: int, root: str, cache: str) -> None:
    """Questions of several kinds, stopped after 10 ms."""
    from gazetteer.app import Session
    from gazetteer.kb.buffer import Buffer
    from gazetteer.kb.cancel import Cancel
    from gazetteer.kb.errors import CancelledError
    from gazetteer.kb.model import DocumentPath
    from gazetteer.retrieval.query import Query
    from gazetteer.settings import Settings

    words = ("how are errors handled and reported to the caller", "connection pool timeout", "parse the arguments")
    with Session(root, Settings(db_path=cache, sweep_reuse_ms=0), one_shot=False) as session:
        session.sync()
        versions = itertools.count(1)
        large = "".join(f"def function_{number}(value):\n    return value + {number}\n" for number in range(23_000))

        def edited(text: str, cancel: Cancel) -> Any:
            version = next(versions)
            buffer = Buffer.of(f"{large}def typed_{version}(): ...\n", version)
            session.kb.buffers.put(DocumentPath("large.py"), buffer, counts=True)
            return session.retrieve(Query(text, limit=50), cancel=cancel)

        kinds: dict[str, Callable[[str, Cancel], Any]] = {
            "a question": lambda text, cancel: session.retrieve(Query(text, limit=50), cancel=cancel),
            "a question, strict": lambda text, cancel: session.retrieve(
                Query(text, limit=50, freshness="strict"), cancel=cancel
            ),
            "a question, 1 MB buffer edited": edited,
            "indexing anew": lambda _, cancel: session.sync(anew=True, cancel=cancel),
        }
        for name, ask in kinds.items():
            took, worked, early = [], [], 0
            for number in range(runs):
                cancel, go = Cancel(), threading.Event()
                ended: list[tuple[float, float]] = []

                def work(
                    ask: Any = ask,
                    text: str = words[number % 3],
                    cancel: Cancel = cancel,
                    ended: Any = ended,
                    go: Any = go,
                ) -> None:
                    go.wait()
                    try:
                        ask(text, cancel)
                    except CancelledError:
                        ended.append((time.perf_counter(), time.thread_time()))

                thread = threading.Thread(target=work)
                thread.start()
                assert thread.ident is not None
                clock = time.pthread_getcpuclockid(thread.ident)
                go.set()
                thread.join(CANCEL_AFTER_S)
                began, used = time.perf_counter(), time.clock_gettime(clock) if thread.is_alive() else 0.0
                cancel.set()
                thread.join()
                took += [(at - began) * 1000 for at, _ in ended]
                worked += [(cpu - used) * 1000 for _, cpu in ended]
                early += not ended
            if took:
                tell(f"{name} stopped after 10 ms ({early} of {runs} had been answered): over after", took)
                tell(f"{name} stopped after 10 ms: processor time after that", worked)


def tell(what: str, took: list[float]) -> None:
    """Print one row."""
    p95 = sorted(took)[ceil(0.95 * len(took)) - 1]
    print(f"| {what} | p50 {median(took):.1f} ms, p95 {p95:.1f} ms, most {max(took):.1f} ms | |")


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree, cache = os.path.join(folder, "tree"), os.path.join(folder, "indexes")
        shutil.copytree(given.tree, tree, ignore=shutil.ignore_patterns(".git", "node_modules"), symlinks=True)
        print(
            f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n\n| what | measured | beside |\n|---|---|---|"
        )
        measure_starts(given.runs, f"file://{tree}", cache)
        measure_stops(given.runs, tree, cache)


if __name__ == "__main__":
    main()
