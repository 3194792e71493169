"""The pictures of the README are what Neovim shows: taken from its screen, never written by hand."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .editor import BRING_UP, PLUGIN, Editor, Home, neovim

PROJECT = PLUGIN.parents[1] / "README.md"
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


def windows(screen: str) -> str:
    """Of a screen, the lines of floating windows that say something."""
    return "\n".join(line for line in screen.split("\n") if line[:1] in "╭│╰" and line.strip("│ "))


@pytest.mark.parametrize("show", [picker, hover], ids=lambda show: show.__name__)
def test_the_picture_is_what_is_on_the_screen(home: Home, shop: Path, show: Callable[[Editor, Path], None]) -> None:
    """In the README of the plugin the whole screen, in that of the project its windows."""
    look = "vim.o.columns, vim.o.lines, vim.o.laststatus, vim.o.ruler, vim.o.winborder = 96, 26, 0, false, 'rounded'"
    with neovim(home, shop, init=f"{look}\n{BRING_UP}") as editor:
        show(editor, shop)
        editor.command("echo ''")
        screen = "\n".join(editor.screen()).rstrip("\n ~")
    for readme, picture in ((README, screen), (PROJECT, windows(screen))):
        text = readme.read_text(encoding="utf-8")
        block = re.compile(rf"(<!-- {show.__name__}: [^\n]*-->\n```text\n)(.*?)(```\n)", re.DOTALL)
        found = block.search(text)
        assert found is not None, readme
        if os.environ.get(WRITE):
            readme.write_text(text[: found.start(2)] + picture + "\n" + text[found.start(3) :], encoding="utf-8")
        else:
            assert found[2] == picture + "\n", f"take the picture again: {WRITE}=1 pytest {Path(__file__).name}"
