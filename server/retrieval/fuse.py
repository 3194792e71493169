"""What of a ranked list is shown: one row a document, one row a text.

Pure, generic and deterministic; no score is looked at. Nothing that came in is lost: what does not become a row of its
own is listed inside the row it belongs to, or counted with a reason (R7, R12).
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from ..kb.model import DocumentPath

SAME_DOCUMENT = "same document"
SAME_TEXT = "same text"


def counted(within: int, elsewhere: int) -> dict[str, int]:
    """What is no row of its own, by reason: chunks of documents that have a row, and chunks of copies."""
    return {reason: count for reason, count in ((SAME_DOCUMENT, within), (SAME_TEXT, elsewhere)) if count}


class ChunkKey(NamedTuple):
    """Names a chunk in every strategy alike, within one set of snapshots. Ordinals count up with the lines."""

    corpus: str
    path: DocumentPath
    ordinal: int


class Sortable(Protocol):
    """What a key has to be: equal for the same thing in every list, and ordered for ties."""

    def __lt__(self, other: Any, /) -> bool: ...
    def __hash__(self) -> int: ...


K = TypeVar("K", bound=Sortable)


class Row(msgspec.Struct, Generic[K], frozen=True):
    """One line of the answer: its best chunk, and what else it stands for, best first."""

    key: K
    same_document: tuple[K, ...] = ()
    same_text: tuple[K, ...] = ()


class Collapsed(msgspec.Struct, Generic[K], frozen=True):
    """The rows to show, and how many keys are not a row of their own, by reason."""

    rows: tuple[Row[K], ...]
    suppressed: dict[str, int]


def collapse(
    ranked: Iterable[K], *, document: Callable[[K], object], content: Callable[[K], object] | None = None
) -> Collapsed[K]:
    """Give every document, and every text, one row at the place of its best chunk.

    A document cannot corroborate itself: its further chunks are listed inside its row and move it nowhere. Documents
    that say the same (equal ``content``) are copies: the first to come is the row, and lists every other one once.

    Args:
        ranked: keys, best first; a repeated key counts once.
        document: what names the document of a key.
        content: the content of that document; a falsy value is a copy of nothing.

    """
    rows: dict[object, list[K]] = {}
    copies: dict[object, dict[object, K]] = {}
    of_content: dict[object, object] = {}
    shown_in: dict[object, object] = {}  # a document to the document of the row that it is listed in
    suppressed = {SAME_DOCUMENT: 0, SAME_TEXT: 0}
    for key in dict.fromkeys(ranked):
        name = document(key)
        if name not in shown_in:
            text = content(key) if content is not None else None
            shown_in[name] = of_content.setdefault(text, name) if text else name
        first = shown_in[name]
        if first != name:
            copies.setdefault(first, {}).setdefault(name, key)
            suppressed[SAME_TEXT] += 1
        elif name in rows:
            rows[name].append(key)
            suppressed[SAME_DOCUMENT] += 1
        else:
            rows[name] = [key]
    return Collapsed(
        tuple(Row(keys[0], tuple(keys[1:]), tuple(copies.get(name, {}).values())) for name, keys in rows.items()),
        {reason: count for reason, count in suppressed.items() if count},
    )
