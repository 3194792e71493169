"""Questions that made neighbours fail, fall silent or answer from less than they said, put to a whole session."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath

from .small import Small, ask, paths

SOURCES = {
    "net/join.py": '''\
import os.path


class PathJoiner:
    """Join with os.path.join, as of version 38.101."""

    def join_all(self, parts):
        return os.path.join(*parts)


def parseHTTPHeader2(raw_bytes):
    return raw_bytes.split(b":", 1)
''',
    "src/vec.cpp": """\
#include <vector>

namespace geo {
int sum_of_squares(const std::vector<int>& values) {
    int total = 0;
    for (int value : values) total += value * value;
    return total;
}
}
""",
    "web/app.ts": """\
export interface SessionStore { expiresAt: number }

export const makeSessionStore = (ttlSeconds: number): SessionStore => ({
    expiresAt: Date.now() + ttlSeconds * 1000,
});
""",
    "docs/flags.md": "# Flags\n\nUse `--dry-run` or `-x`; body:foo and f:x are plain words, so is NEAR.\n",
}
SPECIAL = "\"'`:*-+^~()[]{}\\/?!&|"
FILLERS = {f"fill/f{n}.py": f"filler{n} = lambda path, raw: path.parent / raw.join({n})\n" for n in range(30)}
"""With parts of the identifiers, so that ten hits are not all there is."""
IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    small = Small(tmp_path_factory.mktemp("questions"))
    for path, text in (SOURCES | FILLERS).items():
        small.write(path, text)
    with small.open(sweep_reuse_ms=60_000) as session:
        session.sync()
        yield session


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("std::vector", "src/vec.cpp"),
        ("geo::sum_of_squares", "src/vec.cpp"),
        ("body:foo", "docs/flags.md"),
        ("f:x", "docs/flags.md"),
        ("NEAR(plain words)", "docs/flags.md"),
        ("sum_of* OR nothing", "src/vec.cpp"),
    ],
)
def test_operators_of_other_engines_are_words(session: Session, query: str, path: str) -> None:
    """QU02: what looks like a column, a namespace or an operator is looked up as it stands."""
    assert ask(session, query).hits[0].relpath == path


@pytest.mark.parametrize("query", ['"--dry-run"', '"--dry-run', '--dry-run"', "-- --dry-run", "'--dry-run'", "`-x`"])
def test_half_quoted_flags_are_found(session: Session, query: str) -> None:
    """QU03: an odd quotation mark and leading dashes are text."""
    assert "docs/flags.md" in paths(ask(session, query))


def test_no_string_of_special_characters_is_an_error(session: Session) -> None:
    """QU03, QU02: alone, in pairs, and around a word; an answer is bounded and says how it was made."""
    for signs in [*SPECIAL, *map("".join, product(SPECIAL[:11], SPECIAL[8:]))]:
        for query in (signs, f"vector{signs}values"):
            answer = ask(session, query, 5)
            assert len(answer.hits) <= 5
            assert answer.receipt.plan.steps or not answer.hits
        assert "src/vec.cpp" in paths(answer), signs


@pytest.mark.parametrize("files", [{}, {"a.py": "", "b.md": "", "c.txt": "\n \n"}, {"only.bin": "\0\0"}])
def test_a_corpus_of_nothing_answers_nothing(tmp_path: Path, files: dict[str, str]) -> None:
    """QU04: no files, only empty files, and a question of nothing but stop words."""
    small = Small(tmp_path)
    for path, text in files.items():
        small.write(path, text)
    with small.open() as session:
        for query in ("anything", "the of and", "", '"quoted words"', "a.py:1"):
            answer = ask(session, query)
            assert {hit.text.strip() for hit in answer.hits} <= {""}
            assert answer.receipt.freshness.sweep_complete
        session.kb.open_buffer(DocumentPath("new.py"), "def quokka():\n    pass\n", 1)
        assert [hit.freshness for hit in ask(session, "quokka").hits] == ["overlay"]


def test_stop_words_alone_are_a_question(session: Session) -> None:
    """QU04: they rank when there is nothing else, and are never a division by zero."""
    assert ask(session, "the of and or is").receipt.plan.steps


def test_every_identifier_finds_its_file(session: Session) -> None:
    """QU07: as it is written, dots and all, among the first ten."""
    seen = set()
    for path, text in SOURCES.items():
        for name in sorted({word for word in IDENTIFIER.findall(text) if len(word) > 4}):
            seen.add(name)
            assert path in paths(ask(session, name, 10)), name
    assert {"os.path.join", "sum_of_squares", "parseHTTPHeader2", "makeSessionStore"} <= seen
    assert "net/join.py" in paths(ask(session, "38.101", 10))


def test_an_answer_names_what_found_it(session: Session) -> None:
    """QU08: no strategy takes another's place in silence; a hit names the steps that gave it, each with a score."""
    for query in ("sum_of_squares", "how are sessions stored", "net/join.py", '"odd ((', "SessionStore members"):
        answer = ask(session, query)
        steps = {step.strategy: step for step in answer.receipt.plan.steps}
        assert all(step.rule and step.reason for step in steps.values())
        chosen = {name for name, step in steps.items() if step.chosen}
        for hit in answer.hits:
            assert hit.via
            assert set(hit.via) <= chosen
            assert {signal.via for signal in hit.signals} == set(hit.via)
    only = ask(session, "sum_of_squares", via=("exact",))
    assert [hit.via for hit in only.hits] == [("exact",)]
    assert ask(session, "how are sessions stored", via=("exact",)).hits == (), "and nobody else steps in"


def test_a_passage_that_several_strategies_find_is_one_row(session: Session) -> None:
    """QU09, QU10: found by name and by words it stands once, above what words alone find."""
    answer = ask(session, "SessionStore")
    places = [(hit.relpath, hit.lines) for hit in answer.hits]
    assert len(set(places)) == len(places)
    assert {"exact", "lexical"} <= set(answer.hits[0].via)
    for hit in answer.hits:
        ranks = [(signal.via, signal.reason) for signal in hit.signals]
        assert len(set(ranks)) == len(ranks)
