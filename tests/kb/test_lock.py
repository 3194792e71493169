"""What one process removes another may be using: nothing is removed without the lock, and nothing that is sound."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from gazetteer.kb import open_store
from gazetteer.kb.errors import TimeoutExpiredError
from gazetteer.kb.lock import Lock, contents_lock, publish_lock
from gazetteer.kb.store import content
from gazetteer.kb.store.connection import Connection
from gazetteer.kb.store.content import ContentStore

from .world import World, texts

HOLDER = """
import sys
from gazetteer.kb.lock import Lock
with Lock(sys.argv[1], busy="").held():
    print("held", flush=True)
    sys.stdin.read()
"""


class Opening(threading.Thread):
    """Opens something in another thread; `asked` is set as soon as it wants the lock."""

    def __init__(self, act: Callable[[], object], module: ModuleType, patch: pytest.MonkeyPatch, name: str) -> None:
        super().__init__(daemon=True)
        self._act = act
        self.asked = threading.Event()
        self.result: object = None
        make = getattr(module, name)

        def announce(path: str) -> Lock:
            self.asked.set()
            lock: Lock = make(path)
            return lock

        patch.setattr(module, name, announce)

    def run(self) -> None:
        self.result = self._act()


def test_a_lock_that_another_process_holds_is_waited_for_and_ends_with_it(tmp_path: Path) -> None:
    """K7: no lock is left behind by a killed process."""
    path = str(tmp_path / "lock")
    lock = Lock(path, busy="Somebody else has it.")
    holder = subprocess.Popen([sys.executable, "-P", "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(TimeoutExpiredError, match="Somebody else"), lock.held(0.05):
        pass
    assert lock.is_held()
    holder.kill()
    holder.communicate()
    with lock.held(5), lock.held(5):
        assert lock.is_held()
    assert not lock.is_held()


def test_a_damaged_index_is_not_removed_under_whoever_publishes_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC03: opening finds it damaged, waits for the lock, and takes what another process has built meanwhile."""
    kb = world.open()
    kb.refresh()
    kb.close()
    database = Path(kb.folder, "kb.db")
    good = database.read_bytes()
    database.write_bytes(b"no database" * 1000)
    opening = Opening(world.open, open_store, monkeypatch, "publish_lock")
    with publish_lock(kb.folder).held():
        opening.start()
        assert opening.asked.wait(30)
        assert database.read_bytes().startswith(b"no database"), "it is somebody else's now"
        database.write_bytes(good)
    opening.join(30)
    (_, opened) = world.opened
    assert opened.notices == []
    assert set(texts(opened.snapshot())) == {"a.py", "b.py"}


def test_an_index_of_another_version_is_built_again_and_that_is_said(world: World) -> None:
    kb = world.open()
    kb.refresh()
    kb.store.set_meta("schema", "0")
    kb.close()
    again = world.open()
    assert "another version" in again.notices[0]
    again.refresh()
    assert set(texts(again.snapshot())) == {"a.py", "b.py"}


def test_what_another_process_has_replaced_already_is_not_thrown_away(world: World) -> None:
    """Two processes see one damage; the second must not remove what the first has made."""
    first, second = world.open(), world.open()
    first.refresh()
    first.discard(first.contents.path)
    first.close()
    third = world.open()
    third.refresh()
    second.discard(second.contents.path)
    second.discard(second.store.path)
    assert not third.is_replaced()
    assert set(texts(third.snapshot())) == {"a.py", "b.py"}


def test_damaged_texts_are_replaced_by_whoever_holds_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "content.db"
    path.write_bytes(b"no database" * 1000)
    opening = Opening(lambda: ContentStore(str(path)), content, monkeypatch, "contents_lock")
    with contents_lock(str(path)).held():
        opening.start()
        assert opening.asked.wait(30)
        assert path.read_bytes().startswith(b"no database")
        path.unlink()
        other = ContentStore(str(path))
    opening.join(30)
    assert isinstance(opening.result, ContentStore)
    assert not other.is_replaced()
    for store in (other, opening.result):
        store.close()


def test_a_file_that_is_replaced_while_it_is_opened_is_not_what_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a process would go on alone with a file that nobody can see, and never notice."""
    path = tmp_path / "a.db"
    Connection(str(path)).close()
    opened = Connection._connect
    times: list[int] = []

    def replace(self: Connection, target: str, *, uri: bool) -> object:
        raw = opened(self, target, uri=uri)
        if not times:
            times.append(1)
            path.rename(tmp_path / "old.db")
            Connection(str(path)).close()
        return raw

    monkeypatch.setattr(Connection, "_connect", replace)
    connection = Connection(str(path))
    assert not connection.is_replaced()
    with connection.transaction() as db:
        db.execute("CREATE TABLE here(x)")
    connection.close()
    assert b"here" in path.read_bytes()
