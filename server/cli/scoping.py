"""Which corpora a question goes to, as it is typed: ``--all``, ``--with``, ``--without``, beside ``--corpus``."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..kb.errors import GazetteerError
from ..retrieval.query import Scope
from .options import Invocation

if TYPE_CHECKING:
    from ..app import ProgressSink
    from ..corpora.registry import Catalogue
    from ..workspace import Workspace

OWN = Scope()
_OPTIONS: tuple[Callable[..., Any], ...] = (
    click.option("--all", "everywhere", is_flag=True, help="Ask every registered corpus."),
    click.option("--with", "attach", multiple=True, metavar="NAME", help="Ask this corpus too; may be given again."),
    click.option("--without", multiple=True, metavar="NAME", help="Leave this corpus out; may be given again."),
)


def scoped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def take_scope(invocation: Invocation, values: dict[str, Any]) -> Scope:
    """Take the options out of all that was given."""
    return Scope(
        corpora=(invocation.named_corpus,) if invocation.named_corpus is not None else (),
        everywhere=values.pop("everywhere"),
        attach=values.pop("attach"),
        without=values.pop("without"),
    )


@contextmanager
def workspace(
    invocation: Invocation, scope: Scope = OWN, *, anywhere: bool = False
) -> Iterator[tuple["Workspace", "ProgressSink"]]:
    """Open the workspace that the shell is in, with a place to report progress to; both are closed afterwards.

    Where the scope names somebody, or it is said that the command leads ``anywhere`` by itself, the shell need not be
    in a tree that may be indexed. The workspace stays where it is all the same.
    """
    catalogue = invocation.catalogue()
    anywhere = anywhere or bool(scope.corpora or scope.attach or scope.everywhere)
    roots = _roots(invocation, catalogue, anywhere=anywhere and invocation.named_root is None)
    from ..shelf import Shelf
    from ..workspace import Workspace
    from .progress import Bar

    here = roots[0] if roots else os.getcwd()
    with Shelf(invocation.settings, catalogue, here) as shelf, Bar() as bar:
        cache = invocation.settings.index_root()
        yield Workspace(roots, catalogue, cache, shelf.session, room=shelf.make_room), bar


def _roots(invocation: Invocation, catalogue: "Catalogue", *, anywhere: bool) -> tuple[str, ...]:
    """The tree that the shell is in; ``anywhere`` it may be in none."""
    from ..corpora.roots import find_root

    registered = frozenset(corpus.real for corpus in catalogue.current().corpora.values())
    try:
        return (find_root(invocation.named_root, registered=registered.__contains__),)
    except GazetteerError:
        if not anywhere:
            raise
        return ()
