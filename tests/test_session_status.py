"""What a session says of its index is true, and the same whoever asks and however (row L10, invariant 11)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query

from .e2e.ordinary import give_up_rights
from .e2e.small import Small

A = DocumentPath("a.py")
READ_ONLY = """
import json, sys
from gazetteer.app import Session
from gazetteer.retrieval.query import Query
with Session.open(sys.argv[1], db_path=sys.argv[2], one_shot=False) as session:
    said = [session.status(), session.sync(), session.status(), session.health()]
    session.retrieve(Query("alpha"))
    print(json.dumps([(one.state, one.reason) for one in (*said, session.status())]))
"""


@pytest.fixture
def small(tmp_path: Path) -> Small:
    made = Small(tmp_path)
    made.write(A, "def alpha():\n    return 1\n")
    return made


def test_what_was_stopped_has_not_failed(small: Small) -> None:
    with small.open() as session:
        session.sync()
        cancel = Cancel()
        cancel.set()
        with pytest.raises(CancelledError):
            session.sync(cancel=cancel, anew=True)
        assert (session.status().state, session.status().last_error) == ("ready", "")
        assert session.health().state == "ready"


def test_a_look_that_failed_in_the_background_is_said_until_one_has_not(small: Small) -> None:
    """C8: here of a tree that is away."""
    with small.open(one_shot=False) as session:
        session.sync()
        small.tree.rename(small.tree.with_name("elsewhere"))
        session.retrieve(Query("alpha", freshness="strict"))
        status = session.status()
        assert (status.state, "is not there" in status.reason) == ("failed", True)
        small.tree.with_name("elsewhere").rename(small.tree)
        session.retrieve(Query("alpha", freshness="strict"))
        assert (session.status().state, session.status().last_error) == ("ready", "")


def test_an_index_that_may_only_be_read_is_said_to_be_by_all(small: Small) -> None:
    """CC16: what `sync` cannot do, `status` does not call done."""
    with small.open() as session:
        session.sync()
        root, cache = session.root, Path(session.kb.folder).parent.parent
    paths = [cache, *cache.rglob("*")]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    command = [sys.executable, "-P", "-c", READ_ONLY, root, str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=give_up_rights)
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)
    before, *later = json.loads(done.stdout)
    assert (before[0], "give write permission" in before[1]) == ("ready", True)
    assert {state for state, _ in later} == {"failed"}
    assert all("give write permission" in reason for _, reason in later)
