"""One document has one identity, whatever its spelling; any name survives; nothing outside the root is ever meant."""

import json
import os
import random
import socket
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from gazetteer.kb.errors import InvalidArgumentError, RefusedError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import (
    Root,
    canonical_uri,
    display_path,
    fold_key,
    from_uri,
    printable,
    resolve_inside,
    to_uri,
)


def random_names(count: int) -> list[bytes]:
    rng = random.Random(10)
    pieces = [
        b"^",
        b"#",
        b"?",
        b"%",
        b"%20",
        b"[",
        b"]",
        b" ",
        b"\\",
        b"~",
        b":",
        b"&",
        b"+",
        b"\n",
        b"a",
        b"Z9",
        b"-.",
    ]
    pieces += ["é".encode(), "😀".encode(), "中".encode(), b"\xf5", b"\xff\xfe", b"\x80", b"\x1b"]
    names = []
    for _ in range(count):
        name = b"".join(rng.choice(pieces) for _ in range(rng.randint(1, 12)))
        if rng.random() < 0.3:
            name += bytes(rng.choice([b for b in range(1, 256) if b != 0x2F]) for _ in range(5))
        names.append(name)
    return names


def test_ten_thousand_names_survive_the_way_to_a_uri_and_back() -> None:
    """PE10: any bytes that a file system can hold; the URI itself is plain ASCII with nothing left to escape."""
    allowed = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%/:")
    for name in random_names(10_000):
        path = os.fsdecode(b"/root dir/" + name)
        uri = to_uri(path, windows=False)
        assert frozenset(uri) <= allowed
        assert unquote_to_bytes(uri.removeprefix("file://")) == b"/root dir/" + name
        assert from_uri(uri, windows=False) == path
        assert canonical_uri(uri) == uri


def test_names_survive_the_way_through_a_root(tmp_path: Path) -> None:
    root = Root(str(tmp_path))
    for name in random_names(500):
        if name in (b".", b"..", b"~"):
            continue
        path = DocumentPath("sub/" + os.fsdecode(name))
        assert root.document_of_uri(root.uri(path)) == path
        assert root.document(root.absolute(path)) == path


def test_an_undecodable_name_is_a_document_and_valid_json(tmp_path: Path) -> None:
    """PE08: a name that is not UTF-8 is listed, addressed and shown."""
    (tmp_path / os.fsdecode(b"a\xf5.py")).write_text("x")
    root = Root(str(tmp_path))
    [name] = os.listdir(root.real)
    document = resolve_inside(root, name)
    assert os.path.exists(root.absolute(document))
    assert root.uri(document).endswith("/a%F5.py")
    shown = printable(document)
    assert shown == r"a\xf5.py"
    assert json.loads(json.dumps(shown).encode("utf-8")) == shown


@pytest.mark.parametrize(
    "spelling",
    [
        "file:///p/a%20b%3A",
        "file:///p/a%20b%3a",
        "file:///p/%61%20b:",
        "file://localhost/p/a%20b:",
        "FILE:/p/a%20b:",
        "file:///p/a b:",
        "file:///p/a%20b:#L10",
        "file:///p/a%20b:?x=1",
    ],
)
def test_every_spelling_of_a_uri_is_one_document(spelling: str) -> None:
    """PE09: percent signs, upper and lower hex digits, fragments."""
    assert from_uri(spelling, windows=False) == "/p/a b:"
    assert canonical_uri(spelling) == "file:///p/a%20b%3A"


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/p/a.py?ref",
        "vscode-notebook-cell:/p/a.ipynb#W0",
        "https://x/p",
        "output:tasks",
        "file://server/p/a.py",
        "file:a.py",
        "file:",
        "/p/a.py",
        "a",
        "file:///p/a%00.py",
        "",
        "file:///p/\ud83d.py",
    ],
)
def test_what_is_no_file_here_has_no_path(uri: str, tmp_path: Path) -> None:
    """PE12: other schemes and other hosts are never taken for paths."""
    assert from_uri(uri, windows=False) is None
    assert canonical_uri(uri) == uri
    assert Root(str(tmp_path)).document_of_uri(uri) is None


@pytest.mark.parametrize("uri", ["file:///c%3A/a%20b/x.py", "file:///C:/a b/x.py", "file:///c%3a/a%20b/x.py"])
def test_drive_letters_by_the_rules_of_windows(uri: str, tmp_path: Path) -> None:
    """PE11: one path there; here just a name below the root folder, and outside of any tree."""
    assert from_uri(uri, windows=True) == "C:\\a b\\x.py"
    assert to_uri("C:\\a b\\x.py", windows=True) == "file:///C:/a%20b/x.py"
    assert from_uri(uri, windows=False) in ("/c:/a b/x.py", "/C:/a b/x.py")
    assert Root(str(tmp_path)).document_of_uri(uri) is None


@pytest.mark.parametrize("path", ["C:\\x", "D:\\ü\\[a] #1%.txt", "\\\\server\\share\\x y", "C:\\"])
def test_windows_paths_survive(path: str) -> None:
    """PE11."""
    assert from_uri(to_uri(path, windows=True), windows=True) == path
    assert from_uri("file:///no/drive", windows=True) is None


def test_a_root_is_one_identity_in_every_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    monkeypatch.chdir(tmp_path)
    spellings = [str(real), f"{real}/", "real", "./real/.", str(tmp_path / "link"), "link/../real"]
    roots = [Root(spelling) for spelling in spellings]
    assert {root.real for root in roots} == {str(real)}
    assert len({root.key for root in roots}) == len(set(roots)) == 1
    assert len(roots[0].key) == 16
    assert Root(str(tmp_path)) != roots[0]
    assert Root(str(tmp_path / "gone")).key != roots[0].key


def test_answers_are_in_the_callers_spelling(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    root = Root(str(tmp_path / "link"))
    document = DocumentPath("a b.py")
    assert root.absolute(document) == str(tmp_path / "link" / "a b.py")
    assert root.uri(document) == f"file://{tmp_path}/link/a%20b.py"
    for spelled in ("link", "real"):
        assert root.document(str(tmp_path / spelled / "a b.py")) == document


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_root_that_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidArgumentError):
        Root(path)


def test_a_root_whose_place_is_known_asks_no_disk(tmp_path: Path) -> None:
    """The links that it is spelled by lead elsewhere; nobody looks at them."""
    (tmp_path / "link").symlink_to("elsewhere")
    known = Root(f"{tmp_path}/link/./tree", "/where/it/is")
    assert (known.given, known.real) == (f"{tmp_path}/link/tree", "/where/it/is")
    assert known.key == Root("/where/it/is").key
    assert Root(f"{tmp_path}/link/../tree", "/where/it/is").given == "/where/it/is"


def test_the_root_folder_of_the_machine_is_a_root() -> None:
    root = Root("/")
    assert root.absolute(DocumentPath("etc/hostname")) == "/etc/hostname"
    assert root.document("/etc") == "etc"
    assert root.document("/") == ""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with a file, beside things that are none of its business."""
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "x.py").write_text("x")
    (tmp_path / "secret").write_text("s")
    (tmp_path / "root2").mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "out.py").symlink_to(tmp_path / "secret")
    (root / "far").symlink_to("/etc/hostname")
    (root / "in").symlink_to(root / "a")
    (root / "loop").symlink_to(root)
    return root


@pytest.mark.parametrize(
    "spelling",
    [
        "..",
        "../secret",
        "a/../../secret",
        "a/b/../../../secret",
        "./../secret",
        "a/./../../root2",
        "a//../..//secret",
        r"%2e%2e/secret",
        r"%2E%2e/secret",
        r"a/..%2f../secret",
        r"..%5csecret",
        r"..\secret",
        r"a\..\..\secret",
        r"a/%2e%2e/../x.py",
        "/etc/passwd",
        "//etc/passwd",
        "~",
        "~/secret",
        "out/secret",
        "out.py",
        "far",
        "in/../../secret",
        "out/root2/x",
        "loop/../secret",
        "loop/loop/../../secret",
        ".",
        "a/..",
        "a\0b",
        "",
        "\ud800",
    ],
)
def test_no_spelling_leaves_the_root(tree: Path, spelling: str) -> None:
    """SE01, SE02: refused by what it means, not by what it looks like."""
    with pytest.raises(RefusedError, match="below that folder") as caught:
        resolve_inside(Root(str(tree)), spelling)
    json.dumps(caught.value.to_wire()).encode()


def test_absolute_paths_and_siblings_of_the_root_are_outside(tree: Path) -> None:
    """SE01: a folder whose name only begins like the root's is another folder."""
    root = Root(str(tree))
    for spelling in (f"{tree}2/x", f"{tree}/../secret", str(tree.parent / "secret"), str(tree)):
        with pytest.raises(RefusedError):
            resolve_inside(root, spelling)


@pytest.mark.parametrize(
    "spelling",
    ["a/x.py", "./a/x.py", "a//x.py", "a/b/../x.py", "in/x.py", "loop/a/x.py", "loop/loop/in/x.py", "../root/a/x.py"],
)
def test_every_spelling_inside_means_the_one_document(tree: Path, spelling: str) -> None:
    """PE14: through links, loops and dots."""
    root = Root(str(tree))
    assert resolve_inside(root, spelling) == "a/x.py"
    assert resolve_inside(root, f"{tree}/{spelling}") == "a/x.py"
    assert root.document_of_uri(to_uri(f"{tree}/{spelling}")) == "a/x.py"


def test_ordinary_names_that_look_odd_are_not_refused(tree: Path) -> None:
    for name in ("...", "a..b", "~x", "x~", "%41", "50%", "a\\b", "-x", " "):
        assert resolve_inside(Root(str(tree)), f"a/{name}") == f"a/{name}"


def test_paths_are_shown_as_usable_from_the_workspace() -> None:
    assert display_path("/w/a/b.py", "/w") == "a/b.py"
    assert display_path("/w/a/b.py", "/w/") == "a/b.py"
    assert display_path("/w2/b.py", "/w") == "/w2/b.py"
    assert display_path("/w", "/w") == "/w"
    assert display_path("/w/b.py", "/") == "w/b.py"
    assert display_path("/x/\udcff", "/w") == r"/x/\xff"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain é中 file.py", "plain é中 file.py"),
        ("👩\u200d💻.md", "👩\u200d💻.md"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[2Jx", r"\x1b[2Jx"),
        ("gpj\u202etxt.exe", r"gpj\u202etxt.exe"),
        ("\ud800\udcf5", r"\ud800\xf5"),
        ("a\u2028b", r"a\u2028b"),
    ],
)
def test_names_are_shown_without_steering_the_terminal(name: str, shown: str) -> None:
    """PE08, SE04: controls, bidi marks and undecodable bytes are spelled out; letters and emoji are not."""
    assert printable(name) == shown
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Foo.py", "foo.PY", True),
        ("É/a", "e\u0301/A", True),
        ("ΑΣ", "ας", True),
        ("straße", "STRASSE", False),
        ("İ", "i", False),
        ("foo.py", "f00.py", False),
    ],
)
def test_names_that_a_case_insensitive_file_system_takes_for_one(one: str, other: str, same: bool) -> None:
    """PE16: a case-only rename is the same key there; two files never become one key by a longer folding."""
    assert (fold_key(one) == fold_key(other)) is same


def test_a_socket_is_a_name_like_any_other(tmp_path: Path) -> None:
    """PE15: naming a thing does not open it."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert resolve_inside(Root(str(tmp_path)), "s") == "s"
