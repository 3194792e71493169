r"""The values of the knowledge base: what is known of a document, and where every piece of it comes from.

Frozen values only; no file, no database and no parser is touched here. Facts are ``msgspec`` structs laid out as
arrays, so that one content's facts are one compact row of the store and are read back without a schema of their own.

Units, everywhere in this package:

* *offsets* are Unicode code points into the **normalised text** of a content (decoded, no byte order mark, line ends
  ``\n``), half-open ``[start, end)``;
* *lines* are 1-based and inclusive at both ends; a line ends at ``\n``, ``\r\n`` or ``\r`` and nowhere else;
* *paths* are relative to the corpus root, ``/``-separated, undecodable bytes kept as ``surrogateescape``.
"""

import os
from enum import StrEnum
from typing import NewType

import msgspec

SCHEMA_VERSION = 1
"""Version of the stored layout; another version is rebuilt, never read."""

DocumentPath = NewType("DocumentPath", str)
ContentId = NewType("ContentId", str)
"""SHA-256 (hex) of the normalised text: equal for a buffer and a file that say the same."""
DiskHash = NewType("DiskHash", str)
"""SHA-256 (hex) of the exact bytes on disk: decides freshness and guards writes."""
Generation = NewType("Generation", int)
DocumentId = NewType("DocumentId", int)
"""Row of one version of one document in ``kb.db``; never used twice."""
TRUST_AFTER_NS = 2_000_000_000
"""A signature younger than this against the file's own times proves nothing (file systems with coarse clocks)."""
MOST = (1 << 63) - 1
"""The largest whole number that the store can keep."""
Recipe = NewType("Recipe", str)
"""Everything besides the text that decides what is derived from it: language, grammar, extractor, chunker, schema."""


class SourceType(StrEnum):
    """What a document is for (row R8a)."""

    CODE = "code"
    DOCS = "docs"
    CONFIG = "config"
    CARD = "card"
    NOTE = "note"


class Kind(StrEnum):
    """What a symbol or a chunk is. Languages map their own words onto these."""

    MODULE = "module"
    NAMESPACE = "namespace"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"  # trait, protocol, type class, behaviour
    ENUM = "enum"
    FUNCTION = "function"
    METHOD = "method"
    MACRO = "macro"
    TYPE = "type"
    CONSTANT = "constant"
    VARIABLE = "variable"
    FIELD = "field"  # attribute, property, enum member
    SECTION = "section"  # a heading of prose
    KEY = "key"  # an entry of a configuration file
    TARGET = "target"  # a target of a build file
    BLOCK = "block"  # text without a name of its own; chunks only


class Role(StrEnum):
    """How a name is used where it is not defined."""

    CALL = "call"
    TYPE = "type"
    REFERENCE = "reference"
    INHERIT = "inherit"
    EXPORT = "export"


class Symbol(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A definition. ``container`` is the index of the enclosing symbol of the same content, or -1."""

    name: str
    kind: Kind
    container: int
    start: int
    end: int
    name_start: int
    first_line: int
    last_line: int
    signature: str = ""  # one line, at most 200 characters
    doc: str = ""  # first sentence of its documentation, at most 200 characters
    declaration: bool = False  # declared here, its body is elsewhere
    owner: str = (
        ""  # container as written (C++ `ns::Foo`, a Go receiver: "ns.Foo") when this content does not define it
    )


class Reference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A use of a name. ``scope`` is the index of the innermost symbol that holds it, or -1."""

    name: str
    role: Role
    line: int
    scope: int = -1


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a document takes from elsewhere: ``module`` as written, and the names taken from it if it says so."""

    module: str
    line: int
    names: tuple[str, ...] = ()


class Problem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that is wrong with a document, or kept it from being read in full; ``code`` says which it was."""

    code: str  # "syntax" | "timeout" | "crash" | "depth" | "size" | "grammar"
    message: str
    line: int = 0


class Chunk(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The unit of retrieval. Every character of a document is in exactly one chunk (row K18)."""

    start: int
    end: int
    first_line: int
    last_line: int
    kind: Kind
    name: str = ""  # the heading: a definition's name or a section's title; "" before the first heading
    trail: tuple[str, ...] = ()  # outermost first, ends with `name`
    part: int = 0  # 0 for a whole or first piece; further pieces of a split chunk count up
    declaration: bool = False


class Signature(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What ``stat`` said of a file, and when it was asked. Times are nanoseconds of the file system's clock's epoch.

    Equal signatures let a sweep skip a file; they never make text current by themselves (that is what hashes are for).
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    taken_ns: int  # wall clock just before the bytes were read

    @classmethod
    def of(cls, status: os.stat_result, taken_ns: int) -> "Signature":
        """What ``stat`` said; for a time that does not fit into 64 bits, which some file systems keep, the nearest one.

        No look finds that time, so such a file is read at every one.
        """
        mtime, ctime = status.st_mtime_ns, status.st_ctime_ns
        if not (-MOST <= mtime <= MOST and -MOST <= ctime <= MOST):
            mtime, ctime = (max(-MOST, min(MOST, at)) for at in (mtime, ctime))
        return cls(status.st_size, mtime, ctime, status.st_ino, taken_ns)

    def is_of(self, status: os.stat_result) -> bool:
        """Whether ``stat`` says this now."""
        return (
            status.st_mtime_ns == self.mtime_ns
            and status.st_ctime_ns == self.ctime_ns
            and status.st_size == self.size
            and status.st_ino == self.inode
        )

    def same(self, other: "Signature") -> bool:
        """Whether both describe the same state of a file, whenever they were taken."""
        return (
            self.size == other.size
            and self.mtime_ns == other.mtime_ns
            and self.ctime_ns == other.ctime_ns
            and self.inode == other.inode
        )

    def trusted(self) -> bool:
        """Whether a later write must have changed it.

        A clock may tick coarsely: two writes in one tick leave one time behind. So the signature has to be taken at
        least two seconds after both times, and a time in the future is never trusted.
        """
        return self.taken_ns - max(self.mtime_ns, self.ctime_ns) >= TRUST_AFTER_NS


class Derived(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that is derived from one content by one recipe."""

    language: str
    grammar: str  # "tree-sitter-python 0.25.0", or "" without a grammar
    lines: int
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    problems: tuple[Problem, ...] = ()
    partial: str = ""  # why not all of the text could be taken; "" when it was


class ChunkNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What ranking needs of a chunk, kept apart from the facts so that hundreds are read in a millisecond."""

    kind: Kind
    name: str
    trail: tuple[str, ...]
    defined: tuple[str, ...]  # names of the symbols whose name lies in the chunk, in order, without repeats
    first_line: int
    last_line: int
    size: int  # characters
    part: int = 0
    declaration: bool = False


class Provenance(msgspec.Struct, frozen=True, rename="camel"):
    """Where a hit's evidence comes from (row K1)."""

    disk_hash: str
    content_id: str
    generation: int
    parser: str
    grammar: str
    extractor: int
    schema: int
