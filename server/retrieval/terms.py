"""Text to terms: the one tokenizer that the index, open buffers and queries share, and its version.

A term is the stem (`stems`) of a lower-cased word. An identifier of several words gives itself whole first, without its
underscores (``getUserName``, ``get_user_name`` and ``GETUSERNAME`` meet there), then its parts; everything that is no
word character only separates, so that dotted and ``::`` paths are found by their parts (pitfall QU07). Pure: no index,
no file, no state but a bounded memo. It runs on every indexed character, hence the two fast paths.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

import msgspec

from ..kb.languages import BY_NAME, TEXT
from ..kb.model import Derived, DocumentPath, Kind, SourceType
from ..kb.outline import known_as
from . import about
from .stems import stem

ANALYZER_VERSION = "words-2"
"""Named in receipts and kept with every index; an index made by another one is rebuilt (pitfall ST20)."""

MAX_WORD = 80
"""Longer words (keys, hashes, base64) are cut here and not split: their parts mean nothing."""
MAX_NAME = 200
"""Characters of a definition's name that can be looked up whole."""

_MEMO_WORDS = 200_000
_WORD = re.compile(r"\w+")
_SEPARATED = bytes(code if chr(code).isalnum() or chr(code) == "_" else ord(" ") for code in range(128)) + bytes(128)
_PART = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _parts(word: str) -> list[str]:
    """Split an identifier where its case, its digits or its underscores say so; the case is kept."""
    if word.isascii():
        return _PART.findall(word)
    parts: list[str] = []
    for run in re.findall(r"[^\W\d_]+|\d+", word):
        start = 0
        for at in range(1, len(run)):
            if run[at].isupper() and run[at - 1].islower():
                parts.append(run[start:at])
                start = at
        parts.append(run[start:])
    return parts


def whole(name: str) -> str:
    """Fold a name so that its spellings meet: no case, no underscores. Not a term: it keeps its ending."""
    return name.replace("_", "").lower()


def split(word: str) -> list[str]:
    """Give the terms of one word: itself whole, then its parts if there are several. No terms for underscores alone."""
    folded = whole(word)
    if not folded:
        return []
    if len(folded) > MAX_WORD:
        return [folded[:MAX_WORD]]
    if word[0].isdigit():  # a number is no identifier: 0x1F, 10ms
        return [folded]
    parts = _parts(word)
    return [_stem_of(folded)] if len(parts) < 2 else [_stem_of(folded), *(_stem_of(part.lower()) for part in parts)]


class _Stems(dict[str, str]):
    """Word to its stem: the parts of names are few, and come back in ever other names."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMO_WORDS:
            self.clear()
        found = self[word] = stem(word)
        return found


_stem_of: Callable[[str], str] = _Stems().__getitem__


class _Memo(dict[str, str]):
    """Word to its terms, joined. A dict that fills itself keeps the loop over words inside the interpreter's C code."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMO_WORDS:
            self.clear()
        joined = self[word] = " ".join(split(word))
        return joined


_terms_of: Callable[[str], str] = _Memo().__getitem__


def words(text: str) -> list[str]:
    """Cut ``text`` into words as written: maximal runs of letters, digits and underscores of any script."""
    if text.isascii():
        return text.encode().translate(_SEPARATED).decode().split()  # bytes are translated ten times as fast
    return _WORD.findall(normalize("NFC", text))


def index_text(text: str) -> str:
    """Give the terms of ``text``, in order, joined by single spaces: what a whitespace tokenizer takes."""
    return " ".join(map(_terms_of, words(text)))


def terms(text: str) -> list[str]:
    """Give the terms of ``text``, in order, with repetitions."""
    return index_text(text).split()


class ChunkFields(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the keyword index holds of one chunk, besides what it holds of the document. Terms are joined by spaces."""

    kind: str
    defined: tuple[str, ...]  # names as written, each looked up whole
    names: str  # the terms of those names
    trail: str  # terms of the headings above, and of its own
    body: str
    about: str = ""  # of the first chunk: what the whole document is about (`about.index_text`)
    quoted: str = ""  # terms of what the text only quotes, where the corpus declares that it quotes queries


_QUOTED = re.compile(
    r"""
      ^[ \t]{0,3}>[^\n]*$                        # a quoted line
    | (?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)         # a code span
    | "[^"\n]{2,400}"
    | \u201c[^\u201d\n]{2,400}\u201d
    | \u00ab[^\u00bb\n]{2,400}\u00bb
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Quoted lines, code spans and quotations of one line."""
_NO_TERMS_FROM = frozenset({Kind.SECTION})  # a section's title is in its trail already

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[ChunkFields]).decode


class ChunkSource(NamedTuple):
    """What the fields of a chunk are made of, and nothing else: equal ones have equal fields."""

    kind: str
    text: str
    trail: tuple[str, ...]
    defined: tuple[str, ...]  # names as written
    named: tuple[str, ...]  # those of them that give terms


def chunk_sources(text: str, derived: Derived) -> list[ChunkSource]:
    """What the fields of every chunk of a document are made of, in order."""
    starts = [chunk.start for chunk in derived.chunks]
    defined: list[dict[str, None]] = [{} for _ in starts]
    named: list[dict[str, None]] = [{} for _ in starts]
    language = derived.language
    for symbol in derived.symbols:
        at = bisect_right(starts, symbol.name_start) - 1
        if at >= 0:
            headed = derived.chunks[at].kind in _NO_TERMS_FROM and symbol.name in derived.chunks[at].trail
            giving = symbol.kind not in _NO_TERMS_FROM and not headed
            for name in known_as(symbol.name, symbol.kind, language):
                defined[at][name] = None
                if giving:
                    named[at][name] = None
    return [
        ChunkSource(chunk.kind, text[chunk.start : chunk.end], chunk.trail, tuple(names), tuple(naming))
        for chunk, names, naming in zip(derived.chunks, defined, named, strict=True)
    ]


def quotes_apart(language: str, *, quoting: bool) -> bool:
    """Whether what documents of a language quote is kept apart (``quoting`` as in `chunk_fields`)."""
    return quoting and BY_NAME.get(language, TEXT).source_type is SourceType.DOCS


def fields_of(source: ChunkSource, *, apart: bool = False) -> ChunkFields:
    """The fields of one chunk but for ``about``, which takes the whole document."""
    text = source.text
    return ChunkFields(
        kind=source.kind,
        defined=tuple(dict.fromkeys(filter(None, map(_clean, source.defined)))),
        names=index_text(" ".join(source.named)),
        trail=index_text(" ".join(source.trail)),
        body=index_text(_QUOTED.sub(" ", text) if apart else text),
        quoted=index_text(" ".join(found[0] for found in _QUOTED.finditer(text))) if apart else "",
    )


def chunk_fields(text: str, derived: Derived, *, quoting: bool = False) -> list[ChunkFields]:
    """Terms of every chunk of a document, in the order of its chunks.

    ``quoting`` is what a corpus declares with ``examples_quote_queries``: in its prose, what stands in quotations and
    code spans is kept apart, so that it can be found and does not count toward what a chunk is about (row R12).
    """
    apart = quotes_apart(derived.language, quoting=quoting)
    fields = [fields_of(source, apart=apart) for source in chunk_sources(text, derived)]
    if fields:
        # Passage by passage: one call over a whole large document would hold the interpreter for tens of milliseconds.
        said = about.index_text(chain.from_iterable(field.body.split() for field in fields))
        fields[0] = msgspec.structs.replace(fields[0], about=said)
    return fields


def path_terms(path: DocumentPath) -> str:
    """Terms of a relative path, joined by spaces; bytes that are no text separate."""
    return index_text(path)


def prepare(path: DocumentPath, text: str, derived: Derived) -> bytes:
    """`chunk_fields`, packed: what a derive process hands to the keyword index (`kb.derive.Annotator`)."""
    del path  # one content has many paths; the index adds them
    return pack_fields(chunk_fields(text, derived))


def prepare_quoting(path: DocumentPath, text: str, derived: Derived) -> bytes:
    """`prepare` for a corpus that declares that it quotes queries."""
    del path
    return pack_fields(chunk_fields(text, derived, quoting=True))


def pack_fields(fields: Iterable[ChunkFields]) -> bytes:
    """Fields as bytes."""
    return _encode(list(fields))


def unpack_fields(data: bytes) -> list[ChunkFields]:
    """Fields from bytes.

    Raises:
        msgspec.MsgspecError: The bytes are something else.

    """
    return _decode(data)


def _clean(name: str) -> str:
    """Make a name what the index can hold: bounded, and without code points that are no text."""
    return name[:MAX_NAME].encode("utf-8", "replace").decode()
