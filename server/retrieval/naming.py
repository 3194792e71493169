"""Definitions by a part of their name, as somebody types it who looks for a place.

The index knows whole names and words, so it is asked for both and for words that begin as what was typed; whether a
name holds that is then read from facts. Case and underscores do not count.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ..kb.model import Kind, Symbol
from ..kb.snapshot import Document
from .analyze import Term
from .containment import containers
from .glance import Glance
from .lexical_request import LexicalRequest
from .pathclass import PathClass, classify
from .terms import split, terms, whole, words

MAX_CHUNKS = 400
MAX_DEFINING = 3_000
"""Chunks that are looked at for definitions of just the typed name."""
MAX_BEGINNINGS = 20
"""Words that begin as the typed one, looked up for it."""
_BEHIND = frozenset({PathClass.TEST, PathClass.FIXTURE, PathClass.VENDORED, PathClass.GENERATED})


class Likeness(msgspec.Struct, frozen=True):
    """A definition whose name holds what was typed; less ``order`` is better, in any tree."""

    order: tuple[bool, bool, bool, int]
    document: Document
    symbol: Symbol
    container: str  # what contains it

    def key(self, corpus: str) -> tuple[Any, ...]:
        """A sort key among the likenesses of several trees: ties break by corpus, path, place."""
        return (*self.order, corpus, self.document.path, self.symbol.name_start)


def named_like(
    glance: Glance, typed: str, *, languages: Sequence[str] = (), check: Callable[[], None] = lambda: None
) -> list[Likeness]:
    """Definitions whose name holds ``typed``, best first: the same name, then by beginning.

    Args:
        glance: what is seen.
        typed: what somebody typed.
        languages: of which languages; () for any.
        check: called between documents; what it raises ends the work.
    """
    wanted = whole("".join(words(typed)))
    if not wanted:
        return []
    view, snapshot = glance.view, glance.snapshot
    paths = dict.fromkeys(key.path for key in view.definitions([wanted], folded=True, limit=MAX_DEFINING))
    beginnings = [word for word, _ in view.reader.vocabulary(wanted[:40], MAX_BEGINNINGS)]
    last = split(words(typed)[-1])[-1:]
    lookups = dict.fromkeys([*terms(typed), *last, *beginnings])
    request = LexicalRequest(
        tuple(map(Term, lookups)),
        limit=MAX_CHUNKS,
        languages=tuple(languages),
        boosts={"names": 1.0, "trail": 0.2},
    )
    paths.update(dict.fromkeys(match.key.path for match in view.search(request)))
    found = []
    for path in paths:
        check()
        document = snapshot.document(path)
        if document is None or (languages and document.language not in languages):
            continue
        derived = snapshot.derived(document)
        behind = bool(_BEHIND.intersection(classify(path)))
        for at, symbol in enumerate(derived.symbols):
            folded = whole(symbol.name)
            if wanted in folded and symbol.kind is not Kind.SECTION:
                order = (folded != wanted, not folded.startswith(wanted), behind, len(folded))
                found.append(Likeness(order, document, symbol, ".".join(reversed(containers(derived, at)))))
    return sorted(found, key=lambda one: one.key(""))
