"""What an import means: from what a document says it takes, and the paths of a tree, to the documents it takes it from.

Asked at query time and never stored, so that a file that moves needs nothing derived again. Pure over the paths of one
snapshot; a few kinds of import also need a word of a text (``go.mod``, ``package.json``, a PHP namespace), which is
read from the snapshot too. A module that resolves to nothing is outside the tree, or not to be found by its name: then
nothing is claimed (row R6). How a language spells its modules is a row of ``STYLES``; four have rules of their own.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ..kb.model import DocumentPath, Import
from .import_rules import RULES, Target
from .tree_paths import Tree, folder_of, join

MAX_TARGETS = 40
"""Documents that one import may mean: all files of a package."""
_READ = 8
"""Texts read to make sure of a module's name."""


class Style(msgspec.Struct, frozen=True):
    """How a language writes modules that are files."""

    separator: str = ""  # what stands between steps, where that is not a slash
    endings: tuple[str, ...] = ("",)  # what the file may end with, likeliest first
    fronts: tuple[str, ...] = ()  # files that stand for a folder
    folder: tuple[str, ...] = ()  # endings of the files that a folder is imported for
    drop_front: bool = False  # leading steps may stand for no folder
    drop_back: int = 0  # steps at the end that may name something inside of a file
    only_near: frozenset[str] = frozenset()  # modules of the platform: only a file beside the document is meant


_C_PLATFORM = frozenset(
    f"{name}.h"
    for name in re.findall(
        r"\w+",
        """
        assert complex ctype errno fcntl fenv float inttypes iso646 limits locale math poll pthread sched setjmp
        signal stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings syslog tgmath
        threads time uchar unistd wchar wctype
        """,
    )
)
_C = Style(only_near=_C_PLATFORM)
_BESIDE = Style()

STYLES: dict[str, Style] = {
    "c": _C,
    "cpp": _C,
    "objective_c": _C,
    "devicetree": _BESIDE,
    "kconfig": _BESIDE,
    "make": Style(fronts=("Makefile", "Kbuild")),
    "cmake": Style(endings=("", ".cmake"), fronts=("CMakeLists.txt",)),
    "css": _BESIDE,
    "scss": Style(endings=("", ".scss", ".sass", ".less")),
    "html": _BESIDE,
    "rst": _BESIDE,
    "markdown": _BESIDE,
    "bash": _BESIDE,
    "zig": _BESIDE,
    "dart": _BESIDE,
    "ruby": Style(endings=(".rb", "")),
    "lua": Style(separator=".", endings=(".lua",), fronts=("init.lua",)),
    "haskell": Style(separator=".", endings=(".hs", ".lhs", ".hsc")),
    "java": Style(separator=".", endings=(".java", ".kt"), folder=(".java", ".kt"), drop_back=2),
    "kotlin": Style(separator=".", endings=(".kt", ".java"), folder=(".kt", ".java"), drop_back=2),
    "scala": Style(separator=".", endings=(".scala", ".java"), folder=(".scala",), drop_back=2),
    "php": Style(separator="\\", endings=(".php", ""), drop_front=True),
}
"""Languages whose modules are paths once their separators are slashes."""

_VARIABLE = re.compile(r"^(?:\$\{\w+\}|\$\w+|\$\([^()]*\))/")


def targets(tree: Tree, path: DocumentPath, language: str, taken: Import) -> tuple[Target, ...]:
    """The documents that an import of the document at ``path`` means, best first; none for what lies outside."""
    rule = RULES.get(language)
    if rule is not None:
        found = rule(tree, path, taken)
    elif language in STYLES:
        found = (Target(one) for one in _by_style(tree, path, STYLES[language], taken.module))
    else:
        return ()
    return tuple(dict.fromkeys(found))[:MAX_TARGETS]


def can_resolve(language: str) -> bool:
    """Whether modules of a language are found by their paths; elsewhere, nothing found means nothing."""
    return language in RULES or language in STYLES


def _by_style(tree: Tree, path: DocumentPath, style: Style, module: str) -> list[DocumentPath]:
    module = module.removeprefix("package:")
    while (variable := _VARIABLE.match(module)) is not None:
        module = module[variable.end() :]
    steps = module.strip(style.separator or None).replace(style.separator, "/") if style.separator else module
    if not steps or "$" in steps or "\0" in steps:
        return []
    for name in _spellings(steps, style):
        beside = join(folder_of(path), name) if not style.separator else ""
        if beside and beside != path and tree.has(beside):
            return [DocumentPath(beside)]
    if steps.startswith(".") or steps in style.only_near:
        return []
    for back in range(style.drop_back + 1):
        shorter = steps.rsplit("/", back)[0] if back else steps
        if back and shorter.count("/") == 0:
            break
        for name in _spellings(shorter, style):
            found = [one for one in tree.ending(name, path) if one != path]
            if found:
                return found[:1]
        if style.folder and (package := tree.inside(shorter, style.folder)):
            return package
    return _without_front(tree, path, style, steps) if style.drop_front else []


def _spellings(steps: str, style: Style) -> Iterator[str]:
    yield from (f"{steps}{ending}" for ending in style.endings)
    yield from (f"{steps}/{front}" for front in style.fronts)


def _without_front(tree: Tree, path: DocumentPath, style: Style, steps: str) -> list[DocumentPath]:
    """A namespace whose first steps stand for a folder of another name: the file has to say that it is in it."""
    namespace = steps.rpartition("/")[0].replace("/", style.separator)
    parts = steps.split("/")
    for front in range(1, len(parts)):
        for one in tree.ending("/".join(parts[front:]) + style.endings[0], path)[:_READ]:
            if f"namespace {namespace};" in tree.text_of(one) or f"namespace {namespace}\n" in tree.text_of(one):
                return [one]
    return []


def last_step(module: str) -> str:
    """The last word of a module as written: what a document that imports it has to say."""
    words: Sequence[str] = re.findall(r"\w[\w-]*", re.sub(r"\.(?:h|hpp|hh|js|ts|mjs|cjs|rb|py|php|css)$", "", module))
    return words[-1] if words else ""
