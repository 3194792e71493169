"""The plugin as files: every module loads, in silence and only when it is needed; it has a form; its help is found."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer import __version__

from .editor import MOST_S, PLUGIN, Editor, Home, neovim, program

SOURCES = sorted(PLUGIN.rglob("*.lua"))
MODULES = [path.stem for path in sorted((PLUGIN / "lua" / "gazetteer").glob("*.lua"))]
HELP = PLUGIN / "doc" / "gazetteer.txt"


@pytest.fixture
def bare(home: Home, tmp_path: Path) -> Iterator[Editor]:
    """A Neovim that has the plugin and does nothing with it."""
    with neovim(home, tmp_path, init="") as running:
        yield running


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_every_file_is_lua(path: Path, home: Home) -> None:
    done = subprocess.run(
        [program(), "--headless", "--clean", "-l", "-"],
        input=f"assert(loadfile({str(path)!r}))",
        env=home.variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_S,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_module_loads(bare: Editor) -> None:
    for name in MODULES:
        module = "gazetteer" if name == "init" else f"gazetteer.{name}"
        assert bare.lua("return type(require(...))", module) == "table"


def test_nothing_is_loaded_before_it_is_used(bare: Editor) -> None:
    loaded = (
        "return vim.tbl_filter(function(n) return vim.startswith(n, 'gazetteer') end, vim.tbl_keys(package.loaded))"
    )
    assert bare.lua(loaded) == []
    assert bare.lua("return vim.fn.exists(':Gazetteer')") == 2
    assert bare.messages().strip() == ""


def test_plugin_and_server_have_one_version(bare: Editor) -> None:
    assert bare.lua("return require('gazetteer').version") == __version__


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_a_file_says_what_it_is_for_and_stays_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("--- ")
    assert len(lines) <= 250
    assert max(map(len, lines)) <= 120


def test_luacheck_has_nothing_to_say() -> None:
    """CI installs it; elsewhere it is asked where somebody has it."""
    if shutil.which("luacheck") is None:
        if os.environ.get("CI"):
            pytest.fail("luacheck is not there; `.ci/run` installs it (apt-get install lua-check).")
        pytest.skip("luacheck is not installed (apt-get install lua-check)")
    done = subprocess.run(
        ["luacheck", "--no-color", "-q", "."], cwd=PLUGIN, capture_output=True, text=True, check=False, timeout=MOST_S
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture
def tags(bare: Editor, tmp_path: Path) -> set[str]:
    """Return the tags of the help, which Neovim writes beside a copy of it and finds there."""
    shutil.copytree(HELP.parent, tmp_path / "plugin" / "doc")
    bare.lua("vim.opt.runtimepath:prepend(...)", str(tmp_path / "plugin"))
    bare.lua("vim.cmd.helptags(...)", str(tmp_path / "plugin" / "doc"))
    lines = (tmp_path / "plugin" / "doc" / "tags").read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0] for line in lines}


def test_the_help_has_every_tag_that_it_points_to(bare: Editor, tags: set[str]) -> None:
    """And a tag for the command, each of its words, each option and each mapping."""
    text = HELP.read_text(encoding="utf-8")
    for pointed in re.findall(r"\|([^|\s]+)\|", text):
        known = pointed in tags or bare.lua("return #vim.fn.getcompletion(..., 'help') > 0", pointed)
        assert known, f"|{pointed}| leads nowhere"
    words = bare.lua("return require('gazetteer.commands').words('')")
    options = bare.lua("return vim.tbl_keys(require('gazetteer.options').types)")
    wanted = {":Gazetteer", *(f":Gazetteer-{word}" for word in words), *(f"gazetteer.{name}" for name in options)}
    wanted |= {f"<Plug>(gazetteer-{name})" for name in ("ask", "related", "callers", "notes")}
    assert wanted - tags == set()
    assert max(map(len, text.splitlines())) <= 78


@pytest.mark.usefixtures("tags")
def test_the_help_is_read_by_the_editor(bare: Editor) -> None:
    bare.command("help gazetteer")
    assert (Path(bare.name()).name, bare.lines()) == (HELP.name, HELP.read_text(encoding="utf-8").splitlines())


def test_a_mistyped_option_is_named(bare: Editor) -> None:
    for options, words in (
        ("{ picke = 'auto' }", "picke"),
        ("{ picker = 'auto?' }", "auto?"),
        ("{ limit = 'x' }", "limit"),
    ):
        ran, said = bare.lua(f"return {{ pcall(require('gazetteer').setup, {options}) }}")
        assert not ran
        assert words in said


def test_setup_turns_the_server_on_and_gives_it_its_settings(home: Home, shop: Path) -> None:
    init = "require('gazetteer').setup({ settings = { maxFiles = 5 } })"
    with neovim(home, shop, init=init) as editor:
        editor.lua("vim.cmd.edit(...)", str(shop / "shop" / "cart.py"))
        editor.command("Gazetteer ask price")
        editor.said("gazetteer: ")
        assert "5" in editor.messages()
