"""Publishing: the one door through which a corpus changes, and what it never lets through."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.kb.derive import Candidate, DeriveOptions, derive_file
from gazetteer.kb.errors import TimeoutExpiredError, UnavailableError
from gazetteer.kb.follow import NOTHING_PREPARED, FollowerFeed, FollowerState, Prepared
from gazetteer.kb.model import DocumentPath, Generation, Signature
from gazetteer.kb.publish import Proposal, Published, Publisher
from gazetteer.kb.store.content import ContentRow, ContentStore
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.kb.store.rows import NOTHING_PUBLISHED, Coverage, FileState, Head, PlacesDelta


def ahead() -> int:
    """A clock ten seconds fast: every signature is trusted at once."""
    return time.time_ns() + 10_000_000_000


class Mirror:
    """A follower that keeps the texts of the head by path, and notes what it was called for."""

    name = "mirror"

    def __init__(self) -> None:
        self.head = NOTHING_PUBLISHED
        self.texts: dict[DocumentPath, str] = {}
        self.paths: dict[int, DocumentPath] = {}
        self.broken = False
        self.seen: list[Head] = []

    def catch_up(self, feed: FollowerFeed, prepared: Prepared = NOTHING_PREPARED) -> FollowerState:
        if self.broken:
            raise UnavailableError("It cannot be written.")
        assert feed.knows(feed.head), "what a follower is told to follow was published before"
        removed, added = feed.changes(self.head.generation)
        for gone in removed:
            self.texts.pop(self.paths.pop(gone))
        for row in added:
            self.paths[row.id], self.texts[row.path] = row.path, feed.load(row.id)[0]
        self.head = feed.head
        self.seen.append(feed.head)
        return FollowerState(self.head, len(self.texts))

    def settle(self) -> None:
        pass

    @property
    def needs_compaction(self) -> bool:
        return False

    def compact(self, feed: FollowerFeed) -> FollowerState:
        return self.catch_up(feed)

    def reset(self) -> None:
        self.__init__()  # type: ignore[misc]

    def close(self) -> None:
        pass


class Corpus:
    """A tree with a store, a follower, and one publisher a "process"."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.cache = folder / "tree", folder / "cache"
        self.tree.mkdir()
        self.contents = ContentStore(str(self.cache / "content.db"))
        self.store = CorpusStore(str(self.cache / "corpus"))
        self.mirror = Mirror()
        self.publisher = self.another()
        self.options = DeriveOptions(str(self.tree), 1_000_000)

    def another(self) -> Publisher:
        return Publisher(str(self.tree), self.store.folder, self.store, self.contents, (self.mirror,), ahead)

    def write(self, path: str, text: str) -> None:
        target = self.tree / path
        target.parent.mkdir(exist_ok=True, parents=True)
        target.write_text(text)

    def read(self, path: str) -> Candidate:
        """Read, derive and store the contents of a file, as an indexer does."""
        found = derive_file(DocumentPath(path), self.options, None, None, ahead)
        assert isinstance(found, Candidate)
        self.contents.put([ContentRow(found.content_id, found.recipe, found.text, found.derived, found.outline)])
        return found

    def proposal(self, *candidates: Candidate, deletes: tuple[str, ...] = (), base: Head | None = None) -> Proposal:
        files: dict[DocumentPath, FileState | None] = {DocumentPath(path): None for path in deletes}
        files.update((c.path, FileState(c.signature, c.disk_hash)) for c in candidates)
        return Proposal(
            base or self.store.head(),
            candidates,
            [DocumentPath(path) for path in deletes],
            PlacesDelta(files, {DocumentPath(""): Signature(1, 1, 1, 1, 99)}, {"/rules": None}),
            Coverage(settings="x"),
        )

    def publish(self, *paths: str, deletes: tuple[str, ...] = ()) -> Published:
        return self.publisher.publish(self.proposal(*map(self.read, paths), deletes=deletes))

    def published(self) -> dict[str, str]:
        head = self.store.head()
        return {
            row.path: self.contents.load(row.content_id, row.recipe)[0] for row in self.store.documents(head.generation)
        }

    def recorded(self) -> dict[str, str]:
        return {path: state.disk_hash for path, state in self.store.places()[1].files.items()}


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    made = Corpus(tmp_path)
    yield made
    made.store.close()
    made.contents.close()


def test_what_was_proposed_is_published_and_followed(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    corpus.write("b.py", "beta\n")
    first = corpus.publish("a.py", "b.py")
    assert (first.head.generation, first.documents, first.deleted, first.raced) == (1, 2, 0, False)
    os.unlink(corpus.tree / "a.py")
    second = corpus.publish(deletes=("a.py",))
    assert (second.head.generation, second.documents, second.deleted) == (2, 0, 1)
    assert corpus.published() == corpus.mirror.texts == {"b.py": "beta\n"}
    assert corpus.mirror.head == corpus.store.head() == second.head


def test_bytes_that_changed_since_they_were_read_are_handed_back(corpus: Corpus) -> None:
    """K7: read, derive, look again: other bytes are not published, and their signature is not recorded."""
    corpus.write("a.py", "old words\n")
    corpus.write("b.py", "beta\n")
    proposal = corpus.proposal(corpus.read("a.py"), corpus.read("b.py"))
    corpus.write("a.py", "new words\n")
    published = corpus.publisher.publish(proposal)
    assert published.retry == ("a.py",)
    assert corpus.published() == {"b.py": "beta\n"}
    assert set(corpus.recorded()) == {"b.py"}
    assert corpus.store.places()[1].directories == {}, "an incomplete look at the tree is not recorded as a look"


def test_a_file_that_vanished_or_became_a_folder_is_handed_back(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    corpus.write("b.py", "beta\n")
    proposal = corpus.proposal(corpus.read("a.py"), corpus.read("b.py"))
    os.unlink(corpus.tree / "a.py")
    os.unlink(corpus.tree / "b.py")
    (corpus.tree / "b.py").mkdir()
    assert corpus.publisher.publish(proposal).retry == ("a.py", "b.py")
    assert corpus.published() == {}


def test_a_file_that_was_touched_and_says_the_same_is_published_with_its_new_signature(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    proposal = corpus.proposal(corpus.read("a.py"))
    os.utime(corpus.tree / "a.py", ns=(5, 5))
    assert corpus.publisher.publish(proposal).retry == ()
    (state,) = corpus.store.places()[1].files.values()
    assert state.signature.mtime_ns == 5


def test_contents_that_were_collected_meanwhile_are_handed_back(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    proposal = corpus.proposal(corpus.read("a.py"))
    corpus.contents.collect(set(), keep_seconds=0, keep_bytes=0)
    assert corpus.publisher.publish(proposal).retry == ("a.py",)
    assert corpus.published() == {}


def test_nothing_new_publishes_no_generation_and_records_the_look(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    first = corpus.publish("a.py").head
    os.utime(corpus.tree / "a.py", ns=(5, 5))
    assert corpus.publish("a.py").head == first
    (state,) = corpus.store.places()[1].files.values()
    assert state.signature.mtime_ns == 5


def test_the_first_publication_of_an_empty_tree_is_a_generation(corpus: Corpus) -> None:
    """ST05, ST21: empty is a published state."""
    assert corpus.publish().head.generation == 1
    assert corpus.mirror.head == corpus.store.head()


# ---------------------------------------------------------------- two at once


def test_a_proposal_that_lost_a_race_is_rebased(corpus: Corpus) -> None:
    """K7: what still holds is published on top of the other's; nothing of the other's is lost."""
    for name in ("a", "b"):
        corpus.write(f"{name}.py", f"{name}\n")
    mine = corpus.proposal(corpus.read("a.py"), corpus.read("b.py"))
    corpus.write("c.py", "c\n")
    corpus.publish("b.py", "c.py")
    published = corpus.publisher.publish(mine)
    assert (published.raced, published.documents, published.places) == (True, 1, None)
    assert corpus.published() == {"a.py": "a\n", "b.py": "b\n", "c.py": "c\n"}
    ids = [row.id for row in corpus.store.documents(Generation(1))]
    assert {row.id for row in corpus.store.documents(Generation(2))} > set(ids), "what is equal is not written again"


def test_after_a_race_an_older_text_never_replaces_a_newer_one(corpus: Corpus) -> None:
    """ST22: the late one reads again what the other saw later."""
    corpus.write("a.py", "first\n")
    mine = corpus.proposal(corpus.read("a.py"))
    corpus.write("a.py", "second\n")
    corpus.publish("a.py")
    assert corpus.publisher.publish(mine).retry == ("a.py",)
    assert corpus.published() == {"a.py": "second\n"}


def test_after_a_race_a_file_that_is_there_again_is_not_deleted(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    head = corpus.publish("a.py").head
    os.unlink(corpus.tree / "a.py")
    mine = corpus.proposal(deletes=("a.py",), base=head)
    corpus.write("a.py", "again\n")
    corpus.publish("a.py")
    published = corpus.publisher.publish(mine)
    assert published.retry == ("a.py",)
    assert corpus.published() == {"a.py": "again\n"}
    assert "a.py" in corpus.recorded()


def test_after_a_race_the_tree_has_to_be_listed_again_by_whoever_looks_next(corpus: Corpus) -> None:
    """The loser may have published what a rule that the winner has seen leaves out."""
    corpus.write("a.py", "alpha\n")
    mine = corpus.proposal(corpus.read("a.py"))
    corpus.publish()
    corpus.publisher.publish(mine)
    places = corpus.store.places()[1]
    root = places.directories[DocumentPath("")]
    assert not root.trusted()
    assert root.inode == 0, "no folder has this signature"
    assert places.rule_files == {"/rules": None}, "what the winner saw stays"


@pytest.mark.parametrize("lock", ["own", "another"])
def test_only_one_thread_publishes_at_a_time(corpus: Corpus, lock: str) -> None:
    """CC09: threads of one process exclude each other as processes do."""
    other = corpus.publisher if lock == "own" else corpus.another()
    tried = threading.Event()
    outcome: list[object] = []

    def try_it() -> None:
        try:
            with other.locked(0.05):
                outcome.append("got in")
        except TimeoutExpiredError as error:
            outcome.append(error)
        tried.set()

    with corpus.publisher.locked():
        assert corpus.publisher.is_held()
        threading.Thread(target=try_it).start()
        assert tried.wait(20)
    assert isinstance(outcome[0], TimeoutExpiredError)
    assert not corpus.publisher.is_held()
    with other.locked(0.05):
        pass


def test_the_holder_may_take_the_lock_once_more(corpus: Corpus) -> None:
    with corpus.publisher.locked(), corpus.publisher.locked(0.05):
        pass
    assert not corpus.publisher.is_held()


# ---------------------------------------------------------------- followers


def test_a_follower_that_fails_costs_a_notice_and_catches_up_next_time(corpus: Corpus) -> None:
    """CC07: the store has the truth; a follower in trouble stops nothing and misses nothing."""
    corpus.write("a.py", "alpha\n")
    corpus.mirror.broken = True
    published = corpus.publish("a.py")
    assert published.head.generation == 1
    assert any("mirror" in notice for notice in published.notices)
    corpus.write("a.py", "alpha two\n")
    corpus.publish("a.py")
    corpus.mirror.broken = False
    assert corpus.publisher.catch_up() == ()
    assert corpus.mirror.texts == corpus.published() == {"a.py": "alpha two\n"}


def test_an_unchanged_tree_still_brings_a_follower_up(corpus: Corpus) -> None:
    corpus.write("a.py", "alpha\n")
    corpus.mirror.broken = True
    corpus.publish("a.py")
    corpus.mirror.broken = False
    corpus.publish("a.py")
    assert corpus.mirror.head == corpus.store.head()


def test_collecting_never_passes_a_follower(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A follower that is behind still finds what died and what was born since."""
    monkeypatch.setattr("gazetteer.kb.publish.KEEP_SECONDS", -1.0)
    monkeypatch.setattr("gazetteer.kb.publish.COLLECT_EVERY", 1)
    corpus.write("a.py", "1\n")
    corpus.publish("a.py")
    corpus.mirror.broken = True
    for text in ("2\n", "3\n", "4\n"):
        corpus.write("a.py", text)
        corpus.publish("a.py")
    assert corpus.store.knows(corpus.mirror.head)
    os.unlink(corpus.tree / "a.py")
    corpus.publish(deletes=("a.py",))
    corpus.mirror.broken = False
    corpus.publisher.catch_up()
    assert corpus.mirror.texts == {}
    corpus.publish()
    corpus.write("b.py", "b\n")
    corpus.publish("b.py")
    assert not corpus.store.knows(Head(Generation(1), "")), "then it is collected"
    assert len(list(corpus.store.documents(Generation(1)))) == 0
