"""The corpus that a user has set instead of the folder that they work in (row C6)."""

import json

import pytest

from .conftest import Bench
from .test_corpora import add, corpora, harbour, tree

__all__ = ["harbour"]


def test_the_user_chooses_a_corpus_for_questions_and_upkeep_and_stays_where_they_are(harbour: Bench) -> None:
    """C6, C3: the setting; whoever says whom they ask, or which folder they mean, is not overruled."""
    harbour.write("knowledge.yaml", "")
    wire = harbour.serve()
    add(wire, harbour, "boat")
    assert wire.leave() == 0
    wire = harbour.serve(initializationOptions={"corpus": "boat"})
    asked = {"uri": harbour.uri("a.py")}
    answer = wire.request("gazetteer/retrieve", {"query": "apple", **asked})
    assert [(hit["corpus"], hit["path"]) for hit in answer["hits"]] == [
        ("boat", str(tree(harbour, "boat") / "boat.py"))
    ]
    assert any("acts here" in notice and str(harbour.tree) in notice for notice in answer["receipt"]["notices"])
    assert corpora(wire, "apple", corpora="all") == ["boat", "tree"]
    assert corpora(wire, "apple", root=harbour.uri()) == ["tree"]
    for method in ("sync", "reindex", "status", "health"):
        assert wire.request(f"gazetteer/{method}", asked)["corpus"] == "boat"
        assert wire.request(f"gazetteer/{method}", {"root": harbour.uri()})["corpus"] == "tree"
    assert wire.request("gazetteer/map", asked)["path"].startswith(str(tree(harbour, "boat")))
    assert wire.fails("gazetteer/map", {**asked, "create": True})["data"]["code"] == "refused"
    assert wire.leave() == 0


UPKEEP = ("sync", "reindex", "status", "health", "map")


def test_the_folder_that_one_works_in_can_be_chosen_by_its_name(harbour: Bench) -> None:
    """C6: registered or not, for questions and upkeep alike."""
    wire = harbour.serve(initializationOptions={"corpus": "tree"})
    add(wire, harbour, "boat")
    assert corpora(wire, "apple") == ["tree"]
    assert corpora(wire, "apple", **{"with": ["boat"]}) == ["boat", "tree"]
    for given in ({}, {"corpus": "tree"}):
        for method in UPKEEP[:-1]:
            assert wire.request(f"gazetteer/{method}", given)["corpus"] == "tree"
        assert wire.request("gazetteer/map", given)["path"].startswith(str(harbour.tree))
    assert wire.leave() == 0


@pytest.mark.parametrize(("name", "why"), [("bota", "did you mean boat?"), ("odd", "path"), ("gone", "bring it back")])
def test_a_setting_that_leads_nowhere_is_named_in_every_refusal(harbour: Bench, name: str, why: str) -> None:
    """C6: nobody sees it in what they ask."""
    registry = harbour.home / "config/gazetteer/projects.json"
    registry.parent.mkdir(parents=True)
    trees = {"boat": {"path": str(tree(harbour, "boat"))}, "odd": {"path": 5}, "gone": {"path": "/nowhere/at/all"}}
    registry.write_text(json.dumps(trees))
    wire = harbour.serve(initializationOptions={"corpus": name})
    place = {"uri": harbour.uri("a.py"), "position": {"line": 0, "character": 4}}
    asked = {"retrieve": {"query": "apple"}, "explain": {"query": "apple"}, "related": place}
    for method, given in {**asked, **{method: {} for method in UPKEEP}}.items():
        message = wire.fails(f"gazetteer/{method}", given)["message"]
        assert message.startswith(f"The setting gazetteer.corpus is {name}: "), method
        assert why in message
    assert corpora(wire, "apple", root=harbour.uri()) == ["tree"]
    assert wire.leave() == 0
