"""A path that a person types means what it reads like, however the file system keeps the accents in it."""

import os
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest
from gazetteer.app import Session
from gazetteer.retrieval.query import Filters, Query
from gazetteer.settings import Settings

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")


@pytest.mark.parametrize("typed", FORMS)
@pytest.mark.parametrize("kept", FORMS)
def test_accents_may_lie_in_their_letters_or_beside_them(tmp_path: Path, kept: Form, typed: Form) -> None:
    tree = tmp_path / normalize(kept, "Bücher")
    (tree / normalize(kept, "größe")).mkdir(parents=True)
    (tree / normalize(kept, "größe/straße_é.py")).write_text("def name():\n    return 1\n")
    (tree / "other.py").write_text("def name():\n    return 2\n")
    (tree / os.fsdecode(b"odd\xe9.py")).write_text("def name():\n    return 3\n")
    with Session(str(tree), Settings(db_path=str(tmp_path / "cache"))) as session:

        def found(glob: str) -> list[str]:
            return [hit.path for hit in session.retrieve(Query(text="name", filters=Filters(paths=(glob,)))).hits]

        for glob in ("größe/**", "/größe/", "straße_é.py", "*_é.*"):
            assert found(normalize(typed, glob)) == [normalize(kept, "größe/straße_é.py")], glob
        assert found(normalize(typed, "é*")) == []
        assert found("other.py") == ["other.py"]
        if typed == kept:  # what leads somewhere is what the system says
            assert found(f"{tree}/{normalize(typed, 'größe')}") == [normalize(kept, "größe/straße_é.py")]
