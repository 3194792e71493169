"""Makefiles: every assignment and every rule is found, however its name is made; a recipe belongs to its rule."""

from functools import partial

import pytest
from gazetteer.kb.extract import derive
from hypothesis import given, settings
from hypothesis import strategies as st

from .effort import grows_with_its_length


def defined(source: str) -> list[str]:
    return [
        f"{symbol.kind} {symbol.name} {symbol.first_line}-{symbol.last_line}"
        for symbol in derive(source, "make").symbols
    ]


def used(source: str) -> list[str]:
    return [use.name for use in derive(source, "make").references]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("A = b", "A"),
        ("A:=b", "A"),
        ("A ::= b", "A"),
        ("A?=b", "A"),
        ("A += b:c", "A"),
        ("A != ls", "A"),
        ("export A := b", "A"),
        ("override A = b", "A"),
        ("obj-$(CONFIG_A) += a.o", "obj-$(CONFIG_A)"),
        ("obj-$(CONFIG_$(P)A) += a.o", "obj-$(CONFIG_$(P)A)"),
        ("$(if $(A:b=c),d)-y = e", "$(if $(A:b=c),d)-y"),
        ("CFLAGS_a.o = -g", "CFLAGS_a.o"),
        ("a b: C := d", "C"),
        ("include = x", "include"),
        ("\tA = b", "A"),
    ],
)
def test_an_assignment_is_cut_at_the_first_sign_outside_of_brackets(line: str, name: str) -> None:
    assert defined(line + "\n") == [f"variable {name} 1-1"]


@pytest.mark.parametrize(
    ("line", "names", "needs"),
    [
        ("a: b c", ["a"], ["b", "c"]),
        ("a b:: c", ["a", "b"], ["c"]),
        ("%.o: %.c | out", ["%.o"], ["%.c", "out"]),
        ("a: b ; touch c", ["a"], ["b"]),
        ("a: %.o: %.c", ["a"], ["%.o", "%.c"]),
        (".PHONY: a", [], ["a"]),
        ("a: $(B) # c", ["a"], ["B"]),
        ("include/a.h: b", ["include/a.h"], ["b"]),
        ("$(addprefix a, $(B)): c", [], ["B", "c"]),
    ],
)
def test_a_rule_defines_its_targets_and_needs_the_rest(line: str, names: list[str], needs: list[str]) -> None:
    assert defined(line + "\n") == [f"target {name} 1-1" for name in names]
    assert sorted(used(line + "\n")) == sorted(needs)


def test_a_recipe_belongs_to_its_rule_through_comments_blank_lines_and_conditions() -> None:
    source = "a:\n\tone\n# c\n\nifdef X\n\ttwo = three: four\nelse\n\tfive\nendif\n\tsix\nB = c\n\td = e\n"
    assert defined(source) == ["target a 1-10", "variable B 11-11", "variable d 12-12"]


def test_a_canned_recipe_ends_at_its_own_end_and_one_without_an_end_hides_nothing() -> None:
    assert defined("define a\ndefine b\nx = y\nendef\nendef\nC = d\n") == ["macro a 1-5", "variable C 6-6"]
    assert defined("define a\nx = y\n") == ["macro a 1-1", "variable x 2-2"]


def test_files_and_folders_that_are_taken_in() -> None:
    source = "include a.mk $(B)/c.mk # d\n-include e.mk\nobj-y += f/ g.o \\\n\t$(h)/ i.o\nA = j/\n"
    assert [taken.module for taken in derive(source, "make").imports] == ["a.mk", "$(B)/c.mk", "e.mk", "f/"]
    assert used(source) == ["B", "g.o", "h", "i.o"]


def test_options_of_a_configuration_are_used_wherever_they_are_named() -> None:
    source = "ifdef CONFIG_A\nobj-$(CONFIG_B) += b.o\nifeq ($(CONFIG_C),y)\nendif\nendif\nX-$(CONFIG_$(P_)D) = 1\n"
    assert used(source) == ["CONFIG_A", "CONFIG_B", "b.o", "CONFIG_C", "D"]


LINES = [
    *(
        "A = b",
        "A := \\",
        "a: b",
        "\trecipe $(X)",
        "define x",
        "endef",
        "ifeq (a,b)",
        "else",
        "endif",
        "include x",
        "# c \\",
    ),
    *("", "$(", ")", "a: A = $(call f,x)", "export", "$$(a): b", "obj-y += a/ b.o", "\t", ": x", "= x", "}"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12)), max_size=20))
def test_every_character_is_in_exactly_one_chunk(lines: list[str]) -> None:
    """K18, invariant 6: any text at all."""
    text = "\n".join(lines).replace("\r", "")
    derived = derive(text, "make")
    assert "".join(text[chunk.start : chunk.end] for chunk in derived.chunks) == text
    assert all(0 <= symbol.start <= symbol.name_start < symbol.end <= len(text) for symbol in derived.symbols)


PIECES = [
    *(
        "define a\n",
        "a:\n",
        "a ",
        "$(",
        "${a ",
        ")",
        "\\\n",
        "A=\n",
        "\t\n",
        "export ",
        "a-",
        "$(call ",
        "CONFIG_",
        "#",
        "$",
        "a:",
    ),
    *("override ", " ", "\t", "endef\n", "obj-", "a/ "),
]
LEADS = ["", "a: ", "obj-y = ", "define a\n", "export ", "a:\n\t", "include ", "\t"]


@pytest.mark.parametrize("lead", LEADS)
def test_hostile_text_is_read_in_linear_time(lead: str) -> None:
    """SC06: twice the text is not four times the work, and none of it is lost."""
    for piece in PIECES:
        assert grows_with_its_length(partial(derive, language="make"), lead, piece), piece
        text = lead + piece * (2_000 // len(piece))
        assert sum(chunk.end - chunk.start for chunk in derive(text, "make").chunks) == len(text)
