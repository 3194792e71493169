"""What the registry says of one tree, as far as it decides what the tree's index is and how the tree is called.

A value that is made anew whenever the registry has changed; whoever has a tree open follows it as it follows
``knowledge.yaml``. A tree that nobody registered has an entry too: no name of its own, and what is registered below it.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..kb.paths import Root, printable
from .indexers import IndexerRules, rules_of
from .registry import Registry
from .registry_json import composed


@dataclass(frozen=True, slots=True)
class Entry:
    """One tree. ``name`` "" is the name of its folder; lists are sorted: their order means nothing."""

    name: str = ""
    indexer: str = "generic"
    exclude: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()  # real paths of registered trees below it, which are left out of it
    prompt_file: str = ""
    notices: tuple[str, ...] = ()  # what is to be said of it where the tree's state is told

    def deciding(self) -> dict[str, object]:
        """What of it decides what the corpus is; empty for a tree that is registered nowhere."""
        rules = self.rules
        found = {"indexer": "" if rules == IndexerRules() else repr(rules), "inside": list(self.inside)}
        return {key: value for key, value in found.items() if value}

    @property
    def rules(self) -> IndexerRules:
        """Which files its indexer takes."""
        return rules_of(self.indexer)


UNREGISTERED = Entry()
Entries = Callable[[], Entry]


def unregistered() -> Entry:
    """The entry of a tree where there is no registry."""
    return UNREGISTERED


def entry_of(registry: Registry, real: str) -> Entry:
    """Return what a registry says of the tree at a real path."""
    inside = registry.inside(real)
    corpus = next((one for one in registry.corpora.values() if one.real == real), None)
    if corpus is None:
        return Entry(name=name_of(real, registry.corpora), inside=inside)
    return Entry(
        name=corpus.name,
        indexer=corpus.indexer,
        exclude=tuple(sorted(set(corpus.exclude))),
        inside=inside,
        prompt_file=corpus.prompt_file,
        notices=(corpus.waiting,) if corpus.waiting else (),
    )


def name_of(root: str, taken: Iterable[str] = ()) -> str:
    """Return what a tree without a name is called: its folder, with six digits of its key where that is taken."""
    name = composed(printable(os.path.basename(root))) or root
    return f"{name}-{Root(root).key[:6]}" if name in taken else name
