"""What the ranking is given for every question of the development sets, recorded once: what ablation and analysis read.

Every question is asked once of a real session, over an index made for it. Figures are NDCG@10 over documents.
"""

import argparse
import json
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from gazetteer.app import Session
from gazetteer.retrieval import search
from gazetteer.retrieval.features import FACTORS, FEATURES, Candidate, Factor, Feature
from gazetteer.retrieval.query import Query
from gazetteer.retrieval.rank import RankedDocument, rank_documents

SETS = (("code", "questions.json", False), ("checkout", "questions.json", True), ("commits", "commits.json", False))
"""Name, file, and whether the whole checkout is searched."""
DISCOUNT = [1 / log2(place + 2) for place in range(10)]


@dataclass(frozen=True)
class Case:
    """A question with what the ranking was given for it, and the documents that answer."""

    set: str
    repository: str
    language: str
    root: str  # the folder that was searched
    category: str
    id: str
    question: str
    leak: bool
    targets: frozenset[str]
    given: tuple[Any, tuple[Candidate, ...], dict[str, float]]


def record(bench: str, trees: str, repositories: Sequence[str]) -> Iterator[Case]:
    """Ask every question once, and keep what the ranking is given."""
    for name, file_name, whole in SETS:
        with open(os.path.join(bench, "code", file_name), encoding="utf-8") as file:
            data = json.load(file)
        for repository in data["repos"]:
            if repositories and repository["name"] not in repositories:
                continue
            below = "" if whole else repository["root"].rstrip("/")
            root = os.path.join(trees, repository["name"], below)
            asked = [one for one in data["queries"] if one["repo"] == repository["name"]]
            print(f"{name} {repository['name']}", file=sys.stderr)
            for question, given in zip(asked, _given(root, [one["q"] for one in asked]), strict=True):
                targets = frozenset(os.path.relpath(target[0], below or ".") for target in question["rel"])
                yield Case(
                    name,
                    repository["name"],
                    repository["language"],
                    root,
                    question["cat"],
                    question["id"],
                    question["q"],
                    bool(question["leak"]),
                    targets,
                    given,
                )


def _given(root: str, questions: Sequence[str]) -> Iterator[tuple[Any, tuple[Candidate, ...], dict[str, float]]]:
    kept: list[Any] = []

    def keep(query: Any, candidates: Any, rarity: Any) -> list[RankedDocument]:
        kept.append((query, tuple(candidates), dict(rarity)))
        return rank_documents(query, candidates, rarity)

    folder = tempfile.mkdtemp(prefix="gazetteer-ablation-")
    original, search.rank_documents = search.rank_documents, keep  # type: ignore[assignment, attr-defined]
    try:
        with Session.open(root, db_path=folder, one_shot=False) as session:
            session.sync()
            for question in questions:
                session.retrieve(Query(text=question, limit=10))
                yield kept[-1]
    finally:
        search.rank_documents = original  # type: ignore[attr-defined]
        shutil.rmtree(folder, ignore_errors=True)


def recorded(arguments: argparse.Namespace) -> list[Case]:
    """The cases of a run, taken from the file that it names if there is one, else asked for and kept there.

    The file is a pickle that this program wrote: give it no other.
    """
    if arguments.cases and os.path.exists(arguments.cases):
        with open(arguments.cases, "rb") as file:
            kept: list[Case] = pickle.load(file)
        return kept
    cases = list(record(arguments.bench, arguments.trees, [one for one in arguments.repos.split(",") if one]))
    if arguments.cases:
        with open(arguments.cases, "wb") as file:
            pickle.dump(cases, file)
    return cases


def arguments_of(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add what every program that asks the questions takes."""
    parser.add_argument("--bench", required=True)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--repos", default="")
    parser.add_argument("--cases", default="", help="keep what the ranking was given in this file, or read it there")
    return parser


def order(
    case: Case, features: Sequence[Feature] = FEATURES, factors: Sequence[Factor] = FACTORS
) -> dict[str, RankedDocument]:
    """Every document that was a candidate, best first, with what made its score."""
    return {one.key.path: one for one in rank_documents(*case.given, features=features, factors=factors)}


def gain(case: Case, paths: Sequence[str]) -> float:
    """NDCG@10 of one case whose documents were ranked so."""
    found = sum(DISCOUNT[place] for place, path in enumerate(paths[:10]) if path in case.targets)
    return found / sum(DISCOUNT[: len(case.targets)])


def figures(cases: Sequence[Case], values: Sequence[float]) -> str:
    """Means of each set, all and without the leak, as cells of a table."""
    cells = []
    for name, _, _ in SETS:
        of_set = [(value, case.leak) for value, case in zip(values, cases, strict=True) if case.set == name]
        both = [value for value, _ in of_set], [value for value, leak in of_set if not leak]
        whole, without = (f"{sum(part) / len(part):.3f}" if part else "-" for part in both)
        cells.append(f"{whole} ({without})")
    return " | ".join(cells)
