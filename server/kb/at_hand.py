"""Facts of texts, kept at hand: of stored contents as they were read lately, of open buffers derived once a text.

What a snapshot asks about the texts it names (`snapshot.Facts`). Everything here is bounded and can be made again.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock

from . import languages
from .derive import LARGE_TEXT, derive_text, source_type
from .model import ChunkNote, ContentId, Derived, DocumentPath, Recipe
from .overlay import Overlay
from .recent import Recent
from .snapshot import Outlines
from .store.content import ContentStore

BUFFERED = 2_000_000
"""Characters of open buffers whose facts are kept at hand."""
NOTES = 100_000
"""Notes of outlines kept at hand, about 250 bytes each."""
CHARACTERS = 6_000_000
"""Characters of texts kept at hand, with their facts."""

FACTS = 200_000
"""Symbols, uses and chunks kept at hand without their texts, about 150 bytes each."""

Described = tuple[str, str, Recipe, Derived]
"""Language, source type, recipe and facts."""


class FactsAtHand:
    """Safe to use from several threads.

    Args:
        contents: where stored facts are.
        derive_apart: derives a large text beside this process (invariant 7).
    """

    def __init__(self, contents: ContentStore, derive_apart: Callable[[DocumentPath, str], Derived]) -> None:
        self._contents = contents
        self._derive_apart = derive_apart
        self._lock = Lock()
        self._under_way: dict[tuple[ContentId, DocumentPath], Future[Described]] = {}
        self._buffers: Recent[tuple[ContentId, DocumentPath], Described] = Recent(
            BUFFERED, lambda v: v[3].chunks[-1].end if v[3].chunks else 1
        )
        self._outlines: Recent[tuple[ContentId, Recipe], tuple[ChunkNote, ...]] = Recent(NOTES, len)
        self._derived: Recent[tuple[ContentId, Recipe], Derived] = Recent(FACTS, _weight)
        self._texts: Recent[tuple[ContentId, Recipe], tuple[str, Derived]] = Recent(CHARACTERS, lambda v: len(v[0]))

    def describe(self, overlay: Overlay) -> Described:
        """Language, source type, recipe and facts of an open buffer; derived once per text, whoever asks meanwhile."""
        key = (overlay.content_id, overlay.path)
        known = self._buffers.get(key)
        if known is not None:
            return known
        ours: Future[Described] = Future()
        with self._lock:
            under_way = self._under_way.setdefault(key, ours)
        if under_way is not ours:
            return under_way.result()
        try:
            value = self._described(overlay)
        except BaseException as error:
            ours.set_exception(error)
            raise
        else:
            self._buffers.put(key, value)
            ours.set_result(value)
            return value
        finally:
            with self._lock:
                del self._under_way[key]

    def _described(self, overlay: Overlay) -> Described:
        language, derived = self.derive(overlay.path, overlay.text)
        return language.name, source_type(overlay.path, language).value, languages.recipe(language.name), derived

    def outlines(self, keys: Sequence[tuple[ContentId, Recipe]]) -> Outlines:
        """Outlines of stored contents; those that were read lately are kept at hand."""
        found = self._outlines.some(keys)
        if missing := [key for key in keys if key not in found]:
            for key, notes in self._contents.outlines(missing).items():
                found[key] = notes
                self._outlines.put(key, notes)
        return found

    def load(self, content: ContentId, recipe: Recipe) -> tuple[str, Derived]:
        """Text and facts of a stored content.

        Raises:
            DamagedError: it is not stored, though something refers to it.
        """
        found = self._texts.get((content, recipe))
        if found is None:
            found = self._contents.load(content, recipe)
            self._texts.put((content, recipe), found)
        return found

    def derived(self, content: ContentId, recipe: Recipe) -> Derived:
        """Facts of a stored content, without its text: what many documents are read for at once.

        Raises:
            DamagedError: it is not stored, though something refers to it.
        """
        key = (content, recipe)
        with_text = self._texts.get(key)
        if with_text is not None:
            return with_text[1]
        found = self._derived.get(key)
        if found is None:
            found = self._contents.derived(content, recipe)
            self._derived.put(key, found)
        return found

    def derive(self, path: DocumentPath, text: str) -> tuple[languages.Language, Derived]:
        """Language and facts of a normalised text that is not stored; kept nowhere."""
        if len(text) <= LARGE_TEXT:
            return derive_text(path, text)
        return languages.detect(path, text[:4096]), self._derive_apart(path, text)


def _weight(derived: Derived) -> int:
    return 1 + len(derived.symbols) + len(derived.references) + len(derived.chunks)
