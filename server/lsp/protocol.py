"""The protocol as the specification has it, where the library falls short.

What differs from pygls: a gate for what comes before ``initialize`` and after ``shutdown``; parameters stay plain data
until the handler's type is known, and a bad one is answered with InvalidParams that names the field; a request that is
cancelled stops, whatever it is; answers to what we no longer wait for are dropped; frames are written by a thread of
their own; nothing that was sent or received is ever logged. Every request gets exactly one answer.

Handlers are called at once and in arrival order. A plain function has done its work when it returns, which is how state
changes keep their order; what is awaitable goes on as a task that has taken its first step before the next message is
taken (`inbox`), and its answer is sent when it is done.
"""

import asyncio
import inspect
import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import attrs
from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, default_converter

from ..kb.errors import LSP_CODES, InternalError, InvalidArgumentError
from ..kb.paths import printable
from .messages import Fault, Id, Message

if TYPE_CHECKING:
    from .server import GazetteerServer

Handler = Callable[[Any], Any]


class State(Enum):
    """Where in its life the server is."""

    NEW = "new"
    RUNNING = "running"
    SHUT_DOWN = "shut down"


REFUSED: dict[State, tuple[int, str]] = {
    State.NEW: (types.ErrorCodes.ServerNotInitialized.value, "The server is not initialized yet."),
    State.SHUT_DOWN: (types.ErrorCodes.InvalidRequest.value, "The server was shut down; only exit may follow."),
}
"""What a request gets in a state in which none is served."""


CANCELLED = types.LSPErrorCodes.RequestCancelled.value
MAX_ASKED = 1_000
"""Requests of ours that may wait for the client; an answer to one that is older is dropped."""


class RequestError(JsonRpcException):
    """An error whose code is the protocol's own business."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message, code)


@cache
def converter() -> Converter:
    """Return the converter of the protocol's types; making one is slow, and one is enough for a process."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in (int, str, bool):  # which the library would make of anything: 0 of 0.5, "None" of nothing
        made.register_structure_hook(kind, _exactly)
    return made


def _exactly(value: Any, kind: type) -> Any:
    """Return a number, string or truth value that is one; some languages write 1 as 1.0, and true as 1."""
    if type(value) is kind:
        return value
    if issubclass(kind, Enum):
        return kind(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is bool and type(value) is int and value in (0, 1):
        return bool(value)
    raise TypeError(f"no {kind.__name__}")


class Protocol(LanguageServerProtocol):
    """One connection."""

    def __init__(self, server: "GazetteerServer", converter: Converter) -> None:
        super().__init__(server, converter)
        self.gazetteer = server
        self.state = State.NEW
        self.raw: dict[str, Handler] = {}
        """Handlers that take their parameters as plain data."""
        self.typed: dict[str, Handler] = {}
        """Handlers that take them in the type that the protocol library has for the method."""
        self.options: dict[str, Any] = {}
        """What is announced of a method, where that is more than that it is served."""
        self.garbled = False
        """Whether bytes of the notification that is being taken were no UTF-8."""
        self._answering: dict[Id, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()
        self._asked: dict[Id, tuple[str, Future[Any]]] = {}
        self._send: Callable[[bytes], None] = lambda _body: None

    def connect(self, send: Callable[[bytes], None]) -> None:
        """Say where the bodies of frames go."""
        self._send = send

    # -- what comes in ------------------------------------------------------------------------------------------

    def handle(self, message: Message | Fault) -> None:
        """Take one message; on the event loop. Never raises."""
        if isinstance(message, Fault):
            self._refuse(message.id, message.code, message.message)
        elif message.kind == "response":
            self._take_response(message)
        elif message.kind == "request":
            self._take_request(message)
        else:
            self._take_notification(message)

    def _take_request(self, message: Message) -> None:
        assert message.id is not None
        number, method = message.id, message.method
        if number in self._answering:
            self._refuse(number, types.ErrorCodes.InvalidRequest.value, "A request with this id is being answered.")
            return
        if method == types.INITIALIZE:
            refused = None if self.state is State.NEW else (types.ErrorCodes.InvalidRequest.value, "Only once.")
        else:
            refused = REFUSED.get(self.state)
        if refused is not None:
            self._refuse(number, *refused)
            return
        began = time.perf_counter()
        try:
            result = self._call(method, message.params)
        except Exception as error:
            self._fail(number, method, error)
            return
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(result)
            self._answering[number] = task
            task.add_done_callback(partial(self._answer, number, method, began))
        else:
            self._reply(number, result)
            self._traced(method, began)

    def _take_notification(self, message: Message) -> None:
        method = message.method
        if method == types.EXIT:
            self.gazetteer.exit()
            return
        if self.state is not State.RUNNING:
            return
        if method == types.CANCEL_REQUEST:
            self.cancel(message.params)
            return
        self.garbled = message.garbled
        try:
            result = self._call(method, message.params)
        except Exception as error:
            self._note(method, error)
            return
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(result)
            self._tasks.add(task)
            task.add_done_callback(partial(self._noted, method))

    def _take_response(self, message: Message) -> None:
        asked = self._asked.pop(message.id, None) if message.id is not None else None
        if asked is None:
            return
        method, future = asked
        if not future.set_running_or_notify_cancel():
            return  # nobody waits for it any more
        error = message.error
        if error is not None:
            words = error.get("message") if isinstance(error, dict) else ""
            future.set_exception(RequestError(types.LSPErrorCodes.RequestFailed.value, str(words)))
            return
        try:
            future.set_result(self._structure_result(method, message.params))
        except Exception:
            what = f"The client's answer to {method} is malformed."
            future.set_exception(RequestError(types.LSPErrorCodes.RequestFailed.value, what))

    def _structure_result(self, method: str, result: Any) -> Any:
        result_type = self.get_result_type(method)
        if result_type is None:
            return result
        whole = {"jsonrpc": "2.0", "id": 0, "result": result}
        return self._converter.structure(whole, result_type).result

    def _call(self, method: str, params: Any) -> Any:
        """Call a method's handler with its parameters in the handler's own type."""
        if (raw := self.raw.get(method)) is not None:
            return raw(params)
        handler = self.typed.get(method)
        if handler is None:
            raise RequestError(types.ErrorCodes.MethodNotFound.value, f"There is no method {printable(method[:100])}.")
        return handler(self._structure_params(method, params))

    def _structure_params(self, method: str, params: Any) -> Any:
        message_type = self.get_message_type(method)
        if message_type is None:
            return params
        wanted = attrs.fields_dict(message_type)["params"].type or Any
        try:
            return self._converter.structure(params, wanted)
        except Exception as error:
            raise InvalidArgumentError(
                f"The parameters of {method} are not what the protocol says they are; look at {_first_fault(error)}."
            ) from None

    # -- cancelling ---------------------------------------------------------------------------------------------

    def cancel(self, params: Any) -> None:
        """Cancel a request, wherever its work is; one that was answered is left alone."""
        number = params.get("id") if isinstance(params, dict) else None
        if not isinstance(number, int | str) or isinstance(number, bool):  # True would be 1
            return
        task = self._answering.get(number)
        if task is not None:
            task.cancel()

    async def cancel_all(self, seconds: float, but: "asyncio.Future[Any] | None") -> None:
        """Cancel every request but that one, and wait for the answers."""
        others = [task for task in (*self._answering.values(), *self._tasks) if task is not but]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=seconds)
        for _method, future in tuple(self._asked.values()):
            future.cancel()

    # -- what goes out ------------------------------------------------------------------------------------------

    def _answer(self, number: Id, method: str, began: float, task: "asyncio.Future[Any]") -> None:
        del self._answering[number]
        if task.cancelled():
            self._refuse(number, CANCELLED, "The request was cancelled.")
        elif (error := task.exception()) is not None:
            self._fail(number, method, error, cancelled=isinstance(task, asyncio.Task) and task.cancelling() > 0)
        else:
            self._reply(number, task.result())
        self._traced(method, began)

    def _traced(self, method: str, began: float) -> None:
        """Tell a client that traces what was answered, and how long it took."""
        if self.trace != types.TraceValue.Off or self.gazetteer.configuration["trace"] != "off":
            took = (time.perf_counter() - began) * 1000
            self.notify(types.LOG_TRACE, types.LogTraceParams(f"{method} was answered after {took:.1f} ms."))

    def _noted(self, method: str, task: "asyncio.Future[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._note(method, error)

    def _reply(self, number: Id, result: Any) -> None:
        try:
            body = self._encode({"jsonrpc": "2.0", "id": number, "result": result})
        except Exception as error:
            self._fail(number, "answer", error)
            return
        self._send(body)

    def _refuse(self, number: Id | None, code: int, message: str, data: Any = None) -> None:
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self._send(self._encode({"jsonrpc": "2.0", "id": number, "error": error}))

    def _fail(self, number: Id, method: str, error: BaseException, *, cancelled: bool = False) -> None:
        """Answer with an error; only who was asked to cancel says "cancelled", whatever else stopped the work."""
        if isinstance(error, RequestError):
            self._refuse(number, error.code, error.message)
            return
        known = self.gazetteer.entries.known(method, error)
        code = LSP_CODES[known.code]
        if code == CANCELLED and not cancelled:
            code = types.LSPErrorCodes.RequestFailed.value
        self._refuse(number, code, known.message, {**known.data, "code": known.code.value})

    def _note(self, method: str, error: BaseException) -> None:
        """Log what a notification ran into; nobody waits for an answer, and nothing pops up."""
        if isinstance(error, RequestError):
            if not method.startswith("$/"):
                self.gazetteer.entries.warning(error.message)
        else:
            self.gazetteer.entries.warning(self.gazetteer.entries.known(method, error).message)

    def _encode(self, message: dict[str, Any]) -> bytes:
        return json.dumps(message, default=self.plain, separators=(",", ":")).encode("ascii")

    def plain(self, value: Any) -> Any:
        """Return a value of the protocol library as plain data."""
        if attrs.has(type(value)):
            return self._converter.unstructure(value)
        if isinstance(value, Enum):
            return value.value
        raise InternalError(f"A {type(value).__name__} cannot be sent; this is a bug in Gazetteer.")

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; on the event loop."""
        self._send(self._encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: Id | None = None,
    ) -> "Future[Any]":
        """Ask the client; on the event loop. The future fails with `RequestError` when the client says no."""
        number = msg_id if msg_id is not None else f"gazetteer-{self.gazetteer.next_number()}"
        future: Future[Any] = Future()
        self._asked[number] = (method, future)
        future.add_done_callback(lambda _: self._asked.pop(number, None))
        if len(self._asked) > MAX_ASKED:  # this client answers nothing
            self._asked[next(iter(self._asked))][1].cancel()
        if callback is not None:
            future.add_done_callback(lambda done: done.cancelled() or done.exception() or callback(done.result()))
        self._send(self._encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return future


def _first_fault(error: Exception) -> str:
    """Say where something did not fit, and never what was there."""
    try:
        where = transform_error(error, path="params")[0].partition(" @ ")[2]
    except Exception:
        where = ""
    return where[:200] or "params"
