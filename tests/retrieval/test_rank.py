"""Each feature and factor decides between two documents that differ in nothing else, and does not when it is off."""

from collections.abc import Iterable
from itertools import pairwise

import msgspec
import pytest
from gazetteer.kb.model import ChunkNote, DocumentPath, Kind
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.features import FACTORS, FEATURES, Candidate, always
from gazetteer.retrieval.fuse import ChunkKey
from gazetteer.retrieval.rank import PLACES, names_of, rank_documents
from hypothesis import given
from hypothesis import strategies as st

NOTE = ChunkNote(kind=Kind.BLOCK, name="", trail=(), defined=(), first_line=1, last_line=9, size=200)


def chunk(path: str, ordinal: int = 0, *, kind: Kind = Kind.BLOCK, **known: object) -> Candidate:
    """A candidate in a plain code file with middling scores, but for what is ``known``."""
    plain = Candidate(
        ChunkKey("corpus", DocumentPath(path), ordinal),
        msgspec.structs.replace(NOTE, kind=kind),
        "python",
        "code",
        4.0,
        4.0,
    )
    return msgspec.structs.replace(plain, **known)


def defining(path: str, name: str, kind: Kind) -> Candidate:
    """A candidate that defines ``name``."""
    note = msgspec.structs.replace(NOTE, kind=kind, name=name, defined=(name,))
    return msgspec.structs.replace(chunk(path), note=note, defines=True)


CASES: dict[str, tuple[str, list[Candidate], list[Candidate]]] = {
    "passage": ("retry policy", [chunk("b.py", passage=9.0)], [chunk("a.py", passage=5.0), chunk("a.py", 1)]),
    "about": ("retry policy", [chunk("b.py", about=9.0)], [chunk("a.py", about=5.0)]),
    "corroboration": ("retry policy", [chunk("b.py"), chunk("b.py", 1), chunk("b.py", 2)], [chunk("a.py")]),
    "name": ("how the scheduler wakes tasks", [chunk("z/task_scheduler.py")], [chunk("z/a.py")]),
    "whole name": ("auth tokens", [chunk("z/tokens.py")], [chunk("z/token_tokens.py")]),
    "folder": ("session cookies", [chunk("cookies/z.py")], [chunk("basics/a.py")]),
    "place": ("net: keep the port", [chunk("net/io/b.py")], [chunk("app/io/a.py")]),
    "definition": ("where is ErrorHandler", [defining("b.py", "ErrorHandler", Kind.CLASS)], [chunk("a.py")]),
    "sought": (
        "parse_url()",
        [msgspec.structs.replace(defining("b.py", "parse_url", Kind.FUNCTION), located=True, passage=1.0, about=1.0)],
        [chunk("a.py", passage=9.0, about=9.0)],
    ),
    "coined": ("the error handler", [defining("b.py", "error_handler", Kind.FUNCTION)], [chunk("a.py")]),
    "substance": ("retry policy", [chunk("b.py", siblings=30)], [chunk("a.py", siblings=2)]),
    "located": ("Session.send", [chunk("b.py", located=True)], [chunk("a.py")]),
    "named": ("what is in b.py", [chunk("b.py", passage=0.1, about=0.1, named=True)], [chunk("a.py")]),
    "kind": ("the class for retries", [chunk("b.py", kind=Kind.CLASS)], [chunk("a.py", kind=Kind.FUNCTION)]),
    "language": ("retries in rust", [chunk("b.rs", language="rust")], [chunk("a.py")]),
}
"""Feature: question, the document that it puts first, and the one that comes first by path without it."""

HELD_BACK = {
    "test": "src/tests/a.py",
    "fixture": "src/__snapshots__/a.py",
    "benchmark": "benchmarks/a.py",
    "example": "examples/a.py",
    "vendored": "third_party/a.py",
    "generated": "a.pb.go",
    "history": "CHANGELOG.py",
    "documentation": "docs/a.py",
    "declaration": "a.d.ts",
}
"""Factor: a path of its class and of no other, which sorts before the document that it is held against."""


def order(question: str, candidates: Iterable[Candidate], **tables: object) -> list[str]:
    return [one.key.path for one in rank_documents(analyse(question), candidates, **tables)]  # type: ignore[arg-type]


def test_every_feature_and_factor_has_a_case() -> None:
    assert [feature.name for feature in FEATURES] == list(CASES)
    assert {str(factor.name) for factor in FACTORS} == {*HELD_BACK, "docs", "config"}


@pytest.mark.parametrize("name", CASES)
def test_a_feature_decides_and_without_it_does_not(name: str) -> None:
    question, better, other = CASES[name]
    only = [feature for feature in FEATURES if feature.name == name]
    without = [feature for feature in FEATURES if feature.name != name]
    assert order(question, better + other)[0] == better[0].key.path
    assert order(question, better + other, features=only)[0] == better[0].key.path
    assert order(question, better + other, features=without)[0] == other[0].key.path


@pytest.mark.parametrize("name", HELD_BACK)
def test_a_factor_holds_its_class_back_and_without_it_does_not(name: str) -> None:
    path = HELD_BACK[name]
    without = [factor for factor in FACTORS if factor.name != name]
    pair = [chunk(path), chunk("zz/plain.py")]
    assert order("retry policy", pair) == ["zz/plain.py", path]
    assert order("retry policy", pair, factors=without) == [path, "zz/plain.py"]


@pytest.mark.parametrize("source_type", ["docs", "config"])
def test_a_source_type_is_held_back(source_type: str) -> None:
    pair = [chunk("a.txt", source_type=source_type), chunk("b.py")]
    without = [factor for factor in FACTORS if factor.name != source_type]
    assert order("retry policy", pair) == ["b.py", "a.txt"]
    assert order("retry policy", pair, factors=without) == ["a.txt", "b.py"]


@pytest.mark.parametrize(
    ("question", "path", "source_type"),
    [
        ("which tests cover the retry policy", "tests/a.py", "code"),
        ("example of a retry policy", "examples/a.py", "code"),
        ("documentation of the retry policy", "docs/a.md", "docs"),
        ("benchmark of the retry policy", "benchmarks/a.py", "code"),
    ],
)
def test_what_the_question_asks_for_is_hardly_held_back(question: str, path: str, source_type: str) -> None:
    """A class that loses to a plain document by far wins by a little when the question asks for it."""
    asked_for = chunk(path, source_type=source_type, passage=6.0, about=6.0)
    pair = [asked_for, chunk("zz/plain.py")]
    assert order(question, pair)[0] == path
    assert order("the policy for another attempt", pair)[0] == "zz/plain.py"


@pytest.mark.parametrize(("says", "first"), [(1.0, "docs/a.md"), (3.0, "docs/a.md"), (6.0, "b.py"), (9.0, "b.py")])
def test_prose_is_held_back_as_far_as_code_says_what_it_says(says: float, first: str) -> None:
    """What no code answers is answered by the page that does, however small the tree."""
    page = chunk("docs/a.md", source_type="docs", passage=9.0, about=9.0)
    assert order("refund of a damaged article", [page, chunk("b.py", passage=says, about=says)])[0] == first


def test_prose_among_prose_keeps_its_order() -> None:
    pages = [chunk(f"docs/{name}.md", source_type="docs", passage=says) for name, says in (("a", 2.0), ("b", 8.0))]
    assert order("refund of a damaged article", pages) == ["docs/b.md", "docs/a.md"]


def test_further_chunks_of_a_document_do_not_use_up_places() -> None:
    many = [chunk("a.py", at, passage=9.0 - at / 10) for at in range(8)]
    ranked = rank_documents(analyse("retry policy"), [*many, chunk("b.py", passage=5.0)])
    assert [one.key.path for one in ranked] == ["a.py", "b.py"]
    further = ranked[0].further()
    assert [one.key.ordinal for one in further] == [*range(1, 8)]  # as they say less and less
    assert all(one.score < ranked[1].score and "same document" in one.because for one in further)


def test_the_chunk_that_is_shown_defines_what_was_asked_for() -> None:
    """Of two chunks that say nearly as much, the one that defines the name stands for the document."""
    pair = [chunk("a.py", 0, passage=5.0), chunk("a.py", 1, passage=4.5, defines=True)]
    assert rank_documents(analyse("ErrorHandler"), pair)[0].key.ordinal == 1


def test_what_was_named_in_full_is_shown_however_little_it_says() -> None:
    pair = [chunk("a.rb", 0, passage=9.0), chunk("a.rb", 1, passage=3.0, located=True)]
    assert rank_documents(analyse("Rails::Engine"), pair)[0].key.ordinal == 1


def located(path: str, name: str, **known: object) -> Candidate:
    """A definition of ``name`` that says little else."""
    one = defining(path, name, Kind.FUNCTION)
    note = msgspec.structs.replace(one.note, declaration=bool(known.get("declaration")))
    return msgspec.structs.replace(one, located=True, passage=1.0, about=1.0, note=note)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("parse_url", "z.py"),
        ("where is parse_url defined?", "z.py"),
        ("where does `parse_url` get set", "z.py"),
        ("definition of parse_url", "z.py"),
        ("parse", "a.py"),
        ("Parse_URL", "a.py"),
        ("where is the parse_url of users broken", "a.py"),
        ("how does parse_url fail", "a.py"),
    ],
)
def test_a_definition_that_is_asked_for_comes_before_all_that_use_it(question: str, first: str) -> None:
    """R7: only where nothing else is asked, and only for the name as it is written."""
    assert order(question, [located("z.py", "parse_url"), chunk("a.py", passage=9.0, about=9.0)])[0] == first


def test_of_what_is_asked_for_declarations_come_behind_definitions_and_before_uses() -> None:
    given = [located("a.h", "parse_url", declaration=True), located("z.c", "parse_url")]
    assert order("parse_url", [*given, chunk("b.c", passage=6.0, about=6.0)]) == ["z.c", "a.h", "b.c"]


def test_a_definition_in_tests_is_held_back_unless_there_is_no_other() -> None:
    """R7: copies stand behind what they copy; what is defined in a test alone is defined there."""
    uses = chunk("a.py", passage=9.0, about=9.0)
    assert order("parse_url", [located("tests/z.py", "parse_url"), uses])[0] == "tests/z.py"
    both = [located("tests/b.py", "parse_url"), located("z.py", "parse_url"), uses]
    assert order("parse_url", both) == ["z.py", "a.py", "tests/b.py"]


def test_a_name_that_is_defined_all_over_the_place_singles_nothing_out() -> None:
    many = [located(f"z{at}.py", "parse_url") for at in range(PLACES + 1)]
    uses = chunk("a.py", passage=9.0, about=9.0)
    assert order("parse_url", [*many, uses])[0] == "a.py"
    assert order("parse_url", [*many[1:], uses])[-1] == "a.py"


def test_a_type_is_shown_before_its_constructor() -> None:
    """Both bear the name, and the constructor says more."""
    made = defining("a.cs", "JsonSerializer", Kind.CLASS), defining("a.cs", "JsonSerializer", Kind.METHOD)
    pair = [msgspec.structs.replace(one, located=True) for one in made]
    pair[1] = msgspec.structs.replace(pair[1], key=pair[1].key._replace(ordinal=1), passage=7.0)
    assert rank_documents(analyse("class JsonSerializer"), pair)[0].key.ordinal == 0


def test_a_type_is_what_people_mean_by_a_name() -> None:
    pair = [defining("b.py", "Session", Kind.CLASS), defining("a.py", "session", Kind.VARIABLE)]
    assert order("Session", pair)[0] == "b.py"


def test_a_short_chunk_is_not_more_to_the_point() -> None:
    """Keyword search gives ten lines a higher score than forty that say the same; most of that is taken back."""
    long = msgspec.structs.replace(chunk("b.py", passage=4.4), note=msgspec.structs.replace(NOTE, size=1_600))
    short = msgspec.structs.replace(chunk("a.py", passage=5.0), note=msgspec.structs.replace(NOTE, size=250))
    assert order("retry policy", [short, long])[0] == "b.py"


def test_what_made_a_score_adds_up() -> None:
    """P2: features add, factors multiply, and nothing else happens to a score."""
    best = rank_documents(analyse("retry policy"), [chunk("tests/retry_policy.py"), chunk("b.py")])
    names = {feature.name for feature in FEATURES}
    for one in best:
        added = sum(value for name, value in one.because.items() if name in names)
        for name, value in one.because.items():
            added *= 1.0 if name in names else value
        assert one.score == pytest.approx(added)


@pytest.mark.parametrize(
    ("question", "given_names", "coined"),
    [
        ("how is the error handler chosen", (), ("errorhandler", "handlerchosen")),
        ("where is `HandlerStack` used", ("handlerstack",), ()),
        ("load_defaults", ("loaddefaults",), ()),
        ("Timeout", ("timeout",), ()),
        ("a state of the art", (), ()),
        ("", (), ()),
    ],
)
def test_names_that_a_question_may_mean(question: str, given_names: tuple[str, ...], coined: tuple[str, ...]) -> None:
    assert names_of(analyse(question)) == (given_names, coined)


@given(
    st.text(max_size=40),
    st.lists(
        st.tuples(st.sampled_from(["a.py", "b/a.py", "tests/a.py", "é.md"]), st.integers(0, 3), st.floats(0, 20)),
        unique_by=lambda one: one[:2],
        max_size=8,
    ),
)
def test_any_question_ranks_everything_once_and_alike(question: str, found: list[tuple[str, int, float]]) -> None:
    candidates = [chunk(path, at, passage=score) for path, at, score in found]
    ranked = rank_documents(analyse(question), candidates)
    chunks = [key for one in ranked for key in (one.key, *(chunk.key for chunk in one.further()))]
    assert sorted(chunks) == sorted(one.key for one in candidates)
    assert ranked == rank_documents(analyse(question), reversed(candidates))
    assert all(first.score >= second.score for first, second in pairwise(ranked))


@given(st.text(max_size=60), st.lists(st.sampled_from(["a/list.c", "a/b/area.py", "docs/x.md", "t.rs"]), unique=True))
def test_features_that_a_question_has_no_use_for_add_nothing(text: str, paths: list[str]) -> None:
    """Oracle: every feature measured on every document, whatever the question says."""
    query = analyse(text)
    found = [chunk(path) for path in paths]
    asking = [msgspec.structs.replace(one, when=always) for one in FEATURES]
    assert rank_documents(query, found, features=asking) == rank_documents(query, found)
