"""Which file system a folder is on, from the kernel's own table."""

import json
from pathlib import Path

import pytest
from gazetteer.cli.doctor import NETWORK_FILE_SYSTEMS, file_system

from .conftest import Shell

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb1 /home/local xfs rw 0 0
//nas/share /mnt/with\\040space cifs rw 0 0
tmpfs /over tmpfs rw 0 0
sshfs#x /over fuse.sshfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var", "ext4"),
        ("/", "ext4"),
        ("/homes", "ext4"),
        ("/home/me/.cache", "nfs4"),
        ("/home/local/x", "xfs"),
        ("/mnt/with space/x", "cifs"),
        ("/over/x", "fuse.sshfs"),
    ],
)
def test_the_longest_and_last_mount_point_counts(tmp_path: Path, folder: str, kind: str) -> None:
    table = tmp_path / "mounts"
    table.write_text(MOUNTS)
    assert file_system(folder, str(table)) == kind


def test_a_system_without_such_a_table_says_nothing(tmp_path: Path) -> None:
    assert file_system("/", str(tmp_path / "none")) == ""


def test_network_file_systems_are_known() -> None:
    assert {"nfs4", "cifs", "fuse.sshfs", "9p"} <= NETWORK_FILE_SYSTEMS
    assert not {"ext4", "xfs", "btrfs", "tmpfs", "overlay"} & NETWORK_FILE_SYSTEMS


def test_what_is_wrong_with_the_registry_is_named_and_costs_comfort_only(shell: Shell) -> None:
    """C1: a broken entry, a key that nobody knows and a tree that is gone, each with what to do."""
    file = shell.home / "config" / "gazetteer" / "projects.json"
    file.parent.mkdir(parents=True)
    entries = {"here": {"path": str(shell.tree), "colour": 1}, "gone": {"path": "/no/such"}, "odd": "/src"}
    file.write_text(json.dumps(entries))
    run = shell("doctor", "--json")
    found = [row for row in run.json()["diagnoses"] if row["name"] == "registry"]
    assert (run.status, [row["verdict"] for row in found]) == (0, ["warn", "warn", "warn", "ok"])
    odd, colour, gone, well = (row["found"] for row in found)
    assert "odd" in odd
    assert "colour" in colour
    assert "`gazetteer corpus rm gone`" in gone
    assert well == f"2 trees in {file}"
    file.write_text("{")
    assert "not JSON" in shell("doctor").out
