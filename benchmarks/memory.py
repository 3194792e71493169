"""What a server holds in memory: after it built an index, and after it opened a finished one and answered.

    python -m benchmarks memory --source TREE [--source TREE ...] [--files 14000] [--questions 50]

One process builds the index of a tree made of so many real files; another opens it and answers so many different
questions. *Resident* is what the system counts for the process; *share* divides what is mapped by several processes
among them; *own* leaves out the pages of files that are mapped, which the system takes back when it needs them: of
these the keyword index is nearly all. Megabytes, read from the system when nothing is under way. Linux only.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from gazetteer.app import Session
from gazetteer.retrieval.query import Query
from scaling import QUESTIONS, make_tree, sources

COLUMNS = ("Rss", "Pss", "Pss_Anon")
Sizes = dict[str, float]


def held(process: int | str = "self") -> Sizes:
    """What a process holds now, in MB, by the names that the kernel gives it."""
    with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        rows = [line.split() for line in file if line.split()[0].removesuffix(":") in COLUMNS]
    return {name.removesuffix(":"): int(size) / 1024 for name, size, _ in rows}


def helpers() -> Iterator[str]:
    """The processes that this one has started and that are still there."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[1] == str(os.getpid()):
                    yield name
        except OSError:
            continue


def building(root: str, cache: str) -> Iterator[tuple[str, Sizes]]:
    """Sizes of a process that makes an index, and of its derive processes."""
    with Session.open(root, db_path=cache, one_shot=False) as session:
        session.sync()
        totals = session.kb.snapshot().totals
        yield f"built {totals.chunks:,} chunks of {totals.documents:,} files", held()
        for name in sorted(helpers()):
            yield "a derive process, for a minute", held(name)


def answering(root: str, cache: str, count: int) -> Iterator[tuple[str, Sizes]]:
    """Sizes of a process that opens the index and answers."""
    with Session.open(root, db_path=cache, one_shot=False) as session:
        yield "opened", held()
        for number in range(count):
            words = QUESTIONS[number % len(QUESTIONS)].split()
            turned = words[number // len(QUESTIONS) % len(words) :]
            session.retrieve(Query(text=" ".join((*turned, f"piece{number}"))))
            if not number:
                yield "first answer", held()
        yield f"{count} answers", held()


def main() -> None:
    """Make the tree, then measure each part in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", default=[], help="a tree to take files from; repeatable")
    parser.add_argument("--files", type=int, default=14_000)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        places = os.path.join(arguments.folder, "tree"), os.path.join(arguments.folder, "cache")
        parts = building(*places) if arguments.child == "building" else answering(*places, arguments.questions)
        for part in parts:
            print(json.dumps(part), flush=True)
        return
    folder = tempfile.mkdtemp(prefix="gazetteer-memory-")
    try:
        make_tree(os.path.join(folder, "tree"), arguments.files, sources(arguments.source))
        print("| process | resident | share | own |\n|---|---|---|---|")
        for child in ("building", "answering"):
            command = [sys.executable, os.path.abspath(__file__), "--child", child, "--folder", folder]
            command += ["--questions", str(arguments.questions)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            for what, sizes in map(json.loads, done.stdout.splitlines()):
                print(f"| {what} | {' | '.join(f'{sizes[name]:.0f}' for name in COLUMNS)} |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
