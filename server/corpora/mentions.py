"""When a question names another corpus, or is asked of one: what to say about it (row C6). It moves nothing.

Opening a folder says where one is, and no question changes that. But "where does the kernel free skbs", asked of the
boot loader, may be meant for another tree; then one sentence says which, and the command that would ask it.

A name counts as whole words, as people write it, whatever the case; the longest name first, so that ``linux-rt`` is not
``linux``. It does not count as a part of a path or of a file's name, as an ordinary word of directories, in a word that
the question leaves out, or for a tree that is not there.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterator

from ..kb.paths import printable
from .registry import Corpus, Registry
from .registry_json import composed

_ORDINARY = """
api app apps arch asset assets backend base bin block boot build builds cache check class client cmd code common conf
config configs contrib core crypto data db debug demo dev dist doc docs documentation driver drivers env etc example
examples external file files firmware fixture fixtures frontend fs generated generic hal home hook hooks image images
inc include index init install internal io ipc kb lib library libs local log logs main man master media memory meta
misc mm mock mocks model models module modules net network new node nodes old opt out output package packages patch
patches pkg platform plugin plugins private project projects proto public recipe recipes release resource resources
root run sample samples script scripts sdk security server service services shared sound source sources spec specs src
static storage sys system target task tasks template templates test testing tests third_party tmp tool tools tree ui
usr util utils value var vendor version virt web work workspace
"""
ORDINARY = frozenset(_ORDINARY.split())
"""Words that directories are called by everywhere; as the name of a corpus they say nothing in a question."""
_AROUND = r"[\w/\\.+-]"
"""What a name is a part of something else with."""


class Mentions:
    """What was said already; one for as long as a person would remember it, such as a session of an editor.

    Args:
        how: says, of the name of a corpus, how it is asked here.
    """

    def __init__(self, how: Callable[[str], str] | None = None) -> None:
        self._how = how or switch
        self._said: set[str] = set()

    def notices(self, question: str, registry: Registry, asked: Collection[str]) -> tuple[str, ...]:
        """Say which other corpora a question names, each once.

        Args:
            question: as it was typed.
            registry: what is registered.
            asked: names of the corpora that the question goes to anyway, or that were left out on purpose.
        """
        found = []
        for corpus in mentioned(question, registry):
            if corpus.name in asked or corpus.name in self._said:
                continue
            self._said.add(corpus.name)
            found.append(
                f"The question names {corpus.name}, which is a corpus of its own and was not asked; "
                f"`{self._how(corpus.name)}` asks it."
            )
        return tuple(found)


def mentioned(question: str, registry: Registry) -> Iterator[Corpus]:
    """Yield the registered corpora that a question names, in the order in which it does."""
    question = composed(question)
    names = [name for name in registry.corpora if name.casefold() not in ORDINARY]
    if not names:
        return
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    words = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first)
    # a full stop or a colon may end a sentence, and what follows it is then no part of a name
    pattern = re.compile(rf"(?<!{_AROUND})({words})(?!\.?{_AROUND.replace('.', '')})", re.IGNORECASE)
    by_words = {_folded(name): registry.corpora[name] for name in reversed(longest_first)}
    spelled = {" ".join(name.split()): registry.corpora[name] for name in names}  # of two that differ by case alone
    seen = set()
    for match in pattern.finditer(question):
        corpus = spelled.get(" ".join(match[1].split())) or by_words.get(_folded(match[1]))
        if corpus is not None and corpus.name not in seen and corpus.there:
            seen.add(corpus.name)
            yield corpus


def elsewhere(corpus: str, root: str, workspace: str) -> str:
    """What to say when evidence comes from another tree than the one that one works in."""
    return (
        f"This reads in {corpus} ({printable(root)}) and acts here: edits and commands are still those of "
        f"{printable(workspace)}."
    )


def switch(name: str) -> str:
    """The command that asks a corpus instead."""
    return f"gazetteer ask --corpus {shlex.quote(name)} QUESTION"


def _folded(words: str) -> str:
    return " ".join(words.casefold().split())
