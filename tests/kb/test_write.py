"""The one write boundary: a document is edited whole or not at all, and only over the bytes that were meant (K11)."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.edits import Span, TextEdit
from gazetteer.kb.errors import (
    ConflictError,
    ErrorCode,
    GazetteerError,
    InvalidArgumentError,
    NotFoundError,
    RefusedError,
)
from gazetteer.kb.journal import Edit
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DiskHash
from gazetteer.kb.text import Units
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..escapes import NO_FILES, SPELLINGS, lay, spelled
from .world import A, World, taken_from, texts

FIRST_WORD: Span = (0, 0, 0, 3)
TO_FN = [TextEdit(FIRST_WORD, "fn")]
ENDS = {"lf": ["\n"], "crlf": ["\r\n"], "cr": ["\r"], "mixed": ["\n", "\r\n", "\r"], "none": [""]}
CODECS = {
    "utf-8": (b"", "utf-8", "aé中😀\f\u2028\x85"),
    "utf-8 with a mark": (b"\xef\xbb\xbf", "utf-8", "aé中😀\f\u2028"),
    "utf-16 little": (b"\xff\xfe", "utf-16-le", "aé中😀\u2028"),
    "utf-16 big": (b"\xfe\xff", "utf-16-be", "aé中😀\u2028"),
    "utf-16 little without a mark": (b"", "utf-16-le", "abc"),
    "utf-16 big without a mark": (b"", "utf-16-be", "abc"),
    "latin-1": (b"", "latin-1", "abcéàÿ"),
}
WIDTH = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tree_of(world: World) -> dict[str, bytes]:
    """Every file of the tree, whatever its name."""
    return {str(p.relative_to(world.tree)): p.read_bytes() for p in sorted(world.tree.rglob("*")) if p.is_file()}


def refusal(act: Callable[[], object], world: World) -> GazetteerError:
    """What ``act`` is refused with; it changed nothing and left nothing behind."""
    before = tree_of(world)
    with pytest.raises(GazetteerError) as caught:
        act()
    assert tree_of(world) == before
    assert caught.value.code is not ErrorCode.INTERNAL
    return caught.value


# -- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("ends", ENDS)
def test_all_bytes_that_no_edit_names_stay_as_they_are(world: World, codec: str, ends: str) -> None:
    """K11, K17: encoding, mark and line ends; what the edit puts in takes the line ends of the document."""
    kb = world.open()
    mark, name, alphabet = CODECS[codec]
    document = world.tree / "d.txt"

    @given(st.lists(st.text(alphabet=alphabet, min_size=1, max_size=6), min_size=2, max_size=5), st.data())
    @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
    def holds(lines: list[str], data: st.DataObject) -> None:
        lines = [f"begin {alphabet[1]}", *lines, f"an end of plain letters {alphabet[-1]}"]
        pieces = [line + data.draw(st.sampled_from(ENDS[ends])) for line in lines[:-1]] + lines[-1:]
        number = data.draw(st.integers(0, len(lines) - 1)) if ends != "none" else 0
        start = data.draw(st.integers(0, len(lines[number])))
        stop = data.draw(st.integers(start, len(lines[number])))
        units: Units = data.draw(st.sampled_from(["utf-8", "utf-16", "utf-32"]))
        codec_of_units, width = WIDTH[units]
        columns = [len(lines[number][:at].encode(codec_of_units)) // width for at in (start, stop)]
        new = "x\ny" if len(ENDS[ends]) == 1 and ENDS[ends][0] else "xy"
        written = new.replace("\n", ENDS[ends][0])
        after = [*pieces]
        after[number] = pieces[number][:start] + written + pieces[number][stop:]
        old_bytes, new_bytes = ("".join(part).encode(name) for part in (pieces, after))
        document.write_bytes(mark + old_bytes)
        edit = TextEdit((number, columns[0], number, columns[1]), new)
        done = kb.commit_edit("d.txt", sha(mark + old_bytes), [edit], units)
        assert document.read_bytes() == mark + new_bytes
        assert (done.old_hash, done.new_hash) == (sha(mark + old_bytes), sha(mark + new_bytes))

    holds()


def test_the_mode_of_a_file_stays_and_other_names_of_it_keep_the_old_bytes(kb: KnowledgeBase, world: World) -> None:
    """The other name of a hard link may be outside of the tree: only the document that was named changes."""
    file, other = world.tree / A, world.tree.parent / "other.py"
    os.chmod(file, 0o754)
    os.link(file, other)
    before = file.read_bytes()
    kb.commit_edit(A, sha(before), TO_FN)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o754
    assert (file.read_bytes(), other.read_bytes()) == (b"fn" + before[3:], before)


def test_attributes_and_the_owner_of_a_file_stay(kb: KnowledgeBase, world: World) -> None:
    file = world.tree / A
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no attributes")
    if os.geteuid() == 0:
        os.chown(file, 12345, 12346)
    wanted = os.stat(file)
    kb.commit_edit(A, sha(file.read_bytes()), TO_FN)
    found = os.stat(file)
    assert (found.st_uid, found.st_gid) == (wanted.st_uid, wanted.st_gid)
    assert os.getxattr(file, "user.note") == b"kept"


def test_a_link_inside_the_tree_stays_one_and_what_it_leads_to_is_written(kb: KnowledgeBase, world: World) -> None:
    (world.tree / "near.py").symlink_to(A)
    before = (world.tree / A).read_bytes()
    assert kb.commit_edit("near.py", sha(before), TO_FN).path == A
    assert (world.tree / "near.py").is_symlink()
    assert (world.tree / A).read_bytes() == b"fn" + before[3:]


def test_the_journal_has_the_exact_edit_and_the_next_flush_shows_it(kb: KnowledgeBase, world: World) -> None:
    """K11, ST17: two edits in a row are one step from the first bytes to the last."""
    before = sha((world.tree / A).read_bytes())
    first = kb.commit_edit(A, f"sha256:{before}", TO_FN)
    second = kb.commit_edit(str(world.tree / A), first.new_hash, [TextEdit((0, 0, 0, 2), "fun")])
    drained = taken_from(kb.journal)
    assert drained.edits == (Edit(A, first.old_hash, second.new_hash),)
    kb.journal.restore(drained)
    kb.flush()
    assert texts(kb.snapshot())[A] == "fun alpha():\n    return 1\n"


def test_an_edit_that_changes_nothing_writes_nothing(kb: KnowledgeBase, world: World) -> None:
    file = world.tree / A
    inode, digest = os.stat(file).st_ino, sha(file.read_bytes())
    for edits in ([], [TextEdit(FIRST_WORD, "def")]):
        assert kb.commit_edit(A, digest, edits).new_hash == digest
    assert os.stat(file).st_ino == inode
    assert not kb.journal.pending


# -- what is refused ------------------------------------------------------------------------------------------------


def test_other_bytes_than_were_meant_are_not_written_over(kb: KnowledgeBase, world: World) -> None:
    error = refusal(lambda: kb.commit_edit(A, sha(b"another"), TO_FN), world)
    assert isinstance(error, ConflictError)
    assert error.data == {
        "path": A,
        "reason": "changed",
        "expected": f"sha256:{sha(b'another')}",
        "current": f"sha256:{sha((world.tree / A).read_bytes())}",
    }
    assert not kb.journal.pending


@pytest.mark.parametrize("how", ["in place", "by another file", "by another folder", "by another folder, same file"])
def test_what_somebody_else_writes_meanwhile_is_not_lost(
    kb: KnowledgeBase, world: World, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are looked at once more when the new ones are on the disk already."""
    (world.tree / "sub").mkdir()
    file = world.tree / "sub" / "d.py"
    file.write_bytes(b"old")

    def meanwhile(point: str) -> None:
        if point != "write.filled":
            return
        if how == "in place":
            file.write_bytes(b"theirs")
        elif how == "by another file":
            (world.tree / "new").write_bytes(b"theirs")
            os.replace(world.tree / "new", file)
        else:
            os.rename(world.tree / "sub", world.tree / "moved")
            file.parent.mkdir()
            if "same" in how:
                os.link(world.tree / "moved" / "d.py", file)
            else:
                file.write_bytes(b"theirs")

    monkeypatch.setattr("gazetteer.kb.replace.reach", meanwhile)
    with pytest.raises(ConflictError) as caught:
        kb.commit_edit("sub/d.py", sha(b"old"), [TextEdit(FIRST_WORD, "ours")])
    assert caught.value.data["reason"] == "changed"
    assert file.read_bytes() == (b"old" if "same" in how else b"theirs")
    assert not [name for name in tree_of(world) if "unfinished" in name]


def test_a_buffer_with_changes_that_are_not_saved_is_a_conflict_and_a_clean_one_is_none(
    kb: KnowledgeBase, world: World
) -> None:
    before = (world.tree / A).read_bytes()
    kb.open_buffer(A, before.decode() + "# more\n", 1)
    error = refusal(lambda: kb.commit_edit(A, sha(before), TO_FN), world)
    assert isinstance(error, ConflictError)
    assert error.data["reason"] == "dirty"
    kb.open_buffer(A, before.decode(), 2)
    with pytest.raises(InvalidArgumentError):  # an edit that is lost: what the editor has now is not known
        kb.change_buffer(A, [Change("", (1, 0, 0, 0))], 3, "utf-16")
    assert isinstance(refusal(lambda: kb.commit_edit(A, sha(before), TO_FN), world), ConflictError)
    kb.open_buffer(A, before.decode().replace("\n", "\r\n"), 4)  # as some editors have it
    assert kb.commit_edit(A, sha(before), TO_FN).new_hash == sha(b"fn" + before[3:])


@pytest.mark.parametrize("spelling", [*SPELLINGS, *NO_FILES])
def test_no_spelling_writes_outside_of_the_tree(kb: KnowledgeBase, world: World, spelling: str) -> None:
    """SE01, SE02: dots, percent signs, backslashes, other roots, home folders, links to files and to folders."""
    outside = lay(world.tree, b"def")
    document = spelled(spelling, world.tree)
    for act in (
        lambda: kb.commit_edit(document, sha(b"def"), TO_FN),
        lambda: kb.record_edit(document, sha(b"de"), [], sha(b"def")),
    ):
        assert isinstance(refusal(act, world), RefusedError | NotFoundError)
    assert [file.read_bytes() for file in outside] == [b"def", b"def"]
    assert not kb.journal.pending


def make_nested(tree: Path) -> None:
    for name in ("objects", "refs"):
        (tree / "nested" / ".git" / name).mkdir(parents=True)
    (tree / "nested" / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (".env", b"def", "secret"),
        ("id_rsa", b"def", "secret"),
        ("keys/server.pem", b"def", "secret"),
        ("ignored.py", b"def", "ignored"),
        (".git/hooks/pre-commit", b"def", "ignored"),
        ("nested/d.py", b"def", "nested"),
        ("large.py", b"x" * (2 * 1024 * 1024 + 1), "size"),
        ("data.py", b"def\0\0\0def", "binary"),
        ("pipe", None, "special"),
        ("sub", None, "special"),
    ],
)
def test_only_documents_of_the_tree_are_written(
    kb: KnowledgeBase, world: World, name: str, data: bytes | None, reason: str
) -> None:
    """K11, SE07: what holds secrets, what the rules leave out, and what is no text."""
    (world.tree / ".gitignore").write_text("ignored.py\n")
    make_nested(world.tree)
    file = world.tree / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if name == "pipe":
        os.mkfifo(file)
    elif name == "sub":
        file.mkdir()
    else:
        file.write_bytes(data or b"")
    error = refusal(lambda: kb.commit_edit(name, sha(data or b""), TO_FN), world)
    assert isinstance(error, RefusedError)
    assert error.data["reason"] == reason


def test_a_file_that_is_read_only_is_left_alone(kb: KnowledgeBase, world: World) -> None:
    """Even by a user whom permissions do not bind."""
    os.chmod(world.tree / A, 0o444)
    error = refusal(lambda: kb.commit_edit(A, sha((world.tree / A).read_bytes()), TO_FN), world)
    assert isinstance(error, RefusedError)
    assert error.data["reason"] == "read_only"


@pytest.mark.parametrize(
    ("data", "edit", "why"),
    [
        (b"caf\xe9 au lait", TextEdit(FIRST_WORD, "€"), "latin-1"),
        (b"\xff\xfea\0\0\xd8", TextEdit((0, 0, 0, 1), "b"), "not valid utf-16"),
        ("abcd".encode("utf-16-le"), TextEdit((0, 0, 0, 4), "中文"), "another"),
    ],
)
def test_a_text_that_the_encoding_cannot_hold_is_refused(
    kb: KnowledgeBase, world: World, data: bytes, edit: TextEdit, why: str
) -> None:
    (world.tree / "d.txt").write_bytes(data)
    error = refusal(lambda: kb.commit_edit("d.txt", sha(data), [edit]), world)
    assert isinstance(error, RefusedError)
    assert why in error.message


def test_what_makes_no_sense_names_the_argument(kb: KnowledgeBase, world: World) -> None:
    digest = sha((world.tree / A).read_bytes())
    for arguments, name in (
        ((A, "", TO_FN), "expectedHash"),
        ((A, digest.upper(), TO_FN), "expectedHash"),
        ((A, digest[:12], TO_FN), "expectedHash"),
        ((A, digest, [TextEdit((0, 3, 0, 0), "x")]), "edits"),
        ((A, digest, [TextEdit(FIRST_WORD, "x"), TextEdit(FIRST_WORD, "y")]), "edits"),
    ):
        error = refusal(lambda arguments=arguments: kb.commit_edit(*arguments), world)  # type: ignore[misc]
        assert isinstance(error, InvalidArgumentError)
        assert error.data["argument"] == name
    assert isinstance(refusal(lambda: kb.commit_edit("none.py", digest, TO_FN), world), NotFoundError)


# -- a write that somebody else did ---------------------------------------------------------------------------------


def test_a_write_that_was_done_elsewhere_is_journalled_exactly(kb: KnowledgeBase, world: World) -> None:
    file = world.tree / A
    before = file.read_bytes()
    file.write_bytes(b"fn" + before[3:])
    kb.record_edit(A, sha(before), TO_FN, sha(b"fn" + before[3:]))
    assert taken_from(kb.journal).edits == (Edit(A, sha(before), sha(b"fn" + before[3:])),)  # type: ignore[arg-type]
    assert file.read_bytes() == b"fn" + before[3:]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_what_is_recorded_is_held_against_what_was_there(kb: KnowledgeBase, world: World, ends: str) -> None:
    file = world.tree / A
    before, after = (ends.join(lines).encode() for lines in (["def a():", " x", ""], ["fn a():", " x", ""]))
    file.write_bytes(before)
    kb.refresh()
    file.write_bytes(after)
    kb.record_edit(A, sha(before), TO_FN, sha(after))
    assert taken_from(kb.journal).edits == (Edit(A, DiskHash(sha(before)), DiskHash(sha(after))),)
    if ends != "\r":  # there an edit may join line ends, which the stored text does not tell apart
        with pytest.raises(ConflictError) as caught:
            kb.record_edit(A, sha(before), [TextEdit(FIRST_WORD, "fun")], sha(after))
        assert caught.value.data["reason"] == "edits"
        drained = taken_from(kb.journal)
        assert (drained.paths, drained.edits) == ((A,), ())


def test_a_record_of_other_bytes_than_are_there_marks_the_document_and_nothing_else(
    kb: KnowledgeBase, world: World
) -> None:
    before = sha((world.tree / A).read_bytes())
    error = refusal(lambda: kb.record_edit(A, before, TO_FN, sha(b"another")), world)
    assert isinstance(error, ConflictError)
    drained = taken_from(kb.journal)
    assert (drained.paths, drained.edits) == ((A,), ())
