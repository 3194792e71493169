"""The watcher is a hint and nothing else: it marks dirty early, and an answer is right without it (row K4)."""

import threading
from pathlib import Path

from gazetteer.kb.model import DocumentPath

from .small import Small, ask, paths


def test_a_watched_edit_is_marked_before_anybody_asks(tmp_path: Path) -> None:
    small = Small(tmp_path)
    small.write("a.py", "def alpha():\n    return 1\n")
    marked = threading.Event()
    with small.open(one_shot=False, watch=True) as session:
        mark = session.kb.journal.mark

        def hear(path: DocumentPath, reason: str) -> None:
            mark(path, reason)
            if (path, reason) == ("a.py", "watched"):
                marked.set()

        session.kb.journal.mark = hear  # type: ignore[method-assign]
        assert paths(ask(session, "alpha")) == ["a.py"]
        assert session.parts.watcher is not None
        assert session.parts.watcher.started.wait(30)
        small.write("a.py", "def beta():\n    return 1\n")
        assert marked.wait(30)
        assert session.kb.journal.pending
        session.kb.flush()  # a server's question waits for it no longer than 50 ms
        assert paths(ask(session, "beta")) == ["a.py"]


def test_watching_is_off_unless_it_is_asked_for(tmp_path: Path) -> None:
    small = Small(tmp_path)
    small.write("a.py", "def alpha():\n    return 1\n")
    with small.open(one_shot=False) as session:
        assert paths(ask(session, "alpha")) == ["a.py"]
        assert session.parts.watcher is None
