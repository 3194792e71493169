"""A product tree around two others, for tests of registered trees."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, Shell


def grow(folder: Path, **files: str) -> Path:
    """Write files, ``a__b`` standing for ``a/b.py``."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def word(name: str) -> str:
    return f"def {name}():\n    return 1\n"


def done(run: Run) -> Run:
    assert run.status == 0, run
    return run


class Product:
    """A product tree around two others, each with one function that is found nowhere else."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.kernel = grow(shell.tree / "sources" / "kernel", sched=word("pick_next_task"), mm=word("free_pages"))
        self.loader = grow(shell.home / "loader", boot=word("relocate_loader"))
        grow(shell.tree, app=word("show_dashboard"))
        (shell.tree / ".git").mkdir()

    def hits(self, question: str, *options: str, cwd: Path | None = None) -> list[str]:
        answer = done(self.shell("ask", question, "--json", *options, cwd=cwd)).json()
        return [hit["relpath"] for hit in answer["hits"] if question in hit["text"]]

    def stored(self) -> dict[str, bytes]:
        """Every index, by the tree that it is of."""
        return {str(path.parent.name): path.read_bytes() for path in sorted(self.shell.indexes.glob("corpora/*/kb.db"))}


@pytest.fixture
def product(within: Shell) -> Product:
    return Product(within)


def rows(run: Run) -> dict[str, Any]:
    return {row.get("name") or row["corpus"]: row for row in run.json()["corpora"]}
