"""What an import means: from what a document says it takes, and the paths of a tree, to the documents it takes it from.

Asked at query time and never stored, so that a file that moves needs nothing derived again. Pure over the paths of one
snapshot; a few kinds of import also need a word of a text (``go.mod``, ``package.json``, a PHP namespace), which is
read from the snapshot too. A module that resolves to nothing is outside the tree, or not to be found by its name: then
nothing is claimed (row R6). How a language spells its modules is a row of ``STYLES``; four have rules of their own.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from posixpath import normpath

import msgspec

from ..kb.model import DocumentPath, Import
from .path_table import PathTable, ends_in

MAX_TARGETS = 40
"""Documents that one import may mean: all files of a package."""
_READ = 8
"""Texts read to make sure of a module's name."""


class Target(msgspec.Struct, frozen=True):
    """A document that an import means, and the name that is taken from it ("" for all of it)."""

    path: DocumentPath
    name: str = ""


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
    for name in [
        "assert",
        "complex",
        "ctype",
        "errno",
        "fcntl",
        "fenv",
        "float",
        "inttypes",
        "iso646",
        "limits",
        "locale",
        "math",
        "poll",
        "pthread",
        "sched",
        "setjmp",
        "signal",
        "stdalign",
        "stdarg",
        "stdatomic",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "stdnoreturn",
        "string",
        "strings",
        "syslog",
        "tgmath",
        "threads",
        "time",
        "uchar",
        "unistd",
        "wchar",
        "wctype",
    ]
)
_C = Style(only_near=_C_PLATFORM)
_BESIDE = Style()

STYLES: dict[str, Style] = {
    "c": _C,
    "cpp": _C,
    "objective_c": _C,
    "devicetree": _BESIDE,
    "kconfig": _BESIDE,
    "make": _BESIDE,
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

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json")
_SCRIPT_ENDING = re.compile(r"\.([cm]?)jsx?$")
_VARIABLE = re.compile(r"^(?:\$\{\w+\}|\$\w+|\$\([^()]*\))/")
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


class Tree:
    """The documents there are, by path: those of the index, and open buffers that are not in it yet."""

    def __init__(
        self, table: PathTable, buffers: Iterable[DocumentPath], text_of: Callable[[DocumentPath], str]
    ) -> None:
        self._table = table
        self._more = sorted(path for path in set(buffers) if path not in table)
        self.text_of = text_of

    def has(self, path: str) -> bool:
        """Whether there is a document at ``path``."""
        return path in self._table or path in self._more

    def ending(self, suffix: str, near: DocumentPath) -> list[DocumentPath]:
        """Documents whose path ends in ``suffix``, the nearest to ``near`` first."""
        found = [*self._table.ending(suffix), *(path for path in self._more if ends_in(path, suffix))]
        return sorted(found, key=lambda path: closeness(path, near))

    def meant(self, written: str, home: DocumentPath) -> DocumentPath | None:
        """The document that a path written in ``home`` means; None for what leads out of the tree."""
        for base in (_join(_folder(home), written), _join("", written.lstrip("/"))):
            if base and self.has(base):
                return DocumentPath(base)
        if "/" not in written.strip("/") and "." not in written[1:]:
            return None  # one word without an ending is prose
        return next(iter(self.ending(written, home)), None)

    def inside(self, folder: str, endings: tuple[str, ...]) -> list[DocumentPath]:
        """Documents directly in folders whose path ends in ``folder``, by path."""
        more = [path for path in self._more if ends_in(DocumentPath(path.rpartition("/")[0]), folder)]
        return sorted(path for path in (*self._table.inside(folder), *more) if path.endswith(endings))


def closeness(path: DocumentPath, near: DocumentPath) -> tuple[int, int, DocumentPath]:
    """A sort key: the folders that two documents do not share, then the path."""
    mine, theirs = path.split("/")[:-1], near.split("/")[:-1]
    shared = 0
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            break
        shared += 1
    return len(theirs) - shared, len(mine) - shared, path


def targets(tree: Tree, path: DocumentPath, language: str, taken: Import) -> tuple[Target, ...]:
    """The documents that an import of the document at ``path`` means, best first; none for what lies outside."""
    rule = _RULES.get(language)
    if rule is not None:
        found = rule(tree, path, taken)
    elif language in STYLES:
        found = (Target(one) for one in _by_style(tree, path, STYLES[language], taken.module))
    else:
        return ()
    return tuple(dict.fromkeys(found))[:MAX_TARGETS]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _join(folder: str, steps: str) -> str:
    """A path below the root, tidy; "" for one that leads out of it."""
    joined = normpath(f"{folder}/{steps}" if folder else steps)
    return "" if joined.startswith(("..", "/")) or joined == "." else joined


def _by_style(tree: Tree, path: DocumentPath, style: Style, module: str) -> list[DocumentPath]:
    module = module.removeprefix("package:")
    while (variable := _VARIABLE.match(module)) is not None:
        module = module[variable.end() :]
    steps = module.strip(style.separator or None).replace(style.separator, "/") if style.separator else module
    if not steps or "$" in steps or "\0" in steps:
        return []
    for name in _spellings(steps, style):
        beside = _join(_folder(path), name) if not style.separator else ""
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


# -- Python ---------------------------------------------------------------------------------------------------------


def _python(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    module = taken.module.lstrip(".")
    level = len(taken.module) - len(module)
    steps = module.replace(".", "/")
    folder = _folder(path)
    if level:
        for _ in range(level - 1):
            if not folder:
                return
            folder = _folder(folder)
        whole = _python_file(tree, _join(folder, steps) if steps else folder)
        base = _join(folder, steps) if steps else folder
    else:
        whole, base = _python_absolute(tree, path, steps)
    for name in taken.names:
        inner = _python_file(tree, f"{base}/{name}" if base else name) if whole or level else None
        if inner is not None:
            yield Target(inner)
        elif whole is not None:
            yield Target(whole, name if name != "*" else "")
    if not taken.names and whole is not None:
        yield Target(whole)


def _python_file(tree: Tree, base: str) -> DocumentPath | None:
    names = (f"{base}.py", f"{base}/__init__.py", f"{base}.pyi", f"{base}/__init__.pyi") if base else ("__init__.py",)
    return next((DocumentPath(name) for name in names if tree.has(name)), None)


def _python_absolute(tree: Tree, path: DocumentPath, steps: str) -> tuple[DocumentPath | None, str]:
    """A module by its full name: from the root, beside the document (a script), or below what is no package itself."""
    top = steps.split("/", 1)[0]
    for base in dict.fromkeys((steps, f"src/{steps}", _join(_folder(path), steps))):
        found = _python_file(tree, base)
        if found is not None and (found != path or top not in sys.stdlib_module_names):
            return found, base
    if top in sys.stdlib_module_names:
        return None, ""
    for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
        for found in tree.ending(f"{steps}{ending}", path):
            above = found.removesuffix(f"{steps}{ending}").rstrip("/")
            if found != path and not tree.has(f"{above}/__init__.py"):
                return found, found.removesuffix(ending)
    return None, ""


# -- JavaScript and TypeScript --------------------------------------------------------------------------------------


def _script(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    module = taken.module
    if module.startswith("."):
        found = _script_file(tree, _join(_folder(path), module))
    elif module.startswith(("@/", "~/")):
        found = next((one for top in ("src", "app", "") if (one := _script_file(tree, _join(top, module[2:])))), None)
    else:
        found = _script_package(tree, path, module)
    if found is not None:
        yield from (Target(found, "" if name == "*" else name) for name in taken.names or ("",))


def _script_file(tree: Tree, base: str) -> DocumentPath | None:
    bare = _SCRIPT_ENDING.sub("", base)  # an import of `x.js` means `x.ts` where there is no `x.js`
    names = [base, *(f"{base}{ending}" for ending in _SCRIPTS)]
    names += [f"{bare}{ending}" for ending in _SCRIPTS] if bare != base else []
    names += [f"{base}/index{ending}" if base else f"index{ending}" for ending in _SCRIPTS]
    return next((DocumentPath(name) for name in names if name and tree.has(name)), None)


def _script_package(tree: Tree, path: DocumentPath, module: str) -> DocumentPath | None:
    """A package of the same tree, by the name that its ``package.json`` has."""
    parts = module.split("/")
    name, rest = ("/".join(parts[:2]), parts[2:]) if module.startswith("@") else (parts[0], parts[1:])
    short = name.rpartition("/")[2]
    said = re.compile(rf'"name"\s*:\s*"{re.escape(name)}"')
    candidates = [*tree.ending(f"{short}/package.json", path), *tree.ending("package.json", path)]
    for one in dict.fromkeys(candidates[:_READ]):
        if said.search(tree.text_of(one)):
            top, inner = _folder(one), "/".join(rest)
            bases = (
                [f"src/{inner}", inner, f"lib/{inner}"] if inner else ["src/index", "index", "src/main", "lib/index"]
            )
            return next((found for base in bases if (found := _script_file(tree, _join(top, base)))), one)
    return None


# -- Go and Rust ----------------------------------------------------------------------------------------------------


def _go(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    folder = _folder(path)
    while True:
        at = _join(folder, "go.mod")
        if tree.has(at):
            break
        if not folder:
            return
        folder = _folder(folder)
    said = _GO_MODULE.search(tree.text_of(DocumentPath(at)))
    if said is None:
        return
    module = said[1].strip('"')
    if taken.module == module or taken.module.startswith(f"{module}/"):
        inner = _join(folder, taken.module[len(module) + 1 :]) if taken.module != module else folder
    else:
        inner = _join(folder, f"vendor/{taken.module}")
    for one in tree.inside(inner, (".go",)):
        if _folder(one) == inner and not one.endswith("_test.go"):
            yield Target(one)


def _rust(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    steps = [step for step in taken.module.split(" as ")[0].replace("*", "").split("::") if step]
    if not steps:
        return
    own = _rust_module(path)
    crate = _rust_crate(tree, path)
    first, rest = steps[0], steps[1:]
    if first == "crate":
        base = crate
    elif first == "self":
        base = own
    elif first == "super":
        base = _folder(own)
        while rest and rest[0] == "super":
            base, rest = _folder(base), rest[1:]
    else:
        outer = [one for name in (first, first.replace("_", "-")) for one in tree.ending(f"{name}/src/lib.rs", path)]
        base, inner = (_folder(outer[0]), rest) if outer else (own, steps)
        rest = inner
    named = taken.names or ((rest[-1],) if rest else ())
    for name in named:
        whole = [*rest, name] if taken.names else rest
        for length in range(len(whole), -1, -1):
            found = _rust_file(tree, "/".join((base, *whole[:length])) if base else "/".join(whole[:length]))
            if found is not None and (length or base != own):
                yield Target(found, whole[-1] if length < len(whole) else "")
                break


def _rust_module(path: str) -> str:
    """The folder in which the submodules of a file lie."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    return folder if stem in ("mod", "lib", "main") else _join(folder, stem)


def _rust_crate(tree: Tree, path: str) -> str:
    folder = _folder(path)
    while folder and not (tree.has(f"{folder}/lib.rs") or tree.has(f"{folder}/main.rs")):
        folder = _folder(folder)
    return folder


def _rust_file(tree: Tree, base: str) -> DocumentPath | None:
    names = (f"{base}.rs", f"{base}/mod.rs", f"{base}/lib.rs", f"{base}/main.rs")
    return next((DocumentPath(name) for name in names if tree.has(name)), None)


_RULES: dict[str, Callable[[Tree, DocumentPath, Import], Iterator[Target]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "vue": _script,
    "svelte": _script,
    "go": _go,
    "rust": _rust,
}


def last_step(module: str) -> str:
    """The last word of a module as written: what a document that imports it has to say."""
    words: Sequence[str] = re.findall(r"\w[\w-]*", re.sub(r"\.(?:h|hpp|hh|js|ts|mjs|cjs|rb|py|php|css)$", "", module))
    return words[-1] if words else ""
