"""A tree and knowledge bases of it, for tests that ask no question."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gazetteer.kb.knowledge import KnowledgeBase

from .world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    for kb in made.opened:
        kb.close()


@pytest.fixture
def kb(world: World) -> KnowledgeBase:
    made = world.open()
    made.refresh()
    return made
