"""What the corpus database hands out and takes in: frozen rows, nothing that knows SQL."""

import msgspec

from ..model import ContentId, DiskHash, DocumentId, DocumentPath, Generation, Recipe, Signature

FOREVER = 2**62
"""The `died` of a document that lives."""


class Head(msgspec.Struct, frozen=True):
    """A published state. The publish id is random, so that a generation number used twice is told apart."""

    generation: Generation
    publish_id: str


NOTHING_PUBLISHED = Head(Generation(0), "")


class DocumentRow(msgspec.Struct, frozen=True, gc=False):
    """One version of one document, visible in generations ``born <= g < died``."""

    id: DocumentId
    path: DocumentPath
    content_id: ContentId
    disk_hash: DiskHash
    language: str
    source_type: str
    recipe: Recipe
    partial: str
    problems: int
    chunks: int
    symbols: int
    regressed: bool  # has problems, and its last version without was the one before them
    size: int
    changed_at: float  # modification time of the file, seconds since the epoch
    born: Generation
    died: Generation


class NewDocument(msgspec.Struct, frozen=True, gc=False):
    """A document as it is about to be published."""

    path: DocumentPath
    content_id: ContentId
    disk_hash: DiskHash
    language: str
    source_type: str
    recipe: Recipe
    partial: str
    problems: int
    chunks: int
    symbols: int
    regressed: bool
    size: int
    changed_at: float


class FileState(msgspec.Struct, frozen=True, gc=False):
    """What is known of one listed file: its signature, the hash of the bytes it had then, and why it is no document."""

    signature: Signature
    disk_hash: str = ""
    refusal: str = ""  # "" for a document


class Places(msgspec.Struct, frozen=True):
    """All that a sweep compares with the disk."""

    files: dict[DocumentPath, FileState]
    directories: dict[DocumentPath, Signature]
    rule_files: dict[str, Signature | None]


class PlacesDelta(msgspec.Struct, frozen=True):
    """What became different in `Places`; ``None`` for a path means that it is gone."""

    files: dict[DocumentPath, FileState | None]
    directories: dict[DocumentPath, Signature | None]
    rule_files: dict[str, Signature | None] = {}
    gone_rule_files: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.files) + len(self.directories) + len(self.rule_files) + len(self.gone_rule_files)

    def then(self, later: "PlacesDelta") -> "PlacesDelta":
        """Both, one after the other."""
        rules = {**self.rule_files, **later.rule_files}
        return PlacesDelta(
            files={**self.files, **later.files},
            directories={**self.directories, **later.directories},
            rule_files={path: known for path, known in rules.items() if path not in later.gone_rule_files},
            gone_rule_files=tuple(sorted({*self.gone_rule_files, *later.gone_rule_files} - later.rule_files.keys())),
        )


NO_PLACES = PlacesDelta(files={}, directories={})


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a generation does not hold, and why; stored with it. Counts and a few example paths by reason."""

    listed: dict[str, int] = {}  # refused by name, size or kind when the tree was listed
    listed_examples: dict[str, tuple[str, ...]] = {}
    read: dict[str, int] = {}  # refused when the bytes were looked at
    read_examples: dict[str, tuple[str, ...]] = {}
    failed: tuple[str, ...] = ()  # directories that could not be read
    partial: str = ""
    lister: str = ""
    notices: tuple[str, ...] = ()
    settings: str = ""  # digest of the settings that decided what the corpus is

    @property
    def refused(self) -> dict[str, int]:
        """All refusals by reason."""
        reasons = sorted({*self.listed, *self.read})
        return {reason: self.listed.get(reason, 0) + self.read.get(reason, 0) for reason in reasons}

    @property
    def examples(self) -> dict[str, tuple[str, ...]]:
        """A few paths for each reason."""
        reasons = sorted({*self.listed_examples, *self.read_examples})
        return {r: (*self.listed_examples.get(r, ()), *self.read_examples.get(r, ()))[:5] for r in reasons}


class Totals(msgspec.Struct, frozen=True):
    """Sums over the live documents of a generation."""

    documents: int = 0
    chunks: int = 0
    symbols: int = 0
    size: int = 0
    partial: int = 0
    problems: int = 0
    regressed: int = 0
