"""One tree, open, and kept in step with what happens to it from outside.

An index that another process removed is opened again, a ``knowledge.yaml`` or a registry that was edited is taken over,
stored data that turns out damaged is thrown away and made again from the tree. Open buffers and hints outlive all of
that; whoever asked a question meanwhile is answered from what is there now. Knows nothing of what is asked.
"""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from .corpora.config import FILE_NAME, TreeConfig, digest, read_config, unused
from .corpora.entry import Entries, name_of
from .kb.errors import CancelledError, DamagedError, GazetteerError, UnavailableError
from .kb.paths import Root
from .kb.text import Units
from .parts import Parts
from .settings import Settings

T = TypeVar("T")
_NONE = (0, 0, 0)
"""What is seen where there is no file."""
MENDED = 3
"""How many damages one question mends: one may hide another."""


class OpenTree:
    """The parts of one tree as they are open now. Safe to use from several threads.

    Args:
        given: the tree.
        settings: what the user has set.
        entries: gives what the registry says of the tree now.
        workspace: where paths in answers are spelled from.
        one_shot: whether a question waits for a whole look at the tree.
        units: what characters of positions are counted in.
        clock: nanoseconds of the wall clock.

    Raises:
        UnavailableError: the cache cannot be used.
    """

    def __init__(
        self,
        given: Root,
        settings: Settings,
        entries: Entries,
        *,
        workspace: str,
        one_shot: bool,
        units: Units,
        clock: Callable[[], int],
    ) -> None:
        self._given = given
        self._settings = settings
        self._entries = entries
        self._entry = entries()
        self._workspace = workspace
        self._one_shot = one_shot
        self._units = units
        self._clock = clock
        self._lock = threading.Lock()
        self._over = False
        self._config = TreeConfig()
        self._seen: tuple[int, int, int] | None = None
        self.config_error: GazetteerError | None = None  # why ``knowledge.yaml`` cannot be used; the last good one is
        self._read_config()
        self.parts = self._open()

    @property
    def digest(self) -> str:
        """Hash of the settings that decide what the corpus is."""
        return digest(self._settings, self._config, self._entry)

    @property
    def name(self) -> str:
        """What the corpus is called."""
        return self._entry.name or name_of(self._given.real)

    @property
    def declares(self) -> tuple[str, ...]:
        """The names of corpora that the tree asks to be asked with it."""
        return self._config.corpora

    @property
    def prompt_file(self) -> str:
        """The orientation map that the registry names; "" where it names none."""
        return self._entry.prompt_file

    @property
    def notices(self) -> tuple[str, ...]:
        """What is to be said of the tree's settings, its own and those of the registry."""
        return (*unused(self._config), *self._entry.notices)

    def follow(self) -> None:
        """Open the index that is there now, and take over ``knowledge.yaml`` and the registry as they are now.

        A broken file leaves the last good settings in force.

        Raises:
            UnavailableError: this was closed, or the cache cannot be used.
        """
        with self._lock:
            if self._over:
                raise UnavailableError("The tree was closed; open it again.")
            if self.parts.kb.is_replaced():
                self._open_again()
                self.parts.kb.notices.append("The index was removed by another process and is built again.")
            elif self.parts.closed:
                self._open_again()  # it could not be opened the last time
            quoting = self._config.examples_quote_queries
            entry, known = self._entries(), self._entry
            edited = self._read_config()
            if edited:
                self.parts.kb.blocked = self.config_error
            if entry == known and (not edited or self.config_error is not None):
                return
            self._entry = entry
            if self._config.examples_quote_queries != quoting:
                self._open_again()  # the keyword index holds other fields then
            self.parts.configure(self._config, entry)
            self.parts.kb.mark_dirty(None, "settings")

    def mending(self, act: Callable[[], T], *, anew: bool = True) -> T:
        """Do ``act`` with the settings as they are now; where stored data turns out damaged, once more on new data.

        ``act`` reads `parts` when it is called: it may be called again, on others. With ``anew`` also where another
        process removed the index under it; else that is an error, because somebody may have let go of the tree.
        """
        self.follow()
        result = self._attempt(act, MENDED, anew)
        with self._lock:
            self.parts.watch()
        return result

    def at_once(self, act: Callable[[], T]) -> T | None:
        """Do ``act`` with what is open now; None where that cannot answer, and somebody who may wait has to mend it.

        No lock is taken: an index that is being opened again is not waited for, and none is opened here.
        """
        parts = self.parts
        try:
            return None if parts.closed or parts.kb.is_replaced() else act()
        except GazetteerError:  # whoever mends it meets it again, and says what it is
            return None

    def close(self) -> None:
        """End threads and processes, close files; a second call does nothing, and nothing is opened again."""
        with self._lock:
            self._over = True
            self.parts.close()

    # -- inside -------------------------------------------------------------------------------------------------

    def _attempt(self, act: Callable[[], T], left: int, anew: bool) -> T:
        parts = self.parts
        try:
            return act()
        except DamagedError as error:
            if parts.kb.read_only:  # nobody can mend it here, so the advice is another one
                raise UnavailableError(parts.kb.why_read_only, path=parts.kb.folder) from error
            if not left:
                raise
            if error.data.get("path"):
                self._start_over(error, parts)
            elif error.data.get("content"):
                parts.kb.lose_contents()
            else:
                parts.lexical.report_damage(error.message)
        except (UnavailableError, CancelledError) as error:
            again = isinstance(error, UnavailableError) and anew and parts.kb.is_replaced()
            with self._lock:  # another thread may be opening the index again under this question
                if (parts is self.parts and not again) or not left:
                    raise
            if again:
                self.follow()
        return self._attempt(act, left - 1, anew)

    def _start_over(self, error: DamagedError, seen: Parts) -> None:
        """Throw away what is damaged, once for all threads that saw it; all of it can be made again from the tree."""
        with self._lock:
            if self.parts is not seen:
                return
            seen.sweeper.close()  # a sweep under way would wait for the lock, and closing would wait for the sweep
            try:
                seen.kb.discard(error.data["path"])
            finally:
                seen.close()  # whatever came of it, the next question opens what is there then
            self._open_again()
            self.parts.kb.notices.append("The index was damaged and is built again.")

    def _open(self) -> Parts:
        parts = Parts(
            self._given,
            self._settings,
            self._config,
            self._entry,
            workspace=self._workspace,
            one_shot=self._one_shot,
            units=self._units,
            clock=self._clock,
        )
        parts.kb.blocked = self.config_error
        return parts

    def _open_again(self) -> None:
        old = self.parts
        old.close()
        parts = self._open()
        old.kb.hand_over(parts.kb)
        self.parts = parts

    def _read_config(self) -> bool:
        """Read ``knowledge.yaml`` if it is another file than last time; whether it was."""
        seen = _look(os.path.join(self._given.real, FILE_NAME))
        if seen == self._seen and seen is not None:
            return False
        changed = seen != self._seen or self.config_error is not None
        self._seen = seen
        try:
            self._config, self.config_error = read_config(self._given.real), None
        except GazetteerError as error:
            self.config_error = error
            if isinstance(error, UnavailableError):  # when it can be read again, nothing of it tells
                self._seen = None
        return changed


def _look(path: str) -> tuple[int, int, int] | None:
    """What a file is told apart by; None for one of which nothing can be said, so that it has to be read."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None if os.path.lexists(path) else _NONE
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
