"""Orientation maps: a page that a person wrote about a tree: where things live, how to build, what never to edit.

The file that the registry names (``prompt_file``) counts first, then the map in the tree
(``.knowledge/orientation.md``), then the user's own (``rules.d/corpora/<name>.md`` in the configuration folder); a tree
that has none of them has none, and nothing is invented for it (rows C1, M1). One in the tree is content of the tree: it
is read as every document is, an unsaved buffer first, it has no authority over anything, and an ignore rule that hides
it is reported. No path comes from a text of the tree: the registry is the user's, and the other places are fixed
(pitfall SE10).
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Literal

import msgspec

from ..kb import replace
from ..kb.model import DocumentPath
from ..kb.overlay import Overlay
from ..kb.paths import Root, printable
from ..kb.source import Reading, Refusal
from ..kb.text import decode

IN_TREE = DocumentPath(".knowledge/orientation.md")
OF_USER = os.path.join("rules.d", "corpora")
MAX_BYTES = 64 * 1024
"""A map is a page; a longer file is cut here and says so."""
MAX_PART = 400
"""Characters of the part of a map that is shown for one place."""

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_LEAD = re.compile(r"^[ \t]*(?:#{1,6}|[-*+]|\d{1,3}[.)]|\|)[ \t]+")

_HIDDEN = (
    "{path} is there and not used ({why}): `git check-ignore -v {path}` names the rule that hides it, "
    "or add `!/{path}` to .gazetteerignore."
)

Reader = Callable[[DocumentPath], Overlay | Reading | Refusal]
"""Reads a document as it is now: `KnowledgeBase.current`."""


class Orientation(msgspec.Struct, frozen=True):
    """The map of a tree, and where it is; without one, where one would be."""

    path: str  # absolute, as the caller spells the tree
    origin: Literal["tree", "user"] | None = None
    text: str = ""
    notices: tuple[str, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether there is a map."""
        return self.origin is not None


class Place(msgspec.Struct, frozen=True):
    """Where a map may be: a file, and the document of the tree that it is, if it is one."""

    path: str  # absolute, as the caller spells the tree
    document: DocumentPath | None = None
    named: bool = False  # the registry names it


def places(root: Root, name: str, config_folder: str, prompt_file: str = "") -> tuple[Place, ...]:
    """Where the map of a tree may be, the one that counts first.

    Args:
        root: the tree.
        name: what its corpus is called.
        config_folder: the user's configuration folder.
        prompt_file: the file that the registry names; it belongs to the user, but may lie in the tree.
    """
    found = [Place(root.absolute(IN_TREE), IN_TREE), Place(user_map_path(config_folder, name))]
    if prompt_file:
        inside = root.document(prompt_file)
        named = Place(prompt_file if inside is None else root.absolute(inside), inside, named=True)
        found = [named, *(place for place in found if place.path != named.path)]
    return tuple(found)


def read_map(root: Root, name: str, config_folder: str, read: Reader, prompt_file: str = "") -> Orientation:
    """Return the map of a tree; what `places` takes, and ``read``, which reads documents of the tree by its rules."""
    notices: tuple[str, ...] = ()
    for place in places(root, name, config_folder, prompt_file):
        if place.document is None:
            text, said = _read_file(place.path)
        else:
            text, said = _read_document(root, place.document, read)
        notices += said
        if text is not None:
            return Orientation(place.path, "tree" if place.document is not None else "user", text, notices)
        if place.named and not said:
            notices += (f"{printable(place.path)}, which the registry names as the map, is not there; write it.",)
    return Orientation(root.absolute(IN_TREE), None, "", notices)


def _read_document(root: Root, document: DocumentPath, read: Reader) -> tuple[str | None, tuple[str, ...]]:
    found = read(document)
    if not isinstance(found, Refusal):
        return _bounded(found.text)
    if os.path.lexists(os.path.join(root.real, document)):
        return None, (_HIDDEN.format(path=printable(document), why=found.reason.value.replace("_", " ")),)
    return None, ()


def user_map_path(config_folder: str, name: str) -> str:
    """Where a user keeps the map of a corpus; its name is one step of a path, whatever is in it."""
    step = name.replace("/", "_").replace("\\", "_").replace("\0", "_")
    return os.path.join(config_folder, OF_USER, f"{step if step.strip('.') else '_'}.md")


def read_own(path: str) -> str:
    """Return a map that is no document of the tree; "" where there is none that can be read."""
    return _read_file(path)[0] or ""


def _bounded(text: str) -> tuple[str, tuple[str, ...]]:
    if len(text) <= MAX_BYTES:
        return text, ()
    return text[:MAX_BYTES], (f"The map is longer than {MAX_BYTES // 1024} KB; only its beginning is used.",)


def _read_file(path: str) -> tuple[str | None, tuple[str, ...]]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None, ()
        return None, (f"{path} cannot be read ({error.strerror}); allow this user to read it.",)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None, (f"{path} is not a file; remove it or put one there.",)
        data = file.read(MAX_BYTES * 4)
    return _bounded(decode(data).text)


# -- the part for a place ---------------------------------------------------------------------------------------------


def part_for(text: str, path: DocumentPath) -> str:
    """Return what a map says of the document at ``path``, or of the nearest folder around it that it names; else "".

    It is the list item, table row, line of a listing, or heading with its first paragraph that names the place, on one
    line.
    """
    blocks = list(_blocks(_without_comments(text[:MAX_BYTES])))
    steps = path.split("/")
    for depth in range(len(steps), 0, -1):
        names = _naming("/".join(steps[:depth]), folder=depth < len(steps))
        for named, said in blocks:
            if names.search(named):
                line = " ".join(_LEAD.sub("", said).replace("|", " ").split())
                return line if len(line) <= MAX_PART else f"{line[: MAX_PART - 1]}…"
    return ""


def _without_comments(text: str) -> str:
    """Leave out ``<!-- ... -->``; a pattern for it takes minutes where many are opened and none is closed."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join((*kept, text[at:]))


def _naming(place: str, *, folder: bool) -> re.Pattern[str]:
    """What names a place: its path as a whole; a single word has to look like a folder, for prose is full of words."""
    word = re.escape(place)
    alone = folder and "/" not in place
    behind = r"(?:/(?![\w.-])|/\*+)" if alone else r"(?:/\*+|/(?![\w.-])|(?![\w/-]|\.\w))"
    quoted = rf"|`{word}/?`" if alone else ""
    return re.compile(rf"(?<![\w./-])(?:\./)?{word}{behind}{quoted}")


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Pieces of a map: the line in which each may name a place, and all that it says."""
    lines = text.split("\n")
    fenced = False
    at = 0
    while at < len(lines):
        line = lines[at]
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced or "|" in line:
            yield line, line
        elif _HEADING.match(line):
            told = next((one for one in lines[at + 1 : at + 4] if one.strip()), "")
            yield line, line if _HEADING.match(told) or _FENCE.match(told) else f"{line}: {_LEAD.sub('', told)}"
        elif line.strip():
            end = at + 1
            while end < len(lines) and lines[end].strip() and not _begins(lines[end]):
                end += 1
            yield "\n".join(lines[at:end]), " ".join(one.strip() for one in lines[at:end])
            at = end - 1
        at += 1


def _begins(line: str) -> bool:
    return any(form.match(line) for form in (_ITEM, _HEADING, _FENCE))


# -- a new one --------------------------------------------------------------------------------------------------------


def create(root: Root, text: str, notes: str = "") -> None:
    """Write a map into the tree, where there is none: whole or not at all, and through no link.

    Args:
        root: the tree.
        text: the map.
        notes: where unfinished writes are noted; see `replace.create`.

    Raises:
        ConflictError: there is one already.
        RefusedError: the place cannot be written.
        UnavailableError: the disk is full.
    """
    folder = os.path.join(root.real, os.path.dirname(IN_TREE))
    with suppress(OSError):  # what is wrong with it is said by what follows
        os.mkdir(folder)
    try:
        replace.create(root.real, IN_TREE, text.encode("utf-8", "replace"), notes)
    except BaseException:
        with suppress(OSError):
            os.rmdir(folder)  # only if nothing is in it
        raise


_BUILD_FILES = frozenset(
    re.findall(
        r"\S+",
        """
        Makefile CMakeLists.txt pyproject.toml setup.py noxfile.py tox.ini package.json Cargo.toml go.mod pom.xml
        build.gradle build.gradle.kts build.sbt Gemfile Rakefile composer.json Package.swift mix.exs build.zig
        meson.build stack.yaml justfile Dockerfile
        """,
    )
)


def skeleton(name: str, paths: Iterable[DocumentPath]) -> str:
    """Return the text that a new map starts from: what there is to say something about, and nothing said of it."""
    counts: dict[str, int] = {}
    builds = []
    for path in paths:
        top, _, rest = path.partition("/")
        if rest:
            counts[top] = counts.get(top, 0) + 1
        elif top in _BUILD_FILES:
            builds.append(top)
    folders = "".join(
        f"- `{_step(top)}/` ({count} {'file' if count == 1 else 'files'}): \n"
        for top, count in sorted(counts.items())
        if not top.startswith(".")
    )
    build = ", ".join(f"`{one}`" for one in sorted(builds))
    return (
        f"# Orientation: {_step(name)}\n\n"
        "<!-- A page at most. Say what a newcomer cannot see from the names; leave out what you do not know. -->\n\n"
        f"## Where things live\n\n{folders or '- '}\n"
        f"## How to build and test\n\n{f'Here are {build}.' if build else ''}\n\n"
        "## What never to edit\n\n- \n"
    )


def _step(name: str) -> str:
    """A name of the tree as it can stand in a text: on one line, and ending no code span."""
    return "".join("?" if one == "`" or not one.isprintable() else one for one in name)
