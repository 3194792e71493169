"""Optional hints from the operating system that something in a tree changed; the only user of ``watchfiles``.

It marks documents dirty and does nothing else: losing every hint costs time, never correctness (row K4). Only folders
that are listed are watched, each by itself, so that ignored ones do not use up the system's watches; when these do not
suffice, or the library is missing, watching is off and ``notice`` says so.
"""

import os
import threading
from collections.abc import Callable, Iterable

from .model import DocumentPath

MAX_FOLDERS = 20_000
"""Watches are shared by all programs of a user; a tree with more folders is swept when it is asked about."""
QUIET_MS, LONGEST_MS, BEAT_MS = 50, 200, 500
NAMELESS = frozenset((DocumentPath(""),))

OnChange = Callable[[frozenset[DocumentPath]], None]


class Watcher:
    """Watches one tree in a thread of its own, from ``watch`` to ``close``.

    ``on_change`` is called in that thread with paths relative to ``root`` of what changed; ``""`` stands for something
    that has no name to tell.
    """

    def __init__(self, root: str, on_change: OnChange, *, max_folders: int = MAX_FOLDERS) -> None:
        self._root = root
        self._on_change = on_change
        self._max_folders = max_folders
        self._folders: frozenset[DocumentPath] = frozenset()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.started = threading.Event()
        """Set from the first sign of life of the watch on; soon after ``watch``."""
        self.notice = ""
        """Why nothing is watched; empty while all is well."""

    def watch(self, folders: Iterable[DocumentPath]) -> None:
        """Watch exactly these folders (``Scan.directories``) from now on; nothing happens if they are watched."""
        wanted = frozenset(folders)
        if wanted == self._folders and self._thread is not None:
            return
        self.close()
        self._folders, self.notice = wanted, ""
        if len(wanted) > self._max_folders:
            self._give_up(f"the tree has {len(wanted)} folders, more than {self._max_folders}")
            return
        self._stop = threading.Event()
        self.started.clear()
        self._thread = threading.Thread(target=self._run, args=(self._stop,), name="watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and wait until ``on_change`` is not called any more."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def _run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            resumed = self.started.is_set()
            self.started.clear()
            try:
                self._follow(stop, resumed)
            except (ImportError, OSError, RuntimeError) as error:
                if not self.started.is_set():
                    self._give_up(str(error) or type(error).__name__)
                    return
                # a file whose name is no text ends the library's watch: say that something changed, and begin again
                self._on_change(NAMELESS)

    def _follow(self, stop: threading.Event, resumed: bool) -> None:
        from watchfiles import watch

        for events in watch(
            *(path for folder in sorted(self._folders) if os.path.isdir(path := os.path.join(self._root, folder))),
            watch_filter=None,
            debounce=LONGEST_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=BEAT_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
            ignore_permission_denied=True,
        ):
            self.started.set()
            if resumed:  # what changed while nothing was watched
                resumed = False
                self._on_change(NAMELESS)
            self._tell(path for _, path in events)

    def _tell(self, paths: Iterable[str]) -> None:
        lead = os.path.join(self._root, "")
        changed = frozenset(DocumentPath(path.removeprefix(lead)) for path in paths if path.startswith(lead))
        if changed:
            self._on_change(changed)

    def _give_up(self, reason: str) -> None:
        self.notice = f"Files are not watched ({reason}); changes are found when a question is asked."
