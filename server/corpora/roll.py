"""Who takes part in a question, and by what standing (rows C5, C6).

Pure but for links that are resolved: the registry as it is, the trees of one's own, and what a question says of its
scope go in; places come out, each tree once, by the first standing that holds. Nothing is opened here. A name that
leads nowhere is a sentence and no error, as long as somebody is left: another process may have removed it just now.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..kb.errors import InvalidArgumentError, NotFoundError
from ..kb.paths import printable
from ..retrieval.query import Scope, Standing
from .entry import name_of
from .registry import Corpus, Registry
from .registry_json import composed


class Place(NamedTuple):
    """A corpus that takes part: its name, why it does, and where it is."""

    name: str
    standing: Standing
    root: str  # as whoever named it spells it
    real: str


class Roll(NamedTuple):
    """Who takes part in a question, and a sentence for each corpus that was meant and is not there.

    ``unknown`` is said of names that were to be left out and are nobody's: no evidence is missing for them.
    """

    places: tuple[Place, ...]
    absent: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


Declares = Callable[[str], Iterable[str]]
"""Gives the corpora that the tree at a root asks to be asked with it."""
Named = tuple[str, Standing, Place | None]


def own_places(roots: Sequence[str], registry: Registry) -> tuple[Place, ...]:
    """The trees of one's own: registered ones by their names, others by their folders."""
    by_root: dict[str, Corpus] = {}
    for corpus in registry.corpora.values():
        by_root.setdefault(corpus.real, corpus)
    found: list[Place] = []
    for root in roots:
        real = os.path.realpath(root)
        known = by_root.get(real)
        taken = {*registry.corpora, *(place.name for place in found)}
        found.append(Place(known.name if known is not None else name_of(real, taken), "own", root, real))
    return tuple(found)


def tree_called(name: str, roots: Iterable[str], registry: Registry) -> Corpus:
    """Return the corpus of a name, as a question means it: a registered one, else a tree of one's own by its folder.

    Raises:
        InvalidArgumentError: its entry is broken, or the registry cannot be read.
        NotFoundError: there is none.
    """
    name = composed(name)
    if name not in registry.corpora:
        for place in own_places(tuple(roots), registry):
            if place.name == name and name not in registry.broken:
                return Corpus(name=name, path=place.root, root=place.root, real=place.real)
        if registry.notices:
            raise InvalidArgumentError(registry.notices[0], corpus=name)
    return registry.find(name)


def call_roll(roots: Sequence[str], scope: Scope, registry: Registry, declares: Declares) -> Roll:
    """Say who takes part.

    Args:
        roots: the trees of one's own.
        scope: what the question says of it.
        registry: what is registered.
        declares: what ``knowledge.yaml`` of a tree of one's own says of it.

    Raises:
        InvalidArgumentError: nobody is left to ask.
        NotFoundError: only corpora were named that are not there.
    """
    scope = _composed(scope)
    own = own_places(roots, registry)
    meant = _Meant(own, registry, declares)
    places: dict[str, Place] = {}
    absent: list[str] = []
    for name, standing, place in meant.by(scope):
        if name in scope.without or (place is not None and place.name in scope.without):
            continue
        if place is None:
            absent.append(_absence(name, standing, registry))
        else:
            places.setdefault(place.real, place)
    known = {*registry.corpora, *registry.broken, *(place.name for place in own)}
    unknown = [f"No corpus is called {printable(name)[:80]}: it is not left out." for name in {*scope.without} - known]
    if not places:
        if absent and not scope.without:
            raise NotFoundError(registry.notices[0] if registry.notices else absent[0])
        raise InvalidArgumentError("No corpus is left to ask; name one, or leave fewer out.", argument="without")
    return Roll(tuple(places.values()), tuple(dict.fromkeys(absent)), tuple(sorted(unknown)))


class _Meant:
    """Everybody who is meant, the first standing of each first; None for a name that leads nowhere."""

    def __init__(self, own: tuple[Place, ...], registry: Registry, declares: Declares) -> None:
        self._own: Mapping[str, Place] = {place.name: place for place in own}
        self._registry = registry
        self._declares = declares
        self._entries = {**registry.corpora, **registry.silent}  # what does not answer is meant all the same

    def by(self, scope: Scope) -> Iterator[Named]:
        if scope.corpora:
            yield from self._named(scope.corpora, "own")
        else:
            yield from ((place.name, "own", place) for place in self._own.values())
            yield from self._along()
        yield from self._named(scope.attach, "attached")
        if scope.everywhere:
            yield from self._named({**self._registry.corpora, **self._registry.broken}, "registered")
        elif not scope.corpora:
            yield from self._below()

    def _along(self) -> Iterator[Named]:
        """Those that come along by themselves: declared by a tree of one's own, or shared with all."""
        for place in self._own.values():
            corpus = self._entries.get(place.name)
            said = (*(corpus.corpora if corpus is not None else ()), *self._declares(place.root))
            yield from self._named(dict.fromkeys(said), "declared")
        shared = (name for name, corpus in self._entries.items() if corpus.shared)
        yield from self._named(shared, "shared")

    def _below(self) -> Iterator[Named]:
        """The corpora below a tree of one's own, which are no part of it: it is an umbrella over them."""
        for place in self._own.values():
            inside = self._registry.inside(place.real)
            yield from self._named(
                (name for name, corpus in self._entries.items() if (corpus.real or corpus.root) in inside), "found"
            )

    def _named(self, names: Iterable[str], standing: Standing) -> Iterator[Named]:
        for name in map(composed, names):
            corpus = self._registry.corpora.get(name)
            yield name, standing, _place(corpus, standing) if corpus is not None else self._own.get(name)


def _composed(scope: Scope) -> Scope:
    """Return the same scope, with names as they are compared."""
    return Scope(
        tuple(map(composed, scope.corpora)),
        scope.everywhere,
        tuple(map(composed, scope.attach)),
        tuple(map(composed, scope.without)),
    )


def _place(corpus: Corpus, standing: Standing) -> Place:
    return Place(corpus.name, standing, corpus.root, corpus.real)


def _absence(name: str, standing: Standing, registry: Registry) -> str:
    """A sentence for a corpus that was meant and is not there."""
    said = printable(name)[:80]
    broken = registry.broken.get(name)
    if broken is not None:
        return f"{said} was not asked: {broken}"
    why = ", which this tree names among its corpora," if standing == "declared" else ""
    return f"{said}{why} is not registered and was not asked; `gazetteer corpus list` says what is."
