"""What the server has to say about itself: log entries in the client, and the worst on standard error.

Entries name methods, settings, folders and places in our own code. They never hold what was sent or received: no query,
no text, no parameter.
"""

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from lsprotocol import types

from ..kb.errors import GazetteerError, InternalError, UnavailableError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Entries:
    """Sends entries by ``notify``; on the event loop."""

    def __init__(self, notify: Callable[[str, types.LogMessageParams], None]) -> None:
        self._notify = notify

    def _say(self, kind: types.MessageType, message: str) -> None:
        self._notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(kind, message))

    def info(self, message: str) -> None:
        """Note something that went as it should."""
        self._say(types.MessageType.Info, message)

    def warning(self, message: str) -> None:
        """Note something that was refused or left out."""
        self._say(types.MessageType.Warning, message)

    def error(self, message: str) -> None:
        """Note something that failed."""
        self._say(types.MessageType.Error, message)

    def known(self, what: str, error: BaseException) -> GazetteerError:
        """Return an error in words: its own, or those of `unforeseen`."""
        return error if isinstance(error, GazetteerError) else self.unforeseen(what, error)

    def unforeseen(self, what: str, error: BaseException) -> GazetteerError:
        """Note a failure that nobody put into words, with where it happened; what to answer with."""
        if isinstance(error, MemoryError):
            return UnavailableError("There is not enough memory; close something and try again.")
        if isinstance(error, OSError) and error.strerror:
            return UnavailableError(f"{error.strerror}; make room or allow it, and try again.")
        message = f"{what}: {type(error).__name__} at {_places(error)}"
        self.error(message)
        with suppress(OSError, ValueError):
            print(message, file=sys.stderr, flush=True)  # noqa: T201
        return InternalError(f"This is a bug in Gazetteer ({type(error).__name__}); the server's log says where.")


def _places(error: BaseException) -> str:
    """Name the lines that the error came through, ours alone, innermost last."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(_PACKAGE)] or frames[-1:]
    return " > ".join(f"{os.path.relpath(frame.filename, _PACKAGE)}:{frame.lineno}" for frame in ours[-6:])
