"""A check finds every kind of damage, and room is given back without taking what somebody may need."""

import os
from pathlib import Path

import pytest
from gazetteer.kb.check import check
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.paths import Root
from gazetteer.kb.room import collect_contents, file_size, folder_size, remove_index
from gazetteer.kb.scan import ScanRules
from gazetteer.kb.store import documents
from gazetteer.kb.store.content import ContentStore

from .world import A, B, C, World, findings

COLUMNS = documents.COLUMNS.removeprefix("id, ")


def test_a_sound_index_has_no_findings(world: World, kb: KnowledgeBase) -> None:
    assert findings(kb) == []
    world.write(A, "changed\n")
    os.unlink(world.tree / B)
    world.write(C, "new\n")
    assert findings(kb) == ["stale", "stale", "stale"]
    kb.refresh()
    assert findings(kb) == []


TWICE = (
    "INSERT INTO documents SELECT NULL, path, content_id, disk_hash, language, source_type, recipe, partial, "
    "problems, chunks, symbols, regressed, size, changed_at, born, died FROM documents LIMIT 1"
)


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        ("UPDATE documents SET chunks=chunks+1 WHERE path=CAST('a.py' AS BLOB)", "sums"),
        ("DELETE FROM documents WHERE path=CAST('a.py' AS BLOB)", "places"),
        ("DELETE FROM files WHERE path=CAST('a.py' AS BLOB)", "places"),
        ("UPDATE files SET disk_hash='ff' WHERE path=CAST('a.py' AS BLOB)", "places"),
        ("UPDATE documents SET recipe='old' WHERE path=CAST('a.py' AS BLOB)", "contents"),
        ("UPDATE head SET publish_id='other'", "head"),
        (
            (TWICE),
            "documents",
        ),
    ],
)
def test_every_disagreement_inside_an_index_is_found(kb: KnowledgeBase, harm: str, code: str) -> None:
    """A check is worth what it finds: each kind of damage is planted."""
    with kb.store._writing().transaction() as db:
        db.execute(harm)
    assert code in findings(kb)


def test_facts_that_are_not_those_of_the_text_are_found(kb: KnowledgeBase) -> None:
    with kb.contents._writer.transaction() as db:  # type: ignore[union-attr]
        first, second = db.execute("SELECT content, data FROM derived ORDER BY content").fetchall()
        db.execute("UPDATE derived SET data=? WHERE content=?", (second[1], first[0]))
    assert findings(kb) == ["facts"]


def test_a_follower_that_is_behind_or_cannot_be_read_is_found(kb: KnowledgeBase) -> None:
    found = list(check(kb, {"one": None, "two": kb.store.head(), "three": None}, full=False))
    assert [finding.code for finding in found] == ["follower", "follower"]


def test_what_nothing_refers_to_is_collected_and_what_something_may_refer_to_is_not(
    world: World, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.py").write_text("only here\n")
    for tree in (world.tree, other):
        kb = KnowledgeBase(Root(str(tree)), str(world.cache), ScanRules(), processes=1)
        kb.refresh()
        folder = kb.folder
        kb.close()
    assert collect_contents(str(world.cache), keep_seconds=0) == 0
    remove_index(folder)
    assert os.listdir(folder) == ["publish.lock"], "who waits for the lock must not wait for another file"
    assert collect_contents(str(world.cache)) == 0, "it may belong to a publication that is under way"
    Path(folder, "kb.db").write_bytes(b"cannot be read" * 100)
    assert collect_contents(str(world.cache), keep_seconds=0) == 0, "it may refer to anything"
    os.unlink(Path(folder, "kb.db"))
    assert collect_contents(str(world.cache), keep_seconds=0) == 1
    contents = ContentStore(str(world.cache / "content.db"))
    assert contents.check() == "ok"
    contents.close()


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a").write_bytes(b"x" * 10)
    (tmp_path / "b.db").write_bytes(b"x" * 5)
    (tmp_path / "b.db-wal").write_bytes(b"x" * 7)
    assert (folder_size(str(tmp_path)), file_size(str(tmp_path / "b.db")), file_size("/not/there")) == (22, 12, 0)
