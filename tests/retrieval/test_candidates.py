"""Documents weighed as wholes: the index agrees with the formula, and names are looked for as code joins words."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.kb.model import DocumentId, DocumentPath, Generation
from gazetteer.kb.store.rows import DocumentRow, Head
from gazetteer.retrieval import about
from gazetteer.retrieval.analyze import Term, analyse
from gazetteer.retrieval.candidates import compound_terms
from gazetteer.retrieval.lexical import Engine, LexicalReader, format_of
from gazetteer.retrieval.query import Query
from gazetteer.retrieval.stems import stem
from gazetteer.retrieval.terms import ChunkFields

TEXTS = {
    1: "parse " * 30 + "token scan",
    2: "parse parse token",
    3: "token " * 12,
    4: "scan",
    5: "parse " * 30 + "token scan",
    6: "nothing of that",
}
TERMS = (Term(stem("parse")), Term(stem("token"), 0.5), Term("absent"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LexicalReader:
    engine = Engine(str(tmp_path_factory.mktemp("index")), create=True)
    writer = engine.writer()
    for number, text in TEXTS.items():
        row = DocumentRow(
            id=DocumentId(number),
            path=DocumentPath(f"{number}.py"),
            content_id="",  # type: ignore[arg-type]
            disk_hash="",  # type: ignore[arg-type]
            language="python",
            source_type="code",
            recipe="",  # type: ignore[arg-type]
            partial="",
            problems=0,
            chunks=2,
            symbols=0,
            regressed=False,
            size=0,
            changed_at=0.0,
            born=Generation(1),
            died=Generation(2),
        )
        terms = [stem(word) for word in text.split()]
        first = ChunkFields("block", (), "", "", " ".join(terms[:2]), about.index_text(terms))
        writer.add(row, [first, ChunkFields("block", (), "", "", " ".join(terms[2:]))])
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    return engine.reader()


def worth(reader: LexicalReader, terms: Iterable[Term] = TERMS) -> dict[str, float]:
    return {term.text: term.weight * reader.rarity(term.text) for term in terms}


def weighed(number: int) -> float:
    """The score of a text by the pure formula, frequencies counted here."""
    held = {other: about.levels(stem(word) for word in text.split()) for other, text in TEXTS.items()}
    counts_for = {
        term.text: term.weight * about.rarity(sum(term.text in one for one in held.values()), len(held))
        for term in TERMS
    }
    return about.weigh(held[number], counts_for)


def test_the_index_weighs_documents_as_the_formula_does(reader: LexicalReader) -> None:
    found = reader.weigh(worth(reader), 10)
    assert dict(found) == {number: pytest.approx(weighed(number), abs=1e-3) for number in (1, 2, 3, 5)}
    assert [number for number, _ in found] == [1, 5, 2, 3]


def test_weighing_stays_within_what_is_asked(reader: LexicalReader) -> None:
    assert [number for number, _ in reader.weigh(worth(reader), 2)] == [1, 5]
    assert [number for number, _ in reader.weigh(worth(reader), 9, documents=[DocumentId(3), DocumentId(4)])] == [3]
    assert reader.weigh(worth(reader), 9, documents=()) == []
    assert [number for number, _ in reader.weigh(worth(reader), 9, masked=[DocumentId(1)])] == [5, 2, 3]
    assert reader.weigh(worth(reader, [Term("absent")]), 9) == []
    assert reader.weigh({}, 9) == []


def test_neighbours_are_looked_for_as_one_word() -> None:
    assert [term.text for term in compound_terms(analyse("choose the error handler"))] == [stem("errorhandler")]
    assert compound_terms(analyse("ErrorHandler")) == ()  # the identifier is a term already


def test_a_document_is_found_for_what_it_is_about(tmp_path: Path) -> None:
    """More passages than are looked at say every word; one document is about them, each of its passages about one."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for at in range(220):
        (tree / f"mention_{at}.py").write_text(f"def other_{at}():\n    # quota, shard and lease\n    return {at}\n")
    subject = "\n\n".join(
        f"def step_{at}({word}):\n    total = {word} + {word}\n    return check_{word}(total, {word}, {word})\n"
        for at in range(6)
        for word in ("quota", "shard", "lease")
    )
    (tree / "z_subject.py").write_text(subject)
    with Session.open(str(tree), db_path=str(tmp_path / "db")) as session:
        hits = session.retrieve(Query(text="quota shard lease")).hits
    assert hits[0].relpath == "z_subject.py"
    assert {signal.via for signal in hits[0].signals} == {"lexical"}
    assert hits[0].signals[0].rank > 200


def test_a_buffer_is_weighed_like_the_file_it_repeats(tmp_path: Path) -> None:
    """K10, invariant 5: opening a document without changing it changes no place and no score; changing it does."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name, text in {"a.py": "quota shard " * 20, "b.py": "quota lease " * 9, "c.py": "shard = 1\n"}.items():
        (tree / name).write_text(text)
    with Session.open(str(tree), db_path=str(tmp_path / "db")) as session:
        before = session.retrieve(Query(text="quota shard")).hits
        for name in ("a.py", "b.py", "c.py"):
            session.kb.open_buffer(DocumentPath(name), (tree / name).read_text())
        opened = session.retrieve(Query(text="quota shard")).hits
        assert [hit.relpath for hit in opened] == [hit.relpath for hit in before] == ["a.py", "b.py", "c.py"]
        assert [hit.score.value for hit in opened] == pytest.approx([hit.score.value for hit in before], abs=1e-3)
        session.kb.open_buffer(DocumentPath("c.py"), "quota shard " * 200)
        session.kb.open_buffer(DocumentPath("a.py"), "nothing of it")
        changed = session.retrieve(Query(text="quota shard")).hits
        assert [hit.relpath for hit in changed] == ["c.py", "b.py"]
