"""Servers in quick succession: one process that has everything loaded, and a fork of it for each server.

A fork is a real ``gazetteer serve`` from its first line on, with descriptors 0, 1 and 2 of its own; only the second
that it takes to import is saved. A process in between waits for it, so that its exit status can be told.
"""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, NamedTuple


class Born(NamedTuple):
    """A server that was started. ``ended`` gives one line, its exit status, once it has ended."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    ended: IO[bytes]


class Nursery:
    """Starts servers; use it as a context manager."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=os.sep,
                stdin=subprocess.DEVNULL,
            )
        self._socket = ours

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()
        self._process.wait(30)

    def start(self, arguments: list[str], environment: Mapping[str, str]) -> Born:
        pipes = [os.pipe() for _ in range(4)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1]]
        order = json.dumps([arguments, dict(environment)]).encode()
        socket.send_fds(self._socket, [b"%8d" % len(order) + order], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        pid = int(self._socket.recv(16))
        return Born(
            pid,
            open(pipes[0][1], "wb", buffering=0),
            open(pipes[1][0], "rb"),
            open(pipes[2][0], "rb"),
            open(pipes[3][0], "rb"),
        )


def _nurse(orders: socket.socket) -> None:
    """Fork a server for each order."""
    from gazetteer.cli import main
    from gazetteer.lsp.messages import Message
    from gazetteer.lsp.server import GazetteerServer
    from gazetteer.settings import Settings

    for name in ("app", "cli.entry", "cli.serve"):
        importlib.import_module(f"gazetteer.{name}")
    warm = GazetteerServer(Settings())  # makes what is made once a process
    warm.protocol.handle(Message("request", 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}))

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        head, descriptors, *_ = socket.recv_fds(orders, 8, 4)
        if not head:
            return
        order = b""
        while len(order) < int(head):
            order += orders.recv(int(head) - len(order))
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            server = os.fork()
            if server == 0:
                arguments, environment = json.loads(order)
                orders.close()
                for descriptor, place in zip(descriptors, range(3), strict=False):
                    os.dup2(descriptor, place)
                os.closerange(3, max(descriptors) + 1)
                sys.stdin = open(0, closefd=False)  # noqa: SIM115
                sys.stdout, sys.stderr = (open(place, "w", closefd=False) for place in (1, 2))  # noqa: SIM115
                os.environ.clear()
                os.environ.update(environment)
                sys.argv = ["gazetteer", *arguments]
                main()
            _wait(orders, descriptors, server)
        for descriptor in descriptors:
            os.close(descriptor)


def _wait(orders: socket.socket, descriptors: list[int], server: int) -> None:
    orders.sendall(b"%d" % server)
    orders.close()
    ended = descriptors.pop()
    for descriptor in descriptors:
        os.close(descriptor)
    _, status = os.waitpid(server, 0)
    with suppress(OSError):
        os.write(ended, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


if __name__ == "__main__":
    _nurse(socket.socket(fileno=int(sys.argv[1])))
