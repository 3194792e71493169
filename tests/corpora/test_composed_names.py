"""A name with an accent is one name, whether a system keeps the accent in its letter or beside it, as macOS does."""

import json
from pathlib import Path
from unicodedata import normalize

import pytest
from gazetteer.corpora.entry import name_of
from gazetteer.corpora.mentions import mentioned
from gazetteer.corpora.registering import add, remove
from gazetteer.corpora.registry import FILE_NAME, Catalogue
from gazetteer.corpora.registry_json import name_fault
from gazetteer.corpora.roll import call_roll, tree_called
from gazetteer.corpora.scanning import free_name
from gazetteer.kb.errors import RefusedError
from gazetteer.retrieval.query import Scope

TOGETHER, APART = normalize("NFC", "Bücher"), normalize("NFD", "Bücher")
FORMS = [TOGETHER, APART]


@pytest.fixture(params=FORMS, ids=["together", "apart"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Catalogue]:
    """A registry in whose file the name stands in one form or the other."""
    tree = tmp_path / APART
    tree.mkdir()
    entries = {request.param: {"path": str(tree)}, "other": {"path": str(tmp_path), "corpora": [APART]}}
    (tmp_path / FILE_NAME).write_text(json.dumps(entries))
    return tree, Catalogue(str(tmp_path))


@pytest.mark.parametrize("name", FORMS)
def test_a_corpus_is_found_by_its_name_in_either_form(desk: tuple[Path, Catalogue], name: str) -> None:
    tree, catalogue = desk
    registry = catalogue.current()
    assert list(registry.corpora) == [TOGETHER, "other"]
    assert registry.find(name).root == tree_called(name, (), registry).root == str(tree)
    for scope in (Scope(corpora=(name,)), Scope(corpora=("other",), attach=(name,))):
        assert TOGETHER in [place.name for place in call_roll((), scope, registry, lambda _: ()).places]
    everywhere = call_roll((), Scope(everywhere=True, without=(name,)), registry, lambda _: ())
    assert ([place.name for place in everywhere.places], everywhere.unknown) == (["other"], ())
    assert [corpus.name for corpus in mentioned(f"what is in {name}?", registry)] == [TOGETHER]


@pytest.mark.parametrize("name", FORMS)
def test_a_corpus_is_changed_and_let_go_of_by_its_name_in_either_form(desk: tuple[Path, Catalogue], name: str) -> None:
    tree, catalogue = desk
    spelled = next(iter(json.loads((tree.parent / FILE_NAME).read_bytes())))
    assert add(catalogue, name, str(tree)).change == "kept"
    assert add(catalogue, name, str(tree), {"kind": "books"}).change == "changed"
    assert list(json.loads((tree.parent / FILE_NAME).read_bytes())) == [spelled, "other"]
    with pytest.raises(RefusedError, match="is registered as"):
        add(catalogue, "books", str(tree))
    removed = remove(catalogue, name, str(tree.parent / "cache"))
    assert removed.notices == ("other still names it among its corpora.",)
    assert list(json.loads((tree.parent / FILE_NAME).read_bytes())) == ["other"]


def test_a_name_that_stands_in_both_forms_stands_twice(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps({form: {"path": str(tmp_path)} for form in FORMS}))
    registry = Catalogue(str(tmp_path)).current()
    assert list(registry.corpora) == []
    assert "stands twice" in registry.broken[TOGETHER]


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_gives_its_tree_a_name_that_can_be_registered(form: str) -> None:
    assert name_of(f"/trees/{form}") == free_name(f"/trees/{form}", ()) == TOGETHER
    assert name_of(f"/trees/{form}", [TOGETHER]) != TOGETHER


@pytest.mark.parametrize("name", ["हिन्दी", "ไทย", "עִבְרִית", APART, "q\u0303"])
def test_a_script_that_writes_vowels_as_marks_gives_names(tmp_path: Path, name: str) -> None:
    assert name_fault(name) == ""
    tree = tmp_path / name
    tree.mkdir()
    catalogue = Catalogue(str(tmp_path))
    assert add(catalogue, name, str(tree)).name == free_name(str(tree), ()) == normalize("NFC", name)
    assert catalogue.current().find(name).root == str(tree)


@pytest.mark.parametrize("name", ["\u0301", "\u0301a", ""])
def test_a_mark_on_nothing_is_no_name(name: str) -> None:
    assert name_fault(name)
