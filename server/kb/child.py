"""Processes of ours beside this one: how they are started, and how both sides speak over pipes.

Plain ``python -m`` children, no fork and nothing shared; messages are length-prefixed. They end when their standard
input does, whatever happened to the parent, and an interrupt is the parent's alone.
"""

import os
import struct
import subprocess
import sys
from contextlib import suppress
from typing import IO

_LENGTH = struct.Struct("<I")
LOWEST = 19
"""The priority of what nobody waits for: what others leave of the processors."""


def start(module: str, *, aside: bool = False) -> "subprocess.Popen[bytes]":
    """Start a module of this room as a process; its standard input and output are unbuffered pipes.

    ``aside`` gives it the lowest priority, where the system has such.

    Raises:
        OSError: no process can be started.
    """
    package = __name__.split(".", 1)[0]
    # -P and the root folder as working directory: a tree must not be able to shadow a module that we import.
    # A process group of its own: a terminal interrupts the whole group of what was typed.
    # Unbuffered: a thread that reads while the interpreter ends must not hold the lock of a buffer.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", f"{package}.kb.{module}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        cwd=os.sep,
        process_group=0,
    )
    if aside:
        with suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST)
    return process


def send(pipe: IO[bytes], payload: bytes) -> None:
    """Write one message. Raises OSError when nobody reads any more."""
    left = memoryview(_LENGTH.pack(len(payload)) + payload)
    while left:
        left = left[pipe.write(left) :]
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """Read one message; None at the end of the input."""
    head = _read(pipe, _LENGTH.size)
    return _read(pipe, _LENGTH.unpack(head)[0]) if head is not None else None


def _read(pipe: IO[bytes], size: int) -> bytes | None:
    """Exactly so many bytes; None when the input ends before."""
    parts: list[bytes] = []
    while size > 0:
        part = pipe.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
