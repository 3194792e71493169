"""The table of commands: each row is served as a command and as a request, with one meaning.

``gazetteer.retrieve`` takes ``arguments: [{...}]`` (none is ``{}``), ``gazetteer/retrieve`` takes ``{...}``. A row's
handler gets typed parameters; it is called in arrival order, so that what it does before its first wait is ordered with
everything else that changes state.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from ..kb.errors import InvalidArgumentError
from . import params

if TYPE_CHECKING:
    from .server import GazetteerServer


class Row(NamedTuple):
    """One command.

    Attributes:
        name: without the prefix.
        params: a ``params.Params``.
        handler: takes the parameters; returns, or gives an awaitable of, what is plain JSON data in the end.
        as_command: False for what is a request only.
    """

    name: str
    params: type[params.Params]
    handler: Callable[[Any], Any | Awaitable[Any]]
    as_command: bool = True


class Commands:
    """All rows of one server."""

    def __init__(self, server: "GazetteerServer") -> None:
        self._server = server
        self._rows: dict[str, Row] = {}
        server.raw(types.WORKSPACE_EXECUTE_COMMAND, self._execute)

    def add(self, *rows: Row) -> None:
        """Serve further rows; before ``initialize`` is answered."""
        for row in rows:
            self._rows[row.name] = row
            self._server.raw(f"gazetteer/{row.name}", partial(self.call, row))

    def names(self) -> list[str]:
        """Return the commands to announce."""
        return [f"gazetteer.{row.name}" for row in self._rows.values() if row.as_command]

    def row(self, name: str) -> Row | None:
        """Return the row of a name."""
        return self._rows.get(name)

    def call(self, row: Row, given: Any) -> Any:
        """Do what a row does; what comes back may have to be awaited."""
        return row.handler(params.read(given, row.params, row.name))

    def _execute(self, given: Any) -> Any:
        command = given.get("command") if isinstance(given, dict) else None
        row = self._rows.get(command.removeprefix("gazetteer.")) if isinstance(command, str) else None
        if row is None or not row.as_command or command != f"gazetteer.{row.name}":
            raise InvalidArgumentError("command is none of this server's.", argument="command")
        arguments = given.get("arguments")
        if arguments is None:
            arguments = []
        if not isinstance(arguments, list) or len(arguments) > 1:
            raise InvalidArgumentError(f"{row.name} takes one object, as in [{{}}].", argument="arguments")
        if arguments and not isinstance(arguments[0], dict):
            raise InvalidArgumentError(f"{row.name} takes one object, as in [{{}}].", argument="arguments")
        argument = dict(arguments[0]) if arguments else {}
        if given.get("workDoneToken") is not None:
            argument.setdefault("workDoneToken", given["workDoneToken"])
        return self.call(row, argument)
