"""What a question may ask of the boundary: a deadline, an earlier snapshot, complete evidence, every file hashed."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from gazetteer import parts
from gazetteer.app import Session
from gazetteer.kb import look
from gazetteer.kb.errors import IncompleteError, InvalidArgumentError, NotFoundError, UnavailableError
from gazetteer.kb.freshness import Boundary, Sweeper
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.engine import Caller, Retriever
from gazetteer.retrieval.federate import federate
from gazetteer.retrieval.query import Answer, Filters, Query, Standing
from gazetteer.settings import Settings

T = TypeVar("T")


@dataclass
class Member:
    """A session among several that are asked."""

    name: str
    session: Session
    standing: Standing = "attached"

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """As `federate` asks."""
        return self.session.ask(act)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def alpha(x):\n    return x\n")
    (tree / "b.py").write_text("def beta(x):\n    return alpha(x)\n")
    return tree


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server wait for its looks at the tree: how long that takes is nobody's promise."""
    monkeypatch.setattr(parts, "SERVER_WAIT_S", 60.0)


def opened(tree: Path, **settings: Any) -> Session:
    return Session(str(tree), Settings(db_path=str(tree.parent / "cache"), workers=1, **settings), one_shot=False)


def test_an_index_that_is_behind_what_was_read_is_not_complete(tree: Path) -> None:
    """K9: another process published, and its keyword index is not brought up to that yet.

    One that dies there leaves it so, and the lock keeps everybody from mending it, as its holder would.
    """
    with opened(tree) as session, opened(tree) as other:
        session.sync()
        other.sync()
        (tree / "new.py").write_text("def newcomer():\n    return 1\n")
        died = subprocess.run(
            [
                sys.executable,
                "-P",
                "-m",
                "gazetteer",
                "sync",
                "--root",
                str(tree),
                "--db-path",
                str(tree.parent / "cache"),
            ],
            env={**os.environ, "GAZETTEER_FAILPOINT": "publish.after_commit"},
            capture_output=True,
            check=False,
        )
        assert died.returncode == -signal.SIGKILL
        wanted = Query(text="newcomer", require="current-complete")
        corpora = [Member("one", session), Member("two", other)]
        with publish_lock(session.kb.folder).held():
            answer = session.retrieve(Query(text="newcomer"))
            assert "the keyword index is behind what was read last" in answer.receipt.missing
            assert any("being brought up to what was read last" in notice for notice in answer.receipt.notices)
            with pytest.raises(IncompleteError, match="behind what was read last"):
                session.retrieve(wanted)
            with pytest.raises(IncompleteError, match="behind what was read last"):
                federate(corpora, wanted, Caller())
        assert [hit.path for hit in session.retrieve(wanted).hits] == ["new.py"]
        assert federate(corpora, wanted, Caller())[0].receipt.missing == ()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("several", [False, True])
def test_what_another_process_published_under_a_question_is_asked_for_again(tree: Path, several: bool) -> None:
    """K9, CC18: the own sweep finds nothing left to do then, and what was searched is older than what it looked at."""
    with opened(tree, sweep_reuse_ms=0) as session, opened(tree, sweep_reuse_ms=0) as other:
        session.sync()
        other.sync()
        (tree / "new.py").write_text("def newcomer():\n    return 1\n")
        gate = threading.Event()
        session.parts.sweeper._pool.submit(gate.wait, 60)  # its sweep comes to its turn late

        def publish(_: object) -> None:
            if not gate.is_set():
                other.sync()
                gate.set()

        wanted, caller = Query(text="newcomer alpha", require="current-complete"), Caller(first=publish)
        if several:
            answer, _ = federate([Member("one", session), Member("two", session)], wanted, caller)
        else:
            answer = session.retrieve(wanted, first=publish)
        assert gate.is_set()
        assert "new.py" in [hit.relpath for hit in answer.hits]


@pytest.mark.usefixtures("patient")
def test_a_sweep_that_had_begun_before_a_question_came_is_not_taken_for_its_own(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K9: it may have looked where something changed since; the question waits for the next one."""
    with opened(tree, sweep_reuse_ms=0) as session:
        session.sync()
        looked, gate = threading.Event(), threading.Event()

        def slow(*given: Any, **more: Any) -> Any:
            found = look.look(*given, **more)
            looked.set()
            gate.wait(60)
            return found

        monkeypatch.setattr("gazetteer.kb.indexer.look", slow)
        session.parts.sweeper.start()
        assert looked.wait(60)
        (tree / "new.py").write_text("def newcomer():\n    return 1\n")
        answer = session.retrieve(Query(text="newcomer alpha", require="current-complete"), first=lambda _: gate.set())
        assert "new.py" in [hit.relpath for hit in answer.hits]


def test_a_deadline_during_the_first_build_gives_an_empty_partial_answer(tree: Path) -> None:
    """R4: what is ready, and what is not; the build goes on."""
    for number in range(400):
        (tree / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 20)
    with opened(tree) as session:
        answer = session.retrieve(Query(text="alpha", budget_ms=1))
        assert answer.hits == ()
        assert any(notice.startswith("Partial: ") for notice in answer.receipt.notices)
        assert answer.receipt.missing
        assert session.retrieve(Query(text="alpha")).hits


def test_a_held_snapshot_answers_as_it_did_and_says_what_the_disk_says_now(tree: Path) -> None:
    """K8: the same view again, its hits marked when the bytes are other ones now."""
    with opened(tree, sweep_reuse_ms=0) as session:
        before = session.retrieve(Query(text="alpha"))
        (tree / "a.py").write_text("def gamma(x):\n    return x\n")
        again = session.retrieve(Query(text="alpha", snapshot=before.receipt.snapshot.id))
        assert [(hit.relpath, hit.text) for hit in again.hits] == [(hit.relpath, hit.text) for hit in before.hits]
        assert {hit.relpath: hit.freshness for hit in again.hits} == {"a.py": "stale", "b.py": "verified"}
        session.sync()
        assert [hit.relpath for hit in session.retrieve(Query(text="alpha")).hits] == ["b.py"]
        with pytest.raises(NotFoundError):
            session.retrieve(Query(text="alpha", snapshot="1-000000000000"))


@pytest.mark.usefixtures("patient")
def test_an_earlier_snapshot_is_never_complete_and_current_evidence(tree: Path) -> None:
    """K9: it was not compared with the tree for this question, and a file of a hit has changed since."""
    with opened(tree) as session:
        session.sync()
        before = session.retrieve(Query(text="alpha")).receipt
        assert not before.missing
        (tree / "a.py").write_text("def gamma(x):\n    return x\n")
        again = Query(text="alpha", snapshot=before.snapshot.id, require="current-complete")
        with pytest.raises(IncompleteError, match="1 hits are of files that have changed since this snapshot"):
            session.retrieve(again)


def test_hits_that_were_not_verified_are_not_current(tree: Path) -> None:
    """K9: the deadline passes, so files are not read; that answers, and never as complete and current."""
    with opened(tree, sweep_reuse_ms=60_000) as session:
        session.sync()
        answer = session.retrieve(Query(text="alpha", budget_ms=1e-6))
        assert {hit.freshness for hit in answer.hits} == {"unverified"}
        assert "2 hits were not compared with their files" in answer.receipt.missing


def test_a_clock_that_was_set_back_makes_no_look_young(tree: Path) -> None:
    """K3: a whole look that seems to lie in the future says nothing, so the tree is looked at again."""
    with opened(tree, sweep_reuse_ms=60_000) as session:
        session.sync()
        (tree / "c.py").write_text("def alpha_too(x):\n    return x\n")
        sweeper = Sweeper(session.kb)
        boundary = Boundary(session.kb, sweeper, clock=lambda: time.time() - 3_600)
        assert not boundary.sweep_complete
        boundary.enter()
        sweeper.close()
        assert boundary.refreshed == 1


def test_a_look_that_failed_is_not_a_complete_one(tree: Path) -> None:
    """K2: however young the last whole look is, the one that was made for this question saw nothing."""
    with opened(tree, sweep_reuse_ms=0) as session:
        session.sync()
        sweeper = Sweeper(session.kb)
        boundary = Boundary(session.kb, sweeper, reuse_s=0.0)
        sweeper.close()
        session.kb.blocked = InvalidArgumentError("Settings that cannot be used.")
        with pytest.raises(UnavailableError):
            boundary.enter()
        answer = session.retrieve(Query(text="alpha"))
        assert not answer.receipt.freshness.sweep_complete


def test_a_hint_that_anything_changed_holds_up_no_question(tree: Path) -> None:
    """K4, K5: the whole look that it asks for is made beside the question, as any other."""
    with opened(tree, sweep_reuse_ms=60_000) as session:
        session.sync()
        (tree / "c.py").write_text("def alpha_too(x):\n    return x\n")
        session.kb.mark_dirty()
        sweeper = Sweeper(session.kb)
        boundary = Boundary(session.kb, sweeper, wait_s=0.0, reuse_s=60.0)
        boundary.enter()
        assert not boundary.refreshed
        sweeper.start().result()
        assert boundary.sweep_done()
        assert boundary.sweep_complete
        sweeper.close()


def held_up(session: Session, **asked: Any) -> Answer:
    """Ask while somebody holds the publish lock: an answer that waits for it is none."""
    came: list[Answer] = []
    thread = threading.Thread(target=lambda: came.append(session.retrieve(Query(text="alpha", **asked))), daemon=True)
    thread.start()
    thread.join(30)
    assert came, "the question waits for the lock"
    return came[0]


def test_a_server_waits_a_bounded_time_for_what_it_is_told_and_says_what_is_missing(tree: Path) -> None:
    """K4, K9: hints are read in the background when that takes longer; every question until then says so."""
    with opened(tree, sweep_reuse_ms=60_000) as holder, opened(tree, sweep_reuse_ms=60_000) as session:
        session.sync()
        for number in range(60):
            (tree / f"n{number}.py").write_text(f"def alpha_{number}(x):\n    return x\n")
            session.kb.mark_dirty(DocumentPath(f"n{number}.py"))
        with holder.kb.publisher.locked():
            for _ in range(2):
                receipt = held_up(session).receipt
                assert "documents are waiting to be read again" in receipt.missing
                assert any("still being read" in notice for notice in receipt.notices)
            with pytest.raises(IncompleteError):
                session.retrieve(Query(text="alpha", require="current-complete"))
        session.kb.flush()
        answer = session.retrieve(Query(text="alpha", limit=50, require="current-complete"))
        assert (len(answer.hits), answer.receipt.missing) == (50, ())


def test_no_deadline_is_overstepped_by_reading_what_changed(tree: Path) -> None:
    """R4: a command that has to answer by then does not wait for another process that publishes."""
    settings = Settings(db_path=str(tree.parent / "cache"), workers=1, sweep_reuse_ms=60_000)
    with opened(tree) as holder, Session(str(tree), settings) as session:
        session.sync()
        (tree / "a.py").write_text("def alpha_more(x):\n    return x\n")
        session.kb.mark_dirty(DocumentPath("a.py"))
        with holder.kb.publisher.locked():
            answer = held_up(session, budget_ms=300)
            assert "documents are waiting to be read again" in answer.receipt.missing
            assert "a.py" not in [hit.relpath for hit in answer.hits if hit.freshness == "verified"]


def test_hints_of_many_new_files_cost_one_look_at_the_tree(tree: Path) -> None:
    """K5: git is not asked once a path."""
    with opened(tree) as session:
        session.sync()
        for number in range(40):
            (tree / f"n{number}.py").write_text(f"def n{number}():\n    return {number}\n")
        refreshed = session.kb.ensure_fresh([DocumentPath(f"n{number}.py") for number in range(40)])
        assert (refreshed.documents, refreshed.listed) == (40, True)
        with session.kb.snapshot() as seen:
            assert seen.document(DocumentPath("n39.py")) is not None


@pytest.mark.parametrize("column", ["contents.text", "derived.data", "derived.outline"])
def test_a_stored_text_that_cannot_be_decoded_is_derived_again(tree: Path, column: str) -> None:
    """SQLite does not see a value that rotted; it costs a notice, not the answer."""
    with opened(tree) as session:
        session.sync()
    table, name = column.split(".")
    with closing(sqlite3.connect(tree.parent / "cache" / "content.db", isolation_level=None)) as db:
        db.execute(f"UPDATE {table} SET {name}=x'ff00'")
    with opened(tree) as session:
        answer = session.retrieve(Query(text="alpha"))
        assert {hit.relpath for hit in answer.hits} == {"a.py", "b.py"}
        assert any("derived again" in notice for notice in answer.receipt.notices)
    with opened(tree) as session:
        assert session.check(full=True).ok


@pytest.mark.usefixtures("patient")
def test_complete_evidence_is_refused_while_something_is_missing(tree: Path) -> None:
    """K9: the refusal says what is missing; the default answers and says it too."""
    with opened(tree, max_file_bytes=2_000) as session:
        session.sync()
        whole = Query(text="alpha", require="current-complete")
        assert session.retrieve(whole).hits
        session.kb.open_buffer(DocumentPath("a.py"), "def alpha(:\n    return\n", 1)
        with pytest.raises(IncompleteError) as refused:
            session.retrieve(whole)
        assert "half-written" in str(refused.value)
        assert any("half-written" in clause for clause in session.retrieve(Query(text="alpha")).receipt.missing)
        session.kb.close_buffer(DocumentPath("a.py"))
        assert session.retrieve(whole).hits


@pytest.mark.usefixtures("patient")
def test_a_document_that_breaks_blocks_until_it_parses_again_and_an_old_wreck_does_not(tree: Path) -> None:
    """K6: errors block only where the version before had none."""
    (tree / "wreck.py").write_text("def wreck(:\n")
    whole = Query(text="alpha", require="current-complete")
    with opened(tree, sweep_reuse_ms=0) as session:
        session.sync()
        assert session.retrieve(whole).hits
        (tree / "b.py").write_text("def beta(x:\n    return alpha(x)\n")
        session.sync()
        with pytest.raises(IncompleteError):
            session.retrieve(whole)
        (tree / "b.py").write_text("def beta(x):\n    return alpha(x)\n")
        session.sync()
        assert session.retrieve(whole).hits


@pytest.mark.usefixtures("patient")
def test_excluded_files_never_count_against_completeness(tree: Path) -> None:
    """K9: what was left out on purpose is not missing."""
    (tree / "knowledge.yaml").write_text("exclude: [b.py]\n")
    (tree / ".env").write_text("TOKEN=1\n")
    (tree / "logo.png").write_bytes(b"\x89PNG\0\0")
    with opened(tree) as session:
        assert session.retrieve(Query(text="alpha", require="current-complete")).receipt.missing == ()


def test_strict_reads_every_file_whatever_its_signature(tree: Path) -> None:
    """K2: modification times only narrow what is looked at; `strict` does not even let them do that."""
    with opened(tree) as session:
        session.sync()
        looked = session.kb.refresh(strict=True).looked_at
    assert looked == 2


@pytest.mark.parametrize("limit", [0, -1, 51, 10**9])
def test_a_limit_out_of_range_is_refused_with_the_range(tree: Path, limit: int) -> None:
    """R4, EM19: never clamped in silence."""
    with opened(tree) as session, pytest.raises(InvalidArgumentError) as refused:
        session.retrieve(Query(text="alpha", limit=limit))
    assert "1 to 50" in str(refused.value)


def test_filters_by_time_and_entity(tree: Path) -> None:
    """R8, R8a: changed-since and symbol names restrict."""
    os.utime(tree / "a.py", (1, 1))
    with opened(tree) as session:
        recent = session.retrieve(Query(text="alpha", filters=Filters(changed_since=1_000_000.0)))
        assert {hit.relpath for hit in recent.hits} == {"b.py"}
        named = session.retrieve(Query(text="alpha", filters=Filters(entities=("alpha",))))
        assert {hit.relpath for hit in named.hits} == {"a.py"}
