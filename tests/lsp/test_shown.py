"""Answers as documents: each is whole, old ones go, and nothing is left of one that could not be written."""

import os
import threading
from pathlib import Path

import pytest
from gazetteer.kb.errors import UnavailableError
from gazetteer.lsp import shown


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_document_that_cannot_take_its_place_leaves_nothing(tmp_path: Path) -> None:
    first = Path(shown.write(str(tmp_path), "apples", "one\n"))
    first.unlink()
    first.mkdir()
    with pytest.raises(UnavailableError):
        shown.write(str(tmp_path), "apples", "one\n")
    assert names(tmp_path) == [first.name]


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "shown").write_text("in the way")
    with pytest.raises(UnavailableError, match="--db-path"):
        shown.write(str(tmp_path / "shown"), "apples", "one\n")


def test_only_the_newest_are_kept_and_no_abandoned_draft(tmp_path: Path) -> None:
    new, old = tmp_path / f"{shown.DRAFT}new", tmp_path / f"{shown.DRAFT}old"
    new.touch()
    old.touch()
    os.utime(old, ns=(0, 0))
    for number in range(shown.KEPT + 5):
        path = Path(shown.write(str(tmp_path), f"number {number}", f"{number}\n"))
        os.utime(path, ns=(number, number))
    last = Path(shown.write(str(tmp_path), "last", "last\n"))
    kept = names(tmp_path)
    assert last.name in kept
    assert new.name in kept
    assert old.name not in kept
    assert len(kept) == shown.KEPT + 1
    assert not any(name.startswith(("number-0", "number-1-")) for name in kept)


def test_several_servers_forget_the_same_documents(tmp_path: Path) -> None:
    """Each prunes the folder while the others do; a document that is gone by then is no error."""
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for one in range(150):
                shown.write(str(tmp_path), f"{number} {one}", f"{number} {one}\n")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    shown.write(str(tmp_path), "last", "last\n")
    assert len(names(tmp_path)) == shown.KEPT
