"""A glance waits for nobody, however busy the rest is; what it cannot say now is left to those who may wait."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath

from ..e2e.small import Small
from ..trees import opened

A = DocumentPath("a.py")


@pytest.fixture
def small(tmp_path: Path) -> Small:
    made = Small(tmp_path)
    made.write(A, "def alpha():\n    return 1\n")
    return made


@pytest.fixture
def session(small: Small) -> Iterator[Session]:
    with small.open(one_shot=False) as session:
        session.sync()
        yield session


def test_a_glance_does_not_wait_for_an_index_that_is_opened_again(session: Session) -> None:
    """L3: a hover while another thread opens the index again, which takes as long as its locks and git take."""
    entered, leave = threading.Event(), threading.Event()

    def occupy() -> None:
        with session._tree._lock:
            entered.set()
            leave.wait(30)

    busy = threading.Thread(target=occupy)
    busy.start()
    assert entered.wait(30)
    seen: list[object] = []
    looking = threading.Thread(target=lambda: seen.append(session.glance()))
    looking.start()
    looking.join(10)
    waited = looking.is_alive()
    leave.set()
    busy.join()
    looking.join()
    assert not waited
    assert seen[0] is not None


def test_a_glance_opens_nothing_and_says_that_it_sees_nothing(small: Small, session: Session) -> None:
    """Who may wait opens the index that another process removed; then there is something to see again."""
    before = session.kb
    with small.open() as other:
        other.clean()
    assert session.glance() is None
    assert session.kb is before
    session.sync()
    assert session.kb is not before
    assert session.glance() is not None


def test_a_closed_tree_shows_nothing(small: Small) -> None:
    with small.open(one_shot=False) as session:
        session.sync()
        assert session.glance() is not None
    assert session.glance() is None


def test_what_is_damaged_is_seen_again_once_somebody_has_mended_it(tmp_path: Path) -> None:
    with opened(tmp_path, "-- a.py --\ndef alpha():\n    return 1\n") as session:
        lexical = next(Path(session.kb.folder).glob("lexical*/**/meta.json"))
        lexical.write_bytes(b"\0" * 100)
        assert session.glance() is None
        assert session.with_glance(lambda glance: glance) is None
        session.sync()
        assert session.glance() is not None
