"""What is registered inside a tree is no part of it, also in a session that stays open while that happens."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.corpora.entry import entry_of
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import Catalogue
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings
from hypothesis import given, settings
from hypothesis import strategies as st


class Outer:
    """A tree, its registry, and a session of it that stays open as an editor's does."""

    def __init__(self, folder: Path) -> None:
        self.tree = Path(os.path.realpath(folder)) / "tree"
        self.cache = str(folder / "indexes")
        self.tree.mkdir()
        self.catalogue = Catalogue(str(folder / "config"))
        root = str(self.tree)
        self.session = Session(
            root,
            Settings(db_path=self.cache, workers=1),
            one_shot=False,
            entries=lambda: entry_of(self.catalogue.current(), root),
        )

    def write(self, path: str) -> None:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def {word(path)}():\n    return 1\n")

    def register(self, folder: str) -> None:
        # another process does this: what the session has is its own reader
        (self.tree / folder).mkdir(parents=True, exist_ok=True)
        add(Catalogue(self.catalogue.folder), word(folder), str(self.tree / folder))

    def let_go(self, folder: str) -> None:
        remove(Catalogue(self.catalogue.folder), word(folder), self.cache)

    def documents(self) -> set[str]:
        store = self.session.kb.store
        return set(store.paths(store.head().generation))

    def answers(self, question: str) -> set[str]:
        return {hit.relpath for hit in self.session.retrieve(Query(question, freshness="strict")).hits}


def word(path: str) -> str:
    return path.replace("/", "_").removesuffix(".py")


@pytest.fixture
def outer(tmp_path: Path) -> Iterator[Outer]:
    made = Outer(tmp_path)
    with made.session:
        yield made


def test_an_open_session_lets_a_registered_tree_go_and_takes_it_back(outer: Outer) -> None:
    """Issue 4, item 5."""
    for path in ("app.py", "inner/deep/engine.py", "inner_not/engine.py"):
        outer.write(path)
    assert outer.answers("inner_deep_engine") >= {"inner/deep/engine.py"}
    outer.register("inner")
    assert "inner/deep/engine.py" not in outer.answers("inner_deep_engine")
    outer.session.sync()
    assert outer.documents() == {"app.py", "inner_not/engine.py"}
    outer.let_go("inner")
    assert "inner/deep/engine.py" in outer.answers("inner_deep_engine")
    assert outer.documents() == {"app.py", "inner/deep/engine.py", "inner_not/engine.py"}


def test_nothing_is_derived_again_for_it(outer: Outer) -> None:
    """The files that stay are neither read nor published again, and those that come back are found by their content."""
    for number in range(30):
        outer.write(f"own/m{number}.py")
    outer.write("inner/engine.py")
    outer.session.sync()
    outer.register("inner")
    away = outer.session.sync()
    assert (away.drift.changed, away.drift.deleted) == (0, 1)
    outer.let_go("inner")
    back = outer.session.sync()
    assert (back.drift.changed, back.drift.deleted) == (1, 0)


def test_unsaved_text_in_a_registered_tree_is_no_part_of_the_outer_one(outer: Outer) -> None:
    outer.write("app.py")
    outer.write("inner/engine.py")
    outer.register("inner")
    outer.session.sync()
    outer.session.kb.open_buffer(DocumentPath("inner/engine.py"), "def typed_there():\n    return 1\n", 1)
    outer.session.kb.mark_dirty(DocumentPath("inner/engine.py"), "changed")
    assert outer.answers("typed_there") == set()
    outer.let_go("inner")
    outer.session.sync()
    assert outer.answers("typed_there") == {"inner/engine.py"}


FOLDERS = ("a", "a/b", "a/b/c", "d")
FILES = ("x.py", "a/x.py", "a/b/x.py", "a/b/c/x.py", "d/x.py", "a_b/x.py")
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(FILES)),
    st.tuples(st.just("delete"), st.sampled_from(FILES)),
    st.tuples(st.just("register"), st.sampled_from(FOLDERS)),
    st.tuples(st.just("let go"), st.sampled_from(FOLDERS)),
)


@given(st.lists(STEPS, min_size=3, max_size=12))
@settings(max_examples=15)
def test_whatever_is_registered_and_written_the_outer_tree_is_what_is_left(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    outer = Outer(tmp_path_factory.mktemp("outer"))
    registered: set[str] = set()
    with outer.session:
        for step, path in steps:
            if step == "write":
                outer.write(path)
            elif step == "delete":
                (outer.tree / path).unlink(missing_ok=True)
            elif step == "register" and path not in registered:
                outer.register(path)
                registered.add(path)
            elif step == "let go" and path in registered:
                outer.let_go(path)
                registered.discard(path)
            outer.session.sync()
            there = {str(file.relative_to(outer.tree)) for file in outer.tree.rglob("*.py")}
            left = {file for file in there if not any(file.startswith(folder + "/") for folder in registered)}
            assert outer.documents() == left, (step, path)
