"""One frame's bytes as a message, or as the error that answers it.

Decoding never raises, whatever the bytes are, and never builds objects of the protocol library: parameters stay plain
data until the handler's own type is known. What cannot be read is answered with the request's id where one is legible.
"""

import json
import re
from typing import Any, Literal, NamedTuple

from lsprotocol.types import ErrorCodes

Id = int | str
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')


class Message(NamedTuple):
    """A request, a notification or the client's answer to a request of ours. ``params`` is plain JSON data."""

    kind: Literal["request", "notification", "response"]
    id: Id | None
    method: str
    params: Any
    error: Any = None  # of a response
    garbled: bool = False  # bytes of it were no UTF-8; U+FFFD stands for them


class Fault(NamedTuple):
    """A frame that is no message: what to answer, and to which id (None: it has none that can be read)."""

    id: Id | None
    code: int
    message: str


def decode(body: bytes) -> Message | Fault:
    """Read one frame."""
    try:
        data, garbled = _parse(body)
    except RecursionError:
        return _nested(body)
    except ValueError:
        return Fault(None, ErrorCodes.ParseError.value, "This frame is not JSON in UTF-8.")
    if not isinstance(data, dict):
        return Fault(None, ErrorCodes.InvalidRequest.value, "A message is one JSON object.")
    number, method = data.get("id"), data.get("method")
    known = number if _is_id(number) else None
    if method is None and ("result" in data or "error" in data):
        return Message("response", known, "", data.get("result"), data.get("error"))
    if data.get("jsonrpc") != "2.0":
        return Fault(known, ErrorCodes.InvalidRequest.value, 'A message says "jsonrpc": "2.0".')
    if "id" in data and known is None and method is not None:
        return Fault(None, ErrorCodes.InvalidRequest.value, "The id of a request is a number or a string.")
    if isinstance(method, str):
        kind: Literal["request", "notification"] = "notification" if known is None else "request"
        return Message(kind, known, method, data.get("params"), garbled=garbled)
    return Fault(known, ErrorCodes.InvalidRequest.value, "A request names a method.")


def _parse(body: bytes) -> tuple[Any, bool]:
    """Return the data and whether it is garbled: an editor may have bytes in a text that are no UTF-8, and sends them.

    Such a frame is read all the same. What it says of a document must not be lost without a word.
    """
    try:
        return json.loads(body), False
    except UnicodeDecodeError:
        return json.loads(body.decode("utf-8", "replace")), True


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _nested(body: bytes) -> Fault:
    """Answer a frame that nobody can parse, it is so deep; what it was meant to be is read off its tokens."""
    depth, older, last, first = 0, b"", b"", b""
    top: dict[bytes, bytes] = {}
    for found in _TOKEN.finditer(body):
        token = found[0]
        first = first or token
        depth += (token in b"[{") - (token in b"]}")
        if depth == 1 and last == b":":
            top[older] = token
        older, last = last, token
    if depth or first not in b"[{":
        return Fault(None, ErrorCodes.ParseError.value, "This frame is not JSON in UTF-8.")
    if first == b"[":
        return Fault(None, ErrorCodes.InvalidRequest.value, "A message is one JSON object.")
    number = _id_of(top.get(b'"id"', b"")) if b'"method"' in top else None
    code = ErrorCodes.InvalidRequest if number is None else ErrorCodes.InvalidParams
    return Fault(number, code.value, "This message is nested too deeply.")


def _id_of(token: bytes) -> Id | None:
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if _is_id(value) else None
