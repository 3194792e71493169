"""Texts and trees of a size or a shape that neighbours did not survive, through a whole session."""

import hashlib
import shutil
from pathlib import Path

import pytest
from gazetteer.app import Progress
from gazetteer.kb.model import ContentId, DiskHash, DocumentPath, Generation, Recipe
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.kb.store.rows import Coverage, NewDocument, PlacesDelta

from .small import Small, ask, paths


@pytest.fixture
def small(tmp_path: Path) -> Small:
    return Small(tmp_path)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_an_endless_line_costs_what_its_text_costs(tmp_path: Path) -> None:
    """SC01: 1,000 functions on one line or on as many lines: rows and stored bytes stay within twice of each other."""
    functions = [f"int f{number}(int a) {{ return a + {number}; }}" for number in range(1_000)]
    sizes, chunks = [], []
    for name, separator in (("lines", "\n"), ("line", " ")):
        (tmp_path / name).mkdir()
        small = Small(tmp_path / name)
        small.write("a.c", f"/* {name} */" + separator.join(functions) + "\n")
        with small.open(max_file_bytes=1_000_000) as session:
            session.sync()
            chunks.append(session.status().chunks)
            assert len(ask(session, "f999").hits[0].text) < 10_000
        sizes.append(size_of(small.cache))
    assert min(chunks) > 10
    assert max(chunks) <= 2 * min(chunks)
    assert max(sizes) < 2 * min(sizes)


@pytest.mark.parametrize("size", [2**15 - 1, 2**15, 2**15 + 1, 2**16, 600_000])
def test_the_last_symbol_of_a_file_is_found_or_the_file_is_named(small: Small, size: int) -> None:
    """SC03, SC04: at the sizes of buffers, and at the limit of a file."""
    tail = "\ndef last_quokka():\n    return 1\n"
    digests = (hashlib.sha256(str(number).encode()).hexdigest() for number in range(size // 70 + 1))
    head = "TABLE = [\n" + "".join(f'    "{digest}",\n' for digest in digests)
    small.write("big.py", head[: size - len(tail) - 2].rpartition("\n")[0] + "\n]\n" + tail)
    with small.open() as session:
        hits = ask(session, "last_quokka").hits
        found = session.status()
    if found.documents:
        assert "exact" in hits[0].via
        assert found.problems == 0
    else:
        assert [(refusal.reason, refusal.examples) for refusal in found.refused] == [("size", ("big.py",))]


HOSTILE = {
    "open.py": "(" * 20_000,
    "open.json": "[" * 20_000,
    "open.c": "{" * 20_000,
    "open.md": "> " * 5_000 + "deep\n",
    "lists.yaml": "- " * 3_000 + "x\n",
    "comments.py": "/*\n" * 3_000,
    "angles.java": "a<" * 10_000,
    "quotes.js": "`${" * 5_000,
    "tags.html": "<div>" * 10_000,
}


def test_hostile_files_cost_themselves(small: Small) -> None:
    """SC06, SC10: nesting and repetition end neither the build nor the process; the rest is there and searchable."""
    for path, text in HOSTILE.items():
        small.write(path, text)
    small.write("good.py", "def zebra():\n    return 1\n")
    with small.open() as session:
        assert ask(session, "zebra").hits[0].relpath == "good.py"
        found = session.status()
        refused = sum(refusal.count for refusal in found.refused)
        assert found.documents + refused == len(HOSTILE) + 1
        assert found.problems > 0, "what is wrong with them is counted"
        assert not session.check().findings


def test_a_build_tells_how_far_it_is_and_is_asked_as_soon_as_it_is_published(small: Small) -> None:
    """SC05: a total is known before the reading starts, and it is reached."""
    for number in range(80):
        small.write(f"m{number}.py", f"def f{number}():\n    return {number}\n")
    told: list[Progress] = []
    with small.open() as session:
        session.sync(progress=told.append)
    reading = [step for step in told if step.phase == "reading"]
    assert {step.total for step in reading} == {80}
    done = [step.done for step in reading]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 80)
    assert len(done) > 2
    assert [step.phase for step in told][-1] == "publishing"


def test_a_large_folder_that_goes_is_one_step(small: Small) -> None:
    """SC07: nothing of it is left, and no generation showed half of it."""
    for number in range(400):
        small.write(f"many/m{number}.py", f"quokka{number} = {number}\n")
    small.write("kept.py", "zebra = 1\n")
    with small.open() as session:
        session.sync()
        shutil.rmtree(small.tree / "many")
        found = session.sync()
        assert (found.generation, found.documents, found.chunks) == (2, 1, 1)
        assert found.drift.deleted == 400
        assert paths(ask(session, "quokka7 zebra")) == ["kept.py"]
        assert not session.check(full=True).findings


def test_forty_thousand_rows_go_in_one_transaction(tmp_path: Path) -> None:
    """SC07: no list of a statement grows with what is deleted."""
    some = hashlib.sha256(b"").hexdigest()
    names = [DocumentPath(f"many/m{number}.py") for number in range(40_000)]
    nothing = PlacesDelta(files={}, directories={})
    store = CorpusStore(str(tmp_path))
    rows = [
        NewDocument(name, ContentId(some), DiskHash(some), "python", "source", Recipe("r"), "", 0, 1, 0, False, 1, 0.0)
        for name in names
    ]
    head = store.commit(store.head(), rows, [], nothing, Coverage(), "one")
    assert store.published(head.generation)[0].documents == 40_000
    head = store.commit(head, [], names, nothing, Coverage(), "two")
    assert (head.generation, store.published(head.generation)[0].documents) == (2, 0)
    died, born = store.changes(Generation(1), head.generation)
    assert (len(died), born) == (40_000, [])
    store.close()
