"""A question that names another corpus is told so and answered where it was asked (row C6), by the real command."""

import re
import shlex
import shutil

import pytest

from .conftest import Shell
from .product import Product, done, grow, product, word

__all__ = ["product"]


@pytest.fixture
def known(product: Product) -> Product:
    """The product with both of its neighbours registered, and with corpora whose names say nothing."""
    shell = product.shell
    for name, folder in (("kernel", product.kernel), ("u-boot", product.loader)):
        done(shell("corpus", "add", name, str(folder)))
    for name in ("lib", "build", "gone"):
        grow(shell.home / name, x=word(name))
        done(shell("corpus", "add", name, str(shell.home / name)))
    shutil.rmtree(shell.home / "gone")
    return product


def notices(shell: Shell, *words: str) -> list[str]:
    """What is said of a question that is asked of a third tree."""
    found = done(shell("ask", *words, "--json", "--root", str(shell.home / "build"))).json()
    return [notice for notice in found["receipt"]["notices"] if "question names" in notice]


def test_the_notice_names_the_corpus_and_the_command_that_asks_it_and_nothing_moves(known: Product) -> None:
    """Issue 4, item 7."""
    shell = known.shell
    config = shell.home / "config" / "gazetteer" / "projects.json"
    before = config.read_bytes()
    answer = done(shell("ask", "--root", str(known.loader), "does kernel relocate_loader, kernel", "--json")).json()
    (notice,) = (notice for notice in answer["receipt"]["notices"] if "question names" in notice)
    assert "names kernel" in notice
    assert {hit["corpus"] for hit in answer["hits"]} == {"u-boot"}
    command = re.search(r"`gazetteer (ask [^`]+)`", notice)
    assert command is not None
    words = shlex.split(command[1].replace("QUESTION", "pick_next_task"))
    run = done(shell(*words, "--json"))
    assert {hit["corpus"] for hit in run.json()["hits"]} == {"kernel"}
    assert config.read_bytes() == before
    assert done(shell("status", "--json", cwd=known.loader)).json()["corpus"] == "u-boot"


def test_a_corpus_that_was_left_out_on_purpose_is_not_said(known: Product) -> None:
    assert notices(known.shell, "kernel pick_next_task", "--without", "kernel") == []


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("how does U-Boot relocate.", ["u-boot"]),
        ("u-boot-spl or kernels", []),
        ("what is in kernel/sched.py and drivers/u-boot", []),
        ("where does lib build", []),
        ("what of gone", []),
    ],
)
def test_only_whole_words_of_trees_that_are_there_count(known: Product, question: str, named: list[str]) -> None:
    said = notices(known.shell, question)
    assert [name for notice in said for name in re.findall(r"names (\S+),", notice)] == named


def test_a_corpus_that_is_asked_from_elsewhere_reads_there_and_acts_here(known: Product) -> None:
    run = done(known.shell("ask", "pick_next_task", "--corpus", "kernel"))
    assert f"This reads in kernel ({known.kernel}) and acts here" in run.err
    assert str(known.shell.tree) in run.err
    assert "question names" not in run.err
