"""The knowledge base: bytes -> facts -> store -> snapshots. Knows nothing of questions, editors or the command line."""

from typing import TYPE_CHECKING, Any

__all__ = ["KnowledgeBase"]

if TYPE_CHECKING:
    from .knowledge import KnowledgeBase


def __getattr__(name: str) -> Any:
    if name == "KnowledgeBase":
        from .knowledge import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
