"""What commands, requests and document notifications take, as types; and reading plain data into them.

A value that does not fit is an ``InvalidArgumentError`` that names the field. ``null`` is the same as not given.
"""

import re
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from ..kb.errors import InvalidArgumentError
from ..kb.model import Kind, SourceType
from ..retrieval.query import DEFAULT_LIMIT, Scope, Via

T = TypeVar("T")
Token = int | str
Natural = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Around = Annotated[int, msgspec.Meta(ge=0, le=1_000)]
_WHERE = re.compile(r" - at `\$\.?(.*?)`$")
_NAMED = re.compile(r"field `(\w+)`")


def read(given: Any, kind: type[T], what: str) -> T:
    """Return ``given`` as a ``kind``; ``what`` is whose parameters these are.

    Raises:
        InvalidArgumentError: it does not fit; names the field.
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise InvalidArgumentError(f"{what} takes one object, such as {{}}.", argument="arguments")
    try:
        return msgspec.convert({key: value for key, value in given.items() if value is not None}, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        words = str(error)
        where = found[1] if (found := _WHERE.search(words)) else ""
        named = found[1] if (found := _NAMED.search(words)) else ""
        place = ".".join(filter(None, (where, named))) or "arguments"
        reason = _WHERE.sub("", words)
        raise InvalidArgumentError(f"{what}: {place} does not fit ({reason}).", argument=place) from None


class Params(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """What every command and request may carry."""

    work_done_token: Token | None = None
    partial_result_token: Token | None = None


class Rooted(Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """One that is about one folder: ``root`` (its URI), else the folder of ``uri``, else the first."""

    root: str | None = None
    uri: str | None = None


class OfTree(Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """One that is about one tree: that of a registered ``corpus``, else as `Rooted` says."""

    corpus: str | None = None


class OfTrees(OfTree, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """One that may be about several registered corpora: a list of names, or all."""

    corpora: list[str] | Literal["all"] = []


class Position(msgspec.Struct, frozen=True):
    """A position in the negotiated units."""

    line: Natural
    character: Natural


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of an answer: how many characters of evidence, and how many milliseconds."""

    characters: Natural = 0
    ms: Annotated[float, msgspec.Meta(ge=0, le=600_000)] = 0.0


class Scoped(Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """One that may be asked of several corpora: ``corpora`` instead of the own, or all; ``with`` and ``without``."""

    corpora: list[str] | Literal["all"] = []
    attach: list[str] = msgspec.field(default_factory=list, name="with")
    without: list[str] = []

    @property
    def scope(self) -> Scope:
        """Which corpora are meant."""
        everywhere = self.corpora == "all"
        return Scope(
            corpora=() if everywhere else tuple(self.corpora),
            everywhere=everywhere,
            attach=tuple(self.attach),
            without=tuple(self.without),
        )


class Retrieve(Scoped, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A question with its filters; ``typed``: a person typed it, with filters in it (`retrieval.typed`)."""

    query: str
    typed: bool = False
    limit: int = DEFAULT_LIMIT
    path: list[str] = []
    lang: list[str] = []
    kind: list[Kind] = []
    type: list[SourceType] = []
    via: list[Via] = []
    require: Literal["", "current-complete"] = ""
    freshness: Literal["", "strict"] = ""
    snapshot: str = ""
    budget: Budget = Budget()


class Expand(Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A locator, and how many lines around it."""

    locator: str
    before: Around = 0
    after: Around = 0


class Related(Scoped, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A place: ``target`` is a locator or PATH:LINE; else ``uri`` and ``position``."""

    target: str | None = None
    position: Position | None = None
    limit: int = DEFAULT_LIMIT


class MarkDirty(Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Documents that may have changed; none at all means any."""

    uris: list[str] = []


class Barrier(Rooted, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A generation to wait for, beside everything that was said before, and for how long at most."""

    generation: Natural | None = None
    ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)] = 30_000


class Show(Params, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A request whose answer is shown to a person."""

    title: str
    method: str
    params: dict[str, Any] = {}


# -- documents ----------------------------------------------------------------------------------------------------


class Opened(msgspec.Struct, frozen=True, rename="camel"):
    """A document with its text."""

    uri: str
    text: str
    language_id: str = ""
    version: int = 0


class DidOpen(msgspec.Struct, frozen=True, rename="camel"):
    """``textDocument/didOpen``."""

    text_document: Opened


class Versioned(msgspec.Struct, frozen=True, rename="camel"):
    """A document that is named; ``version`` where the client counts."""

    uri: str
    version: int | None = None


class Edge(msgspec.Struct, frozen=True):
    """Where a range begins or ends: whether that makes sense is held against the text, one change after the other."""

    line: int
    character: int


class Span(msgspec.Struct, frozen=True):
    """A range."""

    start: Edge
    end: Edge


class ContentChange(msgspec.Struct, frozen=True):
    """One edit; without a range the whole text."""

    text: str
    range: Span | None = None


class DidChange(msgspec.Struct, frozen=True, rename="camel"):
    """``textDocument/didChange``."""

    text_document: Versioned
    content_changes: list[ContentChange] = []


class OfDocument(msgspec.Struct, frozen=True, rename="camel"):
    """``textDocument/didClose`` and ``didSave``."""

    text_document: Versioned
