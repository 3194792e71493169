"""The options that every command has, made from the table of settings, and the invocation they add up to.

An option may stand before the command or after it; after it wins, lists add up. Nothing is opened here before a command
asks for its session.
"""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..settings import SETTINGS, Setting, Settings
from .output import Output

if TYPE_CHECKING:
    from ..app import ProgressSink, Session


def _setting_option(setting: Setting) -> click.Option:
    """Make the option of one row."""
    names = [setting.flag, setting.key]
    words = f"{setting.help}  [env: {setting.env}]"
    if setting.type == "boolean":
        return click.Option(names, is_flag=True, default=None, help=words)
    if setting.type == "globs":
        return click.Option(names, multiple=True, metavar="GLOB", help=words)
    if setting.type == "integer":
        words = f"{setting.help}  [env: {setting.env}; default: {setting.default}]"
        return click.Option(names, type=int, metavar="N", help=words)
    return click.Option(names, type=click.Path(readable=False), metavar="DIR", help=words)


SHARED: tuple[click.Option, ...] = (
    click.Option(
        ["--root"],
        type=click.Path(readable=False),
        metavar="DIR",
        help="The tree.  [default: the nearest folder upwards with .git or knowledge.yaml, else this one]",
    ),
    *(_setting_option(setting) for setting in SETTINGS if setting.flag),
    click.Option(["--json", "as_json"], is_flag=True, default=None, help="Print JSON, for programs."),
    click.Option(["--color"], type=click.Choice(["auto", "always", "never"]), help="Colour on standard output."),
)
"""Options of every command, and of the program before a command."""
SHARED_KEYS = tuple(option.name for option in SHARED if option.name)
_SETTING_KEYS = frozenset(setting.key for setting in SETTINGS if setting.flag)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command as it was typed: which tree, under which settings, and where its words go."""

    named_root: str | None
    settings: Settings
    output: Output

    @classmethod
    def of(cls, before: dict[str, Any], after: dict[str, Any]) -> "Invocation":
        """Add up the options before the command and those after it."""
        given = {key: _later(before.get(key), after.get(key)) for key in SHARED_KEYS}
        settings = Settings.load(os.environ, **{key: given[key] for key in _SETTING_KEYS})
        return cls(given["root"], settings, Output(as_json=bool(given["as_json"]), color=given["color"] or "auto"))

    def root(self, *, gone: bool = False) -> str:
        """Find the tree, as ``corpora.roots.find_root`` does."""
        from ..corpora.roots import find_root

        return find_root(self.named_root, gone=gone)

    @contextmanager
    def session(self, *, gone: bool = False) -> Iterator["tuple[Session, ProgressSink]"]:
        """Open the tree, with a place to report progress to; both are closed afterwards."""
        root = self.root(gone=gone)
        from ..app import Session
        from .progress import Bar

        with Session.open(root, self.settings) as session, Bar() as bar:
            yield session, bar


def _later(before: Any, after: Any) -> Any:
    if isinstance(before, tuple) and isinstance(after, tuple):
        return (*before, *after)
    return before if after is None else after


def tree_command(function: Callable[..., int]) -> click.Command:
    """Make a command of a function that takes the invocation first and returns the exit status."""

    @functools.wraps(function)
    @click.pass_context
    def invoke(ctx: click.Context, /, **values: Any) -> int:
        after = {key: values.pop(key) for key in SHARED_KEYS}
        return function(Invocation.of(ctx.obj or {}, after), **values)

    command = click.command()(invoke)
    command.params.extend(SHARED)
    return command
