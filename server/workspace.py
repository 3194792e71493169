"""Several corpora, one answer: trees of one's own among all that are registered (rows C5, C6).

A workspace says who is asked, asks, and adds to the receipt what only it knows. Ranking corpora against each other is
``retrieval.federate``; who takes part is ``corpora.roll``; opening trees is whoever's who made this. A corpus that is
not there costs its own hits and one sentence. Nothing in a question moves the workspace.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from .app import Session
from .corpora.mentions import Mentions, elsewhere
from .corpora.registry import Catalogue, Corpus
from .corpora.roll import Place, Roll, call_roll, own_places
from .kb.cancel import Cancel
from .kb.errors import GazetteerError, IncompleteError, InvalidArgumentError, NotFoundError
from .kb.ignore import below
from .kb.indexer import ProgressSink
from .kb.paths import Root, printable
from .kb.room import root_of
from .retrieval import locator
from .retrieval.engine import Caller, Retriever
from .retrieval.federate import federate, resemble
from .retrieval.query import Answer, Evidence, Expansion, Explanation, Hit, Query, Receipt, Scope

T = TypeVar("T")
OWN = Scope()


class Participant:
    """A corpus as it is asked: opened when it is asked for the first time."""

    def __init__(self, place: Place, session: Callable[[str], Session], corpus: Corpus | None = None) -> None:
        self.name = place.name
        self._corpus = corpus
        self.standing = place.standing
        self._root = place.root
        self._session = session

    def ask(self, act: Callable[[Retriever], T]) -> T:
        """Do ``act`` with what answers questions about it.

        Raises:
            GazetteerError: it cannot be asked, and why.
        """
        if self._corpus is not None and not self._corpus.there:
            raise self._corpus.absent()
        return self._session(self._root).ask(act)


class Workspace:
    """Asks. Safe to use from several threads.

    Args:
        roots: the trees of one's own, first the one that paths are spelled from; may be none.
        catalogue: what is registered.
        cache: the folder of all indexes.
        session: gives the session of a tree; may open it. It raises a `GazetteerError` where it cannot.
        mentions: what was said already of corpora that questions name; of this workspace alone by default.
        patience_s: how long one of several corpora is waited for; for as long as it takes by default.
        room: is given the real paths of all trees of a question before any is opened for it.
    """

    def __init__(
        self,
        roots: Sequence[str],
        catalogue: Catalogue,
        cache: str,
        session: Callable[[str], Session],
        *,
        mentions: Mentions | None = None,
        patience_s: float | None = None,
        room: Callable[[Sequence[str]], None] = lambda _: None,
    ) -> None:
        self.roots = tuple(roots)
        self._catalogue = catalogue
        self._cache = cache
        self._session = session
        self._mentions = mentions or Mentions()
        self._patience_s = patience_s
        self._room = room

    def roll(self, scope: Scope = OWN) -> Roll:
        """Say who takes part in a question of this scope; see `corpora.roll.call_roll`."""
        return call_roll(self.roots, scope, self._catalogue.current(), self._declared)

    def members(self, scope: Scope = OWN) -> tuple[Participant, ...]:
        """Who takes part, to be asked."""
        return self._participants(self.roll(scope))

    # -- questions ----------------------------------------------------------------------------------------------

    def retrieve(
        self,
        query: Query,
        *,
        progress: ProgressSink | None = None,
        cancel: Cancel | None = None,
        first: Callable[[tuple[Hit, ...]], None] | None = None,
    ) -> Answer:
        """Answer a question from every corpus that its scope means; as `Session.retrieve` where that is one.

        Raises:
            GazetteerError: nobody can answer, and why the first of them cannot.
        """
        return self._ask(query, self._caller(progress, cancel, first))[0]

    def explain(
        self, query: Query, *, progress: ProgressSink | None = None, cancel: Cancel | None = None
    ) -> Explanation:
        """The plan of a question, why each corpus was asked or not, and what every strategy gave and cost."""
        answer, evidence = self._ask(query, self._caller(progress, cancel))
        return Explanation(answer.receipt.plan, evidence, answer.receipt)

    def _caller(
        self,
        progress: ProgressSink | None,
        cancel: Cancel | None,
        first: Callable[[tuple[Hit, ...]], None] | None = None,
    ) -> Caller:
        """Who asks: somebody who reads paths from the first tree of their own, whichever tree a hit is of."""
        return Caller(progress, cancel, first, workspace=Root(self.roots[0]).given if self.roots else "")

    def _ask(self, query: Query, caller: Caller) -> tuple[Answer, tuple[Evidence, ...]]:
        roll = self.roll(query.scope)
        for glob in query.filters.paths:
            self._check_leads(glob, roll)
        if roll.absent and query.require == "current-complete":
            raise IncompleteError(
                f"The evidence is not complete: {roll.absent[0]} Or ask without --require.", missing=list(roll.absent)
            )
        self._room([place.real for place in roll.places])
        answer, evidence = federate(self._participants(roll), query, caller, patience_s=self._patience_s)
        receipt = self._noted(answer.receipt, roll, query)
        return msgspec.structs.replace(answer, receipt=receipt), evidence

    def _check_leads(self, glob: str, roll: Roll) -> None:
        """Refuse an absolute path that leads to nobody who is asked: no hit would look like no evidence."""
        start = glob.split("/", 2)[1] if glob.startswith("/") else ""
        if not os.path.lexists(f"/{start}"):
            return  # written from the root of a tree, or no path of this machine
        for place in roll.places:
            if below(glob, place.real) is not None or os.path.lexists(os.path.join(place.real, start)):
                return
        corpus = self._catalogue.current().at(glob)
        held = f"it is in {corpus.name}, which is not asked; ask that too" if corpus is not None else "no corpus has it"
        raise InvalidArgumentError(
            f"The path {printable(glob)[:200]} leads out of the corpora that are asked: {held}, or write it from the "
            "root of a tree.",
            argument="path",
        )

    def _noted(self, receipt: Receipt, roll: Roll, query: Query) -> Receipt:
        """Say what the workspace has to say: who was meant and is not there, whose tree is read, who else is named."""
        registry = self._catalogue.current()
        asked = (*(place.name for place in roll.places), *query.scope.without)
        mentioned = self._mentions.notices(query.text, registry, asked)
        said = (*registry.notices, *roll.absent, *roll.unknown, *self._elsewhere(roll, query.scope), *mentioned)
        if not said:
            return receipt
        return msgspec.structs.replace(
            receipt,
            notices=tuple(dict.fromkeys((*receipt.notices, *said))),
            missing=(*receipt.missing, *roll.absent),
        )

    def _elsewhere(self, roll: Roll, scope: Scope) -> Iterator[str]:
        """A sentence for each tree that was chosen instead of the one that is worked in."""
        here = {os.path.realpath(root) for root in self.roots}
        for place in roll.places:
            if scope.corpora and self.roots and place.standing == "own" and place.real not in here:
                yield elsewhere(place.name, place.root, self.roots[0])

    # -- places -------------------------------------------------------------------------------------------------

    def expand(self, text: str, before: int = 0, after: int = 0, *, cancel: Cancel | None = None) -> Expansion:
        """What stands now where a locator points, in whichever corpus that is.

        Raises:
            InvalidArgumentError: it is no locator.
            NotFoundError: nothing here has its corpus.
        """
        return self._session(self.root_of(text)).expand(text, before, after, cancel=cancel)

    def related(
        self,
        target: str,
        limit: int = 6,
        *,
        scope: Scope = OWN,
        progress: ProgressSink | None = None,
        cancel: Cancel | None = None,
    ) -> Answer:
        """What resembles the passage of a locator or of ``PATH:LINE``, in every corpus that the scope means.

        A passage of a corpus that no question of this scope would ask is looked for in its own corpus, unless others
        are named: then in these alone.

        Raises:
            InvalidArgumentError: the target is neither.
            NotFoundError: there is no such corpus, document or line.
        """
        root, target = self.home_of(target, scope)
        home = own_places([root], self._catalogue.current())[0]
        roll = self._around(home, scope)
        self._room([home.real, *(place.real for place in roll.places)])
        asked = self._participants(roll)
        giving = [one for one, place in zip(asked, roll.places, strict=True) if place.real == home.real]
        giver, *_ = giving or self._participants(Roll((home,)))
        caller, query = self._caller(progress, cancel), Query(text="", limit=limit, scope=scope)
        answer = resemble(giver, asked, target, query, caller, patience_s=self._patience_s)
        return msgspec.structs.replace(answer, receipt=self._noted(answer.receipt, roll, query))

    def _around(self, home: Place, scope: Scope) -> Roll:
        """Who is asked what resembles a passage of a corpus: that alone where no question would ask it by itself."""
        try:
            roll = self.roll(scope)
        except GazetteerError:
            if scope != OWN:
                raise
            return Roll((home,))
        return roll if scope != OWN or home.real in {place.real for place in roll.places} else Roll((home,))

    def home_of(self, target: str, scope: Scope = OWN) -> tuple[str, str]:
        """The root of the tree that a passage is of, and the passage as that tree is told it.

        Raises:
            GazetteerError: nobody has it, or nobody is left to ask.
        """
        if target.startswith(f"{locator.VERSION}:"):
            return self.root_of(target), target
        return self._holding(target, scope)

    def root_of(self, text: str) -> str:
        """Return the root of the corpus that a locator names: one's own, a registered one, or one with an index here.

        Raises:
            InvalidArgumentError: it is no locator.
            NotFoundError: nothing here has its corpus.
        """
        key = locator.parse(text).corpus_key
        registered = (corpus.root for corpus in self._catalogue.current().corpora.values())
        for root in (*self.roots, *registered):
            if Root(root).key == key:
                return root
        if noted := root_of(self._cache, key):
            return noted
        raise NotFoundError(
            "This locator is of a tree of which no index is here; name its folder with --root, or register it with "
            "`gazetteer corpus add`.",
            corpus_key=key,
        )

    def _holding(self, target: str, scope: Scope) -> tuple[str, str]:
        """The root of the tree that holds ``PATH:LINE``, the innermost one, and the target as that tree is told it.

        A path that is not absolute begins in the first tree that is asked, where another one may lie.
        """
        places = self.roll(scope).places
        path, _, line = target.rpartition(":")
        absolute = os.path.abspath(os.path.join(places[0].root, path))
        corpus = self._catalogue.current().at(absolute) if "\0" not in path else None
        roots = (*(place.root for place in places), *self.roots, *((corpus.root,) if corpus is not None else ()))
        holding = [root for root in dict.fromkeys(roots) if Root(root).document(absolute) is not None]
        if not path or not holding:
            return places[0].root, target
        return max(holding, key=lambda root: len(Root(root).real)), f"{absolute}:{line}"

    # -- inside -------------------------------------------------------------------------------------------------

    def _participants(self, roll: Roll) -> tuple[Participant, ...]:
        corpora = self._catalogue.current().corpora
        return tuple(Participant(place, self._session, corpora.get(place.name)) for place in roll.places)

    def _declared(self, root: str) -> tuple[str, ...]:
        try:
            return self._session(root).declares
        except GazetteerError:
            return ()  # whoever asks it says why
