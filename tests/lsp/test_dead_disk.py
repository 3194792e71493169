"""A disk that dies under a server costs the corpora that lie on it, and nobody else: a real one that never answers."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from gazetteer.corpora.registry import FILE_NAME

from .conftest import COMMAND, environment
from .nursery import Born
from .wire import Wire

DIES = """
import ctypes, os, signal, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
fuse = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None):
    sys.exit(77)
order, done = int(sys.argv[1]), int(sys.argv[2])
server = subprocess.Popen(sys.argv[4:])
os.read(order, 1)
os.write(done, b"%d\\n" % libc.mount(b"dead", os.fsencode(sys.argv[3]), b"fuse", 0, options))
sys.exit(server.wait())
"""
"""Runs a command in a place of its own, where a file system that never answers is mounted when that is ordered."""


@pytest.mark.soak
@pytest.mark.skipif(not os.access("/dev/fuse", os.W_OK) or os.geteuid() != 0, reason="needs to mount a file system")
def test_everybody_else_answers_and_the_corpora_on_it_are_named(tmp_path: Path) -> None:
    """However it is asked for: a hanging thread a question, or one on the event loop, would end all answers."""
    for path in ("one/a.py", "disk/two/b.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(f"def fruit_{path[-4]}(): ...\n")
    registry = tmp_path / "config/gazetteer" / FILE_NAME
    registry.parent.mkdir(parents=True)
    registry.write_text(json.dumps({"two": {"path": str(tmp_path / "disk/two"), "shared": True}}))
    order, die = os.pipe()
    done, says = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", DIES, str(order), str(says), tmp_path / "disk", *COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(order, says),
        env=environment(tmp_path),
        bufsize=0,
    )
    assert process.stdin is not None
    out, errors = (io.BufferedReader(cast("io.RawIOBase", pipe)) for pipe in (process.stdout, process.stderr))
    ended = os.fdopen(done, "rb", 0)
    wire = Wire(Born(process.pid, process.stdin, out, errors, ended))
    wire.initialize(rootUri=(tmp_path / "one").as_uri())
    assert len(wire.request("gazetteer/retrieve", {"query": "fruit"})["hits"]) == 2
    os.write(die, b".")
    assert int(ended.readline()) == 0, "nothing may be mounted here"
    for _ in range(6):  # more than there are threads for questions
        answer = wire.request("gazetteer/retrieve", {"query": "fruit"})
        assert [hit["path"] for hit in answer["hits"]] == ["a.py"]
        assert "The tree of two does not answer" in answer["receipt"]["missing"][0]
        error = wire.fails("gazetteer/retrieve", {"query": "fruit", "corpora": ["two"]})
        assert "two does not answer" in error["message"]
        assert [row["there"] for row in wire.request("gazetteer/corpus.list")["corpora"]] == [False]
    assert wire.request("gazetteer/status", {})["state"] == "ready"
    wire.request("shutdown")
    wire.notify("exit")
    assert process.wait(60) == 0
    wire.close()
