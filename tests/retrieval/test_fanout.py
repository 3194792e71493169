"""Corpora at work at once: one that fails or is late drops out, nobody else notices, and a caller can stop them all."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError, TimeoutExpiredError, UnavailableError
from gazetteer.retrieval.fanout import Fanout


class Hand:
    def __init__(self, name: str, act: Callable[["Hand"], str] | None = None) -> None:
        self.name = name
        self.cancel = Cancel()
        self.act = act or (lambda hand: hand.name.upper())

    def work(self) -> str:
        return self.act(self)


def test_all_work_at_once_and_answer_in_the_order_given() -> None:
    together = threading.Barrier(3, timeout=20)

    def meet(hand: Hand) -> str:
        together.wait()
        return hand.name

    hands = [Hand(name, meet) for name in ("c", "a", "b")]
    with Fanout(3, None, None) as fanout:
        assert list(fanout.each(hands, Hand.work)) == ["c", "a", "b"]
        assert fanout.spent.keys() == {"a", "b", "c"}


def test_who_fails_drops_out_with_its_reason() -> None:
    def fail(_hand: Hand) -> str:
        raise UnavailableError("The disk is full; free some space.")

    hands = [Hand("a"), Hand("b", fail), Hand("c")]
    with Fanout(3, None, None) as fanout:
        assert fanout.each(hands, Hand.work) == {"a": "A", "c": "C"}
        assert [hand.name for hand in fanout.alive(hands)] == ["a", "c"]
        assert fanout.failures["b"].message == "The disk is full; free some space."
        assert fanout.each(hands, lambda hand: hand.name) == {"a": "a", "c": "c"}


def test_who_is_late_is_told_to_stop_and_not_waited_for() -> None:
    def dawdle(hand: Hand) -> str:
        with suppress(CancelledError):
            hand.cancel.wait(20)
        return "never heard"

    hands = [Hand("a"), Hand("slow", dawdle)]
    with Fanout(2, time.monotonic() + 0.05, None) as fanout:
        assert fanout.each(hands, Hand.work) == {"a": "A"}
        assert isinstance(fanout.failures["slow"], TimeoutExpiredError)
        assert "--without slow" in fanout.failures["slow"].message
        assert hands[1].cancel.is_set()


def test_a_caller_stops_all_of_them() -> None:
    caller = Cancel()
    begun = threading.Event()

    def dawdle(hand: Hand) -> str:
        begun.set()
        with suppress(CancelledError):
            hand.cancel.wait(20)
        return ""

    hands = [Hand("a", dawdle), Hand("b", dawdle)]

    def lose_patience() -> None:
        begun.wait(20)
        caller.set()

    stopper = threading.Thread(target=lose_patience)
    stopper.start()
    with Fanout(2, None, caller) as fanout, pytest.raises(CancelledError):
        fanout.each(hands, Hand.work)
    stopper.join()
    assert all(hand.cancel.is_set() for hand in hands)


def test_what_is_done_with_it_is_done_where_it_was_found() -> None:
    with Fanout(2, None, None) as fanout:
        found = fanout.each([Hand("a"), Hand("b")], lambda _hand: threading.get_ident())
        assert set(found.values()) == {fanout.do(threading.get_ident)}
        with pytest.raises(ZeroDivisionError):
            fanout.do(lambda: 1 // 0)


def test_it_is_done_while_others_hang() -> None:
    over = threading.Event()

    def hang(_hand: Hand) -> str:
        over.wait(60)
        return "late"

    hands = [Hand("a"), Hand("b", hang), Hand("c", hang)]
    with Fanout(3, time.monotonic() + 0.05, None) as fanout:
        assert fanout.each(hands, Hand.work) == {"a": "A"}
        assert fanout.do(lambda: "ranked") == "ranked"
        over.set()
