"""The one write boundary: edits of a document, made only on the very bytes that they were meant for (row K11).

``commit`` holds the file, compares its hash, edits its text, and puts the result in its place in the same encoding,
mark, line ends and mode; the hash is compared once more just before the replace. ``record`` is for a writer that did
the write itself: it checks what it can and tells the journal. Everything that does not fit is a refusal that names its
reason and changes nothing. Only documents of the tree are written: what its rules leave out, what is outside of it and
what holds secrets is refused, whatever spelling leads there.
"""

from collections.abc import Callable, Sequence

import msgspec

from .buffer import Buffer
from .cancel import Cancel
from .edits import TextEdit, apply_edits
from .errors import ConflictError, InvalidArgumentError, NotFoundError, RefusedError
from .journal import Journal
from .model import DiskHash, DocumentPath
from .overlay import OverlayMap
from .paths import Root, printable, resolve_inside
from .replace import hold
from .scan import Refusal, ScanRules, would_index
from .source import RawBytes, read_bytes
from .text import Decoded, Units, decode, decode_exact, disk_hash, encode, is_binary, normalise

HASH_PREFIX = "sha256:"
"""What provenance puts before a hash; taken here with or without it."""
_HASH_DIGITS = 64
_WHY = {
    Refusal.SECRET: "holds secrets by its name",
    Refusal.IGNORED: "is ignored by the tree's rules",
    Refusal.LINK: "is a symbolic link",
    Refusal.SIZE: "is larger than what is indexed",
    Refusal.NESTED: "belongs to a repository of its own",
    Refusal.CORPUS: "belongs to another tree",
}


class Committed(msgspec.Struct, frozen=True, rename="camel"):
    """What a document's bytes were and are."""

    path: DocumentPath
    old_hash: DiskHash
    new_hash: DiskHash


class Writer:
    """Writes documents of one tree.

    Args:
        root: the tree, which is the workspace root too.
        rules: which files the tree has, as it is now.
        buffers: the open buffers, as they are now.
        journal: what is told of every write.
        known: the normalised text that the index has of a document with these bytes; None when it has none.
        notes: the folder where unfinished writes are noted (`replace.clean_up`); empty for nowhere.
    """

    def __init__(
        self,
        root: Root,
        *,
        rules: Callable[[], ScanRules],
        buffers: Callable[[], OverlayMap],
        journal: Callable[[], Journal],
        known: Callable[[DocumentPath, DiskHash], str | None],
        notes: str = "",
    ) -> None:
        self._root = root
        self._rules = rules
        self._buffers = buffers
        self._journal = journal
        self._known = known
        self.notes = notes

    def commit(
        self,
        document: str,
        expected_hash: str,
        edits: Sequence[TextEdit],
        units: Units,
        cancel: Cancel | None = None,
    ) -> Committed:
        """Edit a document on disk.

        Args:
            document: its path, absolute or relative to the root; links inside the root are followed.
            expected_hash: SHA-256 of the bytes that the edits were meant for.
            edits: all count in the text that those bytes are.
            units: what their characters are counted in.
            cancel: stops it, until just before the new bytes take the name.

        Raises:
            CancelledError: ``cancel`` was set in time; nothing has changed.
            InvalidArgumentError: no hash, or edits that do not fit (`apply_edits`).
            RefusedError: it is no document of the tree, read-only, no text, or cannot hold the new text.
            NotFoundError: it is not there.
            ConflictError: other bytes are there now, or an open buffer has changes that are not saved.
            TimeoutExpiredError, UnavailableError: somebody else holds it; the disk is full or fails.
        """
        stop = cancel or Cancel()
        expected, path = _hash(expected_hash, "expectedHash"), self._document(document)
        with hold(self._root.real, path, stop.check) as held:
            before = held.read()
            decoded = self._as_expected(path, expected, before)
            after = encode(apply_edits(decoded.text, edits, units), decoded)

            def look() -> None:
                if not held.is_in_place():
                    raise _conflict(path, expected, "")
                self._as_expected(path, expected, held.read())
                stop.check()

            if after != before:
                held.replace(after, self.notes, look)
                self._journal().record(path, expected, disk_hash(after))
        return Committed(path, expected, disk_hash(after))

    def preview(
        self, document: str, expected_hash: str, edits: Sequence[TextEdit], units: Units, buffer: Buffer
    ) -> Committed:
        """Check all that `commit` does and return what it would, writing nothing: the editor makes the change itself.

        The first four arguments are those of `commit`; ``buffer`` is what the editor has, whose text has to be that of
        the document.

        Raises:
            GazetteerError: as `commit`, but for what only writing can meet.
        """
        expected, path = _hash(expected_hash, "expectedHash"), self._document(document)
        decoded = self._as_expected(path, expected, self._read(path).data, buffer)
        after = encode(apply_edits(decoded.text, edits, units), decoded)
        return Committed(path, expected, disk_hash(after))

    def record(self, document: str, old_hash: str, edits: Sequence[TextEdit], new_hash: str, units: Units) -> Committed:
        """Note a write that somebody else did.

        Where the index still has the text with ``old_hash``, the edits have to lead from it to what is there now.

        Raises:
            InvalidArgumentError, RefusedError, NotFoundError: as `commit`.
            ConflictError: the bytes there are not those of ``new_hash``, or the edits do not lead to them. The document
                is dirty then, as far as the journal is concerned.
        """
        old, new = _hash(old_hash, "oldHash"), _hash(new_hash, "newHash")
        path = self._document(document)
        now = self._read(path)
        if now.disk_hash != new:
            self._journal().mark(path, "recorded otherwise")
            raise _conflict(path, new, now.disk_hash)
        if not self._leads(self._known(path, old), edits, units, now.data):
            self._journal().mark(path, "recorded otherwise")
            raise ConflictError(
                f"The edits do not lead from {HASH_PREFIX}{old} to what {printable(path)} holds now; record what was "
                "really done, or mark the document dirty.",
                path=printable(path),
                reason="edits",
            )
        self._journal().record(path, old, new)
        return Committed(path, old, new)

    # -- inside -------------------------------------------------------------------------------------------------

    def _document(self, document: str) -> DocumentPath:
        path = resolve_inside(self._root, document)
        reason = would_index(self._root.real, self._rules(), path).reason
        if reason is Refusal.MISSING:
            raise NotFoundError(
                f"There is no document {printable(path)}; name one that is there.", path=printable(path)
            )
        if reason is not None:
            raise RefusedError(
                f"{printable(path)} {_WHY.get(reason, f'is left out ({reason.value})')}, so it is not written; name a "
                "document of the tree.",
                path=printable(path),
                reason=reason.value,
            )
        return path

    def _read(self, path: DocumentPath) -> RawBytes:
        raw = read_bytes(self._root.real, path, max_bytes=self._rules().max_file_bytes)
        if isinstance(raw, RawBytes):
            return raw
        raise ConflictError(
            f"{printable(path)} cannot be read now ({raw.reason.value}); look at it and try again.",
            path=printable(path),
            reason=raw.reason.value,
        )

    def _as_expected(
        self, path: DocumentPath, expected: DiskHash, data: bytes, buffer: Buffer | None = None
    ) -> Decoded:
        """Hold the bytes of a document against their hash and against what is open; return them decoded."""
        current = disk_hash(data)
        if current != expected:
            raise _conflict(path, expected, current)
        if is_binary(data):
            raise RefusedError(
                f"{printable(path)} is no text, so edits mean nothing in it; name a text.",
                path=printable(path),
                reason="binary",
            )
        if buffer is None and (overlay := self._buffers().get(path)) is not None:
            buffer = overlay.buffer
        if buffer is not None and not (buffer.in_step and buffer.normalised == decode(data).text):
            raise ConflictError(
                f"{printable(path)} has changes in an editor that are not saved; save or undo them and try again.",
                path=printable(path),
                reason="dirty",
            )
        return decode_exact(data)

    @staticmethod
    def _leads(before: str | None, edits: Sequence[TextEdit], units: Units, data: bytes) -> bool:
        """Whether the edits of a text that is known by its normalised form lead to these bytes."""
        if before is None:
            return True
        now = decode_exact(data)
        if now.newline in ("cr", "mixed"):
            return True  # which line ends the text had before is not known, and edits may join them
        exact = before.replace("\n", "\r\n") if now.newline == "crlf" else before
        return normalise(apply_edits(exact, edits, units)) == normalise(now.text)


def _hash(written: str, argument: str) -> DiskHash:
    digits = written.removeprefix(HASH_PREFIX)
    if len(digits) != _HASH_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise InvalidArgumentError(
            f"{argument} is the SHA-256 of a document's bytes in 64 hex digits; take it from an answer's provenance.",
            argument=argument,
        )
    return DiskHash(digits)


def _conflict(path: DocumentPath, expected: DiskHash, current: str) -> ConflictError:
    return ConflictError(
        f"{printable(path)} holds other bytes than the edits were meant for; read it again and edit what is there now.",
        path=printable(path),
        reason="changed",
        expected=HASH_PREFIX + expected,
        current=HASH_PREFIX + current if current else "",
    )
