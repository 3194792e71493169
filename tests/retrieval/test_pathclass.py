"""Paths show what a document is by whole folder names and the ends of file names, never by fragments."""

import pytest
from gazetteer.retrieval.pathclass import TABLE, PathClass, classify


@pytest.mark.parametrize(
    ("path", "classes"),
    [
        ("src/app.py", ""),
        ("tests/test_app.py", "test"),
        ("pkg/app_test.go", "test"),
        ("src/App.spec.ts", "test"),
        ("lib/AppTest.php", "test"),
        ("Src/Newtonsoft.Json.Tests/A.cs", "test"),
        ("core/jvmTest/kotlin/A.kt", "test"),
        ("src/conftest.py", "test"),
        ("src/__snapshots__/a.snap", "fixture"),
        ("test/fixtures/a.json", "test fixture"),
        ("benchmarks/a.py", "benchmark"),
        ("Foo.Benchmarks/A.cs", "benchmark"),
        ("examples/hello/a.go", "example"),
        ("third_party/zlib/a.c", "vendored"),
        ("deps/lua/a.c", "vendored"),
        ("api/a.pb.go", "generated"),
        ("Cargo.lock", "generated"),
        ("CHANGELOG.md", "history"),
        ("NEWS", "history"),
        ("docs/guide.md", "documentation"),
        ("Makefile", ""),
        # fragments are no evidence
        ("latest/contest.py", ""),
        ("src/attestation.rs", ""),
        ("src/testing.py", ""),
        ("src/manifest.rs", ""),
        ("lib/changeset.ex", ""),
        ("src/example_store.py", ""),
        ("src/vendors.py", ""),
        ("src/history_list.c", ""),
        ("", ""),
    ],
)
def test_a_path_shows_what_it_is(path: str, classes: str) -> None:
    assert list(classify(path)) == classes.split()


def test_the_table_has_a_row_for_every_class() -> None:
    assert [row.of for row in TABLE] == list(PathClass)
