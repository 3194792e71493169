"""The knowledge base from plain Python: buffers, hints, batches, snapshots.

No question is asked here and no keyword index is there: everything below stands alone (row K15).
"""

import os
import threading

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.errors import InvalidArgumentError, NotFoundError, TimeoutExpiredError, UnavailableError
from gazetteer.kb.indexer import Progress
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentId, DocumentPath, Generation
from gazetteer.kb.scan import ScanRules

from .world import A, B, C, World, findings, taken_from, texts

# ---------------------------------------------------------------- trees that go


@pytest.mark.parametrize("emptied", [False, True])
@pytest.mark.parametrize("phase", ["listing", "reading"])
def test_a_tree_that_goes_while_it_is_read_is_not_taken_for_an_empty_one(
    world: World, kb: KnowledgeBase, phase: str, emptied: bool
) -> None:
    """ST21: moved away, or a disk that is taken off its folder; the last generation serves, and all of it is found."""
    away = world.tree.with_name("away")

    def go(progress: Progress) -> None:
        if progress.phase == phase and not away.exists():
            world.tree.rename(away)
            if emptied:
                world.tree.mkdir()

    head, before = kb.store.head(), texts(kb.snapshot())
    with pytest.raises(UnavailableError, match=r"bring it back|ask again"):
        kb.refresh(anew=True, progress=go)
    assert (kb.store.head(), texts(kb.snapshot())) == (head, before)
    if emptied:
        world.tree.rmdir()
    away.rename(world.tree)
    kb.refresh()
    assert texts(kb.snapshot()) == before
    assert findings(kb) == []


# ---------------------------------------------------------------- snapshots


def test_a_snapshot_asked_twice_says_the_same_absence_included(world: World, kb: KnowledgeBase) -> None:
    """Invariant 3, K8: whatever is published, deleted, opened or closed meanwhile."""
    kb.open_buffer(B, "buffer\n", 1)
    held = kb.snapshot()
    first = (texts(held), held.document(C), held.id, held.totals)
    world.write(A, "changed\n")
    world.write(C, "new\n")
    os.unlink(world.tree / B)
    kb.refresh()
    kb.change_buffer(B, [Change("other buffer\n")], 2, "utf-16")
    kb.open_buffer(C, "buffer of c\n", 1)
    assert (texts(held), held.document(C), held.id, held.totals) == first
    assert first[0] == {"a.py": "def alpha():\n    return 1\n", "b.py": "buffer\n"}
    assert texts(kb.snapshot()) == {"a.py": "changed\n", "b.py": "other buffer\n", "c.py": "buffer of c\n"}


def test_a_snapshot_of_an_earlier_generation_reads_its_own_documents(world: World, kb: KnowledgeBase) -> None:
    head = kb.store.head()
    world.write(A, "changed\n")
    kb.refresh()
    assert texts(kb.snapshot(head))["a.py"] == "def alpha():\n    return 1\n"
    (old,) = (row.id for row in kb.store.documents(head.generation) if row.path == A)
    (new,) = (row.id for row in kb.store.documents(kb.store.head().generation) if row.path == A)
    assert kb.snapshot().by_id(old) is None
    assert kb.snapshot(head).by_id(new) is None
    assert set(kb.snapshot().by_ids([old, new, DocumentId(99)])) == {new}


def test_a_buffer_owns_its_whole_document(kb: KnowledgeBase) -> None:
    """Invariant 5, K10: its row is masked, by id and by path, in this process alone."""
    (row,) = (row for row in kb.store.documents(kb.store.head().generation) if row.path == A)
    kb.open_buffer(A, "# nothing of what the file says\n", 1)
    snapshot = kb.snapshot()
    assert list(snapshot.masked_ids()) == [row.id]
    assert snapshot.by_id(row.id) is None
    assert list(snapshot.ids_of([A, B])) == [next(snapshot.ids_of([B]))]
    document = snapshot.document(A)
    assert document is not None
    assert (document.row, snapshot.text(document)) == (None, "# nothing of what the file says\n")
    assert snapshot.derived(document).symbols == ()
    kb.close_buffer(A)
    assert list(kb.snapshot().masked_ids()) == []


def test_what_is_typed_never_reaches_the_store(world: World, kb: KnowledgeBase) -> None:
    """Invariant 2: not by a refresh, a flush or a snapshot; another process sees the disk."""
    kb.open_buffer(A, "def typed():\n    pass\n", 1)
    kb.mark_dirty(A)
    kb.flush()
    kb.refresh(strict=True)
    other = world.open()
    assert texts(other.snapshot())["a.py"] == "def alpha():\n    return 1\n"
    assert kb.contents.find(next(iter(kb.overlays)).content_id[:16]) is None


def test_a_snapshot_names_publication_and_buffers(world: World, kb: KnowledgeBase) -> None:
    names = [kb.snapshot().id]
    kb.open_buffer(A, "one\n", 1)
    names.append(kb.snapshot().id)
    kb.change_buffer(A, [Change("two\n")], 2, "utf-16")
    names.append(kb.snapshot().id)
    world.write(C, "x\n")
    kb.refresh()
    names.append(kb.snapshot().id)
    assert len(set(names)) == 4
    assert kb.snapshot().id == names[-1]


# ---------------------------------------------------------------- hints, batches, buffers


def test_a_batch_is_one_publication_and_no_flush_comes_between(world: World, kb: KnowledgeBase) -> None:
    """K5: several writes of one logical step."""
    before = kb.store.head().generation
    with kb.batch():
        for path in (A, B, C):
            world.write(path, f"# {path}\n")
            kb.mark_dirty(path)
            kb.flush()
            assert kb.store.head().generation == before
    assert kb.store.head().generation == before + 1
    assert set(texts(kb.snapshot()).values()) == {"# a.py\n", "# b.py\n", "# c.py\n"}


def test_any_number_of_hints_is_one_look_and_a_flush_without_any_is_none(world: World, kb: KnowledgeBase) -> None:
    world.write(A, "changed\n")
    for _ in range(500):
        kb.mark_dirty(A)
    assert kb.flush().looked_at == 1
    assert kb.flush().looked_at == 0


def test_a_burst_of_changes_is_seen_at_its_last(kb: KnowledgeBase) -> None:
    """SC13: 500 changes and nothing in between; what is derived is the last, once."""
    kb.open_buffer(C, "", 0)
    for version in range(1, 501):
        kb.change_buffer(C, [Change(f"def f{version}():\n    pass\n")], version, "utf-16")
    snapshot = kb.snapshot()
    document = snapshot.document(C)
    assert document is not None
    assert [symbol.name for symbol in snapshot.derived(document).symbols] == ["f500"]


def test_a_refused_change_makes_the_document_dirty_and_changes_nothing(kb: KnowledgeBase) -> None:
    """PE16: a range that cannot be; the client is asked for the whole text, and the disk is looked at again."""
    kb.open_buffer(A, "one line\n", 1)
    with pytest.raises(InvalidArgumentError):
        kb.change_buffer(A, [Change("x", (0, 5, 0, 2))], 2, "utf-16")
    with pytest.raises(NotFoundError):
        kb.change_buffer(B, [Change("x")], 2, "utf-16")
    assert texts(kb.snapshot())["a.py"] == "one line\n"
    assert taken_from(kb.journal).paths == (A, B)


def test_a_hint_of_nothing_costs_nothing(kb: KnowledgeBase) -> None:
    head = kb.store.head()
    kb.mark_dirty(DocumentPath("not/there.py"))
    kb.mark_dirty()
    assert (kb.flush().head, kb.ensure_fresh([A]).head, kb.ensure_fresh().head) == (head, head, head)


def test_a_hint_about_what_the_rules_leave_out_takes_nothing_in(world: World, kb: KnowledgeBase) -> None:
    (world.tree / ".gitignore").write_text("c.py\n")
    kb.refresh()
    world.write(C, "secret of c\n")
    kb.mark_dirty(C)
    kb.flush()
    assert "c.py" not in texts(kb.snapshot())


# ---------------------------------------------------------------- refreshes that cannot be


def test_what_a_failed_refresh_took_out_of_the_journal_is_put_back(world: World, kb: KnowledgeBase) -> None:
    """K5, ST21: a tree that cannot be listed keeps the old generation, and the hints."""
    kb.mark_dirty(A)
    os.rename(world.tree, str(world.tree) + ".away")
    with pytest.raises(UnavailableError):
        kb.refresh()
    assert kb.journal.pending
    assert kb.store.head().generation == 1
    os.rename(str(world.tree) + ".away", world.tree)
    kb.refresh()
    assert not kb.journal.pending


def test_a_text_that_was_never_saved_is_no_document_where_the_rules_leave_it_out(world: World) -> None:
    """SE07: an ignored secret is as hidden in a buffer as it is on disk."""
    world.write(DocumentPath(".gitignore"), "*.json\n")
    kb = world.open()
    kb.refresh()
    kb.open_buffer(DocumentPath("token.json"), "alpha\n", 1)
    kb.open_buffer(DocumentPath("token.py"), "alpha\n", 1)
    assert set(texts(kb.snapshot())) - {"a.py", "b.py", ".gitignore"} == {"token.py"}


def test_blocked_settings_refuse_and_keep_the_last_generation(kb: KnowledgeBase) -> None:
    kb.blocked = InvalidArgumentError("knowledge.yaml:1: no.")
    with pytest.raises(InvalidArgumentError):
        kb.refresh()
    assert set(texts(kb.snapshot())) == {"a.py", "b.py"}


def test_other_settings_list_the_tree_anew(world: World, kb: KnowledgeBase) -> None:
    """ST20: whether they change under a living process or between two; the tree itself was not touched."""
    kb.configure(ScanRules(exclude=("b.py",)), "other")
    assert kb.refresh().listed
    assert set(texts(kb.snapshot())) == {"a.py"}
    again = world.open()
    assert again.refresh().listed
    assert set(texts(again.snapshot())) == {"a.py", "b.py"}


def test_a_flush_waits_as_long_as_it_is_told(world: World, kb: KnowledgeBase) -> None:
    """CC18: somebody else's refresh is under way; the journal keeps what was not done."""
    world.write(A, "changed\n")
    reached, go_on = threading.Event(), threading.Event()

    def pause(progress: Progress) -> None:
        if progress.phase == "publishing":
            reached.set()
            assert go_on.wait(30)

    thread = threading.Thread(target=lambda: kb.refresh(progress=pause))
    thread.start()
    assert reached.wait(30)
    kb.mark_dirty(B)
    with pytest.raises(TimeoutExpiredError):
        kb.flush(wait_s=0.01)
    assert taken_from(kb.journal).paths == (B,)
    go_on.set()
    thread.join()
    assert texts(kb.snapshot())["a.py"] == "changed\n"


def test_a_file_that_keeps_changing_stays_dirty_and_its_old_version_serves(world: World, kb: KnowledgeBase) -> None:
    """K7: bounded rounds; the outcome says so."""
    times = [0]

    def meddle(progress: Progress) -> None:
        if progress.phase == "publishing":
            times[0] += 1
            world.write(A, f"meddled {times[0]}\n")

    world.write(A, "changed\n")
    result = kb.refresh(progress=meddle)
    assert (result.busy, times[0]) == ((A,), 3)
    assert texts(kb.snapshot())["a.py"] == "def alpha():\n    return 1\n"
    assert kb.journal.pending
    kb.flush()
    assert texts(kb.snapshot())["a.py"] == "meddled 3\n"


def test_switching_back_and_forth_derives_nothing(world: World, kb: KnowledgeBase) -> None:
    """K14: content and recipe are the key; a rename and a second tree derive nothing either."""
    old = (world.tree / A).read_text()
    world.write(A, "changed\n")
    assert kb.refresh().parsed == 1
    world.write(A, old)
    assert kb.refresh().parsed == 0
    os.rename(world.tree / A, world.tree / C)
    result = kb.refresh()
    assert (result.parsed, result.documents, result.deleted) == (0, 1, 1)


def test_the_generation_counts_what_was_published(world: World, kb: KnowledgeBase) -> None:
    assert kb.store.head().generation == Generation(1)
    kb.refresh()
    assert kb.store.head().generation == Generation(1), "nothing changed"


def test_what_is_being_read_counts_as_waiting_until_it_is_published(world: World, kb: KnowledgeBase) -> None:
    """K9: between the journal and the head a document is in neither, and is not forgotten."""
    world.write(A, "def gamma():\n    return 1\n")
    kb.mark_dirty(A)
    assert kb.journal.unsettled
    seen = []
    kb.refresh(whole=False, progress=lambda _: seen.append((kb.journal.pending, kb.journal.unsettled)))
    assert (set(seen), kb.journal.unsettled) == ({(False, True)}, False)


@pytest.mark.parametrize("first", [A, B])
def test_what_the_bytes_of_a_document_were_like_is_its_own(world: World, first: DocumentPath) -> None:
    """K6, K14: two documents have one text, and only the bytes of one of them say what they do not mean."""
    other = B if first == A else A
    os.unlink(world.tree / other)
    bytes_of = {A: b"\xef\xbb\xbf# caf\xff\n", B: "# caf\ufffd\n".encode()}
    kb = world.open()
    for path in (first, other):
        (world.tree / path).write_bytes(bytes_of[path])
        kb.refresh()
    rows = {
        row.path: (row.content_id, row.partial, row.problems > 0)
        for row in kb.store.documents(kb.store.head().generation)
    }
    assert rows[A][0] == rows[B][0]
    assert (rows[A][1:], rows[B][1:]) == (("undecodable", True), ("", False))
    assert findings(kb) == []
