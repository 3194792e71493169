"""Several corpora under one question: what is found, by whom, and what each rule of the routing is worth.

    python -m benchmarks federated --bench BENCH --corpora FILE [--keep FOLDER] [--rules] [--costs]

BENCH holds the harness (``fed/questions.json``), FILE names the corpora as its ``fed/score.py`` reads them. Questions
are asked in one process, over all corpora and over those alone that they belong to, in the first wording and in the
second. Recall is over identifiers in the texts of the first twelve hits; *file* is a question one of whose evidence
files is among them, *full* one all of whose identifiers are, *own hits* the share of hits that are of its corpora.
``--rules`` leaves out one rule of the routing at a time, ``--costs`` indexes every corpus in a process of its own.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from adapter import Adapter
from gazetteer.kb.memory import settle
from gazetteer.retrieval.query import Hit
from gazetteer.retrieval.route_rules import RULES

LIMIT = 12
CAP = 4_000
ROUNDS = 10
"""How often each question is asked: of fewer, what else the machine does now and then decides."""
"""Characters of a hit that count."""
CROSS = "several"
Question = dict[str, Any]


class Scored(NamedTuple):
    """One question: what was found of what it needs, and what was shown for it."""

    corpus: str
    kind: str
    found: int
    needed: int
    file: bool
    own: int  # hits of its corpora
    shown: tuple[str, ...]  # corpora of the hits
    ms: float


def score(question: Question, hits: Sequence[Hit], ms: float) -> Scored:
    """Hold hits against what a question needs."""
    text = "\n\0\n".join(hit.text[:CAP] for hit in hits)
    wanted = {(one["corpus"], os.path.normpath(one["path"])) for one in question["evidence"]}
    corpora = question["corpora"]
    return Scored(
        corpus=corpora[0] if len(corpora) == 1 else CROSS,
        kind=question["kind"],
        found=sum(_holds(text, one) for one in question["identifiers"]),
        needed=len(question["identifiers"]),
        file=any((hit.corpus, hit.relpath) in wanted for hit in hits),
        own=sum(hit.corpus in corpora for hit in hits),
        shown=tuple(hit.corpus for hit in hits),
        ms=ms,
    )


def _holds(text: str, identifier: str) -> bool:
    """Whether the text holds one of the spellings of an identifier as a whole."""
    return any(re.search(rf"(?<![A-Za-z0-9_]){re.escape(one)}(?![A-Za-z0-9_])", text) for one in identifier.split("|"))


def ask(adapter: Adapter, questions: Iterable[Question], *, own: bool = False, wording: str = "q") -> list[Scored]:
    """Ask all questions, of all corpora or of their own alone."""
    rows = []
    for question in questions:
        started = time.perf_counter()
        answer = adapter.ask(question[wording], LIMIT, question["corpora"] if own else ())
        rows.append(score(question, answer.hits, (time.perf_counter() - started) * 1000))
    return rows


def figures(rows: Sequence[Scored]) -> str:
    """The columns of every table: recall, file, full, share of hits that are of the question's own corpora."""
    if not rows:
        return "- | - | - | -"
    shown = sum(len(one.shown) for one in rows) or 1
    return (
        f"{sum(one.found for one in rows) / sum(one.needed for one in rows):.3f}"
        f" | {sum(one.file for one in rows) / len(rows):.3f}"
        f" | {sum(one.found == one.needed for one in rows)} of {len(rows)}"
        f" | {sum(one.own for one in rows) / shown:.2f}"
    )


HEAD = "recall | file | full | own hits"
RULER = "|---|---|---|---|---|"


def table(title: str, rows: Iterable[tuple[str, Sequence[Scored]]]) -> None:
    """Print a table."""
    print(f"\n| {title} | {HEAD} |\n{RULER}")
    for name, scored in rows:
        print(f"| {name} | {figures(scored)} |", flush=True)


def by(attribute: Callable[[Scored], str], federated: Sequence[Scored], own: Sequence[Scored]) -> None:
    """Print, for each group, federation beside the own corpus alone."""
    names = dict.fromkeys(map(attribute, federated))
    print(f"\n| | federation: {HEAD} | own corpus: {HEAD} |\n{RULER}---|---|---|---|")
    for name in names:
        parts = [figures([one for one in rows if attribute(one) == name]) for rows in (federated, own)]
        print(f"| {name} | {' | '.join(parts)} |")


def shares(rows: Sequence[Scored]) -> None:
    """Print who has how many of the places."""
    shown = [corpus for one in rows for corpus in one.shown]
    names = sorted(set(shown), key=lambda name: (-shown.count(name), name))
    print("\nplaces: " + ", ".join(f"{name} {shown.count(name) / len(shown):.0%}" for name in names))


def latency(adapter: Adapter, questions: Sequence[Question]) -> str:
    """Milliseconds of a question to all corpora, beside the same question to each of them alone, in turns."""
    together, alone = [], []
    settle()  # as the server does when a tree was opened
    for question in [*questions] * ROUNDS:
        together.append(_timed(lambda text=question["q"]: adapter.ask(text, LIMIT)))  # type: ignore[misc]
        alone += [
            _timed(lambda text=question["q"], name=name: adapter.ask(text, LIMIT, (name,)))  # type: ignore[misc]
            for name in adapter.corpora
        ]
    return f"all together {_quantiles(together)}; one corpus alone {_quantiles(alone)}; load {os.getloadavg()[0]:.1f}"


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def _quantiles(times: Iterable[float]) -> str:
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.0f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.0f} ms"


def costs(corpora: Sequence[dict[str, Any]]) -> None:
    """Index every corpus in a process of its own, ask it once, and print what that took."""
    print("\n| corpus | documents | chunks | index s | index MB | most memory MB |\n|---|---|---|---|---|---|")
    for corpus in corpora:
        lines = [{"op": "index", "corpora": [corpus]}, {"op": "search", "query": "where is the main loop", "k": LIMIT}]
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "adapter.py")
        with subprocess.Popen(
            [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            answers = []
            for line in lines:
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
                answers.append(json.loads(process.stdout.readline()))
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                memory = next(int(row.split()[1]) // 1024 for row in file if row.startswith("VmHWM"))
            process.stdin.close()
        row = answers[0]["corpora"][corpus["name"]]
        print(
            f"| {corpus['name']} | {row['documents']:,} | {row['chunks']:,} | {row['seconds']:.1f} | {row['mb']:.0f} "
            f"| {memory} |",
            flush=True,
        )


def main() -> None:
    """Ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="folder of the harness")
    parser.add_argument("--corpora", required=True, help="file that names the corpora")
    parser.add_argument("--keep", default="", help="folder of the indexes; a temporary one if there is none")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these corpora alone")
    parser.add_argument("--rules", action="store_true", help="leave out one rule of the routing at a time")
    parser.add_argument("--costs", action="store_true", help="index every corpus by itself")
    parser.add_argument("--latency", action="store_true", help="time questions to all corpora, and nothing else")
    given = parser.parse_args()
    with open(os.path.join(given.bench, "fed", "questions.json"), encoding="utf-8") as file:
        questions = json.load(file)["questions"]
    with open(given.corpora, encoding="utf-8") as file:
        corpora = [one for one in json.load(file)["main"] if not given.only or one["name"] in given.only]
    if given.costs:
        costs(corpora)
        return
    adapter = Adapter(given.keep)
    try:
        adapter.index({"corpora": corpora})
        federated = ask(adapter, questions)
        if given.latency:
            print(latency(adapter, questions))
            return
        own = ask(adapter, questions, own=True)
        second = [one for one in questions if one.get("q_alt")]
        table("questions", [("all corpora", federated), ("the own corpus alone", own)])
        table("second wording", [("all corpora", ask(adapter, second, wording="q_alt"))])
        by(lambda one: one.corpus, federated, own)
        by(lambda one: one.kind, federated, own)
        shares(federated)
        if given.rules:
            without = ((f"without {rule.id}", rule) for rule in RULES)
            table(
                "rules", [("all", federated), *((name, _left_out(adapter, questions, rule)) for name, rule in without)]
            )
    finally:
        adapter.close()


def _left_out(adapter: Adapter, questions: Sequence[Question], left_out: object) -> list[Scored]:
    adapter.rules = [rule for rule in RULES if rule is not left_out]
    return ask(adapter, questions)


if __name__ == "__main__":
    main()
