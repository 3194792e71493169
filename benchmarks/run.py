"""Quality and speed of Gazetteer beside other keyword tools, in one run: the table of this folder's README.

    python benchmarks/run.py --bench BENCH --trees TREES [--others PYTHON] [--sets code,checkout,commits] [--repos a,b]

BENCH is the folder of the benchmark (``code/harness.py``, ``code/questions.json`` ...), TREES where its trees were
exported to. PYTHON is an interpreter that has bm25s, semble 0.7.0 and numpy; ripgrep is taken from the path. Systems
take turns on each set, so that all meet the same machine; only ratios between them should be trusted.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from typing import Any, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))


class System(NamedTuple):
    """A tool: what it is called in files and in the table, and how the harness starts it (its ``--system``)."""

    key: str
    name: str
    system: str


class Set(NamedTuple):
    """A set of questions: its file, and which part of each tree is searched."""

    name: str
    queries: str
    scope: str


SETS = (
    Set("code", "questions.json", "root"),
    Set("checkout", "questions.json", "repo"),
    Set("commits", "commits.json", "root"),
)


COLUMNS = (
    "system",
    "code (no leak)",
    "whole checkout (no leak)",
    "commits (no leak)",
    "index s, all trees",
    "query ms p50 / p95",
    "MB median / most",
)


def systems(bench: str) -> tuple[System, ...]:
    """All that are compared; Gazetteer first."""
    adapter = os.path.join(HERE, "adapter.py")
    baselines = os.path.join(bench, "code", "baselines.py")
    return (
        System("gazetteer", "gazetteer", f"cmd:{shlex.quote(sys.executable)} {shlex.quote(adapter)}"),
        System("bm25s", "bm25s, 60-line windows", f"py:{baselines}:BM25s"),
        System("bm25s-path", "bm25s, path words, one hit a file", f"py:{baselines}:BM25Ded"),
        System("ripgrep", "ripgrep, words counted", f"py:{baselines}:RgWords"),
        System("semble", "semble 0.7, keyword ranking", f"py:{os.path.join(HERE, 'semble_keyword.py')}:Keyword"),
    )


def run(arguments: argparse.Namespace, system: System, questions: Set) -> dict[str, Any] | None:
    """One tool on one set; None when it cannot run."""
    code = os.path.join(arguments.bench, "code")
    out = os.path.join(arguments.out, f"{system.key}-{questions.name}.json")
    command = [arguments.others or sys.executable, os.path.join(code, "harness.py"), "run", "--system", system.system]
    command += ["--name", system.name, "--queries", os.path.join(code, questions.queries), "--scope", questions.scope]
    command += ["--repos-dir", arguments.trees, "--runs", str(arguments.runs), "--warm", "1", "--out", out]
    if arguments.repos:
        command += ["--repos", arguments.repos]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{system.name} on {questions.name} failed:\n{done.stderr[-2_000:]}", file=sys.stderr)
        return None
    with open(out, encoding="utf-8") as file:
        result: dict[str, Any] = json.load(file)
    return result


def mean(result: dict[str, Any], leak: dict[str, int], *, leaking: bool | None = None) -> float:
    """NDCG@10, of all questions or of those whose target's file name is (not) in the question."""
    values = [row["ndcg10"] for row in result["rows"] if leaking is None or bool(leak[row["id"]]) is leaking]
    return sum(values) / len(values) if values else 0.0


def leaks(bench: str) -> dict[str, int]:
    """Which questions hold a word of their target's file name, by id."""
    found = {}
    for name in ("questions.json", "commits.json"):
        with open(os.path.join(bench, "code", name), encoding="utf-8") as file:
            found.update({one["id"]: one["leak"] for one in json.load(file)["queries"]})
    return found


def table(results: dict[str, dict[str, dict[str, Any]]], leak: dict[str, int]) -> str:
    """The results as Markdown: a row a tool; quality with and without the leak, then time and memory on ``code``."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    for name, by_set in results.items():
        cells = [name]
        for one in SETS:
            result = by_set.get(one.name)
            cells.append(f"{mean(result, leak):.3f} ({mean(result, leak, leaking=False):.3f})" if result else "-")
        summary = next(iter(by_set.values()))["summary"] if by_set else None
        if summary:
            cells.append(f"{summary['index_s_total']:.1f}")
            cells.append(f"{summary['query_p50_ms']:.2f} / {summary['query_p95_ms']:.2f}")
            cells.append(f"{summary['rss_mb_median']:.0f} / {summary['rss_mb_max']:.0f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run what was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=os.path.abspath)
    parser.add_argument("--trees", required=True, type=os.path.abspath)
    parser.add_argument("--others", default="", help="Python with bm25s, semble and numpy")
    parser.add_argument("--sets", default=",".join(one.name for one in SETS))
    parser.add_argument("--systems", default="", help="keys, such as gazetteer,semble; all without it")
    parser.add_argument("--repos", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", default="bench-out", type=os.path.abspath)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    wanted = [key for key in arguments.systems.split(",") if key]
    chosen = [one for one in systems(arguments.bench) if not wanted or one.key in wanted]
    results: dict[str, dict[str, dict[str, Any]]] = {one.name: {} for one in chosen}
    for questions in SETS:
        if questions.name not in arguments.sets.split(","):
            continue
        for system in chosen:
            result = run(arguments, system, questions)
            if result is not None:
                results[system.name][questions.name] = result
                print(
                    f"{questions.name:<9} {system.name:<34} {result['summary']['micro']['ndcg10']:.3f}", file=sys.stderr
                )
    print(table(results, leaks(arguments.bench)))


if __name__ == "__main__":
    main()
