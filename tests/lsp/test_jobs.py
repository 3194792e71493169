"""Threads of the server: what is cancelled stops, whether it waits or works, and nobody waits for it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError
from gazetteer.lsp.jobs import THREADS, Jobs

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("way", [Jobs.run, Jobs.finish])
async def test_a_job_that_waits_for_a_thread_and_is_cancelled_never_runs(way: Callable[..., Awaitable[None]]) -> None:
    """PR01: all threads are busy; the job behind them is gone at once, and a change behind them is never made."""
    jobs, over, ran = Jobs(), threading.Event(), threading.Event()
    busy = [asyncio.ensure_future(jobs.run("index", lambda _: over.wait(60))) for _ in range(THREADS["index"])]
    queued = asyncio.ensure_future(way(jobs, "index", lambda _: ran.set()))
    await asyncio.sleep(0)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    over.set()
    await asyncio.gather(*busy)
    await jobs.run("index", lambda _: None)
    assert not ran.is_set()
    jobs.stop()


async def test_a_job_that_works_is_told_to_stop() -> None:
    jobs, begun, told = Jobs(), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work(cancel: Cancel) -> None:
        loop.call_soon_threadsafe(begun.set)
        with pytest.raises(CancelledError):
            cancel.wait(30)
        told.set()

    task = asyncio.ensure_future(jobs.run("query", work))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task  # without waiting for the thread
    assert await asyncio.to_thread(told.wait, 60)
    jobs.stop()


async def test_a_token_of_somebody_else_stops_it_too() -> None:
    jobs, cancel = Jobs(), Cancel("Enough.")
    task = asyncio.ensure_future(jobs.run("index", lambda token: token.wait(60), cancel=cancel))
    await asyncio.sleep(0)
    cancel.set()
    with pytest.raises(CancelledError, match=r"^Enough\.$"):
        await task
    jobs.stop()


async def test_after_the_end_nothing_begins_and_everything_is_told() -> None:
    jobs = Jobs()
    task = asyncio.ensure_future(jobs.run("query", lambda token: token.wait(60)))
    await asyncio.sleep(0)
    jobs.stop()
    with pytest.raises(CancelledError):
        await task
    with pytest.raises(CancelledError, match="shutting down"):
        await jobs.run("query", lambda _: None)


async def test_what_was_done_is_told_to_whoever_has_cancelled_it_meanwhile() -> None:
    jobs, begun, go_on = Jobs(), threading.Event(), threading.Event()

    def change(_: Cancel) -> str:
        begun.set()
        go_on.wait(60)
        return "done"

    task = asyncio.ensure_future(jobs.finish("query", change))
    await asyncio.to_thread(begun.wait, 60)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    assert await task == "done"
    jobs.stop()
