"""The table of planted faults fits the package as it is now; ``nox -s faults`` shows that each fault is seen."""

import shutil
from pathlib import Path

import pytest

from .planted_faults import FAULTS, ROOT, Fault, name_of, plant


@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_a_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    goal = tmp_path / fault.file
    goal.parent.mkdir(parents=True)
    shutil.copy(ROOT / "server" / fault.file, goal)
    before = goal.read_text(encoding="utf-8")
    plant(fault, tmp_path)
    after = goal.read_text(encoding="utf-8")
    assert after != before
    compile(after, fault.file, "exec")  # red because of the fault, and not because it cannot be read
