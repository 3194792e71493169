"""What an open document costs an editor: a keystroke, the question behind it, and the pause of the loop meanwhile.

    python -m benchmarks buffers --source TREE [--source TREE ...] [--rounds 40]

Texts of one megabyte are made from the files of the trees, one language each, and of lines that no person writes. A
keystroke is one character put in somewhere: what the server's loop computes for it, beside pygls's own document. The
pause is what an event loop in the same process, ticking every millisecond, was late by while a question was answered
from the changed text on a thread: in the process's own computing time and by the clock; beside it, what it was late by
while nothing was done, which is what the machine does to it.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles

from gazetteer.app import Session
from gazetteer.kb.buffer import Change
from gazetteer.kb.memory import settle
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query

SIZE = 1_000_000
SHAPES: dict[str, Callable[[], str]] = {
    "lines of one character": lambda: "x\n" * (SIZE // 2),
    "empty lines": lambda: "\n" * SIZE,
    "one line": lambda: "x" * SIZE,
    "one line of emoji": lambda: "😀" * (SIZE // 4),
}


def text_of(trees: Sequence[str], ending: str) -> str:
    """One megabyte of a language, from whole files in order."""
    parts: list[str] = []
    length = 0
    for tree in trees:
        for folder, folders, names in os.walk(tree):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(ending) and 500 < os.path.getsize(path) < 60_000:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        parts.append(file.read())
                    length += len(parts[-1])
                    if length > SIZE:
                        return "".join(parts)[:SIZE]
    raise SystemExit(f"the trees hold less than {SIZE:,} characters of *{ending}; name more of them")


def places(text: str, dice: random.Random) -> Iterator[tuple[int, int]]:
    """Positions in a text, in UTF-16, none of them inside a character."""
    lines = text.split("\n")
    while True:
        line = dice.randrange(len(lines))
        column = dice.randrange(len(lines[line]) + 1)
        yield line, len(lines[line][:column].encode("utf-16-le")) // 2


def keystrokes(text: str, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each keystroke, in a knowledge base and in pygls's document."""
    from lsprotocol import types
    from pygls.workspace import TextDocument

    ours, theirs = [], []
    where = places(text, random.Random(1))
    with tempfile.TemporaryDirectory() as folder, Session.open(folder, db_path=f"{folder}.index") as session:
        path = DocumentPath("a.txt")
        session.kb.open_buffer(path, text, 0)
        document = TextDocument("file:///a.txt", text)
        for version in range(1, rounds + 1):
            line, column = next(where)
            span = (line, column, line, column)
            ours.append(timed(lambda v=version, s=span: session.kb.change_buffer(path, [Change("😀", s)], v, "utf-16")))
            place = types.Position(line, column)
            change = types.TextDocumentContentChangePartial(types.Range(place, place), "😀")
            theirs.append(timed(lambda c=change: document.apply_change(c)))
        session.clean()
    return ours, theirs


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that a call computed."""
    started = time.thread_time()
    act()
    return (time.thread_time() - started) * 1e3


async def late(until: "asyncio.Future[object]") -> tuple[float, float]:
    """The most, in milliseconds, that a loop which ticks every millisecond was late by until something was done.

    The second number is the most time that this process computed between two ticks: what other processes took of the
    machine meanwhile is not in it.
    """
    worst = worst_own = 0.0
    last, own = time.perf_counter(), time.process_time()
    while not until.done():
        await asyncio.sleep(0.001)
        now, computed = time.perf_counter(), time.process_time()
        worst, worst_own = max(worst, (now - last) * 1e3 - 1), max(worst_own, (computed - own) * 1e3 - 1)
        last, own = now, computed
    return worst, worst_own


async def questions(text: str, ending: str, rounds: int) -> tuple[list[list[float]], float]:
    """Milliseconds from keystroke to answer, of the longest pauses in it, of one while idle; and for 1,000 at once."""
    loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(1)
    columns: list[list[float]] = [[], [], [], []]
    with tempfile.TemporaryDirectory() as folder:
        path = DocumentPath(f"large{ending}")
        os.mkdir(f"{folder}/tree")
        with open(f"{folder}/tree/{path}", "w", encoding="utf-8") as file:
            file.write(text)
        with Session.open(f"{folder}/tree", db_path=f"{folder}/index", one_shot=False) as session:
            session.sync()
            settle()  # as the server does
            session.kb.open_buffer(path, text, 0)
            lines = text.count("\n")

            def change(number: int, word: str) -> None:
                line = number * 7919 % lines
                session.kb.change_buffer(path, [Change(f"{word} ", (line, 0, line, 0))], number, "utf-16")

            async def ask(word: str) -> tuple[float, float, float]:
                started = time.perf_counter()
                answer = loop.run_in_executor(pool, lambda: session.retrieve(Query(text=word)))
                pause, own = await late(answer)  # type: ignore[arg-type]
                assert answer.result().hits, "the keystroke is not visible"
                return (time.perf_counter() - started) * 1e3, own, pause

            for number in range(1, rounds + 1):
                change(number, f"word{number}x")
                measured = await ask(f"word{number}x")
                if number > 2:  # what a process learns once is not what a keystroke costs
                    idle, _ = await late(asyncio.ensure_future(asyncio.sleep(measured[0] / 1e3)))
                    for column, value in zip(columns, (*measured, idle), strict=True):
                        column.append(value)
            for number in range(rounds + 1, rounds + 1001):
                change(number, "marmalade")
            thousand = (await ask("marmalade"))[0]
    pool.shutdown()
    return columns, thousand


def spread(times: Sequence[float], digits: int = 0) -> str:
    """Median, 95th percentile and most."""
    high = quantiles(times, n=20, method="inclusive")[18]
    return " / ".join(f"{value:.{digits}f}" for value in (median(times), high, max(times)))


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", required=True)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    texts = {ending: text_of(options.source, ending) for ending in (".py", ".c", ".md")}
    print("| 1 MB of | keystroke ms, p50 / p95 / most | pygls's document |\n|---|---|---|")
    for name, text in [*texts.items(), *((name, make()) for name, make in SHAPES.items())]:
        ours, theirs = keystrokes(text, 5 * options.rounds)
        print(f"| {name} | {spread(ours, 2)} | {spread(theirs, 1)} |", flush=True)
    titles = (
        "1 MB of",
        "to the answer ms",
        "longest pause ms",
        "by the clock",
        "the same while idle",
        "1,000 together",
    )
    print(f"\n| {' | '.join(titles)} |")
    print("|---|---|---|---|---|---|")
    for ending, text in texts.items():
        columns, thousand = asyncio.run(questions(text, ending, options.rounds))
        cells = " | ".join(spread(column) for column in columns)
        print(f"| {ending} | {cells} | {thousand:.0f} |", flush=True)


if __name__ == "__main__":
    main()
