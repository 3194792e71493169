"""A card: what is worth knowing about the place that somebody points at, on a few lines. Knows nothing of editors.

Every fact comes from one glance, unsaved buffers included, and every place that is shown was hashed for it: one whose
document turned out to be another by now is left out. Counting stops when its time is up and then says "at least"; the
card is never late for a number. Nothing here is markup: values only.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from ..kb.model import Derived, DocumentPath, Kind, SourceType, Symbol
from ..kb.snapshot import Document
from ..retrieval.analyze import Term
from ..retrieval.glance import Glance
from ..retrieval.graph import Definition, Use
from ..retrieval.imports import can_resolve
from ..retrieval.lexical_request import LexicalRequest
from ..retrieval.pathclass import PathClass, classify
from ..retrieval.terms import terms
from . import pointing
from .maps import part_for
from .meaning import TRIED, Imported, Located, Meanings, Named, Written

SHOWN_USES = 2
SHOWN_TARGETS = 4
PREVIEW_LINES = 10
_SECTIONS = 12
BY_TEXT = frozenset({Kind.CONSTANT, Kind.VARIABLE, Kind.FIELD, Kind.KEY, Kind.TARGET, Kind.MACRO})
"""Kinds whose uses are no facts: where their name stands is counted instead."""
_AROUND = frozenset({Kind.NAMESPACE, Kind.MODULE, Kind.SECTION})


class Spot(msgspec.Struct, frozen=True):
    """A line of a document, and what is there."""

    path: DocumentPath
    line: int
    label: str = ""


class Usage(msgspec.Struct, frozen=True):
    """How many places use a name, and the ones that matter most."""

    count: int
    complete: bool
    named: bool  # counted by the text: mentions, not uses
    shared: bool = False  # other definitions have the name too, so not every use is of this one
    places: tuple[Spot, ...] = ()


class Card(msgspec.Struct, frozen=True):
    """What is known of a place; empty fields are unknown. ``start`` and ``end`` are offsets of what is pointed at."""

    start: int
    end: int
    title: str = ""  # the name, the module, the path
    kind: str = ""
    signature: str = ""
    language: str = ""
    defined: Spot | None = None
    others: int = 0  # further definitions of the name
    unsaved: bool = False  # the definition is in a buffer that was not saved
    external: str = ""  # the module outside of the tree that the name comes from
    document: str = ""  # first sentence of its documentation
    usage: Usage | None = None
    section: Spot | None = None  # where prose explains it
    targets: tuple[Spot, ...] = ()  # what an import means
    more_targets: int = 0
    preview: str = ""
    orientation: str = ""
    orientation_origin: str = ""
    note: str = ""


class Map(msgspec.Struct, frozen=True):
    """A text that orients, and whose it is."""

    text: str = ""
    origin: str = ""


class Cards:
    """Makes cards from one glance.

    Args:
        glance: what is seen.
        orientation: the tree's map.
        should_stop: whether it is time to stop counting.
    """

    def __init__(self, glance: Glance, orientation: Map, should_stop: Callable[[], bool]) -> None:
        self._glance = glance
        self._snapshot = glance.snapshot
        self._should_stop = should_stop
        self._meanings = Meanings(glance, should_stop)
        self._graph = self._meanings.graph
        self._map = orientation

    def at(self, path: DocumentPath, offset: int) -> Card | None:
        """The card for an offset of a document; None where there is nothing to say."""
        document = self._snapshot.document(path)
        meaning = self._meanings.at(document, offset) if document is not None else None
        if document is None or meaning is None:
            return None
        if isinstance(meaning, Named):
            return self._name(document, meaning)
        if isinstance(meaning, Imported):
            return self._import(document, meaning)
        if isinstance(meaning, Written):
            said = meaning.said
            return self._shown(meaning.document, said.line or 1, 0, said.start, said.end)
        return self._locator(meaning)

    def named(self, text: str, start: int = 0) -> Card | None:
        """The card for a name by itself, which stands at ``start`` of a document of another tree."""
        meaning = self._meanings.bare(text, start)
        return self._name(None, meaning) if meaning is not None else None

    def usage(self, document: Document, at: int) -> Usage:
        """How many places use the name of symbol ``at`` of a document."""
        symbol = self._snapshot.derived(document).symbols[at]
        shared = len(self._graph.definitions(symbol.name).found) > 1
        return self._usage(symbol.name, document.language, symbol.kind, shared=shared)

    # -- names --------------------------------------------------------------------------------------------------

    def _name(self, document: Document | None, named: Named) -> Card:
        name, found, best = named.name, named.found, named.best
        end = name.start + len(name.text)
        if best is None:
            language = document.language if document is not None else ""
            usage = self._usage(name.text, language, None) if found.external else None
            note = "" if found.external else "Its document has changed since it was indexed, and is read again."
            return Card(name.start, end, name.text, external=found.external, usage=usage, note=note)
        facts = self._snapshot.derived(best.document)
        symbol = facts.symbols[best.at]
        orientation = part_for(self._map.text, best.document.path)
        return Card(
            start=name.start,
            end=end,
            title=name.text,
            kind=symbol.kind.value,
            signature=symbol.signature,
            language=best.document.language,
            defined=Spot(best.document.path, self._meanings.line_of(best), self._meanings.container(best)),
            others=len(found.found) - 1,
            unsaved=self._is_unsaved(best.document),
            document=symbol.doc,
            usage=self._usage(name.text, best.document.language, symbol.kind, best, shared=len(found.found) > 1),
            section=self._section(name.text, document.path if document is not None else None),
            orientation=orientation,
            orientation_origin=self._map.origin if orientation else "",
        )

    def _is_unsaved(self, document: Document) -> bool:
        """Whether the text is an open buffer's, and not what the index has of the file."""
        return document.overlay is not None and not self._glance.is_saved(document)

    def _usage(
        self, name: str, language: str, kind: Kind | None, of: Definition | None = None, *, shared: bool = False
    ) -> Usage:
        found, named = self._graph.uses(name, language=language), False
        if kind in BY_TEXT and not found.places:
            found, named = self._graph.mentions(name, language=language), True
        places = []
        ordered = self._graph.reaching(name, of, found.places) if of is not None and shared else found.places
        for use in self._one_each(ordered[: TRIED * 2]):
            if self._glance.holds(use.document):
                places.append(Spot(use.document.path, use.line, self._scope_name(use)))
            if len(places) == SHOWN_USES:
                break
        return Usage(len(found.places), found.complete, named, shared, tuple(places))

    def _one_each(self, uses: Sequence[Use]) -> Iterator[Use]:
        """One use a document, then the rest."""
        seen: set[DocumentPath] = set()
        rest = []
        for use in uses:
            if use.document.path in seen:
                rest.append(use)
            else:
                seen.add(use.document.path)
                yield use
        yield from rest

    def _scope_name(self, use: Use) -> str:
        symbols = self._snapshot.derived(use.document).symbols
        return symbols[use.scope].name if 0 <= use.scope < len(symbols) else ""

    def _section(self, name: str, home: DocumentPath | None) -> Spot | None:
        """The section of prose that is about a name, or talks of it as code."""
        words = terms(name)
        if not words:
            return None
        request = LexicalRequest((Term(words[0]),), limit=_SECTIONS, source_types=(SourceType.DOCS.value,))
        best: tuple[int, Spot] | None = None
        for match in self._glance.view.search(request):
            self._should_stop()  # cancelled, it raises
            document = self._glance.view.document(match.key)
            if document.path == home or PathClass.HISTORY in classify(document.path):
                continue
            facts = self._snapshot.derived(document)
            chunk = facts.chunks[match.key.ordinal]
            value, section = _explaining(facts, name, chunk.first_line, chunk.last_line)
            if section is not None and (best is None or value > best[0]) and self._glance.holds(document):
                best = (value, Spot(document.path, section.first_line, section.name))
        return best[1] if best is not None else None

    # -- imports, paths, locators -------------------------------------------------------------------------------

    def _import(self, document: Document, meaning: Imported) -> Card:
        start, module, paths = meaning.start, meaning.taken.module, meaning.paths
        spots = [Spot(path, 1, self._about(path)) for path in paths[:SHOWN_TARGETS] if self._is_there(path)]
        orientation = part_for(self._map.text, paths[0]) if paths else ""
        return Card(
            start=start,
            end=start + len(module),
            title=module,
            kind="import",
            language=document.language,
            external="" if paths or not can_resolve(document.language) else module,
            targets=tuple(spots),
            more_targets=max(0, len(paths) - SHOWN_TARGETS),
            orientation=orientation,
            orientation_origin=self._map.origin if orientation else "",
        )

    def _is_there(self, path: DocumentPath) -> bool:
        document = self._snapshot.document(path)
        return document is not None and self._glance.holds(document)

    def _about(self, path: DocumentPath) -> str:
        """What a document defines at its top, in a few words."""
        document = self._snapshot.document(path)
        if document is None:
            return ""
        symbols = self._snapshot.derived(document).symbols
        outer = [
            one
            for one in symbols
            if not one.name.startswith("_")
            and one.kind not in _AROUND
            and (one.container < 0 or symbols[one.container].kind in _AROUND)
        ]
        names = list(dict.fromkeys(one.name for one in sorted(outer, key=lambda one: one.kind in BY_TEXT)))
        return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")

    def _locator(self, meaning: Located) -> Card:
        place, document = meaning.place, meaning.document
        if place is None or document is None:
            return Card(meaning.start, meaning.end, "locator", note=meaning.fault)
        moved = not document.content_id.startswith(place.content)
        card = self._shown(document, place.first_line, place.last_line, meaning.start, meaning.end)
        note = "The document has changed since; `expand` follows the passage." if moved else ""
        return msgspec.structs.replace(card, note=note) if not card.note else card

    def _shown(self, document: Document, line: int, last: int, start: int, end: int) -> Card:
        text, lines = self._snapshot.text(document), self._glance.lines(document)
        if not self._glance.holds(document):
            return Card(start, end, document.path, note="This document has changed since; it is read again.")
        first = min(max(line, 1), lines.count)
        stop = min(last or lines.count, first + PREVIEW_LINES - 1)
        around = pointing.around(self._snapshot.derived(document), first)
        orientation = part_for(self._map.text, document.path)
        return Card(
            start=start,
            end=end,
            title=document.path,
            kind="file",
            language=document.language,
            defined=Spot(document.path, first, around[0].name if around and line > 1 else ""),
            unsaved=self._is_unsaved(document),
            preview="\n".join(
                text[lines.start_of(at) : lines.end_of(at)][:160] for at in range(first, stop + 1)
            ).rstrip(),
            orientation=orientation,
            orientation_origin=self._map.origin if orientation else "",
        )


def _explaining(facts: Derived, name: str, first: int, last: int) -> tuple[int, Symbol | None]:
    """The section between two lines that has a name in its heading, else the first one that says it as code."""
    for symbol in facts.symbols:
        if first <= symbol.first_line <= last and name in re.findall(r"[\w$]+", symbol.name):
            return 2, symbol
    for one in facts.references:
        if one.name == name and first <= one.line <= last and one.scope >= 0:
            return 1, facts.symbols[one.scope]
    return 0, None
