"""Hover: where, what, who and why in a few lines, from the text as it is now; text of a tree does nothing (SE04)."""

import asyncio
import json
from collections.abc import Iterator

import pytest
from gazetteer.lsp.hover import UNSETTLED
from gazetteer.lsp.looking import READING
from lsprotocol import types
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..trees import cursor, written
from .conftest import Desk, Editor
from .wire import PATIENCE_S

pytestmark = pytest.mark.asyncio

READER = MarkdownIt("commonmark")
READER.validateLink = lambda url: True  # type: ignore[method-assign]  # every scheme counts as live

TREE = """
-- shop/cart.py --
'''Carts.'''
import json

RATE = 3


class Cart:
    '''Holds what is bought. More is said here.'''

    def add(self, item):
        '''Put an `item` into the cart.'''
        return RATE

-- shop/pay.py --
from shop.cart import Cart


def pay(items):
    cart = Cart()
    for item in items:
        cart.add(item)
    return cart

-- tests/test_pay.py --
from shop.cart import Cart


def test_pay():
    assert Cart().add(1)

-- docs/guide.md --
# Guide

## The Cart

`Cart` holds items, see shop/cart.py:11 for how.

-- .knowledge/orientation.md --
# Map

- `shop/` is where money is made
"""


def fill(desk: Desk, text: str) -> None:
    for path, content in written(text).files.items():
        desk.write(path, content)


async def hover(editor: Editor, path: str, marked: str | None = None, *, version: int = 1) -> types.Hover | None:
    """Hover where ``|`` stands in the text of a document, which is opened with that text."""
    text, at = cursor(marked if marked is not None else (editor.tree / path).read_text(encoding="utf-8"))
    uri = editor.open(path, text, version)
    line = text.count("\n", 0, at)
    character = len(text[text.rfind("\n", 0, at) + 1 : at].encode("utf-16-le")) // 2
    if editor.result.capabilities.position_encoding == "utf-8":
        character = len(text[text.rfind("\n", 0, at) + 1 : at].encode())
    return await hover_at(editor, uri, types.Position(line, character))


async def hover_at(editor: Editor, uri: str, place: types.Position) -> types.Hover | None:
    """Hover there, and once more where the card says that what is open is still being read: no hover waits for that."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            asked = types.HoverParams(types.TextDocumentIdentifier(uri), place)
            answer = await editor.client.text_document_hover_async(asked)
            if answer is None or not shown(answer).endswith((READING, UNSETTLED)):
                return answer


def shown(answer: types.Hover | None) -> str:
    assert answer is not None
    assert isinstance(answer.contents, types.MarkupContent)
    assert len(answer.contents.value.split("\n")) <= 20
    return answer.contents.value


def tokens(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


async def ready(editor: Editor) -> None:
    await editor.command("sync", {})


PAY = """from shop.cart import Cart


def pay(items):
    cart = Ca|rt()
    for item in items:
        cart.add(item)
"""


async def test_a_name_says_what_it_is_where_it_is_who_uses_it_and_what_explains_it(desk: Desk) -> None:
    """L3, M1: everything that is worth knowing, and nothing that is not known."""
    fill(desk, TREE)
    editor = await desk.editor("vscode")
    await ready(editor)
    root = desk.tree.as_uri()
    assert shown(await hover(editor, "shop/pay.py", PAY)) == (
        f"**class** `Cart` · [`shop/cart.py:7`]({root}/shop/cart.py#L7)\n"
        "```python\n"
        "class Cart\n"
        "```\n"
        "Holds what is bought.  \n"
        f"Used in 2 places: [`shop/pay.py:5`]({root}/shop/pay.py#L5) `pay`, "
        f"[`tests/test_pay.py:5`]({root}/tests/test_pay.py#L5) `test_pay`  \n"
        f"Explained in [`docs/guide.md:3`]({root}/docs/guide.md#L3) `The Cart`  \n"
        "`shop/` is where money is made (the tree's own map)"
    )


@pytest.mark.parametrize("capabilities", ["vscode", "neovim"])
async def test_a_hover_sees_what_was_typed_just_before(desk: Desk, capabilities: str) -> None:
    """K10: a definition that was never saved is found, said to be unsaved, and gone once it is taken back."""
    fill(desk, TREE)
    editor = await desk.editor(capabilities)
    await ready(editor)
    editor.open("shop/cart.py", (desk.tree / "shop/cart.py").read_text(encoding="utf-8"))
    editor.type("shop/cart.py", "def refund(cart):\n    '''Give it back.'''\n\n\n", (0, 0, 0, 0))
    asked = "from shop.cart import refund\n\nrefu|nd(1)\n"
    card = shown(await hover(editor, "shop/new.py", asked))
    assert card.startswith("**function** `refund` · [`shop/cart.py:1`]")
    assert "unsaved" in card.split("\n")[0]
    assert "Give it back." in card
    editor.type("shop/cart.py", "", (0, 0, 4, 0))
    assert await hover_at(editor, editor.uri("shop/new.py"), types.Position(2, 2)) is None


async def test_an_import_says_what_it_resolves_to(desk: Desk) -> None:
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    card = shown(await hover(editor, "shop/pay.py", "from shop.ca|rt import Cart\n"))
    assert card.startswith("**import** `shop.cart` → [`shop/cart.py:1`]")
    outside = shown(await hover(editor, "shop/cart.py", "import js|on\n"))
    desk.write("shop/Cart.java", "package shop;\n\npublic class Cart {}\n")
    await ready(editor)
    named = shown(await hover(editor, "shop/Pay.java", "package shop;\nimport shop.Ca|rt;\n"))
    assert named.startswith("**class** `Cart` · [`shop/Cart.java:3`]")
    whole = shown(await hover(editor, "shop/Pay.java", "package shop;\nimport sh|op.Cart;\n", version=2))
    assert whole.startswith("**import** `shop.Cart` → [`shop/Cart.java:1`]")
    assert outside == "**import** `json` is outside of this tree"


async def test_a_path_and_a_locator_in_prose_are_previewed(desk: Desk) -> None:
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    card = shown(await hover(editor, "docs/guide.md", "see shop/ca|rt.py:10 for how\n"))
    assert card.startswith("`shop/cart.py` · in `add` · [`shop/cart.py:10`]")
    assert "def add(self, item):" in card
    hit = (await editor.ask("where is Cart defined"))["hits"][0]
    located = shown(await hover(editor, "docs/guide.md", f"see {hit['locator'][:8]}|{hit['locator'][8:]}\n"))
    assert f"def {hit['heading']}" in located or f"class {hit['heading']}" in located
    bad = hit["locator"].replace(hit["locator"].split(":")[1], "0" * 16)
    assert "of another tree" in shown(await hover(editor, "docs/guide.md", f"see |{bad}\n"))


async def test_where_there_is_nothing_to_say_nothing_is_said(desk: Desk) -> None:
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    for marked in ("ret|urn 1\n", "x = |\n", "    local_thing|\n", "|\n", "'some wor|d in a string'\n"):
        assert await hover(editor, "shop/pay.py", marked) is None
    assert await hover(editor, "../outside.py", "Ca|rt\n") is None


async def test_what_is_not_indexed_yet_is_said_at_once(desk: Desk) -> None:
    """L3: a hover waits for no build; a tree whose settings are broken is never built, and says why."""
    fill(desk, TREE)
    desk.write("knowledge.yaml", "no_such_key: 1\n")
    editor = await desk.editor("neovim")
    await editor.request("gazetteer/status", {})
    card = shown(await hover(editor, "shop/pay.py", PAY))
    assert card.startswith("Not indexed yet")
    assert await hover(editor, "shop/pay.py", "| \n") is None


async def test_a_place_that_changed_on_disk_is_not_shown_as_it_was(desk: Desk) -> None:
    """K2: bytes are hashed before a place is shown, whatever the index still says."""
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    assert "shop/cart.py:7" in shown(await hover(editor, "shop/pay.py", PAY))
    desk.write("shop/cart.py", "\n\n\nclass Cart:\n    pass\n")
    card = shown(await hover(editor, "shop/pay.py", PAY))
    assert "shop/cart.py:7" not in card
    assert "has changed" in card
    await ready(editor)
    assert "shop/cart.py:4" in shown(await hover(editor, "shop/pay.py", PAY))


async def test_the_map_that_the_registry_names_orients_first(desk: Desk) -> None:
    """C1: as everywhere else that a map is read."""
    fill(desk, TREE)
    own = desk.home / "tree.md"
    own.write_text("- `shop/` is where I buy\n", encoding="utf-8")
    registry = desk.home / "config" / "gazetteer" / "projects.json"
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(json.dumps({"store": {"path": str(desk.tree), "prompt_file": str(own)}}), encoding="utf-8")
    editor = await desk.editor("neovim")
    await ready(editor)
    assert "is where I buy (your map)" in shown(await hover(editor, "shop/pay.py", PAY))
    assert (await editor.command("map", {}))["path"] == str(own)


async def test_a_map_that_changed_on_disk_orients_nobody(desk: Desk) -> None:
    """K2, M1: a line of a map is a place like any other, as its file is now or not at all."""
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    assert "where money is made (the tree's own map)" in shown(await hover(editor, "shop/pay.py", PAY))
    desk.write(".knowledge/orientation.md", "- `shop/` was given up\n")
    assert "map)" not in shown(await hover(editor, "shop/pay.py", PAY))
    editor.open(".knowledge/orientation.md", "- `shop/` is being moved\n")
    assert "is being moved (the tree's own map)" in shown(await hover(editor, "shop/pay.py", PAY))


async def test_positions_count_in_the_units_of_the_client(desk: Desk) -> None:
    """K17: characters beyond the first plane, and line ends of another system, move nothing."""
    fill(desk, TREE)
    for capabilities in ("vscode", "neovim"):
        editor = await desk.editor(capabilities)
        await ready(editor)
        card = await hover(editor, "shop/x.py", "from shop.cart import Cart\r\ns = '🎉🎉𐐀'; C|art()\r\n")
        assert shown(card).startswith("**class** `Cart`")
        assert card is not None
        assert card.range is not None
        assert card.range.start == types.Position(1, {"neovim": 20, "vscode": 14}[capabilities])


async def test_a_client_without_markdown_gets_plain_text(desk: Desk) -> None:
    fill(desk, TREE)
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
        )
    )
    editor = await desk.editor(capabilities)
    await ready(editor)
    answer = await hover(editor, "shop/pay.py", PAY)
    assert answer is not None
    assert isinstance(answer.contents, types.MarkupContent)
    assert answer.contents.kind == types.MarkupKind.PlainText
    assert answer.contents.value.startswith("class Cart · shop/cart.py:7\n    class Cart\nHolds what is bought.\n")


async def test_a_client_that_can_follow_no_link_gets_none(desk: Desk) -> None:
    fill(desk, TREE)
    editor = await desk.editor(types.ClientCapabilities(experimental={"gazetteer": {"links": False}}))
    await ready(editor)
    card = shown(await hover(editor, "shop/pay.py", PAY))
    assert card.startswith("**class** `Cart` · `shop/cart.py:7`\n```python\nclass Cart\n```\n")
    assert "Used in 2 places: `shop/pay.py:5` `pay`, `tests/test_pay.py:5` `test_pay`" in card
    assert "](" not in card


async def test_a_hover_can_be_switched_off(desk: Desk) -> None:
    fill(desk, TREE)
    editor = await desk.editor("neovim", options={"hover": {"enable": False}})
    await ready(editor)
    assert await hover(editor, "shop/pay.py", PAY) is None


HOSTILE = {
    "evil.py": """def pull(a="](command:x) ![i](http://evil.example/i.png)"):
    '''[click](command:evil) <img src=x> https://evil.example `x](command:y)` ``` \u202ehidden\u200b\x1b[31m\x07\u2028.
    More.'''


def use():
    pull()
""",
    "docs/[x](command:y).md": "# `pull` <script>alert(1)</script> [go](command:z)\n\n`pull` is pulled.\x1b[0m\n",
    "a`b](command:q)/c.py": "from evil import pull\n\n\ndef f():\n    pull()\n",
    ".knowledge/orientation.md": "- [a`b](command:q)](command:map) evil.py <b>x</b> ```\n  ~~~ `evil.py` end\n",
}


async def hostile_cards(desk: Desk, capabilities: types.ClientCapabilities | str) -> list[types.MarkupContent]:
    """What is shown of names, imports, paths and locators of a hostile tree."""
    for path, text in HOSTILE.items():
        desk.write(path, text)
    editor = await desk.editor(capabilities)
    await ready(editor)
    locator = (await editor.ask("pull"))["hits"][0]["locator"]
    cards = [
        await hover(editor, "zz.py", "from evil import pull\n\npu|ll()\n"),
        await hover(editor, "zz.py", "from ev|il import pull\n"),
        await hover(editor, "zz.py", "import \x1b[31m\u202e|absent](command:x)\n"),
        await hover(editor, "zz.md", "see ev|il.py\n"),
        await hover(editor, "zz.md", f"see |{locator}\n"),
        await hover(editor, "zz.md", f"see |gz1:{'0' * 16}:{'W3hdKGNvbW1hbmQ6eSk'}:1-1:{'0' * 12}\n"),
    ]
    assert sum(card is not None for card in cards) >= 5
    return [card.contents for card in cards if card is not None and isinstance(card.contents, types.MarkupContent)]


async def test_text_of_a_tree_is_shown_and_does_nothing(desk: Desk) -> None:
    """SE04: no link but to files of this tree, no image, no HTML, no second code block, whatever the tree says."""
    cards = [one.value for one in await hostile_cards(desk, "vscode")]
    for card in cards:
        found = list(tokens(card))
        assert not {token.type for token in found} & {"html_inline", "html_block", "image", "heading_open", "hr"}
        assert all(
            str(one.attrs["href"]).startswith(f"{desk.tree.as_uri()}/") for one in found if one.type == "link_open"
        )
        assert sum(token.type == "fence" for token in found) <= 1
        assert all(one.isprintable() or one == "\n" for one in card)
    links = [str(token.attrs["href"]) for token in tokens(cards[0]) if token.type == "link_open"]
    assert any("command%3Aq" in link or "command:q" in link for link in links), (
        "the folder's odd name was linked safely"
    )


async def test_a_client_without_links_gets_none_of_a_tree_either(desk: Desk) -> None:
    """SE04: as Neovim is shown cards."""
    cards = await hostile_cards(desk, types.ClientCapabilities(experimental={"gazetteer": {"links": False}}))
    for card in cards:
        live = {"html_inline", "html_block", "image", "heading_open", "hr", "link_open"}
        assert not live & {token.type for token in tokens(card.value)}
        assert all(one.isprintable() or one == "\n" for one in card.value)


async def test_plain_text_of_a_tree_steers_no_terminal(desk: Desk) -> None:
    """SE04: nothing that is not seen, no second line where one is meant."""
    formats = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    plain = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=formats))
    for card in await hostile_cards(desk, plain):
        assert card.kind == types.MarkupKind.PlainText
        assert all(one.isprintable() or one == "\n" for one in card.value)


async def test_a_position_means_nothing_in_another_text(desk: Desk) -> None:
    """K2: where the index still has the file's text and not the editor's, nothing is said."""
    fill(desk, TREE)
    editor = await desk.editor("neovim")
    await ready(editor)
    desk.write(".gitignore", "shop/pay.py\n")
    moved = "\n\n\n\n          unk|nown()\n"  # in the file, `Cart` stands there
    assert await hover(editor, "shop/pay.py", moved) is None
    assert await hover(editor, "shop/new.py", "from shop.cart import Ca|rt\n") is not None
