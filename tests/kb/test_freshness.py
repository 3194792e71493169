"""The query boundary: what is looked at before a search, and what is told about the bytes behind its hits."""

import hashlib
import os
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import ClassVar

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.freshness import Boundary, Sweeper, Verdict
from gazetteer.kb.indexer import ProgressSink, Refreshed
from gazetteer.kb.knowledge import KnowledgeBase

from .world import A, B, C, World, texts


@pytest.fixture
def sweeper(kb: KnowledgeBase) -> Iterator[Sweeper]:
    made = Sweeper(kb)
    yield made
    made.close()


def test_what_stands_behind_a_hit_is_hashed_once_and_told(world: World, kb: KnowledgeBase, sweeper: Sweeper) -> None:
    """K2: only equal bytes make a hit verified, whatever its times say."""
    world.write(C, "gone soon\n")
    kb.refresh()
    kb.open_buffer(B, "buffer\n", 1)
    snapshot = kb.snapshot()
    before = os.stat(world.tree / A)
    world.write(A, (world.tree / A).read_text().replace("1", "9"))
    os.utime(world.tree / A, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.unlink(world.tree / C)
    boundary = Boundary(kb, sweeper)
    documents = list(snapshot.documents())
    expected = {A: Verdict.CHANGED, B: Verdict.OVERLAY, C: Verdict.GONE}
    assert boundary.verify(snapshot, documents) == expected
    assert boundary.verify(snapshot, documents) == expected
    assert boundary.hashed == 2
    assert boundary.repair([A, C])
    again = kb.snapshot()
    assert set(Boundary(kb, sweeper).verify(again, again.documents()).values()) == {Verdict.VERIFIED, Verdict.OVERLAY}


def test_a_buffer_is_unsaved_as_long_as_the_disk_does_not_say_the_same(
    world: World, kb: KnowledgeBase, sweeper: Sweeper
) -> None:
    """K2: a file that is merely open is verified, by its own bytes; a buffer that lost an edit never is."""

    def look() -> tuple[Verdict, str]:
        snapshot, boundary = kb.snapshot(), Boundary(kb, sweeper)
        document = snapshot.document(A)
        assert document is not None
        return boundary.verify(snapshot, [document])[A], boundary.saved.get(A, "")

    def said(data: bytes) -> tuple[Verdict, str]:
        (world.tree / A).write_bytes(data)
        return Verdict.VERIFIED, hashlib.sha256(data).hexdigest()

    kb.open_buffer(A, "x = 1\n", 1)
    assert look() == (Verdict.OVERLAY, "")
    assert said(b"\xef\xbb\xbfx = 1\r\n") == look()
    kb.change_buffer(A, [Change("2", (0, 4, 0, 5))], 2, "utf-16")
    assert look() == (Verdict.OVERLAY, "")
    assert said(b"x = 2\n") == look()
    with pytest.raises(InvalidArgumentError):
        kb.change_buffer(A, [Change("", (0, 4, 0, 0))], 3, "utf-16")
    assert look() == (Verdict.OVERLAY, "")
    kb.change_buffer(A, [Change("x = 2\n")], 4, "utf-16")
    assert said(b"x = 2\n") == look()


def test_past_the_deadline_nothing_is_hashed_and_it_says_so(kb: KnowledgeBase, sweeper: Sweeper) -> None:
    snapshot = kb.snapshot()
    boundary = Boundary(kb, sweeper, deadline=1.0)
    assert set(boundary.verify(snapshot, snapshot.documents()).values()) == {Verdict.UNVERIFIED}
    assert boundary.hashed == 0


def test_a_young_sweep_is_used_again_and_an_old_one_is_not(world: World, kb: KnowledgeBase, sweeper: Sweeper) -> None:
    now = [time.time()]
    world.write(C, "new\n")
    boundary = Boundary(kb, sweeper, reuse_s=60.0, clock=lambda: now[0])
    boundary.enter()
    assert boundary.refreshed == 0
    now[0] += 61
    boundary = Boundary(kb, sweeper, reuse_s=60.0, clock=lambda: now[0])
    boundary.enter()
    assert boundary.refreshed == 1


def test_an_ageing_sweep_is_used_again_while_the_next_one_is_made(world: World, kb: KnowledgeBase) -> None:
    """Whoever asks again and again waits for no sweep; the sweep that is used is never older than it may be."""

    class Counting(Sweeper):
        begun: ClassVar[list[Future[Refreshed]]] = []

        def start(self, *, strict: bool = False, progress: ProgressSink | None = None) -> Future[Refreshed]:
            self.begun.append(super().start(strict=strict, progress=progress))
            return self.begun[-1]

    world.write(C, "new\n")
    now, sweeper = kb.indexer.swept_at, Counting(kb)
    for age, sweeps in ((20.0, 0), (59.0, 1)):
        boundary = Boundary(kb, sweeper, wait_s=60.0, reuse_s=60.0, clock=lambda age=age: now + age)  # type: ignore[misc]
        boundary.enter()
        assert (boundary.sweeping, boundary.sweep_done(), boundary.refreshed) == (False, False, 0)
        assert len(sweeper.begun) == sweeps
    assert sweeper.begun[0].result(60).documents == 1
    assert kb.indexer.swept_at > now
    sweeper.close()


def test_hints_are_flushed_before_a_young_sweep_is_used(world: World, kb: KnowledgeBase, sweeper: Sweeper) -> None:
    """K3, K4: known edits are seen at once."""
    world.write(C, "new\n")
    kb.mark_dirty(C)
    boundary = Boundary(kb, sweeper, reuse_s=60.0)
    boundary.enter()
    assert "c.py" in texts(kb.snapshot())
