"""Asking from the shell: index first, cited evidence, clean streams, JSON that says the same."""

import re
from pathlib import Path

from .conftest import Shell

PROJECT = Path(__file__).parents[2]


def test_a_tree_never_seen_before_is_indexed_and_answered(tree: Shell) -> None:
    run = tree("ask", "which", "vessel", "may", "moor", "here")
    assert run.status == 0, run
    first = run.out.splitlines()[0]
    assert first == "src/harbour.py § moor_vessel (Line 4)"
    assert "  4 │ def moor_vessel(vessel):" in run.out


def test_hits_go_to_standard_output_and_what_is_said_of_them_to_standard_error(harbour: Shell) -> None:
    run = harbour("ask", "unrelated")
    assert "src/other.py § unrelated (Line 1)" in run.out
    assert "generation 1" in run.err
    assert "ms" in run.err.splitlines()[-1]
    assert "generation" not in run.out


def test_why_a_hit_was_found_stands_below_its_citation(harbour: Shell) -> None:
    why = harbour("ask", "moor_vessel").out.splitlines()[1]
    assert "exact" in why


def test_no_colour_leaves_through_a_pipe_unless_it_is_asked_for(harbour: Shell) -> None:
    assert "\x1b" not in harbour("ask", "unrelated").out
    assert "\x1b[" in harbour("ask", "unrelated", "--color", "always").out
    assert "\x1b" not in harbour("ask", "unrelated", env={"NO_COLOR": "1"}).out


def test_json_is_the_answer_as_it_travels(harbour: Shell) -> None:
    run = harbour("ask", "--json", "moor_vessel")
    answer = run.json()
    assert set(answer) == {"hits", "receipt"}
    hit = answer["hits"][0]
    assert hit["relpath"] == "src/harbour.py"
    assert hit["freshness"] == "verified"
    assert hit["provenance"]["diskHash"]
    assert hit["range"]["start"]["line"] == hit["lines"][0] - 1
    assert answer["receipt"]["semantic"] is False
    assert answer["receipt"]["snapshot"]["corpora"][0]["documents"] == 3
    assert run.err == ""


def test_the_root_is_found_from_a_folder_inside(harbour: Shell) -> None:
    assert "src/other.py" in harbour("ask", "unrelated", cwd=harbour.tree / "docs").out


def test_options_before_and_after_the_command_are_the_same(harbour: Shell) -> None:
    after = harbour("ask", "unrelated", "--json", "--root", str(harbour.tree)).json()["hits"]
    before = harbour("--json", "--root", str(harbour.tree), "ask", "unrelated").json()["hits"]
    assert [hit["locator"] for hit in before] == [hit["locator"] for hit in after] != []


def test_globs_before_and_after_the_command_add_up(tree: Shell) -> None:
    run = tree("--exclude", "docs/", "sync", "--json", "--exclude", "other.py", env={"GAZETTEER_EXCLUDE": "*.none"})
    assert run.json()["documents"] == 1


def test_filters_narrow(harbour: Shell) -> None:
    def paths(*options: str) -> set[str]:
        return {hit["relpath"] for hit in harbour("ask", "vessel moor", "--json", *options).json()["hits"]}

    assert paths() == {"src/harbour.py", "docs/guide.md"}
    assert paths("--lang", "py") == {"src/harbour.py"}
    assert paths("--lang", "markdown") == {"docs/guide.md"}
    assert paths("--path", "docs/**") == {"docs/guide.md"}
    assert paths("--kind", "function") == {"src/harbour.py"}
    assert paths("--type", "docs") == {"docs/guide.md"}
    assert paths("--path", "nowhere/**") == set()


def test_nothing_found_is_an_answer_unless_failing_is_asked_for(harbour: Shell) -> None:
    run = harbour("ask", "qqqzzzxxx")
    assert (run.status, run.out) == (0, "")
    assert "0 hits" in run.err
    assert harbour("ask", "qqqzzzxxx", "--fail-empty").status == 1
    assert harbour("ask", "", "--json").json()["hits"] == []
    assert harbour("ask", "unrelated", "--fail-empty").status == 0


def test_a_query_may_be_anything(harbour: Shell) -> None:
    """QU02, QU03: operators and quotation marks are text."""
    for query in ('"may moor', "a::b body:foo NEAR(", "moor -", "\x1b[2J 🦊"):
        run = harbour("ask", "--", query)
        assert run.status == 0, run
        assert "\x1b" not in run.out + run.err


def test_an_edit_is_in_the_next_answer_and_a_deleted_file_is_not(tree: Shell) -> None:
    """ST02: what is asked is the tree as it is now."""
    assert "src/other.py" in tree("ask", "unrelated").out
    tree.write("src/new.py", "def brand_new_thing():\n    pass\n")
    (tree.tree / "src" / "other.py").unlink()
    assert "src/new.py § brand_new_thing (Line 1)" in tree("ask", "brand_new_thing").out
    assert "src/other.py" not in tree("ask", "unrelated").out


def test_required_completeness_is_refused_with_what_is_missing(tree: Shell) -> None:
    """K9: incomplete evidence is an error of its own when complete evidence was required."""
    for number in range(4):
        tree.write(f"many/{number}.py", f"x{number} = 1\n")
    run = tree("ask", "x", "--max-files", "3", "--allow-partial", "--require", "current-complete", "--json")
    assert run.status == 3, run
    assert run.json()["error"]["code"] == "incomplete"
    assert tree("ask", "x1", "--require", "current-complete", "--json").status == 0


def test_the_question_of_the_readme_gets_the_answer_of_the_readme(within: Shell) -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    question = re.search(r'gazetteer ask "(.*)"', readme)
    answer = re.search(r"```text\n(.*) § (\w+) \(Line", readme)
    assert question is not None
    assert answer is not None
    run = within("ask", question[1], "--root", str(PROJECT))
    assert run.status == 0, run
    assert run.out.startswith(f"{answer[1]} § {answer[2]} (Line ")
