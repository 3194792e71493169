"""Workspaces of several folders, of none, and of folders that come and go."""

import os
import signal
from typing import Any

import pytest
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder

from .conftest import Bench
from .wire import Wire


def opened(wire: Wire, uri: str, text: str) -> None:
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    wire.notify("textDocument/didOpen", {"textDocument": document})


def found(wire: Wire, query: str, **more: Any) -> list[tuple[str, str]]:
    hits = wire.request("gazetteer/retrieve", {"query": query, **more})["hits"]
    return [(hit["relpath"], hit["freshness"]) for hit in hits]


@pytest.fixture
def two(bench: Bench) -> Bench:
    bench.write("one/a.py", "def apple(): ...\n")
    bench.write("two/b.py", "def banana(): ...\n")
    return bench


def folders(bench: Bench, *names: str) -> list[dict[str, str]]:
    return [{"uri": bench.uri(name), "name": name} for name in names]


def test_each_folder_answers_for_itself_and_all_together(two: Bench) -> None:
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "two"))
    assert found(wire, "apple", root=two.uri("one")) == [("a.py", "verified")]
    assert found(wire, "banana", root=two.uri("one")) == []
    assert found(wire, "banana", root=two.uri("two")) == [("b.py", "verified")]
    assert found(wire, "banana", uri=two.uri("two/b.py")) == [("b.py", "verified")]
    assert found(wire, "apple", uri=two.uri("two/b.py")) == []
    for nowhere in ({}, {"uri": two.uri("three/x.py")}):
        assert found(wire, "apple", **nowhere) == [("a.py", "verified")]
        assert found(wire, "banana", **nowhere) == [("b.py", "verified")]
    assert wire.request("gazetteer/status", {"root": two.uri("two")})["corpus"] == "two"
    assert wire.leave() == 0


def test_a_question_from_one_folder_may_name_another_which_is_not_registered(two: Bench) -> None:
    """C5: they are corpora of the workspace, by the names that their hits have; only that one is asked beside."""
    two.write("three/c.py", "def cherry(): ...\n")
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "two", "three"))
    everything = [("a.py", "verified"), ("b.py", "verified"), ("c.py", "verified")]

    def asked(query: str, **more: Any) -> list[tuple[str, str]]:
        answer = wire.request("gazetteer/retrieve", {"query": query, "uri": two.uri("one/a.py"), "typed": True, **more})
        assert answer["receipt"]["notices"] == []
        return sorted((hit["relpath"], hit["freshness"]) for hit in answer["hits"])

    fruit = "apple banana cherry"
    assert asked(fruit) == everything[:1]
    assert asked(f"{fruit} corpus:two") == asked(fruit, corpora=["two"]) == everything[1:2]
    assert asked(f"{fruit} with:two") == asked(fruit, **{"with": ["two"]}) == everything[:2]
    assert asked(f"{fruit} corpus:all") == asked(fruit, corpora="all") == everything
    assert asked(f"{fruit} corpus:all without:two") == [everything[0], everything[2]]
    assert asked(f"{fruit} without:two") == everything[:1]
    assert wire.leave() == 0


def test_a_question_that_waits_for_a_folder_which_is_closed_is_answered_by_the_others(two: Bench) -> None:
    """What the client has let go of is not missed in the answer: nobody can open it by asking again."""
    index = corpus_folder(str(two.home / "indexes"), Root(str(two.tree / "two")))
    os.makedirs(index)
    with publish_lock(index).held():  # its first index waits, and the question for that
        wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "two"))
        asked = wire.begin("gazetteer/retrieve", {"query": "apple"})
        assert found(wire, "apple", root=two.uri("one")) == [("a.py", "verified")]
        assert wire.answers(asked) == []
        change = {"added": [], "removed": folders(two, "two")}
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        answer = wire.answer(asked)["result"]
    assert [hit["relpath"] for hit in answer["hits"]] == ["a.py"]
    assert answer["receipt"]["notices"] == []
    assert answer["receipt"]["missing"] == []
    assert wire.leave() == 0


def test_a_question_does_not_wait_for_a_folder_that_it_leaves_out(two: Bench) -> None:
    index = corpus_folder(str(two.home / "indexes"), Root(str(two.tree / "two")))
    os.makedirs(index)
    with publish_lock(index).held():  # its first index waits
        wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "two"))
        assert found(wire, "apple", uri=two.uri("one/a.py"), without=["two"]) == [("a.py", "verified")]
        assert found(wire, "apple", without=["two"]) == [("a.py", "verified")]
        assert wire.request("gazetteer/status", {"root": two.uri("two")})["generation"] == 0
    assert wire.leave() == 0


@pytest.mark.parametrize("way", ["rootUri", "rootPath", "--root"])
def test_a_folder_can_be_named_in_old_ways(two: Bench, way: str) -> None:
    wire = two.start(*(["--root", str(two.tree / "one")] if way == "--root" else []))
    named = {"rootUri": two.uri("one"), "rootPath": str(two.tree / "one"), "--root": None}[way]
    wire.initialize(**({way: named} if named else {}))
    assert found(wire, "apple") == [("a.py", "verified")]


def test_without_a_folder_there_is_nothing_to_ask_and_it_says_so(bench: Bench) -> None:
    wire = bench.serve(rootUri=None)
    opened(wire, bench.uri("a.py"), "apple\n")
    error = wire.fails("gazetteer/retrieve", {"query": "apple"})
    assert error["data"]["code"] == "not_found"
    assert "open the folder" in error["message"]
    assert wire.leave() == 0


def test_folders_come_and_go_and_documents_stay_open(two: Bench) -> None:
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one"))
    opened(wire, two.uri("two/b.py"), "def cherry(): ...\n")
    assert found(wire, "cherry") == []
    added = {"event": {"added": folders(two, "two"), "removed": []}}
    wire.notify("workspace/didChangeWorkspaceFolders", added)
    assert found(wire, "cherry", root=two.uri("two")) == [("b.py", "overlay")]
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders(two, "one", "no")}})
    assert found(wire, "cherry") == [("b.py", "overlay")]
    assert wire.fails("gazetteer/retrieve", {"query": "x", "root": two.uri("one")})["data"]["argument"] == "root"
    wire.notify(
        "workspace/didChangeWorkspaceFolders", {"event": {"added": folders(two, "one"), "removed": folders(two, "two")}}
    )
    assert found(wire, "apple") == [("a.py", "verified")]
    assert found(wire, "cherry") == []
    assert wire.leave() == 0


def test_a_document_of_nested_folders_is_unsaved_in_both(two: Bench) -> None:
    """The innermost answers for it; whoever asks the outer one sees the same text."""
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "", "two"))
    opened(wire, two.uri("two/b.py"), "def cherry(): ...\n")
    assert found(wire, "cherry", root=two.uri("two")) == [("b.py", "overlay")]
    assert found(wire, "cherry", root=two.uri("")) == [("two/b.py", "overlay")]
    assert found(wire, "cherry", uri=two.uri("two/b.py")) == [("b.py", "overlay")]
    wire.notify("textDocument/didClose", {"textDocument": {"uri": two.uri("two/b.py")}})
    assert found(wire, "cherry", root=two.uri("")) == found(wire, "cherry", root=two.uri("two")) == []


def test_a_folder_that_cannot_be_served_says_why_and_the_others_are(two: Bench) -> None:
    wire = two.serve(
        rootUri=None,
        capabilities={"experimental": {"gazetteer": {"status": True}}},
        workspaceFolders=[*folders(two, "gone"), {"uri": "untitled:x", "name": "x"}, *folders(two, "two", "two/")],
    )
    told = wire.wait(lambda one: one.get("method") == "gazetteer/didChangeStatus" and one["params"]["state"] == "error")
    assert told["params"]["root"] == two.uri("gone")
    assert wire.fails("gazetteer/retrieve", {"query": "x", "root": two.uri("gone")})["data"]["code"] == "not_found"
    answer = wire.request("gazetteer/retrieve", {"query": "banana"})
    assert [hit["relpath"] for hit in answer["hits"]] == ["b.py"]
    assert [notice for notice in answer["receipt"]["notices"] if "gone" in notice]
    assert found(wire, "banana", root=two.uri("two")) == [("b.py", "verified")]
    two.write("gone/c.py", "def cherry(): ...\n")
    assert found(wire, "cherry") == [("c.py", "verified")]  # the next question tries again
    assert wire.leave() == 0


def test_the_home_folder_is_not_indexed_in_passing(bench: Bench) -> None:
    """As on the command line: a person's everything is indexed only by name."""
    (bench.home / "diary.md").write_text("apple\n")
    wire = bench.serve(rootUri=bench.home.as_uri())
    error = wire.fails("gazetteer/retrieve", {"query": "apple"})
    assert error["data"]["code"] == "refused"
    assert "--root" in error["message"]
    assert not (bench.home / "indexes").exists()


def test_what_names_no_folder_goes_to_the_first_that_is_there(two: Bench) -> None:
    """One that is gone holds up nothing that is about another, and is tried once it is back."""
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "gone", "two"))
    for _ in range(2):
        assert wire.request("gazetteer/status", {})["corpus"] == "two"
        assert wire.request("gazetteer/sync", {})["state"] == "ready"
        assert wire.request("gazetteer/barrier", {}) == {"generation": 1}
        assert wire.request("gazetteer/markDirty", {}) == {"marked": None}
    two.write("gone/c.py", "def cherry(): ...\n")
    assert wire.request("gazetteer/sync", {})["corpus"] == "gone"
    assert wire.leave() == 0


def test_a_state_that_needs_somebody_says_what_to_do(two: Bench) -> None:
    """L10: as a part of its own, for clients that show it apart."""
    status = {"experimental": {"gazetteer": {"status": True}}}
    wire = two.serve(rootUri=None, capabilities=status, workspaceFolders=folders(two, "gone"))
    told = wire.wait(lambda one: one.get("method") == "gazetteer/didChangeStatus" and one["params"]["state"] == "error")
    assert told["params"]["remedy"] == "name the folder of a tree."
    assert told["params"]["message"].endswith(told["params"]["remedy"])
    assert all(
        "remedy" not in one["params"] for one in wire.got if "tatus" in one.get("method", "") and one is not told
    )
    assert wire.leave() == 0


def test_a_folder_that_comes_and_goes_at_once_leaves_nothing_behind(two: Bench) -> None:
    """Whatever was asked of it fails for that reason and no other; neither log nor status speak of it afterwards."""
    status = {"experimental": {"gazetteer": {"status": True}}}
    wire = two.serve(rootUri=None, capabilities=status, workspaceFolders=folders(two, "one"))
    wire.request("gazetteer/barrier", {})
    numbers: list[Any] = []
    for beat in range(6):
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folders(two, "two"), "removed": []}})
        methods = ("sync", "reindex", "status", "health", "flush", "barrier")
        numbers += [wire.begin(f"gazetteer/{method}", {"root": two.uri("two")}) for method in methods]
        if beat % 2:
            wire.request("gazetteer/status", {"root": two.uri("one")})
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders(two, "two")}})
    for number in numbers:
        answer = wire.answer(number)
        if "error" in answer:
            assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (-32803, "not_found"), answer
        else:
            assert answer["result"].get("state") != "failed", answer
    wire.request("gazetteer/barrier", {})
    assert wire.logged() == []
    told = [one["params"] for one in wire.got if one.get("method") == "gazetteer/didChangeStatus"]
    assert {one["state"] for one in told if one["root"] == two.uri("two")} <= {"starting", "indexing", "ready"}
    assert wire.leave() == 0


def test_what_was_asked_before_a_folder_went_is_about_that_folder(two: Bench) -> None:
    """Messages take effect in the order in which they were sent, however many of them a busy server finds waiting."""
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one"))
    wire.request("gazetteer/barrier", {})
    os.kill(wire.pid, signal.SIGSTOP)
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folders(two, "two"), "removed": []}})
    asked = [wire.begin(f"gazetteer/{method}", {"root": two.uri("two")}) for method in ("sync", "flush", "barrier") * 5]
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders(two, "two")}})
    os.kill(wire.pid, signal.SIGCONT)
    answers = [wire.answer(number) for number in asked]
    codes = {answer["error"]["data"]["code"] for answer in answers if "error" in answer}
    assert codes <= {"not_found"}  # it went before they were done, and not before they came
    assert wire.leave() == 0


def test_a_question_to_all_folders_spells_paths_from_the_first(two: Bench) -> None:
    """R3: what is in another folder is told apart by its absolute path, and by the name of its corpus."""
    two.write("one/b.py", "def banana(bunch): ...\n")
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "two"))
    hits = wire.request("gazetteer/retrieve", {"query": "banana"})["hits"]
    assert sorted((hit["corpus"], hit["path"]) for hit in hits) == [
        ("one", "b.py"),
        ("two", str(two.tree / "two/b.py")),
    ]
    assert wire.leave() == 0


def test_a_folder_that_is_open_by_two_names_stays_until_both_are_gone(two: Bench) -> None:
    (two.tree / "link").symlink_to("one")
    wire = two.serve(rootUri=None, workspaceFolders=folders(two, "one", "link"))
    assert found(wire, "apple") == [("a.py", "verified")]
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders(two, "one")}})
    assert wire.request("gazetteer/status", {"root": two.uri("link")})["state"] == "ready"
    assert found(wire, "apple") == [("a.py", "verified")]
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": folders(two, "link/")}})
    assert wire.fails("gazetteer/retrieve", {"query": "apple"})["data"]["code"] == "not_found"
    assert wire.leave() == 0
