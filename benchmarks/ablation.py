"""What every feature and factor of the ranking is worth, and how the weights do on repositories they have not seen.

    python benchmarks/ablation.py --bench BENCH --trees TREES            the table of this folder's README
    python benchmarks/ablation.py --bench BENCH --trees TREES --fit      weights fitted leaving one repository out

Every question of the development sets is asked once of a real session, and what the ranking was given is kept (with
``--cases FILE`` for the next run as well). Then the ranking is done again with one row of its tables missing
(``--fit``: with other weights), which needs no index. Figures are NDCG@10 over documents; the second one of a pair is
for questions that do not hold a word of the file's name.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from cases import DISCOUNT, SETS, Case, arguments_of, figures, gain, order, recorded
from gazetteer.retrieval.features import FACTORS, FEATURES, Factor, Feature
from gazetteer.retrieval.rank import rank_documents

STEPS = (0.0, 0.5, 0.75, 1.3, 1.8)
"""Multiples of a weight that a fit tries, one weight after the other."""


def gains(cases: Sequence[Case], features: Sequence[Feature], factors: Sequence[Factor]) -> list[float]:
    """NDCG@10 of every case under these tables."""
    return [gain(case, list(order(case, features, factors))) for case in cases]


def ablate(cases: Sequence[Case]) -> Iterator[str]:
    """Rows of the table: everything, then each row of both tables left out."""
    yield "| left out | code (no leak) | whole checkout (no leak) | commits (no leak) |"
    yield "|---|---|---|---|"
    yield f"| nothing | {figures(cases, gains(cases, FEATURES, FACTORS))} |"
    for feature in FEATURES:
        others = [one for one in FEATURES if one is not feature]
        yield f"| {feature.name} | {figures(cases, gains(cases, others, FACTORS))} |"
    for factor in FACTORS:
        rest = [one for one in FACTORS if one is not factor]
        yield f"| factor: {factor.name} | {figures(cases, gains(cases, FEATURES, rest))} |"
    plain = gains(cases, [one for one in FEATURES if one.name == "passage"], ())
    yield f"| everything but passage | {figures(cases, plain)} |"


class Fit:
    """Cases as arrays: a document's value of each feature, its factor, and whether it answers."""

    def __init__(self, cases: Sequence[Case]) -> None:
        import numpy as np

        self._np = np
        self.cases = cases
        width = 400
        self.values = np.zeros((len(cases), width, len(FEATURES)), dtype=np.float32)
        self.factor = np.zeros((len(cases), width), dtype=np.float32)
        self.answers = np.zeros((len(cases), width), dtype=np.float32)
        self.ideal = np.array([sum(DISCOUNT[: len(case.targets)]) for case in cases])
        unit = [msgspec.structs.replace(one, weight=1.0) for one in FEATURES]
        for row, case in enumerate(cases):
            for column, one in enumerate(rank_documents(*case.given, features=unit)[:width]):
                self.values[row, column] = [one.because.get(feature.name, 0.0) for feature in FEATURES]
                for factor in FACTORS:
                    self.factor[row, column] = (self.factor[row, column] or 1.0) * one.because.get(factor.name, 1.0)
                self.answers[row, column] = one.key.path in case.targets
        self.sets = np.array([case.set for case in cases])
        self.leak = np.array([case.leak for case in cases])
        self.repository = np.array([case.repository for case in cases])

    def gains(self, weights: Sequence[float]) -> Any:
        """NDCG@10 of every case."""
        np = self._np
        scores = (self.values @ np.array(weights, dtype=np.float32)) * self.factor
        top = np.argsort(-scores, axis=1, kind="stable")[:, :10]
        return (np.take_along_axis(self.answers, top, 1) * np.array(DISCOUNT)).sum(1) / self.ideal

    def worth(self, weights: Sequence[float], mask: Any) -> float:
        """What is fitted: the mean over the sets, each without its leak once more at half."""
        gains, total, count = self.gains(weights), 0.0, 0.0
        for name, _, _ in SETS:
            for part, share in ((mask & (self.sets == name), 1.0), (mask & (self.sets == name) & ~self.leak, 0.5)):
                if part.any():
                    total, count = total + share * float(gains[part].mean()), count + share
        return total / count

    def descend(self, mask: Any, rounds: int = 2) -> list[float]:
        """Weights that a search from the present ones finds on part of the cases, one weight at a time."""
        weights = [feature.weight for feature in FEATURES]
        best = self.worth(weights, mask)
        for _ in range(rounds):
            for at, weight in enumerate(weights):
                for step in STEPS:
                    tried = [*weights[:at], weight * step, *weights[at + 1 :]]
                    worth = self.worth(tried, mask)
                    if worth > best + 1e-4:
                        best, weights = worth, tried
        return weights

    def leave_one_out(self) -> Iterator[str]:
        """Rows: the present weights, weights fitted on everything, and weights fitted on the other repositories."""
        np = self._np
        everything = np.ones(len(self.cases), dtype=bool)
        present = [feature.weight for feature in FEATURES]
        yield "| weights | code (no leak) | whole checkout (no leak) | commits (no leak) |"
        yield "|---|---|---|---|"
        yield f"| as they are | {figures(self.cases, list(self.gains(present)))} |"
        yield f"| fitted on everything | {figures(self.cases, list(self.gains(self.descend(everything))))} |"
        unseen = np.zeros(len(self.cases))
        found = []
        for name in sorted(set(self.repository)):
            left_out = self.repository == name
            weights = self.descend(~left_out)
            unseen[left_out] = self.gains(weights)[left_out]
            found.append(weights)
        yield f"| fitted leaving one repository out | {figures(self.cases, list(unseen))} |"
        yield ""
        for at, feature in enumerate(FEATURES):
            values = sorted(weights[at] for weights in found)
            middle = values[len(values) // 2]
            yield f"{feature.name}: {feature.weight} now; {values[0]:.2f} to {values[-1]:.2f}, median {middle:.2f}"


def main() -> None:
    """Print what was asked for."""
    parser = arguments_of(
        argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    )
    parser.add_argument("--fit", action="store_true", help="needs numpy")
    arguments = parser.parse_args()
    cases = recorded(arguments)
    for line in Fit(cases).leave_one_out() if arguments.fit else ablate(cases):
        print(line, flush=True)


if __name__ == "__main__":
    main()
