"""Gazetteer behind the JSON lines of the retrieval harnesses, over the public Python API.

One process a tree, ``{"op": "index", "root": DIR}``, or a set of corpora, ``{"op": "index", "corpora": [{"name": N,
"root": DIR, "aliases": {PATH: [NAMES]}}]}``. Indexes are built in a temporary folder. ``{"op": "search", "query": Q,
"k": N}`` answers with places, those of corpora with their texts (``"only": [NAMES]`` asks these); ``{"op": "quit"}``
ends. Nothing is left behind. Questions go through the whole query boundary, as an editor's do.

    python -m benchmarks.adapter [--keep FOLDER] [--without RULE ...]

``--keep`` has the indexes in a folder that stays; ``--without`` leaves out rules by which corpora are weighed.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gazetteer.app import Session
from gazetteer.corpora.entry import Entry
from gazetteer.retrieval.engine import Caller, Retriever
from gazetteer.retrieval.federate import federate
from gazetteer.retrieval.query import API_LIMIT, Answer, Query, Standing
from gazetteer.retrieval.route_rules import RULES, RouteRule
from gazetteer.settings import Settings

Reply = dict[str, Any]
T = TypeVar("T")


class Corpus:
    """A tree that takes part in questions, open."""

    standing: Standing = "registered"

    def __init__(self, name: str, root: str, folder: str, aliases: Mapping[str, Sequence[str]]) -> None:
        self.name = name
        self._copy = ""
        if aliases:  # they are declared in the tree, so a copy of it declares them
            self._copy = tempfile.mkdtemp(prefix="gazetteer-bench-tree-")
            root = shutil.copytree(root, os.path.join(self._copy, os.path.basename(root)))
            with open(os.path.join(root, "knowledge.yaml"), "w", encoding="utf-8") as file:
                json.dump({"aliases": aliases}, file)
        self.session = Session(root, Settings(db_path=folder), one_shot=False, entries=lambda: Entry(name=name))

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """Do something with what answers questions about it."""
        return self.session.ask(act)

    def close(self) -> None:
        """Give everything back."""
        self.session.close()
        shutil.rmtree(self._copy, ignore_errors=True)


class Adapter:
    """The corpora of one set, and the folder that their indexes lie in."""

    def __init__(self, keep: str = "", rules: Sequence[RouteRule] = RULES) -> None:
        self._keep = keep
        self.rules = rules
        self._folder = ""
        self.corpora: dict[str, Corpus] = {}
        self._single = False

    def index(self, message: Reply) -> Reply:
        """Open trees and bring their indexes up to date; what each took and holds."""
        self.close()
        self._folder = self._keep or tempfile.mkdtemp(prefix="gazetteer-bench-")
        self._single = "root" in message
        reply: Reply = {"ok": True, "corpora": {}}
        for given in message.get("corpora") or [{"name": "tree", "root": message["root"]}]:
            started = time.perf_counter()
            corpus = Corpus(given["name"], given["root"], self._folder, given.get("aliases", {}))
            self.corpora[corpus.name] = corpus
            corpus.session.sync()
            status = corpus.session.status()
            reply["corpora"][corpus.name] = {
                "seconds": round(time.perf_counter() - started, 2),
                "documents": status.documents,
                "chunks": status.chunks,
                "mb": round(status.index_bytes / 1e6, 1),
            }
        return reply

    def ask(self, text: str, limit: int, only: Sequence[str] = ()) -> Answer:
        """Ask all corpora, or some."""
        members = [corpus for name, corpus in self.corpora.items() if not only or name in only]
        return federate(members, Query(text=text, limit=min(limit, API_LIMIT)), Caller(), rules=self.rules)[0]

    def search(self, text: str, limit: int, only: Sequence[str] = ()) -> Reply:
        """Places that answer, best first."""
        hits: list[Reply] = []
        for hit in self.ask(text, limit, only).hits:
            hits.append({"path": hit.relpath, "start_line": hit.lines[0], "end_line": hit.lines[1]})
            if not self._single:
                hits[-1] |= {"corpus": hit.corpus, "text": hit.text}
        return {"hits": hits}

    def close(self) -> None:
        """Give everything back."""
        for corpus in self.corpora.values():
            corpus.close()
        self.corpora = {}
        if not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)


def main() -> None:
    """Answer lines from stdin until the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", default="", help="folder of the indexes; a temporary one if there is none")
    parser.add_argument("--without", nargs="*", default=[], metavar="RULE", help="ids of rules to leave out")
    given = parser.parse_args()
    adapter = Adapter(given.keep, [rule for rule in RULES if rule.id not in given.without])
    try:
        for line in sys.stdin:
            message = json.loads(line)
            if message["op"] == "quit":
                break
            if message["op"] == "index":
                reply = adapter.index(message)
            elif message["op"] == "search":
                reply = adapter.search(message["query"], message["k"], message.get("only", ()))
            else:
                reply = {"ok": True}
            print(json.dumps(reply), flush=True)
    finally:
        adapter.close()


if __name__ == "__main__":
    main()
