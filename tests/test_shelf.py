"""Trees are opened when they are asked, as many as there is room for; who was not asked for longest makes room."""

from pathlib import Path

import pytest
from gazetteer.corpora.registering import add
from gazetteer.corpora.registry import Catalogue
from gazetteer.retrieval.query import Query, Scope
from gazetteer.settings import Settings
from gazetteer.shelf import Shelf
from gazetteer.workspace import Workspace

NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    found = Catalogue(str(tmp_path / "config"))
    for name in NAMES:
        tree = tmp_path / name
        tree.mkdir()
        (tree / f"{name}.py").write_text(f"def moor_{name}():\n    return 'berth'\n")
        add(found, name, str(tree))
    return found


def asked(workspace: Workspace, *names: str) -> tuple[list[str], tuple[str, ...]]:
    """Whose hits there are, and what is said."""
    answer = workspace.retrieve(Query("berth", limit=20, scope=Scope(corpora=names)))
    return sorted({hit.corpus for hit in answer.hits}), answer.receipt.notices


def test_one_question_after_the_other_finds_room_for_whom_it_asks(catalogue: Catalogue, tmp_path: Path) -> None:
    settings = Settings(db_path=str(tmp_path / "cache"), workers=1)
    with Shelf(settings, catalogue) as shelf:
        shelf.most = 2
        workspace = Workspace((), catalogue, settings.index_root(), shelf.session, room=shelf.make_room)
        for names in (("alpha", "beta"), ("beta", "gamma"), ("delta",), ("gamma", "alpha")):
            assert asked(workspace, *names) == (sorted(names), ())
            assert len(shelf) <= 2
        beta = shelf.session(str(tmp_path / "alpha"))
        assert asked(workspace, "alpha", "delta") == (["alpha", "delta"], ())
        assert shelf.session(str(tmp_path / "alpha")) is beta, "who is asked again stays open"


def test_those_that_one_question_has_no_room_for_are_named_and_cost_the_others_nothing(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    settings = Settings(db_path=str(tmp_path / "cache"), workers=1)
    with Shelf(settings, catalogue) as shelf:
        shelf.most = 3
        workspace = Workspace((), catalogue, settings.index_root(), shelf.session, room=shelf.make_room)
        found, said = asked(workspace, *NAMES)
        assert len(found) == 3
        (missing,) = {*NAMES} - {*found}
        (notice,) = said
        assert missing in notice
        assert "ulimit -n" in notice
        assert asked(workspace, missing) == ([missing], ())
