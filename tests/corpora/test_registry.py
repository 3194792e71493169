"""The registry is its user's: what it holds stays, what is wrong in it is named, and nothing of it stops a session."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import FILE_NAME, Catalogue, Registry
from gazetteer.corpora.registry_json import FIELDS, MAX_BYTES, parse, write
from gazetteer.corpora.scanning import free_name
from gazetteer.kb.errors import GazetteerError, InvalidArgumentError, NotFoundError, RefusedError, UnavailableError
from gazetteer.retrieval.typed import EVERY_CORPUS
from hypothesis import given
from hypothesis import strategies as st

from ..e2e.ordinary import give_up_rights


@pytest.fixture
def desk(tmp_path: Path) -> "Desk":
    return Desk(tmp_path)


class Desk:
    """A configuration folder and some trees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config"
        self.file = self.config / FILE_NAME
        self.cache = str(folder / "cache")
        self.catalogue = Catalogue(str(self.config))

    def tree(self, name: str) -> str:
        path = self.folder / "trees" / name
        path.mkdir(parents=True, exist_ok=True)
        return str(path)

    def write(self, content: Any) -> None:
        self.config.mkdir(exist_ok=True)
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.file.write_bytes(raw)

    def load(self) -> Registry:
        return Registry.load(str(self.config))

    def stored(self) -> Any:
        return json.loads(self.file.read_bytes())


# ---------------------------------------------------------------- reading


def test_without_a_file_nothing_is_registered(desk: Desk) -> None:
    found = desk.load()
    assert (found.corpora, found.broken, found.notices) == ({}, {}, ())
    assert not desk.config.exists()


def test_every_key_of_an_entry_is_read(desk: Desk) -> None:
    entry = {
        "path": "kernel",
        "kind": "upstream",
        "indexer": "docs",
        "autoindex": True,
        "prompt_file": "~/maps/kernel.md",
        "collection": "linux",
        "corpora": ["boot"],
        "shared": True,
        "exclude": ["tools", "./Documentation"],
        "families": ["c"],
        "semantic": "bundled",
    }
    assert set(entry) == set(FIELDS)
    desk.write({"kernel": entry})
    corpus = desk.load().find("kernel")
    assert corpus.root == str(desk.config / "kernel")
    assert corpus.prompt_file == os.path.expanduser("~/maps/kernel.md")
    said = {key: getattr(corpus, key) for key in entry if key != "prompt_file"}
    expected = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    assert said == {key: value for key, value in expected.items() if key != "prompt_file"}


def test_relative_paths_start_from_the_corpus_root_and_else_from_the_registrys_folder(desk: Desk) -> None:
    """C1: GAZETTEER_CORPUS_ROOT."""
    desk.write({"a": {"path": "x/../kernel"}, "b": {"path": "/b"}, "c": {"path": "~/c"}})
    roots = {name: corpus.root for name, corpus in Registry.load(str(desk.config), "/src").corpora.items()}
    assert roots == {"a": "/src/kernel", "b": "/b", "c": os.path.expanduser("~/c")}
    assert desk.load().find("a").root == str(desk.config / "kernel")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("/src/linux", "is not an object"),
        ([], "is not an object"),
        ({}, "has no path"),
        ({"path": None}, "has no path"),
        ({"path": " "}, "empty path"),
        ({"path": 3}, "path that is not text"),
        ({"path": "a\0b"}, "NUL"),
        ({"path": "\ud800"}, "no name can have"),
        ({"path": "a", "shared": "yes"}, "shared that is neither true nor false"),
        ({"path": "a", "autoindex": 1}, "autoindex that is neither"),
        ({"path": "a", "exclude": "vendor"}, "exclude that is not a list"),
        ({"path": "a", "exclude": ["["]}, "bad glob '['"),
        ({"path": "a", "exclude": ["../x"]}, "outside the tree"),
        ({"path": "a", "corpora": [3]}, "corpora that is not text"),
        ({"path": "a", "indexer": "magic"}, "none of generic"),
        ({"path": "a", "indexer": ["docs"]}, "indexer that is not text"),
        ({"path": "a", "semantic": 7}, "semantic that is not text"),
    ],
)
def test_a_broken_entry_is_named_and_the_others_work(desk: Desk, entry: Any, words: str) -> None:
    desk.write({"good": {"path": "g"}, "odd": entry, "other": {"path": "o"}})
    found = desk.load()
    assert list(found.corpora) == ["good", "other"]
    assert list(found.broken) == ["odd"]
    assert words in found.broken["odd"]
    assert found.broken["odd"].startswith(f"The entry odd in {desk.file} ")
    assert found.broken["odd"].count(".\n") == 0
    with pytest.raises(InvalidArgumentError, match="odd"):
        found.find("odd")


@pytest.mark.parametrize(
    "name", ["", " ", "a/b", "..", "~", "-x", "a\nb", "a ", "x" * 201, "\x1b[2J", "+a", "all", "ALL"]
)
def test_a_name_that_is_none_is_a_broken_entry(desk: Desk, name: str) -> None:
    desk.write({name: {"path": "a"}, "good": {"path": "g"}})
    found = desk.load()
    assert list(found.corpora) == ["good"]
    assert list(found.broken) == [name]
    assert "\x1b" not in found.broken[name]


def test_a_name_that_stands_twice_is_named_and_nothing_is_written_over_it(desk: Desk) -> None:
    text = b'{"a": {"path": "x"}, "b": {"path": "y"}, "a": {"path": "z"}}'
    desk.write(text)
    found = desk.load()
    assert list(found.corpora) == ["b"]
    assert "twice" in found.broken["a"]
    for act in (lambda: add(desk.catalogue, "c", desk.tree("c")), lambda: remove(desk.catalogue, "b", desk.cache)):
        with pytest.raises(RefusedError, match="twice"):
            act()
    assert desk.file.read_bytes() == text


def test_keys_that_nobody_knows_are_named_once_and_change_nothing(desk: Desk) -> None:
    desk.write({"a": {"path": "x", "colour": "blue", "exlude": []}})
    found = desk.load()
    assert found.unknown == (f"The entry a in {desk.file} has keys that this version does not know: colour, exlude.",)
    assert found.notices == ()
    assert found.find("a").exclude == ()


@pytest.mark.parametrize("key", ["version", "$schema", "_comment"])
@pytest.mark.parametrize("value", [1, None, True])
def test_what_a_later_version_keeps_beside_the_entries_is_no_broken_one(desk: Desk, key: str, value: object) -> None:
    desk.write({key: value, "a": {"path": "x"}})
    found = desk.load()
    assert (list(found.corpora), found.broken, found.notices) == (["a"], {}, ())
    assert found.unknown == (f"This version knows no key {key} in {desk.file}; it changes nothing.",)
    with pytest.raises(GazetteerError):
        add(desk.catalogue, key, desk.tree("x"))
    assert desk.stored() == {key: value, "a": {"path": "x"}}
    desk.write({"$schema": "https://example.org/s", "_old": {"path": "y"}})
    assert (desk.load().corpora, desk.load().broken, len(desk.load().unknown)) == ({}, {}, 2)


DEEP = b"[" * 100_000
HOSTILE = {
    "no JSON": (b'{"a": ', "JSON"),
    "a list": (b"[1]", "no entries"),
    "text": (b'"x"', "no entries"),
    "null": (b"null", "no entries"),
    "not UTF-8": (b'{\n"a\xff": 1}', "line 2"),
    "UTF-16": ('{"a": {"path": "x"}}'.encode("utf-16"), "UTF-8"),
    "too deep": (b'{"a": ' + DEEP, "more than"),
    "a number without end": (b'{"a": ' + b"9" * 10_000 + b"}", "more than"),
    "huge": (b"{" + b" " * MAX_BYTES + b"}", "larger than 4 MB"),
    "binary": (bytes(range(256)) * 10, "UTF-8"),
    "control characters": (b'{"a\x01": 1}', "JSON"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_makes_no_sense_is_one_sentence_and_never_written_over(desk: Desk, kind: str) -> None:
    raw, words = HOSTILE[kind]
    desk.write(raw)
    found = desk.load()
    assert found.corpora == {}
    (notice,) = found.notices
    assert words in notice
    assert str(desk.file) in notice
    assert "\n" not in notice
    with pytest.raises(InvalidArgumentError):
        add(desk.catalogue, "c", desk.tree("c"))
    assert desk.file.read_bytes() == raw


@pytest.mark.parametrize("content", [b"", b" \n", b"{}", b"\xef\xbb\xbf{}"])
def test_an_empty_file_is_an_empty_registry(desk: Desk, content: bytes) -> None:
    desk.write(content)
    assert (desk.load().corpora, desk.load().notices) == ({}, ())
    assert add(desk.catalogue, "a", desk.tree("a")).change == "added"


def test_what_is_no_file_is_one_sentence_and_waits_for_nobody(desk: Desk) -> None:
    desk.config.mkdir()
    makers: dict[str, Callable[[], None]] = {
        "a loop": lambda: desk.file.symlink_to(desk.file),
        "a folder": lambda: desk.file.mkdir(),
        "a FIFO": lambda: os.mkfifo(desk.file),
        "a device": lambda: desk.file.symlink_to("/dev/zero"),
    }
    for make in makers.values():
        make()
        (notice,) = desk.load().notices
        assert "no file" in notice
        with pytest.raises(GazetteerError):
            add(desk.catalogue, "c", desk.tree("c"))
        desk.file.rmdir() if desk.file.is_dir() and not desk.file.is_symlink() else desk.file.unlink()


def test_a_catalogue_keeps_the_last_registry_that_could_be_used(desk: Desk) -> None:
    """A session goes on while somebody is editing the file."""
    desk.write({"a": {"path": "x"}})
    assert list(desk.catalogue.current().corpora) == ["a"]
    desk.write(b'{"a": {"path": "x"}, "b": ')
    found = desk.catalogue.current()
    assert (list(found.corpora), len(found.notices)) == (["a"], 1)
    desk.write({"b": {"path": "y"}})
    found = desk.catalogue.current()
    assert (list(found.corpora), found.notices) == (["b"], ())
    desk.file.unlink()
    assert desk.catalogue.current().corpora == {}


def test_a_catalogue_sees_a_change_that_times_and_size_do_not_show(desk: Desk) -> None:
    """Only bytes decide."""
    desk.write({"a": {"path": "x"}})
    before = desk.file.stat()
    assert desk.catalogue.current().find("a").path == "x"
    with desk.file.open("r+b") as file:
        file.write(json.dumps({"a": {"path": "y"}}).encode())
    os.utime(desk.file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert desk.catalogue.current().find("a").path == "y"


def test_threads_that_read_while_it_changes_see_the_last_change(desk: Desk) -> None:
    for number in range(50):
        desk.write({f"before{number}": {"path": "x"}})
        barrier = threading.Barrier(3)

        def read(barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            for _ in range(3):
                desk.catalogue.current()

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        barrier.wait()
        desk.write({f"after{number}": {"path": "x"}})
        for reader in readers:
            reader.join()
        assert list(desk.catalogue.current().corpora) == [f"after{number}"]


# ---------------------------------------------------------------- choosing


def test_the_innermost_registered_root_holds_a_folder(desk: Desk) -> None:
    outer, inner = desk.tree("outer"), desk.tree("outer/deep/inner")
    add(desk.catalogue, "outer", outer)
    add(desk.catalogue, "inner", inner)
    found = desk.load()
    names = {path: corpus.name if (corpus := found.at(path)) else None for path in (outer, inner, f"{inner}/x/y.c")}
    assert names == {outer: "outer", inner: "inner", f"{inner}/x/y.c": "inner"}
    assert found.at(f"{outer}/deep") == found.corpora["outer"]
    assert found.at(f"{outer}-beside") is None
    assert found.at("/") is None


def test_roots_are_told_apart_by_where_they_really_are(desk: Desk) -> None:
    real = desk.tree("real")
    link = desk.folder / "link"
    link.symlink_to(real)
    add(desk.catalogue, "linked", str(link))
    found = desk.load()
    assert found.find("linked").root == str(link)
    assert found.find("linked").real == real
    assert found.at(f"{real}/x") == found.find("linked")
    assert found.inside(str(desk.folder / "trees")) == (real,)
    assert found.inside(str(link)) == ()


def test_a_link_that_leads_elsewhere_is_followed_again(desk: Desk) -> None:
    now = 0.0
    catalogue = Catalogue(str(desk.config), clock=lambda: now)
    link = desk.folder / "link"
    link.symlink_to(desk.tree("one"))
    add(catalogue, "linked", str(link))
    assert catalogue.current().find("linked").real == desk.tree("one")
    link.unlink()
    link.symlink_to(desk.tree("two"))
    now += 1.1
    assert catalogue.current().find("linked").real == desk.tree("two")
    assert Registry.load(str(desk.config)).find("linked").real == desk.tree("two")


def test_roots_inside_are_those_strictly_below(desk: Desk) -> None:
    for name in ("b", "a", "a/inner", "ab"):
        add(desk.catalogue, name.replace("/", "-"), desk.tree(name))
    found = desk.load()
    assert found.inside(desk.tree("a")) == (desk.tree("a/inner"),)
    assert found.inside(str(desk.folder)) == tuple(map(desk.tree, ("a", "a/inner", "ab", "b")))
    assert found.inside("/") == found.inside(str(desk.folder))


def test_a_name_that_is_not_there_is_answered_with_what_is_near(desk: Desk) -> None:
    add(desk.catalogue, "kernel", desk.tree("k"))
    with pytest.raises(NotFoundError, match="did you mean kernel"):
        desk.load().find("kernle")
    with pytest.raises(NotFoundError, match="corpus list"):
        desk.load().find("zzz")


# ---------------------------------------------------------------- adding and removing


def test_a_folder_is_registered_and_let_go(desk: Desk) -> None:
    added = add(desk.catalogue, "kernel", desk.tree("k"), {"kind": "upstream", "shared": True})
    assert (added.name, added.root, added.change) == ("kernel", desk.tree("k"), "added")
    assert desk.stored() == {"kernel": {"path": desk.tree("k"), "kind": "upstream", "shared": True}}
    assert desk.file.stat().st_mode & 0o777 == 0o600
    removed = remove(desk.catalogue, "kernel", desk.cache)
    assert (removed.name, removed.root, removed.removed) == ("kernel", desk.tree("k"), ())
    assert desk.stored() == {}


def test_adding_again_keeps_options_and_changes_what_is_said(desk: Desk) -> None:
    add(desk.catalogue, "k", desk.tree("k"), {"shared": True, "exclude": ["tools"]})
    assert add(desk.catalogue, "k", desk.tree("k")).change == "kept"
    assert add(desk.catalogue, "k", desk.tree("k") + "/../k/", {"shared": False}).change == "changed"
    assert desk.stored() == {"k": {"path": desk.tree("k"), "shared": False, "exclude": ["tools"]}}


def test_a_name_of_another_folder_and_a_folder_of_another_name_are_refused(desk: Desk) -> None:
    add(desk.catalogue, "k", desk.tree("k"))
    before = desk.file.read_bytes()
    with pytest.raises(RefusedError, match="corpus rm k"):
        add(desk.catalogue, "k", desk.tree("other"))
    link = desk.folder / "link"
    link.symlink_to(desk.tree("k"))
    with pytest.raises(RefusedError, match="registered as k"):
        add(desk.catalogue, "second", str(link))
    assert desk.file.read_bytes() == before


def test_a_path_given_as_a_name_is_refused_with_the_command_that_was_meant(desk: Desk) -> None:
    for name in (desk.tree("k"), "./k", "..", "~", "k/"):
        with pytest.raises(InvalidArgumentError, match="corpus add NAME"):
            add(desk.catalogue, name, desk.tree("k"))
    assert not desk.file.exists()


def test_the_word_for_every_corpus_is_no_name_of_one(desk: Desk) -> None:
    """Row C5: ``corpora: "all"`` and ``corpus:all`` mean all of them, so that one of that name could never be meant."""
    for name in (EVERY_CORPUS, EVERY_CORPUS.title()):
        with pytest.raises(InvalidArgumentError, match="stands for every corpus"):
            add(desk.catalogue, name, desk.tree("k"))
    assert not desk.file.exists()
    assert free_name(desk.tree(EVERY_CORPUS), ()) == f"trees-{EVERY_CORPUS}"
    desk.write({EVERY_CORPUS: {"path": "a"}, "good": {"path": "g"}})
    assert remove(desk.catalogue, EVERY_CORPUS, desk.cache).removed == ("its broken entry",)
    assert desk.stored() == {"good": {"path": "g"}}


def test_what_is_no_folder_is_refused(desk: Desk) -> None:
    file = Path(desk.tree("k")) / "file"
    file.touch()
    with pytest.raises(InvalidArgumentError, match="is a file"):
        add(desk.catalogue, "k", str(file))
    with pytest.raises(NotFoundError, match="no folder"):
        add(desk.catalogue, "k", str(file) + "-not")
    with pytest.raises(InvalidArgumentError, match="no option"):
        add(desk.catalogue, "k", desk.tree("k"), {"path": "/"})
    with pytest.raises(InvalidArgumentError, match="bad glob"):
        add(desk.catalogue, "k", desk.tree("k"), {"exclude": ["["]})
    assert not desk.file.exists()


def test_a_broken_entry_is_not_written_over_and_can_be_removed(desk: Desk) -> None:
    desk.write({"odd": [3], "k": {"path": "k"}})
    with pytest.raises(RefusedError, match="odd"):
        add(desk.catalogue, "odd", desk.tree("odd"))
    assert remove(desk.catalogue, "odd", desk.cache).removed == ("its broken entry",)
    assert desk.stored() == {"k": {"path": "k"}}


def test_who_still_names_a_removed_corpus_is_said(desk: Desk) -> None:
    add(desk.catalogue, "k", desk.tree("k"))
    add(desk.catalogue, "product", desk.tree("p"), {"corpora": ["k"]})
    assert remove(desk.catalogue, "k", desk.cache).notices == ("product still names it among its corpora.",)


def test_a_registry_behind_a_link_stays_behind_it_with_its_mode(desk: Desk) -> None:
    """People keep such files in a repository of their own."""
    kept = desk.folder / "dotfiles.json"
    kept.write_text("{}")
    kept.chmod(0o640)
    desk.config.mkdir()
    desk.file.symlink_to(kept)
    add(desk.catalogue, "k", desk.tree("k"))
    assert desk.file.is_symlink()
    assert "k" in json.loads(kept.read_bytes())
    assert kept.stat().st_mode & 0o777 == 0o640


def test_what_a_killed_process_left_is_in_nobodys_way(desk: Desk) -> None:
    desk.write({})
    (desk.config / f"{FILE_NAME}.new").write_bytes(b'{"half')
    add(desk.catalogue, "k", desk.tree("k"))
    assert sorted(path.name for path in desk.config.iterdir()) == [FILE_NAME, f"{FILE_NAME}.lock"]


def test_a_registry_that_cannot_be_read_or_written_is_a_sentence(desk: Desk) -> None:
    """C1: as an ordinary user, for whom permissions count."""
    desk.write({"k": {"path": "k"}})
    code = (
        "import sys, os; sys.path.insert(0, sys.argv[3])\n"
        "from ordinary import give_up_rights; give_up_rights()\n"
        "from gazetteer.corpora.registry import Catalogue, Registry\n"
        "from gazetteer.corpora.registering import add, remove\n"
        "from gazetteer.kb.errors import UnavailableError\n"
        "config, tree = sys.argv[1:3]\n"
        "os.chmod(config, 0o500)\n"
        "assert list(Registry.load(config).corpora) == ['k'], Registry.load(config)\n"
        "for act in (lambda: add(Catalogue(config), 'b', tree), lambda: remove(Catalogue(config), 'k', '/nowhere')):\n"
        "    try: act()\n"
        "    except UnavailableError as error: print(error.message)\n"
        "os.chmod(os.path.join(config, 'projects.json'), 0)\n"
        "found = Registry.load(config); print(*found.notices); assert not found.corpora\n"
    )
    words = [sys.executable, "-P", "-c", code, str(desk.config), desk.tree("t")]
    done = subprocess.run(
        [*words, str(Path(give_up_rights.__code__.co_filename).parent)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert "permission" in first
    assert "permission" in second
    assert third.endswith("cannot be read (Permission denied); allow this user to read it.")


def test_a_file_where_the_configuration_folder_should_be_is_a_sentence(desk: Desk) -> None:
    desk.config.write_text("in the way")
    assert len(desk.load().notices) == 1
    with pytest.raises(UnavailableError, match="registry"):
        add(desk.catalogue, "k", desk.tree("k"))


# ---------------------------------------------------------------- what stays

TEXTS = st.text(max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ENTRIES = st.dictionaries(st.sampled_from([*FIELDS, "colour", "x-later"]) | TEXTS, VALUES, max_size=5)


@given(st.dictionaries(TEXTS, VALUES | ENTRIES, max_size=5))
def test_whatever_stands_in_a_registry_survives_a_load_and_a_save(found: dict[str, Any]) -> None:
    raw = write(found)
    assert parse(raw, "x").entries == json.loads(raw) == found
    assert write(parse(raw, "x").entries) == raw
    assert list(parse(raw, "x").entries) == list(found)


@given(st.dictionaries(st.sampled_from(["a", "b", "$version", "x y"]) | TEXTS, VALUES | ENTRIES, max_size=5))
def test_adding_and_removing_leave_everything_else_as_it_stands(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, Any]
) -> None:
    found.pop("mine", None)
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.write(found)
    add(desk.catalogue, "mine", desk.tree("mine"), {"shared": True})
    assert desk.stored() == {**found, "mine": {"path": desk.tree("mine"), "shared": True}}
    remove(desk.catalogue, "mine", desk.cache)
    assert desk.stored() == found
    assert list(desk.stored()) == list(found)


@given(st.binary(max_size=60) | st.dictionaries(TEXTS, VALUES | ENTRIES, max_size=3).map(write))
def test_no_content_of_the_file_raises(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.write(raw)
    found = desk.load()
    for root in ("/", str(desk.folder)):
        found.at(root)
        found.inside(root)
    assert all("\n" not in words for words in (*found.notices, *found.unknown, *found.broken.values()))
