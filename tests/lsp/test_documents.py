"""Open documents: whose text counts, and what is done with edits that do not fit (PR12, PR14, PR15, PR16, PR19)."""

import hashlib
import json
import os
from typing import Any

import pytest

from .conftest import Bench
from .wire import Wire

Span = tuple[int, int, int, int]


def did_open(wire: Wire, uri: str, text: str, version: int = 1) -> None:
    document = {"uri": uri, "languageId": "python", "version": version, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})


def did_change(wire: Wire, uri: str, version: int | None, *changes: tuple[Span | None, str]) -> None:
    edits = [{"text": text} if span is None else {"range": as_range(span), "text": text} for span, text in changes]
    wire.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": edits})


def did_close(wire: Wire, uri: str) -> None:
    wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def as_range(span: Span) -> Any:
    a, b, c, d = span
    return {"start": {"line": a, "character": b}, "end": {"line": c, "character": d}}


def seen(wire: Wire) -> dict[str, tuple[int, str]]:
    """What a question sees open: paths with version and content."""
    corpora = wire.request("gazetteer/retrieve", {"query": "anything"})["receipt"]["snapshot"]["corpora"]
    return {one["path"]: (one["version"], one["contentId"]) for one in corpora[0]["overlays"]}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def found(wire: Wire, query: str) -> list[tuple[str, str]]:
    hits = wire.request("gazetteer/retrieve", {"query": query})["hits"]
    return [(hit["relpath"], hit["freshness"]) for hit in hits]


@pytest.fixture
def wire(bench: Bench) -> Wire:
    bench.write("a.py", "def apple():\n    return 1\n")
    bench.write("b.py", "def banana():\n    return 2\n")
    return bench.serve()


@pytest.fixture
def uri(bench: Bench) -> str:
    return bench.uri("a.py")


def test_the_text_of_the_editor_counts_from_its_opening_on(wire: Wire, uri: str) -> None:
    """PR15: a server that is started over dirty buffers takes the text it is given, not the disk's."""
    did_open(wire, uri, "def cherry():\n    return 3\n", 7)
    assert seen(wire) == {"a.py": (7, sha("def cherry():\n    return 3\n"))}
    assert found(wire, "cherry") == [("a.py", "overlay")]
    assert found(wire, "apple") == []
    did_close(wire, uri)
    assert found(wire, "apple") == [("a.py", "verified")]
    assert found(wire, "cherry") == []


@pytest.mark.parametrize("span", [None, (0, 0, 1, 0), (0, 0, 9, 9)])
def test_the_same_text_again_is_one_copy_of_it(wire: Wire, uri: str, span: Span | None) -> None:
    """PR19: as a client sends when an untitled document is saved."""
    did_open(wire, uri, "abc\n")
    did_change(wire, uri, 2, (span, "abc\n"))
    assert seen(wire) == {"a.py": (2, sha("abc\n"))}


def test_a_change_or_close_of_what_is_not_open_is_ignored_with_a_note(wire: Wire, uri: str) -> None:
    """PR12: the disk still counts."""
    did_change(wire, uri, 2, (None, "def damson(): ...\n"))
    did_close(wire, uri)
    assert seen(wire) == {}
    assert found(wire, "apple") == [("a.py", "verified")]
    assert [line for line in wire.logged() if "not open" in line and "a.py" in line] == wire.logged()
    assert len(wire.logged()) == 2


def test_a_version_out_of_date_is_refused_and_the_next_one_is_applied(wire: Wire, uri: str) -> None:
    did_open(wire, uri, "one\n", 5)
    for late in (5, 4, -1):
        did_change(wire, uri, late, (None, "late\n"))
    assert seen(wire) == {"a.py": (5, sha("one\n"))}
    assert sum("Version" in line for line in wire.logged()) == 3
    did_change(wire, uri, 6, ((0, 3, 0, 3), " two"))
    assert seen(wire) == {"a.py": (6, sha("one two\n"))}
    did_change(wire, uri, None, ((0, 0, 0, 3), "1"))
    assert seen(wire) == {"a.py": (7, sha("1 two\n"))}


@pytest.mark.parametrize(
    "span",
    [(0, 3, 0, 1), (2, 0, 1, 0), (-1, 0, 0, 0), (0, 0, 0, -5), (0, 0, "1", 0), (0, 0, 0.5, 0), (0, None, 0, 0)],
)
def test_an_edit_that_makes_no_sense_is_never_guessed(wire: Wire, uri: str, span: Any) -> None:
    """PR16: the last text that is known stays until the whole text comes; edits on top of the lost one are refused."""
    did_open(wire, uri, "one\ntwo\n")
    did_change(wire, uri, 2, (span, "X"))
    did_change(wire, uri, 3, ((0, 0, 0, 0), "Y"))
    assert seen(wire) == {"a.py": (1, sha("one\ntwo\n"))}
    assert len(wire.logged()) == 2
    did_change(wire, uri, 4, (None, "three\n"), ((0, 0, 0, 0), "Z"))
    did_change(wire, uri, 5, ((0, 0, 0, 1), "z"))
    assert seen(wire) == {"a.py": (5, sha("zthree\n"))}


@pytest.mark.parametrize(
    ("span", "result"),
    [
        ((0, 0, 99, 99), "X"),
        ((1, 99, 1, 99), "one\ntwoX\n"),
        ((99, 0, 99, 0), "one\ntwo\nX"),
        ((2**31, 0, 2**40, 0), "one\ntwo\nX"),
    ],
)
def test_positions_beyond_the_text_mean_its_end(wire: Wire, uri: str, span: Span, result: str) -> None:
    """PR16: as the specification says."""
    did_open(wire, uri, "one\ntwo\n")
    did_change(wire, uri, 2, (span, "X"))
    assert seen(wire) == {"a.py": (2, sha(result))}


def garble(wire: Wire, method: str, params: Any) -> None:
    """Send a notification in which each ``?`` of the parameters is a byte that is no UTF-8."""
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
    wire.frame(body.replace(b"?", b"\x82"))


def test_bytes_that_are_no_text_leave_the_document_behind(wire: Wire, uri: str) -> None:
    """PR16: an editor sends them when its buffer holds them; no later range is counted in what stands for them."""
    did_open(wire, uri, "one\ntwo\n")
    edit = {"range": as_range((0, 0, 0, 3)), "text": "o?ne"}
    garble(wire, "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]})
    did_change(wire, uri, 3, ((0, 2, 0, 2), "X"))
    assert seen(wire) == {"a.py": (2, sha("o\ufffdne\ntwo\n"))}
    receipt = wire.request("gazetteer/retrieve", {"query": "two"})["receipt"]
    assert "1 open buffers are out of step with their editor" in receipt["missing"]
    assert any("a.py" in notice for notice in receipt["notices"])
    assert any("no UTF-8" in line for line in wire.logged())
    did_change(wire, uri, 4, (None, "three\n"))
    did_change(wire, uri, 5, ((0, 0, 0, 1), "T"))
    assert seen(wire) == {"a.py": (5, sha("Three\n"))}
    opened = {"uri": uri, "languageId": "python", "version": 6, "text": "fo?ur\n"}
    garble(wire, "textDocument/didOpen", {"textDocument": opened})
    did_change(wire, uri, 7, ((0, 0, 0, 1), "F"))
    assert seen(wire) == {"a.py": (6, sha("fo\ufffdur\n"))}


def test_a_malformed_change_leaves_the_document_behind(wire: Wire, uri: str) -> None:
    """PR16: what cannot even be read may have been an edit."""
    did_open(wire, uri, "one\n")
    wire.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": 5}]})
    did_change(wire, uri, 3, ((0, 0, 0, 0), "Y"))
    assert seen(wire) == {"a.py": (1, sha("one\n"))}
    did_open(wire, uri, "again\n", 1)
    did_change(wire, uri, 2, ((0, 0, 0, 0), "once "))
    assert seen(wire) == {"a.py": (2, sha("once again\n"))}


def test_events_about_an_open_document_do_not_touch_its_text(bench: Bench, wire: Wire, uri: str) -> None:
    """PR14: the buffer rules until it is closed, whatever is said about the file."""
    did_open(wire, uri, "def cherry(): ...\n")
    for _ in range(50):
        for kind in (1, 2, 3):
            wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": kind}]})
    bench.write("a.py", "def elderberry(): ...\n")
    wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    assert found(wire, "cherry") == [("a.py", "overlay")]
    assert found(wire, "elderberry") == []
    os.unlink(bench.tree / "a.py")
    wire.notify("workspace/didDeleteFiles", {"files": [{"uri": uri}]})
    assert found(wire, "cherry") == [("a.py", "overlay")]
    did_close(wire, uri)
    wire.request("gazetteer/barrier", {})
    assert found(wire, "cherry") == found(wire, "elderberry") == found(wire, "apple") == []


def test_what_happens_to_files_is_known_once_it_was_said(bench: Bench, wire: Wire) -> None:
    """K4: hints about files and about whole folders."""
    wire.request("gazetteer/barrier", {})
    bench.write("new/c.py", "def cherry(): ...\n")
    wire.notify("workspace/didCreateFiles", {"files": [{"uri": bench.uri("new/c.py")}]})
    wire.request("gazetteer/barrier", {})
    assert found(wire, "cherry") == [("new/c.py", "verified")]
    os.rename(bench.tree / "new", bench.tree / "old")
    files = [{"oldUri": bench.uri("new"), "newUri": bench.uri("old")}]
    wire.notify("workspace/didRenameFiles", {"files": files})
    wire.request("gazetteer/barrier", {})
    assert found(wire, "cherry") == [("old/c.py", "verified")]
    bench.write("old/c.py", "def damson(): ...\n")
    wire.notify("textDocument/didSave", {"textDocument": {"uri": bench.uri("old/c.py")}})
    wire.request("gazetteer/barrier", {})
    assert found(wire, "damson") == [("old/c.py", "verified")]


def test_a_document_is_the_same_however_its_uri_is_spelled(bench: Bench, wire: Wire, uri: str) -> None:
    (bench.tree.parent / "link").symlink_to(bench.tree)
    spelled = uri.replace("a.py", "%61.py")
    did_open(wire, spelled, "def cherry(): ...\n")
    did_change(wire, uri, 2, (None, "def damson(): ...\n"))
    assert seen(wire) == {"a.py": (2, sha("def damson(): ...\n"))}
    did_close(wire, uri)
    did_open(wire, (bench.tree.parent / "link" / "a.py").as_uri(), "def fig(): ...\n")
    assert found(wire, "fig") == [("a.py", "overlay")]


@pytest.mark.parametrize("closed", ["link", "file"])
def test_a_file_that_is_open_by_two_names_keeps_the_text_of_the_one_that_stays(
    bench: Bench, wire: Wire, uri: str, closed: str
) -> None:
    (bench.tree.parent / "link").symlink_to(bench.tree)
    names = {"file": uri, "link": (bench.tree.parent / "link" / "a.py").as_uri()}
    kept = "link" if closed == "file" else "file"
    did_open(wire, names[closed], "def cherry(): ...\n")
    did_open(wire, names[kept], "def damson(): ...\n", 7)
    did_change(wire, names[closed], 2, (None, "def fig(): ...\n"))
    did_close(wire, names[closed])
    assert seen(wire) == {"a.py": (7, sha("def damson(): ...\n"))}
    did_close(wire, names[kept])
    assert found(wire, "apple") == [("a.py", "verified")]


def test_documents_of_no_folder_are_kept_and_part_of_no_answer(bench: Bench, wire: Wire) -> None:
    outside = bench.tree.parent / "outside.py"
    for uri in ("untitled:Untitled-1", outside.as_uri(), "git:/a.py", "file://elsewhere/a.py", "", "no uri"):
        did_open(wire, uri, "def cherry(): ...\n")
        did_change(wire, uri, 2, ((0, 0, 0, 0), "x"))
    assert seen(wire) == {}
    assert found(wire, "cherry") == []
    assert wire.logged() == []
    assert wire.leave() == 0


def test_a_secret_or_ignored_document_is_not_answered_from_while_it_is_open(bench: Bench, wire: Wire) -> None:
    """SE07: what the tree's rules leave out stays out, saved or not."""
    bench.write(".gitignore", "private/\n")
    for path in (".env", "private/notes.md", "id_rsa"):
        bench.write(path, "saved\n")
        did_open(wire, bench.uri(path), "cherry cherry cherry\n")
    assert found(wire, "cherry") == []
    assert seen(wire) == {}
