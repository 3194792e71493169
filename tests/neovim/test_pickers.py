"""Lists of other plugins: what they are given is what their documents say, and what is chosen in them is gone to.

The plugins themselves are in no package registry, so they are not here: ``pickers.lua`` stands for them; it knows the
documented part of each and refuses everything else. That a plugin does what its document says is not tested.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Desk
from .editor import Editor

STAND_INS = (Path(__file__).with_name("pickers.lua")).read_text(encoding="utf-8")
FORGET = """
    picked = nil
    for _, modules in ipairs({ package.preload, package.loaded }) do
      for name in pairs(modules) do
        local plugin = name:match('^[%w-]+')
        if vim.list_contains({ 'snacks', 'telescope', 'fzf-lua' }, plugin) then modules[name] = nil end
      end
    end"""
WITHOUT = "for name in pairs(package.preload) do if vim.startswith(name, ...) then package.preload[name] = nil end end"
PICKERS = ("snacks", "telescope", "fzf-lua")
"""In the order in which they are preferred."""


@pytest.fixture
def cart(desk: Desk) -> Iterator[Editor]:
    """An editor that has all of these plugins, and in which the cart is open."""
    editor = desk.clear()
    editor.lua(STAND_INS)
    editor.open(desk.shop / "shop" / "cart.py")
    yield editor
    editor.lua(FORGET)


def ask(editor: Editor, name: str) -> list[str]:
    """Ask, with only this plugin there, and return the lines of the list."""
    for other in PICKERS:
        if other != name:
            editor.lua(WITHOUT, other)
    editor.command("Gazetteer ask price of one article")
    editor.wait("picked", f"the list of {name}")
    return list(editor.lua("return picked.texts"))


def test_whoever_goes_to_a_passage_stands_in_the_line_that_its_citation_names(cart: Editor, desk: Desk) -> None:
    """R3, L7: a passage may begin before that; by jump, in the quickfix list, and in what every list says."""
    uri = (desk.shop / "shop" / "prices.py").as_uri()
    cart.lua(
        """
        local at = function(line) return { line = line, character = 0 } end
        local hit = { uri = ..., path = 'shop/prices.py', heading = 'x', lines = { 1, 8 }, text = 'x',
          range = { start = at(0), ['end'] = at(7) }, selectionRange = { start = at(5), ['end'] = at(5) } }
        local results = require('gazetteer.results')
        items = results.items({ hits = { hit } }, vim.lsp.get_clients({ name = 'gazetteer' })[1])
        results.jump(items[1])
        """,
        uri,
    )
    assert cart.lua("return vim.api.nvim_win_get_cursor(0)") == [6, 0]
    assert cart.lua("return items[1].place") == "shop/prices.py:6"
    cart.lua("require('gazetteer.results').quickfix(items, 'x')")
    assert cart.lua("return vim.fn.getqflist()[1].lnum") == 6
    cart.command("cclose")


DEEP = """
    local lines, at = {}, function(line) return { line = line, character = 0 } end
    for number = 101, 160 do table.insert(lines, 'line ' .. number) end
    local hit = { uri = ..., path = 'shop/prices.py', heading = 'x', citation = 'x', text = table.concat(lines, '\\n'),
      lines = { 101, 160 }, range = { start = at(100), ['end'] = at(159) },
      selectionRange = { start = at(149), ['end'] = at(149) } }
    items = require('gazetteer.results').items({ hits = { hit } }, vim.lsp.get_clients({ name = 'gazetteer' })[1])"""
"""A hit that is cited by its line 150 and whose passage begins at line 101."""


def test_our_own_list_shows_the_line_that_is_cited_also_where_the_passage_begins_long_before(cart: Editor) -> None:
    """R3, L7: the lines that a hit shows are those that it names."""
    cart.lua(DEEP, "file:///x")
    cart.lua("require('gazetteer.window').open(items, 'x')")
    shown = [row.split("│")[2].strip() for row in cart.screen() if "line 1" in row]
    assert "line 150" in shown[:5]
    cart.keys("q")


@pytest.mark.parametrize("name", PICKERS)
def test_so_does_every_other_list(cart: Editor, desk: Desk, name: str) -> None:
    for other in PICKERS:
        if other != name:
            cart.lua(WITHOUT, other)
    cart.lua(DEEP, (desk.shop / "shop" / "prices.py").as_uri())
    cart.lua("require('gazetteer.picker').show(items, 'x')")
    if name != "telescope":  # which scrolls its window to it
        assert "line 150" in cart.lua("return picked.look(1)")[:5]
        return
    cart.lua("vim.cmd.split() win = vim.api.nvim_get_current_win() picked.look(1, win)")
    assert cart.lua("return vim.api.nvim_win_get_cursor(win)") == [50, 0]
    assert cart.lua("return vim.fn.getwininfo(win)[1].topline") == 47


@pytest.mark.parametrize("name", PICKERS)
def test_a_list_shows_hits_and_the_text_of_each(cart: Editor, name: str) -> None:
    lines = ask(cart, name)
    assert "shop/prices.py:6" in lines[0]
    assert "price_of" in lines[0]
    assert cart.lua("return picked.title") == "price of one article"
    assert cart.lua("return picked.look(1)")[0] == "def price_of(article: str) -> int:"
    other = next(number for number, line in enumerate(lines, 1) if "shop/till.py" in line)
    assert any("Cart" in line for line in cart.lua("return picked.look(...)", other))


@pytest.mark.parametrize("name", PICKERS)
@pytest.mark.parametrize(("how", "windows", "tabs"), [("edit", 1, 1), ("split", 2, 1), ("vsplit", 2, 1), ("tab", 2, 2)])
def test_what_is_chosen_is_gone_to(cart: Editor, name: str, how: str, windows: int, tabs: int) -> None:
    lines = ask(cart, name)
    wanted = next(number for number, line in enumerate(lines, 1) if "shop/prices.py:6" in line)
    cart.lua("picked.choose(...)", wanted, how)
    assert (Path(cart.name()).name, cart.nvim.current.window.cursor[0]) == ("prices.py", 6)
    assert (len(cart.nvim.windows), len(cart.nvim.tabpages)) == (windows, tabs)


def test_the_first_that_is_there_is_taken(cart: Editor) -> None:
    for name in PICKERS:
        assert cart.lua("return require('gazetteer.picker').which()") == name
        cart.lua(WITHOUT, name)
        cart.lua("package.loaded[...] = nil", name)
    assert cart.lua("return require('gazetteer.picker').which()") == "builtin"


def test_one_that_is_chosen_and_not_there_is_said(cart: Editor) -> None:
    cart.lua("require('gazetteer').setup({ picker = 'snacks' })")
    cart.lua(WITHOUT, "snacks")
    cart.forget_messages()
    cart.command("Gazetteer ask price of one article")
    cart.said("snacks is not installed")
    cart.wait("picked", "the list of the next one")
