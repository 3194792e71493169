"""M1: the map in the tree wins, its origin is known, a hidden one is reported, and nothing is invented."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.context import maps
from gazetteer.context.maps import IN_TREE, Orientation, part_for, read_map, skeleton, user_map_path
from gazetteer.kb.errors import ConflictError, RefusedError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan_rules import UNFINISHED
from hypothesis import given
from hypothesis import strategies as st

from ..trees import opened

MAP = """# Shop

<!-- `secret/` is said in a comment only -->

The server directory of old is gone.

## Where things live

- `server/` answers requests; start in
  `server/app.py`.
- server/pay: money. Ask before you change it.
* **docs/**: prose
1. tools/gen writes `build/out.c`

| where | what |
|---|---|
| `web/` | the shop window |

```
lib/        C helpers
lib/fold/   folding
```

### tests

Run them with `nox`.

## `vendor/` is not ours

Never edit it.
"""


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("server/app.py", "`server/` answers requests; start in `server/app.py`."),
        ("server/kb/x.py", "`server/` answers requests; start in `server/app.py`."),
        ("server/pay/card.py", "server/pay: money. Ask before you change it."),
        ("server/payroll.py", "`server/` answers requests; start in `server/app.py`."),
        ("docs/a/b.md", "**docs/**: prose"),
        ("tools/gen/x.py", "tools/gen writes `build/out.c`"),
        ("build/out.c", "tools/gen writes `build/out.c`"),
        ("web/app.js", "`web/` the shop window"),
        ("lib/x.c", "lib/ C helpers"),
        ("lib/fold/x.c", "lib/fold/ folding"),
        ("vendor/z.c", "`vendor/` is not ours: Never edit it."),
        ("tests/x.py", ""),
        ("secret/x.py", ""),
        ("directory/x.py", ""),
        ("other/server/x.py", ""),
        ("x.py", ""),
    ],
)
def test_the_part_that_names_a_place(path: str, part: str) -> None:
    """The nearest folder that the map names; a word of prose is no folder, and a comment says nothing."""
    assert part_for(MAP, DocumentPath(path)) == part


@given(text=st.text(alphabet="ab/`#-*|~ \n.<>!", max_size=80), path=st.text(alphabet="ab/.", min_size=1, max_size=8))
def test_no_text_and_no_path_is_too_odd(text: str, path: str) -> None:
    part = part_for(text, DocumentPath(path))
    assert "\n" not in part
    assert len(part) <= maps.MAX_PART


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path, "-- a.py --\nx = 1\n-- .knowledge/orientation.md --\n# In the tree\n") as one:
        yield one


def oriented(session: Session, config: Path, named: str = "") -> Orientation:
    return read_map(Root(session.root), session.name, str(config), session.kb.current, named)


def own_map(session: Session, config: Path, text: str = "# The user's\n") -> Path:
    path = Path(user_map_path(str(config), session.name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_map_in_the_tree_wins(session: Session, tmp_path: Path) -> None:
    own_map(session, tmp_path / "config")
    found = oriented(session, tmp_path / "config")
    assert (found.origin, found.text, found.notices) == ("tree", "# In the tree\n", ())
    assert found.path == f"{session.root}/{IN_TREE}"


def test_unsaved_text_of_the_map_counts(session: Session, tmp_path: Path) -> None:
    session.kb.open_buffer(IN_TREE, "# Unsaved\n", 1)
    assert oriented(session, tmp_path).text == "# Unsaved\n"


def test_the_users_own_map_stands_in(session: Session, tmp_path: Path) -> None:
    (Path(session.root) / IN_TREE).unlink()
    own = own_map(session, tmp_path / "config")
    found = oriented(session, tmp_path / "config")
    assert (found.origin, found.text, found.path) == ("user", "# The user's\n", str(own))


def test_the_map_that_the_registry_names_comes_first(session: Session, tmp_path: Path) -> None:
    """C1: before the defaults; outside of the tree it is the user's, inside it is content of the tree."""
    own = tmp_path / "maps" / "tree.md"
    own.parent.mkdir()
    own.write_text("# Named\n", encoding="utf-8")
    found = oriented(session, tmp_path / "config", str(own))
    assert (found.origin, found.text, found.path) == ("user", "# Named\n", str(own))
    inside = Path(session.root) / "docs.md"
    inside.write_text("# Inside\n", encoding="utf-8")
    found = oriented(session, tmp_path / "config", str(inside))
    assert (found.origin, found.text, found.path) == ("tree", "# Inside\n", f"{session.root}/docs.md")
    session.kb.open_buffer(DocumentPath("docs.md"), "# Unsaved\n", 1)
    assert oriented(session, tmp_path / "config", str(inside)).text == "# Unsaved\n"


def test_a_map_that_is_named_and_not_there_is_reported_and_the_next_one_counts(
    session: Session, tmp_path: Path
) -> None:
    found = oriented(session, tmp_path / "config", str(tmp_path / "none.md"))
    assert (found.origin, found.text) == ("tree", "# In the tree\n")
    assert "which the registry names" in found.notices[0]
    (Path(session.root) / "hidden.md").write_text("x\n", encoding="utf-8")
    (Path(session.root) / ".gitignore").write_text("hidden.md\n", encoding="utf-8")
    session.sync()
    found = oriented(session, tmp_path / "config", f"{session.root}/hidden.md")
    assert found.text == "# In the tree\n"
    assert "hidden.md is there and not used" in found.notices[0]


def test_without_a_map_nothing_is_said(session: Session, tmp_path: Path) -> None:
    (Path(session.root) / IN_TREE).unlink()
    found = oriented(session, tmp_path)
    assert (found.origin, found.text, found.exists, found.notices) == (None, "", False, ())
    assert found.path == f"{session.root}/{IN_TREE}"


def test_a_hidden_map_is_reported_and_not_used(session: Session, tmp_path: Path) -> None:
    (Path(session.root) / ".gitignore").write_text(".knowledge/\n", encoding="utf-8")
    own_map(session, tmp_path / "config")
    session.sync()
    found = oriented(session, tmp_path / "config")
    assert found.origin == "user"
    assert "git check-ignore" in found.notices[0]


def test_the_remedy_for_a_hidden_map_works(session: Session, tmp_path: Path) -> None:
    (Path(session.root) / ".gitignore").write_text(".knowledge/*\n", encoding="utf-8")
    session.sync()
    assert oriented(session, tmp_path).origin is None
    (Path(session.root) / ".gazetteerignore").write_text(f"!/{IN_TREE}\n", encoding="utf-8")
    session.sync()
    assert oriented(session, tmp_path).origin == "tree"


def test_a_map_that_leads_out_of_the_tree_is_not_read(session: Session, tmp_path: Path) -> None:
    """SE02, SE10: what the tree puts at the place of the map is a document like any other."""
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me", encoding="utf-8")
    place = Path(session.root) / IN_TREE
    place.unlink()
    place.symlink_to(secret)
    found = oriented(session, tmp_path)
    assert (found.origin, found.text) == (None, "")
    assert found.notices


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", ".", "a\0b", "a/b", "/abs", "x\\..\\y", ""])
def test_no_name_of_a_corpus_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    """SE10: the name is one step of the path, whatever a folder is called."""
    assert Path(user_map_path(str(tmp_path), name)).parent == tmp_path / "rules.d" / "corpora"


def test_a_user_map_that_is_no_file_makes_nobody_wait(session: Session, tmp_path: Path) -> None:
    import os

    (Path(session.root) / IN_TREE).unlink()
    path = Path(user_map_path(str(tmp_path), session.name))
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    found = oriented(session, tmp_path)
    assert found.origin is None
    assert "is not a file" in found.notices[0]


def test_a_long_map_is_cut_and_says_so(session: Session, tmp_path: Path) -> None:
    session.kb.open_buffer(IN_TREE, "x" * 200_000, 1)
    found = oriented(session, tmp_path)
    assert len(found.text) == maps.MAX_BYTES
    assert "only its beginning" in found.notices[0]


def test_a_new_map_names_what_is_there_and_says_nothing_of_it() -> None:
    paths = [
        "server/a.py",
        "server/b.py",
        "docs/c.md",
        "pyproject.toml",
        "Makefile",
        ".github/x.yml",
        "a`b/x",
        "README.md",
    ]
    text = skeleton("shop", map(DocumentPath, paths))
    assert "- `server/` (2 files): \n- " not in text  # sorted: docs before server
    assert "- `a?b/` (1 file): \n- `docs/` (1 file): \n- `server/` (2 files): \n" in text
    assert "`Makefile`, `pyproject.toml`" in text
    assert ".github" not in text


def test_a_new_map_is_written_once_and_through_no_link(session: Session, tmp_path: Path) -> None:
    place = Path(session.root) / IN_TREE
    with pytest.raises(ConflictError):
        maps.create(session.kb.root, "new")
    place.unlink()
    place.parent.rmdir()
    maps.create(session.kb.root, "new\n")
    assert place.read_text(encoding="utf-8") == "new\n"
    place.unlink()
    place.parent.rmdir()
    place.parent.symlink_to(tmp_path)
    with pytest.raises(RefusedError):
        maps.create(session.kb.root, "new")
    assert not (tmp_path / "orientation.md").exists()


MAKER = """
import resource, sys
from gazetteer.app import Session
from gazetteer.context import maps
from gazetteer.kb.errors import GazetteerError
with Session.open(sys.argv[1], db_path=sys.argv[2]) as session:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    try:
        maps.create(session.kb.root, "a map\\n" * 1000, session.kb.writer.notes)
    except GazetteerError as error:
        print(error.code.value)
"""


def make(folder: Path, *, limit: int = 1 << 30, failpoint: str = "") -> "subprocess.CompletedProcess[str]":
    """Make a map in a process of its own."""
    arguments = [sys.executable, "-P", "-c", MAKER, str(folder / "tree"), str(folder / "cache"), str(limit)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GAZETTEER_FAILPOINT": failpoint}
    return subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)


def left(folder: Path) -> list[str]:
    """What there is of a map, and what was left beside it and noted."""
    places = [*(folder / "tree").rglob("*"), *folder.rglob(f"{UNFINISHED}*")]
    return sorted({path.name for path in places} - {"a.py"})


def test_a_new_map_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """K11, M1: a kill leaves nothing that the next opening does not remove, and a full disk nothing at all."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("x = 1\n")
    made = make(tmp_path, limit=2_000)
    assert (made.returncode, made.stdout) == (0, "unavailable\n"), made.stderr
    assert left(tmp_path) == []
    assert make(tmp_path, failpoint="create.filled").returncode == -signal.SIGKILL
    assert IN_TREE.rpartition("/")[2] not in left(tmp_path)
    assert len(left(tmp_path)) == 2  # the folder, and the file beside
    assert make(tmp_path).stdout == ""
    assert left(tmp_path) == [".knowledge", "orientation.md"]
    assert make(tmp_path).stdout == "conflict\n"
    assert left(tmp_path) == [".knowledge", "orientation.md"]


@given(st.text(alphabet="ab<!->", max_size=60))
def test_comments_are_left_out_as_the_pattern_for_them_says(text: str) -> None:
    """SE04: without the pattern, which takes minutes for a page of comments that are opened and never closed."""
    assert maps._without_comments(text) == re.sub("<!--.*?-->", "", text, flags=re.DOTALL)


def test_a_page_of_open_comments_is_read_in_one_pass() -> None:
    assert part_for("<!--" * 500_000 + "\n- server/ answers\n", DocumentPath("server/app.py")) == ""
