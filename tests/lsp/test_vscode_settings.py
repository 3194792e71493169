"""The extension for VS Code contributes the settings that the server has: the same keys, types, defaults and bounds."""

import json
import re
from pathlib import Path
from typing import Any

from gazetteer.lsp.settings import SERVER_SETTINGS, ServerSetting, camel
from gazetteer.settings import BY_KEY, USER_KEYS, Setting

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
CONTRIBUTED: dict[str, dict[str, Any]] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))[
    "contributes"
]["configuration"]["properties"]
ONLY_CLIENTS = {"trace"}
"""The extension tells the server how much to trace by the message of the protocol."""
TYPES = {"path": "string", "integer": "integer", "boolean": "boolean", "globs": "array"}


def served() -> dict[str, Setting | ServerSetting]:
    rows: dict[str, Setting | ServerSetting] = {camel(key): BY_KEY[key] for key in USER_KEYS}
    return rows | {row.key: row for row in SERVER_SETTINGS if row.key not in ONLY_CLIENTS}


def test_every_setting_of_the_server_can_be_set_with_its_default() -> None:
    for key, row in served().items():
        contributed = CONTRIBUTED[f"gazetteer.{key}"]
        default = list(row.default) if isinstance(row.default, tuple) else row.default
        assert contributed["default"] == default, key


def test_types_bounds_and_scopes_are_the_servers() -> None:
    """What only the user may decide is out of reach of a workspace (row K19)."""
    for key in USER_KEYS:
        row, contributed = BY_KEY[key], CONTRIBUTED[f"gazetteer.{camel(key)}"]
        assert contributed["type"] == TYPES[row.type], key
        assert contributed["scope"] == ("machine" if row.scope == "user" else "window"), key
        if row.type == "integer":
            assert contributed["minimum"] == row.least, key
            assert contributed.get("maximum", 0) == row.most, key


def test_the_extension_sends_these_settings_and_no_others() -> None:
    source = (EXTENSION / "src" / "server" / "settings.ts").read_text(encoding="utf-8")
    table = re.search(r"SERVER_KEYS = \[(.*?)\]", source, re.DOTALL)
    assert table is not None
    assert set(re.findall(r'"([\w.]+)"', table[1])) == set(served())


def test_options_of_the_command_line_are_called_settings_in_its_sentences() -> None:
    source = (EXTENSION / "src" / "server" / "flags.ts").read_text(encoding="utf-8")
    said = dict(re.findall(r'"(--[a-z-]+)": "gazetteer\.(\w+)"', source))
    assert said == {BY_KEY[key].flag: camel(key) for key in USER_KEYS if BY_KEY[key].flag}
