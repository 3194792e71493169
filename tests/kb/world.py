"""A small tree, knowledge bases of it, and what they say."""

from pathlib import Path

from gazetteer.kb.check import check
from gazetteer.kb.journal import Drained, Journal
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules
from gazetteer.kb.snapshot import Snapshot

A, B, C = DocumentPath("a.py"), DocumentPath("b.py"), DocumentPath("c.py")


class World:
    """A tree, and knowledge bases of it."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.cache = folder / "tree", folder / "cache"
        self.tree.mkdir()
        self.opened: list[KnowledgeBase] = []
        self.write(A, "def alpha():\n    return 1\n")
        self.write(B, "def beta():\n    return 2\n")

    def write(self, path: DocumentPath, text: str) -> None:
        (self.tree / path).write_text(text)

    def open(self, rules: ScanRules | None = None, cache: str = "") -> KnowledgeBase:
        folder = self.cache.with_name(cache) if cache else self.cache
        kb = KnowledgeBase(Root(str(self.tree)), str(folder), rules or ScanRules(), processes=1)
        self.opened.append(kb)
        return kb


def taken_from(journal: Journal) -> Drained:
    """Take out of a journal what a flush would, and be done with it."""
    with journal.taken() as drained:
        return drained


def texts(snapshot: Snapshot) -> dict[str, str]:
    return {document.path: snapshot.text(document) for document in snapshot.documents()}


def findings(kb: KnowledgeBase) -> list[str]:
    return [finding.code for finding in check(kb, {}, full=True)]
