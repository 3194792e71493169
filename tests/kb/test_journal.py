"""The journal may say too much and never too little, whatever order things happen in."""

import threading
from itertools import pairwise

import pytest
from gazetteer.kb.journal import MAX_REASONS, Drained, Edit, Journal
from gazetteer.kb.model import DiskHash, DocumentPath
from hypothesis import given, settings
from hypothesis import strategies as st

from .world import taken_from

A, B, C = (DocumentPath(name) for name in "abc")
H = [DiskHash(str(i)) for i in range(6)]


def test_many_marks_of_a_document_are_one() -> None:
    """SC13: 500 changes are one document to look at."""
    journal = Journal()
    for _ in range(500):
        journal.mark(B, "change")
    journal.mark(A, "save")
    assert taken_from(journal) == Drained(paths=(A, B), reasons=("change", "save"))
    assert not taken_from(journal)


def test_too_many_documents_are_the_whole_corpus() -> None:
    journal = Journal(max_documents=2)
    for path in (A, B):
        journal.mark(path, "watch")
        assert not taken_from(journal).all
    for path in (A, B, A, B, C):
        journal.mark(path, "watch")
    assert taken_from(journal) == Drained(all=True, reasons=("watch",))
    journal.mark(A, "watch")
    assert taken_from(journal).paths == (A,)


def test_everything_marked_covers_every_document() -> None:
    journal = Journal()
    journal.mark(A, "save")
    journal.mark_all("git")
    journal.record(B, H[0], H[1])
    assert taken_from(journal) == Drained(all=True, reasons=("edit", "git", "save"))


def test_edits_in_a_row_are_one_edit() -> None:
    journal = Journal()
    for old, new in ((0, 1), (1, 2), (2, 3)):
        journal.record(A, H[old], H[new])
    drained = taken_from(journal)
    assert drained.edits == (Edit(A, H[0], H[3]),)
    assert drained.paths == (A,)


@pytest.mark.parametrize("broken_by", ["mark before", "mark after", "gap"])
def test_an_edit_that_does_not_follow_is_only_a_mark(broken_by: str) -> None:
    journal = Journal()
    if broken_by == "mark before":
        journal.mark(A, "watch")
    journal.record(A, H[0], H[1])
    if broken_by == "mark after":
        journal.mark(A, "watch")
    if broken_by == "gap":
        journal.record(A, H[2], H[3])
    drained = taken_from(journal)
    assert (drained.paths, drained.edits) == ((A,), ())


def test_too_many_edits_are_marks() -> None:
    journal = Journal(max_edits=1)
    for _ in range(2):
        journal.record(A, H[0], H[1])
        journal.record(B, H[0], H[1])
        journal.mark(A, "watch")
        journal.record(C, H[0], H[1])
        drained = taken_from(journal)
        assert drained.paths == (A, B, C)
        assert drained.edits == (Edit(C, H[0], H[1]),)


def test_a_failed_flush_puts_back_what_it_took() -> None:
    journal = Journal()
    journal.record(A, H[0], H[1])
    journal.record(B, H[0], H[1])
    journal.mark(C, "save")
    taken = taken_from(journal)
    journal.record(A, H[1], H[2])
    journal.record(B, H[4], H[5])
    journal.restore(taken)
    again = taken_from(journal)
    assert again.paths == (A, B, C)
    assert again.edits == (Edit(A, H[0], H[2]),)
    assert again.reasons == ("edit", "save")


def test_a_batch_holds_everything_back_until_the_last_one_ends() -> None:
    journal = Journal()
    with journal.batch():
        journal.mark(A, "edit")
        with journal.batch():
            journal.mark(B, "edit")
            assert not taken_from(journal)
        assert not taken_from(journal)
        assert (journal.held, journal.pending) == (True, True)
    assert taken_from(journal) == Drained(paths=(A, B), reasons=("edit",))
    assert (journal.held, journal.pending) == (False, False)


def test_a_batch_that_fails_keeps_its_marks() -> None:
    journal = Journal()

    def write() -> None:
        with journal.batch():
            journal.mark(A, "edit")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert taken_from(journal).paths == (A,)


def test_reasons_are_bounded() -> None:
    journal = Journal()
    for i in range(1000):
        journal.mark(A, f"{i:04}")
    assert len(taken_from(journal).reasons) == MAX_REASONS


paths = st.sampled_from([DocumentPath(name) for name in "abcdef"])
hashes = st.sampled_from(H)
steps = st.one_of(
    st.tuples(st.just("mark"), paths),
    st.tuples(st.just("mark"), paths),
    st.tuples(st.just("record"), paths, hashes, hashes),
    st.tuples(st.just("record"), paths, hashes, hashes),
    st.tuples(st.just("all")),
    st.tuples(st.just("begin")),
    st.tuples(st.just("end")),
    st.tuples(st.just("fail")),
    st.tuples(st.just("flush works")),
    st.tuples(st.just("flush fails")),
)


@given(st.lists(steps, max_size=40), st.integers(0, 4), st.integers(0, 3))
@settings(max_examples=800, deadline=None)
def test_whatever_happens_every_mark_is_flushed(script: list[tuple[str, ...]], documents: int, edits: int) -> None:
    """Row K5: the oracle is a plain list of all that was noted since the last flush that worked."""
    journal = Journal(max_documents=documents, max_edits=edits)
    noted: list[tuple[str, ...]] = []
    batches = []
    for step in [*script, ("flush works",)]:
        kind = step[0]
        if kind == "mark":
            journal.mark(DocumentPath(step[1]), "m")
        elif kind == "record":
            journal.record(DocumentPath(step[1]), DiskHash(step[2]), DiskHash(step[3]))
        elif kind == "all":
            journal.mark_all("m")
        elif kind == "begin":
            batches.append(journal.batch())
            batches[-1].__enter__()
        elif kind == "end" and batches:
            batches.pop().__exit__(None, None, None)
        elif kind == "fail" and batches:
            batches.pop().__exit__(KeyError, KeyError(), None)
        if kind in ("mark", "record", "all"):
            noted.append(step)
        if not kind.startswith("flush"):
            continue
        drained = taken_from(journal)
        if batches:
            assert not drained
            continue
        check(drained, noted, documents, edits)
        if kind == "flush works":
            noted.clear()
        else:
            journal.restore(drained)
    while batches:
        batches.pop().__exit__(None, None, None)
    check(taken_from(journal), noted, documents, edits)


def check(drained: Drained, noted: list[tuple[str, ...]], max_documents: int, max_edits: int) -> None:
    touched = {step[1] for step in noted if step[0] != "all"}
    assert drained.all or touched == set(drained.paths)
    if drained.all:
        assert not drained.paths
        assert ("all",) in noted or len(touched) > max_documents
    assert list(drained.paths) == sorted(drained.paths)
    assert len(drained.paths) <= max_documents
    assert len(drained.edits) <= max_edits
    for edit in drained.edits:  # exact means that every step was recorded and each began where the last one ended
        chain = [step[1:] for step in noted if step[0] != "all" and step[1] == edit.path]
        assert all(len(step) == 3 for step in chain)
        assert (chain[0][1], chain[-1][2]) == (edit.old_hash, edit.new_hash)
        assert all(before[2] == after[1] for before, after in pairwise(chain))


def test_marks_from_many_threads_all_arrive() -> None:
    journal = Journal(max_documents=10_000)
    taken: list[str] = []
    done = threading.Event()

    def write(worker: int) -> None:
        for i in range(500):
            journal.mark(DocumentPath(f"{worker}/{i}"), "m")

    def take() -> None:
        while not done.is_set():
            taken.extend(taken_from(journal).paths)

    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    reader = threading.Thread(target=take)
    for thread in [reader, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    taken.extend(taken_from(journal).paths)
    assert sorted(taken) == sorted(f"{worker}/{i}" for worker in range(4) for i in range(500))
