"""How each cost grows with the tree: 1,000, 10,000 and 60,000 files, Gazetteer beside bm25s, semble and ripgrep.

    python benchmarks/scaling.py --source TREE [--source TREE ...] [--others PYTHON] [--sizes 1000,10000,60000]

The trees are made from real source files: each is used again and again in folders of their own, with a few words of its
own put in, so that no two have the same content. Every system is a fresh process; memory is the most that it used.
Gazetteer's columns: first index (facts included), opening the index again and answering while nothing has changed,
questions, and the time from a file's edit on disk to the answer that shows it.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median, quantiles
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = (
    "how are errors handled and reported to the caller",
    "parse command line arguments",
    "connection pool timeout",
    "where is the configuration loaded",
    "class that writes the output buffer",
    "cache invalidation",
    "read file into memory",
    "state machine transitions",
)
ENDINGS = (".py", ".c", ".h", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".cs", ".kt", ".scala", ".php", ".ex", ".lua")
EDITS = 20


def sources(trees: Sequence[str]) -> list[tuple[str, str]]:
    """Ending and text of every source file of some trees, in order."""
    found = []
    for tree in trees:
        for folder, folders, names in os.walk(tree):
            folders.sort()
            for name in sorted(names):
                ending = os.path.splitext(name)[1]
                path = os.path.join(folder, name)
                if ending in ENDINGS and 200 < os.path.getsize(path) < 100_000:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        found.append((ending, file.read()))
    return found


def make_tree(root: str, size: int, texts: Sequence[tuple[str, str]]) -> int:
    """Write ``size`` files below ``root``; returns their bytes."""
    written = 0
    for number in range(size):
        ending, text = texts[number * 7_919 % len(texts)]
        folder = os.path.join(root, f"part{number // 500}", f"unit{number // 25 % 20}")
        os.makedirs(folder, exist_ok=True)
        mark = f"\nword{number} number{number % 977} piece{number % 131}\n"
        data = (text + mark).encode("utf-8", "replace")
        with open(os.path.join(folder, f"file{number}{ending}"), "wb") as file:
            file.write(data)
        written += len(data)
    return written


def measure_gazetteer(root: str) -> dict[str, float]:
    """All columns of one tree. Runs in a process of its own."""
    from gazetteer.app import Session
    from gazetteer.retrieval.query import Query

    folder = tempfile.mkdtemp(prefix="gazetteer-scaling-")
    try:
        found = {"index_s": _timed(_sync, Session, root, folder)}
        started = time.perf_counter()
        with Session.open(root, db_path=folder, one_shot=False) as session:
            session.retrieve(Query(text=QUESTIONS[0]))
            found["reopen_s"] = time.perf_counter() - started
            for _ in range(2):  # what a process learns once is not what a question costs
                for question in QUESTIONS:
                    session.retrieve(Query(text=question))
            times = [_timed(session.retrieve, Query(text=one)) * 1e3 for one in QUESTIONS * 5]
            found["query_p50_ms"], found["query_p95_ms"] = median(times), quantiles(times, n=20)[18]
            found["edit_to_visible_ms"] = median(_edits(session, root, Query))
        found["disk_mb"] = _size(folder) / 1e6
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _sync(session_type: Any, root: str, folder: str) -> None:
    with session_type.open(root, db_path=folder, one_shot=False) as session:
        session.sync()


def _edits(session: Any, root: str, query: Any) -> Iterator[float]:
    """Milliseconds from writing a word that was nowhere to the answer that has it; the writer says what it wrote."""
    folder = os.path.join(root, "part0", "unit0")
    path = os.path.join(folder, min(os.listdir(folder)))
    for number in range(EDITS):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"\nfreshword{number}\n")
        started = time.perf_counter()
        session.kb.mark_dirty(os.path.relpath(path, root))
        while not session.retrieve(query(text=f"freshword{number}")).hits:
            pass  # a server waits 50 ms for what it is told, and says that something is missing
        yield (time.perf_counter() - started) * 1e3


def measure_other(factory: Callable[[], Any], root: str) -> dict[str, float]:
    """Index and query times of a tool behind the harness's interface. Runs in a process of its own."""
    tool = factory()
    found = {"index_s": _timed(tool.index, root)}
    times = [_timed(tool.search, one, 10) * 1e3 for one in QUESTIONS * 5]
    found["query_p50_ms"], found["query_p95_ms"] = median(times), quantiles(times, n=20)[18]
    return found


def _timed(act: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    act(*arguments)
    return time.perf_counter() - started


def _size(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names)


def _load(path: str, name: str) -> Callable[[], Any]:
    import importlib.util

    spec = importlib.util.spec_from_file_location("tool", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    factory: Callable[[], Any] = getattr(module, name)
    return factory


def child(tool: str, root: str) -> None:
    """Measure one tool and print what came out, with the memory of the process and its largest child."""
    import resource

    if tool == "gazetteer":
        found = measure_gazetteer(root)
    else:
        path, name = tool.rsplit(":", 1)
        found = measure_other(_load(path, name), root)
    found["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def measured(python: str, tool: str, root: str) -> dict[str, float]:
    """Measure in a fresh process; empty when the tool failed."""
    command = [python, os.path.abspath(__file__), "--child", tool, "--tree", root]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{tool} failed: {done.stderr[-1_000:]}", file=sys.stderr)
        return {}
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


COLUMNS = ("index_s", "reopen_s", "query_p50_ms", "query_p95_ms", "edit_to_visible_ms", "rss_mb", "disk_mb")


def main() -> None:
    """Make the trees, measure every tool on each, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", default=[], help="a tree to take files from; repeatable")
    parser.add_argument("--bench", default="", help="folder of the benchmark, for its baselines")
    parser.add_argument("--others", default="", help="Python with bm25s, semble and numpy")
    parser.add_argument("--sizes", default="1000,10000,60000")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--tree", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.tree)
        return
    tools = {"gazetteer": (sys.executable, "gazetteer")}
    if arguments.others:
        baselines = os.path.join(os.path.abspath(arguments.bench), "code", "baselines.py")
        tools["bm25s"] = (arguments.others, f"{baselines}:BM25s")
        tools["ripgrep"] = (arguments.others, f"{baselines}:RgWords")
        tools["semble"] = (arguments.others, f"{os.path.join(HERE, 'semble_keyword.py')}:Keyword")
    texts = sources(arguments.source)
    print(f"| files | MB | system | {' | '.join(COLUMNS)} |")
    print(f"|{'---|' * (len(COLUMNS) + 3)}")
    for size in map(int, arguments.sizes.split(",")):
        root = tempfile.mkdtemp(prefix="scaling-tree-")
        try:
            written = make_tree(root, size, texts)
            for name, (python, tool) in tools.items():
                found = measured(python, tool, root)
                cells = [f"{found[column]:.1f}" if column in found else "-" for column in COLUMNS]
                print(f"| {size:,} | {written / 1e6:.0f} | {name} | {' | '.join(cells)} |", flush=True)
        finally:
            shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
