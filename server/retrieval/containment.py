"""Where a symbol stands: what contains it, which chunk holds it, whether a qualified name means it. Pure, over facts.

Containers come from the facts of one content. Where those end, a file or a folder of its path is a namespace.
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..kb.model import Derived, DocumentPath
from .analyze import identifier_parts
from .terms import whole


def same_name(name: str, wanted: str, *, folded: bool) -> bool:
    """Say whether two names are one, without case and underscores if ``folded``."""
    return whole(name) == whole(wanted) if folded else name == wanted


def last_part(name: str) -> str:
    """Return a name without what qualifies it."""
    return (identifier_parts(name) or (name,))[-1]


def is_inside(derived: Derived, at: int, path: DocumentPath, qualifiers: Sequence[str], *, folded: bool) -> bool:
    """Say whether a symbol stands inside ``qualifiers``, outermost first.

    The innermost one is what directly contains the symbol; where nothing does, a namespace is a file or a folder. The
    others stand further out, in order; what lies between them need not be written.
    """
    if not qualifiers:
        return True
    around = containers(derived, at)
    steps = path.split("/")
    steps[-1] = steps[-1].split(".", 1)[0]
    outside = [*around, *reversed(steps)]
    if around and not same_name(around[0], qualifiers[-1], folded=folded):
        return False
    for qualifier in reversed(qualifiers):
        place = next((n for n, one in enumerate(outside) if same_name(one, qualifier, folded=folded)), -1)
        if place < 0:
            return False
        outside = outside[place + 1 :]
    return True


def containers(derived: Derived, at: int) -> list[str]:
    """Names of what is around a symbol, innermost first."""
    found: list[str] = []
    symbol = derived.symbols[at]
    seen = {at}
    while True:
        found += reversed(identifier_parts(symbol.owner))
        if symbol.container < 0 or symbol.container in seen:
            return found
        seen.add(symbol.container)
        symbol = derived.symbols[symbol.container]
        found += reversed(identifier_parts(symbol.name) or (symbol.name,))


def innermost(derived: Derived, line: int) -> int:
    """The innermost symbol that holds a line, or -1."""
    holding = (
        (symbol.last_line - symbol.first_line, at)
        for at, symbol in enumerate(derived.symbols)
        if symbol.first_line <= line <= symbol.last_line
    )
    return min(holding, default=(0, -1))[1]


def lies_in(derived: Derived, scope: int, at: int) -> bool:
    """Whether a scope is symbol ``at`` or lies in it."""
    seen: Sequence[int] = ()
    while scope >= 0 and scope not in seen:
        if scope == at:
            return True
        seen = (*seen, scope)
        scope = derived.symbols[scope].container
    return False


def chunk_holding(derived: Derived, offset: int) -> int:
    """The place of the chunk that holds an offset."""
    return max(0, bisect_right(derived.chunks, offset, key=lambda chunk: chunk.start) - 1)


def chunk_of_reference(derived: Derived, scope: int, line: int) -> int:
    """The chunk of the definition that holds a reference, or of the line where none does."""
    if scope >= 0:
        return chunk_holding(derived, derived.symbols[scope].name_start)
    return max(0, bisect_right(derived.chunks, line, key=lambda chunk: chunk.first_line) - 1)
