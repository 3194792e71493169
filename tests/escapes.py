"""Ways out of a tree: how a path beside it may be spelled, and the links that some spellings go through (SE01, SE02).

``{folder}`` in a spelling is the folder that the tree is in, under the name ``tree``.
"""

from pathlib import Path

SPELLINGS = (
    "../outside.py",
    "./../outside.py",
    "sub/../../outside.py",
    "sub/./../../outside.py",
    "..//outside.py",
    "sub//..//..//outside.py",
    "%2e%2e/outside.py",
    "%2E%2E%2Foutside.py",
    "..%2foutside.py",
    "sub/%2e%2e/%2e%2e/outside.py",
    "..\\outside.py",
    "sub\\..\\..\\outside.py",
    "{folder}/outside.py",
    "/{folder}/outside.py",
    "{folder}/tree/../outside.py",
    "{folder}/tree2/outside.py",
    "file://{folder}/outside.py",
    "~/outside.py",
    "~root/outside.py",
    "link.py",
    "linked/outside.py",
    "linked/tree/../outside.py",
    "sub/up/outside.py",
    "/proc/self/cwd/../outside.py",
    "a.py/../../outside.py",
)
"""Each would be a file beside the tree if it were taken for what it may look like."""
NO_FILES = ("~", "", ".", "a.py\0")
"""Spellings of no file at all."""


def spelled(spelling: str, tree: Path) -> str:
    """The spelling for a tree."""
    return spelling.replace("{folder}", str(tree.parent))


def lay(tree: Path, data: bytes) -> list[Path]:
    """Put files with ``data`` beside a tree, and links to them into it; returns the files."""
    outside = [tree.parent / "outside.py", tree.parent / "tree2" / "outside.py"]
    for file in outside:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
    (tree / "sub").mkdir(exist_ok=True)
    (tree / "link.py").symlink_to(outside[0])
    (tree / "linked").symlink_to(tree.parent)
    (tree / "sub" / "up").symlink_to("../..")
    return outside
