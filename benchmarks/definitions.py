"""Names asked alone: whether what defines them comes before what only uses them.

    python -m benchmarks definitions --tree TREE [--tree TREE ...] [--names 120]

Names are drawn at random from the facts of a tree: those shaped like code that at most five documents define. One
counts if a document that does not define it is among the first twelve hits too. *First*: the first hit defines it;
*all*: every document that does stands before all that do not. Each is asked twice, as the ranking is and without its
feature for such questions.
"""

import argparse
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from unittest.mock import patch

from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath, Kind
from gazetteer.retrieval import rank
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.features import FEATURES, SOUGHT
from gazetteer.retrieval.query import Query

LIMIT = 12
DEFINED_IN = 5
SHORTEST = 6
SEED = 20_240_817


def names(session: Session) -> Iterator[tuple[str, frozenset[DocumentPath]]]:
    """Names at random, each with the documents that define it."""
    glance = session.parts.retriever.glance()
    assert glance is not None
    snapshot = glance.view.snapshot
    defined: dict[str, set[DocumentPath]] = {}
    for document in sorted(snapshot.documents(), key=lambda one: one.path):
        for symbol in snapshot.derived(document).symbols:
            if symbol.kind is not Kind.SECTION and len(symbol.name) >= SHORTEST:
                defined.setdefault(symbol.name, set()).add(document.path)
    drawn = sorted(name for name, paths in defined.items() if len(paths) <= DEFINED_IN)
    random.Random(SEED).shuffle(drawn)
    for name in drawn:
        if analyse(name).identifiers == (name,):
            yield name, frozenset(defined[name])


def defining(session: Session, name: str, paths: frozenset[DocumentPath]) -> list[bool]:
    """Which hits are of documents that define the name."""
    return [hit.relpath in paths for hit in session.retrieve(Query(name, limit=LIMIT)).hits]


def rate(tree: str, count: int) -> str:
    """A row of the table."""
    folder = tempfile.mkdtemp(prefix="gazetteer-definitions-")
    as_it_is: list[list[bool]] = []
    without: list[list[bool]] = []
    others = tuple(one for one in FEATURES if one.name != SOUGHT)
    try:
        with Session.open(tree, db_path=folder, one_shot=False) as session:
            session.sync()
            session.retrieve(Query("anything", limit=1))
            for name, paths in names(session):
                hits = defining(session, name, paths)
                if all(hits):
                    continue
                as_it_is.append(hits)
                with patch.dict(rank.rank_documents.__kwdefaults__, features=others):
                    without.append(defining(session, name, paths))
                if len(without) == count:
                    break
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return f"| {tree.rstrip('/').rpartition('/')[2]} | {len(without)} | {_shares(without)} | {_shares(as_it_is)} |"


def _shares(asked: Sequence[Sequence[bool]]) -> str:
    first = sum(hits[:1] == [True] for hits in asked)
    ordered = sum(list(hits) == sorted(hits, reverse=True) for hits in asked)
    return f"{first / max(1, len(asked)):.1%} / {ordered / max(1, len(asked)):.1%}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", action="append", required=True, help="folder of a tree; may be repeated")
    parser.add_argument("--names", type=int, default=120, help="names of each tree")
    given = parser.parse_args()
    print("| tree | names | without, first / all | as it is, first / all |\n|---|---|---|---|")
    for tree in given.tree:
        print(rate(tree, given.names), flush=True)


if __name__ == "__main__":
    main()
