"""Whatever happens to a tree, its index answers as one built from scratch on the same text (rows K2-K10, K13)."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from .history import History
from .nursery import Nursery


def run(folder: Path, examples: int, *, number: int, explain: bool = True) -> None:
    """Run the machine a number of times, always the same way for a seed; ``explain`` makes a failure small."""
    phases = (Phase.generate, Phase.shrink, Phase.explain) if explain else (Phase.generate,)
    with Nursery(folder) as History.nursery:
        run_state_machine_as_test(
            seed(number)(History),
            settings=settings(
                max_examples=examples,
                stateful_step_count=30,
                deadline=None,
                database=None,
                print_blob=True,
                phases=phases,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )


def test_any_history_answers_like_an_index_from_scratch(tmp_path: Path) -> None:
    """A tenth of the full count, always the same histories."""
    run(tmp_path, 50, number=1)


@pytest.mark.soak
def test_many_histories_answer_like_an_index_from_scratch(tmp_path: Path) -> None:
    """K13: 500 runs of 30 steps."""
    run(tmp_path, 500, number=2)
