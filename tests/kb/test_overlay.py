"""Open documents are values: a map that was taken never changes, and one state has one name."""

import hashlib

import pytest
from gazetteer.kb.buffer import Change
from gazetteer.kb.errors import ConflictError, InvalidArgumentError, NotFoundError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.overlay import NOTHING_OPEN, OverlayMap

A, B = DocumentPath("a.py"), DocumentPath("dir/b\udcf5.py")


def text_of(overlays: OverlayMap, path: DocumentPath) -> str | None:
    overlay = overlays.get(path)
    return None if overlay is None else overlay.text


def test_a_map_that_was_taken_keeps_what_it_said() -> None:
    """Invariant 3: whatever happens to the documents afterwards."""
    first = NOTHING_OPEN.open(A, "x = 1\r\n", 1)
    second = first.change(A, [Change("2", (0, 4, 0, 5))], 2, "utf-16")
    third = second.open(B, "y", 1).close(A)
    assert [text_of(m, A) for m in (NOTHING_OPEN, first, second, third)] == [None, "x = 1\n", "x = 2\n", None]
    assert [len(m) for m in (NOTHING_OPEN, first, second, third)] == [0, 1, 1, 1]
    assert A in second
    assert A not in third


def test_the_text_of_an_overlay_is_content_and_its_buffer_is_the_editors() -> None:
    """PE06: no mark, one kind of line end; the same identity as a file that says the same."""
    overlay = NOTHING_OPEN.open(A, "\ufeffx\r\ny\r", 3).get(A)
    assert overlay is not None
    assert (overlay.text, overlay.buffer.text, overlay.version) == ("x\ny\n", "\ufeffx\r\ny\r", 3)
    assert overlay.content_id == hashlib.sha256(b"x\ny\n").hexdigest()


def test_a_change_of_what_is_not_open_is_refused_and_a_close_is_nothing() -> None:
    """PR12."""
    with pytest.raises(NotFoundError, match="open it first"):
        NOTHING_OPEN.change(A, [Change("x")], 1, "utf-16")
    assert NOTHING_OPEN.close(A) is NOTHING_OPEN


@pytest.mark.parametrize(
    ("change", "version", "error"),
    [(Change("x"), 1, ConflictError), (Change("x", (1, 0, 0, 0)), 2, InvalidArgumentError)],
)
def test_a_refused_change_leaves_the_version_before(change: Change, version: int, error: type[Exception]) -> None:
    overlays = NOTHING_OPEN.open(A, "abc", 1)
    with pytest.raises(error):
        overlays.change(A, [change], version, "utf-16")
    assert text_of(overlays, A) == "abc"


def test_opening_again_starts_from_the_text_that_is_sent() -> None:
    """PR15: whatever version and text were known before."""
    overlays = NOTHING_OPEN.open(A, "old", 9).open(A, "new", 1)
    assert text_of(overlays, A) == "new"


def test_documents_come_in_the_order_of_their_paths() -> None:
    paths = [DocumentPath(name) for name in ("b", "a/c", "a", "Z", "é", "\udcff")]
    one = NOTHING_OPEN
    for path in paths:
        one = one.open(path, path[:1].encode("utf-8", "replace").decode(), 1)
    assert [overlay.path for overlay in one] == sorted(paths)


def test_one_state_has_one_name() -> None:
    """The order of opening does not matter; path, version and text do."""
    state = NOTHING_OPEN.open(A, "x", 1).open(B, "y", 2)
    assert state.state_id == NOTHING_OPEN.open(B, "y", 2).open(A, "x", 1).state_id
    others = [
        NOTHING_OPEN,
        NOTHING_OPEN.open(A, "x", 1),
        NOTHING_OPEN.open(A, "y", 1).open(B, "x", 2),
        NOTHING_OPEN.open(A, "x", 2).open(B, "y", 2),
        NOTHING_OPEN.open(A, "x", 1).open(B, "z", 2),
        NOTHING_OPEN.open(A, "x", 1).open(DocumentPath("b.py"), "y", 2),
    ]
    names = {overlays.state_id for overlays in [state, *others]}
    assert len(names) == 1 + len(others)
    assert all(name == "" or len(name) == 12 for name in names)
