"""``index``: the indexes of all registered trees, or of some, each built or brought up to its tree (row C3)."""

import click

from ..corpora.health import Health
from ..corpora.registry import Corpus
from ..corpora.rounds import all_of
from ..kb.errors import EXIT_CODES, ErrorCode
from . import show_corpora
from .options import ROOTLESS, Invocation, command_of_all, corpus_names
from .show_corpora import show

UNWELL = EXIT_CODES[ErrorCode.UNAVAILABLE]
REFUSED = EXIT_CODES[ErrorCode.REFUSED]


@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=corpus_names)
def _index(invocation: Invocation, names: tuple[str, ...]) -> int:
    """Build the index of every registered tree, or of those named.

    One that has too many files or cannot be read costs only itself; what was published of it before still answers.
    Exits with 2 when one was refused, else with 3 when one could not be taken in.
    """

    def build(corpus: Corpus) -> Health:
        with invocation.session_at(corpus.real) as (session, progress):
            return session.sync(progress=progress)

    named = () if invocation.named_corpus is None else (invocation.named_corpus,)
    found = all_of(invocation.catalogue().current(), (*names, *named), build)
    show(invocation.output, found, show_corpora.indexed)
    if found.refused:
        return REFUSED
    return 0 if found.ok else UNWELL


index = command_of_all(_index, ROOTLESS)
index.name = "index"
