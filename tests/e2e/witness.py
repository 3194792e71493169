"""A process that asks while others write, and holds every answer to what the disk said before and after it.

Every file says the number of its version, and versions only grow. So an answer that shows an older version than the
disk had before the question is stale, one that shows a newer one than the disk had after it is invented, and one
without a file that was there before and after it is incomplete. What the index says is only asked about generations.
"""

import os
import re

from gazetteer.app import Session
from gazetteer.kb.model import DocumentPath, Generation
from gazetteer.retrieval.query import Answer, Query

PRIVATE = DocumentPath("private.py")
VERSION = re.compile(rb"# version (\d+) begins\n.*# version (\d+) ends\n", re.DOTALL)
SAID = re.compile(r"version (\d+)|return (?:'common', )?(\d+)")
NAMES = tuple(f"{folder}f{at}.py" for folder in ("", "lib/") for at in range(4))


def text_of(name: str, version: int) -> str:
    """A file of several sections, all of one version."""
    word = re.sub(r"\W", "_", name)
    return (
        f"# version {version} begins\n\n\ndef common_{word}():\n    return {version}\n\n\n"
        f"def more_{word}():\n    return 'common', {version}\n\n\n# version {version} ends\n"
    )


def versions(tree: str) -> dict[str, int | None]:
    """The version of every file that is there; None for one that is half-written."""
    found: dict[str, int | None] = {}
    for name in NAMES:
        try:
            with open(os.path.join(tree, name), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            continue
        match = VERSION.fullmatch(data)
        found[name] = int(match[1]) if match is not None and match[1] == match[2] else None
    return found


class Witness:
    """One process's view; ``wrong`` collects what must not be."""

    def __init__(self, tree: str, session: Session, name: str, *, one_shot: bool) -> None:
        self._tree = tree
        self._one_shot = one_shot  # a server may answer before it has looked at the whole tree
        self._session = session
        self._secret = f"secret{name}"
        self._generation = 0
        self.asked = self.complete = 0
        self.wrong: list[str] = []
        session.kb.open_buffer(PRIVATE, f"def {self._secret}():\n    pass\n", 1)

    def ask(self) -> None:
        """Ask for what all files hold, and for what only this process's buffer holds."""
        before = versions(self._tree)
        answer = self._session.retrieve(Query(text="common", limit=50))
        self._judge(answer, before, versions(self._tree))
        found = [hit.relpath for hit in self._session.retrieve(Query(text=self._secret)).hits if "secret" in hit.text]
        if found != [PRIVATE]:
            self.wrong.append(f"the own buffer is not what answers: {found}")
        self.asked += 1

    def _judge(self, answer: Answer, before: dict[str, int | None], after: dict[str, int | None]) -> None:
        state = answer.receipt.snapshot.corpora[0]
        store = self._session.kb.store
        if state.generation < self._generation:
            self.wrong.append(f"generation {state.generation} after {self._generation}")
        self._generation = state.generation
        for hit in answer.hits:
            if hit.freshness == "overlay":
                continue
            row = store.document(Generation(state.generation), DocumentPath(hit.relpath))
            if row is None or (row.content_id, state.generation) != (
                hit.provenance.content_id.removeprefix("sha256:"),
                hit.provenance.generation,
            ):
                self.wrong.append(f"{hit.relpath} is not of generation {state.generation}")
            said = {int(number) for pair in SAID.findall(hit.text) for number in pair if number}
            if len(said) != 1:
                self.wrong.append(f"{hit.relpath} mixes versions: {hit.text!r}")
            first, last = before.get(hit.relpath, 0), after.get(hit.relpath)
            for version in said:
                if first is not None and version < first:
                    self.wrong.append(f"{hit.relpath}: version {version} is stale, the disk had {first} before")
                if last is not None and version > last:
                    self.wrong.append(f"{hit.relpath}: version {version} is invented, the disk had {last} after")
        freshness = answer.receipt.freshness
        if freshness.sweep_complete and not freshness.stale_excluded and self._one_shot:
            self.complete += 1
            shown = {hit.relpath for hit in answer.hits}
            missing = {name for name, version in before.items() if version and after.get(name) == version} - shown
            if missing:
                self.wrong.append(f"not found though nobody touched them: {sorted(missing)}")
