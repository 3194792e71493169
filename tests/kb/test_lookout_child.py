"""A lookout process answers every tree by itself, and lives as long as somebody needs it."""

import os
import select
import subprocess
import sys
import threading

import msgspec
import pytest
from gazetteer.kb import lookout_child
from gazetteer.kb.child import receive, send
from gazetteer.kb.lookout_child import Answering, Listing, Question

CHILD = """
from gazetteer.kb import lookout_child
lookout_child.IDLE_S = 0.1
lookout_child.main()
"""
PARENT = """
import signal
from gazetteer.kb.lookout import Lookout
lookout = Lookout()
station = lookout.station()
lookout.process()
lookout._process.ready.wait()
print(lookout._process._process.pid, flush=True)
signal.pause()
"""


def test_it_ends_with_its_parent_and_when_it_is_not_asked() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        descriptor = os.pidfd_open(child)
        parent.kill()
        parent.wait(60)
        assert select.select([descriptor], [], [], 60)[0], "it outlives its parent"
        os.close(descriptor)
    idle = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert idle.wait(60) == 0
    assert idle.stdin is not None
    assert idle.stdout is not None
    idle.stdin.close()
    idle.stdout.close()


def test_a_disk_that_does_not_answer_keeps_nobody_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = threading.Event()

    def unmoved(listing: Listing) -> bool:
        return listing.root == "/other" or not hangs.wait(60)

    monkeypatch.setattr(lookout_child, "unmoved", unmoved)
    (child_in, to_child), (from_child, child_out) = os.pipe(), os.pipe()
    with open(child_in, "rb") as stdin, open(child_out, "wb") as stdout, open(from_child, "rb") as answered:
        serving = threading.Thread(target=lookout_child.serve, args=(stdin, Answering(stdout)))
        serving.start()
        with open(to_child, "wb") as asking:
            for number, root in enumerate(("/dead", "/other"), 1):
                listing = Listing(root, 1, {}, {}, {}, ())
                send(asking, msgspec.msgpack.encode(Question(number, number, listing)))
            first = msgspec.msgpack.decode(receive(answered) or b"")
            hangs.set()
            second = msgspec.msgpack.decode(receive(answered) or b"")
        serving.join(60)
    assert (first, second) == ([2, True], [1, False])
