"""``ask``, ``expand``, ``related``, ``explain``: a question in, evidence out."""

import os
from collections.abc import Callable
from typing import Any

import click

from ..kb.errors import InvalidArgumentError
from ..kb.model import Kind, SourceType
from ..retrieval.locator import VERSION
from ..retrieval.query import API_LIMIT, DEFAULT_LIMIT, MAX_AROUND, PEOPLE_LIMIT, Answer, Filters, Query, to_wire
from ..settings import glob_fault
from . import show_answer
from .options import Invocation, tree_command
from .scoping import scoped, take_scope, workspace

VIA = ("exact", "lexical", "structural")
"""Signals that can be asked for; the others have no index yet."""
NO_HITS = 1


def _globs(_context: click.Context, _parameter: click.Parameter, globs: tuple[str, ...]) -> tuple[str, ...]:
    for glob in globs:
        if fault := glob_fault(glob):
            raise InvalidArgumentError(f"--path has a bad glob {glob!r}: it {fault}.", argument="path")
    return globs


def _languages(_context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    """Turn names, extensions and what people call a language into the names that documents carry."""
    if not words:
        return ()
    from ..retrieval.language_names import language_names

    return language_names(words, said_by="--lang")


_QUERY = click.argument("words", nargs=-1, required=True, metavar="QUERY...")
_LIMIT = click.option(
    "--limit",
    type=int,
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help=f"Most hits: 1 to {PEOPLE_LIMIT}, with --json to {API_LIMIT}.",
)
_FAIL_EMPTY = click.option("--fail-empty", is_flag=True, help="Exit with 1 when nothing was found.")


def _one_of(flag: str, name: str, values: tuple[str, ...], letter: str, what: str) -> Callable[..., Any]:
    words = f"Only {what}: {', '.join(values)}; may be given again."
    return click.option(flag, name, multiple=True, type=click.Choice(values), metavar=letter, help=words)


_FILTERS: tuple[Callable[..., Any], ...] = (
    click.option(
        "--path", "paths", multiple=True, callback=_globs, metavar="GLOB", help="Only these paths; may be given again."
    ),
    click.option(
        "--lang",
        "languages",
        multiple=True,
        callback=_languages,
        metavar="L",
        help="Only this language; may be given again.",
    ),
    _one_of("--kind", "kinds", tuple(kind.value for kind in Kind), "K", "this kind"),
    _one_of("--type", "source_types", tuple(source.value for source in SourceType), "T", "this type of source"),
    _one_of("--via", "via", VIA, "S", "what this signal found"),
    click.option(
        "--require",
        type=click.Choice(["current-complete"]),
        help="Refuse to answer when evidence is stale, partial or incomplete.",
    ),
    click.option("--freshness", type=click.Choice(["strict"]), help="Hash every file, whatever its times say."),
)


def _question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the query, its limit, its scope and its filters."""
    options: tuple[Callable[..., Any], ...] = (_QUERY, _LIMIT, scoped, *_FILTERS)
    for option in reversed(options):
        function = option(function)
    return function


def _query(invocation: Invocation, values: dict[str, Any]) -> Query:
    """Put the options into a query; the limit of people holds unless the answer is for a program."""
    return Query(
        text=" ".join(values.pop("words")),
        limit=_bounded(invocation, values.pop("limit")),
        require=values.pop("require") or "",
        freshness=values.pop("freshness") or "",
        scope=take_scope(invocation, values),
        filters=Filters(**values),
    )


def _bounded(invocation: Invocation, limit: int) -> int:
    most = API_LIMIT if invocation.output.as_json else PEOPLE_LIMIT
    if not 1 <= limit <= most:
        raise InvalidArgumentError(f"--limit must be between 1 and {most}, not {limit}.", argument="limit")
    return limit


def _print(invocation: Invocation, answer: Answer, *, fail_empty: bool) -> int:
    output = invocation.output
    if output.as_json:
        output.data(to_wire(answer))
    else:
        output.lines(show_answer.hits(answer, color=output.color))
        output.notes(show_answer.about(answer))
    return NO_HITS if fail_empty and not answer.hits else 0


@tree_command
@_question
@_FAIL_EMPTY
def ask(invocation: Invocation, fail_empty: bool, **values: Any) -> int:
    """Answer a question with cited evidence from the tree as it is now.

    A tree that was never asked before is indexed first. Words of the query need no quotation marks; a phrase in them is
    kept whole, -word leaves a word out (put -- before a query that holds one), and anything else is just text.
    """
    query = _query(invocation, values)
    with workspace(invocation, query.scope) as (corpora, progress):
        answer = corpora.retrieve(query, progress=progress)
    return _print(invocation, answer, fail_empty=fail_empty)


@tree_command
@click.argument("locator")
@click.option("--before", type=click.IntRange(0, MAX_AROUND), default=0, metavar="N", help="Lines before it.")
@click.option("--after", type=click.IntRange(0, MAX_AROUND), default=0, metavar="N", help="Lines after it.")
def expand(invocation: Invocation, locator: str, before: int, after: int) -> int:
    """Show what a locator points at, live, with more lines around it.

    The text is read from the file now; it says whether that is still what was indexed: same, moved, changed or gone.
    """
    with workspace(invocation, anywhere=True) as (corpora, _progress):
        expansion = corpora.expand(locator, before=before, after=after)
    output = invocation.output
    if output.as_json:
        output.data(to_wire(expansion))
    else:
        output.lines(show_answer.expansion(expansion, color=output.color))
        output.notes(show_answer.about_expansion(expansion))
    return 0


@tree_command
@click.argument("place", metavar="LOCATOR|PATH:LINE")
@_LIMIT
@scoped
@_FAIL_EMPTY
def related(invocation: Invocation, place: str, limit: int, fail_empty: bool, **values: Any) -> int:
    """Show what resembles a place."""
    most, scope = _bounded(invocation, limit), take_scope(invocation, values)
    is_locator = place.startswith(f"{VERSION}:")
    with workspace(invocation, scope, anywhere=is_locator) as (corpora, progress):
        target = place if is_locator else _from_here(place, corpora.roll(scope).places[0].root)
        answer = corpora.related(target, limit=most, scope=scope, progress=progress)
    return _print(invocation, answer, fail_empty=fail_empty)


def _from_here(place: str, root: str) -> str:
    """Take a path that means nothing from the root, as answers write it, from the current folder, as shells do."""
    path, colon, line = place.rpartition(":")
    if not colon or os.path.lexists(os.path.join(root, path)) or not os.path.lexists(path):
        return place
    return f"{os.path.abspath(path)}:{line}"


@tree_command
@_question
def explain(invocation: Invocation, **values: Any) -> int:
    """Say how a question would be answered, and what each step finds."""
    query = _query(invocation, values)
    with workspace(invocation, query.scope) as (corpora, progress):
        explanation = corpora.explain(query, progress=progress)
    output = invocation.output
    if output.as_json:
        output.data(to_wire(explanation))
    else:
        output.lines(show_answer.explanation(explanation))
        output.notes(show_answer.about(explanation))
    return 0
