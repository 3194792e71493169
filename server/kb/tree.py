"""What this process knows of the tree on disk: the cached state that a sweep compares with.

A cache of the store's places, reloaded whenever another process has published; it never holds a signature whose bytes
the store does not have (that is how a crash between reading and publishing stays harmless).
"""

from dataclasses import replace

from .coverage import refusals
from .model import DocumentPath, Signature
from .scan import Refusal, Scan
from .store.rows import NOTHING_PUBLISHED, Coverage, FileState, Head, Places, PlacesDelta


class TreeState:
    """Mutable, owned by the indexer and guarded by its lock."""

    def __init__(self) -> None:
        self.head: Head = NOTHING_PUBLISHED
        self.files: dict[DocumentPath, FileState] = {}
        self.refused: dict[DocumentPath, str] = {}  # those of ``files`` that the reader refused
        self.scan: Scan | None = None  # None: the tree was never listed, or has to be listed again
        self._listed: dict[DocumentPath, Signature] = {}  # the files of ``scan``, which is frozen for everybody else
        self.swept_at = 0.0  # seconds since the epoch of the last whole sweep; 0 for never

    def load(self, head: Head, places: Places, coverage: Coverage) -> None:
        """Take over what the store says."""
        self.head = head
        self.files = dict(places.files)
        self.refused = refusals(places.files)
        self.scan = None
        if places.directories:
            listed = {p: s.signature for p, s in places.files.items() if s.refusal != Refusal.SIZE}
            self._listed = listed
            self.scan = Scan(
                files=listed,
                directories=dict(places.directories),
                rule_files=dict(places.rule_files),
                refused={Refusal(reason): count for reason, count in coverage.listed.items()},
                examples={Refusal(reason): paths for reason, paths in coverage.listed_examples.items()},
                oversize={p: s.signature for p, s in places.files.items() if s.refusal == Refusal.SIZE},
                failed=coverage.failed,
                lister="git" if coverage.lister == "git" else "walk",
                notices=coverage.notices,
                suspect=frozenset(path for path, signature in listed.items() if not signature.trusted()),
                partial=bool(coverage.partial),  # or unsure: either is listed again
            )

    def delta(self, scan: Scan, files: dict[DocumentPath, FileState | None]) -> PlacesDelta:
        """What has to be written so that the store's places are ``scan`` with the given files."""
        old = self.scan
        directories = dict(old.directories) if old is not None else {}
        rules = dict(old.rule_files) if old is not None else {}
        return PlacesDelta(
            files=files,
            directories={
                **{path: None for path in directories if path not in scan.directories},
                **{path: s for path, s in scan.directories.items() if directories.get(path) != s},
            },
            rule_files={p: s for p, s in scan.rule_files.items() if p not in rules or rules[p] != s},
            gone_rule_files=tuple(sorted(p for p in rules if p not in scan.rule_files)),
        )

    def apply(self, head: Head, scan: Scan, delta: PlacesDelta, *, complete: bool) -> None:
        """Remember what was published after the whole tree was looked at.

        Args:
            head: what was published.
            scan: the tree as it was seen.
            delta: what was recorded of it.
            complete: False when some files have to be read again.
        """
        self._remember(head, delta)
        if not complete:
            self.forget()
            return
        files = dict(scan.files)
        files.update((p, s.signature) for p, s in delta.files.items() if s is not None and p in files)
        self._listed = files
        self.scan = replace(scan, files=files, suspect=self._suspect(scan, delta))

    def patch(self, head: Head, delta: PlacesDelta, *, complete: bool) -> None:
        """Remember what was published after only some files were looked at; costs what those are, not what all are."""
        self._remember(head, delta)
        if self.scan is None or not complete:
            self.forget()
            return
        strange = False
        left: set[DocumentPath] = set()
        for path, state in delta.files.items():
            if state is None:
                self._listed.pop(path, None)
                left.add(DocumentPath(path.rpartition("/")[0]))
            elif state.refusal != Refusal.SIZE:
                strange = strange or path not in self._listed
                self._listed[path] = state.signature
        if strange:  # paths of a tree are kept in order
            self._listed = dict(sorted(self._listed.items()))
        suspect = self._suspect(self.scan, delta)
        if strange or suspect != self.scan.suspect:
            self.scan = replace(self.scan, files=self._listed, suspect=suspect)
        if not left.isdisjoint(self.scan.contents):  # a file that comes back makes the entries those of the listing
            kept = {path: key for path, key in self.scan.contents.items() if path not in left}
            self.scan = replace(self.scan, contents=kept)

    def _remember(self, head: Head, delta: PlacesDelta) -> None:
        self.head = head
        for path, state in delta.files.items():
            self.refused.pop(path, None)
            if state is None:
                self.files.pop(path, None)
            else:
                self.files[path] = state
        self.refused.update(refusals(delta.files))

    def _suspect(self, scan: Scan, delta: PlacesDelta) -> frozenset[DocumentPath]:
        """Files whose signature is not to be trusted, once ``delta`` is in ``_listed``."""
        news = delta.files.keys()
        racy = {path for path in news if path in self._listed and not self._listed[path].trusted()}
        return (scan.suspect - news) | racy if racy or not scan.suspect.isdisjoint(news) else scan.suspect

    def forget(self) -> None:
        """Read everything from the store again at the next refresh."""
        self.scan = None
