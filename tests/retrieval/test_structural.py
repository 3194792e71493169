"""Exact hits are claims that hold: a whole name at token boundaries, in what this snapshot shows and nothing else."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from gazetteer.kb.knowledge import KnowledgeBase
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.paths import Root
from gazetteer.kb.scan import ScanRules
from gazetteer.kb.snapshot import Document
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.lexical_index import LexicalIndex
from gazetteer.retrieval.path_table import PathTable, bears, ends_in
from gazetteer.retrieval.planner import KEYWORDS_AND_STRUCTURE, plan
from gazetteer.retrieval.query import Query
from gazetteer.retrieval.rules import Aliases
from gazetteer.retrieval.structural import FEW, Located, Locating, everything
from hypothesis import given
from hypothesis import strategies as st

FILES = {
    "src/client.py": """
        class Client:
            '''Talks to a server.'''

            def send(self, request):
                return self.transport.handle(request)

            def close(self):
                self.transport.shutdown()


        class AsyncClient(Client):
            async def send(self, request):
                return await self.transport.handle(request)


        def send(request):
            return Client().send(request)
        """,
    "src/transport.py": """
        from base import BaseTransport


        class HTTPTransport(BaseTransport):
            def handle(self, request):
                return request
        """,
    "src/base.py": """
        class BaseTransport:
            def handle(self, request):
                raise NotImplementedError


        MAX_RETRIES = 3
        """,
    "src/redis.c": """
        struct redisObject {
            int refcount;
        };

        int send(int fd) {
            return fd;
        }
        """,
    "lib/client.py": """
        def connect(host):
            return BaseTransport(host)
        """,
    "src/redis.h": "int send_reply(int fd);\nint late(void);\n",
    "src/zlate.c": "int late(void)\n{\n    int a = 1;\n    return a;\n}\n",
    "docs/client.md": "# BaseTransport\n\nHow the client is used, and what client.py holds.\n",
    "Makefile": "all:\n\techo all\n",
    "docs/README.md": "# Guide\n\nThe guide.\n",
}


def tidy(text: str) -> str:
    lines = text.strip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).rstrip(" ") + "\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(tidy(text), encoding="utf-8")
    return root


class Ask:
    """Plans a question and looks it up in one knowledge base."""

    def __init__(self, root: Path, cache: Path) -> None:
        real = Root(str(root))
        self.lexical = LexicalIndex(str(cache / "lexical"))
        self.kb = KnowledgeBase(real, str(cache), ScanRules(), followers=(self.lexical,), processes=1)
        self.kb.refresh()

    def locating(self, admits: object = everything) -> Locating:
        reader = self.lexical.reader()
        assert reader is not None
        snapshot = self.kb.snapshot()
        paths = PathTable(row.path for row in snapshot.documents() if row.overlay is None)
        return Locating(snapshot, reader, paths, admits=admits)  # type: ignore[arg-type]

    def exact(self, text: str, aliases: Aliases = (), admits: object = everything) -> Located:
        made = plan(analyse(text), KEYWORDS_AND_STRUCTURE, Query(text), aliases=aliases)
        return self.locating(admits).exact(made)

    def structural(self, text: str) -> Located:
        return self.locating().structural(plan(analyse(text), KEYWORDS_AND_STRUCTURE, Query(text)))

    def headings(self, located: Located) -> list[tuple[str, str]]:
        snapshot = self.kb.snapshot()
        return [
            (spot.document.path, ".".join(snapshot.derived(spot.document).chunks[spot.ordinal].trail))
            for spot in located.spots
        ]


@pytest.fixture(scope="module")
def ask(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    asking = Ask(tree, tmp_path_factory.mktemp("cache"))
    yield asking
    asking.kb.close()


@pytest.fixture
def buffers(ask: Ask) -> Iterator[Ask]:
    yield ask
    for overlay in ask.kb.overlays:
        ask.kb.close_buffer(overlay.path)


def paths(located: Located) -> list[str]:
    return [spot.document.path for spot in located.spots]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("client.py", ["lib/client.py", "src/client.py"]),
        ("src/client.py", ["src/client.py"]),
        ("./src/client.py", ["src/client.py"]),
        ("SRC/Client.py", ["src/client.py"]),
        ("lient.py", []),
        ("rc/client.py", []),
        ("../src/client.py", []),
        ("src/../src/client.py", []),
        ("/etc/passwd", []),
        ("Makefile", ["Makefile"]),
        ("makefile", ["Makefile"]),
        ("what does src/redis.c hold", ["src/redis.c"]),
    ],
)
def test_a_path_matches_whole_steps(ask: Ask, query: str, expected: list[str]) -> None:
    """R6, SE01: a whole file name or the last steps of a path; nothing is resolved, so nothing leads outside."""
    assert paths(ask.exact(query)) == expected


@pytest.mark.parametrize(
    "query", ["client", "the client py file", "how is the client used", "makefile rules", "readme"]
)
def test_prose_with_the_words_of_a_file_name_is_not_a_path(ask: Ask, query: str) -> None:
    """R6: only what is shaped like a path is one."""
    assert all(not spot.reason.startswith("named") for spot in ask.exact(query).spots)


def test_a_line_of_a_path_selects_the_chunk(ask: Ask) -> None:
    line = tidy(FILES["src/client.py"]).split("\n").index("class AsyncClient(Client):") + 1
    assert ask.headings(ask.exact(f"src/client.py:{line}"))[0][1].startswith("AsyncClient")


def test_an_absolute_path_inside_the_tree_is_the_document(ask: Ask, tree: Path) -> None:
    assert paths(ask.exact(f"{tree.resolve()}/src/client.py")) == ["src/client.py"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("BaseTransport", ["src/base.py"]),
        ("basetransport", ["src/base.py"]),
        ("base_transport", ["src/base.py"]),
        ("MAX_RETRIES", ["src/base.py"]),
        ("Transport", []),
        ("redisObject", ["src/redis.c"]),
        ("where is connect defined", ["lib/client.py"]),
    ],
)
def test_a_name_is_matched_whole(ask: Ask, query: str, expected: list[str]) -> None:
    assert paths(ask.exact(query)) == expected


def test_a_definition_comes_before_a_declaration(ask: Ask) -> None:
    assert paths(ask.exact("late()")) == ["src/zlate.c", "src/redis.h"]


def test_a_heading_of_prose_defines_nothing(buffers: Ask) -> None:
    """R6: a section that is called like a class is found by words, not by name."""
    assert "docs/client.md" not in paths(buffers.exact("BaseTransport"))
    buffers.kb.open_buffer(DocumentPath("docs/new.md"), "# Unheard\n\nOf it.\n")
    assert buffers.exact("`Unheard`").spots == ()


def test_case_is_folded_only_where_nothing_is_spelled_so(ask: Ask) -> None:
    assert set(paths(ask.exact("send"))) == {"src/client.py", "src/redis.c"}
    assert paths(ask.exact("SEND()")) == paths(ask.exact("send"))


@pytest.mark.parametrize(
    ("query", "trails"),
    [
        ("Client.send", {"Client.send", "Client"}),
        ("AsyncClient.send", {"AsyncClient.send", "AsyncClient"}),
        ("AsyncClient::send", {"AsyncClient.send", "AsyncClient"}),
        ("client.Client.send", {"Client.send", "Client"}),
        ("async_client.send", {"AsyncClient.send", "AsyncClient"}),
    ],
)
def test_a_qualified_name_is_the_one_inside_of_its_qualifier(ask: Ask, query: str, trails: set[str]) -> None:
    found = ask.headings(ask.exact(query))
    assert found
    assert {trail for _, trail in found} <= trails


@pytest.mark.parametrize("query", ["Server.send", "os.path.send", "BaseTransport.send", "redis::missing"])
def test_a_qualifier_that_does_not_hold_is_no_exact_hit_and_a_gap(ask: Ask, query: str) -> None:
    """P3: the identifier is named as one that nothing defines."""
    located = ask.exact(query)
    assert located.spots == ()
    assert located.undefined == (query,)


def test_a_file_qualifies_what_stands_free_in_it(ask: Ask) -> None:
    assert paths(ask.exact("client.connect")) == ["lib/client.py"]
    assert paths(ask.exact("lib.client.connect")) == ["lib/client.py"]
    assert paths(ask.exact("client.lib.connect")) == []
    assert paths(ask.exact("self.connect")) == ["lib/client.py"]


def test_a_file_does_not_qualify_what_stands_in_a_class_of_it(ask: Ask) -> None:
    found = ask.headings(ask.exact("client.send"))
    assert len(found) == 1
    assert "Client" not in found[0][1]


def test_a_dotted_name_may_be_defined_as_a_whole(buffers: Ask) -> None:
    """Where it stands in many files it is a namespace, and no place."""
    for at in range(FEW + 1):
        text = f"namespace Shop.Store;\n\npublic class Shelf{at} {{\n    public int Size;\n}}\n"
        buffers.kb.open_buffer(DocumentPath(f"store/shelf{at}.cs"), text)
        assert len(buffers.exact("Shop.Store").spots) == (at + 1 if at < FEW else 0)
    buffers.kb.open_buffer(DocumentPath("lib/door.ex"), "defmodule Shop.Door do\n  def open, do: 1\nend\n")
    assert paths(buffers.exact("module Shop.Door")) == ["lib/door.ex"]


def test_a_dotted_name_may_be_the_path_of_a_file(buffers: Ask) -> None:
    """As languages name their modules; only where nothing is defined so, and whole steps alone."""
    assert paths(buffers.exact("types of src.client")) == ["src/client.py"]
    assert paths(buffers.exact("src::client")) == ["src/client.py"]
    assert buffers.exact("rc.client").spots == ()
    assert paths(buffers.exact("client.Client")) == ["src/client.py"]
    buffers.kb.open_buffer(DocumentPath("shop/ui/menu/__init__.py"), "SIZE = 3\n")
    assert paths(buffers.exact("ui.menu")) == ["shop/ui/menu/__init__.py"]


def test_gaps_are_identifiers_alone(ask: Ask) -> None:
    assert ask.exact("how does fooBarBaz handle BaseTransport").undefined == ("fooBarBaz",)
    assert ask.exact("memory").undefined == ()


def test_aliases_match_whole_words(ask: Ask) -> None:
    aliases = (("docs", ("the guide", "handbook")), ("src/redis.c", ("object store",)))
    assert paths(ask.exact("what is in the Handbook", aliases)) == ["docs/README.md"]
    assert paths(ask.exact("Object Store internals", aliases)) == ["src/redis.c"]
    assert paths(ask.exact("handbooks of object storage", aliases)) == []


def test_only_documents_that_are_admitted_answer(ask: Ask) -> None:
    def python(document: Document) -> bool:
        return document.language == "python"

    assert set(paths(ask.exact("send", admits=python))) == {"src/client.py"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("struct redisObject", ["src/redis.c"]),
        ("class Client", ["src/client.py"]),
        ("class send", []),
        ("function send", ["src/client.py", "src/redis.c"]),
        ("subclasses of BaseTransport", ["src/transport.py"]),
        ("classes extending Client", ["src/client.py"]),
        ("what implements basetransport", ["src/transport.py"]),
        ("methods of HTTPTransport", ["src/transport.py"]),
        ("methods of Nowhere", []),
    ],
)
def test_kinds_and_relations(ask: Ask, query: str, expected: list[str]) -> None:
    assert sorted(set(paths(ask.structural(query)))) == expected


def test_members_are_those_of_the_name_alone(ask: Ask) -> None:
    snapshot = ask.kb.snapshot()
    document = snapshot.document(DocumentPath("src/client.py"))
    assert document is not None
    text, chunks = snapshot.text(document), snapshot.derived(document).chunks
    shown = "".join(
        text[chunks[spot.ordinal].start : chunks[spot.ordinal].end]
        for spot in ask.structural("methods of AsyncClient").spots
    )
    assert "async def send" in shown
    assert "def close" not in shown


def test_an_open_buffer_owns_its_document(buffers: Ask) -> None:
    """Invariant 5: what the buffer does not define is not there, what it defines is, saved or not."""
    path = DocumentPath("src/base.py")
    buffers.kb.open_buffer(path, "class Renamed(Client):\n    def other(self):\n        pass\n")
    assert buffers.exact("BaseTransport").spots == ()
    assert buffers.exact("BaseTransport").undefined == ("BaseTransport",)
    assert paths(buffers.exact("Renamed")) == ["src/base.py"]
    assert "src/base.py" in paths(buffers.structural("subclasses of Client"))
    assert paths(buffers.exact("base.py")) == ["src/base.py"]
    buffers.kb.close_buffer(path)
    assert paths(buffers.exact("BaseTransport")) == ["src/base.py"]


def test_a_buffer_that_was_never_saved_is_found_by_its_path(buffers: Ask) -> None:
    buffers.kb.open_buffer(DocumentPath("new/thing.py"), "def fresh():\n    pass\n")
    assert paths(buffers.exact("thing.py")) == ["new/thing.py"]
    assert paths(buffers.exact("new/thing.py:2")) == ["new/thing.py"]
    assert paths(buffers.exact("fresh")) == ["new/thing.py"]


def test_answers_have_one_order_and_a_bound(ask: Ask) -> None:
    """Invariant 9: path, then line, whatever the index's own order."""
    spots = ask.exact("send").spots
    places = [(spot.document.path, spot.ordinal) for spot in spots]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    assert ask.exact("send") == ask.exact("send")


STEPS = st.lists(st.sampled_from(["a", "b", "A", "a.py", "é", "e\u0301", "n\nl", "\udcf5"]), min_size=1, max_size=4)


@given(st.lists(STEPS.map("/".join), max_size=12, unique=True), STEPS.map("/".join))
def test_the_path_table_says_what_every_path_says_for_itself(known: Sequence[str], suffix: str) -> None:
    """PE08: names of any characters; the oracle compares lists of steps."""
    table = PathTable(map(DocumentPath, known))
    wanted = suffix.split("/")
    expected = [path for path in sorted(known) if path.split("/")[-len(wanted) :] == wanted]
    assert sorted(table.ending(suffix)) == expected
    assert set(table.ending(suffix)) <= set(table.ending(suffix, folded=True))
    for path in known:
        assert ends_in(DocumentPath(path), suffix) == (path in expected)
        assert ends_in(DocumentPath(path), suffix, folded=True) == (path in table.ending(suffix, folded=True))
    bearing = [p for p in sorted(known) if p.endswith(".py") and p[:-3].split("/")[-len(wanted) :] == wanted]
    assert sorted(table.bearing(suffix)) == bearing
    assert [path for path in sorted(known) if bears(DocumentPath(path), suffix)] == bearing
    if suffix in known:
        assert table.ending(suffix)[0] == suffix
    assert sorted(table.below(wanted[0])) == [path for path in sorted(known) if path.startswith(wanted[0] + "/")]
