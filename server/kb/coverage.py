"""What an index does not hold and why: refusals of the listing and of the reader, put together (rows K9, K16)."""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import structs

from .derive import Refused
from .model import DocumentPath, Signature
from .paths import printable
from .scan import Refusal, Scan
from .store.rows import Coverage, FileState

EXAMPLES = 5


def refusals(files: Mapping[DocumentPath, FileState | None]) -> dict[DocumentPath, str]:
    """Files that the reader refused, with the reason. Those that are too large are counted by the listing."""
    return {
        path: state.refusal
        for path, state in files.items()
        if state is not None and state.refusal and state.refusal != Refusal.SIZE
    }


def coverage_of(scan: Scan, refused: Mapping[DocumentPath, str], settings: str) -> Coverage:
    """The coverage of a generation.

    Args:
        scan: the tree as it was listed.
        refused: see `refusals`, for all files of the tree.
        settings: digest of the settings that decided what the corpus is.
    """
    reasons: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for path, reason in sorted(refused.items()):
        reasons[reason] += 1
        if reasons[reason] <= EXAMPLES:
            examples.setdefault(reason, []).append(printable(path))
    return Coverage(
        listed={str(reason): count for reason, count in scan.refused.items()},
        listed_examples={str(reason): tuple(map(printable, paths)) for reason, paths in scan.examples.items()},
        read=dict(sorted(reasons.items())),
        read_examples={reason: tuple(paths) for reason, paths in sorted(examples.items())},
        failed=tuple(map(printable, scan.failed)),
        partial="; ".join(_partial(scan)),
        lister=scan.lister,
        notices=tuple(scan.notices),
        settings=settings,
    )


def _partial(scan: Scan) -> Iterator[str]:
    if scan.partial:
        yield f"only the first {len(scan.files)} files are indexed (--allow-partial)"
    if scan.unsure:
        yield "git gave no answer, so which files are ignored is not known for certain"


def oversize_files(scan: Scan, known: Mapping[DocumentPath, FileState]) -> dict[DocumentPath, FileState]:
    """Files that the listing left out for their size, as far as that is news: they may shrink one day."""
    return {
        path: FileState(signature, "", Refusal.SIZE)
        for path, signature in scan.oversize.items()
        if path not in known or known[path].signature != signature
    }


def refused_file(
    refused: Refused, there: Mapping[DocumentPath, Signature], known: Mapping[DocumentPath, FileState]
) -> FileState | None:
    """What to remember of a file that the reader did not take; None for one that is gone.

    Where that is `passing`, what is known of it stays, and no signature says that it need not be read again.
    """
    signature = refused.signature or (there.get(refused.path) if refused.reason != "vanished" else None)
    if signature is None:
        return None
    if refused.passing:
        before = known.get(refused.path, FileState(signature, "", refused.reason))
        return structs.replace(before, signature=structs.replace(before.signature, taken_ns=0))
    return FileState(signature, refused.disk_hash, refused.reason)
