"""The short form of a content's facts that ranking reads: one note a chunk. And by which names a symbol is known."""

from bisect import bisect_right

from .model import ChunkNote, Derived, Kind

OPTION = "CONFIG_"
"""What everything but Kconfig puts before the name of one of its symbols."""


def known_as(name: str, kind: Kind, language: str) -> tuple[str, ...]:
    """The names that a symbol of a document in ``language`` goes by, its own first."""
    return (name, OPTION + name) if kind is Kind.KEY and language == "kconfig" else (name,)


def outline(derived: Derived) -> tuple[ChunkNote, ...]:
    """One note for every chunk, in order."""
    starts = [chunk.start for chunk in derived.chunks]
    defined: list[dict[str, None]] = [{} for _ in starts]
    language = derived.language
    for symbol in derived.symbols:
        at = bisect_right(starts, symbol.name_start) - 1
        if at >= 0:
            for name in known_as(symbol.name, symbol.kind, language):
                defined[at][name] = None
    return tuple(
        ChunkNote(
            kind=chunk.kind,
            name=chunk.name,
            trail=chunk.trail,
            defined=tuple(names),
            first_line=chunk.first_line,
            last_line=chunk.last_line,
            size=chunk.end - chunk.start,
            part=chunk.part,
            declaration=chunk.declaration,
        )
        for chunk, names in zip(derived.chunks, defined, strict=True)
    )
