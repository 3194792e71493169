"""Kconfig: symbols end where a reader sees them end, whatever the indentation, and what sets one declares it."""

from functools import partial

import pytest
from gazetteer.kb import languages
from gazetteer.kb.extract import derive
from gazetteer.kb.model import Kind
from hypothesis import given, settings
from hypothesis import strategies as st

from .effort import grows_with_its_length


def defined(source: str) -> list[str]:
    return [f"{symbol.name} {symbol.first_line}-{symbol.last_line}" for symbol in derive(source, "kconfig").symbols]


def used(line: str) -> list[str]:
    return [use.name for use in derive(f"config A_B\n\t{line}\n", "kconfig").references]


def test_a_help_text_lasts_as_long_as_it_is_indented_like_its_first_line() -> None:
    source = "config A\n\thelp\n\t  config is a word here.\n\n\t  menu too\n\tdepends on B\nconfig C\n    bool\n"
    assert defined(source) == ["A 1-6", "C 7-8"]
    assert derive(source, "kconfig").symbols[0].doc == "config is a word here."


def test_tabs_count_as_eight_columns() -> None:
    source = "config A\n\thelp\n\t\tdeep\n                as deep\n\tbool\nconfig B\n\tbool\n"
    assert defined(source) == ["A 1-5", "B 6-7"]


def test_a_help_text_without_indentation_is_none() -> None:
    assert defined("config A\n\thelp\nconfig B\n\tbool\n") == ["A 1-2", "B 3-4"]


def test_prompt_and_help_document_a_symbol() -> None:
    (symbol,) = derive('config A\n\tbool "Say \\"A\\""\n\thelp\n\t  It helps. Much.\n', "kconfig").symbols
    assert symbol.doc == 'Say \\"A\\". It helps.'


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("depends on FOO && !(BAR || BAZ=y)", ["FOO", "BAR", "BAZ"]),
        ("select FOO if X86_64", ["FOO", "X86_64"]),
        ("imply 64BIT", ["64BIT"]),
        ('default "FOO" if BAR', ["BAR"]),
        ("default 0x10 if BAR", ["BAR"]),
        ("default y", []),
        ("range 1 NR_MAX", ["NR_MAX"]),
        ('bool "prompt FOO" if EXPERT', ["EXPERT"]),
        ("def_bool FOO # not BAR", ["FOO"]),
        ("default $(shell,FOO)", ["FOO"]),
        ("depends on FOO && \\\n\t\tBAR", ["FOO", "BAR"]),
    ],
)
def test_what_a_symbol_hangs_on(line: str, names: list[str]) -> None:
    assert used(line) == names


def test_menus_choices_and_conditions_nest_and_may_never_end() -> None:
    source = 'menu "M"\nchoice\n\tprompt "C"\nif X\nconfig A\n\tbool\nendif\nendchoice\nconfig B\n\tbool\n'
    derived = derive(source, "kconfig")
    assert [(symbol.name, symbol.kind, symbol.container) for symbol in derived.symbols] == [
        ("M", Kind.NAMESPACE, -1),
        ("C", Kind.NAMESPACE, 0),
        ("A", Kind.KEY, 1),
        ("B", Kind.KEY, 0),
    ]
    assert derived.symbols[0].last_line == 10


def test_an_end_without_a_beginning_ends_nothing() -> None:
    assert defined('menu "M"\nendif\nconfig A\n\tbool\nendmenu\n') == ["M 1-5", "A 3-4"]


def test_every_way_of_taking_a_file_in() -> None:
    source = 'source "a/Kconfig"\nrsource "b/Kconfig"\nosource c/Kconfig\norsource "$(D)/Kconfig"\n'
    imports = [taken.module for taken in derive(source, "kconfig").imports]
    assert imports == ["a/Kconfig", "b/Kconfig", "c/Kconfig", "$(D)/Kconfig"]


def test_a_symbol_is_a_chunk_and_one_in_a_menu_is_still_a_definition() -> None:
    text = "\thelp\n\t  " + "words " * 60 + "\n"
    source = f'menu "M"\n\nconfig A\n\tbool\n{text}\nconfig B\n\tbool\n{text}\nendmenu\n'
    chunks = derive(source, "kconfig").chunks
    assert [(chunk.name, chunk.trail, chunk.kind) for chunk in chunks] == [
        ("A", ("M", "A"), Kind.KEY),
        ("B", ("M", "B"), Kind.KEY),
    ]


def test_what_is_no_statement_is_a_problem() -> None:
    derived = derive("config A\n\tbool\n\tnonsense here\n", "kconfig")
    assert [(problem.code, problem.line) for problem in derived.problems] == [("syntax", 3)]


LINES = [
    *(
        "config A",
        "\tbool",
        '\tbool "x',
        "\thelp",
        "\t  text",
        "        text",
        "",
        "menu 'M'",
        'menu "',
        "endmenu",
        "choice",
    ),
    *(
        "endchoice",
        "if A",
        "endif",
        "source",
        'source "x"',
        "# c",
        "a := $(b",
        "\tdepends on A && \\",
        "config",
        "---help---",
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12)), max_size=20))
@pytest.mark.parametrize("language", ["kconfig", "defconfig"])
def test_every_character_is_in_exactly_one_chunk(language: str, lines: list[str]) -> None:
    """K18, invariant 6: any text at all."""
    text = "\n".join(lines).replace("\r", "")
    derived = derive(text, language)
    assert "".join(text[chunk.start : chunk.end] for chunk in derived.chunks) == text
    assert all(0 <= symbol.start <= symbol.name_start < symbol.end <= len(text) for symbol in derived.symbols)


PIECES = [
    *(
        "config A\n",
        "\thelp\n",
        " ",
        "\t",
        "menu 'a'\n",
        "if A\n",
        "endif\n",
        'bool "',
        "\\",
        "\\\n",
        "A",
        "A-",
        "(A|",
        "$(",
    ),
    *("CONFIG_", "CONFIG_A=\n", "# CONFIG_A", "#", "a = \n", "help\n a\n", "\thelp\n\n\n a\n"),
]
LEADS = [
    "",
    "config A\n\thelp\n\t",
    'config A\n\tbool "',
    "config A\n\tdepends on ",
    "menu 'a'\n",
    "endmenu\nif A\n",
    "CONFIG_A=",
]


@pytest.mark.parametrize("lead", LEADS)
def test_hostile_text_is_read_in_linear_time(lead: str) -> None:
    """SC06: twice the text is not four times the work, and none of it is lost."""
    for piece in PIECES:
        text = lead + piece * (2_000 // len(piece))
        for language in ("kconfig", "defconfig"):
            assert grows_with_its_length(partial(derive, language=language), lead, piece), (piece, language)
            assert sum(chunk.end - chunk.start for chunk in derive(text, language).chunks) == len(text)


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("Kconfig", "", "kconfig"),
        ("drivers/Kconfig.debug", "", "kconfig"),
        ("configs/virt64_defconfig", "", "defconfig"),
        ("defconfig", "", "defconfig"),
        (".config", "", "defconfig"),
        ("files/net.cfg", "# net\nCONFIG_NET=y\n\n# CONFIG_X is not set\n", "defconfig"),
        ("kernel/configs/tiny.config", "CONFIG_SLOB=y\n", "defconfig"),
        ("setup.cfg", "[metadata]\nname = x\n", "ini"),
        ("a.cfg", "CONFIG_A=y\nother line\n", "ini"),
        ("a.config", "<configuration/>\n", "text"),
    ],
)
def test_settings_are_known_by_their_name_or_by_holding_nothing_else(path: str, head: str, language: str) -> None:
    assert languages.detect(path, head).name == language
