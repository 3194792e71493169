"""Whatever happens to a tree, its index answers as one built from scratch on the same text (rows K2-K10, K13)."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import run_state_machine_as_test

from .history import History
from .nursery import Nursery

SECONDS_TO_SHRINK = 60
"""A failure is made smaller for no longer than this: a red run has to end soon, and its seed shows the same again."""
HISTORIES_OF_CI, SEED_OF_CI = 20, 1
HISTORIES_A_SEED, SEEDS_OF_SOAK = 50, range(101, 111)


def run(folder: Path, examples: int, *, number: int, shrink: bool = True) -> None:
    """Run the machine a number of times, always the same way for a seed.

    Hypothesis would follow every history by five near copies of it; here every one of them is drawn anew.
    """
    with Nursery(folder) as History.nursery, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "MAX_SHRINKING_SECONDS", SECONDS_TO_SHRINK)
        patch.setattr(engine.ConjectureRunner, "generate_mutations_from", lambda *_: None)
        run_state_machine_as_test(
            seed(number)(History),
            settings=settings(
                max_examples=examples,
                stateful_step_count=30,
                deadline=None,
                database=None,
                print_blob=True,
                phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )


def test_any_history_answers_like_an_index_from_scratch(tmp_path: Path) -> None:
    """A small part of the full count, always the same histories."""
    run(tmp_path, HISTORIES_OF_CI, number=SEED_OF_CI)


@pytest.mark.soak
@pytest.mark.parametrize("number", SEEDS_OF_SOAK)
def test_many_histories_answer_like_an_index_from_scratch(tmp_path: Path, number: int) -> None:
    """K13: 500 runs of 30 steps, in ten parts."""
    run(tmp_path, HISTORIES_A_SEED, number=number)
