"""What a keyword search finds, in which order, and what it never raises."""

import email
import itertools
import re
from pathlib import Path

import pytest
from gazetteer.kb.model import DocumentId, DocumentPath, Generation
from gazetteer.kb.store.rows import DocumentRow, Head
from gazetteer.retrieval import lexical_query, lexical_terms
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.lexical import SENTINEL, Engine, LexicalReader, format_of
from gazetteer.retrieval.lexical_request import LexicalMatch, LexicalRequest, order_matches, request_for
from gazetteer.retrieval.terms import ChunkFields, index_text
from msgspec.structs import replace

TEXTS = {
    "src/os_path.py": "import os\nreturn os.path.join(root, name)",
    "src/server.py": "class HTTPServer2 handles requests with std::vector semantics",
    "src/reader.c": "int read_all(struct file *f) { /* no such file */ }",
    "docs/guide.md": "The guide says: the file of such names is not there. Version 38.101 is out.",
    "docs/empty.md": "",
    "src/twin_a.py": "twin text of equal length",
    "src/twin_b.py": "twin text of equal length",
    "src/лист.py": "поиск по словам データ",
}
DEFINED = {"src/server.py": ("HTTPServer2", "handle"), "src/reader.c": ("read_all",)}
PATHS = {DocumentId(number): DocumentPath(path) for number, path in enumerate(reversed(TEXTS), start=1)}


def row(document: DocumentId) -> DocumentRow:
    path = PATHS[document]
    return DocumentRow(
        id=document,
        path=path,
        content_id="",  # type: ignore[arg-type]
        disk_hash="",  # type: ignore[arg-type]
        language={"py": "python", "c": "c", "md": "markdown"}[path.rpartition(".")[2]],
        source_type="docs" if path.startswith("docs/") else "code",
        recipe="",  # type: ignore[arg-type]
        partial="",
        problems=0,
        chunks=1,
        symbols=0,
        regressed=False,
        size=0,
        changed_at=0.0,
        born=Generation(1),
        died=Generation(2),
    )


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LexicalReader:
    engine = Engine(str(tmp_path_factory.mktemp("index")), create=True)
    writer = engine.writer()
    for document, path in PATHS.items():
        defined = DEFINED.get(path, ())
        kind = "class" if path == "src/server.py" else "function"
        body = index_text(TEXTS[path])
        writer.add(row(document), [ChunkFields(kind, defined, index_text(" ".join(defined)), "", body)])
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    return engine.reader()


def find(reader: LexicalReader, query: str | LexicalRequest, limit: int = 50) -> list[str]:
    request = query if isinstance(query, LexicalRequest) else request_for(analyse(query), limit)
    return [PATHS[match.document_id] for match in reader.search(request, lambda _: PATHS)]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("os.path.join", "src/os_path.py"),
        ("38.101", "docs/guide.md"),
        ("std::vec", ""),
        ("std::vector", "src/server.py"),
        ("http server", "src/server.py"),
        ("HTTPServer2", "src/server.py"),
        ("httpserver2", "src/server.py"),
        ("readAll", "src/reader.c"),
        ("body:requests", "src/server.py"),
        ("path:nowhere", "src/os_path.py"),
        ("поиск", "src/лист.py"),
        ("データ", "src/лист.py"),
        ('"no such file"', "src/reader.c"),
        ('"such file no"', ""),
        ("what is not", "docs/guide.md"),
    ],
)
def test_the_query_finds_the_file(reader: LexicalReader, query: str, path: str) -> None:
    """QU02, QU07: paths, versions and operators are words cut alike on both sides."""
    found = find(reader, query)
    assert (found[0] if found else "") == path or (not path and path not in found)
    if path:
        assert found[0] == path


def test_no_special_characters_are_an_error(reader: LexicalReader) -> None:
    """QU03: every short string of special characters answers, with hits or without."""
    for size in (1, 2, 3):
        for letters in itertools.product("\"'-:()[]{}*^~+\\/|&! a", repeat=size):
            find(reader, "".join(letters))


@pytest.mark.parametrize("query", ["", "   ", "\x00", "???", '""'])
def test_a_blank_query_finds_nothing(reader: LexicalReader, query: str) -> None:
    assert find(reader, query) == []


def test_every_candidate_holds_a_content_term(reader: LexicalReader) -> None:
    """R6: function words alone bring nothing in, though they rank what content brought in."""
    assert find(reader, "the name of the file") == find(reader, "name file") or set(
        find(reader, "the name of the file")
    ) == set(find(reader, "name file"))
    assert "src/twin_a.py" not in find(reader, "the names of")
    assert "src/twin_a.py" in find(reader, "of")


def test_exclusions_drop_what_holds_them_anywhere(reader: LexicalReader) -> None:
    assert find(reader, "twin") == ["src/twin_a.py", "src/twin_b.py"]
    assert find(reader, "twin -equal") == []
    assert set(find(reader, "file -guide")) == {"src/reader.c"}  # in the path of the other
    assert set(find(reader, 'file -"no such"')) == {"docs/guide.md"}


def test_ties_are_ordered_by_path_and_cut_after_that(reader: LexicalReader) -> None:
    """Documents were added in the opposite order of their paths; ids must not decide."""
    assert find(reader, "twin text", limit=1) == ["src/twin_a.py"]
    assert find(reader, "twin text", limit=2) == ["src/twin_a.py", "src/twin_b.py"]


def test_more_ties_than_are_fetched_at_once_are_all_looked_at(tmp_path: Path) -> None:
    engine = Engine(str(tmp_path), create=True)
    writer = engine.writer()
    count = 300
    for number in range(1, count + 1):
        body = ChunkFields("block", (), "", "", index_text("same words"))
        writer.add(replace(row(DocumentId(1)), id=DocumentId(number), path=DocumentPath("same.py")), [body])
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    request = request_for(analyse("words"), 3)
    found = engine.reader().search(request, lambda tied: {one: DocumentPath(f"{count - one:04}") for one in tied})
    assert [match.document_id for match in found] == [count, count - 1, count - 2]


def test_order_is_by_score_then_path_then_place() -> None:
    matches = [
        LexicalMatch(DocumentId(d), o, s) for d, o, s in ((1, 0, 1.0), (2, 1, 2.0), (2, 0, 2.0000001), (3, 0, 2.0))
    ]
    paths = {DocumentId(1): "z", DocumentId(2): "y", DocumentId(3): "x"}
    ordered = order_matches(matches, lambda tied: {document: DocumentPath(paths[document]) for document in tied})
    assert [(match.document_id, match.ordinal) for match in ordered] == [(3, 0), (2, 0), (2, 1), (1, 0)]
    assert order_matches(reversed(matches)) == order_matches(matches)


def test_filters_and_masks_apply_before_the_cut(reader: LexicalReader) -> None:
    """K10: what a buffer owns, or a filter leaves out, takes no place in the answer."""
    asked = request_for(analyse("file twin requests guide name"), 1)
    by_path = {path: document for document, path in PATHS.items()}
    everything = find(reader, replace(asked, limit=50))
    for path in everything:
        assert find(reader, replace(asked, documents=frozenset({by_path[DocumentPath(path)]}))) == [path]
    masked = frozenset(by_path[DocumentPath(path)] for path in everything[:-1])
    assert find(reader, replace(asked, masked=masked)) == everything[-1:]
    assert find(reader, replace(asked, documents=frozenset())) == []
    assert find(reader, replace(asked, languages=("c",))) == ["src/reader.c"]
    assert find(reader, replace(asked, source_types=("docs",))) == ["docs/guide.md"]
    assert find(reader, replace(asked, kinds=("class",))) == ["src/server.py"]
    assert find(reader, replace(asked, defining=("read_all", "nothing"))) == ["src/reader.c"]


def test_filters_do_not_score(reader: LexicalReader) -> None:
    asked = request_for(analyse("requests"), 5)
    plain = reader.search(asked)
    filtered = reader.search(replace(asked, languages=("python",), kinds=("class",), documents=frozenset(PATHS)))
    assert filtered == plain


def test_definitions_are_looked_up_whole(reader: LexicalReader) -> None:
    def defining(*names: str, folded: bool = False) -> list[str]:
        return [PATHS[address.document_id] for address in reader.definitions(names, folded=folded)]

    assert defining("HTTPServer2") == ["src/server.py"]
    assert defining("httpserver2") == []
    assert defining("Server") == []
    assert defining("http_server2", "_", folded=True) == ["src/server.py"]
    assert sorted(defining("handle", "read_all")) == ["src/reader.c", "src/server.py"]
    assert defining() == []


def test_few_values_are_looked_up_and_many_walked_along_with_the_same_answer(
    reader: LexicalReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two ways to ask for entries that hold one of many values: they find the same, with the same scores."""
    asked = request_for(analyse("file twin requests guide name"), 50)
    names = ("HTTPServer2", "handle", "read_all", "nowhere")

    def answers() -> list[object]:
        return [
            reader.definitions(names),
            reader.search(replace(asked, documents=frozenset(PATHS), defining=names)),
            reader.search(replace(asked, masked=frozenset(list(PATHS)[::2]))),
            reader.held(("twin", "file", "name"), list(PATHS)[1:]),
        ]

    looked_up = answers()
    monkeypatch.setattr(lexical_query, "FEW", 0)
    assert answers() == looked_up
    assert all(looked_up)


def test_terms_that_nothing_holds_change_no_score(reader: LexicalReader) -> None:
    plain = reader.search(request_for(analyse("twin text"), 50))
    assert reader.search(request_for(analyse("twin nowhere text neither"), 50)) == plain
    assert reader.search(request_for(analyse("nowhere neither"), 50)) == []


def test_what_is_remembered_of_words_is_bounded(reader: LexicalReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that nobody restarts is asked for any number of words."""
    monkeypatch.setattr(lexical_terms, "KEPT_TERMS", 10)
    for number in range(100):
        assert reader.frequency("body", f"nowhere{number}") == 0
        reader.rarity(f"nowhere{number}")
        assert reader.frequency("body", "twin") == 2
        assert max(len(reader.lexicon._frequencies), len(reader.lexicon._rarities)) <= 10


def test_the_words_of_the_index_are_counted(reader: LexicalReader) -> None:
    assert reader.frequency("body", "twin") == 2
    assert reader.frequency("body", "nowhere") == 0
    assert reader.vocabulary("tw") == [("twin", 2)]
    assert reader.chunks == len(TEXTS)


def test_the_head_entry_is_never_found(reader: LexicalReader) -> None:
    assert SENTINEL not in index_text(SENTINEL + " ¤x")
    assert reader.head == Head(Generation(1), "first")


def test_an_index_of_nothing_answers(tmp_path: Path) -> None:
    """QU04: no documents, or only empty ones, are an empty answer."""
    engine = Engine(str(tmp_path), create=True)
    writer = engine.writer()
    writer.commit(Head(Generation(0), ""), format_of())
    assert find(engine.reader(), "the file") == []
    for document in (DocumentId(1), DocumentId(2)):
        writer.add(row(document), [ChunkFields("block", (), "", "", "")])
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    assert find(engine.reader(), "the") == []
    assert engine.reader().chunks == 2


def test_every_identifier_finds_a_file_that_holds_it(tmp_path: Path) -> None:
    """QU07: over the source of a standard package, every name of several words is held by one of its first ten hits."""
    sources = sorted(Path(email.__file__).parent.rglob("*.py"))
    texts = {DocumentId(number): source.read_text() for number, source in enumerate(sources, start=1)}
    engine = Engine(str(tmp_path), create=True)
    writer = engine.writer()
    for document, text in texts.items():
        writer.add(replace(row(DocumentId(1)), id=document), [ChunkFields("block", (), "", "", index_text(text))])
    writer.commit(Head(Generation(1), "first"), format_of())
    writer.finish()
    reader = engine.reader()
    names = set(
        re.findall(r"[A-Za-z]{3,}(?:[._][A-Za-z]{3,})+|[A-Z]?[a-z]{2,}[A-Z][A-Za-z]{2,}", "\n".join(texts.values()))
    )
    assert len(names) > 300
    lowered = {document: text.lower() for document, text in texts.items()}
    for name in sorted(names):
        found = reader.search(request_for(analyse(name), 10))
        parts = name.lower().split(".")
        holding = {document for document, text in lowered.items() if all(part in text for part in parts)}
        assert holding & {match.document_id for match in found}, name
