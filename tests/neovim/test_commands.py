"""What ``:Gazetteer`` knows beside questions: completion, state, upkeep, the map, the log; and what it says."""

import os
from pathlib import Path

import pytest
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder

from .conftest import Desk
from .editor import CLIENT, Editor, Home, neovim

WORDS = [
    "ask",
    "callers",
    "corpus",
    "explain",
    "log",
    "map",
    "notes",
    "reindex",
    "related",
    "restart",
    "status",
    "sync",
]


@pytest.fixture
def till(desk: Desk) -> Editor:
    """Return an editor in which the till is open."""
    editor = desk.clear()
    editor.open(desk.shop / "shop" / "till.py")
    return editor


def completed(editor: Editor, line: str) -> list[str]:
    return list(editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def test_words_and_names_are_completed(till: Editor) -> None:
    assert completed(till, "Gazetteer ") == WORDS
    assert completed(till, "Gazetteer! re") == ["reindex", "related", "restart"]
    assert completed(till, "Gazetteer ask rec") == ["receipt"]
    assert completed(till, "Gazetteer ask what is price_") == ["price_of"]
    assert completed(till, "Gazetteer ask ki") == ["kind:"]
    assert completed(till, "Gazetteer ask price path:sho") == ["path:shop/"]
    assert completed(till, "'<,'>Gazetteer callers Car") == ["Cart"]
    assert completed(till, "Gazetteer related sho") == ["shop/"]
    assert completed(till, "Gazetteer status ") == []


def test_a_mistyped_word_is_named_with_those_there_are(till: Editor) -> None:
    till.keys(":Gazetteer aks price<CR>")
    till.said("there is no :Gazetteer aks")
    assert all(word in till.messages() for word in WORDS)


def test_callers_of_the_name_below_the_cursor(till: Editor) -> None:
    till.command("call search('price_of(name)')")
    lines = till.ask("Gazetteer callers")
    assert any("shop/cart.py" in line for line in lines)
    assert any("shop/till.py" in line for line in lines)
    till.keys("q")
    assert till.ask("Gazetteer callers price_of") == lines


def test_what_resembles_a_place(till: Editor) -> None:
    till.command("call search('def receipt')")
    assert any("shop/cart.py" in line for line in till.ask("Gazetteer related"))
    till.keys("q")
    assert till.ask("Gazetteer related shop/prices.py:6") != []


def test_explain_says_how_a_question_is_answered(till: Editor) -> None:
    till.command("Gazetteer explain price of one article")
    till.wait("vim.bo.buftype == 'nofile' and vim.fn.line('$') > 5", "the plan")
    text = "\n".join(till.lines())
    assert text.startswith("price of one article")
    assert "+ lexical" in text
    assert "1 shop/prices.py § price_of (Line 6)" in text
    till.keys("q")
    assert Path(till.name()).name == "till.py"


def test_status_is_about_this_tree(till: Editor, desk: Desk) -> None:
    till.command("Gazetteer status")
    till.wait("vim.bo.buftype == 'nofile' and vim.fn.line('$') > 5", "the state")
    lines = till.lines()
    assert lines[0].split() == ["tree", str(desk.shop)]
    assert lines[1].split() == ["state", "ready"]
    assert any(line.startswith("documents   6 (python 3, markdown 1") for line in lines)


def test_sync_takes_in_what_has_changed(till: Editor, desk: Desk) -> None:
    before = till.request("gazetteer/status", {})["generation"]
    (desk.shop / "shop" / "bread.py").write_text("def bake_bread():\n    return 1\n", encoding="utf-8")
    till.command("Gazetteer sync")
    till.said(f"the index is up to date, generation {before + 1}")
    (desk.shop / "shop" / "bread.py").unlink()


def test_reindex_reads_everything_again(till: Editor) -> None:
    till.command("Gazetteer reindex")
    till.said("everything was read again")
    assert till.ask("Gazetteer ask price of one article")[0].startswith(" shop/prices.py:6")


def test_the_log_is_opened(till: Editor) -> None:
    till.command("Gazetteer log")
    assert Path(till.name()).name == "lsp.log"
    assert till.lua("return vim.fn.tabpagenr('$')") == 2


def test_progress_is_shown_in_the_message_area(home: Home, shop: Path) -> None:
    """And goes; none of it stays in the history of messages."""
    init = """
        _G.shown = {}
        local echo = vim.api.nvim_echo
        vim.api.nvim_echo = function(chunks, history, opts)
          table.insert(_G.shown, { chunks[1] and chunks[1][1], history })
          return echo(chunks, history, opts)
        end
        vim.lsp.enable('gazetteer')"""
    index = corpus_folder(str(home.folder / "indexes"), Root(str(shop)))
    os.makedirs(index, mode=0o700)
    with neovim(home, shop, init=init) as editor:
        with publish_lock(index).held():  # else all may be over before Neovim has agreed to be told
            editor.lua("vim.cmd.edit(...)", str(shop / "shop" / "cart.py"))
            editor.wait("#_G.shown > 0", "progress")
        editor.attached()
        shown = editor.lua("return _G.shown")
        assert any(text.startswith("gazetteer: Indexing tree") for text, _ in shown)
        assert not any(history for _, history in shown)
        assert "Indexing" not in editor.messages()


def test_the_status_line_says_how_the_tree_is(till: Editor) -> None:
    till.wait("require('gazetteer').statusline() == 'gazetteer'", "a word that says ready")
    till.command("enew")
    assert till.lua("return require('gazetteer').statusline()") == ""
    assert till.lua(f"return {CLIENT} == nil")


def test_the_map_is_made_when_it_is_wanted_and_opened_ever_after(till: Editor, desk: Desk) -> None:
    till.lua("vim.ui.select = function(items, opts, choose) _G.asked = opts.prompt; choose(_G.answer, 1) end")
    till.lua("_G.answer = 'Leave it'")
    till.command("Gazetteer map")
    till.wait("_G.asked", "the offer to make a map")
    till.settle()
    assert not (desk.shop / ".knowledge").exists()
    till.lua("_G.answer = 'Create it'; _G.asked = nil")
    till.command("Gazetteer map")
    till.wait("vim.fn.expand('%:t') == 'orientation.md'", "the map")
    till.command("write")
    till.command("buffer till.py")
    till.lua("_G.asked = nil")
    till.command("Gazetteer map")
    till.wait("vim.fn.expand('%:t') == 'orientation.md'", "the map again")
    assert till.lua("return _G.asked == nil")
