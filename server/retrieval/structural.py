"""What is found by name instead of by words: files, aliases, definitions, members and subtypes (rows R6, R8).

Two strategies over one snapshot. *exact* is a claim, so it is made only where a whole name matches at token boundaries:
path steps, declared aliases, defined symbols (as written first, then without case), with their qualifiers where the
query has some. *structural* answers what a plan asks for by kind or relation. Candidates come from the keyword index,
which may be wrong about more than names; everything said of them is read from facts of the snapshot. Open buffers are
read directly and their documents' rows in the index never count (invariant 5). Lists are in the order of path and line
within a tier, and bounded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

import msgspec

from ..kb.model import ChunkNote, Derived, DocumentPath, Kind, Role
from ..kb.snapshot import Document, Snapshot
from .analyze import Term, identifier_parts
from .containment import chunk_holding, chunk_of_reference, is_inside, last_part, same_name
from .lexical_request import ChunkAddress, LexicalMatch, LexicalRequest, PathsOf
from .path_table import PathTable, bears, ends_in, normal
from .planner import Plan
from .rules import Aliases, Ask
from .terms import terms

__all__ = ["Aliases", "Located", "Locating", "Names", "Spot", "everything"]

MAX_READ = 24
"""Documents whose facts are read to check one name."""
MAX_CANDIDATES = 1_000
"""Chunks that the keyword index is asked for, for one name."""
FEW = 8
"""Places that may define a dotted name as a whole; one that stands in more is a namespace and says nothing of where."""
_SELF = frozenset({"self", "this", "cls", "super", "crate"})
"""Qualifiers that name no place."""
_FRONT = ("readme", "index", "__init__", "mod", "lib", "main")
"""Stems of the document that stands for a folder."""


class Names(Protocol):
    """What is asked of the keyword index (`lexical.LexicalReader`)."""

    def definitions(self, names: Iterable[str], *, folded: bool = False, limit: int = 1_000) -> list[ChunkAddress]:
        """Return chunks that define one of the names."""

    def search(self, request: LexicalRequest, paths_of: PathsOf | None = None) -> list[LexicalMatch]:
        """Return chunks by words."""


class Spot(msgspec.Struct, frozen=True):
    """A chunk that was found, and what it was found by, as a clause for people."""

    document: Document
    ordinal: int
    reason: str
    named: bool = False  # the query names the document; otherwise it names what the chunk defines


class Located(msgspec.Struct, frozen=True):
    """What one strategy found, best first. ``undefined`` are identifiers of the query that nothing defines."""

    spots: tuple[Spot, ...] = ()
    undefined: tuple[str, ...] = ()


def everything(_document: Document) -> bool:
    """Admit every document."""
    return True


class Locating:
    """Both strategies, bound to what one query sees.

    Args:
        snapshot: documents and their facts.
        names: the keyword index at the snapshot's generation.
        paths: the paths of the snapshot's generation, buffers not counted.
        admits: which documents may answer at all.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        names: Names,
        paths: PathTable,
        *,
        admits: Callable[[Document], bool] = everything,
    ) -> None:
        self._snapshot = snapshot
        self._names = names
        self._paths = paths
        self._admits = admits
        self._buffers = [d for o in snapshot.overlays if (d := snapshot.document(o.path)) is not None]

    def exact(self, plan: Plan) -> Located:
        """Return the files, aliases and definitions that the plan names."""
        found: list[Spot] = []
        for path in plan.paths:
            found += self._by_path(path)
        for alias in plan.aliases:
            found += self._at(self._front(alias.path), 0, f"also called {alias.name}")
        undefined = []
        for name in plan.names:
            spots = self._by_name(name)
            if not spots and name in plan.analysed.identifiers:
                undefined.append(name)
            found += spots
        return self._bounded(found, plan.step("exact").budget, undefined)

    def structural(self, plan: Plan) -> Located:
        """Return the definitions that stand in the kind or relation that the plan asks for."""
        found: list[Spot] = []
        relations = {"kind": self._of_kind, "member": self._members, "subtype": self._subtypes}
        for ask in plan.asks:
            if ask.relation in relations:
                found += relations[ask.relation](ask)
        return self._bounded(found, plan.step("structural").budget, [])

    # -- by path ------------------------------------------------------------------------------------------------

    def _by_path(self, written: str) -> list[Spot]:
        """Documents whose path ends in ``written``, which may say a line; case counts unless nothing else matches."""
        path, line = _path_and_line(written)
        path = path.removeprefix(f"{self._snapshot.root}/")
        for fold in (False, True):
            found = list(self._paths.ending(path, folded=fold))
            found += [d.path for d in self._buffers if d.path not in set(found) and ends_in(d.path, path, folded=fold)]
            found.sort(key=lambda one: (len(one) != len(normal(path)), one))
            spots = [spot for one in found for spot in self._at(one, line, f"named {written}")]
            if spots:
                return spots
        return []

    def _front(self, path: str) -> DocumentPath:
        """The document at ``path``, or the one that stands for the folder there."""
        wanted = DocumentPath(normal(path))
        if self._snapshot.document(wanted) is not None:
            return wanted
        inside = self._paths.below(wanted)
        stems = [one.rsplit("/", 1)[-1].split(".", 1)[0].lower() for one in inside]
        for front in _FRONT:
            if front in stems:
                return inside[stems.index(front)]
        return inside[0] if inside else wanted

    def _at(self, path: DocumentPath, line: int, reason: str) -> Iterator[Spot]:
        document = self._snapshot.document(path)
        if document is None:
            return
        if line or document.row is None:
            chunks = self._snapshot.derived(document).chunks
            if chunks:
                holding = (at for at, chunk in enumerate(chunks) if chunk.first_line <= line <= chunk.last_line)
                yield Spot(document, next(holding, 0), reason, named=True)
        elif document.row.chunks:
            yield Spot(document, 0, reason, named=True)

    # -- by name ------------------------------------------------------------------------------------------------

    def _by_name(self, written: str) -> list[Spot]:
        """Definitions of a name, before what only declares it; a heading of prose defines nothing (row R6)."""
        *qualifiers, name = identifier_parts(written) or (written,)
        qualifiers = [one for one in qualifiers if one.lower() not in _SELF]
        for folded in (False, True):
            if qualifiers:
                spots = [
                    (derived.symbols[at].declaration, _spot(document, derived, at, f"defines {written}"))
                    for document, derived, at in self._symbols(name, qualifiers, folded=folded)
                    if derived.symbols[at].kind is not Kind.SECTION
                ]
                together = list(self._defining(written, folded=folded))  # ``defmodule Phoenix.Endpoint`` is one name
                spots += together if len(together) <= FEW else []
            else:
                spots = list(self._defining(name, folded=folded))
            if spots:
                spots.sort(key=lambda one: (one[0], one[1].document.path, one[1].ordinal))
                return [spot for _, spot in spots]
        return list(self._module("/".join((*qualifiers, name)), written)) if qualifiers else []

    def _module(self, steps: str, written: str) -> Iterator[Spot]:
        """The files that a dotted name is the path of, as languages name modules: ``ui.menu`` is ``ui/menu.py``."""
        for one in (steps, *(f"{steps}/{front}" for front in _FRONT)):
            found = {*self._paths.bearing(one), *(d.path for d in self._buffers if bears(d.path, one))}
            for path in sorted(found):
                yield from self._at(path, 0, f"is {written}")

    def _defining(self, name: str, *, folded: bool) -> Iterator[tuple[bool, Spot]]:
        """Chunks that define ``name``, and whether they only declare it. The index is right about names."""
        reason = f"defines {name}"
        addresses = self._names.definitions([name], folded=folded, limit=MAX_CANDIDATES)
        documents = self._snapshot.by_ids(address.document_id for address in addresses)
        outlines = self._snapshot.outlines(documents.values())
        for document_id, ordinal in addresses:
            if document_id in documents:
                document = documents[document_id]
                note = outlines[document.path][ordinal]
                if note.kind is not Kind.SECTION:
                    yield note.declaration, Spot(document, ordinal, reason)
        for document in self._buffers:
            derived = self._snapshot.derived(document)
            for at, symbol in enumerate(derived.symbols):
                if same_name(symbol.name, name, folded=folded) and symbol.kind is not Kind.SECTION:
                    yield symbol.declaration, _spot(document, derived, at, reason)

    def _symbols(
        self, name: str, qualifiers: Sequence[str], *, folded: bool
    ) -> Iterator[tuple[Document, Derived, int]]:
        """Symbols called ``name`` inside of what the qualifiers say: containers, namespaces, folders, the file."""
        near: list[LexicalMatch] = []
        if qualifiers and not folded:
            wanted = tuple(Term(term) for one in qualifiers for term in terms(one)[:1])
            near = self._search(LexicalRequest(wanted, defining=(name,), boosts={"trail": 1.0, "path": 1.0}))
        for document in self._documents(near, self._names.definitions([name], folded=folded, limit=MAX_CANDIDATES)):
            derived = self._snapshot.derived(document)
            for at, symbol in enumerate(derived.symbols):
                if same_name(symbol.name, name, folded=folded) and is_inside(
                    derived, at, document.path, qualifiers, folded=folded
                ):
                    yield document, derived, at

    def _search(self, request: LexicalRequest) -> list[LexicalMatch]:
        return self._names.search(msgspec.structs.replace(request, limit=MAX_CANDIDATES), self._snapshot.paths_of)

    def _documents(self, ranked: Sequence[LexicalMatch], named: Sequence[ChunkAddress] = ()) -> list[Document]:
        """Documents to read: those ranked by words, then those with the name by path, at most `MAX_READ`; all buffers.

        Ids count up with time, so they decide nothing: an index made anew reads the same documents.
        """
        by_words = self._snapshot.by_ids(match.document_id for match in ranked)
        by_name = self._snapshot.by_ids(address.document_id for address in named)
        found = {document.path: document for document in by_words.values()}
        for document in sorted(by_name.values(), key=lambda document: document.path):
            found.setdefault(document.path, document)
        return [*islice(found.values(), MAX_READ), *self._buffers]

    # -- by relation --------------------------------------------------------------------------------------------

    def _of_kind(self, ask: Ask) -> list[Spot]:
        *qualifiers, name = identifier_parts(ask.name) or (ask.name,)
        for folded in (False, True):
            spots = [
                _spot(document, derived, at, f"{derived.symbols[at].kind} {ask.name}")
                for document, derived, at in self._symbols(name, qualifiers, folded=folded)
                if derived.symbols[at].kind in ask.kinds
            ]
            if spots:
                return _in_order(spots)
        return []

    def _members(self, ask: Ask) -> list[Spot]:
        around = identifier_parts(ask.name) or (ask.name,)
        wanted = tuple(Term(term) for term in terms(around[-1])[:1])
        documents = self._documents(
            self._search(LexicalRequest(wanted, boosts={"trail": 1.0})) if wanted else [],
            self._names.definitions([around[-1]], limit=MAX_CANDIDATES),
        )
        outlines = self._snapshot.outlines(documents)
        documents = [document for document in documents if _heads(outlines[document.path], around[-1])]
        for folded in (False, True):
            spots = [
                _spot(document, derived, at, f"{symbol.kind} of {ask.name}")
                for document, derived in self._facts(documents)
                for at, symbol in enumerate(derived.symbols)
                if (symbol.container >= 0 or symbol.owner)
                and (not ask.kinds or symbol.kind in ask.kinds)
                and is_inside(derived, at, document.path, around, folded=folded)
            ]
            if spots:
                return _in_order(spots)
        return []

    def _subtypes(self, ask: Ask) -> list[Spot]:
        name = last_part(ask.name)
        wanted = tuple(Term(term) for term in terms(name)[:1])
        if not wanted:
            return []
        documents = self._documents(self._search(LexicalRequest(wanted, boosts={"body": 1.0})))
        for folded in (False, True):
            spots = [
                Spot(document, chunk_of_reference(derived, reference.scope, reference.line), f"extends {ask.name}")
                for document, derived in self._facts(documents)
                for reference in derived.references
                if reference.role is Role.INHERIT and same_name(last_part(reference.name), name, folded=folded)
            ]
            if spots:
                return _in_order(spots)
        return []

    def _facts(self, documents: Iterable[Document]) -> Iterator[tuple[Document, Derived]]:
        for document in documents:
            yield document, self._snapshot.derived(document)

    def _bounded(self, found: Iterable[Spot], limit: int, undefined: Sequence[str]) -> Located:
        """Each chunk once, only of documents that may answer."""
        once: dict[tuple[DocumentPath, int], Spot] = {}
        for spot in found:
            if self._admits(spot.document):
                once.setdefault((spot.document.path, spot.ordinal), spot)
        return Located(tuple(islice(once.values(), limit)), tuple(undefined))


def _path_and_line(written: str) -> tuple[str, int]:
    path, colon, line = written.partition(":")
    digits = line.replace("-", ":").partition(":")[0]
    return (path, int(digits)) if colon and digits.isdecimal() else (written, 0)


def _spot(document: Document, derived: Derived, at: int, reason: str) -> Spot:
    """The chunk in which a symbol's name stands."""
    return Spot(document, chunk_holding(derived, derived.symbols[at].name_start), reason)


def _heads(notes: Sequence[ChunkNote], name: str) -> bool:
    """Say whether something stands under a heading called ``name``: cheaper than reading all facts to see that not."""
    return any(same_name(last_part(step), name, folded=True) for note in notes for step in (*note.trail, *note.defined))


def _in_order(spots: list[Spot]) -> list[Spot]:
    return sorted(spots, key=lambda spot: (spot.document.path, spot.ordinal))
