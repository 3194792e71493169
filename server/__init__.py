"""Gazetteer: a snapshot-consistent knowledge base of a source tree that answers questions with fresh, cited evidence.

The public Python surface is small and imported lazily, so that ``import gazetteer`` costs next to nothing:

* :class:`gazetteer.Session` opens one tree and answers questions about it;
* :class:`gazetteer.KnowledgeBase` is the store, overlays, journal and snapshots below it, useful without any query.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["KnowledgeBase", "Session", "__version__"]

if TYPE_CHECKING:
    from .app import Session
    from .kb import KnowledgeBase


def __getattr__(name: str) -> Any:
    if name == "Session":
        from .app import Session

        return Session
    if name == "KnowledgeBase":
        from .kb import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module 'gazetteer' has no attribute {name!r}")
