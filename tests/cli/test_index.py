"""index and reindex of registered trees through the real command, and trees that are too large."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from .conftest import Shell
from .product import Product, done, grow, product, rows, word

__all__ = ["product"]


# ---------------------------------------------------------------- index, reindex


def test_index_builds_every_registered_tree_or_those_named(product: Product) -> None:
    shell = product.shell
    assert shell("index").status == 2
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    done(shell("corpus", "add", "loader", str(product.loader)))
    found = rows(done(shell("index", "loader", "--json", cwd=shell.home)))
    assert list(found) == ["loader"]
    assert found["loader"]["found"]["state"] == "ready"
    assert list(product.stored()) == [os.path.basename(found["loader"]["found"]["dbPath"])]
    assert list(rows(done(shell("index", "--corpus", "loader", "--json")))) == ["loader"]
    found = rows(done(shell("index", "--json", cwd=shell.home)))
    assert {name: row["found"]["documents"] for name, row in found.items()} == {"kernel": 2, "loader": 1}
    assert re.search(r"^kernel +ready +1 +2 ", done(shell("index")).out, re.MULTILINE)


@pytest.mark.parametrize("words", [("--help",), ("kernel", "--help"), ("-h",)])
def test_help_of_index_indexes_nothing(product: Product, words: tuple[str, ...]) -> None:
    """Issue 4, item 6."""
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    assert done(shell("index", *words)).out.startswith("Usage: gazetteer index ")
    assert not shell.indexes.exists()


def test_unknown_flags_and_names_index_nothing(product: Product) -> None:
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    for words in (("--al",), ("--no-such-flag",), ("kernel", "nobody"), ("--root", "."), ("--corpus", "nobody")):
        assert shell("index", *words).status == 2, words
        assert not shell.indexes.exists(), words


def test_index_goes_where_the_indexes_are_wanted(product: Product, tmp_path: Path) -> None:
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    for words, env in ((("--db-path", str(tmp_path / "one")), {}), ((), {"GAZETTEER_DB_PATH": str(tmp_path / "two")})):
        for command in (("index", "kernel"), ("sync", "--corpus", "kernel"), ("reindex", "--corpus", "kernel")):
            done(shell(*command, *words, env=env))
    assert not shell.indexes.exists()
    assert [len(list((tmp_path / name).glob("corpora/*/kb.db"))) for name in ("one", "two")] == [1, 1]


def test_one_that_fails_costs_only_its_own_row(product: Product) -> None:
    shell = product.shell
    gone = grow(shell.home / "gone", x=word("gone"))
    for name, folder in (("gone", gone), ("kernel", product.kernel), ("product", shell.tree)):
        done(shell("corpus", "add", name, str(folder)))
    shutil.rmtree(gone)
    shell.write("knowledge.yaml", "nonsense: 1\n")
    run = shell("index", "--json")
    assert run.status == 2
    found = rows(run)
    assert found["kernel"]["found"]["state"] == "ready"
    assert found["gone"]["error"]["code"] == "not_found"
    assert "knowledge.yaml:1" in found["product"]["error"]["message"]
    (shell.tree / "knowledge.yaml").unlink()
    assert shell("index").status == 3
    for command in ("status", "health"):
        found = rows(shell(command, "--all", "--json"))
        assert {name: (row["found"] or {}).get("state") for name, row in found.items()} == {
            "gone": None,
            "kernel": "ready",
            "product": "ready",
        }
    assert "corpus rm gone" in shell("health", "--all").out
    assert shell("health", "--all").status == 3
    assert shell("status", "--all", "--corpus", "kernel").status == 2


def test_reindex_from_elsewhere_rebuilds_the_chosen_corpus_and_touches_nothing_else(product: Product) -> None:
    """Issue 4, item 6: not the current folder's index, not another corpus's, and no tree."""
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    done(shell("corpus", "add", "loader", str(product.loader)))
    done(shell("index"))
    done(shell("sync"))
    chosen = os.path.basename(done(shell("status", "--corpus", "loader", "--json")).json()["dbPath"])
    trees = [path for tree in (shell.tree, product.loader) for path in sorted(tree.rglob("*"))]
    before = {path: path.stat().st_mtime_ns for path in trees}
    stored = product.stored()
    assert len(stored) == 3
    health = done(shell("reindex", "--corpus", "loader", "--json")).json()
    assert (health["root"], health["state"], health["documents"]) == (str(product.loader), "ready", 1)
    after = product.stored()
    assert after[chosen] != stored[chosen]
    assert {key: data for key, data in after.items() if key != chosen} == {
        key: data for key, data in stored.items() if key != chosen
    }
    assert {path: path.stat().st_mtime_ns for path in trees} == before
    done(shell("check", "--full", "--corpus", "loader"))


# ---------------------------------------------------------------- too many files


@pytest.fixture
def board(shell: Shell) -> Shell:
    """A product of some size that holds a boot loader, and one that was registered beside it."""
    for part in ("app", "ui", "net", "db", "tools"):
        grow(shell.tree, **{f"{part}__m{number}": word(f"{part}{number}") for number in range(8)})
    loader = shell.tree / "layers" / "bsp" / "loader 2024"
    grow(loader, **{f"drivers__d{number}": word(f"loader{number}") for number in range(12)})
    for name in ("Makefile", "Kconfig", "MAINTAINERS"):
        (loader / name).write_text("x = 1\n")
    grow(shell.home / "small", one=word("small_one"))
    done(shell("corpus", "add", "board", str(shell.tree)))
    done(shell("corpus", "add", "small", str(shell.home / "small")))
    return shell


def test_a_tree_that_is_too_large_is_refused_and_the_others_are_indexed(board: Shell) -> None:
    """C4 across all of them: exit 2, nothing published, and the message names the boot loader first."""
    run = board("index", "--max-files", "45", "--json")
    assert run.status == 2
    found = rows(run)
    assert found["small"]["found"]["state"] == "ready"
    error = found["board"]["error"]
    assert error["code"] == "refused"
    assert error["data"]["directories"][0] == {"path": "layers/bsp/loader 2024", "files": 15}
    assert "most of them in layers/bsp/loader 2024 (15), " in error["message"]
    assert board("status", "--json").json()["generation"] == 0


@pytest.mark.parametrize("line", ["once: ", "for good: "])
def test_the_command_that_a_refusal_prints_makes_the_index_succeed(board: Shell, line: str) -> None:
    """Issue 4, item 6; ST09: run as printed."""
    limit = {"GAZETTEER_MAX_FILES": "45"}
    run = board("index", "board", env=limit)
    assert run.status == 2
    (printed,) = (said.removeprefix(line).strip() for said in run.out.splitlines() if said.startswith(line))
    assert "'./layers/bsp/loader 2024'" in printed
    words = shlex.split(printed)
    assert words[0] == "gazetteer"
    done(board(*words[1:], env=limit))
    health = done(board("sync" if line == "for good: " else "status", "--json", env=limit)).json()
    assert health["documents"] == 40
    if line == "for good: ":
        assert done(board("index", env=limit)).status == 0
        assert done(board("ask", "ui3", env=limit)).out.count("ui/m3.py")


def test_what_was_published_before_answers_on_when_a_tree_grows_too_large(board: Shell) -> None:
    done(board("index"))
    before = rows(done(board("status", "--all", "--json")))["board"]["found"]
    grow(board.tree, **{f"more__m{number}": word(f"more{number}") for number in range(9)})
    assert board("index", "--max-files", "56").status == 2
    after = rows(done(board("status", "--all", "--json", "--max-files", "56")))["board"]["found"]
    assert (after["generation"], after["documents"]) == (before["generation"], before["documents"])
    assert "more than the limit" in after["lastError"]


def test_a_part_is_indexed_on_request_and_said_to_be_one(board: Shell) -> None:
    found = rows(done(board("index", "--max-files", "45", "--allow-partial", "--json")))
    assert found["board"]["found"]["state"] == "partial"
    assert rows(done(board("corpus", "list", "--json")))["board"]["index"] == "partial"
    assert "only the first 45 files" in done(board("index", "--max-files", "45", "--allow-partial")).out
