"""Whatever is done to a buffer in Neovim, the server has the same text: read from the snapshot that answers."""

import random
from pathlib import Path

import pytest
from gazetteer.kb.text import content_id

from .conftest import Desk
from .editor import Editor

EDITS = (
    "ggdG",  # all of it: Neovim's range for that has drifted before (PR16)
    "ggOfirst line<Esc>",
    "Golast line<Esc>",
    "ddp",
    "yyP",
    "gg3J",
    "Go𝒳 := «ünï» 🙂<Esc>",
    "ggI🙂<Esc>",
    "$xhx",
    "gg>G",
    ":%s/e/é🙂/ge<CR>",
    ":%s/🙂//ge<CR>",
    ":g/^$/d<CR>",
    ":m0<CR>",
    "u",
    "uu",
    "<C-r>",
    "ggVGgU",
    "gg0<C-v>GI!<Esc>",
    "o<C-v>u2028<C-v>x0c<C-v>u0085 separators<Esc>",
    "ggqqA.<Esc>jq2@q",
    "Gyy10p",
    ":%d<CR>",
    ":1<CR>dG",
    "ggdGiagain<CR><CR>and again<Esc>",
    ":earlier 3<CR>",
    ":later 2<CR>",
)
"""What people do; with characters outside of the first plane, and those that other programs take for ends of lines."""


def texts(editor: Editor) -> set[str]:
    """Return the identities of what the server may have: the text with any number of empty lines at its end.

    Neovim itself loses count there. It writes each line's end into a change, also where the file has none at its end,
    and says nothing when the last line but an empty one goes.
    """
    lines = editor.lines()
    said = "\n".join(lines).rstrip("\n")
    return {content_id(said + "\n" * count) for count in range(len(lines) + 200)}


def differences(editor: Editor, name: str, edits: list[str]) -> list[str]:
    """Do each edit and return those after which the server has another text than the editor."""
    wrong = []
    for edit in edits:
        editor.keys("<Esc>" + edit)
        editor.until(lambda: editor.lua("return vim.api.nvim_get_mode().mode") == "n", "Normal mode")
        answer = editor.request("gazetteer/retrieve", {"query": "line"})
        seen = {open_["path"]: open_["contentId"] for open_ in answer["receipt"]["snapshot"]["corpora"][0]["overlays"]}
        if seen.get(name) not in texts(editor):
            wrong.append(edit)
    return wrong


ENDINGS = pytest.mark.parametrize("ending", ["\n", "\r\n", ""], ids=["unix", "dos", "no end of line"])


def edited(desk: Desk, ending: str, edits: list[str]) -> list[str]:
    """Do edits to a new file whose lines end like that; return those after which the texts differ."""
    editor = desk.clear()
    path = desk.shop / "shop" / "edited.txt"
    lines = ["the first line", "", "a second line with ünï 🙂", "\tthe third"]
    path.write_bytes(((ending or "\n").join(lines) + ending).encode())
    try:
        editor.open(path)
        return differences(editor, "shop/edited.txt", edits)
    finally:
        desk.clear()
        path.unlink()


@ENDINGS
def test_each_edit_arrives_as_it_was_made(desk: Desk, ending: str) -> None:
    """PR16, PE03, PE05 by a real editor: each edit once from a fresh buffer, then some in any order."""
    assert edited(desk, ending, [*EDITS, *random.Random(ending).choices(EDITS, k=40)]) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@ENDINGS
def test_thousands_of_edits_arrive_as_they_were_made(desk: Desk, ending: str, seed: int) -> None:
    assert edited(desk, ending, random.Random(f"{seed}{ending}").choices(EDITS, k=700)) == []


def test_bytes_that_are_no_text_are_said_and_put_right_by_opening_again(desk: Desk) -> None:
    """PR16: appending to a block over wide characters leaves them in the buffer, and Neovim sends them as they are."""
    editor = desk.clear()
    path = desk.shop / "shop" / "edited.txt"
    path.write_text("\t🙂FIRST OSTRICH\n\tLAST LINÉ🙂\n\t𝒳 := «ÜNÏ» 🙂\n", encoding="utf-8")
    try:
        editor.open(path)
        editor.keys("gg0<C-v>GlA!<Esc>")
        editor.until(
            lambda: any("\udc80" <= sign <= "\udcff" for line in editor.lines() for sign in line), "such bytes"
        )
        editor.keys("Goand more<Esc>")
        editor.command("Gazetteer! ask ostrich")
        editor.said("An edit of shop/edited.txt was lost")
        editor.command("cclose | edit!")
        editor.attached()
        editor.forget_messages()
        assert editor.ask("Gazetteer ask ostrich")[0].startswith(" shop/edited.txt:1")
        assert "was lost" not in editor.messages()
    finally:
        desk.clear()
        path.unlink()


def test_other_ways_in_are_edits_as_well(desk: Desk, tmp_path: Path) -> None:
    """Reading in a file, a filter, what another program wrote, and the API."""
    editor = desk.clear()
    path = desk.shop / "shop" / "edited.txt"
    path.write_text("b\na\n", encoding="utf-8")
    (tmp_path / "more").write_text("more 🙂\n", encoding="utf-8")
    try:
        editor.open(path)
        ways = [
            f":read {tmp_path}/more<CR>",
            ":%!sort<CR>",
            ":retab<CR>",
            ":lua vim.api.nvim_buf_set_lines(0,0,-1,false,{})<CR>",
        ]
        assert differences(editor, "shop/edited.txt", ways) == []
        editor.command("edit!")
        path.write_text("written by another program\n", encoding="utf-8")
        editor.command("checktime")
        assert differences(editor, "shop/edited.txt", [":edit!<CR>", "A!<Esc>"]) == []
        assert editor.lines() == ["written by another program!"]
    finally:
        desk.clear()
        path.unlink()


def test_a_last_line_without_an_end_is_known_to_have_one_once_it_is_written(desk: Desk) -> None:
    """L10: what is on disk is not called unsaved, although Neovim never says that writing added something."""
    editor = desk.clear()
    path = desk.shop / "shop" / "edited.txt"
    path.write_bytes(b"ostrich without an end")
    try:
        editor.open(path)
        editor.keys("A of the line<Esc>")
        assert editor.ask("Gazetteer ask ostrich")[0].endswith("[unsaved]")
        editor.keys("q")
        editor.command("write")
        assert path.read_bytes() == b"ostrich without an end of the line\n"
        assert not editor.lua("return vim.bo.modified")
        assert not editor.ask("Gazetteer ask ostrich")[0].endswith("[unsaved]")
        editor.keys("q")
        editor.keys("onext<Esc>")
        assert differences(editor, "shop/edited.txt", ["ddp", "u", "Gon<Esc>"]) == []
    finally:
        desk.clear()
        path.unlink()
