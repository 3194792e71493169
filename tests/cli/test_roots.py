"""Which tree a command is about: the nearest marked ancestor, never the home folder or / unless it is named."""

import os
from pathlib import Path

import pytest
from gazetteer.corpora.roots import find_root
from gazetteer.kb.errors import InvalidArgumentError, NotFoundError, RefusedError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "work" / "project" / "src").mkdir(parents=True)
    return tmp_path / "home"


def found(start: Path, home: Path) -> Path:
    return Path(find_root(start=str(start), home=str(home)))


@pytest.mark.parametrize("marker", [".git", "knowledge.yaml"])
def test_the_nearest_marked_ancestor_is_the_root(home: Path, marker: str) -> None:
    project = home / "work" / "project"
    (project / marker).mkdir()
    assert found(project / "src", home) == project


def test_a_git_file_marks_a_worktree(home: Path) -> None:
    project = home / "work" / "project"
    (project / ".git").write_text("gitdir: /elsewhere\n")
    assert found(project / "src", home) == project


def test_the_nearer_of_two_marks_wins(home: Path) -> None:
    project = home / "work" / "project"
    (home / "work" / ".git").mkdir()
    (project / "knowledge.yaml").touch()
    assert found(project / "src", home) == project


def test_without_a_mark_it_is_the_current_folder(home: Path) -> None:
    assert found(home / "work" / "project", home) == home / "work" / "project"


def test_a_marked_home_is_not_found_by_looking_upwards(home: Path) -> None:
    (home / ".git").mkdir()
    assert found(home / "work", home) == home / "work"


def test_the_home_folder_and_the_top_are_refused_unless_named(home: Path) -> None:
    (home / ".git").mkdir()
    for folder in (home, Path("/")):
        with pytest.raises(RefusedError, match="--root"):
            found(folder, home)
        assert find_root(str(folder), home=str(home)) == str(folder)


def test_a_home_behind_a_link_is_still_the_home(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    with pytest.raises(RefusedError):
        found(home, tmp_path / "link")


def test_a_named_root_is_a_real_path(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home / "work")
    assert find_root(str(tmp_path / "link" / "..")) == str(home)
    assert find_root(str(tmp_path / "link")) == str(home / "work")


@pytest.mark.parametrize("named", ["", "a\0b"])
def test_a_name_that_is_none_is_refused(named: str) -> None:
    with pytest.raises(InvalidArgumentError, match="--root"):
        find_root(named)


def test_a_root_that_is_missing_or_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no-such"):
        find_root(str(tmp_path / "no-such"))
    (tmp_path / "file").touch()
    with pytest.raises(InvalidArgumentError, match="is a file"):
        find_root(str(tmp_path / "file"))


def test_undecodable_names_are_kept(tmp_path: Path) -> None:
    """PE08: a folder whose name is not UTF-8 is a root like any other."""
    name = os.path.join(os.fsencode(tmp_path), b"a\xf5")
    os.mkdir(name)
    assert os.fsencode(find_root(os.fsdecode(name))) == name
