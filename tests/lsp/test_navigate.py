"""Navigation: off until a language is named for it, and then symbols, jumps and links from the text as it is (L5)."""

import re
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


def test_the_best_names_of_all_folders_come_first(bench: Bench) -> None:
    """Ranked across folders, then cut; another language takes up no place."""
    first = "".join(f"def cart_{number:03}():\n    pass\n\n\n" for number in range(navigate.MAX_SYMBOLS))
    other = "".join(f"function cart{number}() {{}}\n" for number in range(navigate.MAX_SYMBOLS + 50))
    bench.write("one/many.py", first)
    bench.write("one/many.js", other)
    bench.write("two/cart.py", "class Cart:\n    pass\n")
    folders = [{"uri": bench.uri(name), "name": name} for name in ("one", "two")]
    wire = bench.serve(
        rootUri=None, workspaceFolders=folders, initializationOptions={"navigation": {"languages": ["python"]}}
    )
    for folder in folders:
        wire.request("gazetteer/sync", {"root": folder["uri"]})
    found = wire.request("workspace/symbol", {"query": "cart"})
    assert (found[0]["name"], found[0]["location"]["uri"]) == ("Cart", bench.uri("two/cart.py"))
    assert [one["name"] for one in found[1:]] == [f"cart_{number:03}" for number in range(navigate.MAX_SYMBOLS - 1)]


EVERYWHERE = r"""
-- shop/Cart.java --
package shop;

public class Cart {
    public int add(int item) { return item; }
}

-- shop/Pay.java --
package shop;

import shop.Cart;
import java.util.List;

class Pay {
    int pay(Cart cart) { return cart.add(1); }
}

-- kt/Till.kt --
package kt

import shop.Cart

fun open(cart: Cart): Int = cart.add(2)

-- lib/money.rs --
pub fn round_up(n: i32) -> i32 { n }

-- lib/main.rs --
mod money;
use crate::money::round_up;
fn main() { round_up(3); }

-- php/src/Till.php --
<?php
namespace Shop;

class Till { function ring() { return 1; } }

-- php/src/Door.php --
<?php
namespace Shop;
use Shop\Till;

class Door { function open(Till $till) { return $till->ring(); } }

-- web/price.ts --
export function priceOf(name: string): number { return 1; }

-- web/page.ts --
import { priceOf } from "./price";
import path from "path";

export const total = () => priceOf("apple");

-- c/tax.h --
int tax_of(int cents);

-- c/tax.c --
#include "tax.h"
#include <stdio.h>

int tax_of(int cents) { return cents / 5; }
int twice(int cents) { return tax_of(cents) * 2; }

-- py/main.py --
import py.helper, os
from py.helper import help_me


def run():
    return help_me() or py.helper.help_me()

-- py/helper.py --
def help_me():
    return "see py/main.py:5 and web/page.ts"

-- notes.md --
# Notes

`Cart` and `tax_of` are explained in py/helper.py:1; see also c/tax.h.
"""
HEAD = re.compile(r"\((file://[^)#]*)#L(\d+)\)")


def test_a_jump_goes_where_the_card_says(bench: Bench) -> None:
    """L3, L5: at every word of every language, definition and hover mean the same place, or none."""
    files = written(EVERYWHERE).files
    for path, content in files.items():
        bench.write(path, content)
    hand = Hand(bench, ["*"])
    said = 0
    for path, text in files.items():
        asked = hand.open(path, text, "x")
        for match in re.finditer(r"\w+", text):
            line = text.count("\n", 0, match.start())
            place = {"line": line, "character": match.start() - (text.rfind("\n", 0, match.start()) + 1)}
            card = hand.wire.request("textDocument/hover", {**asked, "position": place})
            places = hand.wire.request("textDocument/definition", {**asked, "position": place}) or []
            head = card["contents"]["value"].split("\n")[0] if card else ""
            shown = HEAD.search(head)
            jump = [(one["uri"], one["range"]["start"]["line"] + 1) for one in places[:1]]
            assert jump == ([(shown[1], int(shown[2]))] if shown else []), (path, match[0], head)
            said += len(jump)
    assert said > 40


def test_an_import_leads_to_its_document_and_back(bench: Bench) -> None:
    for path, content in written(EVERYWHERE).files.items():
        bench.write(path, content)
    hand = Hand(bench, ["*"])
    text = "package kt\n\nimport shop.Ca|rt\n"
    assert hand.at("definition", "kt/New.kt", text) == [("shop/Cart.java", 2, 13)]
    context = {"includeDeclaration": False}
    assert hand.at("references", "py/new.py", "import py.hel|per\n", context=context) == [
        ("py/main.py", 0, 7),
        ("py/new.py", 0, 7),
        ("py/main.py", 1, 5),
    ]


def test_a_locator_leads_to_its_passage(bench: Bench) -> None:
    hand = Hand(bench, ["*"])
    hit = hand.wire.request("gazetteer/retrieve", {"query": "Cart"})["hits"][0]
    text = f"see {hit['locator']}\n"
    start = hit["lines"][0] - 1
    assert hand.at("definition", "docs/a.md", text.replace("gz1", "g|z1"), "markdown") == [("shop/cart.py", start, 0)]
    (link,) = hand.wire.request("textDocument/documentLink", hand.open("docs/b.md", text, "markdown"))
    assert link["target"] == f"{bench.uri('shop/cart.py')}#L{start + 1}"
    assert link["range"]["start"] == {"line": 0, "character": 4}


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
