"""An index that somebody lets go of while it is built stays gone, and whoever built it is told."""

import os
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.corpora.registering import Removed, add, remove
from gazetteer.corpora.registry import Catalogue
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.job import Progress
from gazetteer.settings import Settings


@pytest.mark.parametrize("phase", ["listing", "reading", "publishing"])
def test_an_index_that_is_let_go_of_while_it_is_built_leaves_nothing(tmp_path: Path, phase: str) -> None:
    tree, cache = tmp_path / "tree", tmp_path / "cache"
    tree.mkdir()
    (tree / "a.py").write_text("def alpha():\n    return 1\n")
    catalogue = Catalogue(str(tmp_path / "config"))
    add(catalogue, "tree", str(tree))
    removed: list[Removed] = []

    def let_go(progress: Progress) -> None:
        if progress.phase == phase and not removed:
            removed.append(remove(catalogue, "tree", str(cache)))

    with (
        Session(str(tree), Settings(db_path=str(cache))) as session,
        pytest.raises(UnavailableError, match="removed by another process meanwhile"),
    ):
        session.sync(progress=let_go)
    assert removed
    left = [name for _, _, names in os.walk(cache / "corpora") for name in names]
    assert left == ["publish.lock"]  # which is empty, and what the next one waits at
