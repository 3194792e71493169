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
        return Fault(_legible_id(body), ErrorCodes.InvalidParams.value, "The parameters are nested too deeply.")
    except ValueError:
        return Fault(None, ErrorCodes.ParseError.value, "This frame is not JSON in UTF-8.")
    if not isinstance(data, dict):
        return Fault(None, ErrorCodes.InvalidRequest.value, "A message is one JSON object.")
    number, method = data.get("id"), data.get("method")
    known = number if _is_id(number) else None
    if data.get("jsonrpc") != "2.0":
        return Fault(known, ErrorCodes.InvalidRequest.value, 'A message says "jsonrpc": "2.0".')
    if "id" in data and known is None and method is not None:
        return Fault(None, ErrorCodes.InvalidRequest.value, "The id of a request is a number or a string.")
    if isinstance(method, str):
        kind: Literal["request", "notification"] = "notification" if known is None else "request"
        return Message(kind, known, method, data.get("params"), garbled=garbled)
    if method is None and ("result" in data or "error" in data):
        return Message("response", known, "", data.get("result"), data.get("error"))
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


def _legible_id(body: bytes) -> Id | None:
    """Find the id of a request that cannot be parsed, by walking over its tokens."""
    depth, older, last = 0, b"", b""
    for found in _TOKEN.finditer(body):
        token = found[0]
        depth += (token in b"[{") - (token in b"]}")
        if depth == 1 and (older, last) == (b'"id"', b":"):
            try:
                value = json.loads(token)
            except ValueError:
                return None
            return value if _is_id(value) else None
        older, last = last, token
    return None
