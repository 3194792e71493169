"""The same done to several corpora, one after the other: one that fails costs its own row (rows C3, C8).

Whoever calls opens the corpora; nothing is opened here. Frozen values that travel as camelCase JSON.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from ..kb.errors import CancelledError, ErrorCode, GazetteerError, NotFoundError
from .health import HEALTHY, Status
from .registry import Corpus, Registry


class Failure(msgspec.Struct, frozen=True, rename="camel"):
    """Why nothing can be said of a corpus: code, sentence and what a program needs beside it."""

    code: str
    message: str
    data: dict[str, Any] = {}


class Turn(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What came of one corpus: its state, or why there is none."""

    corpus: str
    root: str
    found: Status | None = None
    error: Failure | None = None


class Round(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What came of all of them; ``ok`` says that every one is as it should be."""

    corpora: tuple[Turn, ...] = ()
    notices: tuple[str, ...] = ()
    ok: bool

    @property
    def refused(self) -> bool:
        """Whether something was refused, which trying again does not change."""
        codes = {turn.error.code for turn in self.corpora if turn.error is not None}
        return not codes.isdisjoint((ErrorCode.REFUSED.value, ErrorCode.INVALID_ARGUMENT.value))


def all_of(registry: Registry, names: Iterable[str], act: Callable[[Corpus], Status]) -> Round:
    """Do ``act`` to the corpora of these names, in this order; to all of the registry when there is none.

    Raises:
        NotFoundError: nothing is registered, or not what was named.
        InvalidArgumentError: what was named is broken.
        CancelledError: ``act`` was stopped.
    """
    wanted, broken = called(registry, names)
    return whole(registry, [*(_turn(corpus, act) for corpus in wanted), *broken])


def called(registry: Registry, names: Iterable[str]) -> tuple[list[Corpus], list[Turn]]:
    """Return the corpora of these names, or all of them and a row for each entry that is broken.

    Raises:
        NotFoundError: nothing is registered, or not what was named.
        InvalidArgumentError: what was named is broken.
    """
    wanted = [registry.find(name) for name in dict.fromkeys(names)]
    if wanted:
        return wanted, []
    broken = [
        Turn(corpus=name, root="", error=Failure(ErrorCode.INVALID_ARGUMENT.value, reason))
        for name, reason in registry.broken.items()
    ]
    if not registry.corpora and not broken:
        if registry.notices:
            raise NotFoundError(registry.notices[0])
        raise NotFoundError("No corpus is registered; add one with `gazetteer corpus add NAME DIR`.")
    return list(registry.corpora.values()), broken


def failed(corpus: Corpus, error: GazetteerError) -> Turn:
    """The row of a corpus of which nothing can be said."""
    return Turn(corpus=corpus.name, root=corpus.root, error=Failure(error.code.value, error.message, error.data))


def whole(registry: Registry, turns: Sequence[Turn]) -> Round:
    """All rows together."""
    ok = all(turn.found is not None and turn.found.state in HEALTHY for turn in turns)
    return Round(corpora=tuple(turns), notices=registry.notices, ok=ok)


def _turn(corpus: Corpus, act: Callable[[Corpus], Status]) -> Turn:
    try:
        if not corpus.there:
            raise corpus.absent()
        return Turn(corpus=corpus.name, root=corpus.root, found=act(corpus))
    except CancelledError:
        raise
    except GazetteerError as error:
        return failed(corpus, error)
