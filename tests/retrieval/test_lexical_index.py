"""The keyword index follows the store: incremental equals rebuild, and no accident makes it answer wrongly."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from gazetteer.kb.errors import DamagedError, UnavailableError
from gazetteer.kb.model import Chunk, Derived, DocumentId, DocumentPath, Generation, Kind
from gazetteer.kb.store.rows import DocumentRow, Head
from gazetteer.retrieval import lexical_folder, terms
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.lexical import format_of
from gazetteer.retrieval.lexical_folder import IndexFolder
from gazetteer.retrieval.lexical_index import COMPACT_MINIMUM, LexicalIndex
from gazetteer.retrieval.lexical_request import request_for
from hypothesis import given, settings
from hypothesis import strategies as st


class MemoryStore:
    """A store in memory that keeps every version, so that it can feed a follower from any generation."""

    def __init__(self, name: str = "store") -> None:
        self.name = name
        self.versions: list[tuple[DocumentRow, str, int]] = []  # row, text, died (0 while it lives)
        self.generation = 0
        self.oldest_known = 0
        self.loads = 0
        self.lost = DocumentId(0)  # a document that cannot be loaded

    @property
    def head(self) -> Head:
        return self._head(self.generation)

    def _head(self, generation: int) -> Head:
        return Head(Generation(generation), f"{self.name}-{generation}")

    def publish(self, **texts: str | None) -> None:
        """Set documents to a text, or drop them with None, in one generation."""
        self.generation += 1
        for name, text in texts.items():
            path = DocumentPath(f"src/{name}.py")
            for at, (row, old, died) in enumerate(self.versions):
                if row.path == path and not died:
                    self.versions[at] = (row, old, self.generation)
            if text is not None:
                self.versions.append((self._row(path), text, 0))

    def _row(self, path: DocumentPath) -> DocumentRow:
        return DocumentRow(
            id=DocumentId(len(self.versions) + 1),
            path=path,
            content_id="",  # type: ignore[arg-type]
            disk_hash="",  # type: ignore[arg-type]
            language="python",
            source_type="code",
            recipe="",  # type: ignore[arg-type]
            partial="",
            problems=0,
            chunks=1,
            symbols=0,
            regressed=False,
            size=0,
            changed_at=0.0,
            born=Generation(self.generation),
            died=Generation(2**62),
        )

    def knows(self, head: Head) -> bool:
        return self.oldest_known <= head.generation <= self.generation and head == self._head(head.generation)

    def changes(self, after: Generation) -> tuple[list[DocumentId], list[DocumentRow]]:
        removed = [row.id for row, _, died in self.versions if row.born <= after < died]
        added = [row for row, _, died in self.versions if row.born > after and not died]
        return removed, added

    def live_documents(self) -> Iterator[DocumentRow]:
        return iter(sorted((row for row, _, died in self.versions if not died), key=lambda row: row.path))

    def load(self, document_id: DocumentId) -> tuple[str, Derived]:
        self.loads += 1
        if document_id == self.lost:
            raise DamagedError("The text is damaged.")
        text = self.versions[document_id - 1][1]
        chunks, start = [], 0
        for number, line in enumerate(text.splitlines(keepends=True) or [""], start=1):
            chunks.append(Chunk(start, start + len(line), number, number, Kind.BLOCK))
            start += len(line)
        return text, Derived("python", "", len(chunks), tuple(chunks))

    def paths(self, ids: Iterable[DocumentId]) -> dict[DocumentId, DocumentPath]:
        return {document_id: self.versions[document_id - 1][0].path for document_id in ids}


Found = list[tuple[str, int, float]]


def find(index: LexicalIndex, store: MemoryStore, query: str = "word common rare") -> Found:
    reader = index.reader()
    assert reader is not None
    matches = reader.search(request_for(analyse(query), 10_000), store.paths)
    paths = store.paths(match.document_id for match in matches)
    return [(paths[match.document_id], match.ordinal, match.score) for match in matches]


def places(found: Found) -> set[tuple[str, int]]:
    return {(path, ordinal) for path, ordinal, _ in found}


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.publish(a="common word\nrare thing", b="common ground", c="nothing here")
    return store


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    index = LexicalIndex(str(tmp_path / "lexical"))
    yield index
    index.close()


def test_it_starts_with_nothing_and_catches_up(index: LexicalIndex, store: MemoryStore) -> None:
    assert index.reader() is None
    state = index.catch_up(store)
    assert (state.head, state.entries, state.rebuilt) == (store.head, 4, "there was none")
    assert places(find(index, store)) == {("src/a.py", 0), ("src/a.py", 1), ("src/b.py", 0)}


def test_it_applies_what_changed_and_says_how_far_it_is(index: LexicalIndex, store: MemoryStore) -> None:
    """ST02: what a deleted or changed document said is gone with the next commit."""
    index.catch_up(store)
    held = index.reader()
    store.publish(a="common sense", b=None, d="rare bird")
    state = index.catch_up(store)
    assert (state.head, state.rebuilt) == (store.head, "")
    assert places(find(index, store)) == {("src/a.py", 0), ("src/d.py", 0)}
    assert index.head == store.head
    assert held is not None
    assert held.head.generation == 1  # K8: what is held does not move
    assert len(held.search(request_for(analyse("common"), 10))) == 2


def test_catching_up_twice_changes_nothing(index: LexicalIndex, store: MemoryStore) -> None:
    index.catch_up(store)
    before = find(index, store)
    reader = index.reader()
    assert index.catch_up(store).rebuilt == ""
    assert index.reader() is reader
    assert find(index, store) == before


def test_prepared_fields_are_taken_and_wrong_ones_are_made_again(index: LexicalIndex, store: MemoryStore) -> None:
    rows = list(store.live_documents())
    prepared = {row.id: terms.prepare(row.path, *store.load(row.id)) for row in rows}
    prepared[rows[2].id] = b"\xff nonsense"
    store.loads = 0
    index.catch_up(store, prepared)
    assert store.loads == 1
    fresh = LexicalIndex(str(index._folder.root) + "-fresh")
    fresh.catch_up(store)
    assert find(index, store) == find(fresh, store)
    fresh.close()


names = st.sampled_from(["a", "b", "c", "d"])
texts = st.lists(st.sampled_from(["common", "rare", "word", "other", "\n"]), max_size=6).map(" ".join)
edits = st.dictionaries(names, st.none() | texts, max_size=3)


@settings(max_examples=10, deadline=None)
@given(steps=st.lists(st.tuples(edits, st.sampled_from(["", "follow", "restart", "settle"])), max_size=5))
def test_incremental_equals_rebuild(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[dict[str, str | None], str]]
) -> None:
    """K13: the same chunks match after any history; scores are the same after compaction."""
    folder = tmp_path_factory.mktemp("history")
    store = MemoryStore()
    index = LexicalIndex(str(folder / "followed"))
    for change, then in steps:
        store.publish(**change)
        if then:
            index.catch_up(store)
        if then == "settle":
            index.settle()
        if then == "restart":
            index.close()
            index = LexicalIndex(str(folder / "followed"))
    index.catch_up(store)
    scratch = LexicalIndex(str(folder / "scratch"))
    scratch.catch_up(store)
    assert places(find(index, store)) == places(find(scratch, store))
    index.compact(store)
    assert find(index, store) == find(scratch, store)
    index.close()
    scratch.close()
    shutil.rmtree(folder)


def test_another_history_is_rebuilt(index: LexicalIndex, store: MemoryStore) -> None:
    """A generation number that the store used for something else, or forgot, is no starting point."""
    index.catch_up(store)
    other = MemoryStore("other")
    other.publish(a="rare other")
    assert index.catch_up(other).rebuilt == "its generation is unknown"
    assert places(find(index, other)) == {("src/a.py", 0)}
    other.publish(b="word")
    other.oldest_known = 2
    assert index.catch_up(other).rebuilt == "its generation is unknown"
    assert places(find(index, other)) == {("src/a.py", 0), ("src/b.py", 0)}


def test_an_index_of_another_analyzer_is_rebuilt(index: LexicalIndex, store: MemoryStore) -> None:
    """ST20: what an older version made is never asked."""
    old = LexicalIndex(index._folder.root, index_format=format_of("words-0"))
    old.catch_up(store)
    old.close()
    assert index.reader() is None
    assert index.catch_up(store).rebuilt == "it was damaged or of another version"
    assert index.head == store.head


def live_folder(index: LexicalIndex) -> str:
    path = index._folder.current()
    assert path is not None
    return path


def files_of(index: LexicalIndex, ending: str) -> list[str]:
    folder = live_folder(index)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(ending)]


@pytest.mark.parametrize(
    "ending", ["meta.json", ".idx", ".term", ".fast", ".fieldnorm", ".store", ".pos", ".managed.json"]
)
@pytest.mark.parametrize("damage", ["cut", "zeroed", "removed"])
def test_a_damaged_index_is_rebuilt(index: LexicalIndex, store: MemoryStore, ending: str, damage: str) -> None:
    index.catch_up(store)
    expected = find(index, store)
    index.close()
    for path in files_of(index, ending):
        size = os.path.getsize(path)
        if damage == "removed":
            os.unlink(path)
        else:
            os.truncate(path, size // 2)
        if damage == "zeroed":
            Path(path).write_bytes(b"\0" * size)
    reopened = LexicalIndex(index._folder.root)
    state = reopened.catch_up(store)
    assert state.rebuilt == "it was damaged or of another version" or ending == ".managed.json"
    assert find(reopened, store) == expected
    reopened.close()


@pytest.mark.parametrize("pointer", ["", "ix-gone", "../../etc", "\0\xff", "ix-" + "a" * 200])
def test_a_pointer_that_says_nonsense_is_rebuilt(index: LexicalIndex, store: MemoryStore, pointer: str) -> None:
    index.catch_up(store)
    index.close()
    Path(index._folder.root, lexical_folder.POINTER).write_text(pointer)
    assert index.reader() is None
    assert index.catch_up(store).rebuilt
    assert len(find(index, store)) == 3


def test_damage_seen_while_reading_is_reported_and_mended(index: LexicalIndex, store: MemoryStore) -> None:
    index.catch_up(store)
    index.report_damage("a read failed")
    assert index.reader() is None
    assert index.catch_up(store).rebuilt == "a read failed"
    assert len(find(index, store)) == 3


def test_damage_that_only_reading_finds_is_our_error(index: LexicalIndex, store: MemoryStore) -> None:
    """The library panics on garbled postings, which must end neither the process nor the session."""
    store.publish(big="\n".join(f"common word{number}" for number in range(3_000)))
    index.catch_up(store)
    index.close()
    for path in files_of(index, ".idx"):
        data = Path(path).read_bytes()
        body, said = data[: -8 - int.from_bytes(data[-8:-4], "little")], b'{"version":%s,"crc":%d}'
        version = re.findall(rb'"version":({.*?})', data[len(body) :])[0]
        garbled = bytes(byte ^ 0x55 for byte in body[:-100]) + body[-100:]
        footer = said % (version, zlib.crc32(garbled))  # as if it had been written so: opening finds all in order
        Path(path).write_bytes(garbled + footer + len(footer).to_bytes(4, "little") + data[-4:])
    with pytest.raises(DamagedError):
        find(index, store, "common")


def test_a_catch_up_that_failed_leaves_nothing_behind(index: LexicalIndex, store: MemoryStore) -> None:
    """What one document's damage interrupted is not in the next commit, though its documents died meanwhile."""
    index.catch_up(store)
    store.publish(d="rare bird", e="rare fish")
    lost, store.lost = store.lost, DocumentId(len(store.versions))
    with pytest.raises(DamagedError):
        index.catch_up(store)
    store.lost = lost
    assert len(find(index, store)) == 3
    store.publish(d=None, e=None)
    assert index.catch_up(store).head == store.head
    assert len(find(index, store)) == 3


def test_a_crash_in_the_middle_of_a_rebuild_leaves_the_old_index(index: LexicalIndex, store: MemoryStore) -> None:
    """CC20: only the replaced pointer makes a new folder live; what was left behind is swept."""
    index.catch_up(store)
    half_built = IndexFolder(index._folder.root).fresh()
    Path(half_built, "meta.json").write_text("{")
    assert len(find(index, store)) == 3
    index.settle()
    assert not os.path.exists(half_built)
    assert len(find(index, store)) == 3


def test_closing_leaves_what_another_process_builds_alone(index: LexicalIndex, store: MemoryStore) -> None:
    """CC20: whoever closes does not hold the publish lock, so a folder that is not live may be somebody's work."""
    index.catch_up(store)
    index.settle()
    half_built = IndexFolder(index._folder.root).fresh()
    index.close()
    assert os.path.exists(half_built)


def test_another_process_sees_commits_and_swaps(index: LexicalIndex, store: MemoryStore) -> None:
    index.catch_up(store)
    other = LexicalIndex(index._folder.root)
    assert other.head == store.head
    store.publish(d="rare")
    index.catch_up(store)
    assert other.head == store.head
    held = other.reader()
    store.publish(e="rare")
    index.catch_up(store)
    index.compact(store)
    index.settle()
    assert other.head == store.head
    assert len(find(other, store)) == 5
    assert held is not None
    assert len(held.search(request_for(analyse("rare"), 10))) == 2
    other.close()


def test_only_one_writer_at_a_time(index: LexicalIndex, store: MemoryStore) -> None:
    """Without the publish lock a second writer is refused, and nothing is lost."""
    index.catch_up(store)
    other = LexicalIndex(index._folder.root)
    store.publish(d="rare")
    with pytest.raises(UnavailableError):
        other.catch_up(store)
    index.settle()
    assert other.catch_up(store).head == store.head
    assert len(find(other, store)) == 4
    other.close()


def test_many_small_commits_keep_few_parts(index: LexicalIndex, store: MemoryStore) -> None:
    for number in range(20):
        store.publish(a=f"common {number}")
        index.catch_up(store)
        index.settle()
    assert len(files_of(index, ".idx")) < 12
    assert len(find(index, store)) == 2


def test_compaction_is_asked_for_when_much_is_dead(index: LexicalIndex, store: MemoryStore) -> None:
    """SC07: forty thousand chunks die in one commit."""
    store.publish(big="\n".join(f"word{number}" for number in range(40_000)))
    index.catch_up(store)
    assert not index.needs_compaction
    store.publish(big="rare")
    index.catch_up(store)
    index.settle()
    total, dead = lexical_folder.counts(live_folder(index))
    assert index.needs_compaction == (dead >= COMPACT_MINIMUM)  # a merge may have dropped the dead already
    assert total - dead == 6
    index.compact(store)
    assert lexical_folder.counts(live_folder(index)) == (6, 0)
    assert not index.needs_compaction
    assert len(find(index, store)) == 4


def test_nothing_is_readable_by_others(index: LexicalIndex, store: MemoryStore) -> None:
    """SE06: folders 0700, files 0600, whatever the umask."""
    old = os.umask(0o022)
    try:
        index.catch_up(store)
        store.publish(d="rare")
        index.catch_up(store)
        index.close()
    finally:
        os.umask(old)
    for folder, _, names in os.walk(index._folder.root):
        assert os.stat(folder).st_mode & 0o777 == 0o700
        for name in names:
            assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600, name


def run_child(body: str, *arguments: str) -> None:
    """Run code in a process of its own, with this file's helpers at hand."""
    prelude = f"""
        import importlib.util, os, resource, signal, sys
        spec = importlib.util.spec_from_file_location("helpers", {__file__!r})
        helpers = importlib.util.module_from_spec(spec)
        sys.modules["helpers"] = helpers
        spec.loader.exec_module(helpers)
        from helpers import *
    """
    code = textwrap.dedent(prelude) + textwrap.dedent(body)
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_full_disk_costs_a_sentence_and_nothing_else(tmp_path: Path) -> None:
    """CC07: the write fails, the old index answers, and the next commit works once there is room."""
    run_child(
        """
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = MemoryStore()
        store.publish(a="common word", b="common ground")
        index = LexicalIndex(sys.argv[1])
        index.catch_up(store)
        before = find(index, store)
        store.publish(c="\\n".join(f"rare{n} word{n * 7}" for n in range(6_000)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        for attempt in range(3):
            try:
                index.catch_up(store)
            except UnavailableError as error:
                assert "free disk space" in error.message
            else:
                raise SystemExit("the limit was not met")
            assert find(index, store) == before
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        index.catch_up(store)
        assert index.head == store.head
        assert find(index, store, "rare5999")[0][:2] == ("src/c.py", 5_999)
        index.close()
        """,
        str(tmp_path / "lexical"),
    )


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # what TMPDIR names may be closed to others
        os.chmod(name, 0o755)
        yield Path(name)
        for folder, _, _ in os.walk(name):
            os.chmod(folder, 0o700)


def test_an_index_that_may_only_be_read_answers(open_folder: Path) -> None:
    """CC16: an ordinary user without write permission reads it, and is told in a sentence that it cannot be written."""
    root = open_folder / "lexical"
    index, store = LexicalIndex(str(root)), MemoryStore()
    store.publish(a="common word")
    index.catch_up(store)
    index.close()
    for folder, _, names in os.walk(root):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o444)
        os.chmod(folder, 0o555)
    run_child(
        """
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        store = MemoryStore()
        store.publish(a="common word")
        index = LexicalIndex(sys.argv[1])
        assert index.head == store.head
        assert len(find(index, store)) == 1
        store.publish(b="common")
        try:
            index.catch_up(store)
        except UnavailableError as error:
            assert "write permission" in error.message
        else:
            raise SystemExit("it was written")
        assert len(find(index, store)) == 1
        index.close()
        """,
        str(root),
    )
    os.chmod(root, 0o700)
    run_child(
        """
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        else:
            os.chmod(sys.argv[1], 0)
        try:
            LexicalIndex(sys.argv[1]).reader()
        except UnavailableError as error:
            assert "cannot be opened" in error.message
        else:
            raise SystemExit("it was opened")
        """,
        str(root),
    )


def test_reset_forgets_everything(index: LexicalIndex, store: MemoryStore) -> None:
    index.catch_up(store)
    index.reset()
    assert index.reader() is None
    assert not [name for name in os.listdir(index._folder.root) if name.startswith("ix-")]
    assert index.catch_up(store).rebuilt == "there was none"
