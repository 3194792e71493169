"""An open buffer that is edited is scored as one that is opened with the same text."""

from collections.abc import Iterator

import pytest
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules
from gazetteer.retrieval import about, buffer_entries
from gazetteer.retrieval.buffer_entries import Buffered, BufferEntries
from gazetteer.retrieval.overlay_score import OverlayEntry
from gazetteer.retrieval.terms import ChunkFields, ChunkSource, chunk_fields, fields_of
from hypothesis import given, settings
from hypothesis import strategies as st

PARTS = (
    "def alpha():\n    return beta\n\n\n",
    "def beta():\n    return 1\n\n\n",
    "x = 1\n",
    "# alpha beta alpha\n",
    "é\n",
    "",
)
WIDE = 6
"""So often a part is repeated, so that a function is a chunk of its own."""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("entries")
    (folder / "tree").mkdir()
    made = KnowledgeBase(Root(str(folder / "tree")), str(folder / "cache"), ScanRules(), processes=1)
    yield made
    made.close()


def buffered(kb: KnowledgeBase, entries: BufferEntries, path: DocumentPath) -> Buffered:
    snapshot = kb.snapshot()
    overlay = snapshot.overlays.get(path)
    assert overlay is not None
    return entries.of(snapshot, overlay)


def said(entry: OverlayEntry) -> tuple[object, ...]:
    return entry.counts, entry.lengths, entry.sequence, entry.kind, entry.defined, entry.language, entry.source_type


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.lists(st.sampled_from(PARTS), max_size=5), min_size=2, max_size=5),
    name=st.sampled_from(("a.py", "a.md")),
)
def test_what_was_edited_is_what_is_there(kb: KnowledgeBase, texts: list[list[str]], name: str) -> None:
    """The oracle is what an index would be given for the same text."""
    entries, path = BufferEntries(), DocumentPath(name)
    for parts in texts:
        text = "".join(part * WIDE for part in parts)
        kb.open_buffer(path, text)
        found = buffered(kb, entries, path)
        snapshot = kb.snapshot()
        document = snapshot.document(path)
        assert document is not None
        fields = chunk_fields(text, snapshot.derived(document))
        expected = [OverlayEntry(field, path, document.language, document.source_type) for field in fields]
        assert list(map(said, found.entries)) == list(map(said, expected))
        assert "nowhere" not in found.said
        assert dict(found.said) == (dict(about.parse(fields[0].about)) if fields else {})


def test_a_chunk_that_was_not_touched_is_not_read_again(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    entries, path = BufferEntries(), DocumentPath("b.py")
    functions = [
        f"def f{number}():\n" + "".join(f"    call{line * number}()\n" for line in range(30)) + "\n\n"
        for number in range(20)
    ]
    kb.open_buffer(path, "".join(functions))
    before = buffered(kb, entries, path)
    read: list[str] = []

    def counted(source: ChunkSource, *, apart: bool) -> ChunkFields:
        read.append(source.text)
        return fields_of(source, apart=apart)

    monkeypatch.setattr(buffer_entries, "fields_of", counted)
    kb.open_buffer(path, "".join(functions).replace("def f7", "def g7"), 1)
    after = buffered(kb, entries, path)
    assert len(read) == 1
    assert [entry for entry in after.entries if entry not in before.entries] == [after.entries[7]]
    assert buffered(kb, entries, path) is after


def test_a_buffer_that_becomes_another_language_is_read_anew(kb: KnowledgeBase) -> None:
    entries, path = BufferEntries(), DocumentPath("tool")
    kb.open_buffer(path, "#!/bin/sh\nf() { g; }\n")
    assert {entry.language for entry in buffered(kb, entries, path).entries} == {"bash"}
    kb.open_buffer(path, "#!/usr/bin/env python3\nf()\n", 1)
    assert {entry.language for entry in buffered(kb, entries, path).entries} == {"python"}
