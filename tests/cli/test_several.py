"""Several corpora through the real command: whom --with, --without and --all ask, and whose hit is whose."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, Shell
from .product import Product, done, grow, product, word

__all__ = ["product"]

COMMON = "def {name}():\n    '''Pick a berth.'''\n    return 1\n"


@pytest.fixture
def known(product: Product) -> Product:
    """Three trees that all say the same two words, two of them registered; one is stood in."""
    product.shell.write("app.py", COMMON.format(name="berth_of_the_product"))
    grow(product.kernel, berth=COMMON.format(name="berth_of_the_kernel"))
    grow(product.loader, berth=COMMON.format(name="berth_of_the_loader"))
    for name, tree in (("kernel", product.kernel), ("loader", product.loader)):
        done(product.shell("corpus", "add", name, str(tree)))
    return product


def asked(shell: Shell, *options: str, **more: Any) -> dict[str, str]:
    """The path of the best hit of each corpus."""
    hits = done(shell("ask", "pick a berth", "--json", *options, **more)).json()["hits"]
    return {hit["corpus"]: hit["path"] for hit in reversed(hits)}


def test_who_is_asked(known: Product, tmp_path: Path) -> None:
    """C5: the own with what lies below it; more, fewer, all; and another one instead."""
    shell, loader = known.shell, str(known.loader / "berth.py")
    assert asked(shell) == {"tree": "app.py", "kernel": "sources/kernel/berth.py"}  # the tree is an umbrella
    assert asked(shell, "--with", "loader", "--without", "kernel") == {"tree": "app.py", "loader": loader}
    assert asked(shell, "--all") == {"tree": "app.py", "kernel": "sources/kernel/berth.py", "loader": loader}
    assert asked(shell, "--corpus", "loader") == {"loader": loader}
    assert asked(shell, "--corpus", "kernel") == {"kernel": "sources/kernel/berth.py"}  # from where one is
    assert asked(shell, cwd=known.loader) == {"loader": "berth.py"}
    assert asked(shell, "--corpus", "loader", cwd=shell.home) == {"loader": "loader/berth.py"}  # in no tree


def test_a_path_may_be_absolute_whichever_corpus_it_leads_into(known: Product) -> None:
    """R8: as answers print it, a folder around several, or refused where it leads to nobody who is asked."""
    shell, loader, kernel = known.shell, str(known.loader), str(known.kernel)
    both = {"tree": "app.py", "kernel": "sources/kernel/berth.py"}
    assert asked(shell, "--path", f"{shell.tree}/app.py") == {"tree": "app.py"}
    assert asked(shell, "--path", f"{kernel}/*.py") == {"kernel": "sources/kernel/berth.py"}
    assert asked(shell, "--path", f"{shell.tree}/**/berth.py") == {"kernel": "sources/kernel/berth.py"}
    assert asked(shell, "--path", str(shell.tree.parent), "--with", "loader") == {
        **both,
        "loader": f"{loader}/berth.py",
    }
    assert asked(shell, "--all", "--path", f"{loader}/", "--path", "/app.py") == {
        "tree": "app.py",
        "loader": f"{loader}/berth.py",
    }
    for path, said in (
        (f"{loader}/*.py", "it is in loader, which is not asked"),
        (str(shell.home), "no corpus has it"),
    ):
        run = shell("ask", "pick a berth", "--path", "*.py", "--path", path)
        assert (run.status, run.out) == (2, "")
        assert said in run.err
    assert asked(shell, "--path", "/no-such-folder/*.py") == {}  # from the root of a tree


def test_what_is_left_out_may_be_an_absolute_path(known: Product) -> None:
    shell = known.shell
    done(shell("corpus", "add", "kernel", str(known.kernel), "--exclude", f"{known.kernel}/berth.py"))
    assert asked(shell)["kernel"] == "sources/kernel/sched.py"
    assert asked(shell, "--without", "kernel", "--exclude", f"{shell.tree}/app.py") == {}
    assert asked(shell, "--without", "kernel", "--exclude", str(shell.tree)) == {"tree": "app.py"}  # never all of it


def test_hits_name_their_corpus_only_where_several_answered(known: Product) -> None:
    run = done(known.shell("ask", "pick a berth"))
    heads = [line.split(": ")[0] for line in run.out.splitlines() if " § " in line]
    assert set(heads) == {"kernel", "tree"}
    assert "2 corpora, " in run.err
    run = done(known.shell("ask", "pick a berth", "--without", "kernel"))
    assert run.out.startswith("app.py § ")


def test_explain_says_of_every_corpus_why_it_was_asked(known: Product) -> None:
    """P2: a row each, with the rules that weighed it."""
    run = done(known.shell("explain", "pick a berth", "--all"))
    told = {line.split()[1]: line for line in run.out.splitlines() if line[:2] in ("+ ", "- ") and "(" in line}
    assert {"tree", "kernel", "loader"} <= told.keys()
    assert "(your own)" in told["tree"]
    assert "(registered)" in told["loader"]
    rows = done(known.shell("explain", "pick a berth", "--all", "--json")).json()["plan"]["routing"]
    assert {row["corpus"]: row["chosen"] for row in rows} == {"tree": True, "kernel": True, "loader": True}


def test_what_is_shared_comes_along_and_what_is_declared_too(known: Product) -> None:
    done(known.shell("corpus", "add", "loader", str(known.loader), "--shared"))
    assert set(asked(known.shell)) == {"tree", "kernel", "loader"}
    known.shell.write("knowledge.yaml", "corpora: [loader, gone]\n")
    run = done(known.shell("ask", "pick a berth"))
    assert len([line for line in run.err.splitlines() if "gone" in line]) == 1
    status = known.shell("ask", "pick a berth", "--require", "current-complete")
    assert (status.status, "gone" in status.err) == (3, True)
    run = done(known.shell("ask", "pick a berth", "--require", "current-complete", "--without", "gone"))
    assert "No corpus is called gone: it is not left out." in run.err, "nothing of the evidence is missing for that"


def test_the_same_text_in_two_corpora_is_one_hit(known: Product) -> None:
    """C5: it lists the others, and says whose they are."""
    for tree in (known.kernel, known.loader):
        grow(tree, same=word("copied_everywhere"))
    hits = done(known.shell("ask", "copied_everywhere", "--all", "--json")).json()["hits"]
    copies = [hit for hit in hits if "copied_everywhere" in hit["text"]]
    assert len(copies) == 1
    assert [place["reason"] for place in copies[0]["also"]] == ["same text"]
    assert {copies[0]["corpus"], copies[0]["also"][0]["corpus"]} == {"kernel", "loader"}
    assert "same text in " in done(known.shell("ask", "copied_everywhere", "--all")).out


def test_a_locator_leads_to_its_corpus_from_anywhere(known: Product) -> None:
    """R11: without a name, and without the registry once there is an index."""
    hit = done(known.shell("ask", "relocate_loader", "--all", "--json")).json()["hits"][0]
    assert hit["corpus"] == "loader"
    for command in ("expand", "related"):
        done(known.shell(command, hit["locator"]))
    assert "relocate_loader" in done(known.shell("expand", hit["locator"])).out
    assert "relocate_loader" in done(known.shell("expand", hit["locator"], env={"XDG_CONFIG_HOME": "/nowhere"})).out
    for command in ("expand", "related"):
        done(known.shell(command, hit["locator"], cwd=known.shell.home))


def test_what_resembles_a_place_is_looked_for_where_a_question_is(known: Product) -> None:
    """R11, C5: in the own corpora and those below, in all, or in those alone that are named."""
    shell, place = known.shell, f"{known.shell.tree}/app.py:1"

    def related(*options: str) -> set[str]:
        return {hit["corpus"] for hit in done(shell("related", *options, "--json")).json()["hits"]}

    assert related("app.py:1") == {"kernel"}
    assert related("app.py:1", "--all") == {"kernel", "loader"}
    assert related(place, "--corpus", "loader") == {"loader"}
    assert related(f"{known.loader}/berth.py:1", "--corpus", "kernel") == {"kernel"}
    assert related(f"{known.loader}/berth.py:1") == {"loader"}  # which no question would ask by itself
    inside = "sources/kernel/berth.py:1"  # as answers write it: a tree of its own below the one that is stood in
    assert related(inside) == related(f"{shell.tree}/{inside}") == {"kernel", "tree"}
    assert related(f"{shell.tree}/{inside}", "--corpus", "loader") == {"loader"}


def test_registered_trees_are_asked_from_where_nothing_may_be_indexed(known: Product) -> None:
    """In the home folder a question needs somebody to go to, and names it."""
    home = known.shell.home
    assert set(asked(known.shell, "--all", cwd=home)) == {"kernel", "loader"}
    assert set(asked(known.shell, "--with", "loader", cwd=home)) == {"loader"}
    run = known.shell("ask", "pick a berth", cwd=home)
    assert (run.status, "is not indexed unless it is named" in run.err) == (2, True)
    assert known.shell("ask", "pick a berth", "--all", "--root", "/nowhere").status == 2


LIBRARY = """
import sys
from gazetteer import Session
from gazetteer.retrieval.query import Query
with Session.open(sys.argv[1], db_path=sys.argv[2]) as session:
    hits = session.retrieve(Query("berth", limit=20)).hits
    status = session.status()
    print(session.name, status.state, status.generation, *sorted(hit.relpath for hit in hits))
"""


def test_the_library_opens_what_the_command_line_does(known: Product) -> None:
    """C1: one index, looked at by both in turn, holds the same files: a registered tree below is no part of it."""
    done(known.shell("corpus", "add", "product", str(known.shell.tree)))
    done(known.shell("sync"))
    before = done(known.shell("status", "--json")).json()["generation"]
    for _ in range(2):
        found = subprocess.run(
            [sys.executable, "-P", "-c", LIBRARY, str(known.shell.tree), str(known.shell.indexes)],
            env=known.shell.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout.split() == ["product", "ready", str(before), "app.py"]
        assert done(known.shell("sync", "--json")).json()["generation"] == before


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--with", "nobody"], 0, "nobody is not registered"),
        (["--without", "nobody"], 0, "No corpus is called nobody"),
        (["--corpus", "nobody"], 2, "nobody"),
        (["--without", "tree", "--without", "kernel"], 2, "No corpus is left"),
        (["--corpus", "kernel", "--root", "."], 2, "--root and --corpus"),
    ],
)
def test_a_name_that_leads_nowhere_is_one_sentence(known: Product, options: list[str], status: int, said: str) -> None:
    run: Run = known.shell("ask", "pick a berth", *options)
    assert run.status == status, run
    assert said in run.err
    assert bool(run.out) == (status == 0)
