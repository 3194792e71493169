"""Asking git about a work tree without ever giving it a way to run the tree's code.

Every call has file system monitors, hooks and transports off, takes no lock, inherits none of our ``GIT_*`` variables,
is looked up in absolute ``PATH`` entries only, speaks NUL-separated bytes, is bounded in time and output, and ends when
whoever waits for it is told to stop. git's own check of who owns a repository stays on: a foreign one is refused by
git, and the caller then walks by itself. A git that gave no answer in time is not asked again for a while.

Nothing here decides what is indexed; that is ``scan``.
"""

import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, cast

from .errors import CancelledError, UnavailableError
from .passing import passes

TIMEOUT_S = 60.0
"""How long a whole tree may take to be listed."""
SHORT_S = 10.0
"""How long what depends on no size may take: it is milliseconds, unless a disk or a lock hangs."""
SILENT_S = 60.0
"""How long git is left alone about a tree once it gave no answer: whoever asks next does not wait as long again."""
LEAVE_S = 1.0
"""How long the end of a killed git is waited for: one that hangs on a disk that is gone ends when the disk is back."""
MAX_OUTPUT = 512 << 20
_KEPT = ("HOME", "XDG_CONFIG_HOME", "SUDO_UID", "TMPDIR")
_SET = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch, which could run a program that its config names
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SAFE = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.alternateRefsCommand="),
)

ShouldStop = Callable[[], bool]

_LASTING = (
    "dubious ownership",
    "unsafe repository",
    "not a git repository",
    "bad config",
    "unknown repository extension",
    "expected git repo version",
    "must be run in a work tree",
)
"""Of what git says when it refuses: what stays so until somebody changes the repository, or whose it is."""
_LACKING = (
    "out of memory",
    "cannot allocate memory",
    "unable to create thread",
    "resource temporarily unavailable",
    "too many open files",
)
"""What says nothing of the repository: that the machine lacks something for now."""
IN_TIME = "git gave no answer in time."

_silent: dict[str, float] = {}  # when git gave no answer about a folder
_left: list["subprocess.Popen[bytes]"] = []  # were killed, and have not ended yet


class NoAnswerError(UnavailableError):
    """git could not be asked, died, or said nothing in time. No file shows when that is over: it is asked again."""


@dataclass(frozen=True, slots=True)
class Repository:
    """What of a repository decides which files of its work tree count, besides the ``.gitignore`` files in it."""

    top: str  # the work tree's folder
    excludes: tuple[str, ...]  # files of rules for the whole work tree, strongest first
    index: str = ""  # the file that says what is tracked
    watched: tuple[str, ...] = ()  # configuration: a change of it can change the listing
    fold_case: bool = False


def find_top(root: str) -> str | None:
    """Return the nearest folder, from ``root`` upwards, that holds a ``.git``."""
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def plain_repository(top: str) -> Repository:
    """Return what is known of a repository without asking git, for when git cannot be asked."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    info = os.path.join(top, ".git", "info", "exclude")
    return Repository(top, (info, os.path.join(home, "git", "ignore")))


def open_repository(root: str, top: str, *, should_stop: ShouldStop | None = None) -> Repository:
    """Ask git about the repository around ``root``, whose work tree should be ``top``.

    Raises UnavailableError when git is missing, refuses, or means another work tree, CancelledError when
    ``should_stop`` says so.
    """
    names = ("info/exclude", "index", "config", "config.worktree")
    wanted = (argument for name in names for argument in ("--git-path", name))
    answer = _run(root, ("rev-parse", "--path-format=absolute", "--show-toplevel", *wanted), should_stop)
    lines = os.fsdecode(answer).removesuffix("\n").split("\n")
    if len(lines) != len(names) + 1 or os.path.realpath(lines[0]) != os.path.realpath(top):
        raise UnavailableError("git takes another folder for the work tree.")
    settings, origins = _settings(root, top, should_stop)
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    everywhere = os.path.expanduser(settings.get("core.excludesfile", os.path.join(home, "git", "ignore")))
    personal = (os.path.expanduser("~/.gitconfig"), os.path.join(home, "git", "config"))
    return Repository(
        top,
        (lines[1], os.path.join(top, everywhere)),
        lines[2],
        tuple(dict.fromkeys((*lines[3:], *personal, *origins))),
        fold_case=settings.get("core.ignorecase", "") in ("true", "yes", "on", "1"),
    )


def list_files(root: str, paths: Iterable[str] = (), *, should_stop: ShouldStop | None = None) -> frozenset[str]:
    """Return what git takes for content of the work tree below ``root``: tracked files and those not ignored.

    Paths are relative to ``root``; a nested repository ends in ``/``, a submodule is listed like a file; a tracked file
    may be gone. With ``paths``, only these and what is below them.

    Raises UnavailableError when git cannot say, CancelledError when ``should_stop`` says so.
    """
    paths = tuple(paths)
    patience_s = SHORT_S if paths else TIMEOUT_S
    answer = _run(root, ("ls-files", "-z", "-co", "--exclude-standard", "--", *paths), should_stop, patience_s)
    return frozenset(filter(None, os.fsdecode(answer).split("\0")))


# ---------------------------------------------------------------- the one way to call git


def _settings(root: str, top: str, should_stop: ShouldStop | None) -> tuple[dict[str, str], list[str]]:
    """Return the settings in force by lower-case key, and the files that they come from."""
    fields = os.fsdecode(_run(root, ("config", "-z", "--list", "--show-origin"), should_stop)).split("\0")
    settings: dict[str, str] = {}
    origins: dict[str, None] = {}
    for origin, entry in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        settings[key] = value
        if origin.startswith("file:"):
            origins[os.path.join(top, origin.removeprefix("file:"))] = None
    return settings, list(origins)


def _environment(path: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": path, **kept, **_SET}


def _run(root: str, arguments: Iterable[str], should_stop: ShouldStop | None = None, patience_s: float = 0.0) -> bytes:
    """Return what git says. Unless it is said, what is asked takes a short time."""
    _reap()
    if time.monotonic() - _silent.get(root, -SILENT_S) < SILENT_S:
        raise NoAnswerError(IN_TIME)
    path = os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)))
    program = shutil.which("git", path=path)
    if program is None:
        raise UnavailableError("git is not installed.")
    try:
        process = subprocess.Popen(
            (program, *_SAFE, "-C", root, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(path),
            cwd="/",
        )
    except OSError as error:
        failure = NoAnswerError if passes(error) else UnavailableError
        raise failure(f"git cannot be started ({error.strerror}).") from error
    try:
        out, complaint, status = _drain(process, should_stop, patience_s or SHORT_S)
    except OSError as error:
        raise NoAnswerError(f"git cannot be listened to ({error.strerror}).") from error
    except NoAnswerError:
        _silent[root] = time.monotonic()
        raise
    finally:
        _part_from(process)
    _silent.pop(root, None)
    if status != 0:
        reason = complaint.decode(errors="replace").strip().split("\n", 1)[0].removeprefix("fatal: ")
        raise _refusal(reason, status)
    return out


def _refusal(reason: str, status: int) -> UnavailableError:
    """The error for a git that failed; one that was ended by a signal has said nothing of the repository either."""
    said = reason.lower()
    words = f"git refuses ({reason[:200] or status})."
    if status < 0 or any(lack in said for lack in _LACKING):
        return NoAnswerError(words)
    return UnavailableError(words, again=not any(lasting in said for lasting in _LASTING))


def _drain(
    process: "subprocess.Popen[bytes]", should_stop: ShouldStop | None, patience_s: float
) -> tuple[bytes, bytes, int]:
    """Read both outputs to their ends, within the bounds; then the exit status."""
    deadline = time.monotonic() + patience_s
    streams = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    size = 0
    with selectors.DefaultSelector() as selector:
        for stream, kept in zip(streams, parts, strict=True):
            selector.register(stream, selectors.EVENT_READ, kept)
        while selector.get_map():
            if size > MAX_OUTPUT:
                raise UnavailableError("git says too much.")
            _go_on(should_stop, deadline)
            for key, _ in selector.select(0.05):
                data = os.read(key.fd, 1 << 20)
                size += len(data)
                key.data.append(data)
                if not data:
                    selector.unregister(key.fileobj)
    while True:
        with suppress(subprocess.TimeoutExpired):
            return b"".join(parts[0]), b"".join(parts[1]), process.wait(0.05)
        _go_on(should_stop, deadline)


def _go_on(should_stop: ShouldStop | None, deadline: float) -> None:
    """Raise where git is not waited for any longer."""
    if should_stop is not None and should_stop():
        raise CancelledError("The listing was stopped; ask again.")
    if time.monotonic() > deadline:
        raise NoAnswerError(IN_TIME)


def _part_from(process: "subprocess.Popen[bytes]") -> None:
    """Have a process ended and forgotten, waiting only briefly for its end."""
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    if process.poll() is None:
        process.kill()
        try:
            process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            _left.append(process)


def _reap() -> None:
    """Take note of the ends of those that were left."""
    for process in tuple(_left):
        if process.poll() is not None:
            with suppress(ValueError):  # another thread was first
                _left.remove(process)
