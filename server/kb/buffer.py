r"""An editor's own document: its text exactly as the editor has it, and the edits it sends.

Positions of an edit count in the editor's text, with the editor's line ends, so that text is kept apart from the
normalised text that is indexed (`text.py`): an offset taken in one is never used in the other. A ``Buffer`` is
immutable and holds blocks (`blocks.py`), so that typing one character costs the same in any document; the whole text is
joined only when somebody asks.

A change that does not fit is refused with a typed error and changes nothing: text that drifts from the editor's without
a word is worse than a document that has to be sent again. What comes after it counts in a text that is not here, so the
buffer is *out of step* then (`Buffer.lost`), and takes nothing but the whole text.
"""

from collections.abc import Sequence
from functools import cached_property

import msgspec

from .blocks import Blocks, cut, locate, splice
from .edits import Span
from .errors import ConflictError, InvalidArgumentError
from .text import Units, normalise, whole


class Change(msgspec.Struct, frozen=True, gc=False):
    """One LSP content change; without a range ``text`` is the whole document."""

    text: str
    range: Span | None = None


class Buffer(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One version of an open document."""

    version: int
    blocks: Blocks
    in_step: bool = True  # false when a change before was lost: then the editor's text is another one

    @classmethod
    def of(cls, text: str, version: int) -> "Buffer":
        """Return the buffer that ``didOpen`` describes."""
        return cls(version, cut(whole(text)))

    @cached_property
    def text(self) -> str:
        """The text as the editor has it."""
        return "".join([block.text for block in self.blocks])

    @cached_property
    def normalised(self) -> str:
        """The text as content (`text.normalise`)."""
        return normalise(self.text)

    def apply(self, changes: Sequence[Change], version: int, units: Units) -> "Buffer":
        """Return the buffer after ``changes``, each applied to what the one before it left.

        Positions beyond a line or the text mean its end, as the protocol says.

        Raises:
            ConflictError: ``version`` is not newer than this one, so a change was lost, repeated or overtaken; or this
                buffer is out of step, and the whole text is not among the changes.
            InvalidArgumentError: a range is reversed or negative, or begins or ends inside a character.

        """
        if version <= self.version:
            raise ConflictError(
                f"Version {version} of the document came after version {self.version}; close the document and open it "
                "again.",
                version=version,
                current=self.version,
            )
        blocks = self.blocks
        last_whole = max((at for at, change in enumerate(changes) if change.range is None), default=-1)
        if last_whole >= 0:  # what came before it is of no account, whatever it says
            blocks = cut(whole(changes[last_whole].text))
        elif not self.in_step:
            raise ConflictError(
                "A change of this document was refused, so this one does not fit; close it and open it again.",
                version=version,
                current=self.version,
            )
        for change in changes[last_whole + 1 :]:
            assert change.range is not None, "the last whole text is behind us"
            blocks = _applied(blocks, change.range, whole(change.text), units)
        return Buffer(version, blocks)

    def lost(self) -> "Buffer":
        """Return this version as what is left when a change of it was refused."""
        return msgspec.structs.replace(self, in_step=False)


def _applied(blocks: Blocks, span: Span, text: str, units: Units) -> Blocks:
    """Replace ``span`` by ``text``."""
    start, end = span[:2], span[2:]
    if min(span) < 0 or start > end:
        raise _misfit(span, "runs backwards")
    first = locate(blocks, *start, units)
    last = first if end == start else locate(blocks, *end, units)
    if first is None or last is None:
        raise _misfit(span, "begins or ends inside a character")
    return splice(blocks, first, last, text)


def _misfit(span: Span, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"The edit's range {span[0]}:{span[1]}-{span[2]}:{span[3]} {what}; send the whole text instead.",
        range=list(span),
    )
