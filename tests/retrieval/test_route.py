"""How corpora are weighed against each other: every rule by a case that it decides, size by none."""

import pytest
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.query import Standing
from gazetteer.retrieval.rank import USUAL
from gazetteer.retrieval.route import ALWAYS, UMBRELLA, narrowed, route
from gazetteer.retrieval.route_rules import NAMED_OTHERS, RULES, UNDEFINED, Candidate, named
from gazetteer.retrieval.worth import Counts
from hypothesis import given
from hypothesis import strategies as st


def corpus(
    name: str, holding: dict[str, int] | None = None, documents: int = 100, *, documentation: float = 0.0
) -> Candidate:
    return Candidate(name, "registered", Counts(documents, documents, holding or {}, {}, documentation))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("where does U-Boot read the image", ("u-boot",)),
        ("where does uboot read the image", ("u-boot",)),
        ("where does u_boot read the image", ("u-boot",)),
        ("so3 or bitbake?", ("so3", "bitbake")),
        ("the bitbakery", ()),
        ("open docs/so3/index.md", ()),
        ("so3.c has a bug", ()),
        ("my-so3", ()),
        ("", ()),
    ],
)
def test_a_corpus_is_named_by_whole_words(question: str, meant: tuple[str, ...]) -> None:
    assert named(analyse(question), [corpus("u-boot"), corpus("so3"), corpus("bitbake")]) == meant


def test_what_the_question_names_weighs_more_than_what_it_does_not() -> None:
    routes = route(analyse("how does so3 map a page"), [corpus("so3"), corpus("lvgl")])
    assert routes["so3"].treatment.weight == 1.0
    assert routes["lvgl"].treatment.weight == NAMED_OTHERS
    assert "route.named" in routes["lvgl"].rule
    assert "the question names: so3" in routes["lvgl"].reason


def test_who_defines_an_identifier_of_the_question_weighs_more_than_who_does_not() -> None:
    knows = Candidate("kernel", "own", Counts(1, 1, {}, {}), ("do_waitpid",))
    routes = route(analyse("who calls do_waitpid"), [knows, corpus("docs")])
    assert routes["kernel"].treatment.weight == 1.0
    assert routes["docs"].treatment.weight == UNDEFINED
    nobody = route(analyse("who calls do_waitpid"), [corpus("kernel"), corpus("docs")])
    assert {one.treatment.weight for one in nobody.values()} == {1.0}


def test_who_speaks_the_words_of_the_question_weighs_more_and_the_plan_says_which_word() -> None:
    routes = route(
        analyse("flash the bench"),
        [corpus("big", {"flash": 2_000}, 20_000), corpus("notes", {"flash": 2, "bench": 5}, 10)],
    )
    assert routes["notes"].treatment.weight == 1.0 > routes["big"].treatment.weight > 0.5
    assert "most of all bench" in routes["notes"].reason


def test_prose_is_not_held_back_where_everything_is_prose() -> None:
    routes = route(analyse("anything"), [corpus("manual", documentation=0.9), corpus("code", documentation=0.1)])
    assert "docs" in routes["manual"].treatment.eased
    assert routes["code"].treatment == USUAL
    assert routes["code"].rule == ALWAYS


def test_only_what_was_found_below_an_umbrella_is_narrowed_to_what_is_named() -> None:
    standings: tuple[Standing, ...] = ("own", "declared", "shared", "attached", "registered", "found")
    corpora = [Candidate(standing, standing) for standing in standings]
    assert narrowed(analyse("anything else"), corpora) == {}
    corpora.append(Candidate("lvgl", "found"))
    closed = narrowed(analyse("how does lvgl draw"), corpora)
    assert {name: one.rule for name, one in closed.items()} == {"found": UMBRELLA}
    assert not closed["found"].chosen


def test_every_rule_has_an_id_and_a_reason_of_its_own() -> None:
    assert len({rule.id for rule in RULES}) == len({rule.reason for rule in RULES}) == len(RULES)
    assert all(rule.id.startswith("route.") for rule in RULES)


@given(st.data())
def test_the_size_of_a_corpus_gives_it_no_weight(data: st.DataObject) -> None:
    """The same shares of ten times as many documents are weighed alike, for every corpus."""
    question = "alpha beta gamma"
    words = question.split()
    held = [{word: data.draw(st.integers(0, 50)) for word in words} for _ in range(3)]
    small = [corpus(f"c{n}", one, 50) for n, one in enumerate(held)]
    grown = [small[0], small[1], corpus("c2", {word: 10 * count for word, count in held[2].items()}, 500)]
    weights = [
        {name: one.treatment.weight for name, one in route(analyse(question), corpora).items()}
        for corpora in (small, grown)
    ]
    assert weights[0] == weights[1]
    assert max(weights[0].values()) == 1.0
    assert min(weights[0].values()) > 0.0
