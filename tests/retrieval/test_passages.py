"""Chunks that were found near each other are shown as one passage, never longer than promised, none twice."""

from itertools import pairwise

from gazetteer.kb.model import ChunkNote, Kind
from gazetteer.retrieval.passages import LONGEST, Passage, passages
from hypothesis import given
from hypothesis import strategies as st


def outline(*sizes: int) -> list[ChunkNote]:
    return [ChunkNote(Kind.FUNCTION, f"f{n}", (), (), n, n, size) for n, size in enumerate(sizes)]


def test_a_chunk_alone_is_a_passage_of_its_own() -> None:
    assert passages(outline(100, 100), {1: 2.0}, 1, 3) == (Passage(1, 1, 2.0),)


def test_room_that_is_left_shows_what_follows_and_nothing_before() -> None:
    assert passages(outline(100, 100, 1_500, 2_400, 10), {1: 2.0}, 1, 3) == (Passage(1, 3, 2.0),)


def test_no_passage_goes_on_into_the_next_one() -> None:
    both = passages(outline(2_500, 500, 3_000, 900), {0: 1.0, 2: 9.0}, 0, 3)
    assert both == (Passage(0, 1, 1.0), Passage(2, 3, 9.0))


def test_neighbours_that_were_found_are_joined_and_what_stands_between_them_too() -> None:
    assert passages(outline(500, 500, 500, 2_600), {0: 1.0, 2: 3.0}, 2, 3) == (Passage(0, 2, 4.0),)


def test_of_neighbours_that_do_not_all_fit_those_that_say_most_are_taken() -> None:
    found = {0: 1.0, 1: 5.0, 2: 3.0}
    assert passages(outline(2_000, 2_000, 2_000), found, 1, 1) == (Passage(1, 2, 8.0),)


def test_words_that_are_said_once_more_count_less_than_those_that_were_missing() -> None:
    found, held, tells = {0: 3.0, 1: 3.0, 2: 2.0}, {0: 0b01, 1: 0b01, 2: 0b10}, {0b01: 3.0, 0b10: 2.0, 0b11: 5.0}
    sizes = outline(2_000, 2_000, 2_000)
    assert passages(sizes, found, 1, 1, held, tells) == (Passage(1, 2, 5.0),)
    assert passages(sizes, found, 1, 1) == (Passage(0, 1, 6.0),)


def test_what_was_found_far_off_makes_a_passage_of_its_own_behind_the_first() -> None:
    far = passages(outline(1_000, *[3_100] * 3, 1_000), {0: 1.0, 4: 9.0}, 0, 3)
    assert far == (Passage(0, 0, 1.0), Passage(4, 4, 9.0))


def test_a_chunk_that_is_longer_than_a_passage_is_shown_whole() -> None:
    assert passages(outline(9_000, 10), {0: 1.0, 1: 1.0}, 0, 1) == (Passage(0, 0, 1.0),)


@given(st.data())
def test_passages_hold_what_was_found_once_and_stay_short(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 2_500), min_size=1, max_size=14))
    ordinals = data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
    found = {one: data.draw(st.floats(0.0, 9.0)) for one in sorted(ordinals)}
    anchor = data.draw(st.sampled_from(sorted(ordinals)))
    made = passages(outline(*sizes), found, anchor, 3)
    assert 1 <= len(made) <= 3
    assert made[0].first <= anchor <= made[0].last
    for one in made:
        assert one.first in ordinals
        assert sum(sizes[one.first : one.last + 1]) <= LONGEST or one.first == one.last
        inside = [value for at, value in found.items() if one.first <= at <= one.last]
        assert abs(one.score - sum(inside)) < 1e-6
        following = min((other.first for other in made if other.first > one.first), default=len(sizes))
        if one.last + 1 < following:
            assert sum(sizes[one.first : one.last + 2]) > LONGEST
    spans = sorted((one.first, one.last) for one in made)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert passages(outline(*sizes), dict(reversed(found.items())), anchor, 3) == made
