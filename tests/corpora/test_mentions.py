"""Mentions: whole words, longest name first, once a session; never ordinary words, paths or vanished trees."""

import itertools
import shutil
from pathlib import Path

import pytest
from gazetteer.corpora.mentions import ORDINARY, Mentions, elsewhere, mentioned
from gazetteer.corpora.registry import Corpus, Registry
from hypothesis import given
from hypothesis import strategies as st


def registry(folder: Path, *names: str) -> Registry:
    folder.mkdir(exist_ok=True)
    return Registry("projects.json", {name: Corpus(name, str(folder), str(folder), str(folder)) for name in names})


def named(folder: Path, question: str, *names: str) -> list[str]:
    return [corpus.name for corpus in mentioned(question, registry(folder, *names))]


@pytest.mark.parametrize(
    "question",
    [
        "how does kernel free skbs",
        "kernel",
        "how does the kernel free skbs?",
        "in the kernel, who frees skbs",
        "who frees skbs in the kernel.",
        "who frees skbs: kernel: or not",
        "the KERNEL",
        "the (kernel) and 'kernel'",
        "kernel's skbs",
        "`kernel`",
    ],
)
def test_a_whole_word_is_a_mention(tmp_path: Path, question: str) -> None:
    assert named(tmp_path, question, "kernel", "u-boot") == ["kernel"]


def test_of_names_that_differ_by_case_alone_the_one_is_meant_that_is_spelled_so(tmp_path: Path) -> None:
    names = ("Kernel", "kernel")
    assert named(tmp_path, "how does the kernel free skbs", *names) == ["kernel"]
    assert named(tmp_path, "how does the Kernel free skbs", *names) == ["Kernel"]
    assert named(tmp_path, "the kernel and the Kernel", *names) == ["kernel", "Kernel"]
    assert named(tmp_path, "the KERNEL", *names) == ["Kernel"]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "kernels",
        "mykernel",
        "kernel_init",
        "kernel2",
        "kernel-doc",
        "pre-kernel",
        "where is kernel/sched/core.c",
        "drivers/kernel",
        "drivers/kernel/x.c",
        "\\kernel\\x",
        "./kernel",
        "kernel.c",
        "linux.kernel",
        "skbs -kernel",
        "kernel+rt",
    ],
)
def test_a_part_of_a_word_or_of_a_path_is_none(tmp_path: Path, question: str) -> None:
    assert named(tmp_path, question, "kernel") == []


@pytest.mark.parametrize("name", ["src", "lib", "build", "docs", "test", "tests", "Build", "include", "scripts"])
def test_ordinary_words_of_directories_are_none(tmp_path: Path, name: str) -> None:
    assert named(tmp_path, f"what does the {name} folder hold, and kernel", name, "kernel") == ["kernel"]
    assert name.casefold() in ORDINARY


def test_the_longest_name_counts(tmp_path: Path) -> None:
    names = ("linux", "linux-rt", "linux rt patches", "rt")
    for question, expected in {
        "linux-rt locks": ["linux-rt"],
        "linux locks": ["linux"],
        "linux  RT\npatches in linux": ["linux rt patches", "linux"],
        "rt linux": ["rt", "linux"],
    }.items():
        for order in itertools.permutations(names):
            assert named(tmp_path, question, *order) == expected


def test_a_tree_that_is_gone_is_none(tmp_path: Path) -> None:
    known = registry(tmp_path / "tree", "kernel")
    assert [corpus.name for corpus in mentioned("the kernel", known)] == ["kernel"]
    shutil.rmtree(tmp_path / "tree")
    assert list(mentioned("the kernel", known)) == []


def test_it_is_said_once_a_session_and_never_of_what_is_asked_anyway(tmp_path: Path) -> None:
    known = registry(tmp_path, "kernel", "u-boot", "a b")
    session = Mentions()
    assert session.notices("the kernel", known, {"kernel"}) == ()
    (notice,) = session.notices("does the kernel or the kernel", known, {"u-boot"})
    assert "names kernel" in notice
    assert "`gazetteer ask --corpus kernel QUESTION`" in notice
    (other,) = session.notices("kernel and u-boot", known, ())
    assert "u-boot" in other
    assert session.notices("kernel, u-boot", known, ()) == ()
    assert "--corpus 'a b' QUESTION" in session.notices("a b", known, ())[0]
    assert Mentions().notices("kernel", known, ()) == (notice,)
    assert (
        "`:Gazetteer corpus kernel` asks it" in Mentions(":Gazetteer corpus {}".format).notices("kernel", known, ())[0]
    )


def test_names_are_words_and_never_patterns(tmp_path: Path) -> None:
    assert named(tmp_path, "c++ and cxx", "c++", "c.x") == ["c++"]
    assert named(tmp_path, "meta-qt5 or meta-qt55", "meta-qt5") == ["meta-qt5"]


def test_reading_there_and_acting_here_is_said_with_both_places() -> None:
    said = elsewhere("kernel", "/src/linux", "/work/product")
    assert "kernel (/src/linux)" in said
    assert "/work/product" in said


WORD = st.text(alphabet="ab.-+_ /Kß", min_size=1, max_size=6)


@given(st.lists(WORD, max_size=4, unique=True), st.text(alphabet="ab.-+_ /Kß\\\n", max_size=30))
def test_no_question_raises_and_what_is_found_stands_in_it(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], question: str
) -> None:
    for name in named(tmp_path_factory.getbasetemp(), question, *names):
        assert " ".join(name.casefold().split()) in " ".join(question.casefold().split())
