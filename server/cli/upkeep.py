"""``sync``, ``status``, ``health``, ``check``, ``clean``: how an index is, and keeping it well."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from ..corpora.health import HEALTHY
from ..kb.errors import EXIT_CODES, ErrorCode
from ..retrieval.query import to_wire
from . import show_state
from .options import Invocation, tree_command
from .output import Line

UNWELL = EXIT_CODES[ErrorCode.UNAVAILABLE]


def _print(invocation: Invocation, value: Any, show: Callable[[Any], Iterator[Line]]) -> None:
    output = invocation.output
    if output.as_json:
        output.data(to_wire(value))
    else:
        output.lines(show(value))


@tree_command
def sync(invocation: Invocation) -> int:
    """Bring the index up to date with the tree.

    Prints how the index is afterwards. Exits with 3 when the tree could not be taken in; what was published before
    still answers then.
    """
    with invocation.session() as (session, progress):
        health = session.sync(progress=progress)
    _print(invocation, health, show_state.health)
    return 0 if health.state in HEALTHY else UNWELL


@tree_command
def status(invocation: Invocation) -> int:
    """Say what the index holds, without looking at the tree."""
    with invocation.session() as (session, _progress):
        found = session.status()
    _print(invocation, found, show_state.status)
    return 0


@tree_command
def health(invocation: Invocation) -> int:
    """Compare the index with the whole tree.

    Nothing is changed. Exits with 3 when the last refresh failed; a tree that has merely changed is taken in by the
    next question.
    """
    with invocation.session() as (session, _progress):
        found = session.health()
    _print(invocation, found, show_state.health)
    return UNWELL if found.state == "failed" else 0


@tree_command
@click.option("--full", is_flag=True, help="Derive everything again from the files and compare.")
def check(invocation: Invocation, full: bool) -> int:
    """Verify that the index holds together.

    Exits with 3 when something does not hold.
    """
    with invocation.session() as (session, _progress):
        report = session.check(full=full)
    _print(invocation, report, show_state.check)
    return 0 if report.ok else UNWELL


@tree_command
def clean(invocation: Invocation) -> int:
    """Delete the index of this tree; the tree is not touched.

    The next question builds it again. A tree that is gone is named with --root.
    """
    with invocation.session(gone=True) as (session, _progress):
        report = session.clean()
    _print(invocation, report, show_state.clean)
    return 0
