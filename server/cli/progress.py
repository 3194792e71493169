"""A bar on a terminal while a tree is read for the first time.

It is drawn on standard error, only when that is a terminal and only when the work takes longer than a blink; the
library that draws it is not imported before. It is gone when the answer is printed.
"""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from ..app import Progress

PATIENCE = 0.4
"""Seconds of work before anything is drawn."""


class Bar:
    """A progress sink: call it with what is done, from any thread."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._since: float | None = None
        self._drawn: RichProgress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Return the sink itself."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Take the bar off the terminal."""
        if self._drawn is not None:
            self._drawn.stop()
            self._drawn = None
        self._terminal = False

    def __call__(self, progress: "Progress") -> None:
        """Show how many steps of a phase are done; a total of 0 is not known yet."""
        if not self._terminal:
            return
        if self._since is None:
            self._since = time.monotonic()
        if self._drawn is None:
            if time.monotonic() - self._since < PATIENCE:
                return
            self._drawn = _draw()
        task = self._tasks.get(progress.phase)
        if task is None:
            task = self._tasks[progress.phase] = self._drawn.add_task(progress.phase)
        self._drawn.update(task, completed=progress.done, total=progress.total or None)


def _draw() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    drawn = Progress(*columns, console=Console(stderr=True), transient=True)
    drawn.start()
    return drawn
