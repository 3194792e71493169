"""What the owner of a tree says about it in ``knowledge.yaml``, and what of it decides what the corpus is.

The file is content of the tree and has no authority (row K19): every value is a limit, a glob, a path inside the tree
or the *name* of something that the user configured. Every key changes an explained behaviour, therefore an unknown one
is an error that names the line; the words themselves are read in ``knowledge_yaml``, and only when there is such a
file.
"""

import errno
import hashlib
import json
import os
import stat
from dataclasses import dataclass, replace
from typing import Any

from ..kb.errors import InvalidArgumentError, UnavailableError
from ..kb.scan_rules import ScanRules
from ..settings import BY_KEY, TREE_KEYS, Settings
from .entry import UNREGISTERED, Entry

FILE_NAME = "knowledge.yaml"
MAX_BYTES = 256 * 1024
NOT_USED = ("embedding",)
"""Settings that wait for what they choose among: vectors."""


@dataclass(frozen=True, slots=True)
class TreeConfig:
    """The settings of one tree. Lists are sorted and without repeats: their order means nothing."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()  # each with its dot
    max_file_bytes: int | None = None  # None: the user's value holds
    exclude_dirs: tuple[str, ...] = ()
    exclude_nested_repos: bool = True
    examples_quote_queries: bool = False
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # path, its further names
    corpora: tuple[str, ...] = ()
    embedding: str = ""


def read_config(root: str) -> TreeConfig:
    """Read ``knowledge.yaml`` of the tree at ``root``; defaults where there is none.

    Raises InvalidArgumentError with file, line and setting for anything that is not as described, and UnavailableError
    when the file cannot be read. A link that leads out of the tree is not followed.
    """
    raw = _read(root)
    return TreeConfig() if raw is None else parse_config(raw)


def parse_config(raw: bytes) -> TreeConfig:
    """Parse the bytes of a ``knowledge.yaml``; raises InvalidArgumentError as ``read_config`` does."""
    from .knowledge_yaml import parse

    return replace(TreeConfig(), **parse(raw))


def unused(config: TreeConfig) -> tuple[str, ...]:
    """What a person should know of settings that are understood and change nothing yet; one sentence, or none."""
    keys = [key for key in NOT_USED if getattr(config, key)]
    if not keys:
        return ()
    verb = "is" if len(keys) == 1 else "are"
    return (f"{' and '.join(keys)} in {FILE_NAME} {verb} checked, and not used by this version of Gazetteer.",)


def digest(settings: Settings, config: TreeConfig, entry: Entry = UNREGISTERED) -> str:
    """Hash (hex) of every setting that decides what the corpus is, as it takes effect.

    Spelling does not count: order, comments, a default that is written out, a limit given by the tree or by the user.
    """
    effective: dict[str, Any] = {key: getattr(config, key) for key in TREE_KEYS}
    effective["exclude"] = sorted({*config.exclude, *settings.exclude, *entry.exclude})
    effective["max_file_bytes"] = max_file_bytes(settings, config)
    deciding = {key: value for key, value in effective.items() if BY_KEY[key].decides_corpus} | entry.deciding()
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def max_file_bytes(settings: Settings, config: TreeConfig) -> int:
    """Return the largest file, in bytes, that is read from this tree."""
    return settings.max_file_bytes if config.max_file_bytes is None else config.max_file_bytes


def scan_rules(settings: Settings, config: TreeConfig, entry: Entry) -> ScanRules:
    """Which files the tree has, by what the user, the tree and the registry say."""
    rules = ScanRules(
        include=config.include,
        exclude=(*config.exclude, *settings.exclude, *entry.exclude),
        extensions=config.extensions,
        max_file_bytes=max_file_bytes(settings, config),
        exclude_dirs=config.exclude_dirs,
        exclude_nested_repos=config.exclude_nested_repos,
        max_files=settings.max_files,
        allow_partial=settings.allow_partial,
        excluded_roots=(os.path.realpath(settings.index_root()), *entry.inside),
    )
    return entry.rules.narrow(rules)


def _read(root: str) -> bytes | None:
    path = os.path.join(root, FILE_NAME)
    real = os.path.realpath(path)
    if not real.startswith(os.path.realpath(root).rstrip(os.sep) + os.sep):
        raise InvalidArgumentError(
            f"{FILE_NAME}: the file is a link that leads out of the tree; put the file itself there.", file=FILE_NAME
        )
    try:
        # a FIFO of that name must not make a question wait
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InvalidArgumentError(
                f"{FILE_NAME}: the file is a link that leads nowhere; put the file itself there.", file=FILE_NAME
            ) from error
        raise UnavailableError(
            f"{path} cannot be read ({error.strerror}); allow this user to read it.", file=FILE_NAME
        ) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidArgumentError(f"{FILE_NAME}: this is not a file; remove it or put one there.", file=FILE_NAME)
    with os.fdopen(descriptor, "rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise InvalidArgumentError(
            f"{FILE_NAME}: the file is larger than {MAX_BYTES // 1024} KB; shorten it.", file=FILE_NAME
        )
    return raw
