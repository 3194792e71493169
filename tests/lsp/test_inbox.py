"""Messages take effect in the order in which they arrived, those that are served by a coroutine too."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial

import pytest
from gazetteer.lsp.inbox import Inbox
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.booleans(), max_size=20), st.integers(1, 3))
def test_each_has_taken_its_first_step_before_the_next_is_taken(later: list[bool], bursts: int) -> None:
    """``later``: which of them are coroutines; they have all arrived before the loop takes a turn."""

    async def run() -> list[int]:
        seen: list[int] = []
        begun: list[asyncio.Task[None]] = []
        inbox = Inbox(asyncio.get_running_loop())

        async def serve(number: int) -> None:
            seen.append(number)
            await asyncio.sleep(0)

        def as_task(number: int) -> Callable[[], object]:
            return lambda: begun.append(asyncio.ensure_future(serve(number)))

        for burst in range(bursts):
            over = asyncio.Event()
            for number, is_task in enumerate(later, burst * len(later)):
                inbox.put(as_task(number) if is_task else partial(seen.append, number))
            inbox.put(over.set)
            assert len(seen) == burst * len(later)
            await over.wait()
        await asyncio.gather(*begun)
        return seen

    assert asyncio.run(run()) == list(range(bursts * len(later)))


def test_what_several_threads_put_is_all_taken_and_each_in_its_order() -> None:
    async def run() -> list[tuple[int, int]]:
        seen: list[tuple[int, int]] = []
        inbox = Inbox(asyncio.get_running_loop())

        def put(thread: int) -> None:
            for number in range(300):
                inbox.put(partial(seen.append, (thread, number)))

        await asyncio.gather(*(asyncio.to_thread(put, thread) for thread in range(4)))
        over = asyncio.Event()
        inbox.put(over.set)
        await over.wait()
        return seen

    seen = asyncio.run(run())
    for thread in range(4):
        assert [number for one, number in seen if one == thread] == list(range(300))


def test_one_that_fails_does_not_hold_up_the_next() -> None:
    async def run() -> list[BaseException]:
        loop = asyncio.get_running_loop()
        told: list[BaseException] = []
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
        inbox, over = Inbox(loop), asyncio.Event()
        inbox.put(lambda: 1 // 0)
        inbox.put(over.set)
        await over.wait()
        return told

    assert [type(error) for error in asyncio.run(run())] == [ZeroDivisionError]


def test_whoever_comes_after_the_end_of_the_loop_is_told() -> None:
    async def made() -> Inbox:
        return Inbox(asyncio.get_running_loop())

    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(made()).put(threading.Event().set)
