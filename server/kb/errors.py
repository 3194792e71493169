"""Every error that a person or a program can get from Gazetteer, in one tree.

::

    GazetteerError
    ├── InvalidArgumentError   a value that makes no sense; names the argument
    ├── RefusedError           understood, and not done on purpose (too many files, outside the root, unsafe)
    │   └── TruncatedError     the tree has more files than the limit; names the directories that used it up
    ├── IncompleteError        `current-complete` was required and something is missing
    ├── ConflictError          other bytes on disk, or a dirty buffer
    ├── NotFoundError          no such root, document, locator
    ├── UnavailableError       the store or a backend cannot be reached now (full disk, no permission, locked)
    ├── TimeoutExpiredError    a deadline passed
    ├── CancelledError         the caller asked to stop
    ├── DamagedError           stored data does not hold together and could not be rebuilt by itself
    └── InternalError          cannot happen; worth a bug report

Messages are one sentence that ends with the remedy. They are made near the cause, and printed at the front doors only.
"""

from enum import StrEnum
from typing import Any, ClassVar


class ErrorCode(StrEnum):
    """Codes on the wire."""

    INVALID_ARGUMENT = "invalid_argument"
    REFUSED = "refused"
    INCOMPLETE = "incomplete"
    CONFLICT = "conflict"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    DAMAGED = "damaged"
    INTERNAL = "internal"


EXIT_CODES: dict[ErrorCode, int] = {
    ErrorCode.INVALID_ARGUMENT: 2,
    ErrorCode.REFUSED: 2,
    ErrorCode.NOT_FOUND: 2,
    ErrorCode.INCOMPLETE: 3,
    ErrorCode.UNAVAILABLE: 3,
    ErrorCode.TIMEOUT: 3,
    ErrorCode.CANCELLED: 3,
    ErrorCode.DAMAGED: 3,
    ErrorCode.CONFLICT: 4,
    ErrorCode.INTERNAL: 70,
}
"""Exit status of the command line for each code; 0 is "answered", 1 is "no hits" with ``--fail-empty``."""

LSP_CODES: dict[ErrorCode, int] = {
    ErrorCode.INVALID_ARGUMENT: -32602,
    ErrorCode.REFUSED: -32803,
    ErrorCode.NOT_FOUND: -32803,
    ErrorCode.INCOMPLETE: -32803,
    ErrorCode.UNAVAILABLE: -32803,
    ErrorCode.TIMEOUT: -32803,
    ErrorCode.CANCELLED: -32800,
    ErrorCode.DAMAGED: -32803,
    ErrorCode.CONFLICT: -32803,
    ErrorCode.INTERNAL: -32603,
}
"""Error code of the language server's answer: InvalidParams, RequestFailed, RequestCancelled, InternalError. Not
ContentModified for a conflict: clients drop that one without a word."""


class GazetteerError(Exception):
    """Base of all errors; ``data`` holds what a program needs beside the sentence."""

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data

    def to_wire(self) -> dict[str, Any]:
        """The error as it travels: ``{"error": {"code", "message", "data"}}``."""
        return {"error": {"code": self.code.value, "message": self.message, "data": self.data}}


class InvalidArgumentError(GazetteerError):
    """A value that makes no sense."""

    code = ErrorCode.INVALID_ARGUMENT


class RefusedError(GazetteerError):
    """Understood, and not done on purpose."""

    code = ErrorCode.REFUSED


class TruncatedError(RefusedError):
    """The tree has more files than the limit allows."""


class IncompleteError(GazetteerError):
    """Complete and current evidence was required and is not there."""

    code = ErrorCode.INCOMPLETE


class ConflictError(GazetteerError):
    """The document is not what the caller thought it was."""

    code = ErrorCode.CONFLICT


class NotFoundError(GazetteerError):
    """No such root, document or locator."""

    code = ErrorCode.NOT_FOUND


class UnavailableError(GazetteerError):
    """The store or a backend cannot be reached now."""

    code = ErrorCode.UNAVAILABLE


class TimeoutExpiredError(GazetteerError):
    """A deadline passed."""

    code = ErrorCode.TIMEOUT


class CancelledError(GazetteerError):
    """The caller asked to stop."""

    code = ErrorCode.CANCELLED


class DamagedError(GazetteerError):
    """Stored data does not hold together."""

    code = ErrorCode.DAMAGED


class InternalError(GazetteerError):
    """Cannot happen."""


def remedy_of(message: str) -> str:
    """The part of an error's sentence that says what to do about it; "" for a sentence that has none."""
    return message.rpartition("; ")[2] if "; " in message else ""
