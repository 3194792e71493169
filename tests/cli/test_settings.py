"""One table of settings: options, environment, README and knowledge.yaml say what it says."""

import os
import re
from pathlib import Path
from typing import get_type_hints

import click
import pytest
from gazetteer.cli.commands import COMMANDS, gazetteer
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.settings import BY_KEY, SETTINGS, USER_KEYS, Settings, glob_fault
from hypothesis import given
from hypothesis import strategies as st

README = Path(__file__).parents[2] / "README.md"


def test_the_users_settings_are_the_rows_of_the_user() -> None:
    assert tuple(get_type_hints(Settings)) == USER_KEYS
    assert all(getattr(Settings(), key) == BY_KEY[key].default for key in USER_KEYS)


def test_every_setting_of_the_user_can_be_said_in_the_environment_and_none_of_the_tree_can() -> None:
    assert all(bool(setting.env) == (setting.scope != "tree") for setting in SETTINGS)
    assert all(setting.env.startswith("GAZETTEER_") for setting in SETTINGS if setting.env)


def test_every_command_has_an_option_for_every_flag_of_the_table() -> None:
    context = click.Context(gazetteer)
    commands = [gazetteer, *(gazetteer.get_command(context, name) for name in COMMANDS)]
    for command in commands:
        assert command is not None
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert {setting.flag for setting in SETTINGS if setting.flag} <= flags


def test_the_readme_has_a_row_for_every_setting() -> None:
    text = README.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)$", text, re.MULTILINE))
    for setting in SETTINGS:
        assert setting.help in rows[setting.key], setting.key
        for word in (setting.flag, setting.env):
            assert not word or f"`{word}`" in rows[setting.key], setting.key


def test_an_option_wins_over_the_environment_and_globs_add_up() -> None:
    environment = {"GAZETTEER_MAX_FILES": "5", "GAZETTEER_EXCLUDE": "a, b ,", "GAZETTEER_WATCH": "yes"}
    assert Settings.load(environment) == Settings(max_files=5, exclude=("a", "b"), watch=True)
    assert Settings.load(environment, max_files=7, exclude=("c",)) == Settings(
        max_files=7, exclude=("a", "b", "c"), watch=True
    )


def test_zero_workers_means_one_a_processor_and_four_at_most() -> None:
    assert 1 <= Settings().processes() <= 4
    assert Settings(workers=7).processes() == 7


def test_an_empty_variable_is_not_set() -> None:
    assert Settings.load({"GAZETTEER_MAX_FILES": "", "GAZETTEER_DB_PATH": ""}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GAZETTEER_MAX_FILES", "many", "whole number"),
        ("GAZETTEER_MAX_FILES", "0", "1 or more"),
        ("GAZETTEER_WORKERS", "65", "between 0 and 64"),
        ("GAZETTEER_WATCH", "perhaps", "1 or 0"),
        ("GAZETTEER_EXCLUDE", "[a", "bad glob"),
    ],
)
def test_a_variable_that_makes_no_sense_is_named(name: str, value: str, words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        Settings.load({name: value})
    assert caught.value.message.startswith(name)


@pytest.mark.parametrize("home", [b"/h\xff", b"/h"])
def test_a_folder_of_indexes_that_cannot_be_opened_is_refused(monkeypatch: pytest.MonkeyPatch, home: bytes) -> None:
    """PE08: the keyword index opens folders by names in UTF-8 only, whoever gave the name."""
    monkeypatch.setenv("XDG_CACHE_HOME", os.fsdecode(home))
    for settings in (Settings(), Settings(db_path=os.fsdecode(home))):
        if home.isascii():
            assert settings.index_root().startswith("/h")
        else:
            with pytest.raises(InvalidArgumentError, match="--db-path"):
                settings.index_root()


def test_no_setting_of_a_tree_can_name_a_place_or_a_command() -> None:
    """K19: a path, an endpoint, a secret or a command comes from the user only."""
    assert {setting.type for setting in SETTINGS if setting.scope != "user"} <= {
        "integer",
        "boolean",
        "globs",
        "names",
        "extensions",
        "aliases",
        "embedding",
    }


@pytest.mark.parametrize(
    "glob", ["a", "*.py", "src/**", "[ab]", "[!a]x", "[]a]", "[^]]", "a\\[", "a b", "é*", "./x", "a/"]
)
def test_globs_that_can_match_are_let_through(glob: str) -> None:
    assert glob_fault(glob) == ""


@pytest.mark.parametrize(
    "glob", ["", " ", "[", "[a", "[]", "[!]", "a\\", "!a", "../a", "a/../b", "~/x", "a\nb", "a\0", "x" * 1001]
)
def test_globs_that_cannot_are_not(glob: str) -> None:
    assert glob_fault(glob)


@given(st.text(alphabet="ab[]!^\\/*?.~", max_size=8))
def test_looking_at_a_glob_ends_and_never_raises(glob: str) -> None:
    assert isinstance(glob_fault(glob), str)
