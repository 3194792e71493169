"""Every setting, in one table: what it is called, what it may be, who may set it and what it changes.

The command line's options, its help, the reading of the environment and of ``knowledge.yaml``, and the table of the
README are all made from ``SETTINGS`` or held against it by a test. A setting comes from the user (an option, else the
environment) or from the tree (``knowledge.yaml``). Nothing that is read from a tree may name a command, an endpoint, a
secret, a library or a folder outside it (row K19): such settings have the scope ``user`` only, and there is no other
way in.

This module imports nothing heavy: ``gazetteer --help`` reads it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from .kb.errors import InvalidArgumentError

SettingType = Literal["path", "integer", "boolean", "globs", "names", "extensions", "aliases", "embedding"]
Scope = Literal["user", "tree", "both"]

MEGABYTE = 1024 * 1024
MAX_GLOB = 1_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. ``flag`` is the option of the command line, ``env`` the variable that says the same."""

    key: str
    type: SettingType
    default: Any
    scope: Scope
    help: str
    changes: str
    flag: str = ""
    env: str = ""
    least: int = 0
    most: int = 0  # 0: no upper bound
    decides_corpus: bool = False  # part of the digest; limits that every sweep looks at anyway are not


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "db_path",
        "path",
        "",
        "user",
        "Folder that holds every index.",
        "where indexes are kept; the user's cache folder when it is not set",
        flag="--db-path",
        env="GAZETTEER_DB_PATH",
    ),
    Setting(
        "corpus_root",
        "path",
        "",
        "user",
        "Folder that relative paths of the registry start from; the registry's own folder when it is not set.",
        "where registered trees are looked for",
        env="GAZETTEER_CORPUS_ROOT",
    ),
    Setting(
        "max_files",
        "integer",
        60_000,
        "user",
        "Most files a tree may have; a larger one is refused.",
        "whether a large tree is indexed at all",
        flag="--max-files",
        env="GAZETTEER_MAX_FILES",
        least=1,
    ),
    Setting(
        "allow_partial",
        "boolean",
        False,
        "user",
        "Index the first files of a tree that has more than --max-files; every answer says partial.",
        "what happens at max_files",
        flag="--allow-partial",
        env="GAZETTEER_ALLOW_PARTIAL",
    ),
    Setting(
        "exclude",
        "globs",
        (),
        "both",
        "Leave out paths that match this glob; may be given again.",
        "which files are indexed; the user's and the tree's globs both count",
        flag="--exclude",
        env="GAZETTEER_EXCLUDE",
        decides_corpus=True,
    ),
    Setting(
        "max_file_bytes",
        "integer",
        2 * MEGABYTE,
        "both",
        "Largest file that is read; a larger one is counted as left out.",
        "which files are indexed; the tree's value wins over the user's",
        env="GAZETTEER_MAX_FILE_BYTES",
        least=1,
        most=16 * MEGABYTE,
        decides_corpus=True,
    ),
    Setting(
        "watch",
        "boolean",
        False,
        "user",
        "Let the operating system report changed files to a long-running process.",
        "how early a change is noticed; never whether it is",
        env="GAZETTEER_WATCH",
    ),
    Setting(
        "workers",
        "integer",
        0,
        "user",
        "Processes that read a tree for the first time; 0 takes one a processor, four at most.",
        "how fast a tree is indexed",
        env="GAZETTEER_WORKERS",
        most=64,
    ),
    Setting(
        "sweep_reuse_ms",
        "integer",
        1_000,
        "user",
        "How old a look at the whole tree may be, in milliseconds, before a long-running process looks again.",
        "how often a tree is swept",
        env="GAZETTEER_SWEEP_REUSE_MS",
        most=60_000,
    ),
    Setting(
        "include",
        "globs",
        (),
        "tree",
        "Index only paths that match one of these globs.",
        "which files are indexed",
        decides_corpus=True,
    ),
    Setting(
        "extensions",
        "extensions",
        (),
        "tree",
        "Index only files whose names end with one of these.",
        "which files are indexed",
        decides_corpus=True,
    ),
    Setting(
        "exclude_dirs",
        "globs",
        (),
        "tree",
        "Leave out folders whose own name matches one of these globs, wherever they are; never .knowledge.",
        "which files are indexed",
        decides_corpus=True,
    ),
    Setting(
        "exclude_nested_repos",
        "boolean",
        True,
        "tree",
        "Leave out repositories inside the tree.",
        "which files are indexed",
        decides_corpus=True,
    ),
    Setting(
        "examples_quote_queries",
        "boolean",
        False,
        "tree",
        "Text in quotation marks and code spans does not count toward what a piece of prose is about.",
        "how prose is ranked",
        decides_corpus=True,
    ),
    Setting(
        "aliases",
        "aliases",
        {},
        "tree",
        "Further names under which a file is found.",
        "what an exact match is",
        decides_corpus=True,
    ),
    Setting(
        "corpora",
        "names",
        (),
        "tree",
        "Names of registered trees to ask together with this one.",
        "which trees answer",
    ),
    Setting(
        "embedding",
        "embedding",
        "",
        "tree",
        "Name of one of the embeddings that the user has configured; a name only.",
        "what semantic search uses; checked now, used once there is semantic search",
    ),
)
"""In the order in which people meet them."""

BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}
TREE_KEYS: tuple[str, ...] = tuple(setting.key for setting in SETTINGS if setting.scope != "user")
USER_KEYS: tuple[str, ...] = tuple(setting.key for setting in SETTINGS if setting.scope != "tree")

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _default(key: str) -> Any:
    return BY_KEY[key].default


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has set. ``db_path`` "" is the cache folder; sizes are bytes, times milliseconds."""

    db_path: str = _default("db_path")
    corpus_root: str = _default("corpus_root")
    max_files: int = _default("max_files")
    allow_partial: bool = _default("allow_partial")
    exclude: tuple[str, ...] = _default("exclude")
    max_file_bytes: int = _default("max_file_bytes")
    watch: bool = _default("watch")
    workers: int = _default("workers")
    sweep_reuse_ms: int = _default("sweep_reuse_ms")

    @classmethod
    def load(cls, environment: Mapping[str, str], **given: Any) -> "Settings":
        """Take settings from options (``None`` is "not given"), else the environment, else the defaults.

        Globs of both are taken together. An ``InvalidArgumentError`` names the variable or option that makes no sense.
        """
        values: dict[str, Any] = {}
        for key in USER_KEYS:
            setting = BY_KEY[key]
            if environment.get(setting.env):
                values[key] = from_text(setting, environment[setting.env], where=setting.env)
            option = given.pop(key, None)
            if option is None:
                continue
            if setting.type == "globs":
                values[key] = (*values.get(key, ()), *option)
            else:
                values[key] = option
        if given:
            raise TypeError(f"not settings of the user: {', '.join(sorted(given))}")
        settings = replace(cls(), **values)
        for field in fields(cls):
            check_bounds(BY_KEY[field.name], getattr(settings, field.name), where=BY_KEY[field.name].flag or field.name)
        return settings

    def processes(self) -> int:
        """Return how many processes may read a tree: what was set, else one a processor and four at most."""
        return self.workers or min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)

    def index_root(self) -> str:
        """Return the folder of all indexes: ``db_path``, or the user's cache folder.

        Raises InvalidArgumentError when its name is not UTF-8: the keyword index cannot open such a folder.
        """
        if self.db_path:
            folder = os.path.abspath(os.path.expanduser(self.db_path))
        else:
            import platformdirs

            folder = platformdirs.user_cache_dir("gazetteer", appauthor=False)
        try:
            folder.encode()
        except UnicodeEncodeError:
            raise InvalidArgumentError(
                f"The folder of all indexes, {folder}, is not named in UTF-8; name another one with --db-path.",
                setting="db_path",
            ) from None
        return folder


def config_root() -> str:
    """Return the user's configuration folder, where the registry, maps, rules and skills of their own are kept."""
    import platformdirs

    return platformdirs.user_config_dir("gazetteer", appauthor=False)


def from_text(setting: Setting, text: str, *, where: str) -> Any:
    """Return the value that ``text`` says, as an environment variable says it; lists are separated by commas."""
    if setting.type == "integer":
        try:
            return check_bounds(setting, int(text), where=where)
        except ValueError:
            raise InvalidArgumentError(f"{where} must be a whole number, not {text!r}.", setting=setting.key) from None
    if setting.type == "boolean":
        lowered = text.strip().lower()
        if lowered not in _TRUE | _FALSE:
            raise InvalidArgumentError(f"{where} must be 1 or 0, not {text!r}.", setting=setting.key)
        return lowered in _TRUE
    if setting.type == "globs":
        return check_bounds(setting, tuple(filter(None, map(str.strip, text.split(",")))), where=where)
    return text


def check_bounds(setting: Setting, value: Any, *, where: str) -> Any:
    """Return ``value`` itself when the row allows it; raises ``InvalidArgumentError`` with the range otherwise."""
    if setting.type == "integer" and (value < setting.least or (setting.most and value > setting.most)):
        limit = f"between {setting.least} and {setting.most}" if setting.most else f"{setting.least} or more"
        raise InvalidArgumentError(f"{where} must be {limit}, not {value}.", setting=setting.key)
    if setting.type == "path" and "\0" in value:
        raise InvalidArgumentError(f"{where} holds a NUL character; name a folder.", setting=setting.key)
    if setting.type == "globs":
        for glob in value:
            if fault := glob_fault(glob):
                raise InvalidArgumentError(f"{where} has a bad glob {glob!r}: it {fault}.", setting=setting.key)
    return value


def glob_fault(glob: str) -> str:
    """Say what is wrong with a glob, as a predicate of "it", or "" when it can match a path of a tree."""
    if not glob.strip() or any(sign in glob for sign in "\0\n\r"):
        return "is empty or holds a control character"
    if len(glob) > MAX_GLOB:
        return f"is longer than {MAX_GLOB} characters"
    if glob.startswith("!"):
        return "starts with !, but takes nothing back; remove the glob that it contradicts"
    if ".." in glob.split("/") or glob.startswith("~"):
        return "points outside the tree"
    if len(glob) - len(glob.rstrip("\\")) & 1:
        return "ends with a backslash that escapes nothing"
    return "has a [ that is never closed" if _open_bracket(glob) else ""


def _open_bracket(glob: str) -> bool:
    at = 0
    while at < len(glob):
        if glob[at] == "\\":
            at += 1
        elif glob[at] == "[":
            # a ] right after [ or [! is a member of the set
            first = at + 2 if glob[at + 1 : at + 2] in ("!", "^") else at + 1
            at = glob.find("]", first + 1)
            if at < 0:
                return True
        at += 1
    return False
