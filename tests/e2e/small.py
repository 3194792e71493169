"""A small tree with its cache, asked through the public `Session`: what the tests of pitfalls stand on."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gazetteer.app import Session
from gazetteer.retrieval.query import Answer, Filters, Query
from gazetteer.settings import Settings


class Small:
    """Files below ``tree``, indexes below ``cache``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.cache = folder / "cache"
        self.tree.mkdir()

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file, its line ends and bytes as given."""
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    @contextmanager
    def open(self, *, one_shot: bool = True, tree: Path | None = None, **more: Any) -> Iterator[Session]:
        """Open the tree so that every question looks at it anew."""
        settings = Settings(**{"db_path": str(self.cache), "sweep_reuse_ms": 0, "workers": 1, **more})
        with Session(str(tree or self.tree), settings, one_shot=one_shot) as session:
            yield session

    def command(self, *words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
        """Run the command as a process of its own on the same tree and cache."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "gazetteer", *words, "--root", str(self.tree)],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "GAZETTEER_DB_PATH": str(self.cache), **more},
        )

    def stored(self) -> bytes:
        """Every byte below the cache.

        Reading a database's file drops this process's locks on it, so no other process may have it open by then.
        """
        return b"\n".join(path.read_bytes() for path in sorted(self.cache.rglob("*")) if path.is_file())


def ask(session: Session, text: str, limit: int = 20, **filters: Any) -> Answer:
    """Ask with filters."""
    return session.retrieve(Query(text=text, limit=limit, filters=Filters(**filters)))


def paths(answer: Answer) -> list[str]:
    """Relative paths of an answer, copies of the same text included, sorted."""
    places = (place.path for hit in answer.hits for place in hit.also if place.reason == "same text")
    return sorted({*(hit.relpath for hit in answer.hits), *places})
