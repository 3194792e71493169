"""The documents of one snapshot by path, to be asked what a path written somewhere means. Nothing is opened here.

An open buffer that is not in the index yet counts like any file. A path that is not among them cannot come out of here,
whatever dots are in what is asked for (pitfall SE01).
"""

from collections.abc import Callable, Iterable
from posixpath import normpath

from ..kb.model import DocumentPath
from .path_table import PathTable, ends_in


class Tree:
    """The documents there are, by path: those of the index, and open buffers that are not in it yet."""

    def __init__(
        self, table: PathTable, buffers: Iterable[DocumentPath], text_of: Callable[[DocumentPath], str]
    ) -> None:
        self._table = table
        self._more = sorted(path for path in set(buffers) if path not in table)
        self.text_of = text_of

    def has(self, path: str) -> bool:
        """Whether there is a document at ``path``."""
        return path in self._table or path in self._more

    def ending(self, suffix: str, near: DocumentPath) -> list[DocumentPath]:
        """Documents whose path ends in ``suffix``, the nearest to ``near`` first."""
        found = [*self._table.ending(suffix), *(path for path in self._more if ends_in(path, suffix))]
        return sorted(found, key=lambda path: closeness(path, near))

    def meant(self, written: str, home: DocumentPath) -> DocumentPath | None:
        """The document that a path written in ``home`` means; None for what leads out of the tree."""
        for base in (join(folder_of(home), written), join("", written.lstrip("/"))):
            if base and self.has(base):
                return DocumentPath(base)
        if "/" not in written.strip("/") and "." not in written[1:]:
            return None  # one word without an ending is prose
        return next(iter(self.ending(written, home)), None)

    def inside(self, folder: str, endings: tuple[str, ...]) -> list[DocumentPath]:
        """Documents directly in folders whose path ends in ``folder``, by path."""
        more = [path for path in self._more if ends_in(DocumentPath(path.rpartition("/")[0]), folder)]
        return sorted(path for path in (*self._table.inside(folder), *more) if path.endswith(endings))


def closeness(path: DocumentPath, near: DocumentPath) -> tuple[int, int, DocumentPath]:
    """A sort key: the folders that two documents do not share, then the path."""
    mine, theirs = path.split("/")[:-1], near.split("/")[:-1]
    shared = 0
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            break
        shared += 1
    return len(theirs) - shared, len(mine) - shared, path


def folder_of(path: str) -> str:
    """The path of the folder that a path is in; "" for the root."""
    return path.rpartition("/")[0]


def join(folder: str, steps: str) -> str:
    """A path below the root, tidy; "" for one that leads out of it."""
    joined = normpath(f"{folder}/{steps}" if folder else steps)
    return "" if joined.startswith(("..", "/")) or joined == "." else joined
