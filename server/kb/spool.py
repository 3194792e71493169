"""Annotations of a bulk build, kept on disk between deriving and publishing, so that memory stays bounded."""

import tempfile
from collections.abc import Iterator, Mapping

from .model import DocumentPath

_IN_MEMORY = 32 << 20


class Spool(Mapping[DocumentPath, bytes]):
    """A mapping that is written once a key and read one key at a time.

    Args:
        folder: where the spill file lies (it has no name there and goes away with the process).
    """

    def __init__(self, folder: str) -> None:
        # Closed by `close`; a context manager would tie its life to one block of the caller.
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=folder)  # noqa: SIM115
        self._where: dict[DocumentPath, tuple[int, int]] = {}
        self._end = 0

    def add(self, path: DocumentPath, data: bytes) -> None:
        """Keep ``data`` for ``path``; nothing is kept for empty data."""
        if not data:
            return
        self._file.seek(self._end)
        self._file.write(data)
        self._where[path] = (self._end, len(data))
        self._end += len(data)

    def __getitem__(self, path: DocumentPath) -> bytes:
        start, size = self._where[path]
        self._file.seek(start)
        return self._file.read(size)

    def __iter__(self) -> Iterator[DocumentPath]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)

    def close(self) -> None:
        """Give the space back."""
        self._file.close()
