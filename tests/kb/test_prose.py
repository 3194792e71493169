"""Headings of Markdown, reStructuredText and HTML are those that their own tools see, and sections nest."""

from functools import partial
from html.parser import HTMLParser

import pytest
from gazetteer.kb.extract import derive, hypertext, markdown, prose, restructured
from gazetteer.kb.extract.headings import Heading, section_ends
from gazetteer.kb.model import Kind
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from .effort import grows_with_its_length


def lines_and_levels(text: str, headings: list[Heading]) -> list[tuple[int, int]]:
    return [(text.count("\n", 0, heading.start) + 1, heading.level) for heading in headings]


def titles(text: str, flavour: str = "rst") -> list[str]:
    """Names of the sections, indented by their depth."""
    depths: list[int] = []
    rows = []
    for symbol in prose.outline(text, flavour).symbols:
        depths.append(depths[symbol.container] + 1 if symbol.container >= 0 else 0)
        rows.append("  " * depths[-1] + symbol.name)
    return rows


ANYWHERE = ["text", "more text", "===", "---", "", "", "> q", "```", "~~~", "```js", "<div>", "</div>", "<!-- c", "-->"]
ANYWHERE += [
    "| a | b |",
    "***",
    "#nospace",
    "  text",
    "#",
    "# a",
    "## b ##",
    "### c # d",
    "<pre>",
    "###### f",
    "#######",
]
WITHOUT_LISTS = [*ANYWHERE, "   ## c", "    # code", "\t# code"]
WITH_LISTS = [line for line in [*ANYWHERE, "- item", "* item", "1. item"] if line not in ("<!-- c", "<pre>", "<div>")]


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.lists(st.sampled_from(WITHOUT_LISTS), max_size=9), st.lists(st.sampled_from(WITH_LISTS), max_size=9))
)
@example(["- item", "more text", "==="])
@example(["    # code", "#nospace", "---"])
def test_markdown_headings_are_those_of_commonmark(lines: list[str]) -> None:
    text = "\n".join(lines)
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0] + 1, int(token.tag[1:]))
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    if not text.startswith(("---\n", "+++\n")):  # front matter, which CommonMark does not know
        assert lines_and_levels(text, list(markdown.headings(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: x\n# no\n---\n# A\n", ["A"]),
        ("---\n\n# A\n\n---\n", ["A"]),  # a rule, not front matter
        ("# A\n\n1. x\n\n   ```\n   # no\n   ```\n\n## B\n", ["A", "  B"]),
        ("# A\n\n1. x\n\n    ```\n    never closed\n\n## B\n", ["A", "  B"]),
        ("- a\n\n  # in the item\n\n# B\n", ["B"]),
        ("<details>\n<summary># no</summary>\n\n# A\n", ["A"]),
        ("<h1 align='center'>My <b>tool</b></h1>\n\n## Use\n", ["My tool", "  Use"]),
        ("# A\n\n### Skipped a level\n\n## B\n", ["A", "  Skipped a level", "  B"]),
        ("## Deep first\n\n# A\n", ["Deep first", "A"]),
        ("#\n\ntext\n", []),
    ],
)
def test_markdown_sections(text: str, expected: list[str]) -> None:
    assert titles(text, "markdown") == expected


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The `Cart` class", "The Cart class"),
        ("[1.2.0](https://x.org/a_(b)) (2020)", "1.2.0 (2020)"),
        ("[1.2.0] - 2020", "1.2.0 - 2020"),
        ("**Bold** and *soft* snake_case_name", "Bold and soft snake_case_name"),
        ("Closed {#anchor .class}", "Closed"),
        ("array[int]", "array[int]"),
        ('<a name="x"></a>Linked ##', "Linked"),
        ("C# #", "C#"),
        (r"\*literal\*", "*literal*"),
        ("x" * 300, "x" * 200),
    ],
)
def test_titles_lose_their_markup(title: str, name: str) -> None:
    (symbol,) = prose.outline(f"# {title}\n", "markdown").symbols
    assert symbol.name == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\n=\n\nB\n-\n\nC\n=\n", ["A", "  B", "C"]),
        ("==\nA\n==\n\nB\n==\n\nC\n--\n\n==\nD\n==\n", ["A", "  B", "    C", "D"]),
        ("=====\n  A\n=====\ntext\n", ["A"]),
        ("Title\n===\n", []),  # too short to be meant
        ("Longer title\n======\n", ["Longer title"]),  # short, and plainly meant
        ("\u65e5\u672c\n====\n", ["\u65e5\u672c"]),  # wide characters take two columns
        ("\u65e5\u672c\n===\n", []),
        ("text\nsecond line\n===========\n", []),  # inside a paragraph
        (".. _a:\n\nA\n=\n", ["A"]),
        (".. note:: x\nTitle\n=====\n", ["Title"]),
        ("A\n=\nB\n-\n", ["A", "  B"]),  # no blank line between
        ("text\n\n----\n\ntext\n", []),  # a transition
        ("::\n\n    A\n    =\n\nB\n=\n", ["B"]),
        ("* item\n======\n", []),
        ("1. First\n========\n", ["1. First"]),
        ("===  ===\na    b\n===  ===\n", []),  # a table
        (":ref:`Cart <cart>` and ``go()``\n===============================\n", ["Cart and go()"]),
        (".. class:: Cart(a)\n\n   Text.\n\n   .. method:: add(x)\n\n      Text.\n\nA\n=\n", ["Cart", "  add", "A"]),
        (".. c:function:: int *list_add(list *l)\n\n   Text.\n", ["list_add"]),
        (".. method:: bare()\n\nA\n=\n", ["A"]),  # described elsewhere
    ],
)
def test_titles_of_restructured_text(text: str, expected: list[str]) -> None:
    """Each case is how docutils reads it."""
    assert titles(text) == expected


class _HtmlHeadings(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.found.append((self.getpos()[0], int(tag[1])))


HTML = [
    "<h1>",
    "<h2 class='x'>",
    "</h2>",
    "text",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<hr>",
    "<b>",
    "\n",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(HTML), max_size=12))
def test_html_headings_are_those_of_a_parser(pieces: list[str]) -> None:
    text = "\n".join(pieces) + "\n--></script></style>"
    parser = _HtmlHeadings()
    parser.feed(text)
    assert lines_and_levels(text, list(hypertext.headings(text))) == parser.found


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 5), max_size=30))
def test_a_section_ends_where_the_next_of_its_level_or_above_begins(levels: list[int]) -> None:
    found = [Heading(level, 10 * place, 10 * place, 10 * place, 10 * place) for place, level in enumerate(levels)]
    length = 10 * len(levels)
    expected = [
        next((10 * later for later in range(place + 1, len(levels)) if levels[later] <= level), length)
        for place, level in enumerate(levels)
    ]
    assert section_ends(found, length) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="#=-~`<>h1!/ \n\tab.:*[]()_\u65e5", max_size=200), st.sampled_from(sorted(prose.FLAVOURS)))
def test_sections_hold_together_in_any_text(text: str, flavour: str) -> None:
    found = prose.outline(text, flavour)
    for index, symbol in enumerate(found.symbols):
        assert symbol.name
        assert 0 <= symbol.start <= symbol.name_start < symbol.end <= len(text)
        assert symbol.first_line == text.count("\n", 0, symbol.start) + 1
        assert symbol.last_line == text.count("\n", 0, symbol.end - 1) + 1
        if symbol.container >= 0:
            around = found.symbols[symbol.container]
            assert symbol.container < index
            assert around.start <= symbol.start
            assert symbol.end <= around.end
    assert all(-1 <= use.scope < len(found.symbols) for use in found.references)
    chunks = derive(text, flavour).chunks
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text


def test_names_of_code_are_uses_in_the_section_that_speaks_of_them() -> None:
    found = prose.outline("# A\n\nCall `Cart.add()` or `x y`, ``no`` and `std::sort`.\n\n## B\n\n`Cart`\n", "markdown")
    assert [(use.name, use.line, use.scope) for use in found.references] == [
        ("add", 3, 0),
        ("sort", 3, 0),
        ("Cart", 7, 1),
    ]


@pytest.mark.parametrize(
    ("flavour", "text"),
    [
        ("markdown", "    ```x\n" * 40_000),
        ("markdown", "".join(f"    {'`' * size}x\n" for size in range(300, 3, -1))),
        ("markdown", "# a" + " " * 400_000 + "b\n"),
        ("markdown", "- a\n" + "===\n" * 40_000),
        ("markdown", "<!-- \n" * 40_000),
        ("markdown", "`a" * 200_000),
        ("rst", "".join(" " * (line % 300) + ".. class:: a\n" for line in range(3_000))),
        ("rst", "``<" * 100_000),
        ("html", "<h1>a<b" * 60_000),
        ("html", "<link " * 60_000),
    ],
)
def test_hostile_text_is_read_in_linear_time(flavour: str, text: str) -> None:
    """SC06: each of these would take minutes if what never closes were looked for at every opening."""
    assert len(prose.outline(text, flavour).symbols) <= prose.MAX_SECTIONS


def test_every_flavour_of_the_table_has_its_scanner() -> None:
    assert {kind.headings for kind in prose.FLAVOURS.values()} == {
        markdown.headings,
        restructured.headings,
        hypertext.headings,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. glossary::\n\n   a\n      Is.\n\n   b c\n      Is too.\n\nafter\n", ["a", "b c"]),
        (".. glossary::\n   :sorted:\n\n   :term:`A_B`\n      Is.\n", ["A_B"]),
        (".. glossary::\n\n   one\n   other\n      Are.\n", ["one"]),  # two terms of one meaning
        (".. glossary::\n\n   a\n      Is::\n\n         x\n           y\n\n      more\n", ["a"]),
        (".. glossary::\n\n   .. comment\n\n   a\n      Is.\n", ["a"]),
        (".. glossary::\n\n   a\n", []),  # means nothing
        (".. glossary::\n", []),
        ("T\n=\n\n.. glossary::\n\n   a\n      Is.\n\nU\n=\n", ["T", "  a", "U"]),
    ],
)
def test_every_term_of_a_glossary_is_a_section(text: str, expected: list[str]) -> None:
    assert titles(text) == expected


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("option:: -f FILE, --file FILE", "--file"),
        ("option:: -v", "-v"),
        ("option:: -?", "-?"),
        ("option:: -", "-"),
        ("c:function:: int *take(void *a)", "take"),
        ("py:method:: Cart.add(item)", "Cart.add"),
        ("envvar:: BB_NUMBER", "BB_NUMBER"),
    ],
)
def test_what_is_described_is_declared_and_stays_a_section_to_read(signature: str, name: str) -> None:
    derived = derive(f".. {signature}\n\n   Words.\n", "rst")
    assert [(symbol.name, symbol.declaration) for symbol in derived.symbols] == [(name, True)]
    assert [(chunk.name, chunk.kind) for chunk in derived.chunks] == [(name, Kind.SECTION)]


def test_labels_directly_above_a_title_belong_to_its_section() -> None:
    text = "A\n=\ntext\n\n.. _b:\n.. _c:\n\nB\n=\n\n.. _far:\n\ntext\n"
    assert [(symbol.name, symbol.first_line) for symbol in prose.outline(text, "rst").symbols] == [("A", 1), ("B", 5)]


PIECES = [
    ".. glossary::\n",
    "   a\n",
    "      b\n",
    ".. _a:\n",
    "A\n=\n",
    ".. option:: -",
    "   :a:\n",
    ".. option:: --a\n\n   b\n",
    ".. _aa:\n.. _bb:\n\nab\n==\n\n",
]


@pytest.mark.parametrize("lead", ["", ".. glossary::\n\n   a\n", "T\n=\n", ".. option:: "])
def test_hostile_restructured_text_is_read_in_linear_time(lead: str) -> None:
    """SC06: twice the text is not four times the work, and none of it is lost."""
    for piece in PIECES:
        assert grows_with_its_length(partial(derive, language="rst"), lead, piece), piece
        text = lead + piece * (2_000 // len(piece))
        assert sum(chunk.end - chunk.start for chunk in derive(text, "rst").chunks) == len(text)
