"""Sessions of several trees, each opened when it is first asked for, and kept as long as there is room.

What a question needs of a tree it gets here; nobody opens one twice, and two threads that want the same tree wait for
one opening while others go on. Which trees take part is the workspace's to say.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

from .app import Session
from .corpora.entry import entry_of
from .corpora.registry import Catalogue
from .kb.errors import UnavailableError
from .kb.text import Units
from .settings import Settings

DESCRIPTORS = 11
"""Files and sockets that one open tree takes while it is asked."""
SPARE = 128
"""Those that are left for everything else."""
CLOSED = "The trees were closed meanwhile; open them again."


class Shelf:
    """Opens trees and closes them. Safe to use from several threads.

    Args:
        settings: what the user has set.
        catalogue: what is registered; every session follows it.
        workspace: the folder that paths in answers are spelled from; "" spells each tree's from the tree itself.
        one_shot, units, clock: as `Session` takes them.
    """

    def __init__(
        self,
        settings: Settings,
        catalogue: Catalogue,
        workspace: str = "",
        *,
        one_shot: bool = True,
        units: Units = "utf-16",
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._workspace = workspace
        self._one_shot = one_shot
        self._units = units
        self._clock = clock
        self._sessions: dict[str, Session] = {}  # by real path, those that were not asked for longest first
        self._coming = 0  # that are being opened
        self._opening: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.most = most_open()

    def session(self, root: str) -> Session:
        """Return the session of a tree; opens it where that was not done yet.

        Raises:
            NotFoundError: there is no such folder, and no index of it.
            UnavailableError: the cache cannot be used, or this was closed.
        """
        real = os.path.realpath(root)
        with self._lock:
            gate = self._opening.setdefault(real, threading.Lock())
        with gate:
            known = self._known(real)
            if known is not None:
                return known
            with self._place():
                made = self._open(root, real)
                try:
                    return self._keep(real, made)
                except UnavailableError:
                    made.close()
                    raise

    def make_room(self, wanted: Sequence[str]) -> None:
        """Close trees that were not asked for longest, as far as one question needs room for those that it asks.

        Args:
            wanted: real paths of all trees that the question is about to ask; those of them that are open stay so.
        """
        with self._lock:
            new = {*wanted} - self._sessions.keys()
            others = [real for real in self._sessions if real not in wanted]
            over = max(0, len(self._sessions) + len(new) - self.most)
            closing = [self._sessions.pop(real) for real in others[:over]]
        for session in closing:
            session.close()

    def __len__(self) -> int:
        """How many are open."""
        return len(self._sessions)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Keep a place for one more tree while it is opened.

        Raises:
            UnavailableError: there is none; files would run out in the middle of a question to all of them.
        """
        with self._lock:
            if len(self._sessions) + self._coming >= self.most:
                raise UnavailableError(
                    f"{self.most} trees are open, and this process may open no more files; ask fewer at once, or allow "
                    "more with `ulimit -n`."
                )
            self._coming += 1
        try:
            yield
        finally:
            with self._lock:
                self._coming -= 1

    def _known(self, real: str) -> Session | None:
        with self._lock:
            if self._closed:
                raise UnavailableError(CLOSED)
            if real in self._sessions:
                self._sessions[real] = self._sessions.pop(real)
            return self._sessions.get(real)

    def _keep(self, real: str, made: Session) -> Session:
        with self._lock:
            if self._closed:
                raise UnavailableError(CLOSED)
            return self._sessions.setdefault(real, made)

    def _open(self, root: str, real: str) -> Session:
        return Session(
            root,
            self._settings,
            one_shot=self._one_shot,
            units=self._units,
            clock=self._clock,
            entries=lambda: entry_of(self._catalogue.current(), real),
            workspace=self._workspace,
        )

    def close(self) -> None:
        """Close every session; a second call does nothing, and nothing is opened any more."""
        with self._lock:
            self._closed = True
            sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            session.close()

    def __enter__(self) -> "Shelf":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def most_open() -> int:
    """Return how many trees may be open at once, by the files that this process may open."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 64
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1_000 if allowed == resource.RLIM_INFINITY else max(4, (allowed - SPARE) // DESCRIPTORS)
