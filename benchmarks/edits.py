"""What a running session takes: for a question, and from an edit to the answer that shows it.

    python -m benchmarks edits --tree TREE --file FILE [--lines 5000] [--edits 40] [--apart 2]

A copy of TREE is indexed, and FILE of it, cut to so many lines, is opened as an editor's buffer. Every edit puts a word
that is nowhere into it, and the answer to that word has to show it as unsaved text. *Whole*: a line inside of a
function, which is one afterwards as well. *Half-typed*: a call whose bracket is not closed yet; the line is made whole
before the next. *Never seen*: the same text opened at a place where no version of it was before, which is what an edit
costs when nothing is known of the text before it. All of it through the Python API, boundary checks included.
"""

import argparse
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median, quantiles

from gazetteer.app import Session
from gazetteer.kb.buffer import Change
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Query
from scaling import QUESTIONS

ENDS = re.compile(r"\}$|    return ")
"""How a line begins that ends a function, in C or Python; ``};`` ends what a statement would break."""
WARM = 3
"""Edits and rounds of questions before the clock counts: what a process learns once is not what an edit costs."""


class Editor:
    """One buffer, and where in it a line can be put: above a line with which a function ends."""

    def __init__(self, session: Session, path: DocumentPath, text: str) -> None:
        self._session = session
        self._path = path
        self._version = 0
        self._line = "    {} = 0\n" if path.endswith(".py") else "    int {} = 0;\n"
        self._places = [at for at, line in enumerate(text.split("\n")) if ENDS.match(line)]
        assert self._places, "the file has no place for a line"
        self.text = text
        session.kb.open_buffer(path, text)
        self.words = 0

    def whole(self) -> float:
        """Type a line that stays, and ask for it."""
        name = self._word()
        return self._typed(self._line.format(name), name)

    def half(self) -> float:
        """Type a line that is not finished, and ask for it; finish it then."""
        name = self._word()
        place = self._place()
        seconds = self._typed(f"    {name}(\n", name)
        self._change(Change(");", (place, len(name) + 5, place, len(name) + 5)))
        ask(self._session, name)
        return seconds

    def never_seen(self) -> float:
        """Open the same text at a new place, and ask for a word in it."""
        name = self._word()
        path = DocumentPath(self._path.replace(".", f"_{self.words}."))
        started = time.perf_counter()
        self._session.kb.open_buffer(path, f"{self.text}\nint {name};\n")
        ask(self._session, name)
        seconds = time.perf_counter() - started
        self._session.kb.close_buffer(path)
        return seconds

    def _word(self) -> str:
        self.words += 1
        return word(self.words)

    def _place(self) -> int:
        return self._places[self.words * 37 % len(self._places)]

    def _typed(self, line: str, name: str) -> float:
        place = self._place()
        self._places = [at + (at >= place) for at in self._places]
        started = time.perf_counter()
        self._change(Change(line, (place, 0, place, 0)))
        ask(self._session, name)
        return time.perf_counter() - started

    def _change(self, change: Change) -> None:
        self._version += 1
        self._session.kb.change_buffer(self._path, [change], self._version, "utf-16")


def word(number: int) -> str:
    """A word that is in no other, and has no parts: letters without a vowel for the number's digits."""
    return f"quagga{str(number).translate(str.maketrans('0123456789', 'bcdfghjkmp'))}k"


def ask(session: Session, name: str) -> None:
    """Ask for a word that only an unsaved text has."""
    hits = session.retrieve(Query(text=name)).hits
    assert hits, f"{name} is not found"
    assert hits[0].freshness == "overlay"
    assert name in hits[0].text


def questions(session: Session, apart_s: float, rounds: int) -> Iterator[float]:
    """Seconds of each question; nothing else is done in the time between two."""
    for _ in range(rounds):
        for question in QUESTIONS:
            time.sleep(apart_s)
            started = time.perf_counter()
            session.retrieve(Query(text=question))
            yield time.perf_counter() - started


def on_disk(session: Session, root: str, path: DocumentPath, count: int) -> Iterator[float]:
    """Seconds from a write that somebody tells of to the answer; a question does not wait for a sweep for ever."""
    for number in range(count):
        with open(os.path.join(root, path), "a", encoding="utf-8") as file:
            file.write(f"\nint disk{word(number)};\n")
        started = time.perf_counter()
        session.kb.mark_dirty(path)
        while not session.retrieve(Query(text=f"disk{word(number)}")).hits:
            assert time.perf_counter() - started < 10, "the edit is not visible"
        yield time.perf_counter() - started


def row(what: str, seconds: Sequence[float]) -> None:
    """Print one line of the table."""
    print(f"| {what} | {median(seconds) * 1e3:.1f} | {quantiles(seconds, n=20)[18] * 1e3:.1f} |", flush=True)


def measure(root: str, path: DocumentPath, lines: int, edits: int, apart_s: float, cache: str) -> None:
    """Print the table of one tree."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = "\n".join(file.read().split("\n")[:lines])
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)
    with Session.open(root, db_path=cache, one_shot=False) as session:
        session.sync()
        totals = session.kb.snapshot().totals
        print(f"{totals.chunks:,} chunks; {text.count(chr(10)) + 1:,} lines, {len(text):,} characters\n")
        print("| what | p50 ms | p95 ms |\n|---|---|---|")
        list(questions(session, 0.0, WARM))
        row("question, back to back", list(questions(session, 0.0, 10)))
        row(f"question, {apart_s:g} s apart", list(questions(session, apart_s, 3)))
        editor = Editor(session, path, text)
        kinds: tuple[tuple[str, Callable[[], float]], ...] = (
            ("whole edit to visible", editor.whole),
            ("half-typed edit to visible", editor.half),
            ("text never seen to visible", editor.never_seen),
        )
        for name, act in kinds:
            for _ in range(WARM):
                act()
            row(name, [act() for _ in range(edits)])
        session.kb.close_buffer(path)
        row("edit on disk to visible", list(on_disk(session, root, path, edits)))


def main() -> None:
    """Copy the tree and measure on the copy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", required=True)
    parser.add_argument("--file", required=True, help="relative to the tree; C, or Python")
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--apart", type=float, default=2.0, help="seconds between two questions")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="gazetteer-edits-")
    try:
        root = os.path.join(folder, "tree")
        shutil.copytree(arguments.tree, root)
        cache = os.path.join(folder, "cache")
        measure(root, DocumentPath(arguments.file), arguments.lines, arguments.edits, arguments.apart, cache)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
