"""``corpus list``, ``add``, ``rm``, ``scan``: which trees are registered under a name (row C2).

What they do is done in ``corpora``, behind this front door and that of editors; here it is read and printed.
"""

import os
from typing import Any

import click

from ..corpora.indexers import INDEXERS
from ..corpora.listing import listing
from ..corpora.registering import add as register
from ..corpora.registering import folder_at, remove
from ..corpora.registry_json import composed
from ..corpora.scanning import DEFAULT_LEAST, scan
from . import show_corpora
from .options import TREELESS, Invocation, command_of_all, corpus_names, group_options
from .show_corpora import show


@click.group(params=[*TREELESS])
@click.pass_context
def corpus(ctx: click.Context, /, **given: Any) -> None:
    """List, add and remove the trees that are registered under a name.

    A registered tree is asked with --corpus NAME from anywhere, and is no part of a tree around it. The registry is
    projects.json in your configuration folder; you may edit it.
    """
    ctx.obj = group_options(ctx.obj or {}, given)


def list_(invocation: Invocation) -> int:
    """Show what is registered and how its indexes are."""
    found = listing(invocation.catalogue().current(), invocation.settings.index_root())
    show(invocation.output, found, show_corpora.listing)
    return 0


@click.argument("name")
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(readable=False))
@click.option("--kind", metavar="WORD", help="A label that the list shows; it changes nothing.")
@click.option("--indexer", type=click.Choice(list(INDEXERS)), help="What of the tree is read.")
@click.option("--shared/--no-shared", default=None, help="Ask it together with every other tree.")
@click.option("--with", "corpora", multiple=True, metavar="NAME", help="Ask this corpus with it; may be given again.")
@click.option("--autoindex/--no-autoindex", default=None, help="Keep its index fresh in the background.")
@click.option("--family", "families", multiple=True, metavar="WORD", help="A label for rules; may be given again.")
@click.option("--prompt-file", metavar="FILE", help="Its orientation map.")
@click.option("--collection", metavar="NAME", help="The name of its collection of vectors.")
@click.option("--semantic", metavar="PROVIDER", help="Embed it with this provider.")
def add(invocation: Invocation, name: str, folder: str | None, **given: Any) -> int:
    """Register a folder under a name.

    The folder is the tree that one is in unless it is said. What is not said stays as it is when the name is registered
    already. --exclude adds to what is left out for good.
    """
    if given["prompt_file"] is not None:
        given["prompt_file"] = os.path.abspath(given["prompt_file"])
    said = {key: value for key, value in given.items() if value not in (None, ())}
    options = {key: list(value) if isinstance(value, tuple) else value for key, value in said.items()}
    catalogue = invocation.catalogue()
    if invocation.typed_exclude:
        known = catalogue.current().corpora.get(composed(name))
        before = known.exclude if known is not None else ()
        options["exclude"] = list(dict.fromkeys((*before, *invocation.typed_exclude)))
    added = register(catalogue, name, folder if folder is not None else invocation.workspace_root(), options)
    show(invocation.output, added, show_corpora.registered)
    return 0


@click.argument("name", shell_complete=corpus_names)
def rm(invocation: Invocation, name: str) -> int:
    """Let go of a name and delete its index.

    The tree is not touched, and need not be there any more. Stored texts that another index needs stay.
    """
    removed = remove(invocation.catalogue(), name, invocation.settings.index_root())
    show(invocation.output, removed, show_corpora.removed)
    return 0


@click.argument("folder", metavar="DIR", type=click.Path(readable=False))
@click.option(
    "--min",
    "least",
    type=click.IntRange(0),
    default=DEFAULT_LEAST,
    show_default=True,
    metavar="N",
    help="Fewest files to index that make a tree worth listing.",
)
def scan_(invocation: Invocation, folder: str, least: int) -> int:
    """List the repositories below a folder, with what would be indexed of each.

    Nothing is registered and nothing indexed. Hidden folders are passed over.
    """
    registry = invocation.catalogue().current()
    found = scan(os.path.realpath(folder_at(folder)), registry, invocation.settings, least=least)
    show(invocation.output, found, show_corpora.scanned)
    return 0


corpus.add_command(command_of_all(list_), "list")
corpus.add_command(command_of_all(add), "add")
corpus.add_command(command_of_all(rm), "rm")
corpus.add_command(command_of_all(scan_), "scan")
