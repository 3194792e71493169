"""A tree with too many files is refused, and what the refusal advises works as printed."""

import os
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from gazetteer.kb.errors import TruncatedError
from gazetteer.kb.scan import ScanRules, list_tree, sweep
from hypothesis import given, settings
from hypothesis import strategies as st


def tree(root: Path, *files: str, **contents: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("x\n")
    for name, text in contents.items():
        (root / f".{name}").write_text(text)
    return root


def test_too_many_files_are_refused_with_a_remedy_that_works(tmp_path: Path) -> None:
    """The message names what used up the budget; the exclusion it prints, as printed, brings the tree under it."""
    tree(tmp_path, *(f"src/{n}.py" for n in range(30)), *(f"web/node_modules/p{n % 5}/[x] y/{n}.js" for n in range(80)))
    tree(tmp_path, *(f"data/[raw] $x/{n}.txt" for n in range(90)))
    rules = ScanRules(max_files=150)
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), rules)
    error = caught.value
    assert error.data["total"] == 200
    assert [tuple(folder.values()) for folder in error.data["directories"]] == [
        ("web/node_modules", 80),
        ("data/[raw] $x", 90),
        ("src", 30),
    ]
    assert "most of them in web/node_modules (80), data/[raw] $x (90), src (30);" in error.message
    assert error.data["exclude"] == ["./web/node_modules"]
    assert f"--exclude {shlex.quote(error.data['exclude'][0])}," in error.message
    assert "--max-files 200" in error.message
    assert len(list_tree(str(tmp_path), replace(rules, exclude=tuple(error.data["exclude"]))).files) == 120


@pytest.mark.parametrize("terms", ["MAINTAINERS", "COPYING", "LICENSE.txt", "Licenses/gpl-2.0.txt", "a"])
def test_a_boot_loader_deep_in_a_product_is_named_before_the_products_own_code(tmp_path: Path, terms: str) -> None:
    """C4: a project of its own is known by its terms and its way to build it, whatever it is called."""
    loader = "layers/meta-board/recipes-bsp/loader-2024.01"
    tree(tmp_path, *(f"{loader}/{name}" for name in ("Makefile", "Kconfig", "README", terms)))
    tree(tmp_path, *(f"{loader}/drivers/d{n % 7}/{n}.c" for n in range(60)))
    tree(tmp_path, *(f"{part}/{n}.c" for part in ("app", "lib", "ui", "net", "db") for n in range(70)))
    rules = ScanRules(max_files=360)
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), rules)
    assert caught.value.data["directories"][0] == {"path": loader, "files": 64}
    assert caught.value.data["exclude"] == [f"./{loader}"]
    assert len(list_tree(str(tmp_path), replace(rules, exclude=(f"./{loader}",))).files) == 350


def test_a_kernel_is_no_stranger_in_itself(tmp_path: Path) -> None:
    """Its folders are configured by Kconfig as it is, and none of them is somebody else's."""
    tree(tmp_path, *(f"{part}{name}" for part in ("", "net/", "drivers/") for name in ("Kconfig", "Makefile")))
    tree(tmp_path, *(f"net/{n}.c" for n in range(40)), *(f"drivers/{n}.c" for n in range(50)))
    tree(tmp_path, *(f"third_party/{n}.c" for n in range(20)))
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), ScanRules(max_files=100))
    named = [folder["path"] for folder in caught.value.data["directories"]]
    assert named == ["third_party", "drivers", "net"]


def test_small_vendored_folders_do_not_stand_in_the_way_of_what_helps(tmp_path: Path) -> None:
    tree(tmp_path, *(f"p{n}/vendor/x.c" for n in range(12)))
    tree(tmp_path, *(f"{part}/{n}.c" for part in ("a", "b", "c") for n in range(40)))
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), ScanRules(max_files=60))
    assert caught.value.data["exclude"] == ["./a", "./b"]


def test_one_folder_that_would_do_alone_is_left_out_before_several(tmp_path: Path) -> None:
    tree(tmp_path, *(f"data/{n}" for n in range(60)), *(f"vendor/{n}" for n in range(20)), *map(str, range(15)))
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), ScanRules(max_files=40))
    assert caught.value.data["exclude"] == ["./data"]


def test_where_no_folder_alone_would_do_several_are_left_out_other_peoples_code_first(tmp_path: Path) -> None:
    tree(tmp_path, *(f"{part}/{n}.c" for part in ("src", "vendor/a", "third_party/b", "tools") for n in range(30)))
    rules = ScanRules(max_files=40)
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), rules)
    assert caught.value.data["exclude"] == ["./third_party", "./vendor", "./src"]
    said = caught.value.message.partition("leave some out with ")[2].partition(", or raise")[0]
    assert shlex.split(said) == [word for glob in caught.value.data["exclude"] for word in ("--exclude", glob)]
    assert len(list_tree(str(tmp_path), replace(rules, exclude=tuple(caught.value.data["exclude"]))).files) == 30


def test_the_remedy_is_quoted_for_the_shell_and_for_the_glob(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", *(f"[raw]* 'x'/{n}" for n in range(9)), *(f"r/{n}" for n in range(3)))
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), ScanRules(max_files=5))
    words = shlex.split(caught.value.message.partition("leave one out with ")[2].partition(", or raise")[0])
    assert words[0] == "--exclude"
    left = list_tree(str(tmp_path), ScanRules(max_files=5, exclude=(words[1],)))
    assert list(left.files) == ["a.py", "r/0", "r/1", "r/2"]


def test_without_a_folder_that_would_do_only_the_limit_is_offered(tmp_path: Path) -> None:
    tree(tmp_path, *(f"{n}.py" for n in range(9)), *(f"d{n}/x.py" for n in range(3)))
    with pytest.raises(TruncatedError) as caught:
        list_tree(str(tmp_path), ScanRules(max_files=5))
    assert caught.value.data["exclude"] == []
    assert "--exclude" not in caught.value.message
    assert len(list_tree(str(tmp_path), ScanRules(max_files=12)).files) == 12


def test_a_partial_listing_takes_what_is_near_first_and_says_so(tmp_path: Path) -> None:
    tree(tmp_path, "z.py", "src/deep/er/x.py", "src/a.py", "node_modules/p/b.js", "node_modules/a.js")
    scan = list_tree(str(tmp_path), ScanRules(max_files=3, allow_partial=True), lambda: 1 << 62)
    assert list(scan.files) == ["src/a.py", "src/deep/er/x.py", "z.py"]
    assert scan.partial
    assert "3 of 5" in scan.notices[0]
    assert sweep(str(tmp_path), ScanRules(max_files=3, allow_partial=True), scan).scan is scan


@given(
    st.lists(st.lists(st.sampled_from(["a", "vendor", "b", "c"]), min_size=1, max_size=4), min_size=1, max_size=60),
    st.integers(1, 59),
)
@settings(max_examples=60, deadline=None)
def test_every_remedy_that_is_offered_works(paths: list[list[str]], limit: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(os.path.realpath(name))
        tree(root, *("/".join((*path, f"f{number}")) for number, path in enumerate(paths)))
        rules = ScanRules(max_files=limit)
        if len(paths) <= limit:
            assert len(list_tree(str(root), rules).files) == len(paths)
            return
        with pytest.raises(TruncatedError) as caught:
            list_tree(str(root), rules)
        assert caught.value.data["total"] == len(paths)
        if exclude := caught.value.data["exclude"]:
            assert list_tree(str(root), replace(rules, exclude=tuple(exclude))).files
