"""``sync``, ``reindex``, ``status``, ``health``, ``check``, ``clean``: how an index is, and keeping it well."""

from collections.abc import Callable
from typing import Any

import click

from ..corpora.health import HEALTHY, Status
from ..corpora.registry import Corpus
from ..corpora.rounds import Round, all_of
from ..kb.errors import EXIT_CODES, ErrorCode, InvalidArgumentError
from . import show_corpora, show_state
from .options import Invocation, tree_command
from .show_corpora import show

UNWELL = EXIT_CODES[ErrorCode.UNAVAILABLE]


def _of_all(function: Callable[..., int]) -> Callable[..., int]:
    """Add ``--all``: the same for every registered corpus."""
    return click.option("--all", "everywhere", is_flag=True, help="Of every registered tree, one row each.")(function)


def _round(invocation: Invocation, act: Callable[[Any], Status]) -> Round:
    if invocation.named_root is not None or invocation.named_corpus is not None:
        raise InvalidArgumentError("--all and a tree that is named do not go together; give one.", argument="all")

    def visit(corpus: Corpus) -> Status:
        with invocation.session_at(corpus.real) as (session, _progress):
            return act(session)

    return all_of(invocation.catalogue().current(), (), visit)


@tree_command
def sync(invocation: Invocation) -> int:
    """Bring the index up to date with the tree.

    Prints how the index is afterwards. Exits with 3 when the tree could not be taken in; what was published before
    still answers then.
    """
    with invocation.session() as (session, progress):
        health = session.sync(progress=progress)
    show(invocation.output, health, show_state.health)
    return 0 if health.state in HEALTHY else UNWELL


@tree_command
def reindex(invocation: Invocation) -> int:
    """Build the index of the tree again from its files.

    Every file is read and derived anew, whatever is stored; no other index and no tree is touched. Exits with 3 when
    that failed; what was published before still answers then.
    """
    with invocation.session() as (session, progress):
        health = session.sync(anew=True, progress=progress)
    show(invocation.output, health, show_state.health)
    return 0 if health.state in HEALTHY else UNWELL


@tree_command
@_of_all
def status(invocation: Invocation, everywhere: bool) -> int:
    """Say what the index holds, without looking at the tree."""
    if everywhere:
        show(invocation.output, _round(invocation, lambda session: session.status()), show_corpora.states)
        return 0
    with invocation.session() as (session, _progress):
        found = session.status()
    show(invocation.output, found, show_state.status)
    return 0


@tree_command
@_of_all
def health(invocation: Invocation, everywhere: bool) -> int:
    """Compare the index with the whole tree.

    Nothing is changed. Exits with 3 when the last refresh failed; a tree that has merely changed is taken in by the
    next question.
    """
    if everywhere:
        of_all = _round(invocation, lambda session: session.health())
        show(invocation.output, of_all, show_corpora.states)
        wrong = (turn.found is None or turn.found.state == "failed" for turn in of_all.corpora)
        return UNWELL if any(wrong) else 0
    with invocation.session() as (session, _progress):
        found = session.health()
    show(invocation.output, found, show_state.health)
    return UNWELL if found.state == "failed" else 0


@tree_command
@click.option("--full", is_flag=True, help="Derive everything again from the files and compare.")
def check(invocation: Invocation, full: bool) -> int:
    """Verify that the index holds together.

    Exits with 3 when something does not hold.
    """
    with invocation.session() as (session, _progress):
        report = session.check(full=full)
    show(invocation.output, report, show_state.check)
    return 0 if report.ok else UNWELL


@tree_command
def clean(invocation: Invocation) -> int:
    """Delete the index of this tree; the tree is not touched.

    The next question builds it again. A tree that is gone is named with --root.
    """
    with invocation.session(gone=True) as (session, _progress):
        report = session.clean()
    show(invocation.output, report, show_state.clean)
    return 0
