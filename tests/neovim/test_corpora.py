"""``:Gazetteer corpus``, and several corpora in one list: whose hit each is, and that one goes to where it is."""

import os
import shutil
from pathlib import Path

import pytest
from gazetteer.kb.lock import publish_lock
from gazetteer.kb.paths import Root
from gazetteer.kb.room import corpus_folder

from .conftest import Desk, plant
from .editor import CLIENT, Editor, Home, neovim

BAKERY = {"oven.py": "def price_of_bread(loaf):\n    '''The price of one article of bread.'''\n    return 3\n"}


@pytest.fixture
def cart(desk: Desk, tmp_path: Path) -> Editor:
    """Return an editor in which the cart is open; a bakery is beside the shop."""
    editor = desk.clear()
    plant(tmp_path / "bakery", BAKERY)
    editor.open(desk.shop / "shop" / "cart.py")
    return editor


def completed(editor: Editor, line: str) -> list[str]:
    return list(editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def test_a_tree_is_registered_asked_and_let_go_of(cart: Editor, tmp_path: Path) -> None:
    """C2, L7: the list names the corpus of each hit where several answered, and Enter goes to its file."""
    bakery = tmp_path / "bakery"
    cart.command(f"Gazetteer corpus add bakery {bakery}")
    cart.said("is registered as bakery")
    cart.request("gazetteer/corpus.add", {"path": str(bakery), "kind": "trade", "shared": False, "indexer": "docs"})
    cart.command("Gazetteer corpus")
    cart.wait("vim.bo.buftype == 'nofile'", "the list of corpora")
    assert cart.lines()[0].split() == ["bakery", "none", "0", "documents", "trade,", "docs", str(bakery)]
    cart.keys("q")
    cart.request("gazetteer/corpus.add", {"path": str(bakery), "kind": "", "autoindex": True, "indexer": "generic"})
    cart.command("Gazetteer corpus index")
    cart.said("1 corpora are up to date")
    cart.command("Gazetteer corpus")
    cart.wait("vim.bo.buftype == 'nofile'", "the list of corpora")
    assert cart.lines()[0].split() == ["bakery", "indexed", "1", "documents", "autoindex", str(bakery)]
    cart.keys("q")
    assert completed(cart, "Gazetteer corpus ") == ["add", "health", "index", "list", "rm", "scan"]
    assert completed(cart, "Gazetteer corpus rm ba") == ["bakery"]
    assert completed(cart, "Gazetteer ask corpus:b") == ["corpus:bakery"]
    assert completed(cart, "Gazetteer ask with:b") == ["with:bakery"]
    cart.command("Gazetteer corpus health")
    cart.wait("vim.bo.buftype == 'nofile'", "how the corpora are")
    assert cart.lines()[0].split() == ["bakery", "ready", "1", "documents,", "1", "chunks", str(bakery)]
    cart.keys("q")
    lines = cart.ask("Gazetteer ask corpus:all price of one article")
    wanted = next(
        number for number, line in enumerate(lines, 1) if line.split()[:2] == ["bakery", f"{bakery}/oven.py:1"]
    )
    assert any(line.split()[0] != "bakery" for line in lines)
    cart.command("Gazetteer! ask corpus:all price of one article")
    cart.wait("vim.bo.buftype == 'quickfix'", "the quickfix list")
    entries = cart.lua("return vim.fn.getqflist()")
    assert [one["text"] for one in entries if "bread" in one["text"]] == ["bakery: price_of_bread"]
    cart.command("cclose")
    cart.ask("Gazetteer ask corpus:all price of one article")
    cart.keys(f"{wanted}G<CR>")
    cart.wait("vim.fn.expand('%:t') == 'oven.py'", "the place in the other tree")
    cart.command("bwipeout")
    cart.command("Gazetteer corpus rm bakery")
    cart.said("bakery is not registered any more")
    assert completed(cart, "Gazetteer corpus rm ba") == []
    assert cart.ask("Gazetteer ask price of one article")[0].startswith(" shop/prices.py:6")


def test_what_is_typed_wrongly_is_said(cart: Editor) -> None:
    cart.keys(":Gazetteer corpus drop<CR>")
    cart.said("there is no :Gazetteer corpus drop; there are add, health, index, list, rm, scan.")
    cart.keys(":Gazetteer corpus rm<CR>")
    cart.said("name the corpus to let go of")
    cart.command("Gazetteer corpus rm nobody")
    cart.said("nobody")


def test_scan_lists_what_could_be_registered(cart: Editor, tmp_path: Path) -> None:
    for part in ("objects", "refs"):
        (tmp_path / "bakery" / ".git" / part).mkdir(parents=True)
    (tmp_path / "bakery" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    cart.command(f"Gazetteer corpus scan {tmp_path}")
    cart.wait("vim.bo.buftype == 'nofile'", "what was found")
    assert "no repository with 20 files or more" in cart.lines()[0]
    cart.keys("q")


def test_the_list_says_that_a_corpus_is_being_indexed(cart: Editor, tmp_path: Path) -> None:
    """L10: what lies on disk, nothing, is not how it is."""
    cart.command(f"Gazetteer corpus add bakery {tmp_path / 'bakery'}")
    cart.said("is registered as bakery")
    index = corpus_folder(cart.lua("return vim.env.GAZETTEER_DB_PATH"), Root(str(tmp_path / "bakery")))
    os.makedirs(index, mode=0o700)
    with publish_lock(index).held():
        cart.lua("""
            vim.api.nvim_create_autocmd('User', { pattern = 'GazetteerStatus', callback = function(args)
              if args.data.corpus == 'bakery' then _G.last = args.data end
            end })""")
        cart.command("Gazetteer ask corpus:bakery price")
        cart.wait("(_G.last or {}).state == 'indexing'", "the first index of the bakery")
        cart.command("Gazetteer corpus")
        cart.wait("vim.bo.buftype == 'nofile'", "the list of corpora")
        assert cart.lines()[0].split()[:2] == ["bakery", "indexing"]
        cart.keys("q")
    cart.wait("vim.bo.filetype == 'gazetteer'", "the answer")
    cart.keys("q")
    cart.command("Gazetteer corpus rm bakery")
    cart.said("bakery is not registered any more")


def test_a_corpus_that_is_gone_costs_one_sentence(cart: Editor, tmp_path: Path) -> None:
    """C5: which names it; that its folder cannot be opened is not said besides."""
    cart.command(f"Gazetteer corpus add bakery {tmp_path / 'bakery'}")
    cart.said("is registered as bakery")
    shutil.rmtree(tmp_path / "bakery")
    cart.forget_messages()
    assert cart.ask("Gazetteer ask corpus:all price of one article") != []
    said = [line for line in cart.messages().splitlines() if line]
    assert len(said) == 1
    assert said[0].startswith("gazetteer: bakery was not asked: ")
    cart.keys("q")
    cart.command("Gazetteer corpus rm bakery")
    cart.said("bakery is not registered any more")


def test_a_tree_without_a_marker_is_registered_and_asked_from_no_tree_at_all(home: Home, tmp_path: Path) -> None:
    """C2, L7: no tree is needed for what is about all of them; a buffer that is in one now has its server at once."""
    bakery = plant(tmp_path / "bakery", BAKERY)
    with neovim(home, home.folder) as editor:
        editor.lua("vim.cmd.edit(...)", str(bakery / "oven.py"))
        editor.keys(":Gazetteer ask price<CR>")
        editor.said(":Gazetteer corpus add NAME DIR")
        editor.command("Gazetteer corpus")
        editor.wait("vim.bo.buftype == 'nofile'", "the list of corpora")
        assert editor.lines()[0].startswith("nothing is registered")
        editor.keys("q")
        editor.command(f"Gazetteer corpus add bakery {bakery}")
        editor.said("is registered as bakery")
        editor.attached()
        assert editor.lua(f"return ({CLIENT}).root_dir") == str(bakery)
        assert editor.ask("Gazetteer ask price of bread")[0].startswith(" oven.py:1")
        editor.keys("q")
        editor.command("enew")
        assert "oven.py:1" in editor.ask("Gazetteer ask corpus:bakery price of bread")[0]
