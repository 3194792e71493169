"""How neighbours came to answer from what is no more, asked of ours through sessions: real files, real stores."""

import hashlib
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gazetteer.app import Session
from gazetteer.kb import languages
from gazetteer.kb.buffer import Change
from gazetteer.kb.derive import Outcome, derive_file, derive_text
from gazetteer.kb.errors import ConflictError, IncompleteError, InvalidArgumentError
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query

from .small import Small, ask, paths

A = DocumentPath("a.py")


@pytest.fixture
def small(tmp_path: Path) -> Small:
    small = Small(tmp_path)
    small.write("a.py", "def alpha():\n    return 1\n")
    small.write("b.py", "from a import alpha\n\n\ndef beta():\n    return alpha()\n")
    return small


def test_files_at_any_depth_come_and_go(small: Small) -> None:
    """ST01, ST03: forty folders deep; a file that is removed leaves nothing, while running and while not."""
    deep = [small.write("/".join(["d"] * depth + [f"deep{depth}.py"]), "quokka = 1\n") for depth in range(1, 41)]
    for number, path in enumerate(deep):
        path.write_text(f"quokka = {number}\n")
    with small.open() as session:
        assert len(paths(ask(session, "quokka", 50))) == 40
        for path in deep[::2]:
            path.unlink()
        assert paths(ask(session, "quokka", 50)) == sorted(str(path.relative_to(small.tree)) for path in deep[1::2])
    shutil.rmtree(small.tree / "d")
    with small.open() as session:
        assert paths(ask(session, "quokka", 50)) == []
        head = session.kb.store.head()
        assert [row.path for row in session.kb.store.documents(head.generation)] == ["a.py", "b.py"]
        assert not session.check(full=True).findings


def test_a_tree_of_which_everything_is_ignored_is_done(small: Small) -> None:
    """ST05: a final state with its reason, in the first answer as in the status."""
    small.write(".gitignore", "*\n")
    with small.open() as session:
        assert ask(session, "alpha").hits == ()
        found = session.status()
    assert (found.state, found.documents, found.last_error) == ("empty", 0, "")
    assert "no file" in found.reason
    assert {refusal.reason for refusal in found.refused} == {"ignored"}


def test_status_is_about_the_generation_that_answers(small: Small) -> None:
    """ST06: after every kind of change, asked from the session that made it known and from another one."""
    changes: list[Callable[[], object]] = [
        lambda: small.write("a.py", "def alpha():\n    return 2\n"),
        lambda: small.write("c.py", "alpha = 1\n"),
        lambda: os.unlink(small.tree / "c.py"),
        lambda: os.rename(small.tree / "a.py", small.tree / "z.py"),
        lambda: None,
    ]
    with small.open() as session, small.open() as other:
        for change in changes:
            change()
            corpus = ask(session, "alpha").receipt.snapshot.corpora[0]
            said = (corpus.generation, corpus.documents, corpus.chunks)
            for asked in (session, other):
                status = asked.status()
                assert (status.generation, status.documents, status.chunks) == said
                assert [(follower.generation, follower.behind) for follower in status.followers] == [(said[0], 0)]


def test_a_rename_with_an_edit_keeps_what_other_files_say(small: Small) -> None:
    """ST11, ST19: the file that imports it is not touched, and the answer is that of an index from scratch."""
    with small.open() as session:
        session.sync()
        os.rename(small.tree / "a.py", small.tree / "c.py")
        small.write("c.py", "def alpha():\n    return 'moved'\n")
        after = _everything(session, "alpha")
        os.unlink(small.tree / "c.py")
        gone = _everything(session, "alpha")
        with small.open(db_path=str(small.folder / "scratch")) as scratch:
            assert gone == _everything(scratch, "alpha")
    assert {path for path, *_ in after} == {"b.py", "c.py"}
    assert {path for path, *_ in gone} == {"b.py"}


def _everything(session: Session, text: str) -> list[tuple[object, ...]]:
    return [(hit.relpath, hit.lines, hit.text, hit.via, hit.freshness) for hit in ask(session, text).hits]


def test_changes_of_a_buffer_without_a_pause_are_all_there(small: Small) -> None:
    """ST17, SC13: a thousand notifications, then one question; what a client has is what answers."""
    rng = random.Random(17)
    lines = ["def alpha():", "    return 1", ""]
    with small.open() as session:
        session.kb.open_buffer(A, "\n".join(lines), 1)
        for version in range(2, 1002):
            line = rng.randrange(len(lines))
            column = len(lines[line])
            new = f"w{version}" if rng.random() < 0.7 else f"\nx{version}"
            session.kb.change_buffer(A, [Change(new, (line, column, line, column))], version, "utf-16")
            lines[line : line + 1] = (lines[line] + new).split("\n")
        overlay = session.kb.overlays.get(A)
        assert overlay is not None
        assert (overlay.text, overlay.version) == ("\n".join(lines), 1001)
        last = next(word for word in reversed("\n".join(lines).split("\n")) if word.startswith("x"))
        answer = ask(session, last)
        assert [(hit.relpath, hit.freshness) for hit in answer.hits[:1]] == [("a.py", "overlay")]
        assert answer.receipt.snapshot.corpora[0].overlays[0].version == 1001


def test_a_lost_edit_of_a_buffer_is_said_until_the_whole_text_comes(small: Small) -> None:
    """PR16, K2, K9: the last text that is known answers, and nobody is told that it is the editor's."""
    with small.open() as session:
        session.kb.open_buffer(A, "def wombat():\n    pass\n", 1)
        with pytest.raises(InvalidArgumentError):
            session.kb.change_buffer(A, [Change("quokka", (1, 0, 0, 0))], 2, "utf-16")
        with pytest.raises(ConflictError):  # it fits the text that is here, but not the editor's
            session.kb.change_buffer(A, [Change("quokka", (0, 4, 0, 10))], 3, "utf-16")
        answer = ask(session, "wombat")
        assert [hit.relpath for hit in answer.hits] == ["a.py"]
        assert "An edit of a.py was lost" in " ".join(answer.receipt.notices)
        assert "1 open buffers are out of step with their editor" in answer.receipt.missing
        with pytest.raises(IncompleteError, match="out of step"):
            session.retrieve(Query(text="wombat", require="current-complete"))
        session.kb.change_buffer(A, [Change("def quokka():\n    pass\n")], 4, "utf-16")
        answer = ask(session, "quokka")
        assert [hit.freshness for hit in answer.hits] == ["overlay"]
        assert answer.receipt.notices == answer.receipt.missing == ()


@pytest.mark.parametrize("lines", [3, 3_000], ids=["small", "over 64 KB"])
def test_a_thousand_changes_are_derived_once(small: Small, lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """K5, SC13: counted where buffers are derived, here or in a derive process; asked again, nothing is derived."""
    derived: list[str] = []

    def counted(derive: Callable[..., Any]) -> Callable[..., Any]:
        def count(path: DocumentPath, text: str) -> Any:
            derived.append(path)
            return derive(path, text)

        return count

    with small.open() as session:
        ask(session, "alpha")
        monkeypatch.setattr("gazetteer.kb.at_hand.derive_text", counted(derive_text))
        facts = session.kb.facts
        monkeypatch.setattr(facts, "_derive_apart", counted(facts._derive_apart))
        session.kb.open_buffer(A, "value = 'marmalade'  # and more\n" * lines, 1)
        for version in range(2, 1002):
            session.kb.change_buffer(A, [Change("x", (1, 0, 1, 0))], version, "utf-16")
        assert derived == []
        assert paths(ask(session, "x" * 1000 + "value")) == ["a.py"]
        assert paths(ask(session, "marmalade")) == ["a.py"]
        assert derived == ["a.py"]


def test_closing_without_saving_returns_to_the_disk_of_now(small: Small) -> None:
    """ST18: the buffer's words are gone, and the disk's are those that somebody wrote meanwhile."""
    with small.open() as session:
        assert paths(ask(session, "alpha")) == ["a.py", "b.py"]
        session.kb.open_buffer(A, "def wombat():\n    pass\n", 1)
        session.kb.change_buffer(A, [Change("# quokka\n", (0, 0, 0, 0))], 2, "utf-16")
        small.write("a.py", "def zebra():\n    return 3\n")
        assert [hit.freshness for hit in ask(session, "wombat").hits] == ["overlay"]
        assert paths(ask(session, "zebra")) == [], "an open buffer owns its document"
        session.kb.close_buffer(A)
        assert paths(ask(session, "wombat")) == paths(ask(session, "quokka")) == []
        hits = ask(session, "zebra").hits
        assert [(hit.relpath, hit.freshness) for hit in hits] == [("a.py", "verified")]
        assert b"wombat" not in small.stored(), "what was never saved was never stored"


def test_closing_a_buffer_of_a_file_that_was_never_saved_leaves_nothing(small: Small) -> None:
    """ST18: or that was deleted behind the editor."""
    new = DocumentPath("new.py")
    with small.open() as session:
        session.kb.open_buffer(new, "def wombat():\n    pass\n", 1)
        session.kb.open_buffer(A, "def wombat_two():\n    pass\n", 1)
        os.unlink(small.tree / "a.py")
        assert paths(ask(session, "wombat")) == ["a.py", "new.py"]
        session.kb.close_buffer(new)
        session.kb.close_buffer(A)
        assert paths(ask(session, "wombat")) == []
        assert paths(ask(session, "alpha")) == ["b.py"]


@pytest.mark.parametrize("version", ["EXTRACTOR_VERSION", "CHUNKER_VERSION"])
def test_what_an_older_version_derived_is_derived_again(
    small: Small, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """ST20: an upgrade between two starts; the next question is answered by the new version's facts."""
    with monkeypatch.context() as older:
        older.setattr(languages, version, getattr(languages, version) - 1)
        languages.recipe.cache_clear()
        with small.open() as session:
            before = ask(session, "alpha").hits[0].provenance
    languages.recipe.cache_clear()
    with small.open() as session:
        after = ask(session, "alpha")
        assert after.receipt.freshness.refreshed == 2
        assert before.generation < after.hits[0].provenance.generation
        head = session.kb.store.head()
        recipes = {row.recipe for row in session.kb.store.documents(head.generation)}
        assert recipes == {languages.recipe("python")}
        assert not session.check(full=True).findings
        assert ask(session, "alpha").receipt.freshness.refreshed == 0, "once"


def test_emptied_is_published_and_unreadable_is_not(small: Small) -> None:
    """ST21: two things that look alike have opposite outcomes."""
    with small.open() as session:
        session.sync()
        aside = small.folder / "aside"
        os.rename(small.tree, aside)
        gone = session.sync()
        assert (gone.state, gone.documents, gone.generation) == ("failed", 2, 1)
        os.rename(aside, small.tree)
        for name in ("a.py", "b.py"):
            os.unlink(small.tree / name)
        emptied = session.sync()
        assert (emptied.state, emptied.documents, emptied.generation) == ("empty", 0, 2)
        assert ask(session, "alpha").hits == ()


@pytest.mark.parametrize("raced", [False, True])
def test_a_slow_look_at_an_older_version_does_not_win(
    small: Small, monkeypatch: pytest.MonkeyPatch, raced: bool
) -> None:
    """ST22: the file changes after it was read and before it is published; somebody else may publish it meanwhile."""
    newer = b"def newer_quokka():\n    pass\n"
    written: list[Path] = []

    def late(path: DocumentPath, *others: Any) -> Outcome:
        outcome = derive_file(path, *others)
        if not written:
            written.append(small.write("a.py", newer))
            if raced:
                with small.open() as other:
                    assert paths(ask(other, "newer_quokka")) == ["a.py"]
        return outcome

    with small.open() as session:
        session.sync()
        small.write("a.py", "def older_wombat():\n    pass\n")
        monkeypatch.setattr("gazetteer.kb.bulk.derive_file", late)
        session.kb.refresh()
        assert written
        row = session.kb.store.document(session.kb.store.head().generation, A)
        assert row is not None
        assert row.disk_hash == hashlib.sha256(newer).hexdigest()
        assert not session.check(full=True).findings
        assert paths(ask(session, "older_wombat")) == []
