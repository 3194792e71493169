"""What a derive process does: it answers what `derive_pool` asks of it, until its input ends.

Length-prefixed msgpack both ways: options first; then lists of paths, each answered file by file, or the text of one
open buffer. A parser that takes the machine's memory, or dies, takes this process with it and nothing else.
"""

import os
import sys
from contextlib import suppress
from typing import IO

import msgspec

from .child import receive, send
from .derive import Candidate, DeriveOptions, EditedBuffer, derive_file, load_annotator
from .errors import GazetteerError
from .model import DocumentPath
from .store.content import ContentStore

MAX_MEMORY = 2 << 30
"""Bytes of address space of a derive process; what it maps of the store counts in it."""

_encode = msgspec.msgpack.Encoder().encode
_options = msgspec.msgpack.Decoder(DeriveOptions).decode
_request = msgspec.msgpack.Decoder(tuple[list[bytes], bytes]).decode


def serve(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """The loop of a derive process: options first, then lists of paths, until the input ends."""
    _bound_memory()
    first = receive(stdin)
    if first is None:
        return
    options = _options(first)
    annotate = load_annotator(options.annotator)
    contents = _open_contents(options.content_db)
    buffer = EditedBuffer()
    while (payload := receive(stdin)) is not None:
        names, text = _request(payload)
        if text:
            path = DocumentPath(os.fsdecode(names[0]))
            derived = buffer.derive(path, text.decode("utf-8", "surrogatepass"), deadline_s=options.deadline_s)
            send(stdout, _encode(derived))
            continue
        for name in names:
            outcome = derive_file(DocumentPath(os.fsdecode(name)), options, contents, annotate)
            nameless = msgspec.structs.replace(outcome, path=DocumentPath(""))
            send(stdout, _encode((isinstance(outcome, Candidate), nameless)))


def _bound_memory() -> None:
    """Let a parser that recovers from hostile text by the gigabyte end this process, not the machine.

    The file then has no structure; no callback of the parser's sees such a step coming.
    """
    try:
        import resource
    except ImportError:  # no such limit on this system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = MAX_MEMORY if hard == resource.RLIM_INFINITY else min(MAX_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))


def _open_contents(path: str) -> ContentStore | None:
    if not path:
        return None
    try:
        return ContentStore(path, read_only=True)
    except GazetteerError:
        return None  # everything counts as new then, which costs time and nothing else


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the parent was killed; there is nobody to tell
        serve(sys.stdin.buffer, sys.stdout.buffer)
