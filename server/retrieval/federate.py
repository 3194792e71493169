"""Asking several corpora and fusing what each has found; one corpus is asked as it always was."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import msgspec

from ..kb.errors import CancelledError, GazetteerError
from .engine import Caller, Retriever
from .query import Answer, Evidence, Hit, Query, SnapshotInfo, Standing

T = TypeVar("T")


class Member(Protocol):
    """A corpus that takes part."""

    name: str
    standing: Standing

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """Do ``act`` with what answers questions about it; raises a `GazetteerError` where nothing does."""


def federate(members: Sequence[Member], query: Query, caller: Caller) -> tuple[Answer, tuple[Evidence, ...]]:
    """Ask all members, and order what they found by the ranks that it has in each.

    Raises:
        GazetteerError: nobody answered, and why the first did not.
    """
    if len(members) == 1:
        return members[0].ask(lambda retriever: retriever.ask(query, caller))
    answers: list[tuple[Answer, tuple[Evidence, ...]]] = []
    failures: list[tuple[str, GazetteerError]] = []
    for member in members:
        try:
            answers.append(member.ask(lambda retriever: retriever.ask(query, caller)))
        except CancelledError:
            raise
        except GazetteerError as error:
            failures.append((member.name, error))
    if not answers:
        raise failures[0][1]
    found = [
        (rank, hit.corpus, hit.relpath, hit.lines, hit, evidence)
        for answer, behind in answers
        for rank, (hit, evidence) in enumerate(zip(answer.hits, behind, strict=True))
    ]
    found.sort(key=lambda one: one[:4])
    hits: tuple[Hit, ...] = tuple(one[4] for one in found[: query.limit])
    notices: dict[str, list[str]] = {}
    for answer, _ in answers:
        name = answer.receipt.snapshot.corpora[0].corpus
        if answer.receipt.notices:
            notices.setdefault(" ".join(answer.receipt.notices), []).append(name)
    said = [f"{', '.join(names)}: {sentence}" for sentence, names in notices.items()]
    said += [f"{name} was not asked: {error.message}" for name, error in failures]
    receipt = answers[0][0].receipt
    snapshot = SnapshotInfo(
        "+".join(answer.receipt.snapshot.id for answer, _ in answers),
        tuple(corpus for answer, _ in answers for corpus in answer.receipt.snapshot.corpora),
    )
    receipt = msgspec.structs.replace(
        receipt,
        snapshot=snapshot,
        notices=tuple(said),
    )
    return Answer(hits, receipt), tuple(one[5] for one in found[: query.limit])
