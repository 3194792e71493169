"""Of documents that are nearly the same one is among the first rows, the best."""

from gazetteer.kb.model import ChunkNote, DocumentPath, Kind
from gazetteer.retrieval.fuse import ChunkKey, Row
from gazetteer.retrieval.inquiry import Shown
from gazetteer.retrieval.near_copies import ALIKE, NAMES, apart, defined_in
from hypothesis import given
from hypothesis import strategies as st

LIMIT = 3


def note(*names: str) -> ChunkNote:
    return ChunkNote(Kind.FUNCTION, "", (), names, 1, 1, 100)


def rows(*paths: str) -> list[Shown]:
    return [Shown(Row(ChunkKey("boat", DocumentPath(path), at)), (at, at), 1.0, {}) for at, path in enumerate(paths)]


@given(
    st.lists(st.sampled_from("abcdefg"), max_size=12),
    st.lists(st.frozensets(st.sampled_from("uvwxyz")), min_size=7, max_size=7),
)
def test_no_two_documents_of_the_first_rows_are_alike_and_no_row_is_lost(
    order: list[str], names: list[set[str]]
) -> None:
    defined = dict(zip("abcdefg", names, strict=True))

    def alike(one: str, other: str) -> bool:
        both, either = defined[one] & defined[other], defined[one] | defined[other]
        return one != other and len(either) >= NAMES and len(both) / len(either) >= ALIKE

    given_rows = rows(*order)
    first, behind, copies = apart(given_rows, LIMIT, lambda key: defined_in([note(*sorted(defined[key.path])), note()]))
    assert sorted([*first, *behind, *copies], key=given_rows.index) == given_rows
    for part in (first, behind, copies):
        assert part == sorted(part, key=given_rows.index)
    shown = [one.row.key.path for one in first]
    assert not any(alike(one, other) for one in shown for other in shown)
    assert all(any(alike(one.row.key.path, other) for other in shown) for one in copies)
    assert len(first) == LIMIT or not behind


def test_a_copy_to_which_something_was_added_is_one() -> None:
    names = {"boot.c": ("moor", "haul", "hoist", "furl"), "copy.c": ("moor", "haul", "hoist", "reef")}
    first, behind, copies = apart(rows("boot.c", "copy.c"), LIMIT, lambda key: defined_in([note(*names[key.path])]))
    assert [len(first), len(behind), len(copies)] == [1, 0, 1]


def test_what_defines_next_to_nothing_is_no_copy() -> None:
    first, *_ = apart(rows("a.c", "b.c"), LIMIT, lambda _: defined_in([note("main", "usage")]))
    assert len(first) == 2
