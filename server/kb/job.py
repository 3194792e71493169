"""What one refresh is asked to do, how far it is, and what came of it: the values of `indexer`."""

from collections.abc import Callable

import msgspec

from .errors import CancelledError
from .journal import Drained
from .lookout import Station
from .model import DocumentPath
from .store.rows import Head


class Progress(msgspec.Struct, frozen=True):
    """How far a refresh is; ``total`` 0 means that it is not known yet."""

    phase: str  # "listing" | "reading" | "publishing"
    done: int = 0
    total: int = 0


ProgressSink = Callable[[Progress], None]


class Refreshed(msgspec.Struct, frozen=True):
    """What a refresh did.

    ``busy`` are documents that kept changing, or could not be read for now; they are still dirty.
    """

    head: Head
    looked_at: int = 0  # files whose bytes were read
    documents: int = 0  # documents published
    deleted: int = 0
    parsed: int = 0  # contents derived anew; the rest was stored already
    busy: tuple[DocumentPath, ...] = ()
    listed: bool = False  # the tree was listed again, not only swept
    swept_at: float = 0.0
    notices: tuple[str, ...] = ()

    def then(self, later: "Refreshed") -> "Refreshed":
        """Both rounds as one."""
        return msgspec.structs.replace(
            later,
            looked_at=self.looked_at + later.looked_at,
            documents=self.documents + later.documents,
            deleted=self.deleted + later.deleted,
            parsed=self.parsed + later.parsed,
            listed=self.listed or later.listed,
            notices=tuple(dict.fromkeys((*self.notices, *later.notices))),
        )


class Job(msgspec.Struct, frozen=True):
    """What one refresh is asked to do, and who listens."""

    dirty: Drained
    whole: bool = True  # sweep the tree; otherwise only what is dirty is looked at
    strict: bool = False  # read every file, trusting no signature
    force: bool = False  # derive every file again, trusting no stored content
    aside: bool = False  # nobody waits for it: with little of the machine
    wait_s: float = -1.0  # how long to wait for a refresh that is under way; negative: until it is done
    progress: ProgressSink | None = None
    should_stop: Callable[[], bool] = lambda: False
    station: Station | None = None  # where it may be asked whether everything is as it was
    gives_way: Callable[[], bool] = lambda: False  # stops it while nothing is read yet, for somebody with less to do

    def tell(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Report progress, and stop when asked to."""
        if self.progress is not None:
            self.progress(Progress(phase, done, total))
        if self.should_stop():
            raise CancelledError("Indexing was stopped; what was published before still answers.")

    def stops_looking(self) -> bool:
        """Whether a look at the tree should end in the middle."""
        return self.should_stop() or self.gives_way()
