"""What a lookout process does: it says of trees whether every file is still as it was, until its input ends.

It never says what has changed, so that only `sweep` decides that, and it believes nothing that a sweep would not: it is
told signatures that can be trusted, and any other answer of the file system than these is a no. It imports little, and
ends by itself when it is not asked for long.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import IO

import msgspec

from .child import receive, send
from .model import DocumentPath, Signature
from .turn import fits, turn

BATCH = 2_000
IDLE_S = 120.0
"""How long it waits for a question. It starts in a tenth of a second and holds 14 MB, and 1 MB for 4,000 files."""


class Listing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A tree as it was: paths below its root; rule files are absolute, None where there is none."""

    root: str
    max_file_bytes: int
    files: Mapping[DocumentPath, Signature]
    directories: Mapping[DocumentPath, Signature]
    rule_files: Mapping[str, Signature | None]
    oversize: tuple[str, ...]  # refused for their size


class Question(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Asks whether a tree is as it was told last; without ``number`` nothing is asked."""

    tree: int
    number: int = 0
    listing: Listing | None = None
    over: bool = False  # the tree is not asked about again


def unmoved(listing: Listing) -> bool:
    """Whether everything still has the signature that it had."""
    lead = os.path.join(listing.root, "")
    if not all(_rule_is(path, known) for path, known in listing.rule_files.items()):
        return False
    if any(fits(lead + path, listing.max_file_bytes) for path in listing.oversize):
        return False
    left = chain(listing.directories.items(), listing.files.items())
    while batch := list(islice(left, BATCH)):
        with turn():
            if not all(_as_they_were(lead, batch)):
                return False
    return True


def _as_they_were(lead: str, batch: Sequence[tuple[str, Signature]]) -> Iterator[bool]:
    for path, known in batch:
        try:
            now = os.lstat(lead + path)
        except OSError:
            yield False
            return
        yield known.is_of(now)


def _rule_is(path: str, known: Signature | None) -> bool:
    try:
        now = os.stat(path)
    except OSError:
        return known is None
    return known is not None and known.is_of(now)


class Answering:
    """Each question has a thread: a disk that does not answer keeps nobody from another one."""

    def __init__(self, stdout: IO[bytes]) -> None:
        self._stdout = stdout
        self._lock = threading.Lock()
        self._asked_at = time.monotonic()
        self._under_way = 0

    def begin(self, number: int, listing: Listing | None) -> None:
        """Have a question answered."""
        with self._lock:
            self._asked_at = time.monotonic()
            self._under_way += 1
        threading.Thread(target=self._answer, args=(number, listing), daemon=True).start()

    def _answer(self, number: int, listing: Listing | None) -> None:
        found = listing is not None and unmoved(listing)
        with self._lock:
            self._under_way -= 1
            self._asked_at = time.monotonic()
            with suppress(OSError):  # the parent was killed; there is nobody to tell
                send(self._stdout, msgspec.msgpack.encode((number, found)))

    def end_when_idle(self, idle_s: float) -> None:
        """End this process once nothing was asked for so long."""
        while True:
            with self._lock:
                left = self._asked_at + idle_s - time.monotonic()
                if left <= 0.0 and not self._under_way:
                    os._exit(0)
            time.sleep(max(left, idle_s / 10))


def main() -> None:
    """Be a lookout process: say that it is there, then answer until the input ends or nothing is asked for long."""
    answering = Answering(sys.stdout.buffer)
    threading.Thread(target=answering.end_when_idle, args=(IDLE_S,), daemon=True).start()
    with suppress(OSError):
        send(sys.stdout.buffer, msgspec.msgpack.encode((0, True)))
        serve(sys.stdin.buffer, answering)


def serve(stdin: IO[bytes], answering: Answering) -> None:
    """Have what is asked answered until the input ends."""
    decode = msgspec.msgpack.Decoder(Question).decode
    listings: dict[int, Listing] = {}
    while (payload := receive(stdin)) is not None:
        question = decode(payload)
        if question.over:
            listings.pop(question.tree, None)
        if question.listing is not None:
            listings[question.tree] = question.listing
        if question.number:
            answering.begin(question.number, listings.get(question.tree))


if __name__ == "__main__":
    main()
