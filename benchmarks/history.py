"""A check on other trees: subjects of commits as questions, for any git repositories at hand.

    python -m benchmarks history --back 900 --count 70 CLONE[:FOLDER] ...

Of every clone the tree is taken as it was ``--back`` commits ago (FOLDER alone, if one is named). Subjects of later
commits that changed one to three source files of it are asked; those files answer. Commits of releases, translations
and formatting are left out, and of the others a sample is taken that is the same in every run. Figures are NDCG@10 over
documents, and in brackets those of subjects that hold no word of a file's name. Nothing of the clone is run.
"""

import argparse
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from cases import DISCOUNT
from gazetteer.app import Session
from gazetteer.kb.languages import LANGUAGES
from gazetteer.kb.model import SourceType
from gazetteer.retrieval.pathclass import classify
from gazetteer.retrieval.query import Query

GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
SEED = 7
MOST_FILES = 3
FEWEST_WORDS = 4
_SOURCE = tuple(one for row in LANGUAGES if row.source_type is SourceType.CODE for one in row.extensions)
_CHORES = re.compile(
    r"(?i)\b(bump|release|typo|changelog|version \d|merge|revert|deps|translations?|l10n|i18n|lint|format(ting)?"
    r"|copyright)\b"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Commit(NamedTuple):
    """A subject, and the files that the commit changed."""

    subject: str
    files: tuple[str, ...]

    @property
    def leaks(self) -> bool:
        """Whether the subject holds a word of a file's name."""
        names = " ".join(os.path.splitext(os.path.basename(path))[0] for path in self.files)
        return not _words(self.subject).isdisjoint(_words(names))


def _words(text: str) -> set[str]:
    found = re.findall(r"[A-Za-z0-9]+", text)
    return {part.lower() for word in found for part in (word, *_PARTS.findall(word))}


def git(clone: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git says of a clone."""
    return subprocess.run([*GIT, "-C", clone, *arguments], input=given, capture_output=True, check=True).stdout


def commits(clone: str, back: int) -> tuple[str, list[Commit]]:
    """The commit that is ``back`` behind the newest one, and those after it that changed a few files and made none."""
    log = git(clone, "log", "--no-merges", "--no-renames", "--format=%x01%H%x02%s", "--name-status", f"-n{back + 1}")
    found, base = [], ""
    for entry in log.decode("utf-8", "replace").split("\x01")[1:]:
        head, *rest = entry.strip().split("\n")
        base, subject = head.split("\x02", 1)
        changes = [line.split("\t") for line in rest if "\t" in line]
        source = [one for one in changes if one[-1].endswith(_SOURCE) and not classify(one[-1])]
        fits = 1 <= len(source) <= MOST_FILES and all(state == "M" for state, _ in source)
        if fits and len(subject.split()) >= FEWEST_WORDS and not _CHORES.search(subject):
            found.append(Commit(re.sub(r"\s*\(#\d+\)", "", subject), tuple(path for _, path in source)))
    return base, found


def export(clone: str, commit: str, folder: str, to: str) -> set[str]:
    """Write a commit's files below ``to``; give their paths. What the clone lacks is left out."""
    listed = git(clone, "ls-tree", "-r", "-z", commit, *([folder] if folder else [])).decode("utf-8", "surrogateescape")
    rows = [row.split("\t", 1) for row in listed.split("\0") if row.startswith("100")]
    blobs = {path: about.split()[2] for about, path in rows}
    held = iter_blobs(git(clone, "cat-file", "--batch", given="".join(f"{one}\n" for one in blobs.values()).encode()))
    for path, data in zip(blobs, held, strict=True):
        if data is not None:
            os.makedirs(os.path.dirname(os.path.join(to, path)), exist_ok=True)
            with open(os.path.join(to, path), "wb") as file:
                file.write(data)
    return set(blobs)


def iter_blobs(answer: bytes) -> Iterator[bytes | None]:
    """Take apart what ``cat-file --batch`` says; None for an object that is not there."""
    at = 0
    while at < len(answer):
        line_end = answer.index(b"\n", at)
        *_, last = answer[at:line_end].split()
        at = line_end + 1
        if last == b"missing":
            yield None
            continue
        yield answer[at : at + int(last)]
        at += int(last) + 1


def ask(clone: str, folder: str, back: int, count: int) -> list[tuple[bool, float]]:
    """Leak and NDCG@10 of every question of one clone."""
    base, found = commits(clone, back)
    with tempfile.TemporaryDirectory(prefix="gazetteer-history-") as scratch:
        tree = os.path.join(scratch, "tree")
        os.makedirs(os.path.join(tree, folder))
        known = export(clone, base, folder, tree)
        asked = [one for one in found if known.issuperset(one.files)]
        random.Random(SEED).shuffle(asked)
        with Session.open(
            os.path.join(tree, folder), db_path=os.path.join(scratch, "index"), one_shot=False
        ) as session:
            session.sync()
            return [(one.leaks, _gain(session, one, folder)) for one in asked[:count]]


def _gain(session: Session, commit: Commit, folder: str) -> float:
    hits = session.retrieve(Query(text=commit.subject, limit=10)).hits
    paths = [os.path.normpath(os.path.join(folder, one.relpath)) for one in hits]
    ideal = sum(DISCOUNT[: len(commit.files)])
    return sum(DISCOUNT[place] for place, path in enumerate(paths) if path in commit.files) / ideal


def row(name: str, gains: Sequence[tuple[bool, float]]) -> str:
    """A row of the table."""
    plain = [gain for leak, gain in gains if not leak]
    without = f"{mean(plain):.3f} of {len(plain)}" if plain else "-"
    return (
        f"| {name} | {len(gains)} | {mean(gain for _, gain in gains):.3f} ({without}) |"
        if gains
        else f"| {name} | 0 | - |"
    )


def main() -> None:
    """Print a row for each clone, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", metavar="CLONE[:FOLDER]")
    parser.add_argument("--back", type=int, default=900, help="how many commits before the newest one the tree is from")
    parser.add_argument("--count", type=int, default=70, help="most questions a clone")
    arguments = parser.parse_args()
    print("| clone | questions | NDCG@10 (no leak) |\n|---|---|---|")
    everything: list[tuple[bool, float]] = []
    for given in arguments.clones:
        clone, _, folder = given.partition(":")
        gains = ask(clone, folder.strip("/"), arguments.back, arguments.count)
        everything += gains
        print(row(given, gains), flush=True)
    print(row("all", everything))


if __name__ == "__main__":
    main()
