"""Definitions by a part of their name, as somebody types it who looks for a place.

The index knows whole names and words, so it is asked for both and for words that begin as what was typed; whether a
name holds that is then read from facts. Case and underscores do not count.
"""

from collections.abc import Iterator

from ..kb.model import Kind, Symbol
from ..kb.snapshot import Document
from .analyze import Term
from .containment import containers
from .glance import Glance
from .lexical_request import LexicalRequest
from .pathclass import PathClass, classify
from .terms import split, terms, whole, words

MAX_CHUNKS = 400
MAX_BEGINNINGS = 20
"""Words that begin as the typed one, looked up for it."""
_BEHIND = frozenset({PathClass.TEST, PathClass.FIXTURE, PathClass.VENDORED, PathClass.GENERATED})


def named_like(glance: Glance, typed: str, limit: int) -> Iterator[tuple[Document, Symbol, str]]:
    """Symbols whose name holds ``typed``, each with what contains it: the same name first, then by beginning."""
    wanted = whole("".join(words(typed)))
    if not wanted:
        return
    view, snapshot = glance.view, glance.snapshot
    paths = dict.fromkeys(key.path for key in view.definitions([wanted], folded=True, limit=MAX_CHUNKS))
    beginnings = [word for word, _ in view.reader.vocabulary(wanted[:40], MAX_BEGINNINGS)]
    last = split(words(typed)[-1])[-1:]
    lookups = dict.fromkeys([*terms(typed), *last, *beginnings])
    request = LexicalRequest(tuple(map(Term, lookups)), limit=MAX_CHUNKS, boosts={"names": 1.0, "trail": 0.2})
    paths.update(dict.fromkeys(match.key.path for match in view.search(request)))
    found = []
    for path in paths:
        document = snapshot.document(path)
        if document is None:
            continue
        derived = snapshot.derived(document)
        behind = bool(_BEHIND.intersection(classify(path)))
        for at, symbol in enumerate(derived.symbols):
            folded = whole(symbol.name)
            if wanted in folded and symbol.kind is not Kind.SECTION:
                order = (folded != wanted, not folded.startswith(wanted), behind, len(folded), path, symbol.name_start)
                found.append((order, document, symbol, ".".join(reversed(containers(derived, at)))))
    found.sort(key=lambda one: one[0])
    for _, document, symbol, container in found[:limit]:
        yield document, symbol, container
