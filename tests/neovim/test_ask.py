"""A question from the cursor, a selection or typed words; its answer as a list, and from there to the place."""

from pathlib import Path

import pytest

from .conftest import Desk
from .editor import Editor, Home, lua, neovim

NO_LIST = "vim.bo.filetype ~= 'gazetteer'"


@pytest.fixture
def cart(desk: Desk) -> Editor:
    """Return an editor in which the cart is open."""
    editor = desk.clear()
    editor.open(desk.shop / "shop" / "cart.py")
    return editor


def place(editor: Editor) -> tuple[str, int]:
    """Return the file and the line of the cursor."""
    return Path(editor.name()).name, editor.nvim.current.window.cursor[0]


def test_typed_words_give_a_list_and_enter_goes_to_the_place(cart: Editor) -> None:
    lines = cart.ask("Gazetteer ask price of one article")
    assert lines[0].startswith(" shop/prices.py:6")
    assert "price_of" in lines[0]
    cart.keys("<CR>")
    cart.wait("vim.fn.expand('%:t') == 'prices.py'", "the place of the first hit")
    assert place(cart) == ("prices.py", 6)
    cart.keys("<C-o>")
    assert place(cart)[0] == "cart.py"


def test_moving_in_the_list_shows_the_text_of_the_hit(cart: Editor) -> None:
    """And Enter goes to the hit that the cursor is on."""
    lines = cart.ask("Gazetteer ask price of an article")
    wanted = next(number for number, line in enumerate(lines, 1) if "shop/till.py" in line)
    assert wanted > 1
    cart.keys(f"{wanted}G")
    cart.until(lambda: any("╭ shop/till.py " in row for row in cart.screen()), "the text of that hit")
    assert any("from shop.prices import" in row or "def receipt" in row for row in cart.screen()[9:])
    cart.keys("<CR>")
    cart.wait("vim.fn.expand('%:t') == 'till.py'", "the place of that hit")


def test_without_words_it_asks_the_name_below_the_cursor(cart: Editor) -> None:
    cart.command("call search('price_of(name)')")
    assert cart.ask("Gazetteer ask")[0].startswith(" shop/prices.py:6")


def test_a_selection_is_asked(cart: Editor) -> None:
    """Just the selected characters, by the command and by the mapping."""
    cart.command("call search('price_of(name)')")
    cart.keys("vf)<Esc>0")
    assert any("shop/prices.py:6" in line for line in cart.ask("'<,'>Gazetteer ask"))
    assert any(row.strip().startswith("╭ price_of(name) ─") for row in cart.screen())
    cart.keys("q")
    cart.lua("vim.keymap.set('x', 'gA', '<Plug>(gazetteer-ask)')")
    cart.command("call search('the articles of the cart')")
    cart.keys("v2wegA")
    cart.wait("vim.bo.filetype == 'gazetteer'", "the list of the mapping")
    assert any(row.strip().startswith("╭ the articles of ─") for row in cart.screen())


def test_filters_are_typed_in_a_question_and_in_nothing_else(cart: Editor, desk: Desk) -> None:
    """L7, R8a: what somebody types restricts the answer; what is selected is text of a tree, and is only looked for."""
    assert all("README.md" in line for line in cart.ask("Gazetteer ask lang:md price"))
    cart.keys("q")
    assert all("shop/till.py" in line for line in cart.ask("Gazetteer ask path:shop/till* kind:function price"))
    cart.keys("q")
    cart.lua("vim.ui.input = function(_, use) use('price lang:md') end")
    cart.command("enew")
    assert all("README.md" in line for line in cart.ask("Gazetteer ask"))
    cart.keys("q")
    cart.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'lang:md price_of' })")
    cart.keys("ggV")
    cart.keys(":Gazetteer ask<CR>")
    cart.wait("vim.bo.filetype == 'gazetteer'", "the list of the selection")
    assert any("shop/prices.py" in line for line in cart.lines())
    cart.keys("q")
    cart.forget_messages()
    cart.command("Gazetteer ask kind:funktion price")
    cart.said("use function")


def test_where_there_is_no_word_a_question_is_typed(cart: Editor) -> None:
    cart.command("enew")
    cart.lua("vim.ui.input = function(_, use) use('price of one article') end")
    assert cart.ask("Gazetteer ask")[0].startswith(" shop/prices.py:6")


def test_it_can_be_asked_before_any_file_is_open(editor: Editor) -> None:
    """The tree is the one of the current folder; the question waits for the index."""
    assert editor.ask("Gazetteer ask price of one article")[0].startswith(" shop/prices.py:6")
    editor.keys("<CR>")
    editor.wait("vim.fn.expand('%:t') == 'prices.py'", "the place of the first hit")


def test_with_a_bang_the_answer_is_the_quickfix_list(cart: Editor) -> None:
    cart.command("Gazetteer! ask price_of")
    cart.wait("vim.bo.buftype == 'quickfix'", "the quickfix window")
    first = cart.lua("local e = vim.fn.getqflist()[1]; return { vim.fn.bufname(e.bufnr), e.lnum, e.text }")
    assert (Path(first[0]).name, first[1:]) == ("prices.py", [6, "price_of"])
    assert cart.lua("return vim.fn.getqflist({ title = 0 }).title") == "price_of"


def test_the_list_can_become_the_quickfix_list_and_splits(cart: Editor) -> None:
    count = len(cart.ask("Gazetteer ask price_of"))
    cart.keys("<C-q>")
    cart.wait("vim.bo.buftype == 'quickfix'", "the quickfix window")
    assert cart.lua("return #vim.fn.getqflist()") == count
    cart.command("cclose")
    cart.ask("Gazetteer ask price of one article")
    cart.keys("<C-v>")
    cart.wait("vim.fn.expand('%:t') == 'prices.py' and vim.fn.winnr('$') == 2", "the place in a split")


@pytest.mark.parametrize("way_out", ["q", "<Esc>", ":wincmd p<CR>"])
def test_leaving_the_list_leaves_everything_as_it_was(cart: Editor, way_out: str) -> None:
    before = place(cart)
    cart.ask("Gazetteer ask price_of")
    cart.keys(way_out)
    cart.wait("#vim.api.nvim_list_wins() == 1", "both windows are closed")
    assert place(cart) == before


def test_leaving_for_another_window_stays_there(cart: Editor, desk: Desk) -> None:
    """And closing the list by its key goes back to where the question was asked."""
    cart.command("split")
    for command, window in ((":1wincmd w<CR>", 1), (":2wincmd w<CR>", 2)):
        cart.command("2wincmd w")
        cart.ask("Gazetteer ask price_of")
        cart.keys(command)
        cart.wait("#vim.api.nvim_list_wins() == 2", "both windows are closed")
        assert cart.lua("return vim.fn.winnr()") == window
    cart.ask("Gazetteer ask price_of")
    cart.keys("q")
    cart.wait("#vim.api.nvim_list_wins() == 2", "both windows are closed")
    assert cart.lua("return vim.fn.winnr()") == 2


def test_a_replaced_select_gets_the_hits_and_their_previews(cart: Editor) -> None:
    """Whoever has another ``vim.ui.select`` wants the list to look like that."""
    cart.lua("""
        vim.ui.select = function(items, opts, choose)
          _G.offered = { opts.prompt, opts.format_item(items[1]), opts.preview_item(items[1]) }
          choose(items[1], 1)
        end""")
    cart.command("Gazetteer ask price of one article")
    cart.wait("vim.fn.expand('%:t') == 'prices.py'", "the place of the first hit")
    prompt, line, preview = cart.lua("return _G.offered")
    assert prompt == "price of one article"
    assert line.startswith("shop/prices.py:6")
    assert preview[0] == "def price_of(article: str) -> int:"


def test_two_unsaved_buffers_are_seen_by_one_question(cart: Editor, desk: Desk) -> None:
    """Asked from a third, at once: nothing that was typed anywhere is missed."""
    cart.open(desk.shop / "shop" / "till.py")
    cart.open(desk.shop / "README.md")
    cart.lua("""
        for name, text in pairs({ cart = 'zebra_cart', till = 'zebra_till' }) do
          local buf = vim.fn.bufnr('shop/' .. name .. '.py')
          vim.api.nvim_buf_set_lines(buf, -1, -1, false, { '', 'def ' .. text .. '(): return "zebra"' })
        end""")
    lines = cart.ask("Gazetteer ask zebra")
    assert sorted(line.split()[1] for line in lines[:2]) == ["zebra_cart", "zebra_till"]
    assert all(line.endswith("[unsaved]") for line in lines[:2])


def test_a_question_replaces_the_one_before(cart: Editor) -> None:
    """Of ten in a row the last is answered, and only that; the server is told to stop at the others."""
    cart.lua("""
        _G.lists, _G.cancelled = {}, {}
        vim.api.nvim_create_autocmd('LspRequest', { callback = function(args)
          if args.data.request.type == 'cancel' then _G.cancelled[args.data.request_id] = true end
        end })
        vim.ui.select = function(_, opts) table.insert(_G.lists, opts.prompt) end
        for number = 1, 10 do vim.cmd('Gazetteer ask price number ' .. number) end""")
    cart.wait("#_G.lists > 0", "an answer")
    cart.settle()
    assert cart.lua("return _G.lists") == ["price number 10"]
    assert cart.lua("return vim.tbl_count(_G.cancelled)") == 9
    cart.wait("vim.tbl_isempty(vim.lsp.get_clients({ name = 'gazetteer' })[1].requests)", "no request is left")


def test_nothing_found_is_said(cart: Editor) -> None:
    cart.command("Gazetteer ask qqqzzzxxx")
    cart.said("nothing was found for qqqzzzxxx")
    assert cart.lua(f"return {NO_LIST}")


def test_an_error_of_the_server_is_one_sentence(cart: Editor) -> None:
    cart.lua(f"require('gazetteer.options').set({lua({'limit': 5000})})")
    cart.forget_messages()
    cart.keys(":Gazetteer ask price<CR>")
    cart.said("gazetteer: ")
    said = [line for line in cart.messages().splitlines() if line]
    assert len(said) == 1
    assert "limit" in said[0]
    assert "Error" not in said[0]


def test_asked_from_no_tree_it_says_what_to_do(home: Home, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    with neovim(home, alone) as editor:
        editor.keys(":Gazetteer ask anything<CR>")
        editor.said("knowledge.yaml")
        (alone / "knowledge.yaml").touch()
        (alone / "one.py").write_text("def anything(): pass\n", encoding="utf-8")
        assert editor.ask("Gazetteer ask anything")[0].startswith(" one.py:1")


def test_what_a_tree_says_is_only_shown(editor: Editor, shop: Path) -> None:
    """SE04: names and texts with formats, commands, control characters and modelines do nothing but show."""
    hostile = "%{%execute('let g:harm = 1')%} `touch harm` \x1b[31m"
    name = "shop/a %{g:x}|let g:harm=1|.py"
    (shop / name).write_text(
        f'"""{hostile}"""\n\n\ndef hostile_thing():\n    """{hostile}"""\n# vim: set statusline=harm :\n',
        encoding="utf-8",
    )
    editor.open(shop / "shop" / "cart.py")
    for command in ("Gazetteer ask hostile_thing", "Gazetteer! ask hostile_thing"):
        editor.command(command)
        editor.wait("vim.bo.filetype == 'gazetteer' or vim.bo.buftype == 'quickfix'", "an answer")
        assert "shop/a %{g:x}" in editor.lines()[0]
        editor.screen()
        editor.keys("<CR>")
        editor.wait("vim.fn.expand('%:t'):match('^a ')", "the place")
    assert editor.lua("return vim.g.harm == nil")
    assert not (shop / "harm").exists()
