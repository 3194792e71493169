"""Random sessions: lifecycle, document and command messages in any order, with odd ranges, ids, values and bytes.

A session is plain data, so that a failing one is shrunk and printed. What has to come of it is told by a model that
shares no code with the server: the states of the specification, and documents as strings.
"""

import hashlib
import json
import re
from typing import Any, NamedTuple

from hypothesis import strategies as st

ENCODINGS = ("utf-8", "utf-16", "utf-32")
DOCUMENTS = ("a.py", "new.py", "untitled:1")
LETTERS = ("a", "b ", "é", "€", "𝄞", "\n", "\r\n", "\r", "\u2028", "\x0b", "\x85", "\ufeff", "def f():\n")

texts = st.lists(st.sampled_from(LETTERS), max_size=8).map("".join)
places = st.tuples(st.integers(-1, 5), st.integers(-1, 6)) | st.sampled_from([(0, 0), (10**6, 0), (0, 10**9)])
edits = st.tuples(st.none() | st.tuples(places, places), texts)
odd: st.SearchStrategy[Any] = st.sampled_from([None, True, 0, -1, 1.5, "", "x", [], {}, [[]], {"a": None}])


class Step(NamedTuple):
    """One thing that a client does; ``what`` names it."""

    what: str
    given: Any = None


def steps() -> st.SearchStrategy[Step]:
    document = st.sampled_from(DOCUMENTS)
    version = st.sampled_from([1, 1, 1, 1, 0, -1, 5, None])
    methods = ("gazetteer/nothing", "textDocument/hover", "$/odd", "workspace/executeCommand", "exit/", "")
    names = ("retrieve", "expand", "related", "explain", "status", "markDirty", "flush", "sync", "barrier", "show")
    requests = st.tuples(st.sampled_from(methods), odd) | st.tuples(
        st.sampled_from(names).map(lambda name: f"gazetteer/{name}"), odd | arguments()
    )
    return st.one_of(
        st.builds(Step, st.just("open"), st.tuples(document, texts)),
        st.builds(Step, st.just("change"), st.tuples(document, version, st.lists(edits, max_size=3))),
        st.builds(Step, st.just("change"), st.tuples(document, st.just(1), st.lists(edits, min_size=1, max_size=2))),
        st.builds(Step, st.just("close"), document),
        st.builds(Step, st.just("notify"), st.tuples(notifications(), odd | uris())),
        st.builds(Step, st.just("request"), requests),
        st.builds(
            Step, st.just("command"), st.tuples(st.sampled_from(names), odd | arguments().map(lambda one: [one]))
        ),
        st.builds(Step, st.just("cancel"), st.integers(0, 12)),
        st.builds(Step, st.just("respond"), odd),
        st.builds(Step, st.just("bytes"), st.sampled_from([b"", b"{", b"[]", b"\xff", b'{"jsonrpc":"2.0","id":{}}'])),
        st.sampled_from([Step("wait"), Step("initialize"), Step("initialize badly"), Step("shutdown")]),
    )


def arguments() -> st.SearchStrategy[Any]:
    fields = {
        "query": st.sampled_from(["apple", "", "f", "-a", '"a b"']) | odd,
        "limit": st.sampled_from([1, 6, 0, 51]) | odd,
        "target": st.sampled_from(["a.py:1", "a.py:99", "../x:1", ""]),
        "locator": st.sampled_from(["gz1:x", "", "gz1:::1-1:"]),
        "method": st.sampled_from(["gazetteer/status", "gazetteer/retrieve", "gazetteer/sync"]),
        "title": st.just("t"),
        "params": st.just({"query": "apple"}) | odd,
        "workDoneToken": st.sampled_from([1, "t"]) | odd,
        "partialResultToken": st.sampled_from([2, "p"]),
        "budget": st.just({"characters": 5}) | odd,
        "root": odd,
    }
    return st.fixed_dictionaries({}, optional=fields)


def notifications() -> st.SearchStrategy[str]:
    documents = [f"textDocument/did{what}" for what in ("Open", "Change", "Close", "Save")]
    workspace = [f"workspace/did{what}" for what in ("ChangeWatchedFiles", "RenameFiles", "ChangeConfiguration")]
    others = ["initialized", "$/odd", "odd", "$/cancelRequest", "window/workDoneProgress/cancel", "$/setTrace"]
    return st.sampled_from([*documents, *workspace, *others])


def uris() -> st.SearchStrategy[Any]:
    return st.sampled_from(
        [{"changes": [{"uri": "file:///x", "type": 2}]}, {"id": "nobody"}, {"token": "nobody"}, {"settings": {"a": 1}}]
    )


class Session(NamedTuple):
    """One run of a server."""

    first: tuple[Step, ...]  # before it is initialized
    encoding: str | None
    capable: bool
    then: tuple[Step, ...]


sessions = st.builds(
    Session,
    st.lists(steps(), max_size=3).map(tuple),
    st.none() | st.sampled_from(ENCODINGS),
    st.booleans(),
    st.lists(steps(), max_size=24).map(tuple),
)


# -- documents as strings -----------------------------------------------------------------------------------------


class Reference:
    """A document as the specification has it."""

    def __init__(self, text: str, version: int) -> None:
        self.text, self.version, self.in_step = text, version, True

    def change(self, version: int | None, changes: list[tuple[Any, str]], encoding: str) -> None:
        number = self.version + 1 if version is None else version
        if number <= self.version:
            return
        if not self.in_step and all(span is not None for span, _ in changes):
            return
        text = self.text
        last = max((at for at, (span, _) in enumerate(changes) if span is None), default=-1)
        for at, (span, new) in enumerate(changes):
            if span is None:
                text = new
            elif at > last:
                start, end = (offset(text, line, character, encoding) for line, character in span)
                if span[0] > span[1] or start is None or end is None:
                    self.in_step = False
                    return
                text = text[:start] + new + text[end:]
        self.text, self.version, self.in_step = text, number, True

    @property
    def state(self) -> tuple[int, str]:
        """Version and content id."""
        text = re.sub("\r\n?", "\n", self.text.removeprefix("\ufeff"))
        return self.version, hashlib.sha256(text.encode()).hexdigest()


def offset(text: str, line: int, character: int, encoding: str) -> int | None:
    """Where a position is in a text; None where it is nowhere."""
    if line < 0 or character < 0:
        return None
    starts = [0, *(found.end() for found in re.finditer("\r\n|\r|\n", text))]
    if line >= len(starts):
        return len(text)
    content = re.match("[^\r\n]*", text[starts[line] :])
    assert content is not None
    at = 0
    for number, letter in enumerate(content[0]):
        if at >= character:
            return starts[line] + number if at == character else None
        at += (
            len(letter.encode({"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)))
            // ({"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding])
        )
    return starts[line] + len(content[0]) if at <= character else None


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()
