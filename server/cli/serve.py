"""``serve``: the language server, for editors."""

import click

from .options import Invocation, tree_command


@tree_command
@click.option("--stdio", is_flag=True, help="Speak on standard input and output; this is the default.")
@click.option("--tcp", metavar="HOST:PORT", default="", help="Speak to one client on this address; for tests.")
def serve(invocation: Invocation, stdio: bool, tcp: str) -> int:
    """Serve an editor over the Language Server Protocol.

    The editor starts this and names the folders; --root is served when it names none. Exits with 0 when the editor shut
    it down properly, else with 1.
    """
    del stdio
    from ..lsp.server import serve as run

    run(invocation.settings, invocation.named_root, tcp)
    return 0
