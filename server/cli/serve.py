"""``serve``: the language server, for editors."""

import re

import click

from ..kb.errors import InvalidArgumentError
from .options import Invocation, tree_command

_LOOPBACK = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}):(\d{1,5})")
"""Nobody else on the network may speak to a server: it asks for no password (pitfall SE09)."""


@tree_command
@click.option("--stdio", is_flag=True, help="Speak on standard input and output; this is the default.")
@click.option("--tcp", metavar="HOST:PORT", default="", help="Speak to one client on this local address; for tests.")
def serve(invocation: Invocation, stdio: bool, tcp: str) -> int:
    """Serve an editor over the Language Server Protocol.

    The editor starts this and names the folders; --root is served when it names none. Exits with 0 when the editor shut
    it down properly, else with 1.
    """
    del stdio
    port = _LOOPBACK.fullmatch(tcp)
    if tcp and (port is None or int(port[1]) > 65_535):
        raise InvalidArgumentError(
            f"--tcp takes an address of this machine such as 127.0.0.1:7777, not {tcp}.", argument="tcp"
        )
    from ..lsp.server import serve as run

    run(invocation.settings, invocation.named_root, tcp)
    return 0
