"""The table of commands, and the group that loads a command's module only when that command runs.

``gazetteer --help`` is printed from the table alone; a test holds the table's sentences against the commands' own.
"""

import importlib
from typing import Any, NamedTuple

import click

from .. import __version__
from .options import SHARED


class Row(NamedTuple):
    """A command: the module that holds it (its function has the command's name), and what it does in one sentence."""

    module: str
    summary: str


COMMANDS: dict[str, Row] = {
    "ask": Row("queries", "Answer a question with cited evidence from the tree as it is now."),
    "expand": Row("queries", "Show what a locator points at, live, with more lines around it."),
    "related": Row("queries", "Show what resembles a place."),
    "explain": Row("queries", "Say how a question would be answered, and what each step finds."),
    "serve": Row("serve", "Serve an editor over the Language Server Protocol."),
    "corpus": Row("corpus", "List, add and remove the trees that are registered under a name."),
    "index": Row("index", "Build the index of every registered tree, or of those named."),
    "sync": Row("upkeep", "Bring the index up to date with the tree."),
    "reindex": Row("upkeep", "Build the index of the tree again from its files."),
    "status": Row("upkeep", "Say what the index holds, without looking at the tree."),
    "health": Row("upkeep", "Compare the index with the whole tree."),
    "check": Row("upkeep", "Verify that the index holds together."),
    "clean": Row("upkeep", "Delete the index of this tree; the tree is not touched."),
    "doctor": Row("doctor", "Look for trouble on this machine that would spoil an index."),
}
"""In the order of the help: asking first, then upkeep."""


class LazyGroup(click.Group):
    """A group whose commands are listed from the table and imported when they are run."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name the commands in the table's order."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None when the table has no such row."""
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        command: click.Command = getattr(importlib.import_module(f".{row.module}", __package__), cmd_name)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.summary) for name, row in COMMANDS.items()])


@click.command(
    cls=LazyGroup,
    params=[*SHARED],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 answered, 1 no hits with --fail-empty, 2 usage or refused, 3 unavailable, 4 conflict, "
    "70 internal error, 130 interrupted.",
)
@click.version_option(__version__, prog_name="gazetteer")
@click.pass_context
def gazetteer(ctx: click.Context, /, **given: Any) -> None:
    """A knowledge base of your code that is never stale: ask it, and get evidence that you can open.

    Options that are common to all commands may stand before or after the command.
    """
    ctx.obj = given
