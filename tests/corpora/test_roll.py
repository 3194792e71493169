"""Who takes part in a question: by which standing, in which order, and what is said of those who are not there (C5)."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from gazetteer.corpora.registry import Corpus, Registry
from gazetteer.corpora.roll import Roll, call_roll
from gazetteer.kb.errors import InvalidArgumentError, NotFoundError
from gazetteer.retrieval.query import Scope
from hypothesis import given
from hypothesis import strategies as st


def registry(*corpora: Corpus, broken: Mapping[str, str] | None = None) -> Registry:
    return Registry("projects.json", {corpus.name: corpus for corpus in corpora}, broken or {})


def corpus(name: str, *, shared: bool = False, corpora: tuple[str, ...] = (), root: str = "") -> Corpus:
    root = root or f"/srv/{name}"
    return Corpus(name=name, path=root, root=root, real=os.path.realpath(root), shared=shared, corpora=corpora)


KERNEL, BOOT, DOCS = corpus("kernel"), corpus("boot", corpora=("kernel", "lost")), corpus("docs", shared=True)
ALL = registry(KERNEL, BOOT, DOCS, broken={"bad": "The entry bad is broken; mend it."})


def call(scope: Scope = Scope(), *roots: str, known: Registry = ALL, declares: Sequence[str] = ()) -> Roll:  # noqa: B008
    return call_roll(roots, scope, known, lambda _root: declares)


def standings(roll: Roll) -> list[tuple[str, str]]:
    return [(place.name, place.standing) for place in roll.places]


def test_without_a_registry_one_is_alone() -> None:
    roll = call(Scope(), "/home/me/tree", known=registry())
    assert standings(roll) == [("tree", "own")]
    assert roll.absent == ()


def test_the_own_comes_first_then_what_it_declares_then_what_is_shared() -> None:
    roll = call(Scope(), "/srv/boot")
    assert standings(roll) == [("boot", "own"), ("kernel", "declared"), ("docs", "shared")]
    assert len(roll.absent) == 1
    assert "lost" in roll.absent[0]


def test_a_tree_declares_by_its_own_file_too() -> None:
    """K19: by the names that the user gave, and nothing else."""
    roll = call(Scope(), "/home/me/tree", declares=["kernel", "kernel", "/srv/boot", "tree"])
    assert standings(roll) == [("tree", "own"), ("kernel", "declared"), ("docs", "shared")]
    assert len(roll.absent) == 1
    assert "/srv/boot" in roll.absent[0]


def test_with_adds_and_without_leaves_out() -> None:
    roll = call(Scope(attach=("kernel", "nobody"), without=("docs", "neither")), "/home/me/tree")
    assert standings(roll) == [("tree", "own"), ("kernel", "attached")]
    (absent,), (unknown,) = roll.absent, roll.unknown
    assert "nobody" in absent
    assert "neither" in unknown


def test_all_are_all_and_broken_ones_are_said() -> None:
    roll = call(Scope(everywhere=True), "/srv/boot")
    assert standings(roll) == [("boot", "own"), ("kernel", "declared"), ("docs", "shared")]
    assert any("bad is broken" in sentence for sentence in roll.absent)
    roll = call(Scope(everywhere=True), "/home/me/tree")
    assert standings(roll) == [("tree", "own"), ("docs", "shared"), ("kernel", "registered"), ("boot", "registered")]


def test_a_named_corpus_is_asked_instead_and_alone() -> None:
    assert standings(call(Scope(corpora=("kernel",)), "/srv/boot")) == [("kernel", "own")]
    assert standings(call(Scope(corpora=("kernel",), attach=("docs",)))) == [("kernel", "own"), ("docs", "attached")]


def test_an_umbrella_takes_what_lies_below_it() -> None:
    inner = [
        corpus("one", root="/srv/all/one"),
        corpus("two", root="/srv/all/deep/two"),
        corpus("far", root="/srv/far"),
    ]
    roll = call(Scope(), "/srv/all", known=registry(*inner))
    assert standings(roll) == [("all", "own"), ("one", "found"), ("two", "found")]


def test_one_tree_takes_part_once_under_one_name() -> None:
    """Whatever it is called by whom, and through whichever link."""
    twice = registry(corpus("a", root="/srv/a", shared=True), corpus("again", root="/srv/x/../a", shared=True))
    assert standings(call(Scope(everywhere=True), "/srv/a", known=twice)) == [("a", "own")]


def test_a_folder_whose_name_is_taken_is_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / "x" / "kernel", tmp_path / "y" / "kernel"]
    roll = call(Scope(), *map(str, folders))
    names = [place.name for place in roll.places if place.standing == "own"]
    assert len(set(names)) == 2
    assert all(name.startswith("kernel-") for name in names)
    assert "docs" in [place.name for place in roll.places]


@pytest.mark.parametrize(
    ("scope", "error"),
    [
        (Scope(corpora=("nobody",)), NotFoundError),
        (Scope(corpora=("bad",)), NotFoundError),
        (Scope(without=("tree", "docs")), InvalidArgumentError),
        (Scope(corpora=("kernel",), without=("kernel",)), InvalidArgumentError),
    ],
)
def test_somebody_has_to_be_left(scope: Scope, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call(scope, "/home/me/tree")
    assert str(caught.value).endswith(".")


NAMES = st.lists(st.sampled_from(["kernel", "boot", "docs", "bad", "tree", "nobody", "lost", "/srv/kernel", ""]))


@given(
    st.builds(
        Scope, corpora=NAMES.map(tuple), everywhere=st.booleans(), attach=NAMES.map(tuple), without=NAMES.map(tuple)
    )
)
def test_no_scope_makes_trouble(scope: Scope) -> None:
    """Each tree once, nobody who was to be left out, nobody who was not meant; every sentence once."""
    try:
        roll = call(scope, "/home/me/tree", declares=["boot"])
    except (NotFoundError, InvalidArgumentError):
        return
    names = [place.name for place in roll.places]
    assert names
    assert len({os.path.realpath(place.root) for place in roll.places}) == len(names) == len(set(names))
    assert not set(names) & set(scope.without)
    assert len(set(roll.absent)) == len(roll.absent)
    meant = {"tree", "boot", "docs", *ALL.corpora} if scope.everywhere else {"tree", "boot", "docs", *scope.attach}
    assert set(names) <= meant | set(scope.corpora)
    if scope.corpora and not scope.everywhere:
        assert set(names) <= {*scope.corpora, *scope.attach}
