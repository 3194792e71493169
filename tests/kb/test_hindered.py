"""A file that cannot be read for now is neither gone nor refused for good: it is read as soon as it can be (K2, K9).

What a process, the machine or a network lacks passes without a trace in the file's own times, which is why nothing but
reading it again tells. A permission that is missing is the file's own.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from gazetteer.kb import source
from gazetteer.kb.freshness import Boundary, Sweeper, Verdict
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules

from .world import A, B, World, findings, texts

PASSING = [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.ESTALE]
Hinder = Callable[[DocumentPath, int], AbstractContextManager[None]]


@pytest.fixture
def hinder(monkeypatch: pytest.MonkeyPatch) -> Hinder:
    """Let the system refuse to open one file."""
    opens = source._open

    @contextmanager
    def hindered(path: DocumentPath, number: int) -> Iterator[None]:
        def refuse(root: str, asked: str) -> int:
            if asked == path:
                raise OSError(number, os.strerror(number))
            return opens(root, asked)

        with monkeypatch.context() as patch:
            patch.setattr(source, "_open", refuse)
            yield

    return hindered


def later(world: World) -> KnowledgeBase:
    """Another process, so long after every change that each signature is to be trusted."""
    kb = KnowledgeBase(
        Root(str(world.tree)), str(world.cache), ScanRules(), processes=1, clock=lambda: time.time_ns() + 60_000_000_000
    )
    world.opened.append(kb)
    return kb


@pytest.mark.parametrize("number", PASSING)
def test_a_new_file_that_could_not_be_read_is_counted_and_read_by_the_next_process(
    world: World, hinder: Hinder, number: int
) -> None:
    with hinder(B, number):
        kb = later(world)
        result = kb.refresh()
        assert texts(kb.snapshot()).keys() == {A}
        assert kb.store.published(result.head.generation)[1].refused["unreadable"] == 1
        assert result.busy == (B,)
        assert kb.journal.unsettled  # no answer is complete
    kb.close()
    kb = later(world)
    kb.refresh()
    assert texts(kb.snapshot()).keys() == {A, B}
    assert findings(kb) == []


@pytest.mark.parametrize("number", PASSING)
def test_a_document_that_cannot_be_read_stays_as_it_was_and_is_read_when_it_can_be(
    world: World, hinder: Hinder, number: int
) -> None:
    kb = later(world)
    kb.refresh()
    before = texts(kb.snapshot())
    world.write(B, "def gamma():\n    return 3\n")
    with hinder(B, number):
        assert kb.refresh().busy == (B,)
        assert texts(kb.snapshot()) == before
        assert kb.journal.unsettled
    kb.close()  # what the journal knew is lost with the process
    kb = later(world)
    kb.refresh()
    assert "gamma" in texts(kb.snapshot())[B]
    assert findings(kb) == []


def test_what_still_cannot_be_read_is_not_published_again_and_again(world: World, hinder: Hinder) -> None:
    kb = later(world)
    with hinder(B, errno.EIO):
        generation = kb.refresh().head.generation
        assert [kb.refresh().head.generation for _ in range(3)] == [generation] * 3
    assert kb.refresh().head.generation == generation + 1
    assert not kb.journal.unsettled


@pytest.mark.parametrize("number", PASSING)
def test_a_hit_whose_file_cannot_be_opened_for_now_is_unverified_and_not_gone(
    world: World, kb: KnowledgeBase, hinder: Hinder, number: int
) -> None:
    snapshot = kb.snapshot()
    document = snapshot.document(B)
    assert document is not None
    sweeper = Sweeper(kb)
    try:
        with hinder(B, number):
            assert Boundary(kb, sweeper).verify(snapshot, [document]) == {B: Verdict.UNVERIFIED}
        assert Boundary(kb, sweeper).verify(snapshot, [document]) == {B: Verdict.VERIFIED}
        (world.tree / B).unlink()
        assert Boundary(kb, sweeper).verify(snapshot, [document]) == {B: Verdict.GONE}
    finally:
        sweeper.close()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_permission_is_the_files_own(tmp_path: Path, hinder: Hinder, number: int) -> None:
    (tmp_path / B).write_text("x = 1\n")
    with hinder(B, number):
        refused = source.read(str(tmp_path), B)
    assert isinstance(refused, source.Refusal)
    assert (refused.reason, refused.passing) == (source.RefusalReason.UNREADABLE, False)
