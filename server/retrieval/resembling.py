"""What resembles a passage, in its own corpus and in others (row R11): which passage, and who says the same words.

A corpus gives the passage, and by its own numbers the words that tell most of it; any corpus can be asked for them.
Reads a view, decides no order.
"""

import os
import re
import time

import msgspec

from ..kb.errors import InvalidArgumentError, NotFoundError
from ..kb.model import ContentId, DocumentPath
from ..kb.paths import Root, printable
from . import locator
from .candidates import Gathered
from .fuse import ChunkKey
from .lexical_request import LexicalRequest
from .planner import Outcome
from .query import Score, Signal
from .related import related_request
from .search import Finding
from .view import Match, View
from .worth import Worth

_PLACE = re.compile(r"(?P<path>.+):(?P<line>[1-9]\d{0,8})")


class Wanted(msgspec.Struct, frozen=True):
    """What to ask for, and the passage that it was made from: the key of its corpus, its document and place there."""

    request: LexicalRequest
    tree: str
    path: DocumentPath
    ordinal: int

    def is_it(self, tree: str, key: ChunkKey) -> bool:
        """Whether a chunk of a tree is the passage itself."""
        return (tree, key.path, key.ordinal) == (self.tree, self.path, self.ordinal)


class Alike(msgspec.Struct, frozen=True):
    """What resembles it in one corpus, best first, and what each document says, by id."""

    matches: tuple[Match, ...]
    contents: dict[DocumentPath, ContentId]
    finding: Finding


def wanted(view: View, root: Root, target: str) -> Wanted:
    """What to ask for to find what resembles the passage of a locator or of ``PATH:LINE``.

    Raises:
        InvalidArgumentError: the target is neither, or of another tree.
        NotFoundError: there is no such document, or no such line in it.
    """
    key = _chunk_at(view, root, target)
    document = view.document(key)
    derived = view.snapshot.derived(document)
    request = related_request(
        view.snapshot.text(document),
        derived.chunks[key.ordinal],
        derived,
        lambda term: view.reader.frequency("body", term),
        view.reader.chunks,
    )
    return Wanted(request, root.key, key.path, key.ordinal)


def alike(view: View, root: Root, asked: Wanted, worth: Worth) -> Alike:
    """What resembles the passage in a corpus.

    Raises:
        DamagedError: the keyword index cannot be read.
    """
    started = time.perf_counter()
    request = msgspec.structs.replace(asked.request, scales=worth.scales)
    matches = tuple(match for match in view.search(request) if not asked.is_it(root.key, match.key))
    outcome = Outcome(len(matches), (time.perf_counter() - started) * 1000)
    signals = {
        match.key: (Signal("lexical", Score(match.score, "bm25"), rank),) for rank, match in enumerate(matches, 1)
    }
    return Alike(
        matches,
        {match.key.path: view.document(match.key).content_id for match in matches},
        Finding(Gathered((), {}, {}, ()), {"lexical": outcome}, (), lambda key: signals.get(key, ())),
    )


def _chunk_at(view: View, root: Root, target: str) -> ChunkKey:
    if target.startswith(f"{locator.VERSION}:"):
        place = locator.parse(target)
        if place.corpus_key != root.key:
            raise InvalidArgumentError("This locator is of another corpus; name its root with --root.")
        path, line = place.path, place.first_line
    else:
        found = _PLACE.fullmatch(target)
        if found is None:
            raise InvalidArgumentError("Name a locator, or PATH:LINE with the number of a line.", argument="target")
        path, line = _path_in(root, found["path"]), int(found["line"])
    document = view.snapshot.document(path)
    if document is None:
        raise NotFoundError(f"{printable(path)} is not in the index; see `gazetteer status` for what is left out.")
    for ordinal, chunk in enumerate(view.snapshot.derived(document).chunks):
        if chunk.first_line <= line <= chunk.last_line:
            return ChunkKey(view.corpus, path, ordinal)
    raise NotFoundError(f"{printable(path)} has no line {line}.")


def _path_in(root: Root, written: str) -> DocumentPath:
    inside = root.document(os.path.abspath(os.path.join(root.given, written)))
    if inside is None:
        raise InvalidArgumentError(f"{printable(written)} is not inside {root.given}.", argument="target")
    return inside
