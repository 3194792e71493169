"""Work on a thread stops when it is told to, whatever it is waiting for."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from gazetteer.kb.beside import Beside
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError, UnavailableError
from gazetteer.kb.freshness import Boundary, Sweeper
from gazetteer.kb.indexer import Progress
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.store.content import ContentStore

from .world import A, World, texts


def test_a_token_is_set_once_and_said_by_every_look() -> None:
    cancel = Cancel("Stopped for a test.")
    cancel.check()
    cancel.wait(0.0)
    cancel.set()
    assert cancel.is_set()
    for look in (cancel.check, lambda: cancel.wait(3600.0)):
        with pytest.raises(CancelledError, match=r"^Stopped for a test\.$"):
            look()


def test_work_beside_is_finished_for_the_next_one_and_not_begun_for_nobody() -> None:
    """Whoever is cancelled stops waiting; what runs goes on, what waits behind it is dropped."""
    beside, begun, over, ran = Beside("test"), threading.Event(), threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        over.wait(60)
        ran.set()
        return "done"

    with ThreadPoolExecutor(2) as pool:
        cancel, late, never = Cancel(), Cancel(), threading.Event()
        first = pool.submit(beside.do, long, cancel)
        assert begun.wait(60)
        second = pool.submit(beside.do, never.set, late)
        for token, waiting in ((cancel, first), (late, second)):
            token.set()
            with pytest.raises(CancelledError):
                waiting.result(60)
        assert not ran.is_set()
        over.set()
        assert beside.do(lambda: "next", Cancel()) == "next"
        assert ran.is_set()
        assert not never.is_set()
    with pytest.raises(ZeroDivisionError):
        beside.do(lambda: 1 / 0, Cancel())
    beside.close()
    with pytest.raises(UnavailableError, match="closed"):
        beside.do(lambda: None, Cancel())


def test_what_a_close_drops_was_not_cancelled_by_anybody() -> None:
    """The index was closed, and that is what whoever waits is told."""
    beside, begun, gate = Beside("test"), threading.Event(), threading.Event()

    def first() -> bool:
        begun.set()
        return gate.wait(60)

    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(beside.do, first, Cancel())
        assert begun.wait(60)
        waiting = pool.submit(beside.do, lambda: None, Cancel())
        while not beside._pool._work_queue.qsize():
            threading.Event().wait(0.001)
        beside.close()
        with pytest.raises(UnavailableError, match="closed meanwhile"):
            waiting.result(60)
        gate.set()
        assert running.result(60)


@pytest.fixture
def sweeper(kb: KnowledgeBase) -> Iterator[Sweeper]:
    made = Sweeper(kb)
    yield made
    made.close()


@pytest.fixture
def busy(kb: KnowledgeBase, sweeper: Sweeper) -> Iterator[None]:
    """A refresh that is under way for as long as the test takes."""
    begun, over = threading.Event(), threading.Event()

    def hold(_progress: object) -> None:
        begun.set()
        over.wait(60)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(kb.refresh, strict=True, progress=hold)
        assert begun.wait(60)
        yield
        over.set()


@pytest.mark.usefixtures("busy")
def test_a_question_that_waits_for_the_tree_stops_waiting(kb: KnowledgeBase, sweeper: Sweeper) -> None:
    """The look at the tree goes on; only the question is over."""
    cancel = Cancel()
    boundary = Boundary(kb, sweeper, reuse_s=0.0, cancel=cancel)
    with ThreadPoolExecutor(1) as pool:
        entering = pool.submit(boundary.enter)
        assert not entering.done()
        cancel.set()
        with pytest.raises(CancelledError):
            entering.result(60)


def test_a_cancelled_question_looks_at_nothing_more(world: World, kb: KnowledgeBase, sweeper: Sweeper) -> None:
    """Neither are hints lost that it had taken out of the journal."""
    cancel = Cancel()
    cancel.set()
    boundary = Boundary(kb, sweeper, cancel=cancel)
    snapshot = kb.snapshot()
    with pytest.raises(CancelledError):
        boundary.verify(snapshot, snapshot.documents())
    world.write(A, "other\n")
    with pytest.raises(CancelledError):
        boundary.repair([A])
    kb.flush()
    assert texts(kb.snapshot())[A] == "other\n"
    assert boundary.hashed == 0


def stop_while_reading(world: World, kb: KnowledgeBase) -> None:
    """Write a hundred files, and stop the refresh that reads them as soon as some are read."""
    for number in range(100):
        world.write(DocumentPath(f"f{number}.py"), f"def alpha_{number}():\n    return 1\n")
    cancel = Cancel()

    def told(progress: Progress) -> None:
        if progress.phase == "reading" and progress.done:
            cancel.set()

    with pytest.raises(CancelledError):
        kb.refresh(progress=told, should_stop=cancel.is_set)


def test_what_a_stopped_refresh_has_read_is_not_read_again(world: World, kb: KnowledgeBase) -> None:
    """C1: work that is stopped again and again comes to its end."""
    stop_while_reading(world, kb)
    assert kb.refresh().parsed <= 100 - 32
    assert len(texts(kb.snapshot())) == 102


def test_what_cannot_be_kept_of_it_is_no_other_error(
    world: World, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the disk is full just then: whoever stopped it is told that it was stopped."""

    def full(_store: ContentStore, _rows: object) -> None:
        raise UnavailableError("The disk is full; free some space.")

    monkeypatch.setattr(ContentStore, "put", full)
    stop_while_reading(world, kb)
    monkeypatch.undo()
    kb.refresh()
    assert len(texts(kb.snapshot())) == 102
