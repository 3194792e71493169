"""An ignore rule means what git means by it; git itself is the oracle."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from gazetteer.kb import ignore
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.scan import ScanRules, list_tree
from hypothesis import given
from hypothesis import strategies as st

NAMES = (
    *(
        b"a",
        b"b",
        b"ab",
        b"A",
        b"foo",
        b"foobar",
        b"bar",
        b"foo.o",
        b"keep.log",
        b"x.log",
        b"build",
        b"a-b",
        b"x\ty",
        b"\x0b",
    ),
    *(b"b c", b"a ", b"#x", b"!n", b"[z]", b"a*b", b"q?", b"]", b"^", b"back\\s", b"t\t", b"\xc3\xa9", b"e\xff"),
)
PIECES = (
    *(b"a", b"b", b"x", b"foo", b"bar", b"log", b"build", b"keep", b".", b"-", b" ", b"\t", b"\xc3\xa9", b"\xff"),
    *(b"*", b"**", b"***", b"?", b"/", b"/", b"**/", b"/**", b"\\", b"\\a", b"\\*", b"\\ ", b"\\/"),
    *(b"[ab]", b"[!a]", b"[^b]", b"[a-f]", b"[]a]", b"[]-a]", b"[!]a-]", b"[\\]]", b"[b-\\f]", b"[/]", b"[a", b"[a-"),
    *(b"[[:alpha:]]", b"[[:space:]]", b"[[:upper:]]", b"[[:punct:]x]", b"[[:foo:]]", b"[:alpha:]", b"[\xc3\xa9]"),
)


def git(root: Path, *arguments: str) -> bytes:
    """Run git as on a machine where nobody has settings."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "XDG_CONFIG_HOME": str(root)}
    return subprocess.run(["git", "-C", root, *arguments], env=environment, capture_output=True, check=True).stdout


def listed_by_git(root: Path) -> set[str]:
    answer = git(root, "ls-files", "-co", "--exclude-standard", "-z")
    return {path for path in os.fsdecode(answer).split("\0") if path}


def listed_by_us(root: Path) -> set[str]:
    return set(list_tree(str(root), ScanRules()).files)


def a_rule(dice: random.Random) -> bytes:
    shape = dice.random()
    if shape < 0.25:
        rule = dice.choice(NAMES)
    elif shape < 0.4:
        rule = dice.choice(NAMES) + b"/" + dice.choice(NAMES)
    else:
        rule = b"".join(dice.choice(PIECES) for _ in range(dice.randint(1, 6)))
    before = (b"!" if dice.random() < 0.3 else b"") + (b"/" if dice.random() < 0.2 else b"")
    after = (b"/" if dice.random() < 0.25 else b"") + dice.choice((*[b""] * 15, b" ", b"  ", b"\r", b" \r"))
    return before + rule + after


def plant(dice: random.Random, root: bytes) -> None:
    """Make a small tree with ignore files in some of its folders."""
    folders = [root]
    os.mkdir(root)
    for _ in range(dice.randint(2, 9)):
        folder = os.path.join(dice.choice(folders), dice.choice(NAMES))
        if not os.path.lexists(folder):
            os.mkdir(folder)
            folders.append(folder)
    for _ in range(dice.randint(5, 30)):
        file = os.path.join(dice.choice(folders), dice.choice(NAMES))
        if not os.path.isdir(file):
            with open(file, "wb"):
                pass
    for number, folder in enumerate(folders):
        if number == 0 or dice.random() < 0.3:
            mark = b"\xef\xbb\xbf" if dice.random() < 0.05 else b""
            end = b"\n" if dice.random() < 0.8 else b""
            with open(os.path.join(folder, b".gitignore"), "wb") as rules:
                rules.write(mark + b"\n".join(a_rule(dice) for _ in range(dice.randint(1, 6))) + end)


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_random_sets_of_rules_differ_from_git_in_nothing(tmp_path: Path, seed: int) -> None:
    """PE20, PE18: 10 x 100 sets, with and without a repository; a rule below an ignored folder takes nothing back."""
    git(tmp_path, "init", "-q")
    dice = random.Random(seed)
    for number in range(100):
        plant(dice, os.fsencode(tmp_path / f"t{number}"))
    wanted = listed_by_git(tmp_path)
    assert listed_by_us(tmp_path) == wanted
    shutil.rmtree(tmp_path / ".git")
    assert listed_by_us(tmp_path) == wanted
    everything = sum(len(files) for _, _, files in os.walk(tmp_path))
    assert 0.3 * everything < len(wanted) < 0.95 * everything


CASES = {
    "a parent's exclusion is final": ("build\n!keep.log\n", ["build/keep.log", "keep.log"]),
    "a folder's content is taken back through the folder": ("d/*\n!d/sub\n", ["d/x", "d/sub/y"]),
    "a folder rule spares a file of that name": ("out/\n", ["out", "a/out/x"]),
    "a slash in the middle anchors": ("a/b\n", ["a/b", "c/a/b"]),
    "a slash in front anchors": ("/a\n", ["a", "c/a"]),
    "two stars cross folders": ("a/**/b\n", ["a/b", "a/x/b", "a/x/y/b", "ab"]),
    "two stars at the end take all inside": ("a/**\n", ["a/x", "a/y/z", "b/a/x"]),
    "two stars after a literal start still cross": ("foo**/bar\n", ["foobar", "foo/x/bar", "foox/bar"]),
    "one star stays in its folder": ("a/*.log\n", ["a/x.log", "a/b/x.log"]),
    "a question mark is a byte": ("?\n??\n!\\?\\?\n", ["é", "a", "ab"]),
    "spaces at the end are cut": ("a  \nb\\ \n", ["a", "a  ", "b", "b "]),
    "a tab at the end is not": ("a\t\n", ["a", "a\t"]),
    "a space held by a backslash ends the cutting": ("a\\  \n", ["a ", "a", "a  "]),
    "a carriage return goes": ("a\r\nb\r", ["a", "b", "b\r"]),
    "hash and exclamation mark can be escaped": ("\\#a\n\\!b\n#c\n", ["#a", "!b", "#c", "c"]),
    "the last rule wins": ("*.log\n!keep.log\nkeep*\n!keep.log\n", ["keep.log", "keep.txt", "a.log"]),
    "classes": ("[[:digit:]]\n[!a-y]\n[]x]\n", ["7", "z", "b", "]", "x"]),
    "a form feed is no space": ("[[:space:]]\n", ["\f", "\v", "\t", " "]),
    "a class that is never closed matches nothing": ("[ab\n*\n!*\n", ["[ab", "a"]),
    "a backslash at the end matches nothing": ("a\\\n", ["a", "a\\"]),
    "a mark in front of the file is no part of it": ("\ufeffa\n", ["a", "\ufeffa"]),
    "a lone slash matches nothing": ("/\n//\n", ["a", "b/c"]),
    "all but": ("/*\n!/src\n/src/*\n!/src/a\n", ["x", "src/a/b", "src/c"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_means_what_it_means_to_git(tmp_path: Path, case: str) -> None:
    rules, files = CASES[case]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / ".gitignore").write_bytes(rules.encode())
    git(tmp_path, "init", "-q")
    wanted = listed_by_git(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    assert listed_by_us(tmp_path) == wanted


def test_letter_case_counts_unless_the_repository_says_otherwise(tmp_path: Path) -> None:
    rules = b"FOO\n/bar/Q*\n[A-C]x\n[[:upper:]]y\n"
    (tmp_path / ".gitignore").write_bytes(rules)
    for name in ("foo", "Foo", "bar/qq", "ax", "by", "By"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    git(tmp_path, "init", "-q")
    for fold in (False, True):
        git(tmp_path, "config", "core.ignorecase", str(fold).lower())
        seen = ignore.parse_rules(rules, fold_case=fold)
        ours = {
            name
            for name in ("foo", "Foo", "bar/qq", "ax", "by", "By")
            if not seen.verdict(name.encode(), name.rpartition("/")[2].encode(), False)
        }
        assert ours == listed_by_git(tmp_path) - {".gitignore"}


def test_rules_made_to_be_slow_are_not() -> None:
    """A tree's own rules must not hold up the listing: these would try for hours if every star tried every place."""
    name = b"a" * 250
    deep = b"/".join([b"a"] * 500)
    rules = ignore.parse_rules(b"*a" * 40 + b"b\n" + b"/" + b"**/a/" * 40 + b"b\n" + b"/" + b"**/*a*a/" * 20 + b"b\n")
    assert rules.verdict(name, name, False) is None
    assert rules.verdict(deep, b"a", False) is None
    assert rules.verdict(deep + b"/b", b"b", False) is True


@given(st.binary(max_size=200), st.binary(min_size=1, max_size=30))
def test_any_bytes_are_rules_and_any_bytes_are_a_name(data: bytes, name: bytes) -> None:
    ignore.parse_rules(data).verdict(name, name.rpartition(b"/")[2], False)


PATHS = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), min_size=1).filter(
    lambda path: path == path.strip("/ ") and "//" not in path
)


@given(PATHS, PATHS)
def test_an_escaped_path_is_a_glob_for_exactly_that_path(path: str, other: str) -> None:
    globs = ignore.parse_globs((f"./{ignore.escape(path)}",), "exclude")

    def matches(wanted: str) -> bool:
        encoded = wanted.encode()
        return globs.verdict(encoded, encoded.rpartition(b"/")[2], True) is True

    assert matches(path)
    assert matches(other) == (other == path)


@pytest.mark.parametrize("glob", ["", "!a", "/", "a[", "a\\", "# a", "a\nb"])
def test_a_glob_that_matches_nothing_is_refused_and_its_setting_named(glob: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^exclude_dirs has a glob .* write it as") as caught:
        ignore.parse_globs(("fine", glob), "exclude_dirs")
    assert caught.value.data == {"setting": "exclude_dirs", "glob": glob}


# ---------------------------------------------------------------- absolute paths


@pytest.mark.parametrize(
    ("glob", "meant"),
    [
        ("/src/tree/lib/a.c", "lib/a.c"),
        ("/src/tree/lib/", "lib/"),
        ("/src/tree/**/a.c", "**/a.c"),
        ("/src/tree//lib/*.c", "lib/*.c"),
        ("/src/tree/./lib/../a.c", "a.c"),
        ("/src/*/lib", "lib"),
        ("/s[rq]c/tr?e/lib", "lib"),
        ("/**/a.c", "**/a.c"),
        ("/src/**", "**"),
        ("/src/tree", ""),
        ("/src/tree/", ""),
        ("/src", ""),
        ("/", ""),
        ("/src/tre", None),
        ("/src/other/a.c", None),
        ("/lib/a.c", None),
        ("lib/a.c", None),
        ("src/tree/lib", None),
        ("/src/tree\0/lib", None),
    ],
)
def test_an_absolute_glob_means_what_it_leads_to(glob: str, meant: str | None) -> None:
    assert ignore.below(glob, "/src/tree") == meant


@given(PATHS.filter(lambda path: not {".", ".."} & set(path.split("/"))))
def test_an_absolute_path_is_a_glob_for_exactly_that_path(path: str) -> None:
    root = "/no such folder/#[tree] "
    globs = ignore.parse_globs((f"{ignore.escape(root)}/{path}",), "path", root)
    exact = ignore.parse_globs((f"/{path}",), "path")
    for seen in (path, f"x/{path}", f"{path}/x"):
        raw = seen.encode()
        assert globs.verdict(raw, raw.rpartition(b"/")[2], True) == exact.verdict(raw, raw.rpartition(b"/")[2], True)


def test_links_in_front_of_an_absolute_glob_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real[1]" / "lib").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real[1]")
    real = str(tmp_path.resolve() / "real[1]")
    assert ignore.below(f"{tmp_path}/link/lib/*.c", real) == "lib/*.c"
    globs = ignore.parse_globs((f"{tmp_path}/link/lib/*.c",), "exclude", real)
    assert globs.verdict(b"lib/a.c", b"a.c", False) is True
    assert globs.verdict(b"a.c", b"a.c", False) is None


def test_what_an_absolute_glob_meant_from_the_root_it_still_means() -> None:
    globs = ignore.parse_globs(("/src/tree/a.c",), "path", "/src/tree")
    assert [globs.verdict(path, b"a.c", False) for path in (b"a.c", b"src/tree/a.c", b"b/a.c")] == [True, True, None]
