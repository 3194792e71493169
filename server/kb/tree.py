"""What this process knows of the tree on disk: the cached state that a sweep compares with.

A cache of the store's places, reloaded whenever another process has published; it never holds a signature whose bytes
the store does not have (that is how a crash between reading and publishing stays harmless).
"""

from dataclasses import replace

from .model import DocumentPath
from .scan import Refusal, Scan
from .store.rows import NOTHING_PUBLISHED, Coverage, FileState, Head, Places, PlacesDelta


class TreeState:
    """Mutable, owned by the indexer and guarded by its lock."""

    def __init__(self) -> None:
        self.head: Head = NOTHING_PUBLISHED
        self.files: dict[DocumentPath, FileState] = {}
        self.scan: Scan | None = None  # None: the tree was never listed, or has to be listed again
        self.swept_at = 0.0  # seconds since the epoch of the last whole sweep; 0 for never

    def load(self, head: Head, places: Places, coverage: Coverage) -> None:
        """Take over what the store says."""
        self.head = head
        self.files = dict(places.files)
        self.scan = None
        if places.directories:
            listed = {p: s.signature for p, s in places.files.items() if s.refusal != Refusal.SIZE}
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
                partial=bool(coverage.partial),
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
        """Remember what was published; not ``complete`` when some files have to be read again."""
        self.head = head
        for path, state in delta.files.items():
            if state is None:
                self.files.pop(path, None)
            else:
                self.files[path] = state
        if not complete:
            self.forget()
            return
        files = dict(scan.files)
        files.update((p, s.signature) for p, s in delta.files.items() if s is not None and p in files)
        suspect = (scan.suspect - delta.files.keys()) | {
            path for path in delta.files if path in files and not files[path].trusted()
        }
        self.scan = replace(scan, files=files, suspect=suspect)

    def forget(self) -> None:
        """Read everything from the store again at the next refresh."""
        self.scan = None
