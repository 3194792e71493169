"""A tree that is open follows what happens from outside, whatever questions are under way."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.derive import LARGE_TEXT
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.indexer import Progress
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query

from .e2e.small import Small, ask, paths

A = DocumentPath("a.py")


@pytest.fixture
def small(tmp_path: Path) -> Small:
    made = Small(tmp_path)
    made.write(A, "def alpha():\n    return 1\n")
    return made


def children() -> set[str]:
    """Processes that this one has started and that have not ended."""
    found: set[str] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread or a process that has just ended
            for pid in (thread / "children").read_text().split():
                if "derive_pool" in (Path("/proc") / pid / "cmdline").read_text():
                    found.add(pid)
    return found


def beside(act: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Do something in a thread; what it returned or raised is in the list once the thread has ended."""
    came: list[object] = []

    def run() -> None:
        try:
            came.append(act())
        except BaseException as error:
            came.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, came


def test_a_first_question_survives_that_the_index_is_opened_again_under_it(small: Small) -> None:
    """The sweep that it waits for is stopped; the question is asked once more of what is there then."""
    building = threading.Event()
    with small.open(one_shot=False) as session:
        stopped = session.parts.sweeper._stop

        def hold(_: Progress) -> None:
            building.set()
            stopped.wait(30)

        thread, came = beside(lambda: session.retrieve(Query("alpha"), progress=hold))
        assert building.wait(30)
        with small.open() as other:
            other.clean()
        session.status()
        thread.join(30)
        (answer,) = came
        assert paths(answer) == ["a.py"]  # type: ignore[arg-type]


def test_an_index_that_is_removed_while_it_is_built_is_not_made_again_behind_anybodys_back(small: Small) -> None:
    """C2: whoever lets go of a tree frees what there is of it; a question builds it again, because somebody asks."""

    def remove(_: Progress) -> None:
        if not removed:
            removed.append(True)
            with small.open() as other:
                other.clean()

    removed: list[bool] = []
    with small.open() as session:
        with pytest.raises(UnavailableError, match="removed by another process"):
            session.sync(progress=remove)
        assert removed == [True]
        assert [path.name for path in Path(session.kb.folder).iterdir()] == ["publish.lock"]
    removed.clear()
    with small.open() as session:
        assert paths(session.retrieve(Query("alpha"), progress=remove)) == ["a.py"]
        assert removed
        assert session.status().documents == 1


def test_what_an_editor_says_to_what_was_replaced_is_not_lost(small: Small) -> None:
    """K10: the event loop may be in the middle of a change while a question opens the index again."""
    with small.open(one_shot=False) as session:
        assert paths(ask(session, "alpha")) == ["a.py"]
        replaced = session.kb
        replaced.open_buffer(A, "def beta():\n    return 1\n", 1)
        with small.open() as other:
            other.clean()
        assert paths(ask(session, "beta")) == ["a.py"]
        assert session.kb is not replaced
        replaced.change_buffer(A, [Change("def gamma():\n    return 1\n")], 2, "utf-16")
        replaced.mark_dirty(DocumentPath("b.py"))
        assert session.kb.journal.pending
        assert (paths(ask(session, "gamma")), paths(ask(session, "beta"))) == (["a.py"], [])


def test_an_index_that_could_not_be_opened_again_is_opened_by_the_next_question(small: Small) -> None:
    with small.open(one_shot=False) as session:
        assert paths(ask(session, "alpha")) == ["a.py"]
        with small.open() as other:
            other.clean()
        corpora = small.cache / "corpora"
        for folder in corpora.iterdir():
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
        corpora.rmdir()
        corpora.write_text("in the way")
        with pytest.raises(UnavailableError):
            ask(session, "alpha")
        corpora.unlink()
        assert paths(ask(session, "alpha")) == ["a.py"]


def test_nothing_is_started_for_who_comes_after_the_end(small: Small) -> None:
    """A late request of an editor that is leaving opens nothing again and leaves no process behind."""
    before = children()
    with small.open(one_shot=False) as session:
        session.kb.open_buffer(A, "x = 1\n" * LARGE_TEXT, 1)
        ask(session, "alpha")
        snapshot = session.kb.snapshot()
    with pytest.raises(UnavailableError):
        ask(session, "alpha")
    session.kb.open_buffer(A, "y = 1\n" * LARGE_TEXT, 2)
    with pytest.raises(UnavailableError):
        session.kb.snapshot().document(A)
    del snapshot
    assert children() <= before


def test_cleaning_leaves_a_session_that_can_be_asked(small: Small) -> None:
    with small.open() as session:
        assert paths(ask(session, "alpha")) == ["a.py"]
        assert session.clean().removed
        assert paths(ask(session, "alpha")) == ["a.py"]
