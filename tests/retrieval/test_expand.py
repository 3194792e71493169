"""Expanding a locator shows what is there now, and says truly how it stands to what was indexed."""

import os
from functools import partial
from pathlib import Path

import pytest
from gazetteer.kb.derive import derive_text
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.model import DocumentPath
from gazetteer.kb.overlay import NOTHING_OPEN, OverlayMap
from gazetteer.kb.paths import Root
from gazetteer.kb.source import Refusal, current
from gazetteer.kb.text import content_id
from gazetteer.retrieval.evidence import Origin
from gazetteer.retrieval.expand import MAX_TEXT, Stored, expand
from gazetteer.retrieval.locator import make, parse
from gazetteer.retrieval.query import MAX_AROUND, Expansion
from hypothesis import given
from hypothesis import strategies as st

PATH = DocumentPath("src/a.py")
TEXT = """import os


def first(a):
    b = a
    c = b
    return c


def second(a):
    b = a * 2
    c = b * 2
    return c
"""
SECOND = (10, 13)


class Tree:
    """A folder with one document that was indexed as ``TEXT``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = Root(str(folder))
        self.overlays: OverlayMap = NOTHING_OPEN
        self.write(TEXT)

    def write(self, text: str, path: str = PATH) -> None:
        (self.folder / path).parent.mkdir(exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def expand(
        self,
        lines: tuple[int, int] = SECOND,
        *,
        before: int = 0,
        after: int = 0,
        indexed: str | None = TEXT,
        renamed: str | None = None,
    ) -> Expansion:
        stored = None if indexed is None else Stored(indexed, derive_text(PATH, indexed)[1])
        locator = make(self.root.key, PATH, *lines, content_id(indexed or TEXT))
        return expand(
            parse(locator),
            Origin("tree", self.root, 1, str(self.folder)),
            partial(current, self.root.real, overlays=self.overlays),
            derive_text,
            stored=stored,
            renamed=None if renamed is None else DocumentPath(renamed),
            before=before,
            after=after,
        )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def lines(text: str, first: int, last: int) -> str:
    return "\n".join(text.split("\n")[first - 1 : last])


def test_an_unchanged_document_is_the_same(tree: Tree) -> None:
    one = tree.expand()
    assert (one.state, one.lines, one.freshness) == ("same", SECOND, "verified")
    assert one.text == lines(TEXT, *SECOND)
    assert one.citation == "src/a.py § second (Line 10)"
    assert one.range.start.line == 9


def test_lines_around_it_are_shown_as_asked(tree: Tree) -> None:
    one = tree.expand(before=2, after=100)
    assert one.lines == SECOND
    assert one.text_lines == (8, 14)
    assert one.text == lines(TEXT, 8, 14)


@pytest.mark.parametrize("indexed", [TEXT, None])
def test_a_document_that_grew_above_moved_the_passage(tree: Tree, indexed: str | None) -> None:
    tree.write("# new\n# lines\n" + TEXT)
    one = tree.expand(indexed=indexed)
    if indexed is None:
        assert one.state == "changed"
        assert "no longer kept" in one.reason
        assert one.lines == SECOND
    else:
        assert (one.state, one.lines) == ("moved", (12, 15))
        assert one.text == lines(TEXT, *SECOND)
        assert parse(one.locator).first_line == 12
        assert tree_again(tree, one).state == "same"


def tree_again(tree: Tree, one: Expansion) -> Expansion:
    return expand(
        parse(one.locator),
        Origin("tree", tree.root, 1, str(tree.folder)),
        partial(current, tree.root.real, overlays=tree.overlays),
        derive_text,
    )


def test_a_change_elsewhere_leaves_it_the_same(tree: Tree) -> None:
    tree.write(TEXT.replace("c = b\n", "c = a\n"))
    one = tree.expand()
    assert (one.state, one.lines) == ("same", SECOND)
    assert "elsewhere" in one.reason


def test_an_edited_definition_is_found_by_its_heading(tree: Tree) -> None:
    tree.write(TEXT.replace("import os\n", "import os\nimport sys\n").replace("b * 2", "b * 3"))
    one = tree.expand()
    assert (one.state, one.lines) == ("changed", (11, 14))
    assert "b * 3" in one.text
    assert one.heading == "second"


def test_of_several_pieces_under_one_heading_the_same_one_is_shown(tree: Tree) -> None:
    block = "def same(a):\n    one = a\n    two = a\n    return one\n\n\n"
    text = block.replace("one", "first") + block.replace("one", "second") + block.replace("one", "third")
    tree.write(text.replace("two", "new"))
    one = tree.expand((7, 10), indexed=text)
    assert (one.state, one.lines) == ("changed", (7, 10))
    assert "second = a" in one.text


def test_a_definition_that_is_no_more_is_gone(tree: Tree) -> None:
    tree.write(TEXT[: TEXT.index("def second")])
    one = tree.expand()
    assert (one.state, one.text) == ("gone", "")
    assert "neither" in one.reason


def test_a_document_that_is_no_more_is_gone(tree: Tree) -> None:
    os.remove(tree.folder / PATH)
    one = tree.expand()
    assert (one.state, one.text, one.reason) == ("gone", "", "the document cannot be read: vanished")


def test_a_document_that_was_renamed_is_followed(tree: Tree) -> None:
    os.rename(tree.folder / PATH, tree.folder / "src" / "b.py")
    one = tree.expand(renamed="src/b.py")
    assert (one.state, one.relpath, one.lines) == ("moved", "src/b.py", SECOND)
    assert one.text == lines(TEXT, *SECOND)


def test_an_open_buffer_rules_over_the_disk(tree: Tree) -> None:
    """Invariant 2."""
    tree.overlays = NOTHING_OPEN.open(PATH, "\n" + TEXT, 1)
    one = tree.expand()
    assert (one.state, one.lines, one.freshness) == ("moved", (11, 14), "overlay")


def test_of_several_equal_passages_the_nearest_is_meant(tree: Tree) -> None:
    block = "def same():\n    one = 1\n    two = 2\n    return one\n"
    text = "\n".join([block] * 5)
    tree.write("# one more line\n" + text)
    one = tree.expand((16, 19), indexed=text)
    assert (one.state, one.lines) == ("moved", (17, 20))


def test_a_brace_alone_is_not_followed_anywhere(tree: Tree) -> None:
    """A passage that is everywhere says nothing of where it went."""
    text = "x\n}\n" * 3
    tree.write("}\n" * 20)
    assert tree.expand((6, 6), indexed=text).state == "changed"


@pytest.mark.parametrize("target", ["/etc/hostname", "../../outside.txt"])
def test_a_link_that_leads_out_of_the_root_is_not_read(tree: Tree, target: str) -> None:
    """SE02: planted after the locator was made."""
    (tree.folder.parent / "outside.txt").write_text("secret outside\n" * 20)
    os.remove(tree.folder / PATH)
    os.symlink(target, tree.folder / PATH)
    one = tree.expand()
    assert (one.state, one.text) == ("gone", "")
    assert "outside root" in one.reason


@pytest.mark.parametrize("name", ["before", "after"])
@pytest.mark.parametrize("amount", [-1, MAX_AROUND + 1])
def test_lines_around_are_bounded(tree: Tree, name: str, amount: int) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        tree.expand(**{name: amount})  # type: ignore[arg-type]
    assert caught.value.data["argument"] == name


def test_a_locator_of_another_corpus_is_refused(tree: Tree) -> None:
    locator = parse(make("0" * 16, PATH, 1, 1, content_id(TEXT)))
    with pytest.raises(InvalidArgumentError):
        expand(locator, Origin("tree", tree.root, 1, ""), lambda path: Refusal(path, None), derive_text)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [100, 100_000])
def test_text_is_bounded_and_says_so(tree: Tree, count: int) -> None:
    text = "y = 1 # " + "long words " * (count // 11) + "\nz = 2\n"
    tree.write(text)
    one = tree.expand((2, 2), indexed=text, before=1)
    assert len(one.text) <= MAX_TEXT
    assert one.truncated == (count == 100_000)
    assert "z = 2" in one.text
    assert one.text == one.text.strip("\n")


BLOCKS = st.lists(st.sampled_from(["alpha = 1", "beta = 2", "", "gamma = 3", "😀 = 4"]), max_size=12)


@given(BLOCKS, BLOCKS, BLOCKS)
def test_a_passage_is_found_wherever_it_went(above: list[str], below: list[str], now: list[str]) -> None:
    """The oracle compares lists of lines."""
    passage = ["def unique_name():", "    return 'only here'"]
    old, new = [*above, *passage, *below], [*now, *passage, *above]
    root = Root("/nowhere")
    path = DocumentPath("a.txt")
    overlays = NOTHING_OPEN.open(path, "\n".join(new), 1)
    first = len(above) + 1
    one = expand(
        parse(make(root.key, path, first, first + 1, content_id("\n".join(old)))),
        Origin("x", root, 1, "/nowhere"),
        partial(current, root.real, overlays=overlays),
        derive_text,
        stored=Stored("\n".join(old), derive_text(path, "\n".join(old))[1]),
    )
    assert one.text == "\n".join(passage)
    assert one.lines == (len(now) + 1, len(now) + 2)
    assert one.state == ("same" if len(now) == len(above) else "moved")
