"""The graph strategy: a relation that a question asks for, as chunks that stand in it (row R8).

*callers* and *users* are the definitions in which a name is called or used, *callees* what a definition calls,
*importers* the places that import a file or a name, *importees* what a file imports. Names are names: the reason of
every spot says what was found by, and ranking decides what it is worth beside the rest.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ..kb.model import DocumentPath, Role
from ..kb.snapshot import Document
from .containment import chunk_holding, chunk_of_reference, last_part
from .graph import Graph, Use
from .origins import Origins
from .path_table import PathTable
from .planner import Plan
from .rules import Ask
from .structural import Located, Spot
from .view import View

_MAX_FILES = 4
"""Files of one name that are asked about."""


class Tracing:
    """The strategy, bound to what one query sees.

    Args:
        view: documents and their facts.
        paths: the paths of the view's generation.
        admits: which documents may answer at all.
        check: called between documents; what it raises ends the work.
    """

    def __init__(
        self,
        view: View,
        paths: PathTable,
        *,
        admits: Callable[[Document], bool],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._snapshot = view.snapshot
        self._paths = paths
        self._check = check

        def stop() -> bool:
            check()
            return False

        self._graph = Graph(view, Origins(view.snapshot, paths), should_stop=stop)
        self._admits = admits

    def graph(self, plan: Plan) -> Located:
        """Return what stands in the relations that a plan asks for; without one, what uses the names it has."""
        relations: dict[str, Callable[[Ask], Iterable[Spot]]] = {
            "caller": self._callers,
            "user": self._users,
            "callee": self._callees,
            "importer": self._importers,
            "importee": self._importees,
        }
        asks = [ask for ask in plan.asks if ask.relation in relations]
        asks = asks or [Ask("user", name) for name in plan.names]
        once: dict[tuple[DocumentPath, int], Spot] = {}
        for ask in asks:
            for spot in relations[ask.relation](ask):
                if self._admits(spot.document):
                    once.setdefault((spot.document.path, spot.ordinal), spot)
        return Located(tuple(islice(once.values(), plan.step("graph").budget)))

    def _callers(self, ask: Ask) -> Iterator[Spot]:
        for use in self._graph.uses(last_part(ask.name), roles=(Role.CALL,)).places:
            yield self._spot(use, f"calls {ask.name}")

    def _users(self, ask: Ask) -> Iterator[Spot]:
        name = last_part(ask.name)
        for use in self._graph.uses(name).places:
            yield self._spot(use, f"uses {ask.name}")
        yield from self._importers(ask)

    def _callees(self, ask: Ask) -> Iterator[Spot]:
        for definition in self._graph.definitions(last_part(ask.name)).found[:_MAX_FILES]:
            for _name, callee in self._graph.callees(definition.document, definition.at):
                derived = self._snapshot.derived(callee.document)
                at = chunk_holding(derived, derived.symbols[callee.at].name_start)
                yield Spot(callee.document, at, f"called by {ask.name}")

    def _importers(self, ask: Ask) -> Iterator[Spot]:
        files = self._files(ask.name)
        for path in files:
            for use in self._graph.importers(path).places:
                yield self._spot(use, f"imports {path}")
        for use in self._graph.importing(last_part(ask.name)).places:
            yield self._spot(use, f"imports {ask.name}")

    def _importees(self, ask: Ask) -> Iterator[Spot]:
        for path in self._files(ask.name):
            document = self._snapshot.document(path)
            imports = self._snapshot.derived(document).imports if document is not None else ()
            for at in range(len(imports)):
                self._check()
                assert document is not None
                for target in self._graph.targets(document, at):
                    if (found := self._snapshot.document(target.path)) is not None and self._has_chunks(found):
                        yield Spot(found, 0, f"imported by {path}", named=True)

    def _files(self, name: str) -> tuple[DocumentPath, ...]:
        """Files that a question calls by their path, their name, or their name without its ending."""
        found = dict.fromkeys(self._paths.ending(name, limit=_MAX_FILES))
        for ending in (".py", ".ts", ".js", ".h", ".c", ".go", ".rs", ".java", ".rb", ".lua", ".php", ".kt"):
            if "/" not in name and "." not in name:
                found.update(dict.fromkeys(self._paths.ending(f"{name}{ending}", limit=_MAX_FILES)))
        return tuple(found)[:_MAX_FILES]

    def _spot(self, use: Use, reason: str) -> Spot:
        derived = self._snapshot.derived(use.document)
        return Spot(use.document, chunk_of_reference(derived, use.scope, use.line), reason)

    def _has_chunks(self, document: Document) -> bool:
        return bool(self._snapshot.derived(document).chunks)
