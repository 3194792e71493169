"""Which passages of a ranking over several corpora are shown."""

from gazetteer.kb.model import ChunkNote, ContentId, DocumentPath, Kind
from gazetteer.retrieval.candidates import Gathered
from gazetteer.retrieval.coverage import Coverage
from gazetteer.retrieval.features import Candidate
from gazetteer.retrieval.fed_rows import PASSAGES, one_row_a_text, ordered
from gazetteer.retrieval.fuse import ChunkKey, collapse
from gazetteer.retrieval.inquiry import Found
from gazetteer.retrieval.passages import LONGEST
from gazetteer.retrieval.rank import Ranked
from gazetteer.retrieval.search import Finding
from hypothesis import given
from hypothesis import strategies as st

DECK = DocumentPath("deck.py")


def key(ordinal: int) -> ChunkKey:
    return ChunkKey("boat", DECK, ordinal)


def functions(*names: str) -> tuple[ChunkNote, ...]:
    """Functions of one document, each as long as a passage may be."""
    return tuple(
        ChunkNote(Kind.FUNCTION, name, (name,), (name,), 100 * at + 1, 100 * at + 99, LONGEST)
        for at, name in enumerate(names)
    )


def test_of_chunks_that_say_as_much_those_are_shown_that_are_called_so() -> None:
    """R7: definitions over mentions, within a document too."""
    outline = functions("moor", *("haul", "hoist", "furl")[:PASSAGES], "belay_cleat")
    found = [Candidate(key(at), note, "python", "code", passage=1.0) for at, note in enumerate(outline)]
    finding = Finding(Gathered(tuple(found), {DECK: outline}, {}, ()), {}, (), lambda _: ())
    said = Coverage({"cleat": 2.0, "belay": 1.0}, {"boat": {DECK: dict.fromkeys(range(len(outline)), 0b11)}})
    ranked = [Ranked(key(at), 1.0 - at / 10, {}) for at in range(len(outline))]
    order = ordered(ranked, {"boat": Found(finding, {DECK: ContentId("c")})}, said, 12, ["boat"])
    assert [row.row.key.ordinal for row in order.rows] == [0, 1, len(outline) - 1]


@given(st.data())
def test_rows_are_those_of_the_plain_way(data: st.DataObject) -> None:
    """Oracle: `fuse.collapse` over the keys, each behind the first of the best known document of its text."""
    names = ["boat", "crane", "dock"]
    documents = [(name, DocumentPath(f"{at}.py")) for name in names for at in range(3)]
    contents = {one: ContentId(data.draw(st.sampled_from("xyzuvw"))) for one in documents}
    all_keys = [ChunkKey(*one, at) for one in documents for at in range(3)]
    keys = data.draw(st.lists(st.sampled_from(all_keys), unique=True))
    gathered = Finding(Gathered((), {}, {}, ()), {}, (), lambda _: ())
    found = {
        name: Found(gathered, {path: contents[name, path] for corpus, path in documents if corpus == name})
        for name in names
    }
    lead: dict[ContentId, ChunkKey] = {}
    for name in names:
        for one in keys:
            if one.corpus == name:
                lead.setdefault(contents[one[:2]], one)
    plain = collapse(
        [either for one in keys for either in (lead[contents[one[:2]]], one)],
        document=lambda one: one[:2],
        content=lambda one: contents[one[:2]],
    )
    assert one_row_a_text(keys, found, names) == plain
