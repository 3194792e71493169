"""No spelling, link or locator leads out of a tree, and nothing that is left out of it is kept or shown."""

import base64
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gazetteer.app import Session
from gazetteer.kb.errors import GazetteerError, InvalidArgumentError, NotFoundError
from gazetteer.kb.model import DocumentPath
from gazetteer.retrieval.query import Answer

from ..escapes import SPELLINGS, lay, spelled
from .small import Small, ask, paths

TOKEN = "swordfish4711"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A tree beside a file that must not be seen, with links to it."""
    small = Small(tmp_path_factory.mktemp("security"))
    small.write("a.py", "def alpha():\n    return 1\n")
    small.write("sub/b.py", "def beta():\n    return 2\n")
    lay(small.tree, f"def outside_{TOKEN}():\n    return 1\n".encode())
    return small


@pytest.fixture(scope="module")
def session(small: Small) -> Iterator[Session]:
    with small.open() as session:
        session.sync()
        yield session


def locator_of(session: Session, path: str) -> str:
    """A locator as an attacker would write it: the corpus is known, the path is his."""
    name = base64.urlsafe_b64encode(os.fsencode(path)).rstrip(b"=").decode()
    return f"gz1:{session.kb.root.key}:{name}:1-1:{'0' * 12}"


def outcome(act: Callable[..., Any], *arguments: Any) -> Any:
    """What an act gives, or the error that it raises on purpose."""
    try:
        return act(*arguments)
    except GazetteerError as error:
        return error


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_leads_out_whatever_takes_it(small: Small, session: Session, spelling: str) -> None:
    """SE01, SE02: questions, filters, places, locators, and hints."""
    spelling = spelled(spelling, small.tree)
    forged = locator_of(session, spelling)
    seen = [
        ask(session, spelling),
        ask(session, f"{spelling}:1"),
        outcome(lambda: ask(session, "outside def return", paths=(spelling,))),
        outcome(session.related, f"{spelling}:1"),
        outcome(session.related, forged),
    ]
    for answer in seen:
        assert isinstance(answer, Answer | InvalidArgumentError | NotFoundError)
        assert TOKEN not in (answer.message if isinstance(answer, GazetteerError) else repr(answer.hits))
    expanded = outcome(session.expand, forged)
    assert isinstance(expanded, InvalidArgumentError) or (expanded.state, expanded.text) == ("gone", "")
    session.kb.mark_dirty(DocumentPath(spelling))
    session.kb.flush()
    assert [row.path for row in session.kb.store.documents(session.kb.store.head().generation)] == ["a.py", "sub/b.py"]
    assert TOKEN.encode() not in small.stored()


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_buffer_outside_of_the_tree_is_not_taken(small: Small, session: Session, spelling: str) -> None:
    """SE01: a front door that forgot to look would make it a document."""
    document = DocumentPath(spelled(spelling, small.tree))
    outside = document.startswith("/") or ".." in document.split("/") or "//" in document
    if outside or spelling.startswith(("link", "sub/up")):
        assert not session.kb.open_buffer(document, "def outside_buffer():\n    pass\n", 1)
        assert len(session.kb.overlays) == 0


@pytest.mark.parametrize("key", ["include", "exclude", "exclude_dirs"])
def test_settings_of_a_tree_do_not_widen_it(tmp_path: Path, key: str) -> None:
    """SE01: `knowledge.yaml` belongs to the tree, and speaks for nothing else."""
    small = Small(tmp_path)
    (tmp_path / "outside.py").write_text(f"def outside_{TOKEN}():\n    pass\n")
    small.write("a.py", "def alpha():\n    return 1\n")
    for spelling in ("../outside.py", "../**", f"{tmp_path}/outside.py", "../"):
        small.write("knowledge.yaml", f"{key}: ['{spelling}']\n")
        with small.open() as session:
            synced = outcome(session.sync)
            if isinstance(synced, GazetteerError):
                assert "knowledge.yaml:1" in synced.message
            else:
                assert {*paths(ask(session, "outside alpha", 50))} <= {"a.py", "knowledge.yaml"}
        assert TOKEN.encode() not in small.stored()


SECRETS = {
    "sub/.gitignore": "*.json\n/local/\n",
    "sub/s.json": f'{{"token": "{TOKEN}"}}\n',
    "sub/deeper/t.json": f'{{"token": "{TOKEN}"}}\n',
    "sub/local/notes.md": f"# Token\n\n{TOKEN}\n",
    ".env": f"TOKEN={TOKEN}\n",
    "deploy/.env.production": f"TOKEN={TOKEN}\n",
    "deploy/server.key": f"-----BEGIN PRIVATE KEY-----\n{TOKEN}\n",
    "deploy/CERT.PEM": f"{TOKEN}\n",
    "home/id_rsa": f"{TOKEN}\n",
    "home/.netrc": f"password {TOKEN}\n",
    "home/.npmrc": f"_authToken={TOKEN}\n",
}


@pytest.mark.parametrize("repository", [False, True])
def test_a_token_in_a_file_that_is_left_out_is_nowhere(tmp_path: Path, repository: bool) -> None:
    """SE07: in no byte of the cache, in no answer, in no message; neither from the disk, a buffer nor a locator."""
    small = Small(tmp_path)
    for path, text in SECRETS.items():
        small.write(path, text)
    small.write("a.py", "def alpha():\n    return 1\n")
    if repository:
        (small.tree / ".git").mkdir()
    hidden = [path for path in SECRETS if not path.endswith(".gitignore")]
    with small.open() as session:
        session.sync()
        assert paths(ask(session, "alpha token")) == ["a.py"]
        for path in hidden:
            assert not session.kb.open_buffer(DocumentPath(path), f"token {TOKEN} buffer\n", 1), path
            session.kb.mark_dirty(DocumentPath(path))
            session.kb.flush()
            refused = outcome(session.related, f"{path}:1")
            assert isinstance(refused, NotFoundError), path
            assert TOKEN not in refused.message + repr(ask(session, f"{path}:1"))
            found = session.expand(locator_of(session, path))
            assert (found.state, found.text) == ("gone", ""), path
        assert ask(session, TOKEN).hits == ()
        assert {refusal.reason for refusal in session.status().refused} >= {"secret", "ignored"}
        assert not session.check(full=True).findings
    assert TOKEN.encode() not in small.stored()
    said = small.command("health")
    assert TOKEN not in said.stdout + said.stderr


def test_a_rule_that_comes_later_takes_the_token_out_of_every_answer(tmp_path: Path) -> None:
    """SE07: what was indexed before somebody ignored it is not shown any more, by word, place or locator."""
    small = Small(tmp_path)
    small.write("sub/s.json", f'{{"token": "{TOKEN}"}}\n')
    with small.open() as session:
        (hit,) = ask(session, TOKEN).hits
        small.write("sub/.gitignore", "*.json\n")
        assert ask(session, TOKEN).hits == ()
        assert session.expand(hit.locator).text == ""
        with pytest.raises(GazetteerError) as caught:
            session.related("sub/s.json:1")
        assert TOKEN not in caught.value.message


def test_what_is_only_in_a_buffer_is_never_stored(tmp_path: Path) -> None:
    """SE07: unsaved text stays in the process, whatever is asked and published beside it."""
    small = Small(tmp_path)
    small.write("a.py", "def alpha():\n    return 1\n")
    with small.open() as session:
        session.kb.open_buffer(DocumentPath("a.py"), f"def alpha():\n    return '{TOKEN}'\n", 1)
        session.kb.open_buffer(DocumentPath("new.py"), f"NEW = '{TOKEN}'\n", 1)
        assert paths(ask(session, TOKEN)) == ["a.py", "new.py"]
        small.write("b.py", "def beta():\n    return 2\n")
        assert paths(ask(session, "beta")) == ["b.py"]
        session.compact()
        assert TOKEN.encode() not in small.stored()
    assert TOKEN.encode() not in small.stored()
