"""Settings of a client: what counts, what is named, and what happens when they change."""

import time
from typing import Any

import pytest
from gazetteer.lsp.settings import SERVER_SETTINGS, Configuration, camel, read
from gazetteer.settings import SETTINGS, Settings

from .conftest import Bench
from .wire import PATIENCE_S, Wire

BASE = Settings(db_path="/indexes", exclude=("*.log",))
PULL = {"workspace": {"configuration": True}}


def test_every_setting_has_a_key_of_its_own() -> None:
    keys = [camel(setting.key) for setting in SETTINGS if setting.scope != "tree"]
    keys += [row.key for row in SERVER_SETTINGS]
    assert len(set(keys)) == len(keys)
    assert "maxFiles" in keys
    assert all(row.help.endswith(".") for row in SERVER_SETTINGS)


@pytest.mark.parametrize("given", [None, {}, {"gazetteer": {}}, {"hover": None, "maxFiles": None}])
def test_nothing_set_is_what_the_command_line_says(given: Any) -> None:
    configuration, faults = read(given, BASE)
    assert configuration == Configuration(BASE)
    assert faults == ()


@pytest.mark.parametrize("wrap", [lambda given: given, lambda given: {"gazetteer": given}])
def test_dotted_and_nested_keys_are_the_same(wrap: Any) -> None:
    nested = {"maxFiles": 5, "exclude": ["*.tmp"], "hover": {"enable": False}, "navigation": {"languages": ["c"]}}
    dotted = {"maxFiles": 5, "exclude": ["*.tmp"], "hover.enable": False, "navigation.languages": ["c"]}
    first, faults = read(wrap(nested), BASE)
    assert faults == ()
    assert read(wrap(dotted), BASE) == (first, ())
    assert (first.index.max_files, first.index.exclude) == (5, ("*.log", "*.tmp"))
    assert first["hover.enable"] is False
    assert first["navigation.languages"] == ("c",)
    assert first["codeActions.enable"] is True


@pytest.mark.parametrize(
    "given",
    [
        {"maxFiles": "5"},
        {"maxFiles": True},
        {"maxFiles": 0},
        {"exclude": "*.tmp"},
        {"exclude": [1]},
        {"exclude": ["../x"]},
        {"watch": 1},
        {"dbPath": 5},
        {"dbPath": "a\0b"},
        {"hover": {"enable": "no"}},
        {"navigation": {"languages": {"c": True}}},
        {"trace": "loud"},
        {"include": ["*.py"]},
        {"no.such": {"thing": 1}},
        [],
        "x",
        7,
    ],
)
def test_what_makes_no_sense_is_named_in_one_sentence_and_the_rest_counts(given: Any) -> None:
    mixed = {**given, "workers": 3} if isinstance(given, dict) else given
    configuration, faults = read(mixed, BASE)
    (fault,) = faults
    assert "gazetteer" in fault
    assert fault.endswith(".")
    if isinstance(given, dict):
        assert configuration.index == Settings(db_path="/indexes", exclude=("*.log",), workers=3)
        assert next(iter(given)) in fault
    else:
        assert configuration == Configuration(BASE)


def documents(wire: Wire) -> int:
    count: int = wire.request("gazetteer/sync", {})["documents"]
    return count


@pytest.fixture
def tree(bench: Bench) -> Bench:
    for path in ("a.py", "b.py", "c.md"):
        bench.write(path, "apple\n")
    return bench


def test_settings_of_the_start_count(tree: Bench) -> None:
    wire = tree.serve(initializationOptions={"gazetteer": {"exclude": ["*.py"], "colour": "red", "depth": {"x": 1}}})
    assert documents(wire) == 1
    (line,) = wire.logged()
    assert "gazetteer.colour, gazetteer.depth.x" in line


def test_the_client_is_asked_for_its_settings_before_the_tree_is_opened(tree: Bench) -> None:
    wire = tree.serve(capabilities=PULL, initializationOptions={"exclude": ["*.py"]})
    asked = wire.asked("workspace/configuration")
    assert asked["params"] == {"items": [{"section": "gazetteer"}]}
    wire.respond(asked["id"], [{"exclude": ["*.md"]}])
    assert documents(wire) == 2  # a later word on a setting replaces an earlier one


@pytest.mark.parametrize("reply", ["error", "null", "malformed", "never"])
def test_without_an_answer_those_of_the_start_count(tree: Bench, reply: str) -> None:
    wire = tree.serve(capabilities=PULL, initializationOptions={"exclude": ["*.py"]})
    asked = wire.asked("workspace/configuration")
    if reply == "error":
        wire.respond(asked["id"], error={"code": 1, "message": "no"})
    elif reply != "never":
        wire.respond(asked["id"], {"null": [None], "malformed": {"x": 1}}[reply])
    assert documents(wire) == 1
    assert wire.leave() == 0


def test_settings_may_change_while_it_runs(tree: Bench) -> None:
    """By asking again where the client answers, and by what it sends where it does not; unsaved text stays."""
    wire = tree.serve()
    document = {"uri": tree.uri("a.py"), "languageId": "python", "version": 1, "text": "cherry\n"}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    assert documents(wire) == 3
    for exclude, count in (("*.md", 2), ("b.py", 2), ("nothing", 3)):
        wire.notify("workspace/didChangeConfiguration", {"settings": {"gazetteer": {"exclude": [exclude], "odd": 1}}})
        assert documents(wire) == count
        hits = wire.request("gazetteer/retrieve", {"query": "cherry"})["hits"]
        assert [(hit["relpath"], hit["freshness"]) for hit in hits] == [("a.py", "overlay")]
    assert sum("gazetteer.odd" in line for line in wire.logged()) == 1
    assert wire.leave() == 0


@pytest.mark.parametrize("way", ["initialize", "setting", "notification"])
def test_a_client_that_traces_is_told_what_was_answered_and_nothing_of_it(tree: Bench, way: str) -> None:
    first: dict[str, dict[str, Any]] = {
        "initialize": {"trace": "messages"},
        "setting": {"initializationOptions": {"trace": "messages"}},
    }
    wire = tree.serve(**first.get(way, {}))
    if way == "notification":
        wire.notify("$/setTrace", {"value": "verbose"})
    wire.request("gazetteer/retrieve", {"query": "marmalade"})
    told = wire.wait(lambda one: one.get("method") == "$/logTrace" and "retrieve" in one["params"]["message"])
    assert "ms" in told["params"]["message"]
    assert "marmalade" not in told["params"]["message"]
    wire.notify("$/setTrace", {"value": "off"})
    assert wire.leave() == 0


def test_changed_settings_are_asked_for_where_the_client_answers(tree: Bench) -> None:
    wire = tree.serve(capabilities=PULL)
    first = wire.asked("workspace/configuration")
    wire.respond(first["id"], [{}])
    assert documents(wire) == 3
    wire.notify("workspace/didChangeConfiguration", {"settings": None})
    again = wire.wait(lambda one: one.get("method") == "workspace/configuration" and one["id"] != first["id"])
    wire.respond(again["id"], [{"exclude": ["*.py"]}])
    assert documents(wire) == 1


@pytest.mark.parametrize("reply", ["error", "never"])
def test_settings_that_were_sent_count_where_the_client_does_not_answer(tree: Bench, reply: str) -> None:
    """PR06: it says that it can be asked, and it cannot."""
    wire = tree.serve(capabilities=PULL)
    first = wire.asked("workspace/configuration")
    wire.respond(first["id"], [{}])
    assert documents(wire) == 3
    wire.notify("workspace/didChangeConfiguration", {"settings": {"gazetteer": {"exclude": ["*.py"]}}})
    again = wire.wait(lambda one: one.get("method") == "workspace/configuration" and one["id"] != first["id"])
    if reply == "error":
        wire.respond(again["id"], error={"code": 1, "message": "no"})
    until = time.monotonic() + PATIENCE_S
    while documents(wire) != 1:
        assert time.monotonic() < until
    assert wire.leave() == 0
