"""How an index is, read off the index itself: fills the values of ``health`` for one corpus (rows C8, L10).

``status`` looks at nothing but the store; ``walk`` lists the tree and hashes every file, whatever signatures say.
"""

from ..kb.cancel import Cancel
from ..kb.errors import GazetteerError
from ..kb.knowledge import KnowledgeBase
from ..kb.room import folder_size, last_sweep
from ..kb.scan import list_tree
from ..kb.source import hash_file
from ..kb.store.rows import Coverage, Head, Totals
from .health import Drift, Refusal, State, Status, Watermark

LAST_ERROR = "last_error"


def status(kb: KnowledgeBase, name: str, settings: str, followers: dict[str, Head | None], error: str = "") -> Status:
    """What is known without walking the tree.

    Args:
        kb: the knowledge base.
        name: the corpus's name.
        settings: digest of the settings that hold now.
        followers: the head each follower is at; None for one that cannot be read.
        error: why the settings cannot be used; "" when they can.
    """
    head = kb.store.head()
    totals, coverage, published_at = kb.store.published(head.generation)
    failed = error or kb.store.meta(LAST_ERROR)
    state, reason = _state(kb, head, totals, coverage, settings, failed)
    swept = last_sweep(kb.folder) if head.generation else 0.0
    age = kb.clock() - swept
    return Status(
        state=state,
        reason=reason,
        corpus=name,
        root=kb.root.real,
        db_path=kb.folder,
        generation=head.generation,
        published_at=published_at or None,
        documents=totals.documents,
        chunks=totals.chunks,
        symbols=totals.symbols,
        languages=dict(sorted(kb.store.languages(head.generation).items(), key=lambda item: (-item[1], item[0]))),
        refused=tuple(
            Refusal(reason, count, coverage.examples.get(reason, ())) for reason, count in coverage.refused.items()
        ),
        problems=totals.problems,
        partial_documents=totals.partial,
        partial=coverage.partial,
        last_error=failed,
        followers=tuple(_watermark(follower, at, head) for follower, at in followers.items()),
        sweep_age_ms=age * 1000 if swept and age >= 0.0 else None,  # else never, or the clock was set back since
        index_bytes=folder_size(kb.folder),
    )


def walk(kb: KnowledgeBase, cancel: Cancel) -> Drift:
    """Compare the live tree with the index; every file is read.

    Raises:
        CancelledError: ``cancel`` was set.
        GazetteerError: the tree cannot be listed.
    """
    listing = list_tree(kb.root.real, kb.rules, needs_git=True, should_stop=cancel.is_set)
    _, places = kb.store.places()
    known = {path: state for path, state in places.files.items() if path not in listing.oversize}
    added = sum(path not in known for path in listing.files)
    changed = 0
    for path in listing.files:
        cancel.check()
        state = known.get(path)
        if state is None or not state.disk_hash:
            continue
        found = hash_file(kb.root.real, path)
        changed += found is not None and found[0] != state.disk_hash
    unreadable = tuple(f"{folder}/" for folder in listing.failed)
    missing = [path for path in known if path not in listing.files]
    hidden = sum(path.startswith(unreadable) for path in missing)
    return Drift(len(listing.files), added, changed, len(missing) - hidden, hidden)


def after_walk(
    found: Status, drift: Drift | None, error: GazetteerError | None, why_read_only: str
) -> tuple[State, str]:
    """The state and its reason once the tree was looked at."""
    if error is not None:
        return "failed", error.message
    if drift is None or found.state not in ("ready", "empty"):
        return found.state, found.reason
    if drift.added or drift.changed or drift.deleted:
        remedy = why_read_only or "The next question or `gazetteer sync` brings them in."
        return "stale", f"{drift.added} files new, {drift.changed} changed, {drift.deleted} gone. {remedy}"
    if drift.unreadable:
        return (
            "stale",
            f"{drift.unreadable} documents are in folders that cannot be read; allow this user to read them.",
        )
    return found.state, found.reason


def _state(
    kb: KnowledgeBase, head: Head, totals: Totals, coverage: Coverage, settings: str, failed: str
) -> tuple[State, str]:
    if head.generation == 0:
        if failed:
            return "failed", failed
        if kb.publisher.is_held():
            return "indexing", "Another process is building the index."
        return "missing", "No index was built yet; ask a question or run `gazetteer sync`."
    if failed:
        return "failed", failed
    if coverage.settings != settings:
        return "stale", "The settings changed; the next question or `gazetteer sync` builds the index again."
    if coverage.partial:
        return "partial", coverage.partial
    if totals.documents == 0:
        return "empty", "The tree has no file that can be indexed."
    return "ready", kb.why_read_only


def _watermark(name: str, at: Head | None, head: Head) -> Watermark:
    generation = at.generation if at is not None else 0
    return Watermark(name, generation, head.generation - generation)
