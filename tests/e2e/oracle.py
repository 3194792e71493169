"""What two sessions over the same text have to agree on, and what a disk says of itself."""

import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gazetteer.app import Session
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.lexical_request import request_for
from gazetteer.retrieval.planner import KEYWORDS_AND_STRUCTURE, plan
from gazetteer.retrieval.query import Answer, Query
from gazetteer.retrieval.search import search

from .material import LIMIT


def ask(session: Session, word: str, *, limit: int = 50) -> Answer:
    answer = session.retrieve(Query(text=word, limit=limit))
    assert limit == 1 or not answer.receipt.truncated
    assert answer.receipt.freshness.sweep_complete
    assert not answer.receipt.freshness.stale_excluded
    return answer


def same(these: list[Any], those: list[Any]) -> None:
    """Two lists are equal; what only one of them has is named."""
    only = [item for item in these if item not in those], [item for item in those if item not in these]
    assert these == those, f"only here: {only[0]!r:.600}; only there: {only[1]!r:.600}"


def best(session: Session, answer: Answer, word: str) -> list[str]:
    """The documents among the sections that keyword search alone gives to a short answer."""
    view = session.parts.retriever._held_view(answer.receipt.snapshot.id)
    made = plan(analyse(word), KEYWORDS_AND_STRUCTURE, Query(text=word, limit=1))
    return sorted({match.key.path for match in view.search(request_for(made.analysed, made.step("lexical").budget))})


def masked_names(tree: Path, buffers: Mapping[str, str]) -> list[str]:
    """What files below buffers define, as far as the disk says; nothing of it may be found there."""
    files = [tree / path for path in sorted(buffers) if (tree / path).is_file()]
    return sorted({name for file in files for name in re.findall(r"def (\w+_0)", text_of(file))})[:2]


def unjudged(tree: Path, buffers: Mapping[str, str]) -> set[str]:
    """Buffers that rules judge otherwise than a copy on disk: no file is there, or one of both is too long for them."""
    settings = tree / "knowledge.yaml"
    limit = LIMIT if settings.is_file() and f"{LIMIT}" in settings.read_text() else sys.maxsize

    def differs(path: str, text: str) -> bool:
        file = tree / path
        return not file.is_file() or max(file.stat().st_size, len(text.encode())) > limit

    return {path for path, text in buffers.items() if differs(path, text)}


def chunks(session: Session, answer: Answer, word: str, leave_out: set[str]) -> list[tuple[str, int]]:
    """Every section that matches, in the view that the answer came from."""
    retriever = session.parts.retriever
    view = retriever._held_view(answer.receipt.snapshot.id)
    made = plan(analyse(word), KEYWORDS_AND_STRUCTURE, Query(text=word, limit=50))
    shown = search(view, retriever._table(view), made).rows
    found: list[tuple[str, int]] = []
    for row in shown:
        if row.same_text:
            # Which of several copies stands for the others is a matter of ranking, and so is how it was cut.
            found += [(key.path, -1) for key in (row.key, *row.same_text)]
        else:
            found += [(key.path, key.ordinal) for key in (row.key, *row.same_document)]
    assert len(found) < made.step("lexical").budget, "then the best are not all"
    return sorted(one for one in found if one[0] not in leave_out)


def order(answer: Answer) -> list[tuple[Any, ...]]:
    """The ranking, with its scores."""
    return [(hit.relpath, hit.lines, round(hit.score.value, 4)) for hit in answer.hits]


def facts(session: Session, leave_out: set[str]) -> list[Any]:
    """Every document with its text and facts."""
    snapshot = session.kb.snapshot()
    documents = [d for d in snapshot.documents() if d.path not in leave_out]
    return [(d.path, d.language, snapshot.text(d), snapshot.derived(d)) for d in documents]


def look(answer: Answer, session: Session, word: str, tree: Path, buffers: Mapping[str, str]) -> None:
    """Hold an answer to the disk itself."""

    def text_now(path: str) -> str:
        return buffers[path] if path in buffers else text_of(tree / path)

    documents = [document.path for document in session.kb.snapshot().documents()]
    holding = {path for path in documents if re.search(word, text_now(path))}
    same(sorted({path for path, _ in chunks(session, answer, word, set())}), sorted(holding))
    shown = {hit.relpath for hit in answer.hits}
    assert shown <= holding
    assert {text_now(path) for path in holding} == {text_now(path) for path in shown}, "a copy stands for the others"
    for hit in answer.hits:
        file = tree / hit.relpath
        if hit.relpath in buffers:
            assert hit.text in buffers[hit.relpath]
        if hit.relpath in buffers and not (file.is_file() and unified(text_of(file)) == unified(buffers[hit.relpath])):
            assert (hit.freshness, hit.provenance.disk_hash) == ("overlay", "")
        else:
            assert (hit.freshness, hit.provenance.disk_hash) == ("verified", hash_of(file.read_bytes()))


def unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return data.decode("utf-16") if data.startswith(b"\xff\xfe") else data.decode("utf-8", "replace")


def hash_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
