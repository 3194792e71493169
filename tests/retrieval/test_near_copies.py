"""Of documents that are nearly the same one is among the first rows, the best."""

from itertools import combinations

import pytest
from gazetteer.kb.model import ChunkNote, DocumentPath, Kind
from gazetteer.retrieval.fuse import ChunkKey, Row
from gazetteer.retrieval.inquiry import Shown
from gazetteer.retrieval.near_copies import apart, defined_in
from hypothesis import given
from hypothesis import strategies as st

LIMIT = 3


def note(*names: str) -> ChunkNote:
    return ChunkNote(Kind.FUNCTION, "", (), names, 1, 1, 100)


def rows(*paths: str) -> list[Shown]:
    return [Shown(Row(ChunkKey("boat", DocumentPath(path), at)), (at, at), 1.0, {}) for at, path in enumerate(paths)]


NAMES = {
    "hull.c": "moor haul hoist furl reef",
    "keel.c": "moor haul hoist furl reef",
    "sail.c": "moor haul hoist furl",
    "rope.c": "moor haul hoist",
    "mast.c": "moor haul reef luff",
    "oars.c": "moor haul",
    "helm.c": "moor haul",
    "flag.c": "",
}
ALIKE = {
    ("hull.c", "keel.c"),  # 5 of 5 names in common
    ("hull.c", "sail.c"),  # 4 of 5
    ("keel.c", "sail.c"),
    ("hull.c", "rope.c"),  # 3 of 5, which is just enough
    ("keel.c", "rope.c"),
    ("rope.c", "sail.c"),  # 3 of 4
    ("oars.c", "rope.c"),  # 2 of 3; of one another they are none: 2 of 2 names are too few to tell
    ("helm.c", "rope.c"),
}
"""Every pair of near copies among these, counted by hand; all others are none: `mast.c` has 3 of 6 with `hull.c`."""


def defines(key: ChunkKey) -> frozenset[str]:
    return defined_in([note(*NAMES[key.path].split()), note()])


@given(st.lists(st.sampled_from(sorted(NAMES)), max_size=16))
def test_no_two_documents_of_the_first_rows_are_alike_and_no_row_is_lost(order: list[str]) -> None:
    given_rows = rows(*order)
    first, behind, copies = apart(given_rows, LIMIT, defines)
    assert sorted([*first, *behind, *copies], key=given_rows.index) == given_rows
    for part in (first, behind, copies):
        assert part == sorted(part, key=given_rows.index)
    shown = sorted({one.row.key.path for one in first})
    assert ALIKE.isdisjoint(combinations(shown, 2))
    assert all(any(tuple(sorted((one.row.key.path, other))) in ALIKE for other in shown) for one in copies)
    assert len(first) == LIMIT or not behind


@pytest.mark.parametrize("one", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_near_copies_have_three_fifths_of_their_names_in_common_and_no_fewer_than_three_names(
    one: str, other: str
) -> None:
    _, behind, copies = apart(rows(one, other), LIMIT, defines)
    assert (len(behind), len(copies)) == (0, tuple(sorted((one, other))) in ALIKE)


@pytest.mark.parametrize(("common", "together", "copy"), [(12, 20, True), (11, 19, False), (59, 99, False)])
def test_of_many_names_the_same_share_decides(common: int, together: int, copy: bool) -> None:
    every = [f"name{at}" for at in range(together)]
    names = {"a.c": every, "b.c": every[:common]}
    *_, copies = apart(rows(*names), LIMIT, lambda key: defined_in([note(*names[key.path])]))
    assert len(copies) == copy


def test_a_copy_to_which_something_was_added_is_one() -> None:
    names = {"boot.c": ("moor", "haul", "hoist", "furl"), "copy.c": ("moor", "haul", "hoist", "reef")}
    first, behind, copies = apart(rows("boot.c", "copy.c"), LIMIT, lambda key: defined_in([note(*names[key.path])]))
    assert [len(first), len(behind), len(copies)] == [1, 0, 1]


def test_what_defines_next_to_nothing_is_no_copy() -> None:
    first, *_ = apart(rows("a.c", "b.c"), LIMIT, lambda _: defined_in([note("main", "usage")]))
    assert len(first) == 2
