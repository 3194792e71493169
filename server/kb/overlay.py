"""Open documents: the text that rules while an editor has it, saved or not (row K10).

An ``OverlayMap`` is a value: opening, changing and closing give a new map, so that a snapshot keeps the one it took
(invariant 3). Nothing here reads a disk or is written to one: overlay text never leaves this process (invariant 2).
Hashes and normalised text are made when first asked for: a change arrives on the event loop, a question does not.
"""

import hashlib
import os
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import msgspec

from .buffer import Buffer, Change
from .errors import NotFoundError
from .model import ContentId, DocumentPath
from .text import Units, content_id


class Overlay(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of one open document."""

    path: DocumentPath
    buffer: Buffer

    @property
    def version(self) -> int:
        """The editor's own number of this version."""
        return self.buffer.version

    @property
    def text(self) -> str:
        """The normalised text."""
        return self.buffer.normalised

    @cached_property
    def content_id(self) -> ContentId:
        """The identity of the text; equal to that of a file that says the same."""
        return content_id(self.text)


class OverlayMap:
    """All open documents of one corpus at one moment, by path. Immutable; iterates in path order."""

    def __init__(self, overlays: Mapping[DocumentPath, Overlay] | None = None) -> None:
        self._overlays: Mapping[DocumentPath, Overlay] = MappingProxyType(dict(sorted((overlays or {}).items())))

    def open(self, path: DocumentPath, text: str, version: int) -> "OverlayMap":
        """Return the map with ``path`` open; opening it again replaces what was known of it."""
        return self.put(path, Buffer.of(text, version))

    def put(self, path: DocumentPath, buffer: Buffer) -> "OverlayMap":
        """Return the map with ``buffer`` as what is open at ``path``."""
        return self._with(Overlay(path, buffer))

    def change(self, path: DocumentPath, changes: Sequence[Change], version: int, units: Units) -> "OverlayMap":
        """Return the map with ``changes`` applied to an open document.

        Raises:
            NotFoundError: the document is not open.
            ConflictError, InvalidArgumentError: as `Buffer.apply`; this map still holds the version before.

        """
        known = self._overlays.get(path)
        if known is None:
            raise NotFoundError("This document is not open, so it cannot be changed; open it first.", path=path)
        return self._with(Overlay(path, known.buffer.apply(changes, version, units)))

    def close(self, path: DocumentPath) -> "OverlayMap":
        """Return the map without ``path``; closing what is not open changes nothing."""
        if path not in self._overlays:
            return self
        return OverlayMap({known: overlay for known, overlay in self._overlays.items() if known != path})

    def only(self, paths: Container[DocumentPath]) -> "OverlayMap":
        """Return the map of those open documents that are among ``paths``."""
        return OverlayMap({known: overlay for known, overlay in self._overlays.items() if known in paths})

    def get(self, path: DocumentPath) -> Overlay | None:
        """Return the open document at ``path``, or None."""
        return self._overlays.get(path)

    def __contains__(self, path: object) -> bool:
        return path in self._overlays

    def __iter__(self) -> Iterator[Overlay]:
        return iter(self._overlays.values())

    def __len__(self) -> int:
        return len(self._overlays)

    @cached_property
    def state_id(self) -> str:
        """Twelve hex digits that differ when any path, version or content differs; ``""`` with nothing open."""
        if not self._overlays:
            return ""
        digest = hashlib.sha256()
        for overlay in self:
            digest.update(b"%s\0%d\0%s\n" % (os.fsencode(overlay.path), overlay.version, overlay.content_id.encode()))
        return digest.hexdigest()[:12]

    def _with(self, overlay: Overlay) -> "OverlayMap":
        return OverlayMap({**self._overlays, overlay.path: overlay})


NOTHING_OPEN = OverlayMap()
