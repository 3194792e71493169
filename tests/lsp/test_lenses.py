"""Code lenses and inlay notes: off until they are wanted, made when they are shown, and exact (L5)."""

from typing import Any

import pytest

from ..trees import written
from .conftest import Bench
from .wire import Wire

TREE = """
-- shop/cart.py --
'''Carts.'''


class Cart:
    '''Holds what is bought. More is said here.'''

    def add(self, item):
        return item


def lonely():
    pass

-- shop/pay.py --
from shop.cart import Cart


def pay(items):
    cart = Cart()
    again = Cart()
    cart.add(items)
    unknown(cart)


def later():
    return Cart()

-- other/cart.py --
def add(a, b):
    '''Add two numbers.'''

-- .knowledge/orientation.md --
- `shop/` is where money is made
"""
BOTH = {"codeLens": {"enable": True}, "inlayHints": {"enable": True}}
VIEW = {"experimental": {"gazetteer": {"view": True}}}


class Hand:
    """Somebody at an editor."""

    def __init__(self, bench: Bench, options: Any = BOTH, tree: str = TREE, **more: Any) -> None:
        for path, content in written(tree).files.items():
            bench.write(path, content)
        self._bench = bench
        self.wire: Wire = bench.serve(initializationOptions=options, capabilities=VIEW, **more)
        self.wire.request("gazetteer/sync", {})

    def open(self, path: str, text: str | None = None, version: int = 1) -> dict[str, Any]:
        content = (self._bench.tree / path).read_text(encoding="utf-8") if text is None else text
        uri = self._bench.uri(path)
        item = {"uri": uri, "languageId": "python", "version": version, "text": content}
        self.wire.notify("textDocument/didOpen", {"textDocument": item})
        return {"textDocument": {"uri": uri}}

    def lenses(self, path: str, text: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.wire.request("textDocument/codeLens", self.open(path, text)) or []
        return found

    def counted(self, path: str, text: str | None = None) -> list[tuple[int, str]]:
        """Line and title of every lens, as somebody sees them."""
        resolved = [self.wire.request("codeLens/resolve", lens) for lens in self.lenses(path, text)]
        return [(one["range"]["start"]["line"], one["command"]["title"]) for one in resolved]

    def hints(self, path: str, first: int = 0, last: int = 99, text: str | None = None) -> list[dict[str, Any]]:
        asked = self.open(path, text)
        asked["range"] = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        found: list[dict[str, Any]] = self.wire.request("textDocument/inlayHint", asked) or []
        return found

    def notes(self, path: str, first: int = 0, last: int = 99, text: str | None = None) -> list[tuple[int, str]]:
        return [(one["position"]["line"], one["label"]) for one in self.hints(path, first, last, text)]


def test_both_are_off_until_they_are_wanted(bench: Bench) -> None:
    hand = Hand(bench, {})
    assert hand.lenses("shop/cart.py") == []
    assert hand.hints("shop/pay.py") == []


def test_a_lens_says_how_often_a_name_is_used(bench: Bench) -> None:
    """The list counts nothing; a name that two definitions have is counted for both, and that is said."""
    hand = Hand(bench)
    assert all("command" not in lens for lens in hand.lenses("shop/cart.py"))
    assert hand.counted("shop/cart.py") == [
        (3, "used 3 times"),
        (6, "name used once"),
        (10, "no use found"),
    ]


def test_a_lens_counts_what_is_typed(bench: Bench) -> None:
    hand = Hand(bench)
    hand.open("shop/new.py", "from shop.cart import lonely\n\nlonely()\nlonely()\n")
    assert (10, "used 2 times") in hand.counted("shop/cart.py")
    assert hand.counted("shop/draft.py", "def draft():\n    draft()\n") == [(0, "used once")]


def test_a_lens_leads_to_the_uses(bench: Bench) -> None:
    hand = Hand(bench)
    lens = hand.wire.request("codeLens/resolve", hand.lenses("shop/cart.py")[0])
    assert lens["command"]["command"] == "gazetteer.view"
    (argument,) = lens["command"]["arguments"]
    hits = hand.wire.request(argument["method"], argument["params"])["hits"]
    assert [hit["relpath"] for hit in hits if hit["via"] == ["graph"]] == ["shop/pay.py"] * len(hits)


def test_a_note_is_the_first_sentence_at_the_first_use(bench: Bench) -> None:
    """One a line, once a definition; nothing where more than one definition may be meant, or none says anything."""
    hand = Hand(bench)
    assert hand.notes("shop/pay.py") == [
        (0, "`shop/` is where money is made"),
        (4, "Holds what is bought."),
        (11, "Holds what is bought."),
    ]
    assert hand.notes("shop/pay.py", 5, 8) == []
    assert hand.notes("shop/pay.py", 11, 11) == [(11, "Holds what is bought.")]


def test_a_note_is_behind_its_line_and_has_a_card(bench: Bench) -> None:
    hand = Hand(bench)
    note = hand.hints("shop/pay.py", 4, 4)[0]
    assert note["position"] == {"line": 4, "character": len("    cart = Cart()")}
    assert "tooltip" not in note
    card = hand.wire.request("inlayHint/resolve", note)["tooltip"]["value"]
    assert card.startswith("**class** `Cart` · [`shop/cart.py:4`]")


def test_neither_waits_for_an_index(bench: Bench) -> None:
    """L5: a tree whose settings are broken is never built; there are no lenses, and one from before says so."""
    bench.write("knowledge.yaml", "no_such_key: 1\n")
    bench.write("a.py", "def alpha():\n    pass\n")
    wire = bench.serve(initializationOptions=BOTH, capabilities=VIEW)
    wire.request("gazetteer/status", {})
    uri = bench.uri("a.py")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "def alpha():\n    alpha()\n"}
    wire.notify("textDocument/didOpen", {"textDocument": item})
    start = {"line": 0, "character": 4}
    assert wire.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) is None
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    assert wire.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole}) is None
    lens = {"range": {"start": start, "end": start}, "data": {"uri": uri, "position": start, "version": 1}}
    assert wire.request("codeLens/resolve", lens)["command"]["title"] == "uses are not known yet"


def test_what_was_changed_meanwhile_is_asked_for_again(bench: Bench) -> None:
    hand = Hand(bench)
    lens, note = hand.lenses("shop/cart.py")[0], hand.hints("shop/pay.py")[0]
    for path in ("shop/cart.py", "shop/pay.py"):
        document = {"uri": bench.uri(path), "version": 2}
        hand.wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": "\n"}]})
    for method, given in (("codeLens/resolve", lens), ("inlayHint/resolve", note)):
        assert hand.wire.fails(method, given)["data"]["code"] == "conflict"


@pytest.mark.parametrize("method", ["codeLens/resolve", "inlayHint/resolve"])
@pytest.mark.parametrize("data", [None, [1], {}, {"uri": 1}, {"uri": "file:///etc/passwd", "position": {"line": -1}}])
def test_what_comes_back_from_a_client_is_checked(bench: Bench, method: str, data: Any) -> None:
    place = {"line": 0, "character": 0}
    given = {"range": {"start": place, "end": place}, "position": place, "label": "x", "data": data}
    assert Hand(bench).wire.fails(method, given)["code"] == -32602


HOSTILE = """
-- evil.py --
class pull:
    '''[x](command:y) <b> \u202ehidden\u200b and so on, for more than the sixty characters of a note. Z.'''

-- use.py --
from evil import pull

pull()

-- .knowledge/orientation.md --
- evil.py [click](command:rm) \u202eback\x1b[31m
"""


def test_a_note_is_one_short_visible_line(bench: Bench) -> None:
    """SE04: whatever a tree says; what is shown has no markup in it, so nothing in it is one."""
    hand = Hand(bench, tree=HOSTILE)
    notes = hand.notes("use.py")
    assert [line for line, _ in notes] == [0, 2]
    for _, words in notes:
        assert words.isprintable()
        assert len(words) <= 60
    for note in hand.hints("use.py"):
        assert "](command" not in hand.wire.request("inlayHint/resolve", note)["tooltip"]["value"].replace("\\](", "")
