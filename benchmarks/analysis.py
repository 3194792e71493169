"""Where the ranking loses: by category, language and leak, by the place of the targets, and by what stands before them.

    python -m benchmarks analysis --bench BENCH --trees TREES [--cases FILE] [--list SET]

A loss is what a question lacks of NDCG@10 = 1; shares of it are of one set. Nothing here is a feature, and nothing that
it prints names a question unless ``--list`` asks for those of one set that score below a half.
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import mean
from typing import NamedTuple

from cases import SETS, Case, arguments_of, gain, order, recorded
from gazetteer.kb.model import Kind
from gazetteer.retrieval.features import Candidate
from gazetteer.retrieval.pathclass import PathClass, classify
from gazetteer.retrieval.rank import RankedDocument
from gazetteer.retrieval.terms import terms

PLACES = ((1, "first"), (3, "2-3"), (10, "4-10"), (30, "11-30"), (10_000, "further"))
"""Last place of a group of targets, and what it is called; one that was no candidate has a column of its own."""
SHARES = ((0.25, "under a quarter"), (0.5, "under half"), (0.75, "under three quarters"), (1.01, "more"))
"""Share of the question's words, by rarity, that the text and path of its best target hold."""
_TYPES = frozenset({Kind.INTERFACE, Kind.TYPE, Kind.ENUM})


class Result(NamedTuple):
    """A case, its documents in order, what it gained, and how much of its words the target that holds most holds."""

    case: Case
    ranked: Mapping[str, RankedDocument]
    gain: float
    held: float

    @property
    def loss(self) -> float:
        """What lacks."""
        return 1.0 - self.gain


Test = Callable[[str, Result], bool]


def _of(kind: PathClass) -> Test:
    return lambda path, _: kind in classify(path)


def _source_type(name: str) -> Test:
    return lambda path, result: _best(path, result).source_type == name


def _best(path: str, result: Result) -> Candidate:
    key = result.ranked[path].key
    found: Candidate = next(one for one in result.case.given[1] if one.key == key)
    return found


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].split(".", 1)[0].lower()


def _types_only(path: str, result: Result) -> bool:
    return all(one.note.kind in _TYPES or one.note.declaration for one in result.case.given[1] if one.key.path == path)


WINNERS: Mapping[str, Test] = {
    "test": _of(PathClass.TEST),
    "change log": _of(PathClass.HISTORY),
    "docs": _source_type("docs"),
    "settings": _source_type("config"),
    "example or benchmark": lambda path, _: not {PathClass.EXAMPLE, PathClass.BENCHMARK}.isdisjoint(classify(path)),
    "vendored or generated": lambda path, _: not {PathClass.VENDORED, PathClass.GENERATED}.isdisjoint(classify(path)),
    "other half (header, .d.ts, async)": lambda path, result: _stem(path) in map(_stem, result.case.targets),
    "types and declarations only": _types_only,
    "defines a name of the question": lambda path, result: "definition" in result.ranked[path].because,
    "its file name is said": lambda path, result: result.ranked[path].because.get("name", 0.0) > 0.2,
    "same folder": lambda path, result: path.rpartition("/")[0] in {t.rpartition("/")[0] for t in result.case.targets},
    "other source": lambda *_: True,
}
"""What a document that stands before a target is: the first that fits."""


def results(cases: Sequence[Case]) -> Iterator[Result]:
    """Every case ranked by the tables as they are."""
    for case in cases:
        ranked = order(case)
        yield Result(case, ranked, gain(case, list(ranked)), max(_held(case, path) for path in case.targets))


def _held(case: Case, path: str) -> float:
    with open(os.path.join(case.root, path), encoding="utf-8", errors="replace") as file:
        held = {*terms(file.read()), *terms(path)}
    query, _, rarity = case.given
    unknown = max(rarity.values(), default=1.0)
    worth = {term.text: term.weight * (rarity.get(term.text) or unknown) for term in query.terms}
    said: float = sum(value for term, value in worth.items() if term in held)
    return said / (sum(worth.values()) or 1.0)


def grouped(found: Sequence[Result], name: str, key: Callable[[Result], str]) -> Iterator[str]:
    """Rows of a table: questions, NDCG and share of the set's loss for each value of ``key``, worst first."""
    yield f"| {name} | questions | NDCG@10 | without leak | share of the loss |"
    yield "|---|---|---|---|---|"
    lost = sum(one.loss for one in found) or 1.0
    groups: dict[str, list[Result]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    for value, group in sorted(groups.items(), key=lambda item: (-sum(one.loss for one in item[1]), item[0])):
        plain = [one.gain for one in group if not one.case.leak]
        without = f"{mean(plain):.3f} of {len(plain)}" if plain else "-"
        share = sum(one.loss for one in group) / lost
        yield f"| {value} | {len(group)} | {mean(one.gain for one in group):.3f} | {without} | {share:.0%} |"


def places(found: Sequence[Result]) -> Iterator[str]:
    """Where the targets stand, with and without leak."""
    yield f"| set | targets | {' | '.join(name for _, name in PLACES)} | no candidate |"
    yield f"|---|---|{'---|' * (len(PLACES) + 1)}"
    for name, _, _ in SETS:
        for leak in (True, False):
            of = [one for one in found if one.case.set == name and one.case.leak is leak]
            count = Counter(place for one in of for place in _places(one))
            total = count.total() or 1
            cells = [f"{count[group] / total:.1%}" for group in (*(group for _, group in PLACES), "")]
            yield f"| {name}, {'leak' if leak else 'no leak'} | {total} | {' | '.join(cells)} |"


def _places(one: Result) -> Iterator[str]:
    at = {path: place for place, path in enumerate(one.ranked, 1)}
    for target in one.case.targets:
        yield next(name for last, name in PLACES if at[target] <= last) if target in at else ""


def winners(found: Sequence[Result]) -> Iterator[str]:
    """What stands before the last target among the first ten, in shares, and what speaks for the first of those."""
    sets = " | ".join(f"{name} | {name}, no leak" for name, _, _ in SETS)
    yield f"| before a target stands | {sets} |"
    yield f"|{'---|' * 7}"
    counts = []
    for name, _, _ in SETS:
        for leak in (True, False):
            of = [one for one in found if one.case.set == name and (leak or not one.case.leak)]
            counts.append(Counter(what for one in of for what in _before(one)))
    for what in WINNERS:
        yield f"| {what} | {' | '.join(f'{count[what] / (count.total() or 1):.0%}' for count in counts)} |"


def _before(one: Result) -> Iterator[str]:
    last = max((place for place, path in enumerate(one.ranked) if path in one.case.targets), default=10)
    for path in list(one.ranked)[: min(last, 10)]:
        if path not in one.case.targets:
            yield next(name for name, fits in WINNERS.items() if fits(path, one))


def reasons(found: Sequence[Result]) -> Iterator[str]:
    """What the first wrong document had more of than the best target behind it, as a mean over the questions lost."""
    yield "| set | lost at the first place | ahead by | mean lead of the first over the target |"
    yield "|---|---|---|---|"
    for name, _, _ in SETS:
        for leak in (True, False):
            lead: dict[str, float] = {}
            ahead: list[float] = []
            for one in found:
                target = next((path for path in one.ranked if path in one.case.targets), None)
                first = next(iter(one.ranked), None)
                if one.case.set != name or one.case.leak is not leak or target in (None, first) or first is None:
                    continue
                ours, theirs = one.ranked[first], one.ranked[target]
                ahead.append(ours.score - theirs.score)
                for why in {*ours.because, *theirs.because}:
                    lead[why] = lead.get(why, 0.0) + ours.because.get(why, 0.0) - theirs.because.get(why, 0.0)
            most = sorted(lead.items(), key=lambda item: (-item[1], item[0]))[:5]
            shown = ", ".join(f"{why} {value / len(ahead):+.2f}" for why, value in most)
            label = f"{name}, {'leak' if leak else 'no leak'}"
            yield f"| {label} | {len(ahead)} | {mean(ahead) if ahead else 0.0:.2f} | {shown} |"


def report(found: Sequence[Result]) -> Iterator[str]:
    """All tables."""
    for name, _, _ in SETS:
        of = [one for one in found if one.case.set == name]
        if not of:
            continue
        yield f"\n## {name}: {mean(one.gain for one in of):.3f} over {len(of)} questions\n"
        yield from grouped(of, "category", lambda one: f"{one.case.category}, {_leak(one)}")
        yield ""
        yield from grouped(of, "language, tree", lambda one: f"{one.case.language}, {one.case.repository}")
        yield ""
        yield from grouped(of, "targets", lambda one: str(len(one.case.targets)))
        yield ""
        yield from grouped(of, "of the question's words the target holds", lambda one: _share(one.held))
    yield "\n## Places of the targets\n"
    yield from places(found)
    yield "\n## What stands before a target, among the first ten\n"
    yield from winners(found)
    yield "\n## What put it there\n"
    yield from reasons(found)


def _leak(one: Result) -> str:
    return "leak" if one.case.leak else "no leak"


def _share(held: float) -> str:
    return next(name for most, name in SHARES if held < most)


def listed(found: Sequence[Result], name: str) -> Iterator[str]:
    """Questions of a set that score below a half and hold no word of the file's name, one paragraph each."""
    for one in found:
        if one.case.set == name and not one.case.leak and one.gain < 0.5:
            at = {path: place for place, path in enumerate(one.ranked, 1)}
            targets = ", ".join(f"{path} ({at.get(path, 'no candidate')})" for path in sorted(one.case.targets))
            yield f"\n{one.case.id} {one.gain:.2f}, holds {one.held:.0%} | {one.case.question}\n  wanted {targets}"
            yield f"  first {', '.join(list(one.ranked)[:4])}"


def main() -> None:
    """Print the tables, or the questions that were asked for."""
    parser = arguments_of(
        argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    )
    parser.add_argument("--list", default="", metavar="SET", help="code, checkout or commits")
    arguments = parser.parse_args()
    found = list(results(recorded(arguments)))
    for line in listed(found, arguments.list) if arguments.list else report(found):
        print(line)


if __name__ == "__main__":
    main()
