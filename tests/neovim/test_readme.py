"""The pictures of the README are what Neovim shows: taken from its screen, never written by hand."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .editor import BRING_UP, PLUGIN, Editor, Home, neovim

README = PLUGIN / "README.md"
WRITE = "GAZETTEER_WRITE_README"

DISCOUNT = '''

def discount_for(cart: Cart, customer: str) -> int:
    """Take ten percent off what the articles cost when the customer has a card."""
'''


def picker(editor: Editor, shop: Path) -> None:
    """Bring up the list: unsaved text in one buffer, the question asked from another."""
    editor.open(shop / "shop" / "till.py")
    editor.keys("Go")
    editor.type(DISCOUNT)
    editor.open(shop / "shop" / "cart.py")
    editor.ask("Gazetteer ask ten percent off for a customer with a card")


def hover(editor: Editor, shop: Path) -> None:
    """Bring up the card of a function that another file defines."""
    editor.open(shop / "shop" / "cart.py")
    editor.command("call search('price_of(name)')")
    editor.keys("K")
    editor.wait("#vim.api.nvim_list_wins() > 1", "a hover card")


@pytest.mark.parametrize("show", [picker, hover], ids=lambda show: show.__name__)
def test_the_picture_is_what_is_on_the_screen(home: Home, shop: Path, show: Callable[[Editor, Path], None]) -> None:
    look = "vim.o.columns, vim.o.lines, vim.o.laststatus, vim.o.ruler, vim.o.winborder = 96, 26, 0, false, 'rounded'"
    with neovim(home, shop, init=f"{look}\n{BRING_UP}") as editor:
        show(editor, shop)
        editor.command("echo ''")
        screen = "\n".join(editor.screen()).rstrip("\n ~")
    text = README.read_text(encoding="utf-8")
    block = re.compile(rf"(<!-- {show.__name__}: [^\n]*-->\n```text\n)(.*?)(```\n)", re.DOTALL)
    found = block.search(text)
    assert found is not None
    if os.environ.get(WRITE):
        README.write_text(text[: found.start(2)] + screen + "\n" + text[found.start(3) :], encoding="utf-8")
        return
    assert found[2] == screen + "\n", f"take the picture again: {WRITE}=1 pytest {Path(__file__).name}"
