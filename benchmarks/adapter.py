"""Gazetteer behind the JSON lines of the retrieval harness, over the public Python API.

One process a tree: ``{"op": "index", "root": DIR}`` builds the index in a temporary folder,
``{"op": "search", "query": Q, "k": N}`` answers with places, ``{"op": "quit"}`` ends. Nothing is left behind. Questions
go through the whole query boundary (sweep, hashing, receipt), as an editor's do.
"""

import json
import shutil
import sys
import tempfile
from typing import Any

from gazetteer.app import Session
from gazetteer.retrieval.query import Query

Reply = dict[str, Any]


class Adapter:
    """One session at a time, and the folder that its index lies in."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="gazetteer-bench-")
        self._session: Session | None = None

    def index(self, root: str) -> Reply:
        """Open a tree and bring its index up to date."""
        self.close()
        self._folder = tempfile.mkdtemp(prefix="gazetteer-bench-")
        self._session = Session.open(root, db_path=self._folder, one_shot=False)
        self._session.sync()
        return {"ok": True}

    def search(self, text: str, limit: int) -> Reply:
        """Places that answer, best first."""
        assert self._session is not None, "index comes before search"
        answer = self._session.retrieve(Query(text=text, limit=min(limit, 50)))
        return {"hits": [{"path": h.relpath, "start_line": h.lines[0], "end_line": h.lines[1]} for h in answer.hits]}

    def close(self) -> None:
        """Give everything back."""
        if self._session is not None:
            self._session.close()
            self._session = None
        shutil.rmtree(self._folder, ignore_errors=True)


def main() -> None:
    """Answer lines from stdin until the end."""
    adapter = Adapter()
    try:
        for line in sys.stdin:
            message = json.loads(line)
            if message["op"] == "quit":
                break
            if message["op"] == "index":
                reply = adapter.index(message["root"])
            elif message["op"] == "search":
                reply = adapter.search(message["query"], message["k"])
            else:
                reply = {"ok": True}
            print(json.dumps(reply), flush=True)
    finally:
        adapter.close()


if __name__ == "__main__":
    main()
