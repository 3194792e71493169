"""A plan follows from the words alone, always the same, with a reason for all that runs and all that does not."""

import string

import pytest
from gazetteer.kb.model import Kind
from gazetteer.retrieval.analyze import AnalysedQuery, Term, analyse
from gazetteer.retrieval.planner import (
    KEYWORDS_AND_STRUCTURE,
    ORDER,
    Capabilities,
    Fired,
    Outcome,
    Plan,
    describe,
    plan,
)
from gazetteer.retrieval.query import Filters, Query
from gazetteer.retrieval.rules import RULES, Ask, Question, Rule, Sight
from gazetteer.retrieval.terms import terms
from hypothesis import given
from hypothesis import strategies as st

EVERYTHING = Capabilities()
NO_FILTERS = Filters()


def made(text: str, filters: Filters = NO_FILTERS, limit: int = 6, **more: object) -> Plan:
    return plan(analyse(text), KEYWORDS_AND_STRUCTURE, Query(text, limit, filters), **more)  # type: ignore[arg-type]


EXAMPLES: dict[str, list[str]] = {
    "path.sole": ["server/kb/text.py", "text.py", "kb/text.py:120", "./a/b.c"],
    "identifier.sole": ["getUserName", "parse_url", "std::vector", "os.path.join", "`HTTPServer`", "send_all()"],
    "word.sole": ["schedule", "Makefile", "данные"],
    "kind.named": ["struct redisObject", "class Client", "the function parse_url in tests", "enum color"],
    "definition.asked": [
        "where is schedule defined",
        "definition of the scheduler",
        "where is the variable TMPDIR set?",
    ],
    "identifier.called": ["what does flush() do when it is full", "why is `size` zero"],
    "identifier.named": ["how does EventLoop pick the next timer"],
    "path.named": ["what is in redis.conf about memory"],
    "alias.named": ["how does the build system work"],
    "filter.entity": ["anything"],
    "filter.kind": ["anything"],
    "relation.graph": ["who calls schedule", "callers of EventLoop.run in tests", "where is parse_url used"],
    "relation.member": ["methods of Client", "fields of the struct redisObject"],
    "relation.subtype": ["classes implementing Transport", "subclasses of BaseModel in the tests", "what extends Node"],
    "phrase.quoted": ['"connection reset by peer"'],
    "broad.overview": ["architecture overview", "how does this project work"],
    "concept.words": ["retry a request with exponential backoff after failures"],
    "broad.few_words": ["retry backoff"],
}
NOT: dict[str, list[str]] = {
    "path.sole": ["os.path.join", "schedule", "text.py and more"],
    "identifier.sole": ["text.py", "parse url"],
    "definition.asked": ["parse_url", "definition of the retry policy of clients", "where is it set"],
    "kind.named": ["type checker for generics in the old parser", "class of the people that are old and tired"],
    "relation.member": ["functions in python", "methods of the old school that we like to keep"],
    "relation.subtype": ["implementation of the retry logic in the client"],
    "relation.graph": ["what uses memory in the old parts of the cache"],
    "alias.named": ["how do builds of systems work"],
    "concept.words": ["retry backoff"],
}
FILTERS = {"filter.entity": Filters(entities=("Client",)), "filter.kind": Filters(kinds=("class",))}
ALIASES = (("tools/make", ("build system",)),)


def question(rule: str, text: str) -> Question:
    return Question(analyse(text), FILTERS.get(rule, Filters()), ALIASES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_sees_what_it_is_for_and_not_its_neighbours(rule: Rule) -> None:
    """P4: the table is walked; a new rule needs a row in EXAMPLES."""
    for text in EXAMPLES[rule.id]:
        sight = rule.look(question(rule.id, text))
        assert sight is not None, text
        assert sight.saw
    for text in NOT.get(rule.id, []):
        assert rule.look(question(rule.id, text)) is None, text
    if rule.id in FILTERS:
        assert rule.look(Question(analyse("anything"), Filters())) is None


def test_rules_are_data_that_can_be_told_apart() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES) == len(EXAMPLES)
    for rule in RULES:
        assert 0.0 < rule.confidence < 1.0
        assert set(rule.strategies) <= set(ORDER)
        assert rule.reason
        assert rule.looks_at


@pytest.mark.parametrize(
    ("text", "query_class", "chosen"),
    [
        ("getUserName", "identifier", ["exact", "lexical"]),
        ("kb/text.py", "path", ["exact", "lexical"]),
        ("context.json", "path", ["exact", "lexical"]),
        ("Context.JSON", "identifier", ["exact", "lexical"]),
        ('"connection reset"', "phrase", ["lexical"]),
        ("who calls schedule", "relationship", ["exact", "lexical", "graph"]),
        ("methods of Client", "relationship", ["structural", "lexical"]),
        ("retry a request with exponential backoff", "concept", ["lexical"]),
        ("architecture overview", "broad", ["lexical"]),
        ("retry backoff", "broad", ["lexical"]),
        ("how does EventLoop pick the next timer", "identifier", ["exact", "lexical"]),
    ],
)
def test_a_question_gets_its_class_and_strategies(text: str, query_class: str, chosen: list[str]) -> None:
    """P1, R1: cheap routes first, and keyword search in every plan."""
    one = made(text)
    assert one.query_class == query_class
    assert [step.strategy for step in one.steps if step.chosen] == chosen
    assert [step.strategy for step in one.steps] == list(ORDER)


@pytest.mark.parametrize("text", ["", "   ", "???", "::", "\x00", "🎉"])
def test_a_blank_question_runs_nothing(text: str) -> None:
    """R4: no hits and no error."""
    one = made(text)
    assert one.query_class == "blank"
    assert not any(step.chosen for step in one.steps)


def test_with_every_strategy_concepts_are_searched_by_meaning_and_relations_in_the_graph() -> None:
    concept = plan(analyse("retry with exponential backoff"), EVERYTHING, Query("x"))
    assert concept.chooses("semantic")
    assert plan(analyse("who calls schedule"), EVERYTHING, Query("x")).chooses("graph")


def test_a_missing_strategy_says_so() -> None:
    """P3: semantic search is a step with a reason, never a silent absence."""
    step = made("retry a request with exponential backoff").step("semantic")
    assert not step.chosen
    assert step.rule == "concept.words"
    assert step.reason.startswith("not available")


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("who calls schedule", "caller", "schedule"),
        ("call sites of schedule", "caller", "schedule"),
        ("where is parse_url called", "caller", "parse_url"),
        ("where is parse_url used", "user", "parse_url"),
        ("references to EventLoop", "user", "EventLoop"),
        ("what depends on EventLoop", "user", "EventLoop"),
        ("which modules import event_loop", "importer", "event_loop"),
        ("where is schedule used", "user", "schedule"),
        ("what does schedule call?", "callee", "schedule"),
        ("who imports lib/util.h", "importer", "lib/util.h"),
        ("who imports event_loop", "importer", "event_loop"),
        ("importees of event_loop", "importee", "event_loop"),
        ("callees of EventLoop.run", "callee", "EventLoop.run"),
        ("what does EventLoop.run call", "callee", "EventLoop.run"),
        ("what does event_loop import", "importee", "event_loop"),
    ],
)
def test_a_relationship_is_asked_for_by_its_name(text: str, relation: str, name: str) -> None:
    """R8: each word for a relation asks the graph for that one."""
    assert [(ask.relation, ask.name) for ask in made(text).asks if ask.relation != "kind"] == [(relation, name)]


def test_a_reason_says_what_was_seen() -> None:
    """P2: rule ids, and the words that each rule saw."""
    step = made("where is parse_url defined").step("exact")
    assert step.rule == "definition.asked, identifier.named"
    assert "parse_url" in step.reason


def test_the_words_of_a_query_are_never_read_as_a_format() -> None:
    """Invariant 10."""
    for text in ("{0.__class__}()", "%s_%d", "{names}_x", "$(x)_y"):
        for step in made(text).steps:
            assert step.reason


def test_via_restricts_to_what_was_asked_for() -> None:
    one = made("getUserName", Filters(via=("structural",)))
    assert [step.strategy for step in one.steps if step.chosen] == ["structural"]
    assert one.step("lexical").rule == "filter.via"
    assert not made("getUserName", Filters(via=("semantic",))).chooses("semantic")


def test_what_the_words_ask_for_is_preferred_and_what_filters_say_holds() -> None:
    filters = Filters(languages=("go",), paths=("src/**",))
    one = made("class in python that retries", filters)
    assert one.filters == filters
    assert one.analysed.languages == ("python",)
    assert Kind.CLASS in one.analysed.kinds


def test_keyword_search_runs_whatever_the_rules_say() -> None:
    """R1: it is the floor."""
    one = made("retry", rules=())
    assert (one.query_class, one.confidence) == ("broad", 0.0)
    assert [step.strategy for step in one.steps if step.chosen] == ["lexical"]


@pytest.mark.parametrize("limit", [1, 6, 20, 50])
def test_budgets_are_bounded_and_hold_what_is_asked_for(limit: int) -> None:
    for step in made("getUserName of Client", limit=limit).steps:
        assert step.budget == 0 or limit <= step.budget <= 1_000
        assert bool(step.budget) == step.chosen
    assert made("retry", limit=limit).step("lexical").budget == max(200, 10 * limit)


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("methods of Client", Ask("member", "Client", (Kind.METHOD, Kind.FUNCTION))),
        ("struct redisObject", Ask("kind", "redisObject", (Kind.STRUCT, Kind.CLASS))),
        ("what extends ns::Node", None),
    ],
)
def test_relations_name_their_object(text: str, ask: Ask | None) -> None:
    found = made(text).asks
    assert (
        found == (ask,) if ask is not None else [(one.relation, one.name) for one in found] == [("subtype", "ns::Node")]
    )


@given(st.text(alphabet=string.printable + "é😀\u202e\udcf5", max_size=60))
def test_any_text_has_a_plan_and_always_the_same(text: str) -> None:
    """QU03: no character is an operator of the planner."""
    one = made(text)
    assert one == made(text)
    assert 0.0 <= one.confidence <= 1.0
    assert all(step.reason for step in one.steps)
    assert one.chooses("lexical") == (one.query_class != "blank")


def test_a_policy_and_a_rule_of_ones_own_fit_in() -> None:
    """P4: rules are a table that is handed over, and what decides among them is a function."""

    def cautious(_question: Question, fired: tuple[Fired, ...]) -> tuple[str, float]:
        assert [one.rule.id for one in fired][-1] == "own"
        return "broad", 0.1

    own = Rule("own", "nothing", "concept", 0.9, ("structural",), "always", lambda _question: Sight("all"))
    one = made("getUserName", rules=(*RULES, own), policy=cautious)
    assert (one.query_class, one.confidence) == ("broad", 0.1)
    assert one.chooses("structural")
    assert made("getUserName", rules=(*RULES, own)).query_class == "identifier"


def test_concepts_widen_without_finding() -> None:
    """P4, R6: terms of a concept are apart from those that make a candidate."""

    def concepts(query: AnalysedQuery) -> tuple[Term, ...]:
        asked = set(terms("retry")) <= {term.text for term in query.all_terms}
        return tuple(Term(term, 0.25) for term in terms("backoff exponential delay")) if asked else ()

    one = made("retry the request", concepts=concepts)
    assert [term.text for term in one.expansion] == terms("backoff exponential delay")
    assert not {term.text for term in one.expansion} & {term.text for term in one.analysed.terms}
    assert made("log out of it", concepts=concepts).expansion == ()


def test_the_receipt_shows_the_plan_as_executed() -> None:
    """P2, P3: what every step gave and cost, and what is missing."""
    one = made("how does fooBar work")
    info = describe(one, {"exact": Outcome(3, 1.5)}, undefined=("fooBar",), unreachable=("The corpus x is damaged.",))
    steps = {step.strategy: step for step in info.steps}
    assert (steps["exact"].found, steps["exact"].cost_ms) == (3, 1.5)
    assert (steps["lexical"].found, steps["lexical"].chosen) == (0, True)
    assert "fooBar" in info.gaps[0]
    assert info.gaps[1] == "The corpus x is damaged."
    assert "foobar" in info.terms


def test_a_name_that_is_pages_long_is_cut_where_it_is_said() -> None:
    info = describe(made("x"), {}, undefined=("a_b" * 600,))
    assert info.gaps == (f"Nothing here defines {'a_b' * 33}a….",)
