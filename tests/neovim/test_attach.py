"""``vim.lsp.enable('gazetteer')`` is all that is needed: attaching, hovering, restarting, leaving."""

import json
from pathlib import Path

from .editor import CLIENT, Editor, Home, neovim, wait_for_end


def test_the_server_attaches_to_every_text_of_a_tree(editor: Editor, shop: Path) -> None:
    """Also to one without a filetype; and it is one server."""
    editor.open(shop / "shop" / "cart.py")
    editor.open(shop / "README.md")
    editor.open(shop / "notes")
    assert editor.lua("return vim.bo.filetype") == ""
    assert editor.lua("return #vim.lsp.get_clients({ name = 'gazetteer' })") == 1
    assert editor.lua(f"return ({CLIENT}).root_dir") == str(shop)


def test_what_is_in_no_tree_starts_nothing(home: Home, shop: Path, tmp_path: Path) -> None:
    """A single file, the home folder even with a repository in it, and texts that are no files."""
    (home.folder / ".git").mkdir()
    (home.folder / "diary.txt").write_text("dear diary\n", encoding="utf-8")
    (tmp_path / "alone.py").write_text("alone = 1\n", encoding="utf-8")
    with neovim(home, home.folder) as editor:
        for path in (home.folder / "diary.txt", tmp_path / "alone.py", "gopher://somewhere/else.py"):
            editor.lua("vim.cmd.edit({ args = { ... }, magic = { file = false } })", str(path))
        editor.command("enew | setfiletype python")
        editor.command("enew | setfiletype lua | set buftype=nofile")
        editor.lua("vim.wait(0)")
        assert editor.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0
        editor.open(shop / "shop" / "cart.py")


def test_a_registered_tree_is_one_without_a_marker_too_and_the_innermost_counts(
    home: Home, shop: Path, tmp_path: Path
) -> None:
    """C1: as the command line finds it; what makes no sense in the registry is for the server to say."""
    registry = home.folder / "config" / "gazetteer" / "projects.json"
    registry.parent.mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "alone.py").write_text("alone = 1\n", encoding="utf-8")
    (tmp_path / "link").symlink_to("plain")
    entries = {"plain": {"path": "plain"}, "inner": {"path": str(shop / "shop")}, "odd": {"path": 5}, "$x": 7}
    registry.write_text(json.dumps(entries), encoding="utf-8")
    with neovim(home, home.folder, GAZETTEER_CORPUS_ROOT=str(tmp_path)) as editor:
        for file, root in (
            (tmp_path / "link" / "alone.py", tmp_path / "plain"),  # Neovim follows the link
            (shop / "shop" / "cart.py", shop / "shop"),
            (shop / "README.md", shop),
        ):
            editor.open(file)
            assert editor.lua(f"return ({CLIENT}).root_dir") == str(root)
        registry.write_text("{", encoding="utf-8")
        assert editor.lua("return require('gazetteer.root').above(...)", str(tmp_path / "plain" / "new.py")) is None
        assert editor.lua("return require('gazetteer.root').above(...)", str(shop / "shop" / "new.py")) == str(shop)


def test_edits_are_sent_at_once(editor: Editor, shop: Path) -> None:
    editor.open(shop / "shop" / "cart.py")
    assert editor.lua(f"return ({CLIENT}).flags.debounce_text_changes") == 0


def test_restart_brings_up_another_server_for_the_same_buffers(editor: Editor, shop: Path) -> None:
    """What is unsaved is there again, and the old process is gone."""
    editor.open(shop / "notes")
    editor.open(shop / "shop" / "prices.py")
    editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'def discount_of(article):', '    return 1' })")
    before, old = editor.lua(f"return ({CLIENT}).id"), editor.processes()
    editor.command("Gazetteer restart")
    editor.wait(f"({CLIENT}) and ({CLIENT}).id ~= {before}", "another client is attached")
    editor.said("the server is there again")
    assert wait_for_end(old) == []
    editor.settle()
    first = editor.request("gazetteer/retrieve", {"query": "discount_of"})["hits"][0]
    assert first["path"] == "shop/prices.py"
    assert first["freshness"] == "overlay"
    editor.command("buffer notes")
    editor.wait(CLIENT, "the text without a filetype is attached again")


def test_leaving_ends_the_server(home: Home, shop: Path) -> None:
    """Every process that was started has ended; ``neovim`` looks for those that have not."""
    with neovim(home, shop) as editor:
        editor.open(shop / "shop" / "cart.py")
        assert editor.processes() != []


def test_a_server_that_ends_by_itself_is_started_again_by_the_command(editor: Editor, shop: Path) -> None:
    editor.open(shop / "shop" / "cart.py")
    pids = editor.processes()
    editor.lua("vim.uv.kill(..., 'sigkill')", pids[0])
    editor.wait("#vim.lsp.get_clients({ name = 'gazetteer' }) == 0", "the client is gone")
    editor.command("Gazetteer restart")
    editor.attached()
