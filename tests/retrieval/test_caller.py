"""What a caller may ask for beside the question: to be told first hits, to stop, to get no more than it can use."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gazetteer.app import Progress, Session
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.derive import LARGE_TEXT
from gazetteer.kb.edits import TextEdit
from gazetteer.kb.errors import CancelledError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.text import Units
from gazetteer.retrieval.query import Filters, Hit, Query
from gazetteer.settings import Settings

SOURCE = "def marmalade_{n}():\n    jar = {n}\n    return jar\n"


PASS = TextEdit((0, 0, 0, 3), "pass; def")


class Patience(Cancel):
    """A caller that loses it at the n-th look at whether it has."""

    def __init__(self, looks: int) -> None:
        super().__init__("Enough.")
        self.left = looks

    def check(self) -> None:
        if self.left == 0:
            self.set()
        self.left -= not self.is_set()
        super().check()


def sha(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    for n in range(6):
        (tree / f"m{n}.py").write_text(SOURCE.format(n=n) * (n + 1))
    return tree


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(db_path=str(tmp_path / "indexes"), workers=1, sweep_reuse_ms=0)


@pytest.fixture
def session(tree: Path, settings: Settings) -> Iterator[Session]:
    with Session(str(tree), settings) as session:
        session.sync()
        yield session


def test_the_first_hits_come_before_the_tree_is_waited_for(session: Session) -> None:
    told: list[tuple[Hit, ...]] = []
    answer = session.retrieve(Query("marmalade jar"), first=told.append)
    assert told == [answer.hits]
    assert len(answer.hits) == 6


def test_a_budget_bounds_the_texts_of_all_hits_together(session: Session) -> None:
    whole = session.retrieve(Query("marmalade jar"))
    assert not whole.receipt.truncated
    sizes = [len(hit.text) for hit in whole.hits]
    for budget in (1, sizes[0] - 1, sizes[0], sum(sizes[:3]), sum(sizes) - 1, sum(sizes)):
        answer = session.retrieve(Query("marmalade jar", budget_characters=budget))
        assert 0 < sum(len(hit.text) for hit in answer.hits) <= budget
        assert [hit.citation for hit in answer.hits] == [hit.citation for hit in whole.hits[: len(answer.hits)]]
        assert answer.receipt.truncated == (budget < sum(sizes))
        assert ("budget" in answer.receipt.suppressed) == (budget < sum(sizes))
    assert session.explain(Query("marmalade jar", budget_characters=1)).evidence


def acts(session: Session) -> list[Callable[[Cancel], object]]:
    return [
        lambda cancel: session.retrieve(Query("marmalade"), cancel=cancel),
        lambda cancel: session.explain(Query("marmalade"), cancel=cancel),
        lambda cancel: session.related("m1.py:1", cancel=cancel),
        lambda cancel: session.sync(anew=True, cancel=cancel),
        lambda cancel: session.health(cancel=cancel),
        lambda cancel: session.expand(session.retrieve(Query("marmalade")).hits[0].locator, cancel=cancel),
        lambda cancel: session.commit_edit("m1.py", sha(session.root + "/m1.py"), [PASS], cancel=cancel),
    ]


def test_whatever_is_cancelled_stops_and_the_next_question_is_answered(session: Session) -> None:
    for act in acts(session):
        cancel = Cancel("Enough.")
        cancel.set()
        with pytest.raises(CancelledError, match=r"Enough|stopped"):
            act(cancel)
    assert session.retrieve(Query("marmalade")).hits


def test_nothing_is_written_once_it_was_cancelled(session: Session, tree: Path) -> None:
    """K11: the last look before the new bytes take the name is also one at the caller's wish."""
    before = (tree / "m1.py").read_bytes()
    for looks in range(2):
        with pytest.raises(CancelledError):
            session.commit_edit("m1.py", sha(str(tree / "m1.py")), [PASS], cancel=Patience(looks))
        assert (tree / "m1.py").read_bytes() == before
        assert sorted(os.listdir(tree)) == [f"m{n}.py" for n in range(6)]
    assert session.commit_edit("m1.py", sha(str(tree / "m1.py")), [PASS], cancel=Patience(99)).new_hash == sha(
        str(tree / "m1.py")
    )


def test_a_look_at_every_file_stops_between_two(session: Session) -> None:
    patience = Patience(3)
    with pytest.raises(CancelledError):
        session.health(cancel=patience)
    assert patience.left == 0
    assert session.health().state == "ready"


def test_a_large_buffer_is_read_beside_and_answered_from(session: Session) -> None:
    """A question that is cancelled meanwhile does not wait for it."""
    text = "def marmalade_of_mine():\n    pass\n" + "x = 1\n" * (LARGE_TEXT // 6 + 1)
    session.kb.open_buffer(DocumentPath("large.py"), text)
    cancel = Cancel("Enough.")
    cancel.set()
    with pytest.raises(CancelledError):
        session.retrieve(Query("marmalade_of_mine"), cancel=cancel)
    assert session.retrieve(Query("marmalade_of_mine")).hits[0].relpath == "large.py"


def test_an_index_that_is_stopped_on_its_way_leaves_the_one_before(session: Session, tree: Path) -> None:
    (tree / "new.py").write_text("def quince():\n    pass\n")
    cancel = Cancel()

    def stop(progress: Progress) -> None:
        if progress.phase == "reading":
            cancel.set()

    before = session.status().generation
    with pytest.raises(CancelledError):
        session.sync(progress=stop, cancel=cancel)
    assert session.status().generation == before
    assert session.retrieve(Query("quince")).hits[0].relpath == "new.py"


def test_everything_can_be_derived_again_without_a_new_generation(session: Session) -> None:
    told: list[Progress] = []
    before = session.status()
    health = session.sync(anew=True, progress=told.append)
    assert max(progress.total for progress in told if progress.phase == "reading") == 6
    assert health.generation == before.generation
    assert session.check(full=True).ok


@pytest.mark.parametrize(("units", "width"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_positions_count_in_the_callers_units(tree: Path, settings: Settings, units: Units, width: int) -> None:
    (tree / "wide.md").write_text("# Kumquat\n\n#\U0001f34a")
    with Session(str(tree), settings, units=units) as session:
        answer = session.retrieve(Query("kumquat", filters=Filters(paths=("wide.md",))))
        assert answer.receipt.position_encoding == units
        assert answer.hits[0].range.end.character == width
