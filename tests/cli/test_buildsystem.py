"""A layer registered with the indexer of build systems: what was fetched and built stays out, what is set is found."""

import pytest

from ..trees import write
from .conftest import Shell

LAYER = """\
-- meta/conf/layer.conf --
BBPATH .= ":${LAYERDIR}"
-- meta/conf/bitbake.conf --
# Where results are kept for others.
SSTATE_DIR ?= "${TOPDIR}/sstate-cache"
-- meta/recipes-core/zlib/zlib_1.3.bb --
SUMMARY = "Compression"
CACHE = "${SSTATE_DIR}/zlib"

do_install() {
    install -d ${D}
    install zlib.so ${D}
}
-- meta/recipes-core/zlib/files/fix.patch --
+SSTATE_DIR
-- build/tmp/work/zlib/zlib.inc --
SSTATE_DIR = "fetched"
-- downloads/zlib/zlib.inc --
SSTATE_DIR = "fetched"
"""


@pytest.fixture
def layer(within: Shell) -> Shell:
    write(within.tree, LAYER)
    run = within("corpus", "add", "layers", str(within.tree), "--indexer", "buildsystem")
    assert run.status == 0, run
    return within


def test_a_question_from_elsewhere_is_answered_with_the_place_that_sets_it(layer: Shell) -> None:
    found = layer("ask", "where is SSTATE_DIR set", "--corpus", "layers", "--json", cwd=layer.home).json()["hits"]
    assert found[0]["relpath"] == "meta/conf/bitbake.conf"
    assert found[0]["language"] == "bitbake"
    assert "exact" in found[0]["via"]
    assert {hit["relpath"] for hit in found} == {"meta/conf/bitbake.conf", "meta/recipes-core/zlib/zlib_1.3.bb"}


def test_a_task_is_a_place_to_cite(layer: Shell) -> None:
    run = layer("ask", "do_install", "--corpus", "layers")
    assert run.out.splitlines()[0].endswith("meta/recipes-core/zlib/zlib_1.3.bb § do_install (Line 4)"), run


def test_what_was_fetched_or_built_is_left_out_and_counted(layer: Shell) -> None:
    assert layer("index", "layers").status == 0
    health = layer("health", "--corpus", "layers", "--json").json()
    (refused,) = health["refused"]
    assert (refused["reason"], refused["count"]) == ("excluded", 3)  # a patch, and two folders
    assert "downloads" in refused["examples"]
    assert health["documents"] == 3
    run = layer("ask", "fetched", "--corpus", "layers", "--json").json()
    assert [hit for hit in run["hits"] if "zlib.inc" in hit["relpath"]] == []
