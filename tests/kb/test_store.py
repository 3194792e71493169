"""The databases: rows by generation that nobody changes in place, contents by what they are, one door to the head."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.kb.errors import ConflictError, DamagedError, UnavailableError
from gazetteer.kb.model import ContentId, Derived, DiskHash, DocumentPath, Generation, Recipe, Signature
from gazetteer.kb.outline import outline
from gazetteer.kb.store.connection import Connection, translate
from gazetteer.kb.store.content import ContentRow, ContentStore, pack_derived, pack_outline, pack_text, unpack_text
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.kb.store.rows import NOTHING_PUBLISHED, Coverage, FileState, Head, NewDocument, PlacesDelta, Totals
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NO_PLACES = PlacesDelta(files={}, directories={})
EMPTY = Derived("text", "", 0, ())


def document(path: str, version: int = 0, **more: object) -> NewDocument:
    """A document that differs by version."""
    values: dict[str, object] = {
        "path": path,
        "content_id": f"{version:064x}",
        "disk_hash": f"{version + 1:064x}",
        "language": "python",
        "source_type": "code",
        "recipe": "r1",
        "partial": "",
        "problems": 0,
        "chunks": 3,
        "symbols": 2,
        "regressed": False,
        "size": 10 + version,
        "changed_at": 1.5,
        **more,
    }
    return NewDocument(**values)  # type: ignore[arg-type]


class Corpus(CorpusStore):
    """The store, with a shorter way to publish."""

    count = 0

    def publish(self, *upserts: NewDocument, deletes: tuple[str, ...] = (), places: PlacesDelta = NO_PLACES) -> Head:
        self.count += 1
        paths = [DocumentPath(path) for path in deletes]
        return self.commit(self.head(), upserts, paths, places, Coverage(), f"publish-{self.count}")

    def at(self, generation: int) -> dict[str, str]:
        return {row.path: row.content_id for row in self.documents(Generation(generation))}


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    store = Corpus(str(tmp_path / "corpus"))
    yield store
    store.close()


@pytest.fixture
def contents(tmp_path: Path) -> Iterator[ContentStore]:
    store = ContentStore(str(tmp_path / "content.db"))
    yield store
    store.close()


# ---------------------------------------------------------------- generations


_steps = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9), max_size=4),
        st.sets(st.sampled_from("abcdef"), max_size=3),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_steps)
def test_every_generation_stays_as_it_was_published(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[dict[str, int], set[str]]]
) -> None:
    """K8: a reader that knows its generation needs no lock; sums and changes follow. A dict is the oracle."""
    store = Corpus(str(tmp_path_factory.mktemp("store")))
    history: list[dict[str, str]] = [{}]
    for upserts, deletes in steps:
        gone = tuple(sorted(deletes - upserts.keys()))
        store.publish(*(document(path, version) for path, version in sorted(upserts.items())), deletes=gone)
        now = {path: content for path, content in history[-1].items() if path not in gone}
        history.append({**now, **{path: f"{version:064x}" for path, version in upserts.items()}})
    for generation, expected in enumerate(history):
        assert store.at(generation) == expected
        for path in "abcdef":
            row = store.document(Generation(generation), DocumentPath(path))
            assert (row.content_id if row is not None else None) == expected.get(path)
        if generation:
            assert store.published(Generation(generation))[0].documents == len(expected)
            assert store.published(Generation(generation))[0].size == sum(10 + int(c, 16) for c in expected.values())
        removed, added = store.changes(Generation(generation), Generation(len(history) - 1))
        before = {row.id: row.path for row in store.documents(Generation(generation))}
        after = {row.id: row.path for row in store.documents(Generation(len(history) - 1))}
        assert set(removed) == before.keys() - after.keys()
        assert {row.id for row in added} == after.keys() - before.keys()
    store.close()


def test_nothing_becomes_visible_but_by_the_heads_compare_and_swap(corpus: Corpus, tmp_path: Path) -> None:
    """Invariant 4: who lost the race changed nothing."""
    first = corpus.publish(document("a", 1))
    with pytest.raises(ConflictError):
        corpus.commit(NOTHING_PUBLISHED, [document("b", 2)], [DocumentPath("a")], NO_PLACES, Coverage(), "late")
    assert (corpus.head(), corpus.at(1), corpus.at(2)) == (first, {"a": f"{1:064x}"}, {"a": f"{1:064x}"})
    other = CorpusStore(corpus.folder)
    assert other.head() == first
    other.close()


def test_a_generation_is_told_from_another_of_the_same_number(corpus: Corpus) -> None:
    head = corpus.publish(document("a", 1))
    assert corpus.knows(head)
    assert not corpus.knows(Head(head.generation, "somebody else's"))
    assert not corpus.knows(Head(Generation(9), head.publish_id))


def test_a_document_id_is_never_used_twice(corpus: Corpus) -> None:
    """What a follower keeps by id never turns into another document."""
    corpus.publish(document("a", 1))
    (first,) = (row.id for row in corpus.documents(Generation(1)))
    corpus.publish(deletes=("a",))
    corpus.collect(-1.0, corpus.head().generation)
    corpus.publish(document("b", 2))
    (second,) = (row.id for row in corpus.documents(corpus.head().generation))
    assert corpus.by_id(first) is None
    assert second > first


def test_places_change_in_the_same_step_as_documents(corpus: Corpus) -> None:
    """A signature is never recorded for bytes that were not published; inodes have all 64 bits."""
    seen = Signature(1, -2, 3, (1 << 64) - 4, 5)
    places = PlacesDelta({DocumentPath("a"): FileState(seen, "h")}, {DocumentPath(""): seen}, {"/x": None, "/y": seen})
    corpus.publish(document("a", 1), places=places)
    wrong = PlacesDelta({DocumentPath("a"): None}, {DocumentPath(""): None}, {}, ("/x", "/y"))
    with pytest.raises(ConflictError):
        corpus.commit(NOTHING_PUBLISHED, [], [], wrong, Coverage(), "late")
    head, stored = corpus.places()
    assert head == corpus.head()
    assert (stored.files, stored.directories, stored.rule_files) == (
        {"a": FileState(seen, "h")},
        {"": seen},
        {"/x": None, "/y": seen},
    )
    assert corpus.note_places(head, PlacesDelta({DocumentPath("a"): None}, {}, {}, ("/y",)), None)
    assert not corpus.note_places(NOTHING_PUBLISHED, places, None)
    _, stored = corpus.places()
    assert (stored.files, stored.rule_files) == ({}, {"/x": None})


@pytest.mark.parametrize("table", ["files", "directories", "rule_files"])
@pytest.mark.parametrize(("column", "value"), [("path", None), ("path", 1), ("mtime", None), ("taken", "now")])
def test_a_row_of_places_that_nobody_has_written_is_damage(
    corpus: Corpus, table: str, column: str, value: object
) -> None:
    """CC15: a page of another table in the place of one of theirs may hold anything."""
    row: dict[str, object] = {"path": b"a", "size": 1, "mtime": 1, "ctime": 1, "inode": 1, "taken": 1}
    if table == "files":
        row |= {"disk_hash": "", "refusal": ""}
    row[column] = value
    with corpus._writing().transaction() as db:
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE TABLE {table}({', '.join(row)})")
        db.execute(f"INSERT INTO {table} VALUES({', '.join('?' * len(row))})", tuple(row.values()))
    with pytest.raises(DamagedError):
        corpus.places()


def test_a_document_without_a_path_is_damage(corpus: Corpus) -> None:
    """CC15: told as such, so that the index is built again."""
    corpus.publish(document("a", 1))
    with corpus._writing().transaction() as db:
        db.execute("UPDATE documents SET path=7")
    for read in (corpus.paths, corpus.documents, lambda head: corpus.paths_of(head, Recipe("r1"))):
        with pytest.raises(DamagedError):
            list(read(Generation(1)))


@pytest.mark.parametrize(("g", "publish_id"), [(b"f0.py", "x"), (1, b"x"), (None, None)])
def test_a_head_that_nobody_has_published_is_damage(corpus: Corpus, g: object, publish_id: object) -> None:
    """CC15: as when a page of another table lies in its place; a follower of it could be of no use."""
    with corpus._writing().transaction() as db:
        db.execute("DROP TABLE head")
        db.execute("CREATE TABLE head(one, g, publish_id)")
        db.execute("INSERT INTO head VALUES(1, ?, ?)", (g, publish_id))
    with pytest.raises(DamagedError):
        corpus.head()


def test_names_that_are_no_text_are_kept(corpus: Corpus) -> None:
    """PE08: in rows and in places."""
    name = DocumentPath(os.fsdecode(b"od\xffd/\xf0\x9f\x90\x8d.py"))
    places = PlacesDelta({name: FileState(Signature(1, 2, 3, 4, 5))}, {name: Signature(1, 2, 3, 4, 5)})
    corpus.publish(document(name, 1), places=places)
    assert list(corpus.at(1)) == [name]
    assert list(corpus.places()[1].files) == list(corpus.places()[1].directories) == [name]


def test_superseded_generations_are_kept_for_a_while_and_then_go(corpus: Corpus) -> None:
    """Retention instead of pins: what a reader may still hold is there; what nobody can hold takes no room."""
    for version in range(5):
        corpus.publish(document("a", version))
    assert corpus.collect(600.0, Generation(5)) == 0
    assert [corpus.at(generation) for generation in range(1, 6)] == [{"a": f"{v:064x}"} for v in range(5)]
    assert corpus.collect(-1.0, Generation(3)) == 2, "never past a follower"
    assert corpus.at(3) == {"a": f"{2:064x}"}
    assert [bool(corpus.published(Generation(g))[2]) for g in range(1, 6)] == [False, False, True, True, True]
    assert corpus.collect(-1.0, Generation(5)) == 2
    assert corpus.at(5) == {"a": f"{4:064x}"}
    assert corpus.contents() == {f"{4:064x}"}


def test_sums_of_nothing_are_zero(corpus: Corpus) -> None:
    assert corpus.published(Generation(0)) == (Totals(), Coverage(), 0.0)
    assert (corpus.head(), corpus.at(0)) == (NOTHING_PUBLISHED, {})


def test_another_layout_is_refused_and_never_read(corpus: Corpus) -> None:
    """Whoever opens it makes it again, under the lock; the store alone removes nothing."""
    corpus.publish(document("a", 1))
    corpus.set_meta("schema", "0")
    corpus.close()
    with pytest.raises(DamagedError, match="another version"):
        CorpusStore(corpus.folder)
    assert Path(corpus.path).exists()


def test_a_database_that_may_only_be_read_is_not_written(corpus: Corpus) -> None:
    head = corpus.publish(document("a", 1))
    reader = CorpusStore(corpus.folder, read_only=True)
    assert reader.head() == head
    with pytest.raises(UnavailableError, match="--db-path"):
        reader.set_meta("a", "b")
    reader.close()


# ---------------------------------------------------------------- contents


def row(text: str, recipe: str = "r1", derived: Derived = EMPTY) -> ContentRow:
    key = ContentId(hashlib.sha256(text.encode()).hexdigest())
    return ContentRow(key, Recipe(recipe), pack_text(text), pack_derived(derived), pack_outline(outline(derived)))


def test_a_content_is_found_by_what_it_is_and_how_it_was_read(contents: ContentStore) -> None:
    """K14: by content and recipe, never by path or time."""
    as_c, as_cpp = row("int x;", "c", Derived("c", "g", 1, ())), row("int x;", "cpp", Derived("cpp", "g", 1, ()))
    contents.put([as_c, as_cpp])
    assert contents.load(as_c.content_id, Recipe("c")) == ("int x;", Derived("c", "g", 1, ()))
    assert contents.load(as_c.content_id, Recipe("cpp")) == ("int x;", Derived("cpp", "g", 1, ()))
    keys = [(as_c.content_id, Recipe(recipe)) for recipe in ("c", "cpp", "c++")]
    assert contents.missing(keys) == {keys[2]}
    with pytest.raises(DamagedError):
        contents.load(as_c.content_id, Recipe("c++"))


@given(st.text())
def test_any_text_is_stored_as_it_is(text: str) -> None:
    assert unpack_text(pack_text(text)) == text


def test_collection_spares_what_is_reachable_young_or_within_the_pool(contents: ContentStore) -> None:
    rows = [row(f"text {number}") for number in range(6)]
    contents.put(rows)
    keys = [(one.content_id, one.recipe) for one in rows]
    assert contents.collect(set(), keep_seconds=3600) == 0, "it may belong to a publication that is under way"
    assert contents.collect(set(), keep_seconds=0) == 0, "it may be wanted when a branch is switched back"
    reachable = {rows[0].content_id, rows[1].content_id}
    assert contents.collect(reachable, keep_seconds=0, keep_bytes=0) == 4
    assert contents.missing(keys) == set(keys[2:])


def test_what_is_used_again_is_young_again(contents: ContentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    old, used = row("old"), row("used")
    monkeypatch.setattr("gazetteer.kb.store.content.time.time", lambda: 1_000)
    contents.put([old, used])
    monkeypatch.setattr("gazetteer.kb.store.content.time.time", lambda: 9_000)
    contents.touch([used.content_id])
    assert contents.collect(set(), keep_seconds=3600, keep_bytes=0) == 1
    assert contents.missing([(used.content_id, used.recipe)]) == set()


def test_a_content_is_found_by_the_beginning_of_its_id(contents: ContentStore) -> None:
    one = row("some text")
    contents.put([one])
    assert contents.find(one.content_id[:12]) == one.content_id
    assert contents.find("ff" * 6) is None


@pytest.mark.parametrize("damage", [b"not a database at all, not even nearly" * 100, b""])
def test_a_damaged_store_of_contents_is_replaced_by_an_empty_one_with_another_name(
    tmp_path: Path, damage: bytes
) -> None:
    """Nothing in it cannot be made again; whoever refers to it notices by its identity."""
    path = tmp_path / "content.db"
    first = ContentStore(str(path))
    one, identity = row("some text"), first.identity
    first.put([one])
    first.close()
    path.write_bytes(damage)
    second = ContentStore(str(path))
    assert second.identity != identity
    assert second.missing([(one.content_id, one.recipe)]) == {(one.content_id, one.recipe)}
    second.close()


# ---------------------------------------------------------------- connections


WRITER = """
import sys
from gazetteer.kb.store.connection import Connection
connection = Connection(sys.argv[1], full_sync=True)
for _ in range(int(sys.argv[2])):
    with connection.transaction() as db:
        value = db.execute("SELECT value FROM counter").fetchone()[0]
        db.execute("UPDATE counter SET value=?", (value + 1,))
connection.close()
"""


def test_writers_wait_for_each_other_and_lose_nothing(tmp_path: Path) -> None:
    """CC03: four processes, no raw "database is locked", every write counts."""
    path, times = str(tmp_path / "a.db"), 60
    connection = Connection(path)
    with connection.transaction() as db:
        db.execute("CREATE TABLE counter(value INTEGER)")
        db.execute("INSERT INTO counter VALUES(0)")
    writers = [subprocess.Popen([sys.executable, "-P", "-c", WRITER, path, str(times)]) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    with connection.use() as db:
        assert db.execute("SELECT value FROM counter").fetchone() == (4 * times,)
    connection.close()


def test_a_transaction_that_fails_is_undone(tmp_path: Path) -> None:
    connection = Connection(str(tmp_path / "a.db"))
    with connection.transaction() as db:
        db.execute("CREATE TABLE t(x)")

    def fail() -> None:
        with connection.transaction() as db:
            db.execute("INSERT INTO t VALUES(1)")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with connection.use() as db:
        assert db.execute("SELECT count(*) FROM t").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        ("database disk image is malformed", DamagedError, "gazetteer sync"),
        ("file is not a database", DamagedError, "gazetteer sync"),
        ("UNIQUE constraint failed: derived.content, derived.recipe", DamagedError, "gazetteer sync"),
        ("Could not decode to UTF-8 column 'recipe'", DamagedError, "gazetteer sync"),
        ("database or disk is full", UnavailableError, "--db-path"),
        ("attempt to write a readonly database", UnavailableError, "--db-path"),
        ("database is locked", UnavailableError, "try again"),
        ("disk I/O error", UnavailableError, "--db-path"),
    ],
)
def test_what_the_library_says_is_turned_into_a_sentence_with_a_remedy(said: str, error: type, words: str) -> None:
    """CC15: and what is damaged is told from what is only out of reach."""
    found = translate(sqlite3.OperationalError(said), "/x/kb.db")
    assert type(found) is error
    assert words in found.message
    assert found.message.endswith(".")


def test_every_hash_is_as_it_was_given(corpus: Corpus) -> None:
    corpus.publish(document("a", 7))
    stored = corpus.document(Generation(1), DocumentPath("a"))
    assert stored is not None
    assert (stored.content_id, stored.disk_hash) == (ContentId(f"{7:064x}"), DiskHash(f"{8:064x}"))
