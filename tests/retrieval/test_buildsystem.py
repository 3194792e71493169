"""What a build system sets, reaches a question, a definition and its uses: recipes, classes, options of Kconfig."""

from collections.abc import Iterator

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.graph import Graph, Uses
from gazetteer.retrieval.origins import Near
from gazetteer.retrieval.query import Query

from ..trees import opened

LAYER = """\
-- meta/conf/layer.conf --
BBPATH .= ":${LAYERDIR}"
BBFILE_COLLECTIONS += "core"
-- meta/conf/bitbake.conf --
# Where downloads go.
DL_DIR ?= "${TOPDIR}/downloads"

# Where results are kept for others.
SSTATE_DIR ?= "${TOPDIR}/sstate-cache"
-- meta/classes-global/sstate.bbclass --
SSTATE_PATH = "${SSTATE_DIR}/x"

python sstate_report() {
    bb.note(d.getVar("SSTATE_DIR"))
}
-- meta/classes-recipe/autotools.bbclass --
autotools_do_configure() {
    oe_runconf
}

oe_runconf() {
    ./configure
}

EXPORT_FUNCTIONS do_configure
-- meta/recipes-core/zlib/zlib_1.3.bb --
SUMMARY = "Compression"
inherit autotools
SSTATE_DIR:forcevariable = "/other"

do_install:append() {
    install -d ${D}
}
addtask check after do_install before do_build
-- linux/Kconfig --
menu "Power"
config SUSPEND
\tbool "Suspend to memory"
\thelp
\t  Lets the machine sleep.
config HIBERNATION
\tbool "Suspend to disk"
\tdepends on SUSPEND
endmenu
-- linux/main.c --
int go(void)
{
#ifdef CONFIG_SUSPEND
\treturn 1;
#endif
\treturn 0;
}
-- linux/configs/small_defconfig --
CONFIG_SUSPEND=y
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("layer"), LAYER) as one:
        yield one


def graph(session: Session) -> Graph:
    found = session.glance()
    assert found is not None
    return found.graph(lambda: False)


def defined(session: Session, name: str, path: str, line: int) -> list[tuple[str, int]]:
    found = graph(session).definitions(name, Near(DocumentPath(path), line)).found
    with session.kb.snapshot() as seen:
        return [(one.document.path, seen.derived(one.document).symbols[one.at].first_line) for one in found]


def places(uses: Uses) -> set[tuple[str, int]]:
    return {(use.document.path, use.line) for use in uses.places}


def best(session: Session, question: str) -> list[tuple[str, int]]:
    return [(hit.path, hit.lines[0]) for hit in session.retrieve(Query(question)).hits]


def test_a_question_finds_where_a_variable_is_set(session: Session) -> None:
    found = best(session, "where is SSTATE_DIR set")
    assert {path for path, _ in found[:3]} >= {"meta/conf/bitbake.conf", "meta/recipes-core/zlib/zlib_1.3.bb"}


def test_a_question_finds_a_task_in_a_recipe(session: Session) -> None:
    assert best(session, "do_install")[0] == ("meta/recipes-core/zlib/zlib_1.3.bb", 5)


def test_a_class_that_is_inherited_is_found_from_the_recipe_and_the_recipe_from_the_class(session: Session) -> None:
    importers = graph(session).importers(DocumentPath("meta/classes-recipe/autotools.bbclass"))
    assert places(importers) == {("meta/recipes-core/zlib/zlib_1.3.bb", 2)}


def test_a_variable_is_defined_where_it_is_set_and_used_where_it_is_expanded(session: Session) -> None:
    found = defined(session, "SSTATE_DIR", "meta/classes-global/sstate.bbclass", 1)
    assert set(found) == {("meta/conf/bitbake.conf", 5), ("meta/recipes-core/zlib/zlib_1.3.bb", 3)}
    assert places(graph(session).uses("SSTATE_DIR", language="bitbake")) == {
        ("meta/classes-global/sstate.bbclass", 1),
        ("meta/classes-global/sstate.bbclass", 4),
    }


def test_an_option_is_defined_in_kconfig_under_the_name_that_code_gives_it(session: Session) -> None:
    assert defined(session, "CONFIG_SUSPEND", "linux/main.c", 3) == [("linux/Kconfig", 2)]
    assert defined(session, "CONFIG_SUSPEND", "linux/configs/small_defconfig", 1) == [
        ("linux/Kconfig", 2),
        ("linux/configs/small_defconfig", 1),
    ]
    assert best(session, "what does CONFIG_SUSPEND do")[0] == ("linux/Kconfig", 1)


def test_an_option_is_used_by_other_options_and_by_code(session: Session) -> None:
    assert places(graph(session).uses("SUSPEND", language="kconfig")) == {("linux/Kconfig", 8), ("linux/main.c", 3)}


def test_an_option_in_an_unsaved_buffer_has_both_names_too(session: Session) -> None:
    path = DocumentPath("linux/Kconfig")
    session.kb.open_buffer(path, 'config FRESH\n\tbool "New"\n', 1)
    try:
        assert defined(session, "CONFIG_FRESH", "linux/main.c", 3) == [("linux/Kconfig", 1)]
        assert best(session, "CONFIG_FRESH")[0] == ("linux/Kconfig", 1)
    finally:
        session.kb.close_buffer(path)
