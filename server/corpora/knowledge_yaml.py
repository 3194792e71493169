"""The words of ``knowledge.yaml``: bytes to values, or one sentence with file, line and setting.

The only file that imports a YAML library; ``config`` loads it when a tree has settings at all. The text is bounded
before it is composed (size, nodes, depth; no anchors, aliases or tags), and nothing is constructed from it but text,
whole numbers, booleans and lists of them. A key said twice, a value of another type and a glob that cannot match are
errors.
"""

import difflib
import re
from collections.abc import Callable
from typing import Any, NoReturn

import yaml

from ..kb.errors import InvalidArgumentError
from ..settings import BY_KEY, TREE_KEYS, Setting, check_bounds, glob_fault
from .config import FILE_NAME

MAX_NODES = 20_000
MAX_DEPTH = 8
MAX_NAME = 200

_NAME = re.compile(r"\w[\w .+-]*")
_WHOLE_NUMBER = re.compile(r"-?[0-9][0-9_]*")
_TAG = "tag:yaml.org,2002:"
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse(raw: bytes) -> dict[str, Any]:
    """Return the settings that are given, by key; raises InvalidArgumentError for anything that is not as described."""
    values: dict[str, Any] = {}
    for key, (node, line) in _entries(_compose(_decode(raw)), "").items():
        setting = BY_KEY.get(key)
        if setting is None or setting.scope == "user":
            _unknown(key, line, known=setting is not None)
        values[key] = READERS[setting.type](setting, node)
    return values


# ---------------------------------------------------------------- text to nodes


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(raw.count(b"\n", 0, error.start) + 1, "", "is not UTF-8 here; save it as UTF-8")


def _compose(text: str) -> yaml.Node | None:
    """Compose the only document of ``text``, after its events were found to be few, shallow and plain."""
    depth = 0
    try:
        for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
            line = _line(event)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if count > MAX_NODES or depth > MAX_DEPTH:
                _refuse(line, "", "holds more than settings need; shorten it")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                _refuse(line, "", "uses an anchor or alias (& or *), which is not supported; write the value out")
            if tag := getattr(event, "tag", None):
                _refuse(line, "", f"uses the tag {tag}, which is not supported; remove it")
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.context_mark if error.problem_mark is None else error.problem_mark
        _refuse(mark.line + 1 if mark is not None else 0, "", f"is not valid YAML ({error.problem or error.context})")
    except yaml.reader.ReaderError as error:
        _refuse(text.count("\n", 0, error.position) + 1, "", "holds a control character; remove it")


def _entries(node: yaml.Node | None, setting: str) -> dict[str, tuple[yaml.Node, int]]:
    """Return what a mapping holds, each key with its line; an empty document is an empty mapping."""
    if node is None or (not setting and node.tag == _TAG + "null"):
        return {}
    if not isinstance(node, yaml.MappingNode):
        _refuse(_line(node), setting, "must be a mapping, one `key: value` a line")
    found: dict[str, tuple[yaml.Node, int]] = {}
    for key_node, value in node.value:
        key = _text(key_node, setting)
        if key in found:
            _refuse(_line(key_node), setting or key, f"has {key!r} again (first in line {found[key][1]}); keep one")
        found[key] = (value, _line(key_node))
    return found


# ---------------------------------------------------------------- nodes to values


def _text(node: yaml.Node, setting: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or (node.tag != _TAG + "str" and node.style is None):
        _refuse(_line(node), setting or "a key", "must be text; put it in quotes")
    value: str = node.value
    if not value.strip() or len(value) > MAX_NAME * 5 or "\0" in value:
        _refuse(_line(node), setting, "has an empty or overlong value; write a short one or remove it")
    return value


def _texts(setting: Setting, node: yaml.Node) -> list[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.SequenceNode):
        _refuse(_line(node), setting.key, "must be a list, such as [a, b]")
    return [(_text(item, setting.key), item) for item in node.value]


def _integer(setting: Setting, node: yaml.Node) -> int:
    if not isinstance(node, yaml.ScalarNode) or node.style is not None or not _WHOLE_NUMBER.fullmatch(node.value):
        _refuse(_line(node), setting.key, "must be a whole number")
    try:
        return int(check_bounds(setting, int(node.value.replace("_", "")[:20]), where=setting.key))
    except InvalidArgumentError as error:
        _refuse(_line(node), setting.key, error.message.removeprefix(f"{setting.key} ").rstrip("."))


def _boolean(setting: Setting, node: yaml.Node) -> bool:
    if not isinstance(node, yaml.ScalarNode) or node.tag != _TAG + "bool":
        _refuse(_line(node), setting.key, "must be true or false")
    return _BOOLEANS[node.value.lower()]


def _globs(setting: Setting, node: yaml.Node) -> tuple[str, ...]:
    globs = _texts(setting, node)
    for glob, item in globs:
        fault = glob_fault(glob)
        if not fault and setting.key == "exclude_dirs" and "/" in glob.rstrip("/"):
            fault = "is a path, but this setting looks at a folder's own name only; use exclude"
        if fault:
            _refuse(_line(item), setting.key, f"has a bad glob {glob!r}: it {fault}")
    return tuple(sorted({glob for glob, _ in globs}))


def _extensions(setting: Setting, node: yaml.Node) -> tuple[str, ...]:
    found = set()
    for text, item in _texts(setting, node):
        bare = text.removeprefix(".")
        if not bare or any(sign in bare for sign in "/\\*?["):
            _refuse(_line(item), setting.key, f"has {text!r}, which is not the end of a file name; write it as .py")
        found.add(f".{bare}")
    return tuple(sorted(found))


def _names(setting: Setting, node: yaml.Node) -> tuple[str, ...]:
    return tuple(sorted({_name(setting, text, item) for text, item in _texts(setting, node)}))


def _embedding(setting: Setting, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        _refuse(_line(node), setting.key, "must be one name; what it stands for is set by the user, not by the tree")
    return _name(setting, _text(node, setting.key), node)


def _name(setting: Setting, text: str, node: yaml.Node) -> str:
    if len(text) > MAX_NAME or not _NAME.fullmatch(text):
        _refuse(
            _line(node), setting.key, f"has {text!r}, which is not a name; write the name of one that the user set up"
        )
    return text


def _aliases(setting: Setting, node: yaml.Node) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = []
    for path, (value, line) in _entries(node, setting.key).items():
        if path.startswith(("/", "~")) or ".." in path.split("/") or "\\" in path:
            _refuse(line, setting.key, f"has {path!r}, which is not a path inside the tree; write it from the root")
        names = sorted({text for text, _ in _texts(setting, value)})
        if not names or any(len(name) > MAX_NAME for name in names):
            _refuse(line, setting.key, f"gives {path!r} no name, or one that is too long; write {path}: [name]")
        found.append((path.removeprefix("./"), tuple(names)))
    return tuple(sorted(found))


READERS: dict[str, Callable[[Setting, yaml.Node], Any]] = {
    "integer": _integer,
    "boolean": _boolean,
    "globs": _globs,
    "extensions": _extensions,
    "names": _names,
    "aliases": _aliases,
    "embedding": _embedding,
}
"""How a value of each type is read."""


# ---------------------------------------------------------------- errors


def _refuse(line: int, setting: str, what: str) -> NoReturn:
    """Raise the one kind of error of this file; it reads "knowledge.yaml:3: exclude must be a list."."""
    place = f"{FILE_NAME}:{line}:" if line else f"{FILE_NAME}:"
    raise InvalidArgumentError(f"{place} {setting or 'the file'} {what}.", file=FILE_NAME, line=line, setting=setting)


def _line(item: yaml.Node | yaml.Event) -> int:
    return 0 if item.start_mark is None else int(item.start_mark.line) + 1


def _unknown(key: str, line: int, *, known: bool) -> NoReturn:
    if known:
        _refuse(line, key, "is set by the user only, not by a tree; remove it")
    near = difflib.get_close_matches(key, TREE_KEYS, 1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(TREE_KEYS)}"
    _refuse(line, key, f"is not a setting that this version knows ({hint}); correct it, remove it or upgrade")
