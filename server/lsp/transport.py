r"""Frames in and out: the one place that reads and writes the connection, on threads of its own.

The reader shares no pool with handlers, and the event loop never waits for a client that does not read. Standard output
belongs to frames alone: before anything else runs, descriptor 1 becomes a copy of descriptor 2, so that a stray print,
of whatever library or child process, lands among the errors.
"""

import os
import queue
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, cast

LONGEST_FRAME = 256 * 1024 * 1024
LONGEST_HEADER = 8 * 1024
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})[ \t]*", re.IGNORECASE)


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for frames; what others read or print there afterwards goes elsewhere."""
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    os.set_blocking(outgoing, True)
    return open(incoming, "rb"), open(outgoing, "wb", buffering=0)


def accept(address: str) -> tuple[BinaryIO, BinaryIO]:
    """Wait for one client on ``HOST:PORT``; port 0 takes a free one. The address is said on standard error."""
    host, _, port = address.rpartition(":")
    with socket.create_server((host, int(port))) as listener:
        bound = listener.getsockname()
        print(f"Listening on {bound[0]}:{bound[1]}", file=sys.stderr, flush=True)  # noqa: T201
        connection, _ = listener.accept()
    return connection.makefile("rb"), cast("BinaryIO", connection.makefile("wb", buffering=0))


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """Give the bodies of frames until the stream ends, passing over lines that are no header.

    Raises:
        ValueError: a frame is longer than `LONGEST_FRAME`, or its length cannot be read.
    """
    length = -1
    while line := stream.readline(LONGEST_HEADER):
        header = line.strip()
        if (found := _LENGTH.fullmatch(header)) is not None:
            length = int(found[1])
            if length > LONGEST_FRAME:
                raise ValueError(f"a frame of {length} bytes is longer than {LONGEST_FRAME}")
        elif header.lower().startswith(b"content-length"):
            raise ValueError("a frame says no length that can be read")  # what follows could be taken for anything
        elif not header and length >= 0:
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
            length = -1


class Reader(threading.Thread):
    """Hands every frame to ``take``, and calls ``end`` once the stream has ended or is beyond use."""

    def __init__(self, stream: BinaryIO, take: Callable[[bytes], None], end: Callable[[str], None]) -> None:
        super().__init__(name="lsp-reader", daemon=True)
        self._stream = stream
        self._take = take
        self._end = end

    def run(self) -> None:
        """Read until the end."""
        reason = "the client closed the connection"
        try:
            for body in frames(self._stream):
                self._take(body)
        except (OSError, ValueError) as error:
            reason = str(error)
        self._end(reason)


class Writer(threading.Thread):
    """Writes frames in the order in which they were given, without ever making the giver wait."""

    def __init__(self, stream: BinaryIO, broken: Callable[[str], None]) -> None:
        super().__init__(name="lsp-writer", daemon=True)
        self._stream = stream
        self._broken = broken
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def send(self, body: bytes) -> None:
        """Queue one frame."""
        self._waiting.put(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def finish(self, seconds: float) -> None:
        """Write what is queued and end, within a time."""
        self._waiting.put(None)
        self.join(seconds)

    def run(self) -> None:
        """Write until told to finish, or until nobody can read any more."""
        try:
            while (frame := self._waiting.get()) is not None:
                left = memoryview(frame)
                while left:
                    left = left[self._stream.write(left) or 0 :]
        except OSError as error:
            self._broken(str(error))
        with suppress(OSError):
            self._stream.close()
