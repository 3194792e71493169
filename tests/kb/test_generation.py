"""What was read of a generation is kept for the next snapshot of it, says what the store says, and stays bounded."""

import pytest
from gazetteer.kb import generation
from gazetteer.kb.generation import GenerationDocuments, of_row
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentId, DocumentPath

from .world import A, C, World


@pytest.mark.parametrize("kept", [1, 2, 10_000])
def test_documents_are_those_of_the_store_generation_by_generation(
    world: World, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Oracle: the rows of the generation, read one after the other; however few of them are kept."""
    monkeypatch.setattr(generation, "KEPT", kept)
    heads = [kb.store.head()]
    for number in range(3):
        world.write(A, f"changed = {number}\n")
        world.write(DocumentPath(f"new{number}.py"), "")
        heads.append(kb.refresh().head)
    ids = [DocumentId(number) for number in range(12)]
    for head in heads:
        rows = list(kb.store.documents(head.generation))
        documents = GenerationDocuments(kb.store, head)
        for _ in range(2):
            assert documents.by_ids([*ids, *ids]) == {row.id: of_row(row) for row in sorted(rows, key=lambda r: r.id)}
            assert documents.by_ids(ids[3:4]) == {row.id: of_row(row) for row in rows if row.id == ids[3]}
            assert [documents.at(row.path) for row in rows] == [of_row(row) for row in rows]
            assert documents.at(C) is None


def test_a_later_generation_is_not_answered_from_what_was_kept(world: World, kb: KnowledgeBase) -> None:
    before = kb.snapshot().document(A)
    assert kb.snapshot().document(A) is before
    world.write(A, "changed = 1\n")
    kb.refresh()
    after = kb.snapshot().document(A)
    assert before is not None
    assert after is not None
    assert (before.content_id != after.content_id, kb.snapshot().document(A) is after) == (True, True)
