"""The registry: which trees a person has given a name, and what each is to Gazetteer (row C1).

``projects.json`` in the user's configuration folder, name to entry. It belongs to the user: people edit it by hand,
several processes read it while others add and remove, and no state of it ends a session. What cannot be used of it is
a sentence among `Registry.notices`, or the reason why one entry is `Registry.broken`; everything else counts. Writing
it is in ``registering``, its words are in ``registry_json``.
"""

import errno
import os
import shlex
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..kb.errors import GazetteerError, InvalidArgumentError, NotFoundError, UnavailableError
from ..kb.paths import printable
from ..settings import config_root
from .links import FOLDERS, LINKS, Links, is_there
from .registry_json import MAX_BYTES, Document, EntryError, composed, is_entry, parse, read_entry, unknown_keys

FILE_NAME = "projects.json"
NOT_USED = ("semantic", "collection")
"""Keys of an entry that wait for vectors."""
FOLLOWED_S = 1.0
"""How long a catalogue takes roots to be where links led to: following them costs more than all else here."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One registered tree. ``kind`` is a label that selects nothing; every behaviour has a key of its own."""

    name: str
    path: str  # as the entry says it
    root: str  # where that is, absolute, links not followed; it need not exist
    real: str  # its real path, by which its index is known, as it was when the registry was read
    kind: str = ""
    indexer: str = "generic"
    autoindex: bool = False  # keep its keyword index fresh in the background
    prompt_file: str = ""  # its orientation map; absolute
    collection: str = ""  # name of its collection of vectors
    corpora: tuple[str, ...] = ()  # asked together with it
    shared: bool = False  # asked together with every other
    exclude: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    semantic: str = ""  # the provider that embeds it; "" for none

    @property
    def there(self) -> bool:
        """Whether its tree exists, and answers; one that does not is waited for once."""
        return is_there(self.root)

    @property
    def waiting(self) -> str:
        """What a person should know of keys that are understood and change nothing yet; one sentence, or ""."""
        keys = [key for key in NOT_USED if getattr(self, key)]
        if not keys:
            return ""
        verb = "is" if len(keys) == 1 else "are"
        return f"{' and '.join(keys)} of {self.name} {verb} kept, and not used by this version of Gazetteer."

    def absent(self) -> NotFoundError:
        """The error for whoever needs a tree that is gone, or does not answer."""
        if FOLDERS.is_silent(self.root):
            return NotFoundError(_unanswered(self), corpus=self.name)
        return NotFoundError(
            f"The tree of {self.name} is not there ({printable(self.root)}); bring it back, or let go of it with "
            f"`gazetteer corpus rm {shlex.quote(self.name)}`.",
            corpus=self.name,
        )


@dataclass(frozen=True)
class Registry:
    """What the registry says at one moment. All mappings are in the order of the file, by names as `composed`.

    ``broken`` holds the reason, a whole sentence, for every entry that cannot be used; ``silent`` holds those of them
    whose disk does not answer, without a real path. ``unknown`` is what is to be said of keys that nobody knows,
    ``notices`` of a file that cannot be used as it is now.
    """

    file: str
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    silent: Mapping[str, Corpus] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @classmethod
    def load(cls, folder: str = "", corpus_root: str = "") -> "Registry":
        """Read the registry in a folder; one that cannot be read is empty and says why.

        Args:
            folder: where it lies; the user's configuration folder when it is not said.
            corpus_root: what relative paths start from; the folder itself when it is not said.
        """
        return Catalogue(folder, corpus_root).current()

    def find(self, name: str) -> Corpus:
        """Return the corpus of a name.

        Raises:
            InvalidArgumentError: its entry is broken.
            NotFoundError: there is none.
        """
        name = composed(name)
        found = self.corpora.get(name)
        if found is not None:
            return found
        if name in self.broken:
            raise InvalidArgumentError(self.broken[name], corpus=name)
        import difflib  # only to be helpful

        near = difflib.get_close_matches(name, self.corpora, 1)
        known = f"did you mean {near[0]}?" if near else "`gazetteer corpus list` says which there are."
        raise NotFoundError(f"No corpus is registered as {printable(name)[:80]}; {known}", corpus=name)

    def at(self, path: str) -> Corpus | None:
        """Return the corpus whose root holds a folder or file, the innermost one if several do."""
        real = os.path.realpath(path)
        holding = [one for one in self.corpora.values() if real == one.real or real.startswith(_lead(one.real))]
        return max(holding, key=lambda one: len(one.real), default=None)

    def inside(self, root: str) -> tuple[str, ...]:
        """Return the real roots that lie below ``root``, sorted: they are corpora of their own and no part of it.

        One that does not answer is meant to be where its entry says.
        """
        lead = _lead(os.path.realpath(root))
        roots = {*(one.real for one in self.corpora.values()), *(one.root for one in self.silent.values())}
        return tuple(sorted(real for real in roots if real.startswith(lead)))


class Catalogue:
    """The registry as it is now, for processes that live longer than it stays the same. Safe to use from threads.

    Args:
        folder: where it lies; the user's configuration folder when it is not said.
        corpus_root: what relative paths start from; the folder itself when it is not said.
        clock: seconds, by which links are followed again.
        links: follows them.
    """

    def __init__(
        self,
        folder: str = "",
        corpus_root: str = "",
        *,
        clock: Callable[[], float] = time.monotonic,
        links: Links = LINKS,
    ) -> None:
        self.folder = folder or config_root()
        self.file = os.path.join(self.folder, FILE_NAME)
        self._corpus_root = corpus_root or self.folder
        self._clock = clock
        self._links = links
        # one value, so that no thread can put the bytes of one moment beside the registry of another
        self._last: tuple[bytes | None, float, Registry] = (None, 0.0, Registry(self.file))

    def current(self) -> Registry:
        """Read it, if its bytes are others than the last time. The last one that could be used keeps counting."""
        read, at, known = self._last
        try:
            raw, now = read_bytes(self.file), self._clock()
            if raw != read or now - at > FOLLOWED_S:
                known = _registry(self.file, parse(raw, self.file), self._corpus_root, self._links)
                self._last = (raw, now, known)
        except GazetteerError as error:
            self._last = (None, at, known)
            return replace(known, notices=(error.message,))
        return known


def read_bytes(file: str) -> bytes:
    """Return the bytes of a registry; there are none where there is no file.

    Raises:
        InvalidArgumentError: this is no file, or a link that leads nowhere.
        UnavailableError: it cannot be read.
    """
    try:
        # a FIFO of that name must not make a question wait
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise InvalidArgumentError(f"The registry {file} is no file; put one there.", file=file) from error
        raise _unreadable(file, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidArgumentError(f"The registry {file} is no file; put one there.", file=file)
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read(MAX_BYTES + 1)


def _unreadable(file: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"The registry {file} cannot be read ({error.strerror}); allow this user to read it.", file=file
    )


def _registry(file: str, document: Document, corpus_root: str, links: Links) -> Registry:
    found: dict[str, Corpus] = {}
    broken: dict[str, str] = {}
    strange = []
    for key, entry in document.entries.items():
        name, said = composed(key), printable(key)[:80]
        if key in document.entries.twice or name in found or name in broken:
            found.pop(name, None)
            broken[name] = f"The entry {said} stands twice in {file}; keep one."
            continue
        if not is_entry(name, entry):
            strange.append(f"This version knows no key {said} in {file}; it changes nothing.")
            continue
        try:
            found[name] = _corpus(name, read_entry(name, entry), corpus_root)
        except EntryError as error:
            broken[name] = f"The entry {said} in {file} {error}."
            continue
        if unknown := unknown_keys(entry):
            keys = ", ".join(printable(key)[:80] for key in unknown[:5])
            strange.append(f"The entry {said} in {file} has keys that this version does not know: {keys}.")
    reals = links.follow(corpus.root for corpus in found.values())
    corpora = {name: replace(one, real=reals[one.root]) for name, one in found.items() if one.root in reals}
    silent = {name: one for name, one in found.items() if name not in corpora}
    broken |= {name: _unanswered(one) for name, one in silent.items()}
    return Registry(file, corpora, broken, silent, tuple(strange))


def _corpus(name: str, values: dict[str, object], corpus_root: str) -> Corpus:
    corpus = Corpus(name=name, root="", real="", **values)  # type: ignore[arg-type]
    root = _placed(corpus.path, corpus_root)
    prompt_file = corpus.prompt_file and _placed(corpus.prompt_file, corpus_root)
    return replace(corpus, root=root, prompt_file=prompt_file)


def _unanswered(corpus: Corpus) -> str:
    return (
        f"The tree of {printable(corpus.name)[:80]} does not answer ({printable(corpus.root)}); bring its disk or "
        f"network back, or let go of it with `gazetteer corpus rm {shlex.quote(corpus.name)}`."
    )


def _placed(path: str, corpus_root: str) -> str:
    """Return where a path of the registry is: absolute, ``~`` taken for the home folder, links not followed."""
    return os.path.abspath(os.path.join(os.path.expanduser(corpus_root), os.path.expanduser(path)))


def _lead(root: str) -> str:
    return root.rstrip(os.sep) + os.sep
