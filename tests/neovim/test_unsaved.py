"""A tree of some size, and text in it that nobody has saved: Neovim's own runtime files, thousands of functions."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .editor import BRING_UP, Editor, Home, neovim, program

FOLDERS = ("autoload", "ftplugin", "indent", "lua", "plugin", "queries")


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what comes with Neovim: some hundred files in Lua, Vim script and Scheme."""
    source = Path(program()).parents[1] / "share" / "nvim" / "runtime"
    tree = tmp_path_factory.mktemp("tree") / "runtime"
    for folder in FOLDERS:
        shutil.copytree(source / folder, tree / folder)
    (tree / "knowledge.yaml").touch()
    assert sum(1 for path in tree.rglob("*") if path.is_file()) > 500
    return tree


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Iterator[Editor]:
    with neovim(Home(tmp_path_factory.mktemp("home")), runtime, init=f"vim.o.columns = 120\n{BRING_UP}") as running:
        yield running


@pytest.fixture
def editor(shared: Editor) -> Editor:
    """One editor for all, as somebody leaves it: one window, no unsaved text."""
    shared.command("silent! %bwipeout!")
    shared.command("only")
    return shared


FUNCTION = """\
--- Weigh the luggage of a traveller against what the airline allows.
local function weigh_luggage(traveller, airline)
  return traveller.luggage - airline.allowance
end
"""
QUESTION = "weigh the luggage of a traveller"


def test_what_is_typed_is_found_from_another_buffer_and_undone_it_is_gone(editor: Editor, runtime: Path) -> None:
    """Item 1 of what the server is for: typed and not saved, it is the first hit and cited as unsaved."""
    path = runtime / "lua" / "vim" / "lsp" / "util.lua"
    before = path.read_bytes()
    editor.open(path)
    editor.keys("GO")
    editor.type(FUNCTION)
    assert editor.lua("return vim.bo.modified")
    editor.open(runtime / "lua" / "vim" / "lsp" / "buf.lua")

    first = editor.ask(f"Gazetteer ask {QUESTION}")[0]
    assert first.startswith(" lua/vim/lsp/util.lua:")
    assert first.endswith("weigh_luggage  [unsaved]")
    card = next(row for row in editor.screen() if "§ weigh_luggage (Line " in row)
    assert "unsaved text of an open editor" in card
    editor.keys("<CR>")
    editor.wait("vim.fn.expand('%:t') == 'util.lua'", "the place of the unsaved text")
    row = editor.nvim.current.window.cursor[0]
    assert any("weigh_luggage" in line for line in editor.lines()[row - 1 : row + 2])
    assert path.read_bytes() == before

    editor.keys("u")
    assert not editor.lua("return vim.bo.modified")
    editor.command("buffer buf.lua")
    editor.command(f"Gazetteer ask {QUESTION}")
    editor.said(f"nothing was found for {QUESTION}")


def test_closing_without_saving_returns_to_what_is_on_disk(editor: Editor, runtime: Path) -> None:
    editor.open(runtime / "lua" / "vim" / "lsp" / "codelens.lua")
    editor.keys("ggO")
    editor.type("local quicksilver = 1")
    assert editor.ask("Gazetteer ask quicksilver")[0].endswith("[unsaved]")
    editor.keys("q")
    editor.command("bdelete!")
    editor.open(runtime / "lua" / "vim" / "lsp" / "buf.lua")
    editor.command("Gazetteer ask quicksilver")
    editor.said("nothing was found for quicksilver")


def test_a_file_that_is_not_there_yet_answers_before_it_is_written(editor: Editor, runtime: Path) -> None:
    editor.open(runtime / "lua" / "harbour.lua")
    editor.keys("i")
    editor.type("local function unload_ferry()\nend")
    editor.open(runtime / "lua" / "vim" / "lsp" / "buf.lua")
    first = editor.ask("Gazetteer ask unload_ferry")[0]
    assert first.startswith(" lua/harbour.lua:1")
    assert first.endswith("[unsaved]")


def test_saving_makes_it_verified(editor: Editor, runtime: Path) -> None:
    editor.open(runtime / "lua" / "vim" / "lsp" / "rpc.lua")
    editor.keys("ggO")
    editor.type("local mercurial = 1")
    assert editor.ask("Gazetteer ask mercurial")[0].endswith("[unsaved]")
    editor.keys("q")
    editor.command("write")
    assert not editor.ask("Gazetteer ask mercurial")[0].endswith("[unsaved]")
