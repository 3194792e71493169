"""Following evidence: expand, related, explain."""

import pytest

from .conftest import HARBOUR, Shell


def test_expand_follows_a_locator_and_says_whether_it_is_still_the_same(tree: Shell) -> None:
    locator = tree("ask", "--json", "moor_vessel").json()["hits"][0]["locator"]
    run = tree("expand", locator, "--before", "3")
    assert run.out.splitlines()[0].startswith("src/harbour.py § moor_vessel")
    assert '1 │ """The harbour."""' in run.out
    assert run.err.startswith("same")
    tree.write("src/harbour.py", "# moved down\n" + HARBOUR)
    moved = tree("expand", locator, "--json").json()
    assert (moved["state"], moved["lines"][0]) == ("moved", 5)
    (tree.tree / "src" / "harbour.py").unlink()
    gone = tree("expand", locator)
    assert (gone.status, gone.err.split(":")[0]) == (0, "gone")


@pytest.mark.parametrize("locator", ["", "gz1", "gz1:x:y:1-2:z", "../../etc/passwd", "gz1:\x1b:..:0-0:"])
def test_a_locator_that_is_none_is_refused(harbour: Shell, locator: str) -> None:
    """SE01: nothing but a locator that an answer gave is followed."""
    run = harbour("expand", "--", locator)
    assert run.status == 2, run
    assert run.out == ""


def test_related_takes_a_locator_or_a_line(tree: Shell) -> None:
    tree.write("src/copy.py", HARBOUR.replace("moor_vessel", "moor_another_vessel"))
    by_line = tree("related", "src/harbour.py:4", "--json").json()["hits"]
    assert "src/copy.py" in [hit["relpath"] for hit in by_line]
    locator = tree("ask", "--json", "moor_vessel").json()["hits"][0]["locator"]
    assert tree("related", locator, "--json").json()["hits"]
    for place in ("no/such/file.py:3", "../outside.py:1", "src/harbour.py:x"):
        assert tree("related", place).status == 2, place


def test_a_path_may_be_written_from_the_current_folder(tree: Shell) -> None:
    """As a shell completes it; a path from the root, as answers write it, wins."""
    tree.write("src/copy.py", HARBOUR.replace("moor_vessel", "moor_another_vessel"))
    tree.write("src/src/copy.py", "def unlike():\n    return 1\n")
    inside = tree.tree / "src"
    asked = tree("related", "src/copy.py:4", "--json").json()["hits"]
    assert asked
    for place in ("copy.py:4", "src/copy.py:4", "../src/copy.py:4", f"{inside}/copy.py:4"):
        assert tree("related", place, "--json", cwd=inside).json()["hits"] == asked, place


def test_explain_shows_the_plan_and_what_it_gave(harbour: Shell) -> None:
    run = harbour("explain", "moor_vessel")
    assert run.status == 0, run
    assert "exact" in run.out
    assert harbour("explain", "moor_vessel", "--json").json()
