"""Where one goes from a place: to what defines it, or to what uses it.

What a place means is `context.meaning`'s, so a jump goes where the hover card says. Lists are bounded, and every
document behind them was hashed.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.model import DocumentPath
from .looking import Look

if TYPE_CHECKING:
    from ..context.meaning import Meanings, Named
    from ..context.pointing import Name
    from ..retrieval.graph import Use

MAX_PLACES = 500


def defining(seen: Look, offset: int, cancel: Cancel) -> Iterator[types.Location]:
    """Where what is pointed at leads: the definitions of a name, what an import takes, a path, a locator."""
    from ..context.meaning import Imported, Meanings, Named, Written

    meaning = Meanings(seen.glance, stopping(cancel)).at(seen.document, offset)
    if isinstance(meaning, Named):
        yield from definitions_of(seen, meaning)
        return
    places: list[tuple[DocumentPath, int]] = []
    if isinstance(meaning, Imported):
        places = [(path, 0) for path in meaning.paths]
    elif isinstance(meaning, Written):
        places = [(meaning.document.path, meaning.said.line)]
    elif meaning is not None and meaning.place is not None:
        places = [(meaning.place.path, meaning.place.first_line)]
    for path, line in places:
        if (place := seen.at_line(path, line)) is not None:
            yield place


def definitions_of(seen: Look, named: "Named") -> Iterator[types.Location]:
    """Where what defines a name stands in the tree that is looked at, likeliest first."""
    for one in named.found.found:
        symbol = seen.glance.snapshot.derived(one.document).symbols[one.at]
        if seen.glance.holds(one.document):
            yield Look.elsewhere(seen.session, seen.glance, one.document, seen.units).spot(symbol)


def using(seen: Look, offset: int, cancel: Cancel, *, declared: bool) -> Iterator[types.Location]:
    """Where a name is used, or who imports the document that is pointed at."""
    from ..context.meaning import Imported, Meanings, Named, Written
    from ..context.pointing import name_at

    meanings = Meanings(seen.glance, stopping(cancel))
    meaning = meanings.at(seen.document, offset)
    if isinstance(meaning, Imported | Written):
        paths = meaning.paths if isinstance(meaning, Imported) else (meaning.document.path,)
        yield from _importing(seen, meanings, paths, cancel)
        return
    name = name_at(seen.text, offset, seen.document.language)
    if name is None:
        return
    named = meaning if isinstance(meaning, Named) else None
    if declared and named is not None:
        yield from definitions_of(seen, named)
    held: dict[DocumentPath, bool] = {}
    for use in uses_of(seen, meanings, name, named)[:MAX_PLACES]:
        cancel.check()
        if use.document.path not in held:
            held[use.document.path] = seen.glance.holds(use.document)
        if held[use.document.path]:
            yield from seen.on_line(use.document, use.line, name.text)


def uses_of(seen: Look, meanings: "Meanings", name: "Name", named: "Named | None") -> "tuple[Use, ...]":
    """Where the tree that is looked at uses a name."""
    from ..context.card import BY_TEXT

    defined = named.found.found[:1] if named is not None else ()
    language = defined[0].document.language if defined else seen.document.language
    found = meanings.graph.uses(name.text, language=language)
    kinds = {seen.glance.snapshot.derived(one.document).symbols[one.at].kind for one in defined}
    if BY_TEXT & kinds and not found.places:
        found = meanings.graph.mentions(name.text, language=language)
    return found.places


def _importing(
    seen: Look, meanings: "Meanings", paths: tuple[DocumentPath, ...], cancel: Cancel
) -> Iterator[types.Location]:
    """The modules of imports that mean one of the documents."""
    from ..context.pointing import module_place

    wanted = frozenset(paths)
    places = {(use.document.path, use.line): use for path in paths for use in meanings.graph.importers(path).places}
    for use in [*places.values()][:MAX_PLACES]:
        cancel.check()
        document = use.document
        if not seen.glance.holds(document):
            continue
        there = Look.elsewhere(seen.session, seen.glance, document, seen.units)
        for at, taken in enumerate(seen.glance.snapshot.derived(document).imports):
            if taken.line == use.line and wanted & {one.path for one in meanings.graph.targets(document, at)}:
                start = module_place(there.text, taken, there.lines.start_of(taken.line), document.language)
                if start >= 0:
                    yield types.Location(there.uri(there.path), there.range(start, start + len(taken.module)))


def stopping(cancel: Cancel) -> Callable[[], bool]:
    """Never stop for a reason of one's own; a token that is set ends the work."""

    def stop() -> bool:
        cancel.check()
        return False

    return stop
