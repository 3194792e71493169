"""What decides about a tree before it is walked: the repository around it, its rules, and what git lists.

A tree may be a folder of a larger work tree; the ``.gitignore`` files above it then count, as they do for git. Where
git cannot be asked (not installed, foreign owner, damaged repository) our own walker takes over with the same rules,
and a notice says so; not where git only gives no answer for now about a tree that it has listed before. A folder that
the repository around it ignores, and of which git lists nothing, is a tree of its own: whoever asks about it wants it.
"""

import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from . import git, ignore
from .errors import UnavailableError
from .ignore import RuleList
from .model import Signature
from .scan_rules import ScanRules, sieve
from .walk import GIT_RULES, Ground, read_rules, signature_of

RuleFiles = dict[str, Signature | None]


@dataclass(frozen=True, slots=True)
class Survey:
    """The ground to walk, with the files outside of the walk that decided about it."""

    ground: Ground
    rule_files: RuleFiles
    notices: tuple[str, ...] = ()
    index: str = ""  # git's, when git lists
    unsure: bool = False  # git lists the tree, and gave no answer: some files may be ignored, or tracked all the same


def survey(
    root: str,
    rules: ScanRules,
    taken_ns: int,
    *,
    paths: Iterable[str] = (),
    needs_git: bool = False,
    should_stop: Callable[[], bool] | None = None,
) -> Survey:
    """Look at what is around ``root``. With ``paths``, git is asked about these only.

    Raises InvalidArgumentError for a bad glob, CancelledError when ``should_stop`` says so, and UnavailableError when
    git gives no answer for now and ``needs_git`` says that nothing else will do.
    """
    ground = Ground(
        root, sieve(root, rules), rules.max_file_bytes, rules.max_files, rules.exclude_nested_repos, taken_ns
    )
    top = git.find_top(root)
    rule_files: RuleFiles = dict.fromkeys(_possible_tops(root, top))
    if top is None:
        return Survey(ground, rule_files)
    notices: tuple[str, ...] = ()
    listed: frozenset[str] | None = None
    unsure = False
    try:
        repository = git.open_repository(root, top, should_stop=should_stop)
    except UnavailableError as error:
        unsure = _gave_no_answer(root, error, needs_git)
        repository = git.plain_repository(top)
        notices = (_notice(error),)
        rule_files |= _until_asked_again(error, top, taken_ns)
    rule_files |= {path: signature_of(path, taken_ns) for path in (repository.index, *repository.watched) if path}
    ground = replace(ground, fold_case=repository.fold_case)
    ground, hidden = _with_rules(ground, repository, rule_files)
    if not notices:
        try:
            listed = git.list_files(root, () if hidden else paths, should_stop=should_stop)
        except UnavailableError as error:
            unsure = _gave_no_answer(root, error, needs_git)
            notices = (_notice(error),)
            rule_files |= _until_asked_again(error, top, taken_ns)
    if hidden and not listed:
        return Survey(
            replace(ground, around=()),
            rule_files,
            (*notices, "The repository around this folder ignores it; it is read as a tree of its own."),
            unsure=unsure,
        )
    if listed is not None:
        ground = replace(ground, listed=listed, on_the_way=_folders_of(listed))
    return Survey(ground, rule_files, notices, "" if listed is None else repository.index, unsure)


def _gave_no_answer(root: str, error: UnavailableError, needs_git: bool) -> bool:
    """Say whether git only gave no answer; raises UnavailableError where nothing else will do."""
    if isinstance(error, git.NoAnswerError) and needs_git:
        raise UnavailableError(
            f"Which files of {root} are ignored cannot be said now, because {error.message.removesuffix('.')}; "
            f"ask again in a while, or see what `git -C {shlex.quote(root)} ls-files` says.",
            root=root,
        ) from error
    return isinstance(error, git.NoAnswerError)


def _until_asked_again(error: UnavailableError, top: str, taken_ns: int) -> RuleFiles:
    """Say until when the tree stays listed without git: until the repository is another one.

    Where git gave no answer, or nobody knows what its refusal is about, nothing would show that it answers again: then
    every look lists the tree.
    """
    path = os.path.join(top, ".git")
    again = isinstance(error, git.NoAnswerError) or error.data.get("again")
    return {path: None if again else signature_of(path, taken_ns)}


def _notice(error: UnavailableError) -> str:
    return f"Files are listed by our own walker, because {error.message}"


def _with_rules(ground: Ground, repository: git.Repository, rule_files: RuleFiles) -> tuple[Ground, bool]:
    """Read the rules around the root; the second value says whether they ignore the root itself."""
    root, top = ground.root, repository.top
    inner = os.path.relpath(root, top)
    parts = [] if inner == os.curdir else inner.split("/")
    lead = os.fsencode("/".join(parts) + "/") if parts else b""
    whole = tuple(read_rules(path, ground, rule_files, lead=lead) for path in repository.excludes)
    around: tuple[RuleList, ...] = ()
    hidden = False
    as_seen_from_top = tuple(read_rules(path, ground, rule_files) for path in repository.excludes) if parts else ()
    for depth, name in enumerate(parts):
        path = os.path.join(top, *parts[:depth], GIT_RULES)
        above = os.fsencode("/".join(parts[:depth]) + "/") if depth else b""
        as_seen_from_top = (read_rules(path, ground, rule_files, strip=len(above)), *as_seen_from_top)
        around = (read_rules(path, ground, rule_files, lead=lead[len(above) :]), *around)
        here = os.fsencode("/".join(parts[: depth + 1]))
        hidden = hidden or ignore.verdict(as_seen_from_top, here, os.fsencode(name), True) is True
    return replace(ground, around=around + whole[:1], personal=whole[1:]), hidden


def _possible_tops(root: str, top: str | None) -> list[str]:
    """Return where a ``.git`` would make another folder the work tree's."""
    places = []
    folder = root
    while folder != top:
        places.append(os.path.join(folder, ".git"))
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return places


def _folders_of(listed: Iterable[str]) -> frozenset[str]:
    """Return every folder that holds a listed file, however deep."""
    folders: set[str] = set()
    for path in listed:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)
