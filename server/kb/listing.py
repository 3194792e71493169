"""Listing a whole tree: its files with their signatures, and all that decided about them.

A tree that cannot be read is an error and never an empty tree. Files are not read here, only ignore files are.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from . import limit
from .model import DocumentPath, Signature
from .scan_rules import Refusal, ScanRules
from .survey import survey
from .walk import walk

Clock = Callable[[], int]
ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a tree had when it was listed. Paths are sorted; ``""`` in ``directories`` is the root.

    ``rule_files`` are absolute paths of everything that decides what is listed: ignore files, git's index and settings;
    None stands for one that is not there. All signatures carry the time at which the listing began.
    """

    files: Mapping[DocumentPath, Signature]
    directories: Mapping[DocumentPath, Signature]
    rule_files: Mapping[str, Signature | None]
    refused: Mapping[Refusal, int]
    examples: Mapping[Refusal, tuple[str, ...]]  # the first few paths of each reason
    oversize: Mapping[DocumentPath, Signature]  # refused for their size; they may shrink
    failed: tuple[str, ...]  # folders that could not be read
    lister: Literal["git", "walk"]
    notices: tuple[str, ...]
    suspect: frozenset[DocumentPath]  # files whose signature is not to be trusted yet
    partial: bool = False  # cut at ``max_files``
    contents: Mapping[DocumentPath, int] = field(default_factory=dict)  # what folders hold, as ``walk.content_key``
    index: str = ""  # git's index, one of ``rule_files``, when git listed
    unsure: bool = False  # git gave no answer: some files may be ignored, or tracked all the same
    listed_key: int = 0  # what git listed, as ``listed_key``; 0 when unknown


def list_tree(
    root: str,
    rules: ScanRules,
    clock: Clock = time.time_ns,
    *,
    needs_git: bool = False,
    should_stop: ShouldStop | None = None,
) -> Scan:
    """List the files of the tree at ``root``, an absolute real path.

    Where git gives no answer for now, the list is ours and ``unsure``; with ``needs_git``, as for a tree that git has
    listed before, there is none. Raises UnavailableError then and when the root cannot be read, TruncatedError when it
    has more than ``max_files`` files (unless ``allow_partial``), InvalidArgumentError for a bad glob, CancelledError
    when ``should_stop`` says so.
    """
    around = survey(root, rules, clock(), needs_git=needs_git, should_stop=should_stop)
    found = walk(around.ground, should_stop)
    beyond = sum(found.beyond.values())
    if beyond and not rules.allow_partial:
        raise limit.too_many_files(found.files, found.beyond, rules.max_files)
    notices = around.notices
    if beyond:
        notices += (f"Only {len(found.files)} of {len(found.files) + beyond} files are listed (--allow-partial).",)
    return Scan(
        files=dict(sorted(found.files.items())),
        directories=dict(sorted(found.directories.items())),
        rule_files=dict(sorted((around.rule_files | found.rule_files).items())),
        refused=dict(sorted(found.refused.items())),
        examples={reason: tuple(paths) for reason, paths in sorted(found.examples.items())},
        oversize=found.oversize,
        failed=tuple(sorted(found.failed)),
        lister="walk" if around.ground.listed is None else "git",
        notices=notices,
        suspect=frozenset(path for path, known in found.files.items() if not known.trusted()),
        partial=beyond > 0,
        contents=found.contents,
        index=around.index,
        unsure=around.unsure,
        listed_key=listed_key(around.ground.listed),
    )


def listed_key(listed: frozenset[str] | None) -> int:
    """Return a number that stays the same, in this process, while git lists the same; 0 for nothing."""
    return hash(listed) if listed else 0
