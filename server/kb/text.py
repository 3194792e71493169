r"""Bytes to text and back, and where things are in a text.

Every text that the knowledge base sees went through ``decode`` (from disk) or ``normalise`` (from an editor), so that a
buffer and a file that say the same are the same content. Two invariants hold for what both return:

* lines end at ``\n`` and nowhere else (``\r\n`` and a lone ``\r`` became one); form feeds, U+2028 and their kin are
  ordinary characters inside a line;
* there are no surrogates, so the text can always be encoded in UTF-8.

Nothing here raises on content, reads a file or knows a language. Documents that are text but not worth indexing are
told apart in ``judge.py``; an editor's own text, with its own line ends, is in ``buffer.py``.
"""

import hashlib
from bisect import bisect_right
from io import StringIO
from itertools import accumulate
from typing import Literal

import msgspec

from .errors import RefusedError
from .model import ContentId, DiskHash, Problem

Encoding = Literal["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "latin-1"]
Newline = Literal["lf", "crlf", "cr", "mixed", ""]
Units = Literal["utf-8", "utf-16", "utf-32"]
"""What an LSP client counts characters in; negotiated once a session."""

SNIFFED_BYTES = 8192
"""How much of a file decides whether it is UTF-16 without a mark, or binary."""

_BOMS: tuple[tuple[bytes, str, Encoding], ...] = (
    (b"\xef\xbb\xbf", "utf-8", "utf-8-sig"),
    (b"\xff\xfe", "utf-16-le", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be", "utf-16-be"),
)
_LINE_ENDS: dict[str, str] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_PLAIN = bytes([*b"\t\n\r\f", *range(0x20, 0x7F)])


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """A document's text, and what it takes to write it back as it was.

    ``newline`` is the one kind of line end that the bytes have, ``"mixed"`` for several, ``""`` for none. With a
    ``problem`` the text is what could be read, and the bytes cannot be made from it again.
    """

    text: str
    encoding: Encoding
    newline: Newline
    bom: bool = False
    problem: Problem | None = None


def decode(data: bytes) -> Decoded:
    """Return the normalised text of ``data``, read by its mark, else as ASCII-like UTF-16, UTF-8 or Latin-1."""
    exact = decode_exact(data)
    if "\r" not in exact.text:
        return exact
    return msgspec.structs.replace(exact, text=unify_line_ends(exact.text))


def decode_exact(data: bytes) -> Decoded:
    """As ``decode``, but with the line ends that the bytes have: what an edit of a file starts from."""
    for mark, codec, encoding in _BOMS:
        if data.startswith(mark):
            return _declared(data[len(mark) :], codec, encoding)
    wide = _wide_without_mark(data)
    if wide is not None:
        try:
            return _decoded(data.decode(wide), wide)
        except UnicodeDecodeError:
            pass
    try:
        return _decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decoded(data.decode("latin-1"), "latin-1")


def encode(text: str, decoded_as: Decoded) -> bytes:
    r"""Return the bytes of ``text`` in the encoding, mark and line ends of the document it was read from.

    Line ends of ``text`` are replaced by the document's; where that has several kinds or none, those in ``text`` are
    written as they are (edit the text of ``decode_exact``).

    Raises:
        RefusedError: the bytes would not read back as this text, so writing them would lose something.

    """
    if decoded_as.problem is not None:
        raise RefusedError(
            f"This document is not valid {decoded_as.encoding}, so it cannot be written without loss; "
            "repair its encoding in an editor first."
        )
    end = _LINE_ENDS.get(decoded_as.newline)
    if end is not None:
        text = unify_line_ends(text)
        if end != "\n":
            text = text.replace("\n", end)
    mark, codec = next(((mark, codec) for mark, codec, name in _BOMS if name == decoded_as.encoding), (b"", ""))
    try:
        data = (mark if decoded_as.bom else b"") + text.encode(codec or decoded_as.encoding)
    except UnicodeEncodeError as error:
        raise RefusedError(
            f"{text[error.start]!r} cannot be written in {decoded_as.encoding}, the encoding of this document; "
            "convert the document to UTF-8 first."
        ) from None
    if decode_exact(data).text != text:
        raise RefusedError(
            f"Written in {decoded_as.encoding}, this text would be read back as another; "
            "convert the document to UTF-8 first."
        )
    return data


def normalise(text: str) -> str:
    """Return an editor's text as content: without a leading U+FEFF, line ends unified, surrogates made whole."""
    return unify_line_ends(whole(text.removeprefix("\ufeff")))


def unify_line_ends(text: str) -> str:
    r"""Return ``text`` with every ``\r\n`` and lone ``\r`` as ``\n``."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def whole(text: str) -> str:
    """Return ``text`` with surrogate pairs joined and lone surrogates as U+FFFD.

    Both count the same as before in UTF-16 and, for lone ones, in UTF-8, so that a client's positions stay right.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")  # a tenth of the time that looking for a surrogate takes
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def content_id(text: str) -> ContentId:
    """Return the identity of a normalised text: SHA-256 of its UTF-8, in hex."""
    return ContentId(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def disk_hash(data: bytes) -> DiskHash:
    """Return the SHA-256 of the exact bytes, in hex."""
    return DiskHash(hashlib.sha256(data).hexdigest())


def is_binary(data: bytes) -> bool:
    """Say whether ``data`` is no text: it has a NUL in its first 8 KB that is not half of a UTF-16 character.

    A NUL further on, or any other control character, is content like everything else.
    """
    head = data[:SNIFFED_BYTES]
    if b"\0" not in head:
        return False
    codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(head[:2]) or _wide_without_mark(data)
    return codec is None or "\0" in head.decode(codec, "replace")


class LineIndex:
    r"""Lines of one text, and its offsets as LSP positions and back.

    Built once in one pass; every question costs a binary search and, beyond ASCII, the length of one line. Lines end at
    ``\n``, ``\r\n`` or ``\r``. A text that ends with a line end has one more, empty line, as an editor shows it (the
    last line that holds anything is ``line_of(len(text) - 1)``). Lines are 1-based; those of positions are 0-based.
    """

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        starts = list(accumulate(map(len, StringIO(text, newline="")), initial=0))
        if text and text[-1] not in "\r\n":
            starts.pop()
        self._text = text
        self._starts = starts

    @property
    def count(self) -> int:
        """Number of lines, at least 1."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """Return the line that holds ``offset``; outside the text that is its first or last line."""
        return max(bisect_right(self._starts, offset), 1)

    def start_of(self, line: int) -> int:
        """Return the offset of the first character of ``line``; the end of the text for a line beyond the last."""
        return self._starts[max(line, 1) - 1] if line <= len(self._starts) else len(self._text)

    def end_of(self, line: int) -> int:
        """Return the offset just behind the last character of ``line``, its line end not counted."""
        start, stop = self.start_of(line), self.start_of(line + 1)
        return stop - ending(self._text[max(start, stop - 2) : stop])

    def position(self, offset: int, units: Units) -> tuple[int, int]:
        """Return ``(line, character)`` of ``offset``, 0-based; inside a line end it is the end of that line."""
        line = self.line_of(offset)
        start = self.start_of(line)
        stop = max(start, min(offset, self.end_of(line)))
        return line - 1, width(self._text[start:stop], units)

    def offset(self, line: int, character: int, units: Units) -> int:
        """Return the offset of a 0-based position.

        Beyond the line it is the line's end, beyond the text the text's end, below zero the start; inside a character
        (between surrogates, between bytes) it is the start of that character.
        """
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._text)
        start, stop = self._starts[line], self.end_of(line + 1)
        # A character is at least one unit, so that much of the line is enough.
        return start + count_characters(self._text[start : min(stop, start + max(character, 0))], character, units)


def ending(line: str) -> int:
    """Return how many of the last characters of ``line`` are its line end: 0, 1 or 2."""
    if line.endswith("\r\n"):
        return 2
    return 1 if line.endswith(("\n", "\r")) else 0


def width(text: str, units: Units) -> int:
    """Return the length of ``text`` in ``units``."""
    if units == "utf-32" or text.isascii():
        return len(text)
    if units == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def count_characters(text: str, amount: int, units: Units) -> int:
    """Return how many whole characters of ``text`` fit into ``amount`` units."""
    if amount <= 0:
        return 0
    if units == "utf-32" or text.isascii():
        return min(amount, len(text))
    if units == "utf-16":
        wide = text.encode("utf-16-le", "surrogatepass")[: 2 * amount + 2]
        head, following = wide[: 2 * amount], wide[2 * amount + 1 : 2 * amount + 2]
        if following and 0xDC <= following[0] <= 0xDF:
            head = head[:-2]
        return len(head.decode("utf-16-le", "surrogatepass"))
    narrow = text.encode("utf-8", "surrogatepass")
    stop = min(amount, len(narrow))
    while stop < len(narrow) and narrow[stop] & 0xC0 == 0x80:
        stop -= 1
    return len(narrow[:stop].decode("utf-8", "surrogatepass"))


def _declared(body: bytes, codec: str, encoding: Encoding) -> Decoded:
    """Decode text whose mark says what it is; bytes that disagree with it are replaced and reported."""
    try:
        return _decoded(body.decode(codec), encoding, bom=True)
    except UnicodeDecodeError as error:
        text = body.decode(codec, "replace")
        line = LineIndex(body[: error.start].decode(codec, "replace")).count
        problem = Problem("decode", f"bytes that are not {codec}", line)
        return msgspec.structs.replace(_decoded(text, encoding, bom=True), problem=problem)


def _decoded(text: str, encoding: Encoding, *, bom: bool = False) -> Decoded:
    if "\r" not in text:
        return Decoded(text, encoding, "lf" if "\n" in text else "", bom)
    both = text.count("\r\n")
    kinds: list[Newline] = []
    if both:
        kinds.append("crlf")
    if text.count("\n") > both:
        kinds.append("lf")
    if text.count("\r") > both:
        kinds.append("cr")
    return Decoded(text, encoding, kinds[0] if len(kinds) == 1 else "mixed", bom)


def _wide_without_mark(data: bytes) -> Literal["utf-16-le", "utf-16-be"] | None:
    """Say which UTF-16 ``data`` looks like without a byte order mark.

    At least two pairs; nine of ten in the first 8 KB are a NUL beside a plain ASCII character, on the same side, and no
    NUL is on the other side.
    """
    head = data[:SNIFFED_BYTES]
    if len(data) < 4 or len(data) % 2 or b"\0" not in head:
        return None
    enough = len(head) // 2 * 9 // 10

    def fits(low: bytes, high: bytes) -> bool:
        return b"\0" not in low and high.count(0) >= enough and len(low) - len(low.translate(None, _PLAIN)) >= enough

    if fits(head[::2], head[1::2]):
        return "utf-16-le"
    return "utf-16-be" if fits(head[1::2], head[::2]) else None
