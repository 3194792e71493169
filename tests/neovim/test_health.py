"""``:checkhealth gazetteer`` finds the server, compares versions, says how the index is, and what to do."""

import sys
from pathlib import Path

import pytest
from gazetteer import __version__

from .editor import PLUGIN, Editor, Home, neovim

INSTALL = f"pip install '{PLUGIN.parents[1]}'"
"""What brings the server that belongs to the plugin."""


def health(editor: Editor) -> str:
    """Run the check as a person does and return what is on the page."""
    editor.command("checkhealth gazetteer")
    editor.wait("vim.bo.filetype == 'checkhealth' and vim.fn.search('gazetteer: trees') > 0", "the page of health")
    text = "\n".join(editor.lines())
    editor.command("silent! tabclose")
    return text


def script(folder: Path, version: str = __version__) -> Path:
    """Write a program ``gazetteer`` that is the server of this checkout, or says that it is of another version."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "gazetteer"
    path.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" = --version ]; then echo "gazetteer, version {version}"; exit 0; fi\n'
        f'exec "{sys.executable}" -P -m gazetteer "$@"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def test_all_is_well(editor: Editor, shop: Path) -> None:
    editor.open(shop / "shop" / "cart.py")
    text = health(editor)
    assert "OK Neovim 0.11" in text
    assert f"server {__version__}, plugin {__version__}" in text
    assert f"running for {shop}" in text
    assert "OK index ready, generation 1, 6 documents" in text
    assert "WARN" not in text
    assert "ERROR" not in text


def test_the_server_is_found_by_the_setting_then_the_environment_then_the_path(
    home: Home, shop: Path, tmp_path: Path
) -> None:
    """Each wins over those behind it, and what was found is what runs."""
    environment, other = script(tmp_path / "venv" / "bin").parent.parent, script(tmp_path / "bin").parent
    path = f"{other}:/usr/bin:/bin"
    named = script(tmp_path / "named")
    setting = f"require('gazetteer').setup({{ cmd = {{ '{named}', 'serve' }} }})"
    for init, venv, found in (
        ("vim.lsp.enable('gazetteer')", "", f"$PATH: {other}/gazetteer serve"),
        ("vim.lsp.enable('gazetteer')", str(environment), f"$VIRTUAL_ENV: {environment}/bin/gazetteer serve"),
        (setting, str(environment), f"setting: {named} serve"),
    ):
        with neovim(home, shop, init=init, cmd=None, PATH=path, VIRTUAL_ENV=venv) as editor:
            editor.open(shop / "shop" / "cart.py")
            assert found in health(editor)


def test_nothing_of_the_tree_is_ever_run(home: Home, shop: Path) -> None:
    """SE10: an environment or a program that lies in the tree is no server."""
    for folder in (shop, shop / "bin", shop / ".venv" / "bin", shop / "venv" / "bin"):
        path = script(folder)
        path.write_text(f"#!/bin/sh\ntouch '{shop}/ran'\n", encoding="utf-8")
    with neovim(home, shop, cmd=None, PATH="/usr/bin:/bin") as editor:
        editor.lua("vim.cmd.edit(...)", str(shop / "shop" / "cart.py"))
        editor.said("gazetteer: no server")
    assert not (shop / "ran").exists()


def test_without_a_server_it_is_said_once_with_the_remedy(home: Home, shop: Path) -> None:
    """And once there is one, the remedy works."""
    with neovim(home, shop, cmd=None, PATH=f"{home.folder}/bin:/usr/bin:/bin") as editor:
        paths = [str(shop / "shop" / f"{name}.py") for name in ("cart", "till", "prices")]
        editor.lua("for _, path in ipairs(...) do vim.cmd.edit(path) end", paths)  # before anything else can happen
        editor.said(f"gazetteer: no server: it is neither in $VIRTUAL_ENV nor on $PATH; {INSTALL},")
        assert editor.messages().count("no server") == 1
        text = health(editor)
        assert "ERROR There is no server" in text
        assert INSTALL in text
        script(home.folder / "bin")
        editor.command("Gazetteer restart")
        editor.attached()
        assert "OK index ready" in health(editor)


def test_a_setting_that_names_nothing_is_named(home: Home, shop: Path) -> None:
    init = "require('gazetteer').setup({ cmd = { '/no/such/gazetteer', 'serve' } })"
    with neovim(home, shop, init=init, cmd=None) as editor:
        assert '/no/such/gazetteer", which cannot be run' in health(editor)


def test_versions_that_do_not_belong_together_are_named(home: Home, shop: Path, tmp_path: Path) -> None:
    path = f"{script(tmp_path / 'bin', '7.8.9').parent}:/usr/bin:/bin"
    with neovim(home, shop, cmd=None, PATH=path) as editor:
        text = health(editor)
        assert f"server 7.8.9 and plugin {__version__} do not belong together" in text
        assert INSTALL.replace("install", "install --upgrade") in text


@pytest.mark.parametrize("init", ["", "vim.lsp.enable('gazetteer')"])
def test_a_server_that_does_not_run_says_why(home: Home, tmp_path: Path, init: str) -> None:
    with neovim(home, tmp_path, init=init) as editor:
        expected = "it starts with the first file of a tree" if init else "vim.lsp.enable('gazetteer')"
        assert expected in health(editor)


def test_a_tree_that_is_too_large_says_what_to_do(home: Home, shop: Path) -> None:
    init = "require('gazetteer').setup({ settings = { maxFiles = 2, allowPartial = true } })"
    with neovim(home, shop, init=init) as editor:
        editor.open(shop / "shop" / "cart.py")
        text = health(editor)
        assert "WARNING index partial" in text
        assert "maxFiles" in text


def test_a_late_debounce_is_warned_of(home: Home, shop: Path) -> None:
    """With it, a question could miss what is unsaved in another buffer."""
    init = "vim.lsp.config('gazetteer', { flags = { debounce_text_changes = 150 } })\nvim.lsp.enable('gazetteer')"
    with neovim(home, shop, init=init) as editor:
        editor.open(shop / "shop" / "cart.py")
        assert "edits are sent late" in health(editor)
