"""Several corpora, one answer: nobody drowned, nothing twice, and what happens to one happens to it alone."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest
from gazetteer.app import Session
from gazetteer.corpora.entry import Entry
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError, IncompleteError, InvalidArgumentError, NotFoundError, UnavailableError
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.engine import NOBODY, Caller, Retriever
from gazetteer.retrieval.federate import federate, resemble
from gazetteer.retrieval.inquiry import SEVERAL, Inquiry
from gazetteer.retrieval.query import Answer, Hit, Query, Standing
from gazetteer.settings import Settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..trees import write

T = TypeVar("T")


class Member:
    """A corpus with a real session; ``trouble`` is done before everything that is asked of it."""

    def __init__(self, name: str, session: Session, standing: Standing = "own") -> None:
        self.name = name
        self.standing: Standing = standing
        self.session = session
        self.trouble: Callable[[], None] = lambda: None

    def ask(self, act: Callable[[Retriever], T]) -> T:
        self.trouble()
        return self.session.ask(act)


class World:
    """Trees below one folder, opened when they are named first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()

    def tree(self, name: str, text: str, standing: Standing = "own", reuse_ms: int = 0) -> Member:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        write(folder, text)
        given = Settings(db_path=str(self.folder / "cache"), workers=1, sweep_reuse_ms=reuse_ms)
        session = Session(str(folder), given, entries=lambda: Entry(name=name), workspace=str(self.folder))
        self._stack.callback(session.close)
        session.sync()
        return Member(name, session, standing)

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


def ask(members: Sequence[Member], text: str, limit: int = 12, caller: Caller = NOBODY, **more: object) -> Answer:
    return federate(members, Query(text, limit=limit, **more), caller)[0]  # type: ignore[arg-type]


def places(answer: Answer) -> list[tuple[str, str]]:
    return [(hit.corpus, hit.relpath) for hit in answer.hits]


WHARF = "def wharf_of_the_vessel(a):\n    return a.wharf(1)\n"
BOAT = "-- moor.py --\ndef moor(vessel):\n    return vessel.rope\n-- sail.py --\ndef sail(vessel):\n    return vessel\n"
CRANE = "-- lift.py --\ndef lift(vessel):\n    return vessel.hook\n"
NOTES = "-- harbour.md --\n# Mooring at night\n\nTie the vessel to the third bollard before the tide turns.\n"


@pytest.fixture
def three(world: World) -> list[Member]:
    return [world.tree("boat", BOAT), world.tree("crane", CRANE, "shared"), world.tree("notes", NOTES, "attached")]


def test_one_corpus_is_asked_as_it_always_was(world: World) -> None:
    boat = world.tree("boat", BOAT)
    federated, alone = ask([boat], "moor vessel"), boat.session.retrieve(Query("moor vessel", limit=12))
    assert federated.hits == alone.hits
    assert federated.receipt.plan.routing == ()


def test_every_corpus_answers_in_one_ranking_with_paths_that_can_be_opened(three: list[Member], world: World) -> None:
    answer = ask(three, "vessel")
    assert {corpus for corpus, _ in places(answer)} == {"boat", "crane", "notes"}
    scores = [hit.score.value for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in answer.hits:
        text = (world.folder / hit.path).read_text()
        assert hit.path == f"{hit.corpus}/{hit.relpath}"
        assert hit.text in text
        assert "\n".join(text.split("\n")[hit.lines[0] - 1 : hit.lines[1]]).strip() == hit.text.strip()
        assert hit.freshness == "verified"


def test_the_receipt_has_a_row_a_corpus_and_the_plan_says_why_each_was_asked(three: list[Member]) -> None:
    answer = ask(three, "how is a vessel moored")
    receipt = answer.receipt
    assert [one.corpus for one in receipt.snapshot.corpora] == ["boat", "crane", "notes"]
    assert receipt.snapshot.id.count(SEVERAL) == 2
    routing = receipt.plan.routing
    assert [(one.corpus, one.standing, one.chosen) for one in routing] == [
        ("boat", "own", True),
        ("crane", "shared", True),
        ("notes", "attached", True),
    ]
    assert all(one.rule and one.reason for one in routing)
    assert sum(one.shown for one in routing) == len(answer.hits)


def test_the_page_of_a_few_notes_comes_through_among_large_corpora(world: World) -> None:
    """Every word of the question is common in the large corpus, none of whose files says most of it."""
    words = ["tie", "vessel", "bollard", "tide", "night"]
    files = [f"-- m{n}.py --\ndef {words[n % 5]}_{n}({words[(n + 1) % 5]}):\n    return {n}\n" for n in range(150)]
    large, small = world.tree("large", "".join(files)), world.tree("notes", NOTES)
    assert places(ask([large, small], "where do I tie the vessel when the tide turns at night", 6))[0] == (
        "notes",
        "harbour.md",
    )


def test_a_corpus_that_grows_by_unrelated_files_pushes_nobody_out(world: World, three: list[Member]) -> None:
    before = ask(three, "vessel rope hook bollard")
    write(world.folder / "crane", "".join(f"-- more/f{n}.py --\ndef other_{n}():\n    return {n}\n" for n in range(80)))
    three[1].session.sync()
    assert sorted(places(ask(three, "vessel rope hook bollard"))) == sorted(places(before))


def test_the_same_text_in_two_corpora_is_one_hit_that_names_the_other_place(world: World) -> None:
    members = [world.tree("boat", BOAT), world.tree("copy", BOAT)]
    answer = ask(members, "moor vessel rope")
    assert places(answer) == [("boat", "moor.py"), ("boat", "sail.py")]
    assert [(one.corpus, one.path, one.reason) for one in answer.hits[0].also] == [
        ("copy", "copy/moor.py", "same text")
    ]
    assert answer.receipt.suppressed["same text"] == 2


@pytest.mark.parametrize("several", [False, True])
def test_a_copy_that_is_one_no_more_is_not_listed_though_nobody_looked_at_its_tree(world: World, several: bool) -> None:
    """Every place that an answer shows is compared with its file; the look at a whole tree may be an old one."""
    own = world.tree("own", f"-- moor.py --\n{WHARF}-- other.py --\n{WHARF}-- third.py --\n{WHARF}", reuse_ms=10**9)
    members = [own, world.tree("copy", f"-- moor.py --\n{WHARF}", "shared", reuse_ms=10**9)][: 1 + several]

    def copies() -> list[str]:
        return [place.path for hit in ask(members, "wharf_of_the_vessel").hits for place in hit.also]

    elsewhere = ["copy/moor.py"] if several else []
    assert copies() == ["own/other.py", "own/third.py", *elsewhere]
    (world.folder / "own" / "other.py").write_text("def something():\n    return 1\n")
    assert copies() == ["own/third.py", *elsewhere]
    (world.folder / "copy" / "moor.py").unlink(missing_ok=True)
    (world.folder / "own" / "third.py").unlink()
    assert copies() == []


def test_of_copies_the_one_is_shown_that_is_best_known(world: World) -> None:
    own, other = world.tree("z-own", BOAT), world.tree("a-copy", BOAT, "shared")
    assert {corpus for corpus, _ in places(ask([own, other], "moor vessel rope"))} == {"z-own"}
    assert {corpus for corpus, _ in places(ask([other, own], "moor vessel rope"))} == {"a-copy"}


def test_many_that_say_as_much_do_not_take_all_places_from_one(world: World) -> None:
    crowd = "".join(f"-- f{n}.py --\ndef belay_{n}(vessel):\n    return vessel.cleat\n" for n in range(40))
    own = world.tree("own", "-- one.py --\ndef belay_all(vessel):\n    return vessel.cleat\n")
    assert "own" in {corpus for corpus, _ in places(ask([own, world.tree("crowd", crowd, "shared")], "belay cleat", 6))}


def test_a_passage_that_says_most_of_the_question_comes_before_one_that_says_a_word_of_it_often(world: World) -> None:
    often = "def cleat():\n" + "    cleat(cleat, cleat, cleat)\n" * 4
    most = "def f(a):\n    # the tide, the bollard, the anchor and the hawser, a rope\n" + "    deck(a)\n" * 90
    words = ("tide", "bollard", "anchor", "hawser", "rope")
    filler = "".join(f"-- g{n}.py --\ndef g{n}():\n    return {words[n % 5]}\n" for n in range(60))
    members = [world.tree("a", f"-- cleat.py --\n{often}\n{filler}"), world.tree("b", f"-- f.py --\n{most}")]
    answer = ask(members, "tide bollard anchor hawser rope cleat")
    assert places(answer)[0] == ("b", "f.py")


@pytest.mark.parametrize("limit", [-1, 0, 51, 10**12])
def test_a_limit_that_makes_no_sense_is_named_before_anything_is_asked(three: list[Member], limit: int) -> None:
    with pytest.raises(InvalidArgumentError, match="limit"):
        ask(three, "vessel", limit)


def test_the_same_question_has_the_same_answer_whatever_the_order_of_threads(three: list[Member]) -> None:
    first = ask(three, "vessel moor lift tide")
    for _ in range(5):
        again = ask(three, "vessel moor lift tide")
        assert [(hit.citation, hit.score) for hit in again.hits] == [(hit.citation, hit.score) for hit in first.hits]
    turned = ask(three[::-1], "vessel moor lift tide")
    assert places(turned) == places(first)


def test_a_corpus_that_fails_costs_its_own_hits_and_one_notice(three: list[Member]) -> None:
    everything = ask(three, "vessel")

    def fail() -> None:
        raise UnavailableError("The disk is gone; plug it in.")

    three[1].trouble = fail
    answer = ask(three, "vessel")
    assert sorted(places(answer)) == sorted(one for one in places(everything) if one[0] != "crane")
    assert [one for one in answer.receipt.notices if "crane" in one] == [
        "crane was not asked: The disk is gone; plug it in."
    ]
    assert any("crane" in one for one in answer.receipt.missing)
    step = answer.receipt.plan.routing[1]
    assert (step.chosen, step.rule, step.shown) == (False, "route.failed", 0)
    for member in three:
        member.trouble = fail
    with pytest.raises(UnavailableError, match="plug it in"):
        ask(three, "vessel")


@pytest.mark.parametrize("step", ["look", "find", "held", "verify", "show", "close"])
def test_a_corpus_that_fails_at_any_step_leaves_the_answer_of_the_others(
    three: list[Member], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    does = getattr(Inquiry, step)

    def fail(inquiry: Inquiry, *given: object) -> object:
        if inquiry.view.corpus == "boat":
            raise UnavailableError("The disk is gone; plug it in.")
        return does(inquiry, *given)

    monkeypatch.setattr(Inquiry, step, fail)
    answer = ask(three, "vessel")
    assert {corpus for corpus, _ in places(answer)} == {"crane", "notes"}
    assert "boat was not asked: The disk is gone; plug it in." in answer.receipt.notices


def test_an_index_that_is_opened_anew_between_two_steps_is_asked_again(
    three: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was closed under a question fails in it, and the question goes on with what is open now."""
    before = [(hit.corpus, hit.relpath, hit.lines) for hit in ask(three, "vessel").hits]
    does, left = Inquiry.find, [1]

    def close_first(inquiry: Inquiry, *given: object) -> object:
        if inquiry.view.corpus == "boat" and left[0]:
            left[0] -= 1
            three[0].session.parts.close()
        return does(inquiry, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Inquiry, "find", close_first)
    answer = ask(three, "vessel")
    assert [(hit.corpus, hit.relpath, hit.lines) for hit in answer.hits] == before
    assert left == [0]


def test_a_corpus_that_hangs_is_not_waited_for_longer_than_the_question_allows(three: list[Member]) -> None:
    over = threading.Event()

    def hang() -> None:
        over.wait(60)

    three[2].trouble = hang
    answer = ask(three, "vessel", budget_ms=3_000.0)
    over.set()
    assert {corpus for corpus, _ in places(answer)} == {"boat", "crane"}
    assert [one for one in answer.receipt.notices if one.startswith("notes was not asked: It did not answer in time")]


def test_a_caller_stops_all_corpora(three: list[Member]) -> None:
    stop = Cancel("Enough.")
    three[1].trouble = stop.set
    with pytest.raises(CancelledError):
        ask(three, "vessel", caller=Caller(cancel=stop))


def test_what_has_changed_under_the_answer_is_read_again_in_that_corpus_alone(three: list[Member]) -> None:
    session = three[1].session
    root = Path(session.root)
    ask(three, "vessel")
    generation = session.kb.store.head().generation
    (root / "lift.py").write_text("def lift(vessel):\n    return vessel.anchor\n")
    answer = ask(three, "vessel anchor")
    assert next(hit for hit in answer.hits if hit.corpus == "crane").text.endswith("vessel.anchor")
    assert session.kb.store.head().generation > generation
    assert three[0].session.kb.store.head().generation == 1


def test_an_unsaved_buffer_of_one_corpus_answers(three: list[Member]) -> None:
    three[0].session.kb.open_buffer(DocumentPath("moor.py"), "def belay(vessel):\n    return 1\n", 1)
    hit = ask(three, "belay vessel").hits[0]
    assert (hit.corpus, hit.relpath, hit.freshness) == ("boat", "moor.py", "overlay")


def test_a_snapshot_of_several_corpora_is_answered_from_again(three: list[Member]) -> None:
    first = ask(three, "vessel")
    (Path(three[0].session.root) / "moor.py").write_text("nothing = 1\n")
    again = ask(three, "vessel", snapshot=first.receipt.snapshot.id)
    assert [hit.text for hit in again.hits] == [hit.text for hit in first.hits]
    assert [hit.freshness for hit in again.hits if hit.relpath == "moor.py"] == ["stale"]


def test_complete_evidence_is_refused_where_one_corpus_is_missing(three: list[Member]) -> None:
    assert ask(three, "vessel", require="current-complete").receipt.missing == ()

    def fail() -> None:
        raise UnavailableError("The disk is gone; plug it in.")

    three[2].trouble = fail
    with pytest.raises(IncompleteError, match="notes was not asked"):
        ask(three, "vessel", require="current-complete")


def test_first_hits_come_before_the_trees_are_waited_for(three: list[Member]) -> None:
    told: list[tuple[Hit, ...]] = []
    answer = ask(three, "vessel", caller=Caller(first=told.append))
    assert told == [answer.hits]


def test_paths_are_spelled_from_where_the_caller_stands(three: list[Member], world: World) -> None:
    answer = ask(three, "vessel", caller=Caller(workspace=str(world.folder / "boat")))
    for hit in answer.hits:
        assert hit.path == (hit.relpath if hit.corpus == "boat" else str(world.folder / hit.corpus / hit.relpath))


def test_a_budget_of_characters_holds_over_all_corpora(three: list[Member]) -> None:
    whole = ask(three, "vessel")
    total = sum(len(hit.text) for hit in whole.hits)
    less = ask(three, "vessel", budget_characters=total - 1)
    assert sum(len(hit.text) for hit in less.hits) < total
    assert less.receipt.truncated
    assert less.receipt.suppressed["budget"] == len(whole.hits) - len(less.hits)


WORDS = st.sampled_from(
    ["vessel", "moor", "rope", "lift", "hook", "tide", "bollard", "nothing", "SO3", '"third bollard"']
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=5), limit=st.integers(1, 6))
def test_any_question_gives_at_most_what_was_asked_for_and_each_passage_once(
    three: list[Member], words: list[str], limit: int
) -> None:
    answer = ask(three, " ".join(words), limit)
    assert len(answer.hits) <= limit
    assert all(hit.via and hit.signals for hit in answer.hits)
    seen = [(hit.corpus, hit.relpath, line) for hit in answer.hits for line in range(hit.lines[0], hit.lines[1] + 1)]
    assert len(seen) == len(set(seen))
    assert len({hit.text for hit in answer.hits}) == len(answer.hits)
    assert sum(one.shown for one in answer.receipt.plan.routing) == len(answer.hits)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(["keel", "mast", "helm", "turn", "rudder", "step_3"]), min_size=1, max_size=4))
def test_the_lines_that_a_hit_names_are_those_it_shows_and_its_citation_is_one_of_them(
    fleet: list[Member], words: list[str]
) -> None:
    """R3, over passages of several chunks: held against the files themselves."""
    for hit in ask(fleet, " ".join(words)).hits:
        lines = (Path(hit.uri.removeprefix("file://")).read_text().split("\n"))[hit.lines[0] - 1 : hit.lines[1]]
        assert hit.text == "\n".join(lines)
        cited = int(hit.citation.removeprefix(f"{hit.label} (Line ").removesuffix(")"))
        assert hit.lines[0] <= cited <= hit.lines[1]
        assert not hit.heading or lines[cited - hit.lines[0]].startswith(f"def {hit.heading}(")
        assert hit.snippet in hit.text


@pytest.fixture
def fleet(world: World) -> list[Member]:
    """Two corpora of long files, in which every function says another part of a question."""
    parts = ("keel", "mast", "helm", "rudder", "deck")

    def text(shift: int) -> str:
        functions = (
            f"def step_{n}_{shift}(x):\n    # turn the {parts[(n * shift) % 5]}\n"
            + f"    x.at({n})\n" * (9 * (n % 4) + 3)
            for n in range(24)
        )
        return "\n\n".join(functions)

    return [world.tree(name, f"-- long.py --\n{text(at)}", "own") for at, name in enumerate(("boat", "crane"), 1)]


# -- what resembles a passage ----------------------------------------------------------------------------------------

WINCH = "def {name}(hawser):\n    drum = capstan(hawser)\n    return drum.pawl(hawser)\n"


@pytest.fixture
def winches(world: World) -> list[Member]:
    """Three corpora, two of which hoist alike; in each much else is done."""
    more = "".join(f"-- other{n}.py --\ndef other_{n}(x):\n    return x + {n}\n" for n in range(4))
    return [
        world.tree("boat", f"-- winch.py --\n{WINCH.format(name='hoist')}{more}"),
        world.tree("crane", f"-- lift.py --\n{WINCH.format(name='lift')}{more}", "shared"),
        world.tree("notes", NOTES, "attached"),
    ]


def alike(giver: Member, members: Sequence[Member], target: str = "winch.py:1", limit: int = 6) -> Answer:
    return resemble(giver, members, target, Query("", limit=limit), NOBODY)


def test_what_resembles_a_passage_is_found_in_every_corpus_and_the_passage_is_not(winches: list[Member]) -> None:
    """R11, C5."""
    answer = alike(winches[0], winches)
    assert places(answer)[0] == ("crane", "lift.py")
    assert answer.hits[0].path == "crane/lift.py"
    assert ("boat", "winch.py") not in places(answer)
    rows = {row.corpus: row for row in answer.receipt.plan.routing}
    assert list(rows) == ["boat", "crane", "notes"]
    assert (rows["crane"].found > 0, rows["crane"].shown) == (True, places(answer).count(("crane", "lift.py")))
    by_locator = alike(winches[0], winches, ask(winches[:1], "hoist").hits[0].locator)
    assert places(by_locator) == places(answer)


def test_a_corpus_that_only_gives_the_passage_shows_nothing(winches: list[Member]) -> None:
    assert {corpus for corpus, _ in places(alike(winches[0], winches[1:]))} == {"crane"}
    assert {corpus for corpus, _ in places(alike(winches[0], winches[1:2]))} == {"crane"}


def test_alone_a_corpus_says_what_resembles_as_it_always_did(winches: list[Member]) -> None:
    alone = winches[0].session.related("winch.py:1", 6)
    assert places(alike(winches[0], winches[:1])) == places(alone)


def test_a_copy_of_what_resembles_is_one_hit(world: World, winches: list[Member]) -> None:
    copy = world.tree("copy", f"-- lift.py --\n{WINCH.format(name='lift')}", "shared")
    answer = alike(winches[0], [*winches, copy])
    assert [hit.corpus for hit in answer.hits if "def lift" in hit.text] == ["crane"]
    assert [place.corpus for place in answer.hits[0].also] == ["copy"]


def test_a_corpus_that_cannot_be_asked_costs_its_own_hits_unless_it_gives_the_passage(winches: list[Member]) -> None:
    def fail() -> None:
        raise UnavailableError("The disk is gone; plug it in.")

    winches[2].trouble = fail
    answer = alike(winches[0], winches)
    assert ("crane", "lift.py") in places(answer)
    assert "notes was not asked: The disk is gone; plug it in." in answer.receipt.notices
    winches[0].trouble = fail
    with pytest.raises(UnavailableError, match="plug it in"):
        alike(winches[0], winches)


def test_what_is_no_place_or_no_limit_is_named(winches: list[Member]) -> None:
    with pytest.raises(InvalidArgumentError, match="PATH:LINE"):
        alike(winches[0], winches, "winch.py")
    with pytest.raises(InvalidArgumentError, match="another corpus"):
        alike(winches[1], winches, ask(winches[:1], "hoist").hits[0].locator)
    with pytest.raises(NotFoundError, match="no line 99"):
        alike(winches[0], winches, "winch.py:99")
    with pytest.raises(InvalidArgumentError, match="limit"):
        alike(winches[0], winches, limit=0)
