"""An indexer is what a corpus of its make is made of; what it leaves out is counted, and the owner's words stand."""

from pathlib import Path

import pytest
from gazetteer.corpora.indexers import INDEXERS, rules_of
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.scan import Refusal, list_tree
from gazetteer.kb.scan_rules import ScanRules

METADATA = [
    "README",
    "docs/manual.rst",
    "meta/classes-recipe/autotools.bbclass",
    "meta/conf/distro/include/defaults.inc",
    "meta/conf/layer.conf",
    "meta/conf/templates/default/local.conf.sample",
    "meta/lib/oe/package.py",
    "meta/recipes-core/zlib/zlib.inc",
    "meta/recipes-core/zlib/zlib_1.3.bb",
    "meta/recipes-core/zlib/zlib_%.bbappend",
    "scripts/runqemu",
]
BESIDE = [
    "meta/recipes-core/zlib/files/0001-fix.patch",
    "meta/recipes-core/zlib/files/zlib.service",
    "meta/recipes-core/zlib/files/main.c",
]
FETCHED = [
    "build-x/tmp-glibc/work/core2/zlib/1.3/zlib-1.3/README",
    "build/downloads/git2/README",
    "build/sstate-cache/00/README.txt",
    "build/tmp/deploy/licenses/README.txt",
    "build/workspace/sources/zlib/README",
    "downloads/README",
    "tmp/work/core2/zlib/zlib.inc",
]

EVERYTHING = ScanRules()


def listed(root: Path, indexer: str, rules: ScanRules = EVERYTHING) -> tuple[list[str], dict[Refusal, int]]:
    scan = list_tree(str(root), rules_of(indexer).narrow(rules))
    return sorted(scan.files), dict(scan.refused)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    for name in (*METADATA, *BESIDE, *FETCHED, ".knowledge/orientation.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    return tmp_path


def test_buildsystem_takes_metadata_and_documents_and_no_source_that_was_fetched(layer: Path) -> None:
    files, refused = listed(layer, "buildsystem")
    assert files == sorted([*METADATA, ".knowledge/orientation.md"])
    # a folder counts once: three files of a recipe, seven places of fetched or built sources
    assert refused == {Refusal.EXCLUDED: len(BESIDE) + 7}


def test_docs_takes_prose_alone(layer: Path) -> None:
    (layer / "CMakeLists.txt").write_text("x\n")
    (layer / "guide.md").write_text("x\n")
    files, _ = listed(layer, "docs")
    assert [file for file in files if not file.startswith(("build", "downloads"))] == [
        ".knowledge/orientation.md",
        "README",
        "docs/manual.rst",
        "guide.md",
    ]


def test_generic_is_the_default_and_takes_everything(layer: Path) -> None:
    everything = sorted([*METADATA, *BESIDE, *FETCHED, ".knowledge/orientation.md"])
    assert listed(layer, "generic") == listed(layer, "") == (everything, {})


def test_what_the_owner_includes_stands_in_place_of_the_row_and_exclusions_add_up(layer: Path) -> None:
    own = ScanRules(include=("*.c", "*.bb", "README"), exclude=("meta/recipes-core/zlib/files/",))
    files, _ = listed(layer, "buildsystem", own)
    assert files == ["README", "meta/recipes-core/zlib/zlib_1.3.bb"]


def test_limits_are_not_touched() -> None:
    rules = ScanRules(extensions=(".bb",), max_file_bytes=5, max_files=7, excluded_roots=("/x",))
    narrowed = rules_of("buildsystem").narrow(rules)
    assert (narrowed.extensions, narrowed.max_file_bytes, narrowed.max_files, narrowed.excluded_roots) == (
        rules.extensions,
        5,
        7,
        ("/x",),
    )


def test_an_unknown_indexer_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidArgumentError, match="buildsystem, docs, generic"):
        rules_of("yocto")


@pytest.mark.parametrize("indexer", INDEXERS)
def test_every_row_has_globs_that_the_rules_can_read(indexer: str, tmp_path: Path) -> None:
    assert listed(tmp_path, indexer) == ([], {})
