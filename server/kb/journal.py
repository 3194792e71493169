"""The dirty journal: which documents are known or suspected to have changed since the last flush (row K5).

Anything may write into it, from any thread; one flush takes all of it out. It only ever says too much: any number of
marks of a document become one, beyond its bounds an exact edit becomes "this document" and many documents become "the
whole corpus", and what a failed flush took out can be put back. A mark is a hint: the query boundary finds the same
changes without it, later (row K4).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from .model import DiskHash, DocumentPath

MAX_DOCUMENTS = 10_000
MAX_EDITS = 1_000
MAX_REASONS = 32
"""Distinct reasons kept between two flushes; they are words of this program, told to people."""


class Edit(msgspec.Struct, frozen=True, gc=False):
    """A document whose bytes are known to have gone from one hash to another, in one step or in several."""

    path: DocumentPath
    old_hash: DiskHash
    new_hash: DiskHash


class Drained(msgspec.Struct, frozen=True):
    """What was marked, all sorted. ``all`` means every document, and then ``paths`` is empty.

    ``edits`` are those of ``paths`` whose every change since the last flush was recorded exactly.
    """

    all: bool = False
    paths: tuple[DocumentPath, ...] = ()
    reasons: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()

    def __bool__(self) -> bool:
        return self.all or bool(self.paths)


class Journal:
    """The journal of one corpus."""

    def __init__(
        self,
        *,
        max_documents: int = MAX_DOCUMENTS,
        max_edits: int = MAX_EDITS,
    ) -> None:
        self._max_documents = max_documents
        self._max_edits = max_edits
        self._lock = threading.Lock()
        self._all = False
        self._paths: dict[DocumentPath, Edit | None] = {}
        self._edits = 0
        self._reasons: set[str] = set()
        self._batches = 0
        self._reading = 0  # of those who took something out, how many are at it yet

    def mark(self, path: DocumentPath, reason: str) -> None:
        """Note that a document may have changed."""
        with self._lock:
            self._reason(reason)
            self._add(path, None)

    def mark_all(self, reason: str) -> None:
        """Note that any document may have changed."""
        with self._lock:
            self._reason(reason)
            self._add_all()

    def record(self, path: DocumentPath, old_hash: DiskHash, new_hash: DiskHash) -> None:
        """Note that a document's bytes went from ``old_hash`` to ``new_hash``."""
        with self._lock:
            self._reason("edit")
            self._add(path, Edit(path, old_hash, new_hash))

    def _drain(self) -> Drained:
        if self._batches:
            return Drained()
        edits = sorted((edit for edit in self._paths.values() if edit is not None), key=lambda edit: edit.path)
        drained = Drained(self._all, tuple(sorted(self._paths)), tuple(sorted(self._reasons)), tuple(edits))
        self._all = False
        self._paths = {}
        self._edits = 0
        self._reasons = set()
        return drained

    @contextmanager
    def taken(self) -> Iterator[Drained]:
        """Take everything out while the block reads it in; put it back when the block raises.

        While a batch is under way there is nothing yet.
        """
        with self._lock:
            drained = self._drain()
            self._reading += bool(drained)
        try:
            yield drained
        except BaseException:
            self.restore(drained)
            raise
        finally:
            with self._lock:
                self._reading -= bool(drained)

    def restore(self, drained: Drained) -> None:
        """Put back what a flush took out and could not finish, as older than what was marked meanwhile."""
        with self._lock:
            for reason in drained.reasons:
                self._reason(reason)
            if drained.all:
                self._add_all()
                return
            edits = {edit.path: edit for edit in drained.edits}
            for path in drained.paths:
                self._add_older(path, edits.get(path))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Hold everything back while several writes make one step. Batches nest and overlap."""
        with self._lock:
            self._batches += 1
        try:
            yield
        finally:
            with self._lock:
                self._batches -= 1

    @property
    def pending(self) -> bool:
        """Whether anything is marked, held back or not."""
        with self._lock:
            return self._all or bool(self._paths)

    @property
    def being_read(self) -> bool:
        """Whether somebody has taken something out and is not done with it."""
        with self._lock:
            return self._reading > 0

    @property
    def unsettled(self) -> bool:
        """Whether documents are known that have to be read again: marked, or being read."""
        with self._lock:
            return self._all or bool(self._paths) or self._reading > 0

    @property
    def everything(self) -> bool:
        """Whether any document may have changed, so that a flush has to look at the whole tree."""
        with self._lock:
            return self._all

    @property
    def held(self) -> bool:
        """Whether a batch is under way."""
        with self._lock:
            return self._batches > 0

    def _reason(self, reason: str) -> None:
        if len(self._reasons) < MAX_REASONS:
            self._reasons.add(reason)

    def _add_all(self) -> None:
        self._all = True
        self._paths = {}
        self._edits = 0

    def _add(self, path: DocumentPath, edit: Edit | None) -> None:
        """Mark ``path``; an exact edit stays one only if it starts where the known one ended."""
        if self._all:
            return
        if path not in self._paths:
            self._place(path, edit)
            return
        known = self._paths[path]
        if known is None:
            return
        self._replace(path, _chain(known, edit))

    def _add_older(self, path: DocumentPath, edit: Edit | None) -> None:
        """Mark ``path`` as `_add` does, with what happened before the marks that are here."""
        if self._all:
            return
        if path not in self._paths:
            self._place(path, edit)
            return
        known = self._paths[path]
        if known is not None:
            self._replace(path, None if edit is None else _chain(edit, known))

    def _place(self, path: DocumentPath, edit: Edit | None) -> None:
        if len(self._paths) >= self._max_documents:
            self._add_all()
            return
        if edit is not None and self._edits >= self._max_edits:
            edit = None
        self._edits += edit is not None
        self._paths[path] = edit

    def _replace(self, path: DocumentPath, edit: Edit | None) -> None:
        """Put ``edit`` in the place of a known exact edit."""
        self._edits -= edit is None
        self._paths[path] = edit


def _chain(first: Edit, then: Edit | None) -> Edit | None:
    """Return both edits as one, or None if something happened between them that nobody recorded."""
    if then is None or first.new_hash != then.old_hash:
        return None
    return Edit(first.path, first.old_hash, then.new_hash)
