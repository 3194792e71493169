"""The disk fills up in the middle of an index: the server says so, lives on, and goes on once there is room."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import environment

DRIVE = """
import json, os, subprocess, sys
tree, indexes = sys.argv[1:]


class Server:
    def __init__(self):
        command = [sys.executable, "-P", "-m", "gazetteer", "serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.request("initialize", {"processId": None, "rootUri": "file://" + tree, "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
        self.process.stdin.flush()

    def request(self, method, params=None):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            size = 0
            while line := self.process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(size))
            if message.get("id") == self.number and "method" not in message:
                return message

    def leave(self):
        self.request("shutdown")
        self.send({"method": "exit"})
        return self.process.wait()


def outcome(answer):
    if "error" in answer:
        return ["error", answer["error"]["data"]["code"], answer["error"]["message"]]
    return [hit["relpath"] for hit in answer["result"]["hits"]]


def fill(leave):
    room = os.statvfs(indexes)
    with open(f"{indexes}/filler", "wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - leave))
        except OSError:
            pass


said = {}
fill(500_000)
server = Server()
said["first"] = outcome(server.request("gazetteer/retrieve", {"query": "alpha7"}))
said["sync"] = server.request("gazetteer/sync", {})
said["status"] = "result" in server.request("gazetteer/status", {})
os.unlink(f"{indexes}/filler")
said["synced"] = server.request("gazetteer/sync", {})["result"]["state"]
said["found"] = outcome(server.request("gazetteer/retrieve", {"query": "alpha7"}))
with open(f"{tree}/more.py", "w") as file:
    file.write("def marmalade():\\n    return 1\\n" + "".join(f"word{n} = {n}\\n" for n in range(50_000)))
fill(0)
said["still"] = outcome(server.request("gazetteer/retrieve", {"query": "alpha7"}))
server.process.kill()
server.process.wait()
server = Server()
said["killed"] = outcome(server.request("gazetteer/retrieve", {"query": "alpha7"}))
said["left"] = server.leave()
os.unlink(f"{indexes}/filler")
server = Server()
server.request("gazetteer/barrier", {})
said["new"] = outcome(server.request("gazetteer/retrieve", {"query": "marmalade"}))
said["end"] = server.leave()
print(json.dumps(said))
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a mount of its own")
def test_a_disk_that_is_full_is_said_and_costs_no_answer_that_was_there(tmp_path: Path) -> None:
    """CC15: nobody has to do anything but make room; not after a kill on the full disk either."""
    tree, home = tmp_path / "tree", tmp_path / "home"
    tree.mkdir()
    (home / "indexes").mkdir(parents=True)
    for number in range(50):
        lines = "".join(f"    value_{number}_{n} = {n * 7919}\n" for n in range(400))
        (tree / f"file{number}.py").write_text(f"def alpha{number}():\n{lines}    return 1\n")
    (tmp_path / "drive.py").write_text(DRIVE)
    drive = f"{sys.executable} -P {tmp_path}/drive.py {tree} {home}/indexes"
    steps = f"mount -t tmpfs -o size=128m tmpfs {home}/indexes || exit 99; {drive}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", steps],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 99 or "unshare failed" in done.stderr:
        pytest.skip("this machine allows no mounts")
    assert done.returncode == 0, done
    said: dict[str, Any] = json.loads(done.stdout)
    code, message = said["first"][1:]
    assert code == "unavailable", said
    assert "free" in message
    assert "errno" not in message.lower()
    assert said["status"]
    assert (said["synced"], said["found"][0]) == ("ready", "file7.py"), said
    assert said["still"][0] == said["killed"][0] == "file7.py", said
    assert (said["left"], said["end"], said["new"][0]) == (0, 0, "more.py"), said
