"""Hover cards, code actions and inline notes: what the server says of a place, in the editor's own windows."""

from pathlib import Path

import pytest

from .conftest import Desk
from .editor import Editor, Home, neovim

CARD = """(function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    if vim.api.nvim_win_get_config(win).relative ~= '' and vim.bo[buf].filetype == 'markdown' then return buf end
  end
end)()"""
"""Lua: the buffer of the hover card."""
NOTES = "vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('gazetteer.notes'), 0, -1, { details = true })"


@pytest.fixture
def cart(desk: Desk) -> Editor:
    """Return an editor in which the cart is open, the cursor on the use of a function of another file."""
    editor = desk.clear()
    editor.open(desk.shop / "shop" / "cart.py")
    editor.command("call search('price_of(name)')")
    return editor


def card(editor: Editor) -> str:
    """Press K and return the text of the card."""
    editor.keys("K")
    editor.wait(CARD, "a hover card")
    return "\n".join(editor.lua(f"return vim.api.nvim_buf_get_lines({CARD}, 0, -1, false)"))


def choose(editor: Editor, title: str) -> list[str]:
    """Open the code actions, take the one whose title holds these words, and return all titles."""
    editor.lua(
        """
        local wanted = ...
        vim.ui.select = function(items, opts, use)
          _G.titles = vim.tbl_map(opts.format_item, items)
          vim.ui.select = _G.own_ui.select
          for number, shown in ipairs(_G.titles) do
            if shown:find(wanted, 1, true) then return use(items[number], number) end
          end
          use(nil)
        end
        _G.titles = nil
        vim.lsp.buf.code_action()""",
        title,
    )
    editor.wait("_G.titles", "the code actions")
    return list(editor.lua("return _G.titles"))


def test_hover_says_what_a_name_is_and_where(cart: Editor) -> None:
    text = card(cart)
    assert "price_of(article: str) -> int" in text
    assert "shop/prices.py" in text
    assert "Look up the price of one article, in cents." in text


def test_hover_knows_what_is_not_saved(cart: Editor, desk: Desk) -> None:
    """The definition is changed in another buffer, and the card at once."""
    cart.open(desk.shop / "shop" / "prices.py")
    cart.command("%s/Look up the price/Guess the price/")
    cart.command("buffer cart.py")
    cart.command("call search('price_of(name)')")
    cart.settle()
    text = card(cart)
    assert "Guess the price of one article, in cents." in text
    assert "Look up the price" not in text
    assert "Guess" not in (desk.shop / "shop" / "prices.py").read_text(encoding="utf-8")


def test_a_code_action_asks_and_its_hits_are_picked(cart: Editor) -> None:
    titles = choose(cart, "callers")
    cart.wait("vim.bo.filetype == 'gazetteer'", f"the list of an action of {titles}")
    assert any("shop/till.py" in line for line in cart.lines())
    wanted = next(number for number, line in enumerate(cart.lines(), 1) if "shop/till.py" in line)
    cart.keys(f"{wanted}G<CR>")
    cart.wait("vim.fn.expand('%:t') == 'till.py'", "the place of the caller")


def test_a_code_action_puts_the_evidence_where_it_can_be_pasted(cart: Editor) -> None:
    choose(cart, "opy")
    cart.said("the evidence")
    text = cart.lua("return vim.fn.getreg('\"')")
    assert "shop/prices.py" in text
    assert "def price_of(article: str) -> int:" in text


def test_a_code_action_inserts_a_citation(cart: Editor) -> None:
    before = cart.lines()
    choose(cart, "citation")
    cart.wait("vim.bo.modified", "the edit")
    added = "\n".join(line for line in cart.lines() if line not in before)
    assert "shop/prices.py § price_of" in added


def test_notes_are_off_until_they_are_wanted(cart: Editor) -> None:
    cart.command("doautocmd CursorHold")
    cart.settle()
    assert cart.lua(f"return {NOTES}") == []
    cart.command("Gazetteer notes")
    cart.said("inline notes are on")
    cart.command("doautocmd CursorHold")
    cart.wait(f"#{NOTES} > 0", "a note")
    mark = cart.lua(f"return {NOTES}[1]")
    assert mark[1] == cart.nvim.current.window.cursor[0] - 1
    assert "price_of" in mark[3]["virt_text"][0][0]
    cart.command("Gazetteer notes")
    cart.said("inline notes are off")
    assert cart.lua(f"return {NOTES}") == []


def test_a_note_is_one_line_of_plain_text(cart: Editor) -> None:
    """SE04: markup of a card, control characters and length do not reach the line."""
    gist = "return require('gazetteer.notes').gist({ kind = 'markdown', value = ... })"
    card = "```lua\n**function** [`a\\_b`](file:///x#L1) in [c](d)\x1b[31m\nmore"
    assert cart.lua(gist, card) == "function a_b in c [31m"
    assert len(cart.lua(gist, "x" * 5_000)) == 120
    assert cart.lua(gist, "\n---\n\n") is None


def test_counts_and_notes_beside_code_come_once_they_are_wanted(home: Home, shop: Path) -> None:
    """L5: by Neovim's own code lenses and inlay hints; a lens leads to the uses."""
    settings = "settings = { codeLens = { enable = true }, inlayHints = { enable = true } }"
    with neovim(home, shop, init=f"require('gazetteer').setup({{ {settings} }})") as editor:
        editor.open(shop / "shop" / "prices.py")
        editor.lua("vim.lsp.codelens.refresh({ bufnr = 0 })")
        editor.wait("vim.iter(vim.lsp.codelens.get(0)):any(function(lens) return lens.command end)", "a lens")
        titles = editor.lua("return vim.tbl_map(function(lens) return lens.command.title end, vim.lsp.codelens.get(0))")
        assert titles == ["used 2 times"]
        editor.command("call search('def price_of')")
        editor.lua("vim.lsp.codelens.run()")
        editor.wait("vim.bo.filetype == 'gazetteer'", "the list of the uses")
        assert {line.split(":")[0].strip() for line in editor.lines()} == {"shop/cart.py", "shop/till.py"}
        editor.keys("q")
        editor.open(shop / "shop" / "till.py")
        editor.lua("vim.lsp.inlay_hint.enable(true)")
        editor.wait("#vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0", "a note")
        notes = editor.lua("return vim.tbl_map(function(n) return n.inlay_hint.label end, vim.lsp.inlay_hint.get({}))")
        assert "Look up the price of one article, in cents." in notes
