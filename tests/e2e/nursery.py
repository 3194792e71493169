"""Processes that may be killed, for the price of a fork.

A *nursery* is a process that has imported everything and has done nothing: no thread, no open database. Every child is
forked from it, does one of the `DEEDS`, and may be told to die (or to wait) at a fail point, after so many calls, or
after so many milliseconds. The kernel kills it in each case: no handler runs, nothing is tidied.
"""

import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

SPARE = ("PYTHONPATH", "PATH", "LANG")


class Child:
    """A process that was forked from the nursery."""

    def __init__(self, nursery: "Nursery", pid: int, out: Path) -> None:
        self._nursery = nursery
        self.pid = pid
        self._out = out

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> "Ended":
        """Wait for its end, and collect what it said."""
        status = self._nursery.ask({"wait": self.pid})["status"]
        said, calls = json.loads(self._out.read_bytes() or b"[null, 0]")
        self._out.unlink()
        return Ended(os.waitstatus_to_exitcode(status), said, calls)


class Ended:
    """How a child ended: its exit code (negative: the signal that killed it), what its deed returned, and its calls."""

    def __init__(self, code: int, said: Any, calls: int) -> None:
        self.code = code
        self.said = said
        self.calls = calls  # of functions, if it was to die at one of them and did not live to see it

    @property
    def killed(self) -> bool:
        return self.code in (-signal.SIGKILL, -signal.SIGALRM)

    def __repr__(self) -> str:
        return f"Ended({self.code}, {self.said})"


class Nursery:
    """The process that children are forked from. Close it, or use it as a context manager."""

    def __init__(self, folder: Path, *, umask: int = 0o022) -> None:
        self._folder = folder
        self._count = 0
        home = folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            umask=umask,
            env={"HOME": str(home), **{name: os.environ[name] for name in SPARE if name in os.environ}},
        )

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def start(
        self, deed: str, *, point: str = "", times: int = 1, calls: int = 0, seconds: float = 0.0, **arguments: Any
    ) -> Child:
        """Fork a child that does a deed.

        Args:
            deed: a key of `DEEDS`, which takes ``arguments``.
            point: the fail point to die at.
            times: die when that point is reached for this time, from 1.
            calls: die at this call of a function, Python's or a library's.
            seconds: die after that time.
            **arguments: those of the deed, and: ``gate=PATH``, not to die at the fail point but to wait there, after
                the FIFO ``PATH`` was opened for writing, until ``PATH + ".go"`` can be opened for reading; ``room=N``,
                to find that no file can grow beyond so many bytes; ``ordinary=True``, to be
                kept out by permissions although root started it.
        """
        self._count += 1
        out = self._folder / f"said-{self._count}.json"
        kill = {"point": point, "times": times, "calls": calls, "seconds": seconds}
        pid = self.ask({"deed": deed, "kill": kill, "out": str(out), "arguments": arguments})["pid"]
        return Child(self, pid, out)

    def run(self, deed: str, **options: Any) -> Ended:
        """`start`, and wait for the end."""
        return self.start(deed, **options).wait()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


# ---------------------------------------------------------------- what children do


def session(tree: str, cache: str, **settings: Any) -> Any:
    """A session as the command opens it."""
    from gazetteer.app import Session
    from gazetteer.settings import Settings

    one_shot = settings.pop("one_shot", True)
    defaults = {"workers": 1, "sweep_reuse_ms": 0}
    return Session(tree, Settings(db_path=cache, **{**defaults, **settings}), one_shot=one_shot)


def sync(tree: str, cache: str, **settings: Any) -> Any:
    with session(tree, cache, **settings) as opened:
        found = opened.sync()
    return {"generation": found.generation, "state": found.state}


def ask(tree: str, cache: str, word: str, **settings: Any) -> Any:
    from gazetteer.retrieval.query import Query, to_wire

    with session(tree, cache, **settings) as opened:
        return to_wire(opened.retrieve(Query(text=word, limit=50)))


def compact(tree: str, cache: str, **settings: Any) -> Any:
    with session(tree, cache, **settings) as opened:
        opened.sync()
        opened.compact()


def witness(tree: str, cache: str, ticks: str, name: str, **settings: Any) -> Any:
    """Ask, again and again, until the reader of the FIFO ``ticks`` has gone; say what was wrong with the answers.

    Each answer is a letter there: the first of ``name``, as a capital where the answer was complete.
    """
    sys.path.insert(0, os.path.dirname(__file__))
    from witness import Witness  # type: ignore[import-not-found]  # beside this file, which is a program here

    with session(tree, cache, **settings) as opened, open(ticks, "wb", buffering=0) as told:
        seen = Witness(tree, opened, name, one_shot=settings.get("one_shot", True))
        with suppress(BrokenPipeError):
            while True:
                before = seen.complete
                seen.ask()
                told.write((name[0].upper() if seen.complete > before else name[0]).encode())
        return {"asked": seen.asked, "wrong": seen.wrong[:5], "complete": seen.complete}


def write_and_ask(tree: str, cache: str, name: str, count: int) -> Any:
    """Write a file and ask for what was written, again and again; say which writes were not seen."""
    from gazetteer.retrieval.query import Query

    lost = []
    with session(tree, cache) as opened:
        for at in range(count):
            with open(os.path.join(tree, f"{name}.py"), "w") as file:
                file.write(f"def {name}_{at}():\n    return {at}\n")
            hits = opened.retrieve(Query(text=f"{name}_{at}", limit=50)).hits
            if not any(hit.relpath == f"{name}.py" and f"{name}_{at}()" in hit.text for hit in hits):
                lost.append(at)
    return lost


DEEDS: dict[str, Callable[..., Any]] = {
    "sync": sync,
    "ask": ask,
    "compact": compact,
    "witness": witness,
    "write_and_ask": write_and_ask,
}


# ---------------------------------------------------------------- the nursery's own process


def arm(kill: dict[str, Any], gate: str = "") -> list[int]:
    """Arrange the death of this process; return the counter of its calls."""
    from gazetteer.kb import failpoints, publish

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def pause(*_: object) -> None:
        with open(gate, "wb"), open(gate + ".go", "rb") as go:
            go.read()

    failpoints._armed, failpoints._left = kill["point"], kill["times"]
    if gate:
        vars(failpoints)["os"] = types.SimpleNamespace(kill=pause, getpid=os.getpid)
    if kill["seconds"]:
        signal.setitimer(signal.ITIMER_REAL, kill["seconds"])
    if kill["point"] == "publish.collected":
        publish.COLLECT_EVERY = 1
    made = [0]

    def count(_frame: object, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            made[0] += 1
            if made[0] == kill["calls"]:
                die()

    if kill["calls"]:
        threading.setprofile(count)
        sys.setprofile(count)
    return made


def be_born(message: dict[str, Any]) -> None:
    """The whole life of a child."""
    arguments = message["arguments"]
    made = [0]
    with open(message["out"], "w") as out:
        try:
            made = arm(message["kill"], arguments.pop("gate", ""))
            restrict(arguments.pop("room", 0), arguments.pop("ordinary", False))
            said, code = DEEDS[message["deed"]](**arguments), 0
        except BaseException as error:
            said, code = f"{type(error).__name__}: {error}", 1
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        restrict(resource.RLIM_INFINITY, False)
        json.dump([said, made[0]], out)
    os._exit(code)


def restrict(room: int, ordinary: bool) -> None:
    """Take away what a test wants to be missing."""
    if room:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    if ordinary:
        # this file is run as a program, so it has no package to import from
        runpy.run_path(str(Path(__file__).with_name("ordinary.py")))["give_up_rights"]()


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    import gazetteer.app
    import gazetteer.kb.derive_pool
    import gazetteer.retrieval.query  # noqa: F401

    for line in requests:
        message = json.loads(line)
        if "wait" in message:
            answer = {"status": os.waitpid(message["wait"], 0)[1]}
        else:
            pid = os.fork()
            if pid == 0:
                be_born(message)
            answer = {"pid": pid}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
