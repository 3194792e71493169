"""Which passages of a ranking over several corpora are shown."""

from gazetteer.kb.model import ChunkNote, ContentId, DocumentPath, Kind
from gazetteer.retrieval.candidates import Gathered
from gazetteer.retrieval.coverage import Coverage
from gazetteer.retrieval.features import Candidate
from gazetteer.retrieval.fed_rows import PASSAGES, ordered
from gazetteer.retrieval.fuse import ChunkKey
from gazetteer.retrieval.inquiry import Found
from gazetteer.retrieval.passages import LONGEST
from gazetteer.retrieval.rank import Ranked
from gazetteer.retrieval.search import Finding

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
