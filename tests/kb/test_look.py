"""One file that changed costs what one file costs, and what is known of the tree afterwards is what a listing says."""

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec
import pytest
from gazetteer.kb import look, scan
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.freshness import Sweeper
from gazetteer.kb.indexer import Refreshed
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.scan import Scan, ScanRules, Sweep
from gazetteer.kb.tree import TreeState
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ..e2e.material import MEMORY
from .world import A, B, C, World, texts

V = TypeVar("V")
PATHS = [DocumentPath(path) for path in ("a.py", "b.py", "new.py", "deep/c.md", "deep/er/d.txt")]
BYTES = [None, b"x = 1\n", b"def f(:\n", b"\0\1\2\3" * 300, b"long line\n" * 300, b"\xff\xfeodd"]


class ByKeyOnly(dict[DocumentPath, V]):
    """A mapping that is asked for one path after the other, and never walked."""

    def _walked(self) -> NoReturn:
        raise AssertionError("all files of the tree are walked for one of them")

    def __iter__(self) -> Iterator[DocumentPath]:
        self._walked()

    def keys(self) -> NoReturn:
        self._walked()

    def items(self) -> NoReturn:
        self._walked()

    def values(self) -> NoReturn:
        self._walked()


def state_of(kb: KnowledgeBase) -> TreeState:
    return kb.indexer._state


def test_a_tree_that_is_away_has_not_lost_its_files(world: World, kb: KnowledgeBase) -> None:
    """ST: hints about its files say nothing then, and nothing is published until it is back."""
    before, away = kb.store.head(), world.tree.with_name("away")
    world.tree.rename(away)
    kb.mark_dirty(A)
    with pytest.raises(UnavailableError, match="is not there"):
        kb.flush()
    assert kb.store.head() == before
    assert set(texts(kb.snapshot())) == {"a.py", "b.py"}
    away.rename(world.tree)
    os.unlink(world.tree / A)
    kb.flush()
    assert set(texts(kb.snapshot())) == {"b.py"}


def test_a_file_that_was_read_as_gone_is_found_when_it_comes_back(world: World, kb: KnowledgeBase) -> None:
    """ST13: named when it went, and by nobody when it came; its folder holds then what it held when it was listed."""
    kb.refresh()
    os.unlink(world.tree / A)
    kb.mark_dirty(A)
    kb.flush()
    assert set(texts(kb.snapshot())) == {"b.py"}
    world.write(A, "def alpha():\n    return 2\n")
    kb.refresh()
    assert texts(kb.snapshot())["a.py"] == "def alpha():\n    return 2\n"


@pytest.mark.parametrize("at", [1 << 40, -(1 << 40)])
def test_a_time_that_no_database_can_keep_costs_its_file_alone(at: int) -> None:
    """Seconds whose nanoseconds take more than 64 bits, as broken archives bring them to some file systems."""
    with tempfile.TemporaryDirectory(prefix="gazetteer-times-", dir=MEMORY) as folder:
        world = World(Path(folder))
        os.utime(world.tree / A, (at, at))
        kb = world.open()
        assert kb.refresh().documents == 2
        world.write(A, "def gamma():\n    return 1\n")
        os.utime(world.tree / A, (at, at))
        assert [kb.refresh().documents, kb.refresh().documents] == [1, 0]
        assert texts(kb.snapshot())["a.py"] == "def gamma():\n    return 1\n"
        kb.close()


def test_a_flush_walks_no_file_that_nobody_named(world: World, kb: KnowledgeBase) -> None:
    """K5: a save in a tree of 60,000 files is a look at one file."""
    kb.refresh()
    state = state_of(kb)
    assert state.scan is not None
    state.files, state._listed = ByKeyOnly(state.files), ByKeyOnly(state._listed)
    object.__setattr__(state.scan, "files", state._listed)
    world.write(A, "def gamma():\n    return 1\n")
    os.unlink(world.tree / B)
    kb.mark_dirty(A)
    kb.mark_dirty(B)
    done = kb.flush()
    assert (done.documents, done.deleted, done.looked_at) == (1, 1, 1)
    assert texts(kb.snapshot()) == {"a.py": "def gamma():\n    return 1\n"}


Write = tuple[DocumentPath, bytes | None, bool]
"""A file, what it holds from now on (None: it is gone), and whether somebody says so."""


@given(
    steps=st.lists(
        st.tuples(
            st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(BYTES), st.booleans()), max_size=3),
            st.booleans(),
        ),
        max_size=6,
    )
)
@example(steps=[([(A, None, True)], False), ([(A, b"x = 1\n", False)], False)])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_known_after_flushes_is_what_the_store_and_a_fresh_build_say(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[list[Write], bool]]
) -> None:
    """K13: files that come, go, become binary, too large or undecodable, named or found by a sweep."""
    world = World(tmp_path_factory.mktemp("look"))
    rules = ScanRules(max_file_bytes=2_000)
    kb = world.open(rules)
    kb.refresh()
    for writes, whole in steps:
        for path, data, named in writes:
            target = world.tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if data is not None:
                target.write_bytes(data)
            elif target.exists():
                target.unlink()
            if named:
                kb.mark_dirty(path)
        kb.refresh(whole=whole)
        state, stored = state_of(kb), TreeState()
        head, places = kb.store.places()
        stored.load(head, places, kb.store.published(head.generation)[1])
        if state.scan is not None and stored.scan is not None:
            unsaved = kb.indexer._unsaved.files.keys()
            assert {p: s for p, s in state.files.items() if p not in unsaved} == {
                p: s for p, s in stored.files.items() if p not in unsaved
            }
            assert list(state.scan.files) == list(stored.scan.files) == sorted(state.scan.files)
            assert state.refused == stored.refused
    kb.refresh()
    other = world.open(rules, "fresh")
    other.refresh()
    assert texts(kb.snapshot()) == texts(other.snapshot())
    (totals, coverage, _), (fresh, fresh_coverage, _) = (
        one.store.published(one.store.head().generation) for one in (kb, other)
    )
    assert coverage == fresh_coverage
    assert msgspec.structs.replace(totals, regressed=0) == fresh, "only what came before tells what became worse"
    for one in world.opened:
        one.close()


def test_a_named_file_that_was_too_large_for_a_while_is_a_document_again(world: World) -> None:
    """K4: growing and shrinking in place changes no folder, and nobody names it the second time."""
    kb = world.open(ScanRules(max_file_bytes=100))
    kb.refresh()
    world.write(A, "x = 1\n" * 100)
    kb.mark_dirty(A)
    kb.flush()
    assert texts(kb.snapshot()).keys() == {"b.py"}
    assert kb.store.published(kb.store.head().generation)[1].listed == {"size": 1}
    world.write(A, "x = 2\n")
    kb.refresh()
    assert texts(kb.snapshot())["a.py"] == "x = 2\n"


def test_a_sweep_gives_way_to_what_is_known_to_have_changed(
    world: World, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K4: a hint is not kept waiting by the look at a large tree that is under way."""
    sweeper = Sweeper(kb)
    flushes: list[Future[Refreshed]] = []
    finished: list[bool] = []
    swept = scan.sweep

    def sweep(root: str, rules: ScanRules, previous: Scan, *more: object, **options: object) -> Sweep:
        if not flushes:
            world.write(C, "new\n")
            kb.mark_dirty(C)
            flushes.append(sweeper.flush())
        finished.append(flushes[0].done())
        return swept(root, rules, previous, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(look, "sweep", sweep)
    found: Refreshed = sweeper.start().result(30)
    assert (finished, found.swept_at > 0) == ([False, True], True)
    assert flushes[0].result(0).documents == 1
    sweeper.close()


def test_a_sweep_comes_to_an_end_while_somebody_types(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives way a few times, and not for ever."""
    sweeper = Sweeper(kb)
    swept = scan.sweep

    def sweep(root: str, rules: ScanRules, previous: Scan, *more: object, **options: object) -> Sweep:
        sweeper.flush()
        return swept(root, rules, previous, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(look, "sweep", sweep)
    assert sweeper.start().result(30).swept_at > 0
    sweeper.close()
