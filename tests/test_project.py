"""The project holds together: packages, direction of imports, one owner a library, what a start costs."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

ROOMS = (
    "kb",
    "settings",
    "retrieval",
    "corpora",
    "parts",
    "opened",
    "context",
    "app",
    "shelf",
    "workspace",
    "lsp",
    "cli",
)
"""From the lowest: a room imports itself and the rooms before it."""
KNOWS_ONLY = {
    "kb": {"kb"},
    "settings": {"settings", "kb"},
    "retrieval": {"retrieval", "kb"},
    "corpora": {"corpora", "retrieval", "settings", "kb"},
    "context": {"context", "corpora", "retrieval", "settings", "kb"},
    "parts": {"retrieval", "corpora", "settings", "kb"},
    "opened": {"parts", "corpora", "settings", "kb"},
}
OWNERS = {
    "tree_sitter": "kb/parse",
    "sqlite3": "kb/store/",
    "tantivy": "retrieval/lexical",
    "watchfiles": "kb/watch.py",
    "click": "cli/",
    "rich": "cli/",
    "yaml": "corpora/knowledge_yaml.py",
    "filelock": "kb/lock.py",
    "platformdirs": "settings.py",
    "pygls": "lsp/",
    "lsprotocol": "lsp/",
}
HEAVY = (
    "pygls",
    "lsprotocol",
    "tantivy",
    "tree_sitter",
    "sqlite3",
    "rich",
    "torch",
    "chromadb",
    "numpy",
    "onnxruntime",
    "yaml",
    "msgspec",
)


def modules() -> Iterator[Path]:
    yield from sorted(SERVER.rglob("*.py"))


@functools.cache
def imports(path: Path) -> tuple[str, ...]:
    """Name what a module imports, from the package as ``.room.module``, wherever in it the import stands."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(SERVER).parts[: -node.level]
            inside = (*package, *(node.module or "").split(".")) if node.module else package
            if inside:
                yield "." + ".".join(inside)
            else:
                yield from (f".{name.name}" for name in node.names)


def room(path: Path) -> str:
    return path.relative_to(SERVER).parts[0].removesuffix(".py")


def test_every_package_is_installed() -> None:
    folders = {
        ".".join(("gazetteer", *path.parent.relative_to(SERVER).parts))
        for path in modules()
        if path.name == "__init__.py"
    }
    assert folders == set(PROJECT["tool"]["setuptools"]["packages"])
    assert all((path.parent / "__init__.py").exists() for path in modules())


def test_the_version_is_said_once() -> None:
    said = re.search(r'^__version__ = "(.*)"$', (SERVER / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert said is not None
    assert said[1] == PROJECT["project"]["version"]


def test_imports_inside_are_relative() -> None:
    assert [path for path in modules() if any(name.split(".")[0] == "gazetteer" for name in imports(path))] == []


def test_imports_go_downwards_only() -> None:
    """Invariant 1: kb imports nothing above it, and neither does any other room."""
    upwards = [
        f"{path.relative_to(SERVER)} imports {name}"
        for path in modules()
        for name in imports(path)
        if (known := KNOWS_ONLY.get(room(path))) and name.startswith(".") and name.split(".")[1] not in known
    ]
    assert upwards == []
    assert {room(path) for path in modules()} <= {*ROOMS, "__init__", "__main__"}


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_has_one_owner(library: str) -> None:
    """Invariant 1: another file that wants the library asks its owner."""
    users = {
        path.relative_to(SERVER).as_posix()
        for path in modules()
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert {user for user in users if not user.startswith(OWNERS[library])} == set()


@pytest.mark.parametrize(
    "start",
    [
        "import gazetteer",
        "import gazetteer.cli, sys; sys.argv = ['gazetteer', '--help']; gazetteer.cli.main()",
        "import gazetteer.cli, sys; sys.argv = ['gazetteer', '--version']; gazetteer.cli.main()",
        "import gazetteer.cli, sys; sys.argv = ['gazetteer', '--no-such-flag']; gazetteer.cli.main()",
    ],
)
def test_a_start_loads_nothing_heavy(start: str) -> None:
    """What is not loaded costs nothing: importing, help, version and a mistyped flag stay cheap."""
    report = f"import atexit, sys; atexit.register(lambda: print('LOADED', *(set(sys.modules) & set({HEAVY}))))\n"
    done = subprocess.run([sys.executable, "-P", "-c", report + start], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "LOADED", done.stdout + done.stderr


def test_a_question_loads_no_library_of_semantic_search() -> None:
    everything = "import gazetteer.app, gazetteer.cli.queries, gazetteer.cli.upkeep, gazetteer.cli.doctor, sys\n"
    report = "print(sorted({'torch', 'chromadb', 'numpy', 'onnxruntime', 'sentence_transformers'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", everything + report], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
