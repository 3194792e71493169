"""An open buffer is scored as if it were in the index: tantivy itself is the oracle."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from gazetteer.kb.model import DocumentId, DocumentPath, Generation
from gazetteer.kb.store.rows import DocumentRow, Head
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.lexical import Engine, LexicalReader, format_of
from gazetteer.retrieval.lexical_request import TEXT_FIELDS, LexicalRequest, request_for
from gazetteer.retrieval.overlay_score import OverlayEntry, OverlayScorer, coarse_length
from gazetteer.retrieval.terms import ChunkFields, index_text
from msgspec.structs import replace

WORDS = [f"word{number}" for number in range(30)] + ["getUserName", "HTTPServer2", "the", "not"]
Chunks = Mapping[DocumentId, tuple[DocumentRow, list[ChunkFields]]]

pytestmark = pytest.mark.filterwarnings("error")


def row(document: int, path: str, language: str = "python") -> DocumentRow:
    return DocumentRow(
        id=DocumentId(document),
        path=DocumentPath(path),
        content_id="",  # type: ignore[arg-type]
        disk_hash="",  # type: ignore[arg-type]
        language=language,
        source_type="code",
        recipe="",  # type: ignore[arg-type]
        partial="",
        problems=0,
        chunks=0,
        symbols=0,
        regressed=False,
        size=0,
        changed_at=0.0,
        born=Generation(1),
        died=Generation(2),
    )


def fields(body: str, defined: tuple[str, ...] = (), trail: str = "", kind: str = "function") -> ChunkFields:
    return ChunkFields(kind, defined, index_text(" ".join(defined)), index_text(trail), index_text(body))


def make_corpus(seed: int) -> Chunks:
    chance = random.Random(seed)
    corpus = {}
    for number in range(1, 80):
        chunks = [
            fields(
                " ".join(chance.choices(WORDS, k=chance.choice((1, 7, 30, 41, 57, 200, 3_000)))),
                tuple(chance.sample(WORDS, k=chance.randint(0, 2))),
                " ".join(chance.sample(WORDS, k=chance.randint(0, 3))),
                chance.choice(("function", "class")),
            )
            for _ in range(chance.randint(1, 3))
        ]
        document = DocumentId(number)
        path = f"src/{chance.choice(WORDS)}/part{number % 7}.py"
        corpus[document] = (row(number, path, chance.choice(("python", "c"))), chunks)
    return corpus


def build(folder: Path, corpus: Chunks) -> LexicalReader:
    folder.mkdir(parents=True)
    engine = Engine(str(folder), create=True)
    writer = engine.writer()
    for document_row, chunks in corpus.values():
        writer.add(document_row, chunks)
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    return engine.reader()


def score_all(reader: LexicalReader, request: LexicalRequest, corpus: Chunks) -> dict[tuple[int, int], float]:
    scorer = OverlayScorer(request, reader.statistics, reader.frequency)
    return {
        (document, ordinal): score
        for document, (document_row, chunks) in corpus.items()
        for ordinal, chunk in enumerate(chunks)
        if (
            score := scorer.score(
                OverlayEntry(chunk, document_row.path, document_row.language, document_row.source_type)
            )
        )
        is not None
    }


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[LexicalReader, Chunks]:
    corpus = make_corpus(7)
    return build(tmp_path_factory.mktemp("overlay") / "index", corpus), corpus


REQUESTS = {
    query: request_for(analyse(query), 10_000)
    for query in (
        "word1",
        "word1 word2 getUserName the",
        "HTTPServer2 part3 src",
        '"word3 word4" word5',
        '"word3 word3" word5',
        '"word1 word2 word1"',
        "word7 -word8",
        'word7 -"word8 word9"',
        "word9 nowhere",
        "the",
    )
}
REQUESTS["filtered"] = replace(REQUESTS["word1"], languages=("c",), kinds=("class", "enum"), source_types=("code",))
REQUESTS["defining"] = replace(REQUESTS["word1"], defining=("word2", "getUserName"))
REQUESTS["boosted"] = replace(REQUESTS["word1"], boosts={"body": 0.5, "names": 3.0})


@pytest.mark.parametrize("name", REQUESTS)
def test_a_chunk_scores_the_same_in_a_buffer_as_in_the_index(name: str, indexed: tuple[LexicalReader, Chunks]) -> None:
    reader, corpus = indexed
    expected = {(m.document_id, m.ordinal): m.score for m in reader.search(REQUESTS[name])}
    computed = score_all(reader, REQUESTS[name], corpus)
    assert computed.keys() == expected.keys()
    assert computed == pytest.approx(expected, rel=1e-5)
    assert expected or name == '"word1 word2 word1"'


def test_the_statistics_are_those_of_the_index_with_dead_entries_and_without_the_buffer(tmp_path: Path) -> None:
    """Scores of an index with deletions keep counting what is dead, and so does a buffer's."""
    corpus = dict(make_corpus(3))
    build(tmp_path / "index", corpus)
    engine = Engine(str(tmp_path / "index"))
    writer = engine.writer()
    dead = [DocumentId(number) for number in range(1, 30)]
    writer.remove(dead)
    writer.commit(Head(Generation(2), "second"), format_of())
    reader = engine.reader()
    for document in dead:
        del corpus[document]
    request = REQUESTS["word1 word2 getUserName the"]
    expected = {(m.document_id, m.ordinal): m.score for m in reader.search(request)}
    assert score_all(reader, request, corpus) == pytest.approx(expected, rel=1e-5)
    writer.finish()


def test_an_empty_index_scores_a_buffer(tmp_path: Path) -> None:
    """QU04: no entries and no lengths are no division by zero; the score is a positive number."""
    reader = build(tmp_path / "index", {})
    assert reader.chunks == 0
    scorer = OverlayScorer(REQUESTS["word1"], reader.statistics, reader.frequency)
    score = scorer.score(OverlayEntry(fields("word1 word2"), DocumentPath("a.py"), "python", "code"))
    assert score is not None
    assert score > 0
    assert scorer.score(OverlayEntry(fields(""), DocumentPath(""), "python", "code")) is None


def test_lengths_are_as_coarse_as_the_index_keeps_them(tmp_path: Path) -> None:
    """Every length near a step is scored as tantivy scores it, which shows only through the stored length."""
    lengths = [*range(1, 70), 95, 96, 97, 255, 256, 279, 280, 281, 1_000, 4_095, 4_120, 20_000]
    corpus = {
        DocumentId(number): (row(number, "p"), [fields("rare" + " filler" * (length - 1))])
        for number, length in enumerate(lengths, start=1)
    }
    reader = build(tmp_path / "index", corpus)
    request = replace(request_for(analyse("rare"), 1_000), boosts={"body": 1.0})
    expected = {(m.document_id, m.ordinal): m.score for m in reader.search(request)}
    assert len(expected) == len(lengths)
    assert score_all(reader, request, corpus) == pytest.approx(expected, rel=1e-5)
    assert [coarse_length(length) for length in (0, 40, 41, 42, 56, 59, 60)] == [0, 40, 40, 42, 56, 56, 60]


def test_every_text_field_has_statistics(indexed: tuple[LexicalReader, Chunks]) -> None:
    reader, corpus = indexed
    entries = sum(len(chunks) for _, chunks in corpus.values()) + 1
    for field in TEXT_FIELDS:
        assert reader.statistics[field].entries == entries
