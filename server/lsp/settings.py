"""What the client sets: section ``gazetteer``, by ``initializationOptions`` and ``workspace/configuration``.

Settings of the index are the user's rows of ``settings.SETTINGS`` in camelCase; those of the server itself are
``SERVER_SETTINGS``. A key that nobody knows and a value that makes no sense are named in one sentence each, and the
rest counts. Nothing here raises on what a client sends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kb.errors import GazetteerError
from ..settings import BY_KEY, USER_KEYS, Setting, Settings

SECTION = "gazetteer"


@dataclass(frozen=True, slots=True)
class ServerSetting:
    """One row: a dotted key below the section, what it is without being set, and what it changes."""

    key: str
    default: bool | str | tuple[str, ...]
    help: str
    choices: tuple[str, ...] = ()


SERVER_SETTINGS: tuple[ServerSetting, ...] = (
    ServerSetting("hover.enable", True, "Show orientation when hovering."),
    ServerSetting("codeActions.enable", True, "Offer code actions."),
    ServerSetting("navigation.enable", True, "Answer symbols, definitions, references and links."),
    ServerSetting("navigation.languages", (), "Language identifiers in which no other server navigates."),
    ServerSetting("codeLens.enable", False, "Show above definitions how often their names are used."),
    ServerSetting("inlayHints.enable", False, "Show behind a line what documentation says of a name that it uses."),
    ServerSetting("corpus", "", "Ask this corpus instead of the folder that one works in."),
    ServerSetting("trace", "off", "Tell which requests were answered, and how fast.", ("off", "messages", "verbose")),
)
"""In the order of the documentation."""
_SERVER = {row.key: row for row in SERVER_SETTINGS}


def camel(key: str) -> str:
    """Return a setting's key as clients spell it."""
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)


_INDEX: dict[str, Setting] = {camel(key): BY_KEY[key] for key in USER_KEYS}


@dataclass(frozen=True)
class Configuration:
    """Everything a client has set, over what the command line and the environment say.

    ``index`` are settings of the index; ``server`` holds a value for every row of `SERVER_SETTINGS`.
    """

    index: Settings
    server: Mapping[str, Any] = field(default_factory=lambda: {row.key: row.default for row in SERVER_SETTINGS})

    def __getitem__(self, key: str) -> Any:
        """Return the value of a server setting."""
        return self.server[key]


def read(given: Any, base: Settings) -> tuple[Configuration, tuple[str, ...]]:
    """Return what ``given`` sets over ``base``, and a sentence for each thing in it that does not count."""
    if isinstance(given, dict) and isinstance(given.get(SECTION), dict):
        given = given[SECTION]
    if given is None:
        given = {}
    if not isinstance(given, dict):
        return Configuration(base), (f"The settings of {SECTION} have to be an object; none of them counts.",)
    server = {row.key: row.default for row in SERVER_SETTINGS}
    index: dict[str, Any] = {}
    unknown: list[str] = []
    faults: list[str] = []
    for key, value in _flat(given):
        if value is None:
            continue
        if key in _SERVER:
            if (fitting := _fit(_SERVER[key], value)) is None:
                faults.append(f"{SECTION}.{key} has a value that makes no sense; the default counts.")
            else:
                server[key] = fitting
        elif key in _INDEX:
            if _is_typed(_INDEX[key], value):
                index[_INDEX[key].key] = tuple(value) if isinstance(value, list) else value
            else:
                faults.append(f"{SECTION}.{key} is not {_WORDS[_INDEX[key].type]}; the default counts.")
        else:
            unknown.append(key)
    if unknown:
        faults.append(f"Unknown settings are left out: {', '.join(f'{SECTION}.{key[:80]}' for key in unknown[:20])}.")
    return Configuration(_over(base, index, faults), server), tuple(faults)


def _flat(given: Mapping[Any, Any], lead: str = "", depth: int = 0) -> list[tuple[str, Any]]:
    """Give dotted keys and values, whether the client sends ``{"a": {"b": 1}}`` or ``{"a.b": 1}``."""
    found: list[tuple[str, Any]] = []
    for name, value in given.items():
        key = f"{lead}{name}"
        if isinstance(value, dict) and depth < 4:
            found += _flat(value, f"{key}.", depth + 1)
        else:
            found.append((key, value))
    return found


def _fit(row: ServerSetting, value: Any) -> Any:
    """Return the value in the row's type, or None."""
    if isinstance(row.default, bool):
        return value if isinstance(value, bool) else None
    if isinstance(row.default, tuple):
        return tuple(value) if _strings(value) else None
    fits = value in row.choices if row.choices else isinstance(value, str)
    return value if fits else None


_WORDS = {"path": "a path", "integer": "a whole number", "boolean": "true or false", "globs": "a list of globs"}


def _is_typed(setting: Setting, value: Any) -> bool:
    if setting.type == "boolean":
        return isinstance(value, bool)
    if setting.type == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return _strings(value) if setting.type == "globs" else isinstance(value, str)


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _over(base: Settings, index: dict[str, Any], faults: list[str]) -> Settings:
    """Lay settings over those of the command line, one by one: a bad one costs itself."""
    settings = base
    for key, value in index.items():
        if key == "exclude":
            value = tuple(dict.fromkeys((*base.exclude, *value)))
        given = {known: getattr(settings, known) for known in USER_KEYS}
        try:
            settings = Settings.load({}, **{**given, key: value})
        except GazetteerError as error:
            faults.append(f"{SECTION}.{camel(key)}: {error.message}")
    return settings
