"""One pass over a tree: every folder that counts is opened once, every file that counts is asked for its signature.

Iterative, in one order for one tree (level by level, names sorted, folders that look like other people's code last),
and never through a symbolic link: folders are opened as what they are, their entries are asked through that opening,
so that a link that is put in place of a folder meanwhile leads nowhere. Loops therefore cannot be.

Where git can be asked, what it lists is the truth about files; our own rules then only say which folders it must have
looked into (an empty one has to be watched, too). ``.gazetteerignore`` has the last word over all of git's rules: it
may hide what is tracked, and take back with ``!`` what they hide. As in git, what lies in a hidden folder can only be
taken back together with the folder (``!build/``), and inside it git's rules hold again.
"""

import os
import stat
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from operator import attrgetter

from . import ignore
from .errors import CancelledError, UnavailableError
from .ignore import RuleList
from .model import DocumentPath, Signature
from .passing import lacks, passes
from .scan_rules import VENDORED, Refusal, Sieve

GIT_RULES, OWN_RULES = ".gitignore", ".gazetteerignore"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FILE, _FOLDER, _LINK, _SPECIAL = "fdls"
_BY_NAME = attrgetter("name")
EXAMPLES = 5

Content = list[tuple["os.DirEntry[str]", str]]


@dataclass(frozen=True, slots=True)
class Ground:
    """What holds for the whole pass. ``listed`` is what git lists, None when git is not asked."""

    root: str
    sieve: Sieve
    max_file_bytes: int
    max_files: int
    exclude_nested_repos: bool
    taken_ns: int
    listed: frozenset[str] | None = None
    on_the_way: frozenset[str] = frozenset()  # folders that hold something of ``listed``
    around: tuple[RuleList, ...] = ()  # rules of folders above the root and of the repository, nearest first
    personal: tuple[RuleList, ...] = ()  # the person's own rules, for every repository
    fold_case: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What holds inside one folder. ``lead`` is its path and a ``/``, or nothing at the root."""

    lead: str
    rules: tuple[RuleList, ...]  # git's, nearest first
    own_rules: tuple[RuleList, ...] = ()
    listed: bool = False  # what git lists decides here
    hidden: bool = False  # the folder is ignored; only what git tracks in it counts


@dataclass(slots=True)
class Found:
    """What a pass found; ``beyond`` counts files past the limit by their folder."""

    files: dict[DocumentPath, Signature] = field(default_factory=dict)
    directories: dict[DocumentPath, Signature] = field(default_factory=dict)
    contents: dict[DocumentPath, int] = field(default_factory=dict)
    rule_files: dict[str, Signature | None] = field(default_factory=dict)
    refused: Counter[Refusal] = field(default_factory=Counter)
    examples: dict[Refusal, list[str]] = field(default_factory=dict)
    oversize: dict[DocumentPath, Signature] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    beyond: Counter[str] = field(default_factory=Counter)

    def refuse(self, reason: Refusal, path: str) -> None:
        """Count a refusal, and keep the first few as examples."""
        self.refused[reason] += 1
        if self.refused[reason] <= EXAMPLES:
            self.examples.setdefault(reason, []).append(path)

    def doubt(self, folder: str) -> None:
        """Note that something in a folder is not, or was not when git listed it, what it was when the folder was read.

        Then the same entries later do not mean the same files: the tree is listed again once the folder has changed.
        """
        self.contents.pop(DocumentPath(folder), None)


def content_key(folder: str) -> int:
    """Return a number that stays the same while a folder has the same entries of the same kinds.

    Raises OSError when the folder cannot be read.
    """
    descriptor = os.open(folder, _OPEN | os.O_DIRECTORY)
    try:
        return _content_key(_content(descriptor))
    finally:
        os.close(descriptor)


def signature_of(path: str, taken_ns: int) -> Signature | None:
    """Return the signature of what ``path`` leads to; None when that is not there or out of reach."""
    try:
        return Signature.of(os.stat(path), taken_ns)
    except OSError:
        return None


def start(ground: Ground) -> Frame:
    """Return the frame of the root, before its own ignore files are read."""
    return Frame("", ground.around + ground.personal, listed=ground.listed is not None)


def walk(ground: Ground, should_stop: Callable[[], bool] | None = None) -> Found:
    """List the tree.

    Raises UnavailableError when the root cannot be opened, CancelledError when ``should_stop`` says so. A folder below
    that cannot be opened is in ``failed``.
    """
    found = Found()
    near, far = deque([start(ground)]), deque[Frame]()
    while near or far:
        if should_stop is not None and should_stop():
            raise CancelledError("The listing was stopped; ask again.")
        frame = near.popleft() if near else far.popleft()
        for name, child in _folder(ground, frame, found):
            (far if name in VENDORED else near).append(child)
    return found


def _folder(ground: Ground, frame: Frame, found: Found) -> list[tuple[str, Frame]]:
    """List one folder, and return the frames of the folders in it."""
    path = frame.lead[:-1]
    try:
        descriptor = os.open(os.path.join(ground.root, path), _OPEN | os.O_DIRECTORY)
    except OSError as error:
        _cannot_open(ground, path, error, found)
        return []
    try:
        known = Signature.of(os.fstat(descriptor), ground.taken_ns)
        content = _content(descriptor)
        found.directories[DocumentPath(path)] = known
        found.contents[DocumentPath(path)] = _content_key(content)
        within = inside(ground, frame, {entry.name for entry, _ in content}, descriptor, found.rule_files)
        if isinstance(within, Refusal):
            found.refuse(within, path)
            return []
        return _entries(ground, within, content, found)
    except OSError as error:
        _cannot_open(ground, path, error, found)
        return []
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> Content:
    with os.scandir(descriptor) as entries:
        return [(entry, _kind(entry)) for entry in sorted(entries, key=_BY_NAME)]


def _kind(entry: "os.DirEntry[str]") -> str:
    if entry.is_file(follow_symlinks=False):
        return _FILE
    if entry.is_dir(follow_symlinks=False):
        return _FOLDER
    return _LINK if entry.is_symlink() else _SPECIAL


def _content_key(content: Content) -> int:
    said = "\0".join(("".join(kind for _, kind in content), *(entry.name for entry, _ in content)))
    return int.from_bytes(blake2b(said.encode(errors="surrogateescape"), digest_size=7).digest(), "big")


def _entries(ground: Ground, frame: Frame, content: Content, found: Found) -> list[tuple[str, Frame]]:
    folder, folders = frame.lead[:-1], []
    for entry, kind in content:
        name = entry.name
        if name == ".git":
            continue
        path = frame.lead + name
        reason: Refusal | None
        if kind == _FILE:
            reason = refuse(ground, frame, path, name)
            if reason is None:
                try:
                    reason = _keep(ground, frame, path, entry.stat(follow_symlinks=False), found)
                except FileNotFoundError:  # since the folder was read
                    found.doubt(folder)
                    continue
                if reason in (Refusal.LINK, Refusal.SPECIAL):
                    found.doubt(folder)
            elif reason is Refusal.IGNORED and _is_new(ground, frame, path, name, found):
                found.doubt(folder)
        elif kind == _FOLDER:
            child = enter(ground, frame, path, name)
            if isinstance(child, Frame):
                folders.append((name, child))
                continue
            reason = child
        else:
            reason = Refusal.LINK if kind == _LINK else Refusal.SPECIAL
        if reason is not None:
            found.refuse(reason, path)
    return folders


def _keep(ground: Ground, frame: Frame, path: str, status: os.stat_result, found: Found) -> Refusal | None:
    if not stat.S_ISREG(status.st_mode):
        return Refusal.LINK if stat.S_ISLNK(status.st_mode) else Refusal.SPECIAL
    if status.st_size > ground.max_file_bytes:
        found.oversize[DocumentPath(path)] = Signature.of(status, ground.taken_ns)
        return Refusal.SIZE
    if len(found.files) < ground.max_files:
        found.files[DocumentPath(path)] = Signature.of(status, ground.taken_ns)
    else:
        found.beyond[frame.lead[:-1]] += 1
    return None


def unreadable(root: str, error: OSError) -> UnavailableError:
    """The error for whoever needs a tree whose folder cannot be opened, in the same words wherever that is met."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return UnavailableError(f"The folder {root} is not there; bring it back and ask again.", root=root)
    why = error.strerror
    return UnavailableError(f"The folder {root} cannot be read ({why}); make it readable and ask again.", root=root)


def _cannot_open(ground: Ground, path: str, error: OSError, found: Found) -> None:
    """A folder that is gone was never there; one that cannot be read must not look like an empty one."""
    if not path:
        raise unreadable(ground.root, error) from error
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        found.doubt(path.rpartition("/")[0])
        return
    found.failed.append(path)
    found.contents.pop(DocumentPath(path), None)
    try:
        known = os.lstat(os.path.join(ground.root, path))
    except OSError:
        return
    # what passes leaves the folder as it was: then only looking into it again tells
    found.directories[DocumentPath(path)] = Signature.of(known, 0 if passes(error) else ground.taken_ns)


# ---------------------------------------------------------------- one entry


def enter(ground: Ground, frame: Frame, path: str, name: str) -> Frame | Refusal:
    """Return the frame of the folder ``path`` in ``frame``, or why it is not entered."""
    refusal = ground.sieve.directory(path, name)
    if refusal is not None:
        return refusal
    taken_back = False
    if frame.own_rules:
        own = ignore.verdict(frame.own_rules, os.fsencode(path), os.fsencode(name), True)
        if own:
            return Refusal.IGNORED
        taken_back = own is False
    if taken_back:
        return Frame(path + "/", frame.rules, frame.own_rules)
    hidden = frame.hidden or _ignored(frame, path, name, True)
    if hidden and path not in ground.on_the_way:
        return Refusal.IGNORED
    return Frame(path + "/", frame.rules, frame.own_rules, frame.listed, hidden)


def refuse(ground: Ground, frame: Frame, path: str, name: str) -> Refusal | None:
    """Return why the regular file ``path`` in ``frame`` is not listed, as far as its path says."""
    own: bool | None = None
    if frame.own_rules:
        own = ignore.verdict(frame.own_rules, os.fsencode(path), os.fsencode(name), False)
    if own is None and not (ground.listed is not None and path in ground.listed):
        own = frame.listed or frame.hidden or _ignored(frame, path, name, False)
    return Refusal.IGNORED if own else ground.sieve.file(path, name)


def _is_new(ground: Ground, frame: Frame, path: str, name: str, found: Found) -> bool:
    """Say whether a file was left out for want of being there when git listed."""
    if not frame.listed or found.directories[DocumentPath(frame.lead[:-1])].trusted():
        return False
    return refuse(ground, replace(frame, listed=False), path, name) is None


def _ignored(frame: Frame, path: str, name: str, directory: bool) -> bool:
    if not frame.rules:
        return False
    return ignore.verdict(frame.rules, os.fsencode(path), os.fsencode(name), directory) is True


# ---------------------------------------------------------------- ignore files


def inside(
    ground: Ground, frame: Frame, names: set[str], descriptor: int, rule_files: dict[str, Signature | None]
) -> Frame | Refusal:
    """Return ``frame`` with the ignore files of its folder read, which is open and holds ``names``.

    As in git, an ignore file that is a link is not read. A nested repository is refused, or, where they are wanted,
    listed by its own ``.gitignore`` files.
    """
    rules, own_rules, listed = frame.rules, frame.own_rules, frame.listed
    if frame.lead and ".git" in names:
        folder = os.path.join(ground.root, frame.lead)
        if not is_repository(folder):
            rule_files[folder + ".git"] = signature_of(folder + ".git", ground.taken_ns)  # it may become one
        elif ground.exclude_nested_repos:
            sign = folder + (".git/HEAD" if os.path.isdir(folder + ".git") else ".git")
            rule_files[sign] = signature_of(sign, ground.taken_ns)  # it may cease to be one
            return Refusal.NESTED
        else:
            rules, listed = ground.personal, False
    strip = len(os.fsencode(frame.lead))
    if GIT_RULES in names:
        path = os.path.join(ground.root, frame.lead + GIT_RULES)
        data, rule_files[path] = _read_at(GIT_RULES, descriptor, ground.taken_ns)
        rules = (ignore.parse_rules(data, strip=strip, fold_case=ground.fold_case), *rules)
    if OWN_RULES in names:
        path = os.path.join(ground.root, frame.lead + OWN_RULES)
        data, rule_files[path] = _read_at(OWN_RULES, descriptor, ground.taken_ns)
        own_rules = (ignore.parse_rules(data, strip=strip), *own_rules)
    return Frame(frame.lead, rules, own_rules, listed, frame.hidden)


def look_inside(ground: Ground, frame: Frame) -> Frame | Refusal:
    """Do what ``inside`` does for a folder that is not open; raises OSError when it cannot be opened."""
    descriptor = os.open(os.path.join(ground.root, frame.lead), _OPEN | os.O_DIRECTORY)
    try:
        return inside(ground, frame, set(os.listdir(descriptor)), descriptor, {})
    finally:
        os.close(descriptor)


def read_rules(
    path: str, ground: Ground, rule_files: dict[str, Signature | None], *, lead: bytes = b"", strip: int = 0
) -> RuleList:
    """Read rules that lie outside of the tree; there a link is followed. A missing file has none, and is noted so.

    Raises UnavailableError when they cannot be read for now.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            data = file.read(ignore.MAX_RULE_BYTES)
    except OSError as error:
        if passes(error):  # what is ignored must not be listed for want of the rules
            remedy = "close something" if lacks(error) else "make the file readable, or remove it,"
            raise UnavailableError(
                f"The rules in {path} cannot be read ({error.strerror}); {remedy} and ask again.", file=path
            ) from error
        rule_files.setdefault(path, None)
        return ignore.NO_RULES
    rule_files[path] = Signature.of(status, ground.taken_ns)
    return ignore.parse_rules(data, lead=lead, strip=strip, fold_case=ground.fold_case)


def is_repository(folder: str) -> bool:
    """Say whether a folder that has a ``.git`` is one to git: a full ``.git`` folder, or a file that names one.

    Raises OSError when nobody can say for now.
    """
    inner = os.path.join(folder, ".git")
    if os.path.isdir(inner):
        return all(os.path.lexists(os.path.join(inner, part)) for part in ("HEAD", "objects", "refs"))
    try:
        with open(inner, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            return file.read(8) == b"gitdir: "
    except OSError as error:
        if passes(error):
            raise
        return False


def _read_at(name: str, descriptor: int, taken_ns: int) -> tuple[bytes, Signature | None]:
    try:
        opened = os.open(name, _OPEN, dir_fd=descriptor)
    except OSError as error:
        if passes(error):  # what is ignored must not be listed for want of the rules
            raise
        try:  # a link, or nobody may read it: noted as a sweep sees it
            return b"", Signature.of(os.stat(name, dir_fd=descriptor), taken_ns)
        except OSError:
            return b"", None
    try:
        status = os.fstat(opened)
        data = os.read(opened, ignore.MAX_RULE_BYTES) if stat.S_ISREG(status.st_mode) else b""
    finally:
        os.close(opened)
    return data, Signature.of(status, taken_ns)
