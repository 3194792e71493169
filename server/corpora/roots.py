"""Which tree a command is about.

Without a root named, it is the nearest ancestor of the current folder that holds ``.git`` or ``knowledge.yaml`` or is
registered, else the current folder. The home folder and ``/`` are never chosen by that search, unless somebody has
registered them: a question asked in passing must not index everything that a person has. Naming them is allowed.
Nothing is read here but whether a path exists.
"""

import os
from collections.abc import Callable

from ..kb.errors import InvalidArgumentError, NotFoundError, RefusedError

MARKERS = (".git", "knowledge.yaml")
"""Either of these makes a folder the root of a tree; ``.git`` is a file in worktrees and submodules."""


def find_root(
    named: str | None = None,
    *,
    start: str | None = None,
    home: str | None = None,
    gone: bool = False,
    registered: Callable[[str], bool] | None = None,
) -> str:
    """Return the real path of the tree to work on.

    Args:
        named: what the user said, or None to search from ``start`` upwards.
        start: the folder to search from; the current folder by default.
        home: the user's home folder; ``~`` by default.
        gone: a tree that is named need not be there any more.
        registered: whether a folder, by its real path, is the root of a registered tree.

    Raises:
        NotFoundError: there is no such folder.
        InvalidArgumentError: the root is not a folder.
        RefusedError: the search ended at the home folder or ``/``.
    """
    if named is not None:
        return os.path.realpath(named) if gone and named and not os.path.lexists(named) else _usable(named)
    try:
        here = os.path.realpath(os.getcwd() if start is None else start)
    except OSError:
        raise NotFoundError("The current folder is gone; change to another one, or name a tree with --root.") from None
    broad = {os.path.realpath(os.path.expanduser("~") if home is None else home), os.path.realpath(os.sep)}
    for folder in _upwards(here):
        marked = folder not in broad and any(os.path.lexists(os.path.join(folder, marker)) for marker in MARKERS)
        if marked or (registered is not None and registered(folder)):
            return _usable(folder)
    if here in broad:
        raise RefusedError(
            f"{here} is not indexed unless it is named; change to the tree that you mean, or give --root {here}.",
            root=here,
        )
    return _usable(here)


def _upwards(folder: str) -> list[str]:
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(folder := parent)
    return found


def _usable(root: str) -> str:
    if not root or "\0" in root:
        raise InvalidArgumentError("The root is empty; name a folder with --root.", root=root)
    real = os.path.realpath(root)
    if not os.path.exists(real):
        raise NotFoundError(f"There is no folder {root}; check the spelling of --root.", root=root)
    if not os.path.isdir(real):
        raise InvalidArgumentError(f"{root} is a file, not a folder; name the folder that holds it.", root=root)
    return real
