"""Encodings, line ends, URIs and odd bytes, from the file or the editor to the hit."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.errors import NotFoundError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import from_uri
from gazetteer.kb.text import Units
from gazetteer.retrieval.query import to_wire

from .small import Small, ask, paths

A = DocumentPath("a.py")
UNITS: list[Units] = ["utf-8", "utf-16", "utf-32"]
LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
OTHER_SCHEMES = (
    "untitled:Untitled-1",
    "git:/tree/a.py?%7B%22ref%22%3A%22~%22%7D",
    "vscode-notebook-cell:/tree/n.ipynb#W0",
    "http://example.org/tree/a.py",
    "file://elsewhere/tree/a.py",
)


@pytest.fixture
def small(tmp_path: Path) -> Small:
    return Small(tmp_path)


def columns(text: str, units: Units) -> int:
    """How long a text is as a client counts it."""
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[units]
    return len(text.encode(codec)) // width


def sliced(text: str, span: Any) -> str:
    """Cut a range out of a text by the rule of a client that counts in UTF-16."""
    lines = text.split("\n")
    first, last = span.start.line, span.end.line
    cut = [lines[number].encode("utf-16-le") for number in range(first, last + 1)]
    cut[-1] = cut[-1][: 2 * span.end.character]
    cut[0] = cut[0][2 * span.start.character :]
    return "\n".join(line.decode("utf-16-le") for line in cut)


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("end", LINE_ENDS)
def test_the_same_edits_give_the_same_answer_in_every_encoding_and_with_every_line_end(
    small: Small, units: Units, end: str
) -> None:
    """PE03, PE05: insert behind an emoji, insert a line above, edit below it; ask, save, and ask again."""
    newline = LINE_ENDS[end]
    text = newline.join(["x = '😀'", "def alpha():", "    return 'é😀' + x", ""])
    small.write("a.py", text)
    with small.open() as session:
        session.sync()
        session.kb.open_buffer(A, text, 1)
        behind = columns("x = '😀", units)
        below = columns("    return 'é😀", units)
        edits = [
            Change("wombat", (0, behind, 0, behind)),
            Change(f"import quokka{newline}", (0, 0, 0, 0)),
            Change("zebra", (3, below, 3, below)),
        ]
        for version, edit in enumerate(edits, 2):
            session.kb.change_buffer(A, [edit], version, units)
        wanted = newline.join(["import quokka", "x = '😀wombat'", "def alpha():", "    return 'é😀zebra' + x", ""])
        overlay = session.kb.overlays.get(A)
        assert overlay is not None
        assert overlay.buffer.text == wanted
        (hit,) = ask(session, "wombat zebra quokka").hits
        assert (hit.freshness, hit.lines) == ("overlay", (1, 4))
        assert sliced(wanted.replace(newline, "\n"), hit.range) == hit.text
        small.write("a.py", wanted)
        session.kb.close_buffer(A)
        (saved,) = ask(session, "wombat zebra quokka").hits
        assert (saved.freshness, saved.lines, saved.range, saved.text) == ("verified", hit.lines, hit.range, hit.text)
        assert saved.provenance.content_id == overlay.content_id
        assert saved.provenance.disk_hash.removeprefix("sha256:") == hashlib.sha256(wanted.encode()).hexdigest()
    assert (small.tree / "a.py").read_bytes() == wanted.encode(), "line ends are the file's own"


def test_mixed_line_ends_count_as_the_editor_counts_them(small: Small) -> None:
    """PE05: every kind in one file, and lines below keep their numbers."""
    text = "a = 1\r\nb = 2\rc = 3\nd = 4\r\rdef zebra():\r\n    return 5"
    small.write("a.py", text)
    with small.open() as session:
        (from_disk,) = ask(session, "zebra").hits
        session.kb.open_buffer(A, text, 1)
        (from_buffer,) = ask(session, "zebra").hits
        assert session.expand(from_disk.locator, after=5).text_lines == (1, 7)
        assert session.related("a.py:7").receipt
        with pytest.raises(NotFoundError, match="no line 8"):
            session.related("a.py:8")
    for hit in (from_disk, from_buffer):
        assert (hit.lines, hit.range.end.line, hit.range.end.character) == ((1, 7), 6, len("    return 5"))
        assert hit.text == "a = 1\nb = 2\nc = 3\nd = 4\n\ndef zebra():\n    return 5"


def test_a_range_behind_emoji_is_the_clients_range(small: Small) -> None:
    """PE04: several on one line, a long line cut in the middle, a combining mark."""
    small.write("one.js", "const s = '😀😀', t = 'e\u0301'; function alphaFox() { return '🦊'; }\n")
    small.write("long.js", "/* 😀 */ " * 400 + "function betaFox() { return '🦊🦊'; }\n")
    small.write("guide.md", "# 🦊 Foxes\n\nAbout 😀 gammaFox.\n")
    with small.open() as session:
        for word in ("alphaFox", "betaFox", "gammaFox"):
            answer = ask(session, word)
            assert answer.receipt.position_encoding == "utf-16"
            assert answer.hits
            for hit in answer.hits:
                assert sliced((small.tree / hit.relpath).read_text(), hit.range).startswith(hit.text[:1000])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_character_of_the_first_line(small: Small, encoding: str) -> None:
    """PE06: the editor sends the text without it; same columns, same facts, same content, and other bytes."""
    text = "def alpha():\n    return '😀'\n"
    small.write("a.py", text.encode(encoding))
    small.write("plain.py", text)
    with small.open() as session:
        (from_disk,) = ask(session, "alpha").hits
        assert [(place.path, place.reason) for place in from_disk.also] == [("plain.py", "same text")]
        assert from_disk.range.start == type(from_disk.range.start)(0, 0)
        assert from_disk.text == text.rstrip("\n")
        for sent in (text, "\ufeff" + text):
            session.kb.open_buffer(A, sent, 1)
            (opened,) = ask(session, "alpha", paths=("/a.py",)).hits
            assert (opened.freshness, opened.range, opened.text) == ("verified", from_disk.range, from_disk.text)
            assert opened.provenance.disk_hash == from_disk.provenance.disk_hash
            assert opened.provenance.content_id == from_disk.provenance.content_id
        session.kb.close_buffer(A)
        (closed,) = ask(session, "alpha", paths=("/a.py",)).hits
    exact = hashlib.sha256((small.tree / "a.py").read_bytes()).hexdigest()
    assert closed.provenance.disk_hash.removeprefix("sha256:") == exact


def test_every_spelling_of_a_uri_opens_the_one_document(small: Small) -> None:
    """PE09: percent signs or none, capital hex digits or small ones; one buffer, one hit, one uri back."""
    small.write("a b/ü(1).py", "def alpha():\n    return 1\n")
    root = f"file://{small.tree}"
    spellings = [
        f"{root}/a%20b/%C3%BC(1).py",
        f"{root}/a%20b/%c3%bc%281%29.py",
        f"{root}/%61%20b/ü%281).py",
        f"{root.replace('file:', 'FILE:')}/a%20b/./ü(1).py",
        f"file://localhost{small.tree}/a%20b/ü(1).py#L1",
    ]
    with small.open() as session:
        before = ask(session, "alpha").hits[0]
        documents = {session.kb.root.document_of_uri(spelling) for spelling in spellings}
        assert documents == {DocumentPath("a b/ü(1).py")}
        for version, spelling in enumerate(spellings):
            document = session.kb.root.document_of_uri(spelling)
            assert document is not None
            session.kb.open_buffer(document, f"def alpha():\n    return {version}\n", version)
        assert len(session.kb.overlays) == 1
        (hit,) = ask(session, "alpha").hits
    assert (hit.freshness, hit.uri) == ("overlay", before.uri)
    assert hit.text.endswith(f"return {len(spellings) - 1}")
    assert from_uri(hit.uri) == str(small.tree / "a b/ü(1).py")


@pytest.mark.parametrize("uri", OTHER_SCHEMES)
def test_what_is_no_file_never_becomes_a_document(small: Small, uri: str) -> None:
    """PE12: an untitled document, a revision, a notebook's cell; PE11: nor a drive letter."""
    small.write("a.py", "def alpha():\n    return 1\n")
    with small.open() as session:
        assert session.kb.root.document_of_uri(uri) is None
        assert session.kb.root.document_of_uri("file:///c%3A/tree/a.py") is None
        assert paths(ask(session, "alpha")) == ["a.py"]
        assert [row.path for row in session.kb.store.documents(session.kb.store.head().generation)] == ["a.py"]


def test_every_byte_below_a_space_may_stand_in_a_text(small: Small) -> None:
    """PE13: JSON parses, the text comes back as it was; a NUL near the start is binary, counted and never shown."""
    ends = {10: "\n", 13: "\n"}
    for code in range(32):
        body = f"def sign_{code}():\n    return 'a" + chr(code) + "b'\n"
        small.write(f"s{code}.py", body.encode())
    with small.open() as session:
        for code in range(32):
            answer = ask(session, f"sign_{code}")
            again = json.loads(json.dumps(to_wire(answer)))
            found = [hit for hit in again["hits"] if hit["relpath"] == f"s{code}.py"]
            if code == 0:
                assert found == []
                continue
            assert f"a{ends.get(code, chr(code))}b" in found[0]["text"], code
        refused = {refusal.reason: refusal for refusal in session.status().refused}
        assert (refused["binary"].count, refused["binary"].examples) == (1, ("s0.py",))
        assert not session.check(full=True).findings
    said = small.command("ask", "--json", "--limit", "50", "a b return")
    assert said.returncode == 0, said.stderr
    assert len(json.loads(said.stdout)["hits"]) >= 20


def test_every_byte_below_a_space_may_stand_in_a_name_and_in_a_question(small: Small) -> None:
    """PE08, PE13: as far as a file system can hold it."""
    for code in range(1, 32):
        small.write(f"n{chr(code)}m{code}.py", f"def name_{code}():\n    pass\n")
    with small.open() as session:
        for code in range(1, 32):
            hit = ask(session, f"name_{code}").hits[0]
            again = json.loads(json.dumps(to_wire(hit)))
            assert from_uri(again["uri"]) == str(small.tree / f"n{chr(code)}m{code}.py")
            assert again["relpath"].isprintable()
            assert session.expand(hit.locator).state == "same"
        for code in range(32):
            assert ask(session, f"name_1{chr(code)} name_2").hits
