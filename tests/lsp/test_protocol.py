"""What is sent, and what is kept of requests of ours while they wait, and what is not."""

import asyncio
import json
from typing import Any

import pytest
from gazetteer.lsp.asking import Asking
from gazetteer.lsp.messages import Message
from gazetteer.lsp.protocol import MAX_ASKED, Protocol, RequestError
from gazetteer.lsp.server import GazetteerServer
from gazetteer.settings import Settings

pytestmark = pytest.mark.asyncio


@pytest.fixture
def server() -> GazetteerServer:
    return GazetteerServer(Settings())


@pytest.fixture
def protocol(server: GazetteerServer) -> Protocol:
    return server.protocol


def waiting(protocol: Protocol) -> int:
    return len(protocol._asked)


async def test_nothing_is_kept_of_a_request_that_nobody_waits_for_any_more(protocol: Protocol) -> None:
    """PR02: neither after an answer, nor after its asker was cancelled or ran out of patience."""
    sent: list[Any] = []
    protocol.connect(lambda body: sent.append(json.loads(body)))
    tasks = [asyncio.ensure_future(protocol.send_request_async("workspace/configuration", {})) for _ in range(4)]
    await asyncio.sleep(0)
    assert waiting(protocol) == 4
    tasks[0].cancel()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(tasks[1], 0)
    protocol.handle(Message("response", sent[2]["id"], "", [1]))
    protocol.handle(Message("response", sent[3]["id"], "", None, {"code": 1, "message": "no"}))
    assert await tasks[2] == (1,)
    with pytest.raises(RequestError, match="no"):
        await tasks[3]
    await asyncio.sleep(0)
    assert waiting(protocol) == 0
    for one in sent:
        protocol.handle(Message("response", one["id"], "", None))


async def test_a_client_that_answers_nothing_is_waited_for_within_bounds(protocol: Protocol) -> None:
    futures = [protocol.send_request("workspace/configuration", {}) for _ in range(MAX_ASKED + 7)]
    assert waiting(protocol) == MAX_ASKED
    assert [future.cancelled() for future in futures] == [True] * 7 + [False] * MAX_ASKED


async def test_no_hits_are_sent_ahead_of_an_answer_that_was_given(server: GazetteerServer) -> None:
    """L1: a thread may come to its first hits after the request was cancelled."""
    sent: list[Any] = []
    server.protocol.connect(lambda body: sent.append(json.loads(body)))
    asking, senders = Asking(server), list[Any]()

    async def request() -> None:
        senders.append(asking._batch("mine"))
        await asyncio.Event().wait()

    task = asyncio.ensure_future(request())
    await asyncio.sleep(0)
    await asyncio.to_thread(senders[0], ())
    await asyncio.sleep(0)
    assert [one["params"]["value"] for one in sent] == [{"hits": []}]
    task.cancel()
    await asyncio.to_thread(senders[0], ())
    await asyncio.wait([task])
    await asyncio.to_thread(senders[0], ())
    await asyncio.sleep(0)
    assert len(sent) == 1
