"""Registered trees through the command line: list, add, rm, scan, and --corpus."""

import json
import os
import re
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from gazetteer.corpora import registering
from gazetteer.kb.lock import publish_lock

from .conftest import Shell
from .product import Product, done, grow, product, rows, word

__all__ = ["product"]


# ---------------------------------------------------------------- list, add, rm


def test_what_is_added_is_listed_with_how_its_index_is(product: Product) -> None:
    shell = product.shell
    assert "nothing is registered" in done(shell("corpus", "list")).out
    said = done(shell("corpus", "add", "kernel", "sources/kernel", "--kind", "upstream", "--shared")).out
    assert str(product.kernel) in said
    before = rows(done(shell("corpus", "list", "--json")))["kernel"]
    assert (before["root"], before["kind"], before["shared"]) == (str(product.kernel), "upstream", True)
    assert (before["there"], before["index"], before["documents"]) == (True, "none", 0)
    assert not shell.indexes.exists(), "looking makes no index"
    done(shell("corpus", "add", "kernel", "--autoindex", str(product.kernel)))
    done(shell("sync", "--corpus", "kernel"))
    after = rows(done(shell("corpus", "list", "--json")))["kernel"]
    assert (after["index"], after["documents"], after["generation"]) == ("indexed", 2, 1)
    assert after["indexBytes"] > 0
    table = done(shell("corpus", "list")).out
    assert re.search(
        rf"^kernel +indexed +2 .*{re.escape(str(product.kernel))}  \[upstream\]  \[shared\]  \[autoindex\]$",
        table,
        re.MULTILINE,
    )


def test_the_tree_one_is_in_is_added_by_default_and_adding_again_keeps_what_was_said(product: Product) -> None:
    shell = product.shell
    done(shell("corpus", "add", "product", "--with", "kernel", "--exclude", "old", cwd=shell.tree / "sources"))
    assert done(shell("corpus", "add", "product", "--json")).json()["change"] == "kept"
    assert done(shell("corpus", "add", "product", "--exclude", "./x", "--json")).json()["change"] == "changed"
    row = rows(done(shell("corpus", "list", "--json")))["product"]
    assert (row["root"], row["corpora"], row["exclude"]) == (str(shell.tree), ["kernel"], ["old", "./x"])


def test_keys_that_wait_for_vectors_are_kept_and_said_to_change_nothing(product: Product) -> None:
    """C1: whoever sets them is told when it is set, in the list, and where the corpus's state is told."""
    shell = product.shell
    said = "semantic and collection of kernel are kept, and not used by this version of Gazetteer."
    words = ("--semantic", "bundled", "--collection", "kernel-vectors", "--family", "embedded")
    assert said in done(shell("corpus", "add", "kernel", str(product.kernel), *words)).out
    assert said in done(shell("corpus", "list")).out
    done(shell("index"))
    for command in (("status",), ("health",), ("sync",)):
        assert said in done(shell(*command, "--corpus", "kernel", "--json")).json()["notices"]
        assert said not in done(shell(*command, "--json")).json()["notices"]
    assert said in done(shell("health", "--all")).out
    entry = json.loads((shell.home / "config" / "gazetteer" / "projects.json").read_text())["kernel"]
    assert (entry["semantic"], entry["collection"], entry["families"]) == ("bundled", "kernel-vectors", ["embedded"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "/tmp"), "is a path and no name"),
        (("add", ".", "kernel"), "is a path and no name"),
        (("add", "k", "no-such-folder"), "no folder"),
        (("add", "k", "app.py"), "is a file"),
        (("add", "k", ".", "--indexer", "magic"), "--indexer"),
        (("add", "k", ".", "--no-such-flag"), "--no-such-flag"),
        (("add",), "NAME"),
        (("rm", "nobody"), "No corpus is registered as nobody"),
        (("rm",), "NAME"),
        (("list", "surplus"), "surplus"),
        (("list", "--root", "."), "--root"),
        (("scan", "no-such-folder"), "no folder"),
        (("scan", ".", "--min", "-1"), "--min"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_mistakes_are_one_sentence_and_change_nothing(product: Product, words: tuple[str, ...], said: str) -> None:
    run = product.shell("corpus", *words)
    assert (run.status, run.out) == (2, ""), run
    assert said in run.err
    assert run.err.count("\n") == 1
    assert not (product.shell.home / "config").exists()


def test_the_command_that_a_path_as_a_name_is_answered_with_works(product: Product) -> None:
    run = product.shell("corpus", "add", str(product.loader))
    found = re.search(r"`gazetteer (corpus add NAME [^`]+)`", run.err)
    assert found is not None
    done(product.shell(*shlex.split(found[1].replace("NAME", "loader"))))
    assert rows(product.shell("corpus", "list", "--json"))["loader"]["root"] == str(product.loader)


def test_options_of_every_command_stand_before_after_and_between(product: Product) -> None:
    shell = product.shell
    for words in (("--json", "corpus", "list"), ("corpus", "--json", "list"), ("corpus", "list", "--json")):
        assert done(shell(*words)).json()["corpora"] == []


@pytest.mark.parametrize("words", ["index k", "corpus rm k", "status --corpus k"])
def test_a_shell_completes_names(product: Product, words: str) -> None:
    for name, folder in (("kernel", product.kernel), ("loader", product.loader)):
        done(product.shell("corpus", "add", name, str(folder)))
    asked = {"_GAZETTEER_COMPLETE": "bash_complete", "COMP_WORDS": f"gazetteer {words}"}
    run = product.shell(env={**asked, "COMP_CWORD": str(len(words.split()))})
    assert run.out.split() == ["plain,kernel"]


def test_letting_go_frees_what_no_other_index_needs(product: Product) -> None:
    """C2: the tree may be gone; what another corpus shares with it stays."""
    shell = product.shell
    copy = shell.home / "copy"
    shutil.copytree(product.kernel, copy)
    (copy / "only.py").write_text(word("only_in_the_copy"))
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    done(shell("corpus", "add", "copy", str(copy)))
    done(shell("index"))
    shutil.rmtree(copy)
    assert "(gone)" in done(shell("corpus", "list")).out
    removed = done(shell("corpus", "rm", "copy", "--json")).json()
    assert removed["removed"][0] == f"the index of {copy}"
    assert removed["freedBytes"] > 0
    assert len(product.stored()) == 1
    done(shell("check", "--full", "--corpus", "kernel"))
    assert product.hits("pick_next_task", "--corpus", "kernel") == ["sched.py"]
    assert list(rows(shell("corpus", "list", "--json"))) == ["kernel"]


def stored_texts(shell: Shell) -> int:
    with closing(sqlite3.connect(f"file:{shell.indexes / 'content.db'}?mode=ro", uri=True)) as database:
        return int(database.execute("SELECT count(*) FROM contents").fetchone()[0])


def an_hour_later(shell: Shell) -> None:
    """Stored texts of the last minute may belong to somebody who is publishing, and stay."""
    with closing(sqlite3.connect(shell.indexes / "content.db")) as database, database:
        database.execute("UPDATE contents SET touched = touched - 3600")


def test_stored_texts_go_with_the_last_index_that_needs_them(product: Product) -> None:
    """C2, ST23: three texts; two are shared with a copy of the tree, which loses nothing."""
    shell = product.shell
    copy = shell.home / "copy"
    shutil.copytree(product.kernel, copy)
    grow(copy, only=word("only_in_the_copy"))
    for name, folder in (("kernel", product.kernel), ("copy", copy)):
        done(shell("corpus", "add", name, str(folder)))
    done(shell("index"))
    an_hour_later(shell)
    assert stored_texts(shell) == 3
    shutil.rmtree(copy)
    said = done(shell("corpus", "rm", "copy", "--json")).json()
    assert said["removed"][1:] == ["1 stored text that no index refers to"]
    assert stored_texts(shell) == 2
    assert product.hits("free_pages", "--corpus", "kernel") == ["mm.py"]
    an_hour_later(shell)
    done(shell("corpus", "rm", "kernel"))
    assert stored_texts(shell) == 0
    assert product.stored() == {}


def test_another_indexer_or_other_exclusions_take_effect_at_the_next_sync_and_the_same_ones_do_nothing(
    product: Product,
) -> None:
    """C8: what decides the corpus makes the index stale; a label does not."""
    shell = product.shell
    (product.kernel / "guide.md").write_text("# Guide\n\nHow pages are freed.\n")
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    generations = [done(shell("sync", "--corpus", "kernel", "--json")).json()["generation"]]
    for words, documents in (
        (("--kind", "x", "--shared", "--family", "c"), 3),
        (("--indexer", "docs"), 1),
        (("--indexer", "docs"), 1),
        (("--indexer", "generic"), 3),
        (("--exclude", "./mm.py"), 2),
    ):
        done(shell("corpus", "add", "kernel", str(product.kernel), *words))
        health = done(shell("sync", "--corpus", "kernel", "--json")).json()
        assert (health["state"], health["documents"]) == ("ready", documents), words
        generations.append(health["generation"])
    assert generations == [1, 1, 2, 2, 3, 4]


def test_an_index_that_somebody_is_writing_is_left_with_the_command_that_deletes_it(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = product.shell
    monkeypatch.setattr(registering, "INDEX_WAIT_S", 0.05)
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    folder = Path(done(shell("sync", "--corpus", "kernel", "--json")).json()["dbPath"])
    with publish_lock(str(folder)).held():
        removed = done(shell("corpus", "rm", "kernel", "--json")).json()
    assert removed["removed"] == []
    (notice,) = removed["notices"]
    command = re.search(r"`gazetteer (clean [^`]+)`", notice)
    assert command is not None
    assert rows(shell("corpus", "list", "--json")) == {}
    done(shell(*shlex.split(command[1])))
    assert product.stored() == {}


def test_letting_go_never_touches_the_tree(product: Product) -> None:
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    done(shell("index"))
    before = {path: path.read_bytes() for path in product.kernel.rglob("*.py")}
    done(shell("corpus", "rm", "kernel"))
    assert {path: path.read_bytes() for path in product.kernel.rglob("*.py")} == before


def test_a_broken_registry_ends_no_session_and_is_said(product: Product) -> None:
    """C1: the tree one is in is asked all the same."""
    shell = product.shell
    file = shell.home / "config" / "gazetteer" / "projects.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"kernel": ')
    run = done(shell("ask", "show_dashboard"))
    assert "app.py" in run.out
    assert f"The registry {file} is not JSON" in run.err
    for words in (("corpus", "list"), ("status",), ("sync",)):
        assert str(file) in "".join((done(shell(*words)).err, shell(*words).out))
    assert shell("status", "--corpus", "kernel").status == 2
    assert file.read_text() == '{"kernel": '
    file.write_text(json.dumps({"kernel": {"path": str(product.kernel)}, "odd": {"path": 3}}))
    assert "odd" in done(shell("corpus", "list")).out
    assert product.hits("pick_next_task", "--corpus", "kernel") == ["sched.py"]
    assert "odd" in shell("status", "--corpus", "odd").err


def test_relative_paths_of_the_registry_start_where_the_user_says(product: Product) -> None:
    shell = product.shell
    file = shell.home / "config" / "gazetteer" / "projects.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"kernel": {"path": "sources/kernel"}}')
    there = {"GAZETTEER_CORPUS_ROOT": str(shell.tree)}
    assert done(shell("sync", "--corpus", "kernel", "--json", env=there)).json()["root"] == str(product.kernel)
    run = shell("sync", "--corpus", "kernel")
    assert (run.status, str(file.parent / "sources/kernel") in run.err) == (2, True)


# ---------------------------------------------------------------- choosing


def test_a_corpus_is_asked_from_anywhere_by_its_name(product: Product) -> None:
    shell = product.shell
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    for folder in (shell.tree, product.loader):
        assert product.hits("pick_next_task", "--corpus", "kernel", cwd=folder) == ["sched.py"]
        found = done(shell("status", "--corpus", "kernel", "--json", cwd=folder)).json()
        assert (found["corpus"], found["root"]) == ("kernel", str(product.kernel))
    both = shell("status", "--corpus", "kernel", "--root", ".")
    assert (both.status, "give one" in both.err) == (2, True)


def test_the_registered_root_around_the_current_folder_is_the_tree(product: Product) -> None:
    """C6: the longest registered root that holds it, marked or not."""
    shell = product.shell
    (product.loader / "arch" / "arm").mkdir(parents=True)
    inside = product.loader / "arch" / "arm"
    assert done(shell("status", "--json", cwd=inside)).json()["root"] == str(inside)
    done(shell("corpus", "add", "loader", str(product.loader)))
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    assert done(shell("status", "--json", cwd=inside)).json()["root"] == str(product.loader)
    assert done(shell("status", "--json", cwd=product.kernel)).json()["root"] == str(product.kernel)
    assert done(shell("status", "--json", cwd=product.kernel.parent)).json()["root"] == str(shell.tree)


@pytest.mark.parametrize("command", ["sync", "status", "health", "check", "reindex", "clean"])
def test_every_command_of_a_tree_takes_the_name_of_a_corpus(product: Product, command: str) -> None:
    shell = product.shell
    done(shell("corpus", "add", "loader", str(product.loader)))
    done(shell("sync", "--corpus", "loader"))
    assert done(shell(command, "--corpus", "loader", "--json")).json()["root"] == str(product.loader)
    unknown = shell(command, "--corpus", "laoder")
    assert (unknown.status, "did you mean loader?" in unknown.err) == (2, True)
    inside = product.kernel / "here"  # registered by nobody
    (inside / ".git").mkdir(parents=True)
    assert done(shell(command, "--corpus", "here", "--json", cwd=inside)).json()["root"] == str(inside)


def test_a_corpus_whose_tree_is_gone_is_named_with_what_to_do(product: Product) -> None:
    shell = product.shell
    done(shell("corpus", "add", "loader", str(product.loader)))
    done(shell("index"))
    shutil.rmtree(product.loader)
    run = shell("sync", "--corpus", "loader")
    assert run.status == 2
    found = re.search(r"`gazetteer (corpus rm [^`]+)`", run.err)
    assert found is not None
    done(shell(*shlex.split(found[1])))
    assert product.stored() == {}


# ---------------------------------------------------------------- one tree inside another


def test_a_tree_registered_inside_another_leaves_it_and_comes_back(product: Product) -> None:
    """Issue 4, item 5: at the next look at the outer tree, without a flag; nothing is read twice."""
    shell = product.shell
    done(shell("sync"))
    assert product.hits("pick_next_task") == ["sources/kernel/sched.py"]
    done(shell("corpus", "add", "kernel", str(product.kernel)))
    assert done(shell("status", "--json")).json()["state"] == "stale"
    health = done(shell("sync", "--json")).json()
    assert (health["state"], health["documents"]) == ("ready", 1)
    assert {"corpus": 1}.items() <= {refusal["reason"]: refusal["count"] for refusal in health["refused"]}.items()
    assert done(shell("status", "--json")).json()["state"] == "ready"
    assert product.hits("pick_next_task", "--corpus", "kernel") == ["sched.py"]
    done(shell("corpus", "rm", "kernel"))
    assert product.hits("pick_next_task") == ["sources/kernel/sched.py"]
    assert done(shell("status", "--json")).json()["documents"] == 3


def test_a_nested_repository_is_left_out_even_when_its_git_is_a_file(product: Product) -> None:
    shell = product.shell
    (product.kernel / ".git").write_text("gitdir: /elsewhere/worktrees/kernel\n")
    assert done(shell("sync", "--json")).json()["documents"] == 1
    shell.write("knowledge.yaml", "exclude_nested_repos: false\n")
    assert done(shell("sync", "--json")).json()["documents"] == 4


def test_exclusions_of_an_entry_are_a_name_anywhere_or_one_path(product: Product) -> None:
    shell = product.shell
    for folder in ("out", "a/out", "sources/kernel/out"):
        shell.write(f"{folder}/x.py", word("excluded_or_not"))
    done(shell("corpus", "add", "product", "--exclude", "./out"))
    assert product.hits("excluded_or_not", "--limit", "9") != []
    assert done(shell("sync", "--json")).json()["documents"] == 5
    done(shell("corpus", "add", "product", "--exclude", "out"))
    assert done(shell("sync", "--json")).json()["documents"] == 3
    assert product.hits("excluded_or_not") == []


# ---------------------------------------------------------------- scan


def repository(folder: Path, files: int, *, as_file: bool = False) -> None:
    grow(folder, **{f"f{number}": word(f"f{number}") for number in range(files)})
    if as_file:
        (folder / ".git").write_text("gitdir: /elsewhere\n")
        return
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def test_scan_lists_repositories_with_counts_and_registers_nothing(shell: Shell) -> None:
    src = shell.home / "src"
    repository(src / "kernel", 6)
    repository(src / "kernel" / "tools" / "perf", 4, as_file=True)
    repository(src / "deep" / "er" / "kernel", 5)
    repository(src / "tiny", 1)
    repository(src / ".cache" / "hidden", 9)
    grow(src / "plain", **{f"f{number}": word("x") for number in range(9)})
    (src / "link").symlink_to(src / "kernel")
    found = done(shell("corpus", "scan", str(src), "--min", "4", "--json")).json()
    assert [(one["name"], os.path.relpath(one["root"], src), one["files"]) for one in found["candidates"]] == [
        ("kernel", "deep/er/kernel", 5),
        ("src-kernel", "kernel", 6),
        ("perf", "kernel/tools/perf", 4),
    ]
    assert found["smaller"] == 1
    assert not (shell.home / "config").exists()
    assert not shell.indexes.exists()
    printed = re.search(r"`gazetteer (corpus add [^`]+)`", done(shell("corpus", "scan", str(src), "--min", "4")).out)
    assert printed is not None
    done(shell(*shlex.split(printed[1])))
    again = done(shell("corpus", "scan", str(src), "--min", "4", "--json")).json()
    assert [one["registered"] for one in again["candidates"]] == ["kernel", "", ""]
