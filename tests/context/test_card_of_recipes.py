"""What an editor shows of a recipe and of an option: where it is set, what says it, which class is inherited."""

from collections.abc import Iterator

import pytest
from gazetteer.app import Session
from gazetteer.context.card import Card, Cards, Map
from gazetteer.kb.model import DocumentPath

from ..trees import cursor, opened

LAYER = """\
-- meta/conf/bitbake.conf --
# Where results are kept for others.
SSTATE_DIR ?= "${TOPDIR}/sstate-cache"
-- meta/conf/documentation.conf --
DL_DIR[doc] = "The folder of downloads. Shared."
-- meta/classes-recipe/autotools.bbclass --
autotools_do_configure() {
    oe_runconf
}

oe_runconf() {
    ./configure
}
-- meta/recipes-core/zlib/zlib_1.3.bb --
inherit autotools
-- linux/Kconfig --
config SUSPEND
\tbool "Suspend to memory"
\thelp
\t  Lets the machine sleep.
-- linux/main.c --
int go(void);
-- linux/small_defconfig --
CONFIG_SUSPEND=y
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("layer"), LAYER) as one:
        yield one


def card(session: Session, name: str, marked: str) -> Card | None:
    """The card of the place that ``|`` marks in an unsaved text."""
    text, at = cursor(marked)
    path = DocumentPath(name)
    session.kb.open_buffer(path, text, 1)
    try:
        glance = session.glance()
        assert glance is not None
        return Cards(glance, Map(), lambda: False).at(path, at)
    finally:
        session.kb.close_buffer(path)


@pytest.mark.parametrize(
    ("path", "text", "place", "says"),
    [
        ("a.bb", 'X = "${SSTATE_|DIR}/x"\n', ("meta/conf/bitbake.conf", 2), "Where results are kept"),
        ("a.bb", 'SSTATE_D|IR:append = "x"\n', ("a.bb", 1), ""),
        ("a.bb", 'python () {\n    d.getVar("SSTATE_|DIR")\n}\n', ("meta/conf/bitbake.conf", 2), ""),
        ("a.bb", 'X = "${DL_|DIR}"\n', ("meta/conf/documentation.conf", 1), "The folder of downloads."),
        ("a.bb", "do_x() {\n    oe_run|conf\n}\n", ("meta/classes-recipe/autotools.bbclass", 5), ""),
        ("linux/a.c", "#ifdef CONFIG_SUS|PEND\n#endif\n", ("linux/Kconfig", 1), "Suspend to memory."),
        ("linux/b_defconfig", "CONFIG_SUS|PEND=y\n", ("linux/Kconfig", 1), "Lets the machine sleep."),
    ],
)
def test_a_name_says_where_it_is_set_and_what_documents_it(
    session: Session, path: str, text: str, place: tuple[str, int], says: str
) -> None:
    found = card(session, path, text)
    assert found is not None
    assert found.defined is not None
    assert (found.defined.path, found.defined.line) == place
    assert says in found.document


def test_an_inherited_class_is_shown_as_its_file(session: Session) -> None:
    found = card(session, "a.bb", "inherit auto|tools\n")
    assert found is not None
    assert "meta/classes-recipe/autotools.bbclass" in str(found)
