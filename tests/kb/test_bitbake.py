"""BitBake metadata: what BitBake would see is found, half-written text hides nothing, every character is covered."""

import pytest
from gazetteer.kb import languages
from gazetteer.kb.extract import derive
from gazetteer.kb.model import Derived, Kind
from hypothesis import given, settings
from hypothesis import strategies as st

from .effort import grows_with_its_length


def read(source: str) -> Derived:
    return derive(source, "bitbake")


def defined(source: str) -> list[str]:
    return [f"{symbol.name} {symbol.first_line}-{symbol.last_line}" for symbol in read(source).symbols]


def imports(source: str) -> list[str]:
    return [taken.module for taken in read(source).imports]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('FOO = "x"', "FOO"),
        ("FOO = 'x'", "FOO"),
        ('FOO="x"', "FOO"),
        ('FOO ?= "x"', "FOO"),
        ('FOO ??= "x"', "FOO"),
        ('FOO := "x"', "FOO"),
        ('FOO+="x"', "FOO"),
        ('FOO =+ "x"', "FOO"),
        ('FOO.="x"', "FOO"),
        ('FOO =. "x"', "FOO"),
        ('FOO:append = "x"', "FOO"),
        ('FOO:append:class-native:qemuall = "x"', "FOO"),
        ('FOO:${PN}-dev += "x"', "FOO"),
        ('FOO_append_arm = "x"', "FOO"),
        ('FOO_remove = "x"', "FOO"),
        ('FOO_${PN} = "x"', "FOO"),
        ('export FOO = "x"', "FOO"),
        ('FOO_appended = "x"', "FOO_appended"),
        ('PREFERRED_VERSION_linux-yocto = "6%"', "PREFERRED_VERSION_linux-yocto"),
        ('PREFERRED_PROVIDER_virtual/kernel = "x"', "PREFERRED_PROVIDER_virtual/kernel"),
        ('${FOO} = "x"', "${FOO}"),
    ],
)
def test_a_variable_is_named_without_overrides_and_operators(line: str, name: str) -> None:
    derived = read(line + "\n")
    assert [(symbol.name, symbol.kind, symbol.signature) for symbol in derived.symbols] == [(name, Kind.VARIABLE, line)]
    assert derived.problems == ()


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("do_install() {", "do_install"),
        ("do_install () {", "do_install"),
        ("do_install:append:class-native() {", "do_install"),
        ("do_install_append() {", "do_install"),
        ("fakeroot do_install() {", "do_install"),
        ("python do_check() {", "do_check"),
        ("fakeroot python do_check:prepend () {", "do_check"),
        ("pkg_postinst:${PN}-x() {", "pkg_postinst"),
        ("python () {", "python ()"),
        ("python __anonymous() {", "__anonymous"),
    ],
)
def test_a_task_is_named_without_overrides(head: str, name: str) -> None:
    assert defined(f"{head}\n    :\n}}\n") == [f"{name} 1-3"]


def test_a_body_ends_at_a_brace_in_the_first_column_alone() -> None:
    body = 'do_a() {\n    f() {\n        :\n    }\n    cat <<EOF\nFOO = "x"\nEOF\n}\n'
    assert defined(body + 'BAR = "x"\n') == ["do_a 1-8", "BAR 9-9"]


def test_a_def_ends_where_its_indentation_does_and_a_comment_below_belongs_to_what_follows() -> None:
    source = 'def f(a,\n      b):\n    """Docs. More."""\n\n    return a\n\n# About it.\nFOO = "x"\n'
    derived = read(source)
    assert defined(source) == ["f 1-5", "FOO 8-8"]
    assert [symbol.doc for symbol in derived.symbols] == ["Docs.", "About it."]


def test_a_body_that_never_ends_hides_nothing_behind_it() -> None:
    """A task that is being typed costs itself."""
    open_task = 'do_a() {\n    make\n\nFOO = "x"\ninherit base\n\ndo_b() {\n    :\n}\n'
    assert defined(open_task) == ["do_a 1-2", "FOO 4-4", "do_b 7-9"]
    assert [(problem.code, problem.line) for problem in read(open_task).problems] == [("syntax", 1)]
    assert defined('do_a() {\n    make\n\nFOO = "x"\n') == ["do_a 1-2", "FOO 4-4"]
    assert defined("do_a() {\n    make") == ["do_a 1-2"]


def test_lines_that_are_continued_are_one_statement() -> None:
    assert defined('FOO = "a \\\n  b \\\n"\nBAR = "x"\n') == ["FOO 1-3", "BAR 4-4"]
    assert imports("inherit a \\\n    b\n") == ["a", "b"]


def test_what_is_inherited_and_required() -> None:
    assert imports("inherit a b-c ${@'d' if x else 'e'} f${X} ${Y}g h\n") == ["a", "b-c", "h"]
    assert imports("inherit_defer ${TOOL_CLASS}\n") == []
    assert imports("require a/b.inc ${PN}.inc\n") == ["a/b.inc", "${PN}.inc"]
    assert imports("include ${@oe.contains('X', 'y', 'z/y.inc', '', d)}\n") == ["z/y.inc"]
    assert imports('USER_CLASSES ?= "a b"\nUSER_CLASSES[doc] = "What users inherit."\nUSERS ?= "c"\n') == ["a", "b"]


def test_a_flag_is_said_of_a_name_and_defines_nothing() -> None:
    derived = read('do_a[depends] = "x:do_b"\nFOO[doc] = "What it is. More."\n')
    assert [(symbol.name, symbol.declaration, symbol.doc) for symbol in derived.symbols] == [
        ("FOO", True, "What it is.")
    ]
    assert [use.name for use in derived.references] == ["do_a", "do_b"]


def test_values_make_one_chunk_and_a_task_one() -> None:
    values = "".join(f'FOO_{number} = "a \\\n b \\\n c"\n' for number in range(8))
    chunks = read(f"{values}\ndo_a() {{\n    :\n}}\n\n{values}").chunks
    assert [(chunk.name, chunk.first_line) for chunk in chunks] == [("", 1), ("do_a", 26), ("", 29)]


def test_what_bitbake_would_refuse_is_a_problem() -> None:
    problems = read('FOO = "x"\nnonsense here\nBAR = unquoted\n').problems
    assert [(problem.code, problem.line) for problem in problems] == [("syntax", 2), ("syntax", 3)]


LINES = [
    *('FOO = "x"', 'FOO:append = " \\', ' y"', "# comment", "", "do_a() {", "}", "    body ${X}", "python () {", "\\"),
    *(
        "def f(a):",
        "def g(",
        "    return f(a)",
        "inherit a ${@",
        "require x.inc",
        "addtask a after b",
        "EXPORT_FUNCTIONS",
    ),
    *(
        'FOO[doc] = "d"',
        "\t",
        "é = 'x'",
        "python do_b:append() {",
        '"""',
        "  '''",
        "export",
        "BBFILE_COLLECTIONS += 'a {'",
    ),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=12)), max_size=20), st.booleans())
def test_every_character_is_in_exactly_one_chunk(lines: list[str], closed: bool) -> None:
    """K18, invariant 6: any text at all."""
    text = "\n".join(lines).replace("\r", "") + "\n" * closed
    derived = read(text)
    assert "".join(text[chunk.start : chunk.end] for chunk in derived.chunks) == text
    for symbol in derived.symbols:
        assert 0 <= symbol.start <= symbol.name_start < symbol.end <= len(text)
        assert text[symbol.name_start :].startswith(symbol.name.split(" ", maxsplit=1)[0])


PIECES = [
    *("foo() {\ninherit x\n", "foo() {\nA = 'x'\n", "foo() {\ndef f():\n"),
    *(
        "do_a() {\n",
        "python python ",
        "python" + " " * 50,
        "def f(\n",
        "\\\n",
        "a_",
        "a_=",
        "${@a.",
        "${",
        "FOO = 'x' \\\n",
    ),
    *(
        "inherit ${@",
        "require '",
        "#",
        "# \n\n",
        "do_",
        "FOO[",
        ":append",
        "a.",
        "addtask a ",
        "{",
        "def f():\n #\n\n",
        '"""',
        "python () {\n}\n",
        "foo() {\ninherit x\n",
    ),
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("lead", ["", "do_a() {\n", 'FOO = "', "python () {\n    ", "def f():\n    ", "inherit "])
def test_hostile_text_is_read_in_linear_time(lead: str, piece: str) -> None:
    """SC06: twice the text is not four times the work, and none of it is lost."""
    assert grows_with_its_length(read, lead, piece)
    text = lead + piece * (2_000 // len(piece))
    assert sum(chunk.end - chunk.start for chunk in read(text).chunks) == len(text)


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/zlib_1.3.bb", "", "bitbake"),
        ("a/zlib_%.bbappend", "", "bitbake"),
        ("classes/a.bbclass", "", "bitbake"),
        ("a/common.inc", '# c\nSUMMARY = "x"\n', "bitbake"),
        ("a/common.inc", "require conf/a.inc\n", "bitbake"),
        ("a/common.inc", '#include "x.h"\nint a = 1;\n', "text"),
        ("a/common.inc", '<?php\nrequire "a";\n', "text"),
        ("a/common.inc", "FOO = $(wildcard *.c)\n", "text"),
        ("conf/layer.conf", 'BBPATH .= ":${LAYERDIR}"\n', "bitbake"),
        ("meta/conf/machine/qemu.conf", 'FOO = "x"\n', "bitbake"),
        ("meta/conf/templates/local.conf.sample", 'MACHINE ??= "x"\n', "bitbake"),
        ("hooks/pre-commit.sample", 'FOO ?= "x"\n', "text"),
        ("site.conf", 'FOO ?= "x"\n', "bitbake"),
        ("etc/app.conf", 'FOO = "x"\n', "ini"),
        ("conf/app.conf", '[main]\nFOO = "x"\n', "ini"),
        ("conf/nginx.conf", "http {\n  include mime.types;\n}\n", "ini"),
    ],
)
def test_includes_and_configurations_are_bitbakes_by_what_they_say(path: str, head: str, language: str) -> None:
    assert languages.detect(path, head).name == language


def test_another_edition_of_a_reader_is_another_recipe() -> None:
    """What a reader by lines gives is not in any grammar's version, so the table counts it."""
    assert ";e" in languages.recipe("bitbake")
    assert ";e" not in languages.recipe("python")


@pytest.mark.parametrize(
    ("language", "line"),
    [("bitbake", 'A = "${BBB}"\n'), ("kconfig", "config A\n"), ("make", "a:\n"), ("make", "\t$(AB)\n")],
)
def test_a_text_with_more_than_is_kept_says_so_and_is_covered(language: str, line: str) -> None:
    """SC06: two megabytes of one-line statements cost what their chunks cost."""
    text = line * (2_000_000 // len(line))
    derived = derive(text, language)
    assert [problem.code for problem in derived.problems] == ["size"]
    assert sum(chunk.end - chunk.start for chunk in derived.chunks) == len(text)


def test_one_statement_takes_in_so_many_files_at_most() -> None:
    assert len(imports("inherit" + " a" * 50_000 + "\n")) == 2_000
    assert len(derive("include" + " a" * 50_000 + "\n", "make").imports) == 2_000
