"""What a killed process or a bad disk leaves in the folder of the keyword index never costs an answer."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.retrieval.lexical_index import LexicalIndex

from .test_lexical_index import MemoryStore, files_of, find, live_folder


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.publish(a="common word\nrare thing", b="common ground", c="nothing here")
    return store


@pytest.fixture
def index(tmp_path: Path, store: MemoryStore) -> Iterator[LexicalIndex]:
    index = LexicalIndex(str(tmp_path / "lexical"))
    index.catch_up(store)
    index.close()  # with the writer, so that the next catch-up opens the folder as another process does
    yield index
    index.close()


def killed_before_the_list_was_written(index: LexicalIndex, store: MemoryStore, *, known: bool) -> None:
    """Commit in a copy of the folder, and bring back the files of deletions: they are written before ``meta.json``.

    They are named by a count that the next process counts again. ``known`` says whether the library noted them.
    """
    copy = LexicalIndex(index._folder.root + "-copy")
    shutil.copytree(index._folder.root, copy._folder.root)
    copy.catch_up(store)
    copy.close()
    deletions = files_of(copy, ".del")
    assert deletions
    for path in (*deletions, *(files_of(copy, ".managed.json") if known else ())):
        shutil.copy(path, live_folder(index))


@pytest.mark.parametrize("known", [True, False])
def test_deletions_that_a_killed_process_had_written_are_in_nobodys_way(
    index: LexicalIndex, store: MemoryStore, known: bool
) -> None:
    """CC20, CC13: the same files are written again, or the index is built again; the next catch-up is at the head."""
    store.publish(a="common sense", b=None)
    killed_before_the_list_was_written(index, store, known=known)
    state = index.catch_up(store)
    assert state.head == store.head
    assert bool(state.rebuilt) is not known
    assert [path for path, *_ in find(index, store)] == ["src/a.py"]
    store.publish(c="common again")
    assert index.catch_up(store).rebuilt == ""
    assert {path for path, *_ in find(index, store)} == {"src/a.py", "src/c.py"}


ENDINGS = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term", ".del")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_one_other_bit_anywhere_is_damage(index: LexicalIndex, store: MemoryStore, ending: str, place: float) -> None:
    """CC15: the library reads on over most of it and would answer something else."""
    store.publish(a=None, d="word common common")
    index.catch_up(store)
    expected = find(index, store)
    index.close()
    harmed = files_of(index, ending)
    assert harmed
    for path in harmed:
        data = bytearray(Path(path).read_bytes())
        footer = 8 + int.from_bytes(data[-8:-4], "little")
        data[int((len(data) - footer) * place)] ^= 1
        Path(path).write_bytes(data)
    other = LexicalIndex(index._folder.root)
    assert other.reader() is None
    assert other.catch_up(store).rebuilt == "it was damaged or of another version"
    assert {found[:2] for found in find(other, store)} == {found[:2] for found in expected}
    other.close()


def test_an_index_of_many_parts_is_what_was_written(index: LexicalIndex, store: MemoryStore) -> None:
    """What merges, deletions and restarts leave is sound: nothing is built anew for nothing."""
    for number in range(12):
        store.publish(a=f"common {number}", b=None if number % 3 else "rare word")
        other = LexicalIndex(index._folder.root)
        assert other.catch_up(store).rebuilt == ""
        other.close()
