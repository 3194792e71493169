"""Everything a hit says about its place is one place, in every unit, for any text and any name."""

import hashlib
import json
import os

import msgspec
import pytest
from gazetteer.kb.derive import derive_text
from gazetteer.kb.languages import recipe
from gazetteer.kb.model import ContentId, Derived, DiskHash, DocumentId, DocumentPath, Generation
from gazetteer.kb.overlay import NOTHING_OPEN
from gazetteer.kb.paths import Root
from gazetteer.kb.snapshot import Document
from gazetteer.kb.store.rows import FOREVER, DocumentRow
from gazetteer.kb.text import Units
from gazetteer.retrieval.evidence import MAX_ALSO, MAX_TEXT, Found, Origin, build_hit, is_named
from gazetteer.retrieval.locator import parse
from gazetteer.retrieval.query import Hit, Range, Score, Signal, to_wire
from gazetteer.retrieval.terms import terms
from hypothesis import given
from hypothesis import strategies as st

ROOT = Root("/tree/of/sources")
ORIGIN = Origin("sources", ROOT, 41, "/tree/of/sources")
SCORE = Score(0.03, "rrf")
SIGNALS = (
    Signal("exact", Score(1.0, "rank", "lower"), 1, "defines schedule"),
    Signal("lexical", Score(11.2, "bm25"), 3),
)
TEXT = """import os


# Picks the next task.
# Never blocks.
def schedule(queue):
    for task in queue:
        run(task)


class Loop:
    def spin(self):
        schedule(self.queue)
"""


def document(path: str, text: str, language: str = "python") -> Document:
    content = ContentId(hashlib.sha256(text.encode()).hexdigest())
    row = DocumentRow(
        id=DocumentId(1),
        path=DocumentPath(path),
        content_id=content,
        disk_hash=DiskHash("d" * 64),
        language=language,
        source_type="code",
        recipe=recipe(language),
        partial="",
        problems=0,
        chunks=1,
        symbols=0,
        regressed=False,
        size=len(text),
        changed_at=0.0,
        born=Generation(41),
        died=Generation(FOREVER),
    )
    return Document(row.path, content, language, "code", row.recipe, row=row)


def hit(
    text: str, path: str = "a.py", *, heading: str = "", weights: dict[str, float] | None = None, **more: object
) -> Hit:
    derived = derive_text(DocumentPath(path), text)[1]
    ordinal = next((at for at, chunk in enumerate(derived.chunks) if chunk.name == heading), 0)
    origin = msgspec.structs.replace(ORIGIN, **{k: v for k, v in more.items() if k in ("workspace", "units")})
    rest = {k: v for k, v in more.items() if k in ("same_document", "copies", "freshness")}
    found = Found(document(path, text), ordinal, SIGNALS, SCORE, **rest)  # type: ignore[arg-type]
    return build_hit(origin, found, text, derived, weights or {})


def units(text: str, unit: Units) -> list[str]:
    """Cut a text into the units that a client counts, as the client would."""
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[unit]
    data = text.encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[unit])
    return [data[at : at + width].hex() for at in range(0, len(data), width)]


def sliced(text: str, range_: Range, unit: Units) -> str:
    """A range of a hit, cut out of the text by the rule of the client."""
    lines = text.split("\n")
    start, end = range_.start, range_.end
    parts = []
    for number in range(start.line, end.line + 1):
        line = units(lines[number], unit)
        first = start.character if number == start.line else 0
        last = end.character if number == end.line else len(line)
        assert 0 <= first <= last <= len(line)
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[unit]
        parts.append(bytes.fromhex("".join(line[first:last])).decode(codec))
    return "\n".join(parts)


def test_a_hit_says_all_that_a_reader_needs() -> None:
    """R2, R3, K1."""
    one = hit(TEXT, "src/sched.py", heading="schedule", weights={"schedule": 1.0})
    assert one.label == "src/sched.py § schedule"
    assert one.citation == f"src/sched.py § schedule (Line {one.lines[0]})"
    assert one.uri == "file:///tree/of/sources/src/sched.py"
    assert one.via == ("exact", "lexical")
    assert "def schedule(queue):" in one.snippet.split("\n")
    assert one.text.startswith("# Picks the next task.")
    assert one.text.endswith("run(task)")
    assert one.provenance.disk_hash == "sha256:" + "d" * 64
    assert one.provenance.parser.startswith("tree-sitter 0.")
    assert one.provenance.grammar.startswith("tree-sitter-python ")
    assert one.provenance.generation == 41
    place = parse(one.locator)
    assert (place.corpus_key, place.path, place.first_line, place.last_line) == (ROOT.key, "src/sched.py", *one.lines)
    assert one.provenance.content_id.startswith(place.content)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2), st.data())
def test_a_passage_of_several_chunks_is_cited_where_what_it_names_begins(
    sizes: list[int], blank: int, data: st.DataObject
) -> None:
    """R3: lines, range, text and locator are the passage; the heading stands in the line that the citation gives."""
    lines_of = ["".join(f"    x{at} = look(tree, x{at // 2})\n" for at in range(40 * size)) for size in sizes]
    bodies = [f"def find_{n}(tree):\n{body}" for n, body in enumerate(lines_of)]
    text = ("\n" * blank).join(["import os\n", *bodies])
    derived = derive_text(DocumentPath("a.py"), text)[1]
    first, best, last = sorted(data.draw(st.integers(0, len(derived.chunks) - 1)) for _ in range(3))
    found = Found(document("a.py", text), best, SIGNALS, SCORE, span=(first, last))
    one = build_hit(ORIGIN, found, text, derived, {"look": 1.0})
    lines = text.split("\n")
    cited = int(one.citation.removeprefix(f"{one.label} (Line ").removesuffix(")"))
    assert one.lines[0] <= cited <= one.lines[1]
    if one.snippet:  # there are chunks of empty lines
        assert cited <= one.snippet_lines[0] <= one.snippet_lines[1] <= one.lines[1]
    if one.heading:
        owner = next(line for line in reversed(lines[:cited]) if line.startswith("def"))
        assert owner == f"def {one.heading}(tree):"
        assert derived.chunks[best].part or lines[cited - 1] == owner
    there = one.selection_range
    assert there.start.line == there.end.line == cited - 1
    assert sliced(text, there, "utf-16") == lines[cited - 1], "whoever goes there stands in the cited line"
    assert one.text == sliced(text, one.range, "utf-16")[:MAX_TEXT]
    assert sliced(text, one.range, "utf-16") == "\n".join(lines[one.lines[0] - 1 : one.lines[1]])
    place = parse(one.locator)
    assert (place.first_line, place.last_line) == one.lines


def test_before_the_first_heading_the_label_is_the_path() -> None:
    """R3."""
    one = hit(TEXT, weights={"os": 1.0})
    assert (one.heading, one.label, one.citation) == ("", "a.py", "a.py (Line 1)")


def test_the_wire_has_the_documented_names() -> None:
    wire = to_wire(hit(TEXT, heading="schedule"))
    assert {"relpath", "sourceType", "snippetLines", "locator", "via", "signals", "provenance"} <= set(wire)
    assert wire["signals"][1] == {
        "via": "lexical",
        "score": {"value": 11.2, "kind": "bm25", "direction": "higher"},
        "rank": 3,
        "reason": "",
    }
    assert {"diskHash", "contentId", "generation"} <= set(wire["provenance"])


@pytest.mark.parametrize(
    ("workspace", "path"),
    [
        ("/tree/of/sources", "lib/a.py"),
        ("/tree", "of/sources/lib/a.py"),
        ("/tree/of/sources/lib", "a.py"),
        ("/elsewhere", "/tree/of/sources/lib/a.py"),
        ("/tree/of/sour", "/tree/of/sources/lib/a.py"),
    ],
)
def test_a_path_is_usable_from_the_workspace_root(workspace: str, path: str) -> None:
    """R3: relative inside, absolute outside; identity and uri stay."""
    one = hit(TEXT, "lib/a.py", workspace=workspace)
    assert one.path == path
    assert one.label.startswith(path)
    assert one.relpath == "lib/a.py"
    assert one.uri == "file:///tree/of/sources/lib/a.py"


ALPHABET = st.sampled_from(["a", "é", "😀", "e\u0301", "данные", "\u2028", "\f", " "])
NAMES = st.lists(st.sampled_from(["name", "naïve", "данные", "x𝔘"]), min_size=1, max_size=3).map("_".join)


@given(st.lists(ALPHABET, max_size=5).map("".join), NAMES, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_a_range_cut_by_the_clients_rule_is_the_text(before: str, name: str, unit: Units) -> None:
    """PE04: astral characters before, in and after the name; each unit that a client may have negotiated."""
    body = f'    b = a\n    c = b\n    return "{before}😀"\n'
    text = f's = "{before}"; t = "{before}"\n\n\ndef {name}(a="{before}"):\n{body}'
    derived = derive_text(DocumentPath("a.py"), text)[1]
    for ordinal in range(len(derived.chunks)):
        found = Found(document("a.py", text), ordinal, SIGNALS, SCORE)
        one = build_hit(msgspec.structs.replace(ORIGIN, units=unit), found, text, derived, {})
        assert sliced(text, one.range, unit) == one.text
        assert one.text == one.text.strip("\n")
        assert one.lines == (one.range.start.line + 1, one.range.end.line + 1)
        assert "\n".join(text.split("\n")[one.snippet_lines[0] - 1 : one.snippet_lines[1]]) == one.snippet
    assert any(chunk.name == name for chunk in derived.chunks)


@pytest.mark.parametrize(
    "name", [b"a\xf5.py", b"a\nb.py", b"a\x1b[31m.py", "a\u202eyp.b".encode(), "na ïve#?%.py".encode()]
)
def test_any_file_name_gives_valid_json_and_one_line(name: bytes) -> None:
    """PE08, PE10, SE04: shown inert, exact in uri and locator."""
    path = os.fsdecode(name)
    one = hit(TEXT, path, heading="schedule")
    wire = json.loads(msgspec.json.encode(one))
    for shown in (wire["path"], wire["relpath"], wire["label"], wire["citation"]):
        assert shown.isprintable()
    assert os.fsencode(parse(one.locator).path) == name
    assert ROOT.document_of_uri(one.uri) is None or one.uri.isascii()
    assert one.uri.isascii()
    assert one.uri.isprintable()


def test_markup_in_a_heading_stays_a_heading() -> None:
    """SE04: a label is one printable line, whatever is called so; the text is data, and verbatim."""
    name = "A [link](command:x)\u202e <b>\n\x1b[31m"
    text = "# A\n\n[link](command:x) <b>\n"
    chunk = msgspec.structs.replace(derive_text(DocumentPath("a.md"), text)[1].chunks[0], name=name, trail=(name,))
    one = build_hit(
        ORIGIN, Found(document("a.md", text), 0, SIGNALS, SCORE), text, Derived("markdown", "", 3, (chunk,)), {}
    )
    assert one.heading == one.trail[0] == "A [link](command:x)\\u202e <b>\\n\\x1b[31m"
    assert one.citation.isprintable()
    assert one.text == one.snippet == text.strip()


def test_a_buffer_is_said_to_be_one() -> None:
    overlay = NOTHING_OPEN.open(DocumentPath("a.py"), TEXT, 3).get(DocumentPath("a.py"))
    assert overlay is not None
    buffer = Document(overlay.path, overlay.content_id, "python", "code", recipe("python"), overlay=overlay)
    derived = derive_text(DocumentPath("a.py"), TEXT)[1]
    one = build_hit(ORIGIN, Found(buffer, 0, SIGNALS, SCORE, "overlay"), TEXT, derived, {})
    assert (one.freshness, one.provenance.disk_hash) == ("overlay", "")
    one = build_hit(ORIGIN, Found(buffer, 0, SIGNALS, SCORE, "verified", DiskHash("1f")), TEXT, derived, {})
    assert (one.freshness, one.provenance.disk_hash) == ("verified", "sha256:1f")


def test_further_chunks_and_copies_are_places_of_the_hit() -> None:
    """R7: with their own lines, in the order of the document; bounded, and a copy is always named."""
    text = "\n\n".join(f"def function_{n}():\n    a = {n}\n    b = {n}\n    return a + b\n" for n in range(30))
    one = hit(
        text,
        heading="function_3",
        same_document=tuple(range(29, 4, -1)),
        copies=(DocumentPath("z.py"), DocumentPath("b.py")),
    )
    own = [place for place in one.also if place.reason == "same document"]
    copies = [place for place in one.also if place.reason == "same text"]
    assert len(own) == MAX_ALSO
    assert [place.heading for place in own] == [f"function_{n}" for n in range(24, 30)]
    for place in own:
        lines = text.split("\n")[place.lines[0] - 1 : place.lines[1]]
        assert lines[0].startswith(f"def {place.heading}(")
        assert lines[-1] == "    return a + b"
    assert [(place.path, place.lines) for place in copies] == [("b.py", one.lines)]


def test_the_definition_is_shown_when_the_query_names_it() -> None:
    body = "\n".join(f"    filler_{n} = {n}" for n in range(40))
    text = f"def target_name(a):\n{body}\n    rare = other = rare\n"
    assert (
        "def target_name" in hit(text, heading="target_name", weights={"target": 1.0, "name": 1.0, "rare": 9.0}).snippet
    )
    assert "def target_name" not in hit(text, heading="target_name", weights={"target": 0.1, "rare": 9.0}).snippet


@pytest.mark.parametrize(
    ("name", "weights", "named"),
    [
        ("getUserName", {"get_user_name"}, True),
        ("getUserName", {"get", "user", "name"}, True),
        ("getUserName", {"get", "user"}, False),
        ("send", {"send"}, True),
        ("send", {"pending"}, False),
        ("__", {"a"}, False),
    ],
)
def test_a_name_is_named_whole_or_by_all_its_parts(name: str, weights: set[str], named: bool) -> None:
    assert is_named(name, {term: 1.0 for word in weights for term in terms(word)[:1]}) == named


def test_text_is_bounded() -> None:
    derived = derive_text(DocumentPath("a.txt"), "x" * 50_000)[1]
    one_chunk = Derived("text", "", 1, (msgspec.structs.replace(derived.chunks[0], end=50_000),))
    one = build_hit(
        ORIGIN, Found(document("a.txt", "x" * 50_000, "text"), 0, SIGNALS, SCORE), "x" * 50_000, one_chunk, {}
    )
    assert len(one.text) == 4_000
    assert one.provenance.parser == ""
