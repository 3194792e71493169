"""The table of paths follows generations: it is what a new one would be, and an edit leaves it as it is."""

from pathlib import Path

import pytest
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.retrieval.path_table import PathTable
from hypothesis import given
from hypothesis import strategies as st

from ..e2e.small import Small, ask, paths

PATHS = st.sets(st.text("ab/.", min_size=1, max_size=5).map(DocumentPath), max_size=8)


@given(known=PATHS, gone=PATHS, new=PATHS)
def test_a_table_that_followed_is_the_table_of_what_is_there(
    known: set[DocumentPath], gone: set[DocumentPath], new: set[DocumentPath]
) -> None:
    gone &= known
    new -= known - gone
    followed, fresh = PathTable(known).after(gone, new), PathTable((known - gone) | new)
    for suffix in ("a", "b", "a/b", "./a", "B", "", "."):
        assert followed.ending(suffix, folded=True) == fresh.ending(suffix, folded=True)
        assert followed.inside(suffix) == fresh.inside(suffix)
    assert len(followed) == len(fresh)


def test_an_edit_leaves_the_table_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading 60,000 paths again costs more than the edit."""
    small = Small(tmp_path)
    small.write("one/harbour.py", "def alpha():\n    return 1\n")
    small.write("two/quay.py", "def beta():\n    return 1\n")
    times: list[int] = []
    read = CorpusStore.paths

    def counted(self: CorpusStore, generation: int) -> object:
        times.append(generation)
        return read(self, generation)  # type: ignore[arg-type]

    monkeypatch.setattr(CorpusStore, "paths", counted)
    with small.open() as session:
        assert ask(session, "harbour.py").hits[0].relpath == "one/harbour.py"
        small.write("one/harbour.py", "def gamma():\n    return 1\n")
        assert paths(ask(session, "gamma")) == ["one/harbour.py"]
        small.write("three/harbour.py", "def delta():\n    return 1\n")
        (small.tree / "one/harbour.py").unlink()
        assert ask(session, "harbour.py").hits[0].relpath == "three/harbour.py"
        assert times == [1]
