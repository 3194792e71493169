"""``doctor``: trouble on this machine that would spoil an index, each with its remedy.

It opens no index and changes nothing, so that it runs when nothing else does.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from .. import __version__
from ..kb.errors import GazetteerError
from ..retrieval.query import to_wire
from .options import Invocation, tree_command
from .output import Line
from .show_state import count, size
from .upkeep import UNWELL

Verdict = Literal["ok", "warn", "bad"]

NETWORK_FILE_SYSTEMS = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"smb2", "smb3", "smbfs", "vboxsf"}
    | {"fuse.davfs2", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
)
"""File systems on which locks and shared memory cannot be trusted, as the kernel names them."""
LEAST_ROOM = 256 * 1024 * 1024
LIBRARIES = ("tree-sitter", "tantivy", "msgspec", "filelock")


class Diagnosis(msgspec.Struct, frozen=True, rename="camel"):
    """One thing looked at. ``remedy`` is what to do about it, "" when it is well."""

    name: str
    verdict: Verdict
    found: str
    remedy: str = ""


@tree_command
def doctor(invocation: Invocation) -> int:
    """Look for trouble on this machine that would spoil an index.

    Exits with 3 when something is bad; a warning costs comfort only.
    """
    found = [diagnosis for look in LOOKS for diagnosis in look(invocation)]
    if invocation.output.as_json:
        invocation.output.data({"diagnoses": to_wire(found), "ok": _well(found)})
    else:
        invocation.output.lines(_lines(found))
    return 0 if _well(found) else UNWELL


def _well(found: list[Diagnosis]) -> bool:
    return all(diagnosis.verdict != "bad" for diagnosis in found)


def _lines(found: list[Diagnosis]) -> Iterator[Line]:
    styles = {"ok": "good", "warn": "warn", "bad": "bad"}
    for diagnosis in found:
        yield ((styles[diagnosis.verdict], f"{diagnosis.verdict:<5}"), ("", f"{diagnosis.name:<14}{diagnosis.found}"))
        if diagnosis.remedy:
            yield (("dim", " " * 19), ("", diagnosis.remedy))


def _program(_invocation: Invocation) -> Iterator[Diagnosis]:
    yield Diagnosis("gazetteer", "ok", f"{__version__}, Python {sys.version.split()[0]}")
    missing = [name for name in LIBRARIES if not _installed(name)]
    if missing:
        yield Diagnosis("libraries", "bad", f"missing: {', '.join(missing)}", "Install gazetteer again.")
    else:
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES)
        yield Diagnosis("libraries", "ok", versions)


def _installed(distribution: str) -> bool:
    return any(True for _ in importlib.metadata.distributions(name=distribution))


def _git(_invocation: Invocation) -> Iterator[Diagnosis]:
    program = shutil.which("git")
    if program is None:
        remedy = "Install git; without it, trees are walked more slowly and global ignore rules do not count."
        yield Diagnosis("git", "warn", "not found", remedy)
        return
    try:
        words = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
        yield Diagnosis("git", "ok", words.strip().removeprefix("git version "))
    except (OSError, subprocess.SubprocessError) as error:
        yield Diagnosis("git", "warn", f"does not run ({error})", "Repair git; until then trees are walked without it.")


def _cache(invocation: Invocation) -> Iterator[Diagnosis]:
    """Look at the folder of all indexes: can it be written, is it private, is there room, is it local."""
    try:
        folder = invocation.settings.index_root()
    except GazetteerError as error:
        yield Diagnosis("index folder", "bad", error.message)
        return
    place = _nearest(folder)
    if not os.path.isdir(place):
        yield Diagnosis("index folder", "bad", f"{place} is not a folder", "Name another one with --db-path.")
        return
    if not os.access(place, os.W_OK | os.X_OK):
        yield Diagnosis(
            "index folder", "bad", f"{place} cannot be written", "Allow it, or name another one with --db-path."
        )
    else:
        yield Diagnosis("index folder", "ok", folder + ("" if place == folder else " (not made yet)"))
    kind = file_system(place)
    if kind in NETWORK_FILE_SYSTEMS:
        remedy = "Name a folder on a local disk with --db-path or GAZETTEER_DB_PATH; locks cannot be trusted here."
        yield Diagnosis("file system", "bad", f"{folder} is on a network file system ({kind})", remedy)
    elif kind:
        yield Diagnosis("file system", "ok", kind)
    room = shutil.disk_usage(place).free
    remedy = "" if room >= LEAST_ROOM else f"Make room: an index needs up to {size(LEAST_ROOM)}."
    yield Diagnosis("room", "warn" if remedy else "ok", f"{size(room)} free", remedy)


def _tree(invocation: Invocation) -> Iterator[Diagnosis]:
    from ..corpora.config import read_config

    try:
        root = invocation.root()
        yield Diagnosis("tree", "ok", root)
        read_config(root)
        if os.path.exists(os.path.join(root, "knowledge.yaml")):
            yield Diagnosis("settings", "ok", "knowledge.yaml is valid")
    except GazetteerError as error:
        yield Diagnosis("tree", "bad", error.message)


def _registry(invocation: Invocation) -> Iterator[Diagnosis]:
    """Look at the registry: a fault of it costs what it names, and nothing else."""
    found = invocation.catalogue().current()
    for fault in (*found.notices, *found.broken.values(), *found.unknown):
        yield Diagnosis("registry", "warn", fault)
    for corpus in found.corpora.values():
        if not corpus.there:
            yield Diagnosis("registry", "warn", corpus.absent().message)
    if found.corpora:
        yield Diagnosis("registry", "ok", f"{count(len(found.corpora), 'tree')} in {found.file}")


def _terminal(_invocation: Invocation) -> Iterator[Diagnosis]:
    encoding = (sys.stdout.encoding if sys.stdout is not None else None) or "unknown"
    if encoding.lower().replace("-", "") == "utf8":
        yield Diagnosis("terminal", "ok", "UTF-8")
    else:
        remedy = "Set a UTF-8 locale (or PYTHONUTF8=1) to see letters instead of escapes."
        yield Diagnosis("terminal", "warn", f"says {encoding}", remedy)


LOOKS: tuple[Callable[[Invocation], Iterator[Diagnosis]], ...] = (_program, _git, _cache, _tree, _registry, _terminal)
"""What is looked at, in order."""


def _nearest(folder: str) -> str:
    """Return the nearest ancestor that exists."""
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def file_system(folder: str, mounts: str = "/proc/self/mounts") -> str:
    """Return the kernel's name for the file system of ``folder``, "" where the system does not tell."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            rows = [line.split() for line in table]
    except OSError:
        return ""
    real = os.path.realpath(folder)
    kind, longest = "", -1
    for row in rows:
        point = row[1].encode("utf-8", "surrogateescape").decode("unicode_escape") if "\\" in row[1] else row[1]
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        # a later mount over the same point hides the earlier one
        if inside and len(point) >= longest:
            kind, longest = row[2], len(point)
    return kind
