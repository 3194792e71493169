"""knowledge.yaml is read strictly, has no authority, and its digest changes exactly when the corpus does."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gazetteer.corpora.config import MAX_BYTES, TreeConfig, digest, max_file_bytes, parse_config, read_config
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.settings import SETTINGS, TREE_KEYS, Settings
from hypothesis import given
from hypothesis import strategies as st

FULL = b"""\
# what this tree is
include: [src/**, docs/]
exclude:
  - vendor/**
  - "*.min.js"
extensions: [py, .md]
max_file_bytes: 1_000_000
exclude_dirs: [node_modules, "build-*"]
exclude_nested_repos: false
examples_quote_queries: true
aliases:
  src/engine.py: [motor, "the engine"]
corpora: [platform, shared-docs]
embedding: bundled
"""


def test_every_key_is_read() -> None:
    assert parse_config(FULL) == TreeConfig(
        include=("docs/", "src/**"),
        exclude=("*.min.js", "vendor/**"),
        extensions=(".md", ".py"),
        max_file_bytes=1_000_000,
        exclude_dirs=("build-*", "node_modules"),
        exclude_nested_repos=False,
        examples_quote_queries=True,
        aliases=(("src/engine.py", ("motor", "the engine")),),
        corpora=("platform", "shared-docs"),
        embedding="bundled",
    )


def test_the_example_says_every_key_of_the_table_and_no_other() -> None:
    said = {line.split(b":")[0].decode() for line in FULL.splitlines() if line[:1].isalpha()}
    assert said == set(TREE_KEYS) == set(TreeConfig.__dataclass_fields__)


@pytest.mark.parametrize("text", [b"", b"# only a comment\n", b"---\n", b"null\n", b"\xef\xbb\xbf# with a mark\n"])
def test_a_file_that_says_nothing_changes_nothing(text: bytes) -> None:
    assert parse_config(text) == TreeConfig()


def test_a_tree_without_the_file_has_the_defaults(tmp_path: Path) -> None:
    assert read_config(str(tmp_path)) == TreeConfig()


@pytest.mark.parametrize(
    ("text", "line", "setting", "words"),
    [
        (b"exclude: [a]\nexclud: [b]\n", 2, "exclud", "did you mean exclude?"),
        (b"\n\nsemantic_mode: 3\n", 3, "semantic_mode", "this version"),
        (b"max_files: 3\n", 1, "max_files", "user only"),
        (b"db_path: /tmp\n", 1, "db_path", "user only"),
        (b"include: src\n", 1, "include", "must be a list"),
        (b"include:\n  - a\n  - 3\n", 3, "include", "quotes"),
        (b"include:\n  - a\n  -\n", 3, "include", "quotes"),
        (b"include: [{a: b}]\n", 1, "include", "quotes"),
        (b"include: ['']\n", 1, "include", "empty"),
        (b"exclude:\n  - ok\n  - '[abc'\n", 3, "exclude", "'[abc'"),
        (b"exclude: [../up]\n", 1, "exclude", "outside the tree"),
        (b"exclude: ['!keep']\n", 1, "exclude", "starts with !"),
        (b"exclude: ['a\\']\n", 1, "exclude", "backslash"),
        (b"exclude_dirs: [a/b]\n", 1, "exclude_dirs", "own name"),
        (b"extensions: ['*.py']\n", 1, "extensions", "write it as .py"),
        (b"extensions: [no]\n", 1, "extensions", "quotes"),
        (b"max_file_bytes: 0\n", 1, "max_file_bytes", "between 1 and"),
        (b"max_file_bytes: 99999999999999999999999999\n", 1, "max_file_bytes", "between 1 and"),
        (b"max_file_bytes: -5\n", 1, "max_file_bytes", "between 1 and 16777216, not -5"),
        (b"max_file_bytes: 1:30\n", 1, "max_file_bytes", "whole number"),
        (b"max_file_bytes: '5'\n", 1, "max_file_bytes", "whole number"),
        (b"exclude_nested_repos: 'no'\n", 1, "exclude_nested_repos", "true or false"),
        (b"exclude_nested_repos: 1\n", 1, "exclude_nested_repos", "true or false"),
        (b"aliases: [a]\n", 1, "aliases", "mapping"),
        (b"aliases:\n  a.py: x\n", 2, "aliases", "list"),
        (b"aliases:\n  a.py: []\n", 2, "aliases", "no name"),
        (b"aliases:\n  a.py: [x]\n  ../b.py: [y]\n", 3, "aliases", "inside the tree"),
        (b"aliases:\n  /etc/passwd: [y]\n", 2, "aliases", "inside the tree"),
        (b"aliases:\n  a: [x]\n  a: [y]\n", 3, "aliases", "first in line 2"),
        (b"include: [a]\nexclude: []\ninclude: [b]\n", 3, "include", "first in line 1"),
        (b"embedding: {url: 'http://x'}\n", 1, "embedding", "one name"),
        (b"embedding: http://x/v1\n", 1, "embedding", "not a name"),
        (b"embedding: env:SECRET\n", 1, "embedding", "not a name"),
        (b"embedding: ./model\n", 1, "embedding", "not a name"),
        (b"corpora: [../other]\n", 1, "corpora", "not a name"),
        (b"- a\n", 1, "", "mapping"),
        (b"include: [a\nexclude: [b]\n", 2, "", "not valid YAML"),
        (b"a: 1\n---\nb: 2\n", 2, "", "not valid YAML"),
        (b"include: &x [a]\nexclude: *x\n", 1, "", "anchor"),
        (b"include: !!python/object/apply:os.system ['touch x']\n", 1, "", "tag"),
        (b"<<: {include: [a]}\n", 1, "", "quotes"),
        (b"include: [a]\n# \xff\n", 2, "", "UTF-8"),
        (b"include: [a]\nexclude: [\x07]\n", 2, "", "control character"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_setting(text: bytes, line: int, setting: str, words: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        parse_config(text)
    assert caught.value.message.startswith(f"knowledge.yaml:{line}: {setting}")
    assert words in caught.value.message
    assert caught.value.message.endswith(".")
    assert caught.value.data["file"] == "knowledge.yaml"
    assert caught.value.data["line"] == line


@pytest.mark.parametrize(
    "bomb",
    [
        b"a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n",
        b"[" * 5_000 + b"]" * 5_000,
        b"{a: " * 50_000,
        b"include: [" + b"a," * 100_000 + b"]",
    ],
    ids=["aliases", "deep lists", "deep mappings", "wide"],
)
def test_a_bomb_is_refused_before_it_is_built(bomb: bytes) -> None:
    with pytest.raises(InvalidArgumentError, match=r"knowledge\.yaml"):
        parse_config(bomb)


def test_a_file_over_the_bound_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "knowledge.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InvalidArgumentError, match="larger than 256 KB"):
        read_config(str(tmp_path))


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    """SE02: what lies outside does not speak for the tree, not even in an error message."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "secret").write_text("token: hunter2\n")
    (tree / "knowledge.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidArgumentError, match="leads out of the tree") as caught:
        read_config(str(tree))
    assert "hunter2" not in caught.value.message


def test_a_link_inside_the_tree_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_bytes(b"include: [a]\n")
    (tmp_path / "knowledge.yaml").symlink_to("real.yaml")
    assert read_config(str(tmp_path)).include == ("a",)


def test_a_fifo_a_folder_and_a_dangling_link_do_not_hang(tmp_path: Path) -> None:
    """PE15: special files are named, never waited for."""
    path = tmp_path / "knowledge.yaml"
    os.mkfifo(path)
    with pytest.raises(InvalidArgumentError, match="not a file"):
        read_config(str(tmp_path))
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidArgumentError, match="not a file"):
        read_config(str(tmp_path))
    path.rmdir()
    path.symlink_to("knowledge.yaml")
    with pytest.raises(InvalidArgumentError, match="link that leads nowhere"):
        read_config(str(tmp_path))
    path.unlink()
    path.symlink_to("nowhere")
    assert read_config(str(tmp_path)) == TreeConfig()


@pytest.mark.parametrize(
    "respelled",
    [
        FULL.replace(b"include: [src/**, docs/]", b"include: [docs/, src/**, docs/]"),
        FULL.replace(b"[py, .md]", b"[.md, .py]"),
        FULL.replace(b"\n", b"\r\n"),
        FULL.replace(b"# what this tree is", b"# other words"),
        FULL.split(b"embedding")[0].replace(b"include:", b"#", 1) + b"include: [docs/, src/**]\n",
        FULL.replace(b"corpora: [platform, shared-docs]\n", b""),
        FULL.replace(b"embedding: bundled\n", b""),
    ],
    ids=["order", "dots", "line ends", "comments", "order of keys", "corpora", "embedding"],
)
def test_the_same_settings_never_rebuild(respelled: bytes) -> None:
    assert digest(Settings(), parse_config(respelled)) == digest(Settings(), parse_config(FULL))


def test_a_default_that_is_written_out_never_rebuilds() -> None:
    written = f"max_file_bytes: {Settings().max_file_bytes}\nexclude_nested_repos: true\ninclude: []\n".encode()
    assert digest(Settings(), parse_config(written)) == digest(Settings(), TreeConfig())


CHANGED: dict[str, Any] = {
    "include": ("a",),
    "exclude": ("a",),
    "extensions": (".py",),
    "max_file_bytes": 1,
    "exclude_dirs": ("a",),
    "exclude_nested_repos": False,
    "examples_quote_queries": True,
    "aliases": (("a", ("b",)),),
}


def test_a_changed_setting_that_decides_the_corpus_always_rebuilds() -> None:
    deciding = {setting.key for setting in SETTINGS if setting.decides_corpus and setting.scope != "user"}
    assert deciding == set(CHANGED)
    digests = {digest(Settings(), replace(TreeConfig(), **{key: value})) for key, value in CHANGED.items()}
    assert len(digests | {digest(Settings(), TreeConfig())}) == len(CHANGED) + 1


def test_the_users_globs_and_limit_count_as_the_trees_do() -> None:
    assert digest(Settings(exclude=("a",)), TreeConfig()) == digest(Settings(), TreeConfig(exclude=("a",)))
    assert digest(Settings(max_file_bytes=5), TreeConfig()) == digest(Settings(), TreeConfig(max_file_bytes=5))
    assert max_file_bytes(Settings(max_file_bytes=5), TreeConfig(max_file_bytes=7)) == 7


def test_whose_globs_come_first_does_not_count() -> None:
    one = digest(Settings(exclude=("b", "a")), TreeConfig(exclude=("c",)))
    assert one == digest(Settings(exclude=("c", "b")), TreeConfig(exclude=("a", "b")))


def test_settings_that_do_not_decide_the_corpus_never_rebuild() -> None:
    other = Settings(db_path="/x", max_files=5, allow_partial=True, watch=True, workers=3, sweep_reuse_ms=5)
    assert digest(other, TreeConfig()) == digest(Settings(), TreeConfig())


def _outcome(raw: bytes) -> bool:
    """Say whether the file gave settings, or the sentence that names it."""
    try:
        return isinstance(parse_config(raw), TreeConfig)
    except InvalidArgumentError as error:
        return error.message.startswith("knowledge.yaml:")


@given(st.binary(max_size=200))
def test_any_bytes_are_settings_or_one_sentence(raw: bytes) -> None:
    assert _outcome(raw)


YAML_PIECES = st.sampled_from(
    [
        "include",
        "aliases",
        ":",
        " ",
        "\n",
        "-",
        "[",
        "]",
        "{",
        "}",
        "'",
        '"',
        "&a",
        "*a",
        "!!str",
        "a",
        "~",
        "1",
        "#",
        "|",
        ">",
        "?",
        ",",
        "%",
        "@",
        "`",
        "\t",
        "é",
        "...",
    ]
)


@given(st.lists(YAML_PIECES, max_size=30).map("".join))
def test_any_almost_yaml_is_settings_or_one_sentence(text: str) -> None:
    assert _outcome(text.encode())
