"""Which modules add something to the server, in the order in which they are registered.

Each has ``register(server)``: it adds handlers of requests (``server.on``), rows of the table of commands
(``server.commands.add``), or both. They are imported before ``initialize`` is answered, so they import nothing heavy at
their top: no session, no parser, no index.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .server import GazetteerServer

FEATURES: tuple[str, ...] = (
    "lifecycle",
    "sync",
    "asking",
    "upkeep",
    "registering",
    "shown",
    "edits",
    "hover",
    "orienting",
    "actions",
    "navigate",
    "lenses",
    "inlays",
)
"""Modules of this room."""


def register_all(server: "GazetteerServer") -> None:
    """Register every feature."""
    for name in FEATURES:
        importlib.import_module(f".{name}", __package__).register(server)
