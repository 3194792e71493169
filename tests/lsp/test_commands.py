"""Commands and requests: one table, typed parameters, the answers of the command line (PR09, SE01, row L2)."""

import json
import subprocess
import sys
from typing import Any

import pytest
from markdown_it import MarkdownIt

from .conftest import Bench, environment
from .wire import Wire

INVALID_PARAMS, REQUEST_FAILED = -32602, -32803
COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("retrieve", {"query": "apple"}),
    ("expand", {"locator": ""}),
    ("related", {"target": "a.py:1"}),
    ("explain", {"query": "apple"}),
    ("sync", {}),
    ("reindex", {}),
    ("status", {}),
    ("health", {}),
    ("markDirty", {}),
    ("flush", {}),
    ("commitEdit", {"path": "a.py", "expectedHash": "0", "edits": []}),
    ("recordEdit", {"path": "a.py", "oldHash": "0", "newHash": "0", "edits": []}),
    ("map", {}),
    ("show", {"title": "Apples", "method": "gazetteer/retrieve", "params": {"query": "apple"}}),
    ("corpus.list", {}),
    ("corpus.add", {"path": "nowhere"}),
    ("corpus.rm", {"name": "nothing"}),
    ("corpus.remove", {"name": "nothing"}),
    ("corpus.scan", {"path": "nowhere"}),
    ("corpus.index", {}),
    ("index", {}),
)
FAILING = (
    "expand",
    "commitEdit",
    "recordEdit",
    "corpus.add",
    "corpus.rm",
    "corpus.remove",
    "corpus.scan",
    "corpus.index",
    "index",
)
"""Those of them that fit and mean nothing that is there."""
DEEP: Any = []
for _ in range(400):
    DEEP = [DEEP]


def plant(bench: Bench) -> None:
    bench.write("a.py", "def apple():\n    return banana()\n")
    bench.write("b.py", "def banana():\n    return 2\n")


@pytest.fixture
def wire(bench: Bench) -> Wire:
    plant(bench)
    return bench.serve()


def execute(wire: Wire, command: Any, **more: Any) -> Any:
    return wire.answer(wire.begin("workspace/executeCommand", {"command": command, **more}))


def test_every_command_that_is_announced_is_held_to_that(bench: Bench) -> None:
    """PR09: a row that comes later is in the table above."""
    wire = bench.start()
    announced = wire.initialize(rootUri=bench.uri())["capabilities"]["executeCommandProvider"]["commands"]
    assert sorted(announced) == sorted(f"gazetteer.{name}" for name, _ in COMMANDS)
    assert wire.leave() == 0


@pytest.mark.parametrize(("name", "fitting"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_a_command_lives_through_whatever_it_is_given(wire: Wire, name: str, fitting: dict[str, Any]) -> None:
    """PR09: none, empty, wrong, extra, null and nested arguments are answered, and what does not fit is named."""
    needs = {
        "commitEdit": "edits",
        "recordEdit": "edits",
        "retrieve": "query",
        "explain": "query",
        "expand": "locator",
        "related": "target",
        "show": "title",
        "corpus.add": "path",
        "corpus.rm": "name",
        "corpus.remove": "name",
        "corpus.scan": "path",
    }
    command = f"gazetteer.{name}"
    shapes: list[dict[str, Any]] = [{}, {"arguments": None}, {"arguments": []}, {"arguments": [{}]}]
    for shape in shapes:
        answer = execute(wire, command, **shape)
        if name in needs:
            assert answer["error"]["code"] == INVALID_PARAMS
            assert needs[name] in answer["error"]["message"]
            assert answer["error"]["data"]["code"] == "invalid_argument"
        elif name in FAILING:
            assert answer["error"]["data"]["code"] == "not_found"
        else:
            assert "error" not in answer
    wrong: list[Any] = [[None], [7], ["x"], [[]], [fitting, fitting], {"query": "x"}, "x", [DEEP], [{"nothing": DEEP}]]
    for arguments in wrong:
        error = execute(wire, command, arguments=arguments)["error"]
        assert error["code"] == INVALID_PARAMS
        assert name in error["message"]
    error = execute(wire, command, arguments=[{**fitting, "noSuchField": 1}])["error"]
    assert error["code"] == INVALID_PARAMS
    assert error["data"]["argument"] == "noSuchField"
    assert wire.fails(f"gazetteer/{name}", [fitting])["code"] == INVALID_PARAMS
    if name not in FAILING:
        assert execute(wire, command, arguments=[fitting])["result"] is not None
        assert wire.request(f"gazetteer/{name}", fitting) is not None
    assert wire.leave() == 0


@pytest.mark.parametrize(
    "command",
    [
        None,
        7,
        "",
        "gazetteer",
        "gazetteer.",
        "gazetteer.nothing",
        "retrieve",
        "gazetteer.barrier",
        "gazetteer.gazetteer.retrieve",
    ],
)
def test_a_command_that_is_not_served_is_refused(wire: Wire, command: Any) -> None:
    assert execute(wire, command)["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", 0),
        ("limit", 51),
        ("limit", "6"),
        ("limit", 1.5),
        ("limit", 2**70),
        ("path", "*.py"),
        ("path", ["../x"]),
        ("path", ["[a"]),
        ("lang", ["klingon"]),
        ("kind", ["nonsense"]),
        ("type", ["nonsense"]),
        ("via", ["smell"]),
        ("require", "everything"),
        ("freshness", "loose"),
        ("budget", {"characters": -1}),
        ("budget", {"sheep": 1}),
        ("budget", 5),
        ("root", "file:///nowhere"),
        ("root", "nonsense"),
        ("query", ["a"]),
    ],
)
def test_a_value_that_makes_no_sense_is_named(wire: Wire, field: str, value: Any) -> None:
    error = wire.fails("gazetteer/retrieve", {"query": "apple", field: value})
    assert error["code"] == INVALID_PARAMS
    assert field in error["message"]
    assert error["data"]["code"] == "invalid_argument"


def test_what_is_null_is_not_given(wire: Wire) -> None:
    """As clients in other languages send what they leave out."""
    given = dict.fromkeys(("limit", "path", "root", "uri", "budget", "workDoneToken", "snapshot", "kind"))
    assert wire.request("gazetteer/retrieve", {"query": "apple", **given})["hits"]


def test_answers_are_those_of_the_command_line(bench: Bench) -> None:
    """L2, L10: the same JSON, but for what is measured; a command waits for its look at the tree, a server has one."""
    plant(bench)
    wire = bench.serve(initializationOptions={"sweepReuseMs": 60_000})
    wire.request("gazetteer/barrier", {})
    assert wire.logged() == []
    locator = wire.request("gazetteer/retrieve", {"query": "apple"})["hits"][0]["locator"]
    both = [
        (("ask", "apple"), "retrieve", {"query": "apple"}),
        (("explain", "apple"), "explain", {"query": "apple"}),
        (("expand", locator), "expand", {"locator": locator}),
        (("related", "a.py:1"), "related", {"target": "a.py:1"}),
        (("status",), "status", {}),
        (("health",), "health", {}),
    ]
    for words, name, given in both:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "gazetteer", *words, "--json", "--root", str(bench.tree)],
            env=environment(bench.home),
            capture_output=True,
            check=True,
        )
        assert still(wire.request(f"gazetteer/{name}", given)) == still(json.loads(done.stdout))


MEASURED = ("elapsedMs", "sweepAgeMs", "costMs", "rounds", "hashed", "id", "indexBytes")


def still(value: Any) -> Any:
    """Leave out what another run measures anew."""
    if isinstance(value, dict):
        return {key: still(inner) for key, inner in value.items() if key not in MEASURED}
    return [still(inner) for inner in value] if isinstance(value, list) else value


def test_filters_and_budgets_reach_the_question(wire: Wire) -> None:
    def paths(**more: Any) -> list[str]:
        hits = wire.request("gazetteer/retrieve", {"query": "apple banana", **more})["hits"]
        return sorted(hit["relpath"] for hit in hits)

    assert paths() == ["a.py", "b.py"]
    assert paths(path=["b*"]) == ["b.py"]
    assert paths(lang=["py"]) == ["a.py", "b.py"]
    assert paths(lang=["rust"]) == []
    assert len(paths(limit=1)) == 1
    assert paths(budget={"characters": 10, "ms": 10_000}) == ["a.py"] or len(paths(budget={"characters": 10})) == 1
    held = wire.request("gazetteer/retrieve", {"query": "apple"})["receipt"]["snapshot"]["id"]
    assert paths(snapshot=held) == ["a.py", "b.py"]
    error = wire.fails("gazetteer/retrieve", {"query": "apple", "snapshot": "no such"})
    assert (error["code"], error["data"]["code"]) == (REQUEST_FAILED, "not_found")


def test_a_place_in_the_editor_is_a_target(bench: Bench, wire: Wire) -> None:
    given = {"uri": bench.uri("a.py"), "position": {"line": 0, "character": 0}}
    by_place = wire.request("gazetteer/related", given)
    assert still(by_place) == still(wire.request("gazetteer/related", {"target": "a.py:1"}))
    assert wire.fails("gazetteer/related", {"uri": bench.uri("a.py")})["data"]["argument"] == "target"
    outside = {**given, "uri": "file:///nowhere/a.py"}
    assert wire.fails("gazetteer/related", outside)["data"]["code"] == "not_found"


SPELLINGS = ("../x.py", "a/../../x.py", "%2e%2e/x.py", "..%2fx.py", "/etc/hostname", "../../../../../etc/hostname")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_path_leads_out_of_the_tree(bench: Bench, wire: Wire, spelling: str) -> None:
    """SE01: whichever command takes a path, and however it is spelled."""
    (bench.tree.parent / "x.py").write_text("def outside(): ...\n")
    uri = f"file://{spelling}" if spelling.startswith("/") else f"{bench.uri()}/{spelling}"
    for target in (f"{spelling}:1", f"{uri}:1"):
        assert wire.fails("gazetteer/related", {"target": target})["data"]["code"] in ("invalid_argument", "not_found")
    at = {"uri": uri, "position": {"line": 0, "character": 0}}
    assert wire.fails("gazetteer/related", at)["data"]["code"] == "not_found"
    assert wire.fails("gazetteer/markDirty", {"uris": [uri]})["data"]["argument"] == "uris"
    assert wire.fails("gazetteer/expand", {"locator": f"gz1:0:{spelling}:1-1:0"})["data"]["code"] != "internal"
    place = {"line": 0, "character": 5}
    for method in ("hover", "definition", "references", "documentSymbol", "documentLink", "codeAction"):
        context = {"diagnostics": [], "includeDeclaration": True}
        given = {"position": place, "range": {"start": place, "end": place}, "context": context}
        answer = wire.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **given})
        assert "outside" not in json.dumps(answer), method
        assert "def " not in json.dumps(answer), method


def test_an_answer_is_shown_as_a_document_that_does_nothing(bench: Bench, wire: Wire) -> None:
    """SE04: what a file says is quoted; nothing in it becomes a link, markup or the end of its block."""
    hostile = "# apple ```\n[x](command:rm) <img src=http://x> ![y](http://z)\n````\nend\n"
    bench.write("[evil](command:x).md", hostile)
    wire.request("gazetteer/sync", {})
    given = {"title": "[t](command:t) <b>", "method": "gazetteer/retrieve", "params": {"query": "apple"}}
    shown = wire.request("gazetteer/show", given)["uri"]
    path = shown.removeprefix("file://")
    assert path.startswith(str(bench.home / "indexes" / "shown"))
    assert subprocess.run(["stat", "-c", "%a", path], capture_output=True, check=True).stdout == b"400\n"
    reader = MarkdownIt("commonmark")
    reader.validateLink = lambda url: True  # type: ignore[method-assign]
    with open(path, encoding="utf-8") as file:
        tokens = reader.parse(file.read())
    inline = [child for token in tokens for child in token.children or ()]
    links = [str(token.attrs["href"]) for token in inline if token.type == "link_open"]
    assert links
    assert all(link.startswith(bench.uri()) for link in links)
    assert {token.type for token in (*tokens, *inline)}.isdisjoint({"html_block", "html_inline", "image"})
    assert any(token.type == "fence" and token.content == hostile for token in tokens)
    assert wire.asked("window/showMessage")["params"]["message"].startswith("[t] (command:t)")


@pytest.mark.parametrize("reply", ["success", "failure", "error"])
def test_a_client_that_can_opens_the_document(bench: Bench, reply: str) -> None:
    bench.write("a.py", "def apple(): ...\n")
    wire = bench.serve(capabilities={"window": {"showDocument": {"support": True}}})
    given = {"title": "Apples", "method": "gazetteer/status"}
    number = wire.begin("gazetteer/show", given)
    asked = wire.asked("window/showDocument")
    assert asked["params"]["uri"].endswith(".md")
    if reply == "error":
        wire.respond(asked["id"], error={"code": -32603, "message": "no"})
    else:
        wire.respond(asked["id"], {"success": reply == "success"})
    assert wire.answer(number)["result"]["uri"] == asked["params"]["uri"]
    assert ("window/showMessage" in wire.methods()) == (reply != "success")


def test_only_what_can_be_shown_is_done_by_showing(wire: Wire) -> None:
    for method in ("gazetteer/sync", "gazetteer/commitEdit", "shutdown", "show", "gazetteer/show"):
        error = wire.fails("gazetteer/show", {"title": "x", "method": method, "params": {}})
        assert error["data"]["argument"] == "method"
