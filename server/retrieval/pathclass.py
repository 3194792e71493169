"""What a document is by its path alone: tests, vendored copies, generated text, examples and their kin, as one table.

A class says nothing about quality; ``rank`` decides what each is worth to the question at hand, and a question that
asks for tests gets them. Only whole folder names and the ends of file names count, never a fragment: ``latest/`` is no
test. Pure; memoised, because the same paths come back in every question.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class PathClass(StrEnum):
    """Classes that a path can be of; several at once."""

    TEST = "test"
    FIXTURE = "fixture"
    BENCHMARK = "benchmark"
    EXAMPLE = "example"
    VENDORED = "vendored"
    GENERATED = "generated"
    HISTORY = "history"  # change logs, release notes
    DOCUMENTATION = "documentation"


class Row(NamedTuple):
    """How a class shows: names of folders (lower-cased), last words of folder names, and file names."""

    of: PathClass
    folders: str
    endings: str
    names: str  # a regular expression, matched against the whole file name


TABLE = (
    Row(
        PathClass.TEST,
        "test tests testing __tests__ spec specs e2e testsuite test-utils test_helpers testdata test-data",
        "test tests spec specs",
        r"tests?\.\w+|(?:test|spec)_.+|.+[._-](?:test|tests|spec|specs)\.\w+|.+[a-z0-9](?:Test|Tests|TestCase|Spec|Suite)\.\w+"
        r"|conftest\.py",
    ),
    Row(
        PathClass.FIXTURE,
        "fixture fixtures __fixtures__ testdata __snapshots__ snapshots mocks __mocks__ stubs golden",
        "fixtures",
        r".+\.snap",
    ),
    Row(
        PathClass.BENCHMARK,
        "bench benches benchmark benchmarks perf jmh",
        "benchmark benchmarks",
        r".+[._-](?:bench|benchmark)\.\w+|.+[a-z0-9]Benchmarks?\.\w+|bench_.+",
    ),
    Row(
        PathClass.EXAMPLE,
        "example examples sample samples demo demos tutorial tutorials playground cookbook docs_src",
        "example examples samples",
        r"",
    ),
    Row(
        PathClass.VENDORED,
        "vendor vendored third_party third-party thirdparty 3rdparty deps node_modules external bundled",
        "",
        r".+\.min\.(?:js|css)",
    ),
    Row(
        PathClass.GENERATED,
        "generated gen dist single_include amalgamation",
        "generated",
        r".+[._](?:generated|gen|pb)\.\w+|.+\.lock|package-lock\.json|pnpm-lock\.yaml|.+_pb2(?:_grpc)?\.pyi?",
    ),
    Row(
        PathClass.HISTORY,
        "changes changelog changelogs newsfragments release-notes release_notes releasenotes",
        "",
        r"(?i:(?:changes|changelog|history|news|release[-_]?notes|releases|upgrading|migration)(?:\.\w+)?)",
    ),
    Row(PathClass.DOCUMENTATION, "doc docs documentation guide guides site website man manual", "docs", r""),
)
"""Every class and how it shows. The order is the order in which classes are reported."""

_FOLDERS = {(row.of, name) for row in TABLE for name in row.folders.split()}
_BY_FOLDER = {
    name: tuple(row.of for row in TABLE if (row.of, name) in _FOLDERS) for name in sorted({n for _, n in _FOLDERS})
}
_BY_ENDING = {
    ending: tuple(row.of for row in TABLE if ending in row.endings.split())
    for ending in sorted({ending for row in TABLE for ending in row.endings.split()})
}
_NAMES = tuple((row.of, re.compile(row.names)) for row in TABLE if row.names)
_ORDER = {row.of: place for place, row in enumerate(TABLE)}
_LAST_WORD = re.compile(r"(?:[._-]|(?<=[a-z0-9])(?=[A-Z]))([A-Za-z]+)$")


@lru_cache(maxsize=65_536)
def classify(path: str) -> tuple[PathClass, ...]:
    """Every class of a relative path, in the order of `TABLE`; empty for an ordinary document."""
    folder, _, name = path.rpartition("/")
    found = {of for of, pattern in _NAMES if pattern.fullmatch(name)}
    if folder:
        found.update(*map(_of_folder, folder.split("/")))
    return tuple(sorted(found, key=_ORDER.__getitem__))


@lru_cache(maxsize=8_192)
def _of_folder(name: str) -> tuple[PathClass, ...]:
    known = _BY_FOLDER.get(name.lower())
    if known is not None:
        return known
    last = _LAST_WORD.search(name)
    return _BY_ENDING.get(last[1].lower(), ()) if last else ()
