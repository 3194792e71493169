"""Small trees written as one string: ``-- path --`` opens a file, ``-- buffer: path --`` an unsaved text of it.

A ``|`` in a text marks the cursor and is no part of it, where the test asks for one.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath
from gazetteer.settings import Settings

_OPENING = re.compile(r"^-- (?P<buffer>buffer: )?(?P<path>\S+) --\n", re.MULTILINE)


class Written(NamedTuple):
    """Texts by path: on disk, and open."""

    files: dict[str, str]
    buffers: dict[str, str]


def written(text: str) -> Written:
    """Take a string of files apart."""
    found = Written({}, {})
    marks = [*_OPENING.finditer(text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        (found.buffers if mark["buffer"] else found.files)[mark["path"]] = text[mark.end() : end]
    return found


def write(folder: Path, text: str) -> Written:
    """Write the files of a string below a folder."""
    found = written(text)
    for path, content in found.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    return found


@contextmanager
def opened(folder: Path, text: str) -> Iterator[Session]:
    """A session on the files of a string, indexed, its buffers open; the index lies beside the tree."""
    tree = folder / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    found = write(tree, text)
    settings = Settings(db_path=str(folder / "cache"), workers=1, sweep_reuse_ms=60_000)
    with Session(str(tree), settings, one_shot=False) as session:
        session.sync()
        for path, content in found.buffers.items():
            session.kb.open_buffer(DocumentPath(path), content, 1)
        yield session


def cursor(text: str) -> tuple[str, int]:
    """A text without its ``|``, and where that was."""
    at = text.index("|")
    return text[:at] + text[at + 1 :], at
