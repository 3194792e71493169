"""Facts at hand: what is read once is not read again, and large texts are read in another process (invariant 7)."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from gazetteer.kb.at_hand import FactsAtHand
from gazetteer.kb.derive import LARGE_TEXT, derive_text
from gazetteer.kb.errors import UnavailableError
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import Derived, DocumentPath
from gazetteer.kb.overlay import NOTHING_OPEN

A = DocumentPath("a.py")


@pytest.mark.parametrize(("more", "apart"), [(0, []), (1, [A])])
def test_a_large_text_is_read_apart_whether_it_is_open_or_shown(
    kb: KnowledgeBase, more: int, apart: list[DocumentPath]
) -> None:
    read: list[DocumentPath] = []

    def derive_apart(path: DocumentPath, text: str) -> Derived:
        read.append(path)
        return derive_text(path, text)[1]

    facts = FactsAtHand(kb.contents, derive_apart)
    text = "x = 1\n" * (LARGE_TEXT // 6) + "#" * (LARGE_TEXT % 6 + more)
    language, derived = facts.derive(A, text)
    assert (language.name, derived, read) == ("python", derive_text(A, text)[1], apart)
    overlay = NOTHING_OPEN.open(A, text, 1).get(A)
    assert overlay is not None
    for _ in range(2):
        assert facts.describe(overlay)[3] == derived
    assert read == apart * 2


def test_a_text_is_derived_once_however_many_ask_for_it_meanwhile(kb: KnowledgeBase) -> None:
    """K5: a question that comes while a pause is used for it waits for what is under way; a failure is everybody's."""
    begun, go_on, read = threading.Event(), threading.Event(), list[DocumentPath]()
    fails = False

    def derive_apart(path: DocumentPath, text: str) -> Derived:
        read.append(path)
        begun.set()
        go_on.wait(30)
        if fails:
            raise UnavailableError("There is no process for it.")
        return derive_text(path, text)[1]

    facts = FactsAtHand(kb.contents, derive_apart)
    for fails in (False, True):
        begun.clear()
        go_on.clear()
        overlay = NOTHING_OPEN.open(A, f"x = {fails}\n" * LARGE_TEXT, 1).get(A)
        assert overlay is not None
        with ThreadPoolExecutor(4) as pool:
            first = pool.submit(facts.describe, overlay)
            begun.wait(30)
            others = [pool.submit(facts.describe, overlay) for _ in range(3)]
            go_on.set()
        if fails:
            assert {type(one.exception()) for one in (first, *others)} == {UnavailableError}
        else:
            assert all(one.result() is first.result() for one in others)
            assert read == [A]
