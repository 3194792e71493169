"""One tree and whatever happens to it, as a Hypothesis state machine; what must hold is asked after every question.

The oracle is a session with an empty cache over the same text. Where a buffer is open, "the same text" is a copy of the
tree with the buffers written to disk, so that nothing of what is tested decides what is expected. Which documents hold
a word, and which bytes stand behind a hit, is read off the disk with `re` and `hashlib`.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import hypothesis.strategies as st
from gazetteer.app import Progress, Session
from gazetteer.kb.errors import GazetteerError
from gazetteer.kb.failpoints import NAMES
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.store.corpus import CorpusStore
from gazetteer.retrieval.lexical_index import LexicalIndex
from gazetteer.retrieval.query import Query
from gazetteer.settings import Settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from .material import (
    BROKEN_SETTINGS,
    FOLDERS,
    IGNORES,
    MEMORY,
    NEW_NAMES,
    PATHS,
    RULE_FILES,
    SETTINGS,
    SOURCES,
    WORDS,
    ahead,
    flood,
    odd_bytes,
    paths,
    same_size,
    texts,
    words,
)
from .nursery import Nursery
from .oracle import ask, best, chunks, facts, look, masked_names, order, same, unjudged


class History(RuleBasedStateMachine):
    """One tree and what happens to it."""

    nursery: ClassVar[Nursery]  # of processes beside this one; set by whoever runs the machine

    @initialize(
        repository=st.booleans(),
        clock=st.sampled_from((ahead, time.time_ns)),
        files=st.lists(st.tuples(paths, texts()), min_size=3, max_size=9),
    )
    def start(self, repository: bool, clock: Callable[[], int], files: list[tuple[str, str]]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gazetteer-history-", dir=MEMORY))
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.repository = repository
        if repository:
            self.git("init", "-q")
        self.clock = clock
        self.buffers: dict[str, str] = {}
        self.version = 0
        self.acknowledged = 0
        self.session = self.open("cache")
        self.other: Session | None = None
        for path, text in files:
            self.put(path, text.encode())

    def teardown(self) -> None:  # every history ends with a question
        if not hasattr(self, "session"):
            return
        try:
            self.query("alpha")
        finally:
            self.session.close()
            if self.other is not None:
                self.other.close()
            shutil.rmtree(self.folder)

    def open(self, cache: str, tree: Path | None = None, *, reuse_ms: int = 0) -> Session:
        given = Settings(db_path=str(self.folder / cache), sweep_reuse_ms=reuse_ms, workers=1)
        return Session(str(tree or self.tree), given, clock=self.clock)

    def at(self, path: str) -> Path:
        return self.tree / path

    def git(self, *words: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0")
        subprocess.run(["git", *identity, *words], cwd=self.tree, capture_output=True, check=False)

    def room_for(self, path: str) -> bool:
        """Whether a file could be at a path, with its folders made."""
        target = self.at(path)
        if target.is_dir() or any(os.path.lexists(p) and not p.is_dir() for p in target.parents):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        return True

    def forget_buffers_below(self, path: str) -> None:
        """An editor closes what cannot be there any more."""
        for opened in [known for known in self.buffers if f"{known}/".startswith(path + "/")]:
            del self.buffers[opened]
            self.session.kb.close_buffer(DocumentPath(opened))

    # -- files --------------------------------------------------------------------------------------------------

    def put(self, path: str, data: bytes) -> None:
        if self.room_for(path):
            if self.at(path).is_symlink():
                self.at(path).unlink()
            self.at(path).write_bytes(data)

    @rule(path=paths, text=texts())
    def write(self, path: str, text: str) -> None:
        self.put(path, text.encode())

    @rule(path=paths, data=odd_bytes())
    def write_odd(self, path: str, data: bytes) -> None:
        self.put(path, data)

    @rule(path=paths, number=st.integers(0, len(WORDS) - 1))
    def write_same_size_and_time(self, path: str, number: int) -> None:
        """ST15: same size, old modification time put back; the next question is for the new word."""
        target = self.at(path)
        if target.is_file() and not target.is_symlink():
            before = target.stat()
            data, word = same_size(target.read_bytes(), number)
            target.write_bytes(data)
            os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.query(word)

    @rule(path=paths)
    def delete(self, path: str) -> None:
        """ST01, ST02: deleted while the session runs."""
        if self.at(path).is_file() or self.at(path).is_symlink():
            self.at(path).unlink()

    @rule(source=paths, goal=paths)
    def move(self, source: str, goal: str) -> None:
        """ST11, ST19, PE16: renames, between folders and in case alone."""
        if self.at(source).is_file() and self.at(goal).parent.is_dir() and not self.at(goal).is_dir():
            os.replace(self.at(source), self.at(goal))

    @rule(path=paths, text=texts())
    def save_by_rename(self, path: str, text: str) -> None:
        """As many editors save: a new file takes the place of the old one."""
        if self.room_for(path):
            beside = self.at(path + "~")
            beside.write_text(text)
            os.replace(beside, self.at(path))

    @rule(path=paths)
    def link(self, path: str) -> None:
        """A file replaced by a link that leads out of the tree."""
        if self.at(path).is_file():
            self.at(path).unlink()
            self.at(path).symlink_to("/etc/hostname")

    # -- folders ------------------------------------------------------------------------------------------------

    @rule(folder=st.sampled_from(FOLDERS), name=st.sampled_from(NEW_NAMES))
    def move_folder(self, folder: str, name: str) -> None:
        """Moved, moved into another one, or renamed in case alone."""
        into = self.at(name)
        fits = self.at(folder).is_dir() and into.parent.is_dir() and self.at(folder) not in into.parents
        if fits and not os.path.lexists(into):
            os.rename(self.at(folder), into)

    @rule(path=paths, text=texts())
    def file_becomes_folder(self, path: str, text: str) -> None:
        """ST: a name that was a document is a folder, with a document in it."""
        if self.at(path).is_file():
            self.forget_buffers_below(path)
            self.at(path).unlink()
            self.at(path).mkdir()
            (self.at(path) / "inner.py").write_text(text)

    @rule(folder=st.sampled_from((*FOLDERS, *PATHS)), text=texts())
    def folder_becomes_file(self, folder: str, text: str) -> None:
        if self.at(folder).is_dir() and not self.at(folder).is_symlink():
            self.forget_buffers_below(folder)
            shutil.rmtree(self.at(folder))
            self.at(folder).write_text(text)

    @rule()
    def empty(self) -> None:  # ST21: nothing is left but what git keeps
        for entry in sorted(self.tree.iterdir()):
            if entry.name == ".git":
                continue
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()

    # -- what decides which files count -------------------------------------------------------------------------

    @rule(name=st.sampled_from(RULE_FILES), rules=st.sampled_from(IGNORES), then=st.sampled_from(IGNORES))
    def ignore(self, name: str, rules: str, then: str) -> None:
        """K16: rules come, are looked at, and change in place: then nothing but they themselves tells of it."""
        if self.at(name).parent.is_dir():
            self.at(name).write_text(rules)
            self.query("alpha")
            self.at(name).write_text(then)

    @rule(text=st.sampled_from((*SETTINGS, BROKEN_SETTINGS)))
    def configure(self, text: str) -> None:
        """``knowledge.yaml`` edited, broken and mended."""
        self.at("knowledge.yaml").write_text(text)

    @rule()
    def nested_repository(self) -> None:  # a folder becomes a repository of its own, or stops being one
        if self.at("src").is_dir():
            inner = self.at("src/.git")
            shutil.rmtree(inner) if inner.is_dir() else subprocess.run(["git", "init", "-q", str(self.at("src"))])

    @rule(words=st.sampled_from((("add", "-A"), ("commit", "-qam", "x"), ("stash",), ("checkout", "-q", "-B", "side"))))
    def in_git(self, words: tuple[str, ...]) -> None:  # ST13: what is tracked changes, or files are put back
        if self.repository and self.at(".git").is_dir():
            self.git(*words)

    # -- buffers ------------------------------------------------------------------------------------------------

    @rule(path=paths, text=texts())
    def open_buffer(self, path: str, text: str) -> None:
        if self.room_for(path):
            self.version += 1
            self.session.kb.open_buffer(DocumentPath(path), text, self.version)
            self.buffers[path] = text

    @rule(path=st.sampled_from(SOURCES), word=words, text=texts())
    def flood_under_a_buffer(self, path: str, word: str, text: str) -> None:
        """K10: more sections on disk than a question looks at, and a buffer that owns them."""
        self.put(path, flood(word).encode())
        self.open_buffer(path, text)
        if not self.broken:
            self.few(word)
        self.put(path, text.encode())

    def few(self, word: str) -> None:
        """Whatever lies below a buffer takes no place among the best of a short answer."""
        answer = ask(self.session, word, limit=1)
        snapshot = self.session.kb.snapshot()
        holding = [d.path for d in snapshot.documents() if re.search(word, snapshot.text(d))]
        same(best(self.session, answer, word), holding)

    @precondition(lambda self: self.buffers)
    @rule(data=st.data())
    def close_buffer(self, data: st.DataObject) -> None:
        """ST18: the disk rules again, whatever it says meanwhile."""
        path = data.draw(st.sampled_from(sorted(self.buffers)))
        del self.buffers[path]
        self.session.kb.close_buffer(DocumentPath(path))

    # -- hints, sessions and processes --------------------------------------------------------------------------

    @rule(path=paths)
    def hint(self, path: str) -> None:
        """K4: a hint, true or not."""
        self.session.kb.mark_dirty(DocumentPath(path))

    @rule()
    def flush(self) -> None:
        self.attempt(self.session, lambda: self.session.kb.flush())

    @rule(old=texts(), new=texts(), path=paths, phase=st.sampled_from(("listing", "reading", "publishing")))
    def change_under_way(self, old: str, new: str, path: str, phase: str) -> None:
        """K7: a file that is being taken in is written again, or goes, in the middle of that."""
        self.put(path, old.encode())
        times = [0]

        def meddle(progress: Progress) -> None:
            if progress.phase == phase and times[0] < 2:
                times[0] += 1
                if times[0] == 1:
                    self.put(path, new.encode())
                elif self.at(path).is_file():
                    self.at(path).unlink()

        found = self.attempt(self.session, lambda: self.session.sync(progress=meddle))
        assert found is None or found.state != "failed", found.reason

    @rule()
    def restart(self) -> None:
        self.session.close()
        self.session, self.buffers = self.open("cache"), {}

    @rule()
    def another_session(self) -> None:
        """CC05: a second one on the same index comes, or goes."""
        if self.other is None:
            self.other = self.open("cache")
        else:
            self.other.close()
            self.other = None

    @rule(death=st.one_of(st.sampled_from(NAMES), st.integers(1, 9_000), st.none()))
    def another_process(self, death: str | int | None) -> None:
        """CC13, CC14, CC20: another process publishes; it is killed at a fail point, after so many calls, or not."""
        kill = {"point": death} if isinstance(death, str) else {"calls": death or 0}
        self.nursery.run("sync", tree=str(self.tree), cache=str(self.folder / "cache"), **kill)
        store, index = (
            CorpusStore(self.session.kb.folder, read_only=True),
            LexicalIndex(self.session.kb.folder + "/lexical"),
        )
        try:
            assert index.head is None or index.head.generation == 0 or store.knows(index.head)
            assert store.head().generation >= self.acknowledged
        finally:
            index.close()
            store.close()

    def attempt(self, session: Session, act: Callable[[], Any]) -> Any:
        """Do something that a knowledge.yaml that cannot be used may refuse."""
        try:
            return act()
        except GazetteerError:
            if not self.broken and session.kb.blocked is None:  # it may not have been looked at since it was mended
                raise
            return None

    # -- what must hold -----------------------------------------------------------------------------------------

    @property
    def broken(self) -> bool:
        return self.at("knowledge.yaml").is_file() and self.at("knowledge.yaml").read_text() == BROKEN_SETTINGS

    def query(self, word: str, *, compacted: bool = False) -> None:
        if self.broken:
            # Nothing can be built from such settings; what was published before answers, or the sentence is said.
            if self.session.kb.store.head().generation:
                assert self.session.retrieve(Query(text=word)).receipt.notices
            return
        if compacted:
            self.session.sync()
            self.session.compact()
        if self.other is not None or not self.buffers:
            with self.scratch({}) as fresh:
                self.compare(fresh, word, {}, ranked=compacted)
        if self.buffers:
            with self.scratch(self.buffers) as fresh:
                self.compare(fresh, word, self.buffers)

    # Several rules: Hypothesis draws among rules alike, and a history without questions shows little.
    ask_first = rule(word=words)(query)
    ask_second = rule(word=words)(query)
    ask_third = rule(word=words)(query)
    ask_fourth = rule(word=words)(query)

    @rule(word=words)
    def compact(self, word: str) -> None:
        """K13: after compaction the ranking and the scores are those of an index from scratch."""
        self.query(word, compacted=True)

    def compare(self, fresh: Session, first: str, buffers: dict[str, str], *, ranked: bool = False) -> None:
        """Ask for ``first`` and then for the other words: a question may mend what the next would have shown."""
        mine = [self.session] if buffers or not self.buffers else []
        others = [self.other] if self.other is not None and not buffers else []
        shown = unjudged(self.tree, buffers)
        hidden = masked_names(self.tree, buffers)
        asked = dict.fromkeys((first, f"{first}_0", *hidden, *WORDS))
        expected = {text: ask(fresh, text) for text in asked}
        found = {text: chunks(fresh, answer, text, shown) for text, answer in expected.items()}
        known = facts(fresh, leave_out=shown)
        for session in mine + others:
            for text in asked:
                answer = ask(session, text)
                same(chunks(session, answer, text, shown), found[text])
                if ranked and not buffers:
                    same(order(answer), order(expected[text]))
                if text in WORDS:
                    look(answer, session, text, self.tree, buffers)
            same(facts(session, leave_out=shown), known)
            if not buffers:
                refused, also = (s.kb.snapshot().coverage.refused for s in (session, fresh))
                same(sorted(refused.items()), sorted(also.items()))
            assert not session.check(full=True).findings
            self.acknowledged = max(self.acknowledged, session.kb.store.head().generation)

    @contextmanager
    def scratch(self, buffers: dict[str, str]) -> Iterator[Session]:
        """An index built from nothing over the same text."""
        tree = self.tree
        if buffers:
            tree = self.folder / "mirror" / "tree"
            shutil.copytree(self.tree, tree, symlinks=True)
            for path, text in buffers.items():
                target = tree / path
                if not target.is_symlink():  # no document, whatever is typed into it
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text)
        session = self.open("scratch", tree, reuse_ms=60_000)  # nothing changes as long as it lives
        try:
            yield session
        finally:
            session.close()
            shutil.rmtree(self.folder / "scratch")
            shutil.rmtree(self.folder / "mirror", ignore_errors=True)
