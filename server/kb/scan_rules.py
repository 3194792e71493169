"""What a person or a tree's owner wants of a tree: limits, globs, and names that hold secrets.

Settings only; ignore files are ``ignore`` and ``walk``. A refusal always has one of the reasons below, because every
file that is left out is counted (row K16).
"""

import os
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from . import ignore
from .ignore import RuleList

CARDS = ".knowledge"
"""The folder of curated cards, which ``exclude_dirs`` never hides."""


class Refusal(StrEnum):
    """Why something in a tree is not listed. A refused folder counts once, whatever it holds."""

    IGNORED = "ignored"  # by .gitignore and its kin, or .gazetteerignore
    EXCLUDED = "excluded"  # by include, exclude or exclude_dirs
    EXTENSION = "extension"
    SECRET = "secret"  # noqa: S105 -- a reason, not one
    SIZE = "size"
    LINK = "link"  # symbolic; what it points to is listed where it really is, if that is in the tree
    SPECIAL = "special"  # FIFO, socket, device
    NESTED = "nested"  # a repository of its own
    CORPUS = "corpus"  # a registered tree of its own, or where we keep our own data
    MISSING = "missing"  # not there (answers about one path only)
    UNREADABLE = "unreadable"


UNFINISHED = ".gazetteer-unfinished-"
"""How the name begins under which `replace` fills a file before it takes the place of another."""
SECRET_NAMES = frozenset(
    (".git-credentials", ".htpasswd", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".dockercfg")
)
SECRET_STARTS = (".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss")
SECRET_ENDS = frozenset(
    (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".pkcs12", ".p8", ".gpg", ".age")
)


VENDORED = frozenset(
    (
        "node_modules",
        "vendor",
        "vendors",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "3rdparty",
        "3rd_party",
        "external",
        "externals",
        "extern",
        "deps",
        "bower_components",
        "jspm_packages",
        "site-packages",
        "dist",
        "build",
        "out",
        "target",
        "venv",
        ".venv",
        "env",
        ".tox",
        ".nox",
        ".cargo",
        ".gradle",
        "Pods",
        "Carthage",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        "generated",
        "testdata",
        "fixtures",
    )
)
"""Names of folders that rarely hold what a tree is about: listed last, and suggested first for ``--exclude``."""


def is_secret(name: str) -> bool:
    """Say whether a file of this name is known for holding secrets; ``id_map.py`` is not, ``id_work`` is."""
    low = name.lower()
    if low[low.rfind(".") :] in SECRET_ENDS:
        return True
    if low[0] not in "._i":  # nothing below starts otherwise; this is asked for every file
        return False
    return (
        low.startswith(SECRET_STARTS)
        or low in SECRET_NAMES
        or (low.startswith("id_") and "." not in low.removesuffix(".pub"))
    )


@dataclass(frozen=True, slots=True)
class ScanRules:
    """The settings that decide what is listed. Globs are written as in a ``.gitignore`` at the root.

    ``exclude`` takes a bare name (anywhere) or ``./path`` (that one place); with ``include``, only matching files and
    what is below matching folders are listed. ``exclude_dirs`` looks at a folder's own name. ``extensions`` are ends of
    file names, whatever their case. ``excluded_roots`` are absolute real paths. Above ``max_files`` the listing is
    refused, or with ``allow_partial`` cut. 2 MiB let hand-written sources in, of which 1.2 MB occur.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    max_file_bytes: int = 2 * 1024 * 1024
    exclude_dirs: tuple[str, ...] = ()
    exclude_nested_repos: bool = True
    max_files: int = 60_000
    allow_partial: bool = False
    excluded_roots: tuple[str, ...] = ()


class Sieve:
    """The rules of one tree, ready for use. Paths are relative to its root."""

    def __init__(self, root: str, rules: ScanRules) -> None:
        self._include = ignore.parse_globs(rules.include, "include", root)
        self._exclude = ignore.parse_globs(rules.exclude, "exclude", root)
        self._folder_names = ignore.parse_globs(rules.exclude_dirs, "exclude_dirs")
        self._endings = tuple(ending.lower() for ending in rules.extensions)
        self._only_secrets = not (rules.include or rules.exclude or rules.extensions)
        lead = root.rstrip("/") + "/"
        self._outside = frozenset(path[len(lead) :] for path in rules.excluded_roots if path.startswith(lead))

    def directory(self, path: str, name: str) -> Refusal | None:
        """Return why the folder is not entered."""
        if path in self._outside:
            return Refusal.CORPUS
        if name != CARDS and _matches(self._folder_names, name, name, True):
            return Refusal.EXCLUDED
        return Refusal.EXCLUDED if _matches(self._exclude, path, name, True) else None

    def file(self, path: str, name: str) -> Refusal | None:
        """Return why the file is not listed, as far as its path says."""
        if is_secret(name):
            return Refusal.SECRET
        if name.startswith(UNFINISHED):
            return Refusal.EXCLUDED
        if self._only_secrets:
            return None
        if _matches(self._exclude, path, name, False) or not self._included(path):
            return Refusal.EXCLUDED
        if self._endings and not name.lower().endswith(self._endings):
            return Refusal.EXTENSION
        return None

    def _included(self, path: str) -> bool:
        parts = path.split("/")
        return self._include is ignore.NO_RULES or any(
            _matches(self._include, "/".join(parts[:depth]), parts[depth - 1], depth < len(parts))
            for depth in range(len(parts), 0, -1)
        )


@lru_cache(maxsize=32)
def sieve(root: str, rules: ScanRules) -> Sieve:
    """Return the sieve of these rules; raises InvalidArgumentError for a bad glob, naming the setting."""
    return Sieve(root, rules)


def _matches(globs: RuleList, path: str, name: str, directory: bool) -> bool:
    if globs is ignore.NO_RULES:
        return False
    return globs.verdict(os.fsencode(path), os.fsencode(name), directory) is True
