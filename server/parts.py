"""What is opened and closed together for one tree: its store, its indexes, and what runs beside questions.

Here the rooms are joined: the keyword index is given to the knowledge base as a follower, the tokenizer to the derive
processes, ``knowledge.yaml`` to scanner and planner. Nothing here decides when to open; see `opened`.
"""

import os
from collections.abc import Callable

from .corpora.config import TreeConfig, digest, scan_rules
from .corpora.entry import Entry, name_of
from .kb.cancel import Cancel
from .kb.freshness import SERVER_WAIT_S, Sweeper
from .kb.indexer import ProgressSink, Refreshed
from .kb.knowledge import KnowledgeBase
from .kb.lookout import LOOKOUT
from .kb.model import DocumentPath
from .kb.paths import Root
from .kb.room import corpus_folder
from .kb.text import Units
from .kb.watch import Watcher
from .retrieval.engine import Options, Retriever
from .retrieval.lexical_index import LexicalIndex
from .settings import Settings

ANNOTATOR = f"{__package__}.retrieval.terms:prepare"
QUOTING_ANNOTATOR = f"{ANNOTATOR}_quoting"


class Parts:
    """The parts of one opening; `close` ends all of them.

    Args:
        given: the tree.
        settings: what the user has set.
        config: what the tree says about itself.
        entry: what the registry says of it.
        workspace: where paths in answers are spelled from.
        one_shot: whether a question waits for a whole look at the tree.
        units: what characters of positions are counted in.
        clock: nanoseconds of the wall clock.

    Raises:
        UnavailableError: the cache cannot be used.
    """

    def __init__(
        self,
        given: Root,
        settings: Settings,
        config: TreeConfig,
        entry: Entry,
        *,
        workspace: str,
        one_shot: bool,
        units: Units,
        clock: Callable[[], int],
    ) -> None:
        cache = settings.index_root()
        quoting = config.examples_quote_queries
        self._settings = settings
        self.closed = False
        self.lexical = LexicalIndex(os.path.join(corpus_folder(cache, given), "lexical"), quoting=quoting)
        self.kb = KnowledgeBase(
            given,
            cache,
            scan_rules(settings, config, entry),
            followers=(self.lexical,),
            annotator=QUOTING_ANNOTATOR if quoting else ANNOTATOR,
            settings=digest(settings, config, entry),
            processes=settings.processes(),
            clock=clock,
        )
        self.watcher = Watcher(given.real, self._hear) if settings.watch and not one_shot else None
        self.sweeper = Sweeper(self.kb, compacts=not one_shot, station=None if one_shot else LOOKOUT.station())
        self.retriever = Retriever(
            self.kb,
            self.lexical,
            self.sweeper,
            Options(
                name=entry.name or name_of(given.real),
                workspace=workspace,
                wait_s=None if one_shot else SERVER_WAIT_S,
                reuse_s=settings.sweep_reuse_ms / 1000,
                aliases=config.aliases,
                examples_quote_queries=quoting,
                units=units,
            ),
        )

    def configure(self, config: TreeConfig, entry: Entry) -> None:
        """Take over another ``knowledge.yaml`` or entry, but for what the keyword index itself depends on."""
        self.kb.configure(scan_rules(self._settings, config, entry), digest(self._settings, config, entry))
        self.retriever.configure(config.aliases, entry.name or name_of(self.kb.root.real))

    def refresh(self, *, anew: bool, aside: bool, progress: ProgressSink | None, cancel: Cancel) -> Refreshed:
        """Bring the index up to the tree; see `KnowledgeBase.refresh`. ``anew`` also reads every file."""
        station = self.sweeper.station if aside else None  # one refresh at a time runs, so it is asked by one thread
        return self.kb.refresh(
            strict=anew, anew=anew, aside=aside, progress=progress, should_stop=cancel.is_set, station=station
        )

    def watch(self) -> None:
        """Watch the folders that the tree has now, where that was asked for; a failure is said once."""
        if self.watcher is None:
            return
        self.watcher.watch(self.kb.indexer.directories)
        if self.watcher.notice:
            self.kb.notices.append(self.watcher.notice)
            self.watcher = None

    def _hear(self, paths: frozenset[DocumentPath]) -> None:
        """Take hints of the watcher: they mark dirty and nothing else."""
        for path in sorted(paths):
            self.kb.mark_dirty(path or None, "watched")

    def close(self) -> None:
        """End threads and processes, close files; a second call does nothing."""
        self.closed = True
        if self.watcher is not None:
            self.watcher.close()
        self.sweeper.close()
        self.retriever.close()
        self.kb.close()
