"""The values that tell how an index is: status, health, check and clean, as every front door prints them.

Values only: nothing is walked, opened or counted here; the session fills them in. All of them are frozen and travel as
camelCase JSON through ``retrieval.query.to_wire``. What they say is true at the moment they were made (row L10): a
state is taken from the index itself after the data it describes, never from a note about what a process meant to do.

Units: times are seconds since the epoch, ages are milliseconds, sizes are bytes; a value that is not known is ``None``.
"""

from typing import Literal

import msgspec

State = Literal["ready", "empty", "indexing", "stale", "failed", "missing", "partial"]
"""``ready``: everything that should be indexed is, as of the last sweep. ``empty``: so it is, and there is nothing.
``indexing``: a living process is building it. ``stale``: the tree or its settings have changed since the generation
that serves. ``failed``: the last refresh failed; the previous generation serves. ``missing``: no index was built yet.
``partial``: the index was cut short and says so in every answer."""

HEALTHY: frozenset[State] = frozenset({"ready", "empty", "partial"})
"""States of an index that is what was asked for; ``stale`` is cured by the next question, ``failed`` needs somebody."""


class Refusal(msgspec.Struct, frozen=True, rename="camel"):
    """Files and folders that were left out for one reason, with a few of their paths."""

    reason: str  # "binary", "size", "secret", "unreadable", "link", ...
    count: int
    examples: tuple[str, ...] = ()


class Watermark(msgspec.Struct, frozen=True, rename="camel"):
    """How far an index that follows the store has come; ``behind`` counts the generations it has not seen."""

    name: str  # "lexical", ...
    generation: int
    behind: int = 0


class Status(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What is known without walking the tree."""

    state: State
    reason: str = ""  # why the state is what it is, one sentence; "" for ready
    corpus: str
    root: str
    db_path: str  # the folder of this corpus's index
    generation: int = 0
    published_at: float | None = None
    documents: int = 0
    chunks: int = 0
    symbols: int = 0
    languages: dict[str, int] = {}  # documents by language, most first
    refused: tuple[Refusal, ...] = ()
    problems: int = 0  # documents with errors, of syntax mostly; what could be read of them is served
    partial_documents: int = 0  # documents of which not everything could be read: timeout, bytes that are no text
    partial: str = ""  # why the index does not hold the whole tree; "" when it does
    last_error: str = ""  # of the last refresh, one sentence; "" when it went well
    followers: tuple[Watermark, ...] = ()
    sweep_age_ms: float | None = None  # since a process last looked at the whole tree; None: not known
    index_bytes: int = 0
    notices: tuple[str, ...] = ()  # what is to be said of the tree's settings


class Drift(msgspec.Struct, frozen=True, rename="camel"):
    """How the live tree differed from the index when it was walked."""

    walked: int = 0
    added: int = 0
    changed: int = 0
    deleted: int = 0
    unreadable: int = 0  # documents in folders that cannot be read, of which nobody knows


class Health(Status, frozen=True, rename="camel", kw_only=True):
    """Status after the whole tree was walked (row C8). ``sync`` returns it too: there, ``drift`` was put right."""

    drift: Drift = Drift()
    elapsed_ms: float = 0.0


class Finding(msgspec.Struct, frozen=True, rename="camel"):
    """One thing that does not hold, with the document it concerns ("" for the index as a whole)."""

    code: str
    message: str
    path: str = ""


class CheckReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The index held against itself, and with ``full`` against the tree and everything derived from it again."""

    corpus: str
    root: str
    full: bool
    generation: int
    documents: int = 0
    chunks: int = 0
    findings: tuple[Finding, ...] = ()
    elapsed_ms: float = 0.0
    ok: bool


class CleanReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What was deleted. ``removed`` names what it was for people; the tree itself is never touched."""

    corpus: str
    root: str
    db_path: str
    removed: tuple[str, ...] = ()
    freed_bytes: int = 0
