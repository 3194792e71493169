"""Navigation: off until a language is named for it, and then symbols, jumps and links from the text as it is (L5)."""

from typing import Any

import pytest
from gazetteer.kb.model import Kind
from gazetteer.lsp import navigate

from ..trees import cursor, written
from .conftest import Bench
from .wire import Wire

TREE = """
-- shop/cart.py --
'''Carts.'''

RATE = 3


class Cart:
    def add(self, item):
        return RATE


def total(cart):
    return RATE * 2

-- shop/pay.py --
from shop.cart import Cart, total


def pay(items):
    cart = Cart()
    return total(cart)

-- docs/guide.md --
# Guide

See `shop/cart.py:7` and shop/pay.py § pay (Line 4), not shop/none.py or e.g. this.
"""


class Hand:
    """Somebody at an editor."""

    def __init__(self, bench: Bench, languages: list[str] | None, **more: Any) -> None:
        for path, content in written(TREE).files.items():
            bench.write(path, content)
        self._bench = bench
        options = {"navigation": {"languages": languages}} if languages is not None else None
        self.wire: Wire = bench.serve(initializationOptions=options, **more)
        self.wire.request("workspace/executeCommand", {"command": "gazetteer.sync"})

    def open(self, path: str, text: str | None = None, language: str = "python") -> dict[str, Any]:
        content = (self._bench.tree / path).read_text(encoding="utf-8") if text is None else text
        uri = self._bench.uri(path)
        item = {"uri": uri, "languageId": language, "version": 1, "text": content}
        self.wire.notify("textDocument/didOpen", {"textDocument": item})
        return {"textDocument": {"uri": uri}}

    def at(
        self, method: str, path: str, marked: str, language: str = "python", **more: Any
    ) -> list[tuple[str, int, int]]:
        """Places that a question about ``|`` gives: file, line and column of each."""
        text, at = cursor(marked)
        asked = self.open(path, text, language)
        asked["position"] = {"line": text.count("\n", 0, at), "character": at - (text.rfind("\n", 0, at) + 1)}
        found = self.wire.request(f"textDocument/{method}", {**asked, **more}) or []
        return [(one["uri"].removeprefix(f"{self._bench.uri()}/"), *one["range"]["start"].values()) for one in found]


PAY = "from shop.cart import Cart, total\n\n\ndef pay(items):\n    cart = Ca|rt()\n    return total(cart)\n"


def test_nothing_is_answered_until_a_language_is_named(bench: Bench) -> None:
    """L5: another server may serve the language, and everything would be shown twice."""
    hand = Hand(bench, None)
    assert hand.at("definition", "shop/pay.py", PAY) == []
    assert hand.wire.request("textDocument/documentSymbol", hand.open("shop/cart.py")) is None
    assert hand.wire.request("textDocument/documentLink", hand.open("docs/guide.md")) is None
    assert hand.wire.request("workspace/symbol", {"query": "Cart"}) is None


def test_only_the_languages_that_are_named_are_served(bench: Bench) -> None:
    hand = Hand(bench, ["shellscript", "markdown"])
    assert hand.at("definition", "shop/pay.py", PAY) == []
    assert hand.at("definition", "docs/a.md", "`Ca|rt`\n", "markdown") == [("shop/cart.py", 5, 6)]


def test_where_a_name_is_defined(bench: Bench) -> None:
    hand = Hand(bench, ["python"])
    assert hand.at("definition", "shop/pay.py", PAY) == [("shop/cart.py", 5, 6)]
    assert hand.at("definition", "shop/a.py", "from shop.ca|rt import Cart\n") == [("shop/cart.py", 0, 0)]
    assert hand.at("definition", "shop/b.py", "# see shop/pa|y.py:4\n") == [("shop/pay.py", 3, 0)]
    assert hand.at("definition", "shop/c.py", "unknown_na|me()\n") == []


def test_a_definition_in_a_buffer_is_where_the_buffer_has_it(bench: Bench) -> None:
    hand = Hand(bench, ["*"])
    hand.open("shop/cart.py", "# one more line\n\n\nclass Cart:\n    pass\n")
    assert hand.at("definition", "shop/pay.py", PAY) == [("shop/cart.py", 3, 6)]


def test_where_a_name_is_used(bench: Bench) -> None:
    hand = Hand(bench, ["python"])
    marked = PAY.replace("Ca|rt()", "Cart()").replace("return total", "return to|tal")
    used = hand.at("references", "shop/pay.py", marked, context={"includeDeclaration": False})
    assert used == [("shop/pay.py", 5, 11)]
    both = hand.at("references", "shop/pay.py", marked, context={"includeDeclaration": True})
    assert both == [("shop/cart.py", 10, 4), ("shop/pay.py", 5, 11)]
    constant = hand.at(
        "references", "shop/d.py", "from shop.cart import RA|TE\n", context={"includeDeclaration": False}
    )
    assert ("shop/cart.py", 7, 15) in constant
    assert ("shop/cart.py", 11, 11) in constant


def names(symbols: Any) -> Any:
    return [(one["name"], one["kind"], names(one.get("children") or [])) for one in symbols]


def test_the_outline_of_a_document(bench: Bench) -> None:
    nested = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
    hand = Hand(bench, ["python"], capabilities=nested)
    found = hand.wire.request("textDocument/documentSymbol", hand.open("shop/cart.py"))
    assert names(found) == [("RATE", 13, []), ("Cart", 5, [("add", 6, [])]), ("total", 12, [])]
    for symbol in (*found, *found[1]["children"]):
        ends = [(symbol[key]["start"], symbol[key]["end"]) for key in ("range", "selectionRange")]
        (outer, last), (inner, end) = [[(p["line"], p["character"]) for p in pair] for pair in ends]
        assert outer <= inner <= end <= last


def test_a_flat_outline_for_who_knows_no_other(bench: Bench) -> None:
    hand = Hand(bench, ["python"])
    found = hand.wire.request("textDocument/documentSymbol", hand.open("shop/cart.py"))
    assert [(one["name"], one.get("containerName")) for one in found] == [
        ("RATE", None),
        ("Cart", None),
        ("add", "Cart"),
        ("total", None),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Cart", ["Cart"]),
        ("car", ["Cart"]),
        ("tot", ["total"]),
        ("ota", []),
        ("RATE", ["RATE"]),
        ("nothing", []),
        (" ", []),
    ],
)
def test_symbols_of_the_workspace(bench: Bench, query: str, expected: list[str]) -> None:
    hand = Hand(bench, ["python"])
    found = hand.wire.request("workspace/symbol", {"query": query}) or []
    assert [one["name"] for one in found] == expected


def test_paths_and_citations_are_links(bench: Bench) -> None:
    """M6: a path, with its line or its citation, leads there; what leads nowhere is no link."""
    hand = Hand(bench, ["markdown"])
    found = hand.wire.request("textDocument/documentLink", hand.open("docs/guide.md", language="markdown"))
    root = bench.uri()
    assert [one["target"] for one in found] == [f"{root}/shop/cart.py#L7", f"{root}/shop/pay.py#L4"]
    assert found[0]["range"] == {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 17}}


def test_no_link_leads_out_of_the_tree(bench: Bench) -> None:
    """SE01, SE04: whatever a text says."""
    bench.write("../outside.py", "x = 1\n")
    hand = Hand(bench, ["markdown"])
    text = (
        "../outside.py /etc/passwd file:///etc/passwd ../../outside.py command:x.py http://a.b/c.py %2e%2e/outside.py\n"
    )
    assert hand.wire.request("textDocument/documentLink", hand.open("a.md", text, "markdown")) == []


def test_every_kind_has_a_symbol_kind() -> None:
    assert set(navigate._KINDS) == set(Kind)
