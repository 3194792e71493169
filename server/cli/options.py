"""The options that every command has, made from the table of settings, and the invocation they add up to.

An option may stand before the command or after it; after it wins, lists add up. Nothing is opened here before a command
asks for its session.
"""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..kb.errors import GazetteerError, InvalidArgumentError
from ..settings import BY_KEY, SETTINGS, Setting, Settings
from .output import Output

if TYPE_CHECKING:
    from ..app import ProgressSink, Session
    from ..corpora.registry import Catalogue, Corpus


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


def corpus_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a registered tree."""
    from ..corpora.registry import Registry

    names = Registry.load(corpus_root=os.environ.get(BY_KEY["corpus_root"].env, "")).corpora
    return [name for name in names if name.startswith(incomplete)]


SHARED: tuple[click.Option, ...] = (
    click.Option(
        ["--root"],
        type=click.Path(readable=False),
        metavar="DIR",
        help="The tree.  [default: the nearest folder upwards that is registered or has .git or knowledge.yaml, else "
        "this one]",
    ),
    click.Option(
        ["--corpus"],
        metavar="NAME",
        shell_complete=corpus_names,
        help="The tree of this name, registered or one's own, instead of the one here.",
    ),
    *(_setting_option(setting) for setting in SETTINGS if setting.flag),
    click.Option(["--json", "as_json"], is_flag=True, default=None, help="Print JSON, for programs."),
    click.Option(["--color"], type=click.Choice(["auto", "always", "never"]), help="Colour on standard output."),
)
"""Options of every command, and of the program before a command."""
ROOTLESS = tuple(option for option in SHARED if option.name != "root")
"""Those of commands that know trees by their names only."""
TREELESS = tuple(option for option in ROOTLESS if option.name != "corpus")
"""Those of commands that are about no tree in particular."""
SHARED_KEYS = tuple(option.name for option in SHARED if option.name)
_SETTING_KEYS = frozenset(setting.key for setting in SETTINGS if setting.flag)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command as it was typed: which tree, under which settings, and where its words go."""

    named_root: str | None
    settings: Settings
    output: Output
    named_corpus: str | None = None
    typed_exclude: tuple[str, ...] = ()  # globs of the command line, which the settings hold too

    @classmethod
    def of(cls, before: dict[str, Any], after: dict[str, Any]) -> "Invocation":
        """Add up the options before the command and those after it."""
        given = group_options(before, after)
        if given["root"] is not None and given["corpus"] is not None:
            raise InvalidArgumentError("--root and --corpus both say which tree; give one.", argument="corpus")
        settings = Settings.load(os.environ, **{key: given[key] for key in _SETTING_KEYS})
        output = Output(as_json=bool(given["as_json"]), color=given["color"] or "auto")
        return cls(given["root"], settings, output, given["corpus"], given["exclude"] or ())

    def catalogue(self) -> "Catalogue":
        """The user's registry."""
        from ..corpora.registry import Catalogue

        return Catalogue(corpus_root=self.settings.corpus_root)

    def corpus(self) -> "Corpus | None":
        """The corpus that was named; None when none was.

        Raises:
            InvalidArgumentError: its entry is broken, or the registry cannot be read.
            NotFoundError: there is none of that name.
        """
        if self.named_corpus is None:
            return None
        from ..corpora.roll import tree_called

        here: list[str] = []
        with suppress(GazetteerError):  # one may be in no tree at all
            here.append(self.workspace_root())
        return tree_called(self.named_corpus, here, self.catalogue().current())

    def root(self, *, gone: bool = False) -> str:
        """Find the tree that is meant: the corpus that was named, else as ``corpora.roots.find_root`` does.

        Args:
            gone: it need not be there any more when it is named.
        """
        corpus = self.corpus()
        if corpus is not None:
            if not corpus.there and not gone:
                raise corpus.absent()
            return corpus.real
        return self.workspace_root(gone=gone)

    def workspace_root(self, *, gone: bool = False) -> str:
        """Find the tree that one is in, whatever corpus is asked: what is done is done there."""
        from ..corpora.roots import find_root

        return find_root(self.named_root, gone=gone, registered=self._registered().__contains__)

    def _registered(self) -> frozenset[str]:
        """Real paths of all registered trees."""
        return frozenset(corpus.real for corpus in self.catalogue().current().corpora.values())

    @contextmanager
    def session(self, *, gone: bool = False) -> Iterator["tuple[Session, ProgressSink]"]:
        """Open the tree, with a place to report progress to; both are closed afterwards."""
        with self.session_at(self.root(gone=gone)) as opened:
            yield opened

    @contextmanager
    def session_at(self, root: str) -> Iterator["tuple[Session, ProgressSink]"]:
        """Open a tree, as the registry knows it, with a place to report progress to; both are closed afterwards."""
        from ..app import Session
        from ..corpora.entry import entry_of
        from .progress import Bar

        catalogue = self.catalogue()
        self.output.notes((("warn", "note: "), ("", notice)) for notice in catalogue.current().notices)
        with Session(root, self.settings, entries=lambda: entry_of(catalogue.current(), root)) as session, Bar() as bar:
            yield session, bar


def _later(before: Any, after: Any) -> Any:
    if isinstance(before, tuple) and isinstance(after, tuple):
        return (*before, *after)
    return before if after is None else after


def tree_command(function: Callable[..., int]) -> click.Command:
    """Make a command of a function that takes the invocation first and returns the exit status."""
    return _command(function, SHARED)


def command_of_all(function: Callable[..., int], shared: tuple[click.Option, ...] | None = None) -> click.Command:
    """Make a command that is not about the tree that one stands in; a tree named for it is an error.

    Args:
        function: takes the invocation first and returns the exit status.
        shared: its options of `SHARED`; those that name no tree by default.
    """
    return _command(function, TREELESS if shared is None else shared)


def _command(function: Callable[..., int], shared: tuple[click.Option, ...]) -> click.Command:
    @functools.wraps(function)
    @click.pass_context
    def invoke(ctx: click.Context, /, **values: Any) -> int:
        before, after = ctx.obj or {}, {option.name: values.pop(option.name) for option in shared if option.name}
        for option in SHARED:
            if option not in shared and before.get(option.name) is not None:
                raise click.UsageError(f"{option.opts[0]} says nothing here", ctx)
        return function(Invocation.of(before, after), **values)

    command = click.command()(invoke)
    command.params.extend(shared)
    return command


def group_options(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Add up the options before a group of commands and those after it, for its commands."""
    return {key: _later(before.get(key), after.get(key)) for key in SHARED_KEYS}
