"""What imports mean where modules are more than paths: Python, JavaScript and TypeScript, Go, Rust, BitBake.

Each rule gives the documents of a tree that an import means, best first; nothing for what lies outside of it.
"""

import re
import sys
from collections.abc import Callable, Iterator

import msgspec

from ..kb.model import DocumentPath, Import
from .tree_paths import Tree, folder_of, join

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json")
_SCRIPT_ENDING = re.compile(r"\.([cm]?)jsx?$")
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_READ = 8
"""Texts read to make sure of a module's name."""


class Target(msgspec.Struct, frozen=True):
    """A document that an import means, and the name that is taken from it ("" for all of it)."""

    path: DocumentPath
    name: str = ""


# -- Python ---------------------------------------------------------------------------------------------------------


def _python(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    module = taken.module.lstrip(".")
    level = len(taken.module) - len(module)
    steps = module.replace(".", "/")
    folder = folder_of(path)
    if level:
        for _ in range(level - 1):
            if not folder:
                return
            folder = folder_of(folder)
        whole = _python_file(tree, join(folder, steps) if steps else folder)
        base = join(folder, steps) if steps else folder
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
    for base in dict.fromkeys((steps, f"src/{steps}", join(folder_of(path), steps))):
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
        found = _script_file(tree, join(folder_of(path), module))
    elif module.startswith(("@/", "~/")):
        found = next((one for top in ("src", "app", "") if (one := _script_file(tree, join(top, module[2:])))), None)
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
            top, inner = folder_of(one), "/".join(rest)
            bases = (
                [f"src/{inner}", inner, f"lib/{inner}"] if inner else ["src/index", "index", "src/main", "lib/index"]
            )
            return next((found for base in bases if (found := _script_file(tree, join(top, base)))), one)
    return None


# -- Go and Rust ----------------------------------------------------------------------------------------------------


def _go(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    folder = folder_of(path)
    while True:
        at = join(folder, "go.mod")
        if tree.has(at):
            break
        if not folder:
            return
        folder = folder_of(folder)
    said = _GO_MODULE.search(tree.text_of(DocumentPath(at)))
    if said is None:
        return
    module = said[1].strip('"')
    if taken.module == module or taken.module.startswith(f"{module}/"):
        inner = join(folder, taken.module[len(module) + 1 :]) if taken.module != module else folder
    else:
        inner = join(folder, f"vendor/{taken.module}")
    for one in tree.inside(inner, (".go",)):
        if folder_of(one) == inner and not one.endswith("_test.go"):
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
        base = folder_of(own)
        while rest and rest[0] == "super":
            base, rest = folder_of(base), rest[1:]
    else:
        outer = [one for name in (first, first.replace("_", "-")) for one in tree.ending(f"{name}/src/lib.rs", path)]
        base, inner = (folder_of(outer[0]), rest) if outer else (own, steps)
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
    return folder if stem in ("mod", "lib", "main") else join(folder, stem)


def _rust_crate(tree: Tree, path: str) -> str:
    folder = folder_of(path)
    while folder and not (tree.has(f"{folder}/lib.rs") or tree.has(f"{folder}/main.rs")):
        folder = folder_of(folder)
    return folder


def _rust_file(tree: Tree, base: str) -> DocumentPath | None:
    names = (f"{base}.rs", f"{base}/mod.rs", f"{base}/lib.rs", f"{base}/main.rs")
    return next((DocumentPath(name) for name in names if tree.has(name)), None)


# -- BitBake --------------------------------------------------------------------------------------------------------

_CLASS_FOLDERS = ("classes-recipe", "classes-global", "classes")
_EXPANSION = re.compile(r"\$\{[^{}]*\}")


def _bitbake(tree: Tree, path: DocumentPath, taken: Import) -> Iterator[Target]:
    """A class by its name, from any layer; a file beside the document, or below a layer: the nearest one counts."""
    module = taken.module
    if "/" not in module and "$" not in module:
        found = [one for folder in _CLASS_FOLDERS for one in tree.ending(f"{folder}/{module}.bbclass", path)]
        found = found or tree.ending(f"{module}.bbclass", path)
        if found:
            yield Target(found[0])
            return
    name, _, version = path.rpartition("/")[2].rpartition(".")[0].partition("_")
    for variable, value in (("PN", name), ("BPN", name), ("PV", version), ("BP", f"{name}-{version}")):
        module = module.replace(f"${{{variable}}}", value)
    while (top := _EXPANSION.match(module)) is not None and module[top.end() :].startswith("/"):
        module = module[top.end() + 1 :]  # ``${COREBASE}/`` and its like are the tops of layers
    if not module or "$" in module or "\0" in module:
        return
    beside = join(folder_of(path), module)
    if beside and beside != path and tree.has(beside):
        yield Target(DocumentPath(beside))
    elif not module.startswith("."):
        yield from (Target(one) for one in tree.ending(module, path)[:1] if one != path)


RULES: dict[str, Callable[[Tree, DocumentPath, Import], Iterator[Target]]] = {
    "python": _python,
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "vue": _script,
    "svelte": _script,
    "go": _go,
    "rust": _rust,
    "bitbake": _bitbake,
}
