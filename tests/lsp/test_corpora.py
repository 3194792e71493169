"""Corpora beside the folders of an editor: registered through it, asked with it, gone from under it."""

import json
import os
import resource
import shutil
from pathlib import Path
from typing import Any

import pytest
from gazetteer.shelf import DESCRIPTORS, SPARE

from .conftest import Bench
from .test_quiet import comes
from .wire import Wire

STATUS = {"experimental": {"gazetteer": {"status": True}}}


@pytest.fixture
def harbour(bench: Bench) -> Bench:
    """A folder that is open, and three trees that are not."""
    bench.write("a.py", "def apple(): ...\n")
    for name in ("boat", "crane", "dock"):
        tree = bench.home.parent / name
        for part in (".git/objects", ".git/refs"):
            (tree / part).mkdir(parents=True)
        (tree / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (tree / f"{name}.py").write_text(f"def moor_{name}():\n    return 'apple'\n")
    return bench


def tree(bench: Bench, name: str) -> Path:
    return bench.home.parent / name


def corpora(wire: Wire, query: str, **more: Any) -> list[str]:
    return sorted({hit["corpus"] for hit in wire.request("gazetteer/retrieve", {"query": query, **more})["hits"]})


def add(wire: Wire, bench: Bench, folder: str, **more: Any) -> Any:
    return wire.request("gazetteer/corpus.add", {"path": str(tree(bench, folder)), "name": folder, **more})


def test_what_is_added_is_listed_asked_and_let_go_of(harbour: Bench) -> None:
    """C2: one implementation behind both doors; an answer names the corpus of each hit."""
    wire = harbour.serve()
    assert wire.request("gazetteer/corpus.list")["corpora"] == []
    assert add(wire, harbour, "boat", kind="vessel")["change"] == "added"
    assert wire.request("gazetteer/corpus.add", {"path": tree(harbour, "crane").as_uri()})["name"] == "crane"
    listed = wire.request("workspace/executeCommand", {"command": "gazetteer.corpus.list"})["corpora"]
    assert [(row["name"], row["kind"], row["there"], row["state"]) for row in listed] == [
        ("boat", "vessel", True, None),
        ("crane", "", True, None),
    ]
    assert corpora(wire, "apple") == ["tree"]
    assert corpora(wire, "apple", **{"with": ["boat"]}) == ["boat", "tree"]
    assert corpora(wire, "apple", corpora="all") == ["boat", "crane", "tree"]
    assert corpora(wire, "apple", corpora="all", without=["tree", "crane"]) == ["boat"]
    assert corpora(wire, "apple", corpora=["crane"]) == ["crane"]
    assert {row["name"]: row["documents"] for row in wire.request("gazetteer/corpus.list")["corpora"]} == {
        "boat": 1,
        "crane": 1,
    }
    gone = wire.request("gazetteer/corpus.rm", {"name": "boat"})
    assert any("index" in what for what in gone["removed"])
    assert corpora(wire, "apple", corpora="all") == ["crane", "tree"]
    notices = wire.request("gazetteer/retrieve", {"query": "apple", "with": ["boat"]})["receipt"]["notices"]
    assert len([notice for notice in notices if "boat" in notice]) == 1
    assert wire.leave() == 0


def test_a_path_is_one_that_can_be_opened_from_the_workspace(harbour: Bench) -> None:
    """R3: relative inside of the workspace root, absolute outside."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    hits = wire.request("gazetteer/retrieve", {"query": "apple", "with": ["boat"]})["hits"]
    assert {hit["corpus"]: hit["path"] for hit in hits} == {
        "tree": "a.py",
        "boat": str(tree(harbour, "boat") / "boat.py"),
    }
    locator = next(hit["locator"] for hit in hits if hit["corpus"] == "boat")
    assert wire.request("gazetteer/expand", {"locator": locator})["corpus"] == "boat"
    assert wire.leave() == 0


def test_what_resembles_a_place_is_found_in_every_corpus_that_is_meant(harbour: Bench) -> None:
    """R11, C5: with the same arguments as a question; a tree that is gone costs its own hits and one sentence."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    add(wire, harbour, "crane")

    def related(**more: Any) -> Any:
        place = {"uri": harbour.uri("a.py"), "position": {"line": 0, "character": 4}}
        return wire.request("gazetteer/related", {**place, **more})

    def found(**more: Any) -> list[str]:
        return sorted({hit["corpus"] for hit in related(**more)["hits"]})

    assert found() == []
    assert found(**{"with": ["boat"]}) == ["boat"]
    assert found(corpora="all") == ["boat", "crane"]
    assert found(corpora=["crane"]) == ["crane"]
    there = {hit["corpus"]: hit["locator"] for hit in related(corpora="all")["hits"]}
    answer = wire.request("gazetteer/related", {"target": there["boat"], "corpora": "all"})
    assert {hit["corpus"] for hit in answer["hits"]} == {"crane", "tree"}
    shutil.rmtree(tree(harbour, "crane"))
    answer = related(corpora="all")
    assert {hit["corpus"] for hit in answer["hits"]} == {"boat"}
    assert len([notice for notice in answer["receipt"]["notices"] if "crane" in notice]) == 1
    assert wire.leave() == 0


def test_what_is_shared_or_declared_comes_along(harbour: Bench) -> None:
    """C5: by the registry, and by ``knowledge.yaml``, which chooses by name only."""
    wire = harbour.serve()
    add(wire, harbour, "boat", shared=True)
    add(wire, harbour, "crane")
    add(wire, harbour, "dock")
    harbour.write("knowledge.yaml", "corpora: [crane, submarine]\n")
    wire.request("gazetteer/corpus.index", {})
    answer = wire.request("gazetteer/retrieve", {"query": "apple"})
    assert sorted({hit["corpus"] for hit in answer["hits"]}) == ["boat", "crane", "tree"]
    assert len([notice for notice in answer["receipt"]["notices"] if "submarine" in notice]) == 1
    assert corpora(wire, "apple", without=["boat", "tree"]) == ["crane"]
    assert wire.leave() == 0


def test_another_start_finds_what_comes_along_open(harbour: Bench) -> None:
    """Nothing is waited for, and a corpus says how it is as a folder does."""
    wire = harbour.serve()
    add(wire, harbour, "boat", shared=True)
    add(wire, harbour, "crane")
    assert wire.request("gazetteer/corpus.index", {})["ok"]
    assert wire.leave() == 0
    wire = harbour.serve(capabilities=STATUS)
    told = wire.wait(
        lambda one: (
            one.get("method") == "gazetteer/didChangeStatus"
            and (one["params"]["corpus"], one["params"]["state"]) == ("boat", "ready")
        )
    )
    assert (told["params"]["root"], told["params"]["own"]) == (tree(harbour, "boat").as_uri(), False)
    states = {row["name"]: row["state"] for row in wire.request("gazetteer/corpus.list")["corpora"]}
    assert states == {"boat": "ready", "crane": None}  # nobody has asked for the other
    assert wire.leave() == 0


def test_a_corpus_that_is_to_be_kept_fresh_is_indexed_in_the_background(harbour: Bench) -> None:
    """C1: without a question, and without taking part in any."""
    wire = harbour.serve(capabilities=STATUS)
    add(wire, harbour, "boat", autoindex=True)
    wire.wait(
        lambda one: (
            one.get("method") == "gazetteer/didChangeStatus"
            and (one["params"]["corpus"], one["params"]["state"]) == ("boat", "ready")
        )
    )
    assert [row["documents"] for row in wire.request("gazetteer/corpus.list")["corpora"]] == [1]
    assert corpora(wire, "apple") == ["tree"]
    assert wire.leave() == 0


def test_the_end_waits_for_no_corpus_that_is_kept_fresh(bench: Bench) -> None:
    """L1, C1: one is under way, and its git does not answer."""
    gate, asked = bench.home.parent / "gate", bench.home.parent / "asked"
    os.mkfifo(gate)
    git = bench.home.parent / "bin/git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in */boat*ls-files*) echo $$ >>{asked}; read -r _ <{gate} ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    for part in ("objects", "refs"):
        (bench.home.parent / "boat/.git" / part).mkdir(parents=True)
    (bench.home.parent / "boat/.git/HEAD").write_text("ref: refs/heads/main\n")
    wire = bench.start(env={"PATH": f"{git.parent}:{os.environ['PATH']}"})
    wire.initialize(rootUri=bench.uri())
    wire.request("gazetteer/corpus.add", {"path": str(bench.home.parent / "boat"), "autoindex": True})
    comes(lambda: asked.exists() and bool(asked.read_text().strip()))
    assert wire.leave() == 0
    pids = asked.read_text().split()
    comes(lambda: not any(Path("/proc", pid).exists() for pid in pids))  # nobody is left behind


def test_an_umbrella_asks_what_lies_below_it(bench: Bench) -> None:
    """C5: corpora below a folder are no part of it, and take part by themselves."""
    bench.write("readme.md", "apple\n")
    for name in ("one", "two"):
        bench.write(f"{name}/{name}.py", f"def apple_{name}(): ...\n")
    wire = bench.serve()
    for name in ("one", "two"):
        wire.request("gazetteer/corpus.add", {"path": str(bench.tree / name), "name": name})
    wire.request("gazetteer/corpus.index", {})
    wire.request("gazetteer/sync", {"root": bench.uri()})
    hits = wire.request("gazetteer/retrieve", {"query": "apple"})["hits"]
    assert sorted((hit["corpus"], hit["path"]) for hit in hits) == [
        ("one", "one/one.py"),
        ("tree", "readme.md"),
        ("two", "two/two.py"),
    ]
    assert wire.leave() == 0


def test_unsaved_text_of_an_attached_corpus_rules_there_too(harbour: Bench) -> None:
    """K10: an editor may have a document of any corpus open; what it shows is what is answered from."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    assert corpora(wire, "cherry", **{"with": ["boat"]}) == []
    document = {"uri": (tree(harbour, "boat") / "boat.py").as_uri(), "languageId": "python", "version": 1}
    wire.notify("textDocument/didOpen", {"textDocument": {**document, "text": "def cherry(): ...\n"}})
    hits = wire.request("gazetteer/retrieve", {"query": "cherry", "with": ["boat"]})["hits"]
    assert [(hit["corpus"], hit["freshness"]) for hit in hits] == [("boat", "overlay")]
    assert wire.leave() == 0


def test_a_corpus_beside_the_workspace_is_never_written(harbour: Bench) -> None:
    """K11: the workspace is where writes happen; that a corpus was chosen moves nothing."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    assert corpora(wire, "apple", corpora=["boat"]) == ["boat"]
    file = tree(harbour, "boat") / "boat.py"
    before = file.read_bytes()
    edit = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "newText": "x"}
    for where in ({"uri": file.as_uri()}, {"path": "boat.py", "root": tree(harbour, "boat").as_uri()}):
        error = wire.fails("gazetteer/commitEdit", {**where, "expectedHash": "sha256:0", "edits": [edit]})
        assert error["data"]["code"] == "refused"
    assert file.read_bytes() == before
    assert wire.leave() == 0


def test_how_registered_trees_are_is_told_of_one_or_of_several(harbour: Bench) -> None:
    """C8, L10: as ``status --all`` and ``health --all`` of the command line tell it; what fails costs a row."""
    wire = harbour.serve()
    for method in ("status", "health"):
        assert wire.fails(f"gazetteer/{method}", {"corpora": "all"})["data"]["code"] == "not_found"
    for name in ("boat", "crane", "dock"):
        add(wire, harbour, name)
    assert wire.request("gazetteer/index", {"names": ["boat"]})["ok"]
    assert wire.request("gazetteer/health", {"corpus": "boat"})["drift"]["walked"] == 1
    shutil.rmtree(tree(harbour, "dock"))
    registry = next(harbour.home.rglob("projects.json"))
    registry.write_text(json.dumps({**json.loads(registry.read_text()), "raft": {"path": 5}}))
    for method in ("status", "health"):
        told = wire.request(f"gazetteer/{method}", {"corpora": "all"})
        rows = {row["corpus"]: row for row in told["corpora"]}
        assert {name: row["found"] and row["found"]["state"] for name, row in rows.items()} == {
            "boat": "ready",
            "crane": "missing",
            "dock": None,
            "raft": None,
        }
        assert "not there" in rows["dock"]["error"]["message"]
        assert "raft" in rows["raft"]["error"]["message"]
        assert not told["ok"]
    told = wire.request("gazetteer/health", {"corpora": ["crane", "boat"]})
    assert [row["corpus"] for row in told["corpora"]] == ["crane", "boat"]
    indexed = wire.request("gazetteer/corpus.index", {})
    assert [row["corpus"] for row in indexed["corpora"]] == ["boat", "crane", "dock", "raft"]
    assert wire.leave() == 0


def test_a_question_that_names_another_corpus_is_told_how_it_is_asked_in_an_editor(harbour: Bench) -> None:
    """C6: once; what is told can be typed here."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    place = f"{tree(harbour, 'boat') / 'boat.py'}:1"
    assert "hits" in wire.request("gazetteer/related", {"target": place}), "its tree is opened for that"
    (notice,) = wire.request("gazetteer/retrieve", {"query": "apple of the boat"})["receipt"]["notices"]
    assert "`corpus:boat QUESTION` asks it" in notice
    assert wire.request("gazetteer/retrieve", {"query": "apple of the boat"})["receipt"]["notices"] == []
    assert corpora(wire, "corpus:boat apple", typed=True) == ["boat"]
    assert corpora(wire, "with:boat apple", typed=True) == ["boat", "tree"]
    assert corpora(wire, "corpus:all without:tree apple", typed=True) == ["boat"]
    add(wire, harbour, "crane", name="big crane")
    (notice,) = wire.request("gazetteer/retrieve", {"query": "apple of the big crane"})["receipt"]["notices"]
    assert '`corpus:"big crane" QUESTION` asks it' in notice
    assert corpora(wire, 'corpus:"big crane" apple', typed=True) == ["big crane"]
    assert wire.leave() == 0


def test_scan_says_what_could_be_registered(harbour: Bench) -> None:
    wire = harbour.serve()
    add(wire, harbour, "boat")
    found = wire.request("gazetteer/corpus.scan", {"path": str(harbour.home.parent), "min": 1})
    assert {row["name"]: row["registered"] for row in found["candidates"]} == {"boat": "boat", "crane": "", "dock": ""}
    assert wire.leave() == 0


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("corpus.add", {"path": "relative"}),
        ("corpus.add", {"path": "untitled:x"}),
        ("corpus.add", {"path": "/", "name": "a/b"}),
        ("corpus.rm", {"name": "nobody"}),
        ("corpus.index", {"names": ["nobody"]}),
        ("retrieve", {"query": "apple", "corpora": ["nobody"]}),
        ("retrieve", {"query": "apple", "corpora": "some"}),
        ("retrieve", {"query": "apple", "without": ["tree"]}),
    ],
)
def test_what_makes_no_sense_is_one_sentence(harbour: Bench, method: str, params: dict[str, Any]) -> None:
    wire = harbour.serve()
    error = wire.fails(f"gazetteer/{method}", params)
    assert error["data"]["code"] in ("invalid_argument", "not_found")
    assert error["message"].endswith(".")
    assert corpora(wire, "apple") == ["tree"]
    assert wire.leave() == 0


def test_a_corpus_that_goes_away_costs_its_own_hits_and_comes_back(harbour: Bench) -> None:
    """C5: tree gone, registry broken, corpus renamed: the others answer as before, and nothing has to be restarted."""
    wire = harbour.serve()
    add(wire, harbour, "boat")
    add(wire, harbour, "crane")
    everybody = ["boat", "crane", "tree"]
    assert corpora(wire, "apple", corpora="all") == everybody
    boat, away = tree(harbour, "boat"), tree(harbour, "away")
    boat.rename(away)
    assert corpora(wire, "apple", corpora="all") == ["crane", "tree"]
    away.rename(boat)
    assert corpora(wire, "apple", corpora="all") == everybody
    registry = next(harbour.home.rglob("projects.json"))
    known = registry.read_text()
    registry.write_text("{")
    assert corpora(wire, "apple", corpora="all") == everybody  # the last one that could be read counts
    entries = json.loads(known)
    entries["ship"] = entries.pop("boat")
    registry.write_text(json.dumps(entries))
    assert corpora(wire, "apple", corpora="all") == ["crane", "ship", "tree"]
    shutil.rmtree(boat)
    assert corpora(wire, "apple", corpora="all") == ["crane", "tree"]
    wire.request("gazetteer/corpus.rm", {"name": "ship"})
    assert corpora(wire, "apple", corpora="all") == ["crane", "tree"]
    assert wire.leave() == 0


def test_no_more_trees_are_open_than_the_process_may_have_files_for(harbour: Bench) -> None:
    """All are asked as far as there is room; the rest are named, and room is made for whoever is asked next."""
    wire = harbour.serve()
    names = [f"tree{number}" for number in range(8)]
    for name in names:
        folder = tree(harbour, name)
        folder.mkdir()
        (folder / "a.py").write_text(f"def apple_{name}(): ...\n")
        wire.request("gazetteer/corpus.add", {"path": str(folder), "name": name})
    hard = resource.prlimit(wire.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(wire.pid, resource.RLIMIT_NOFILE, (SPARE + 5 * DESCRIPTORS, hard))
    answer = wire.request("gazetteer/retrieve", {"query": "apple", "corpora": "all", "limit": 50})
    asked = {hit["corpus"] for hit in answer["hits"]}
    assert len(asked) == 5
    place = f"{tree(harbour, 'tree7')}/a.py:1"  # of the one that there would be room for last
    around = wire.request("gazetteer/related", {"target": place, "corpora": "all", "limit": 50})
    assert len({hit["corpus"] for hit in around["hits"]}) == 4, "and the passage's own, which says nothing else of it"
    assert "tree" in asked
    assert all(any(name in notice for notice in answer["receipt"]["notices"]) for name in {*names} - asked)
    assert corpora(wire, "apple", corpora=sorted({*names} - asked)) == sorted({*names} - asked)
    assert wire.leave() == 0


def test_no_question_closes_what_another_is_asking(harbour: Bench) -> None:
    """Where few trees may be open, questions wait for each other's; one let go of answers, or is said to be gone."""
    wire = harbour.serve()
    names = [f"tree{number}" for number in range(8)]
    for name in names:
        (tree(harbour, name)).mkdir()
        (tree(harbour, name) / "a.py").write_text(f"def apple_{name}(): ...\n")
        add(wire, harbour, name)
    wire.request("gazetteer/corpus.index", {})
    hard = resource.prlimit(wire.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(wire.pid, resource.RLIMIT_NOFILE, (SPARE + 5 * DESCRIPTORS, hard))
    halves = (names[:4], names[4:])
    asked = [
        (half, wire.begin("gazetteer/retrieve", {"query": "apple", "corpora": half, "limit": 50}))
        for _ in range(6)
        for half in halves
    ]
    removed = wire.begin("gazetteer/corpus.rm", {"name": names[0]})
    for half, number in asked:
        answer = wire.answer(number)["result"]
        lacking = set(half) - {hit["corpus"] for hit in answer["hits"]}
        notices = [notice for notice in answer["receipt"]["notices"] if "acts here" not in notice]
        assert lacking <= {names[0]}, "it may be removed before a question that waits for room comes to it"
        assert [notice for notice in notices if names[0] not in notice] == []
        assert bool(notices) == bool(lacking)
    assert wire.answer(removed)["result"]["removed"]
    assert wire.leave() == 0
