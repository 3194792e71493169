"""Which passages of a ranking over several corpora are shown."""

from gazetteer.kb.model import ChunkNote, ContentId, DocumentPath, Kind
from gazetteer.retrieval.candidates import Gathered
from gazetteer.retrieval.coverage import Coverage
from gazetteer.retrieval.features import Candidate
from gazetteer.retrieval.fed_rows import PASSAGES, one_row_a_text, ordered
from gazetteer.retrieval.fuse import ChunkKey, collapse
from gazetteer.retrieval.inquiry import Found
from gazetteer.retrieval.near_copies import NEAR_COPY
from gazetteer.retrieval.passages import LONGEST
from gazetteer.retrieval.rank import RankedDocument, documents
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
    ranked = [RankedDocument(document, 1.0, {}) for document in documents(found)]
    order = ordered(ranked, {"boat": Found(finding, {DECK: ContentId("c")})}, said, 12, ["boat"])
    assert [row.row.key.ordinal for row in order.rows] == [0, 1, len(outline) - 1]


def test_a_name_that_leads_to_several_places_singles_out_none_of_them() -> None:
    """R7: each of twelve boards defines what is asked for, and says little else of the question."""
    paths = [DocumentPath(f"{at}.py") for at in range(13)]
    *boards, other = paths
    outlines = {path: functions("berth" if path in boards else "winch") for path in paths}
    found = tuple(
        Candidate(ChunkKey("boat", path, 0), outlines[path][0], "python", "code", passage=1.0, located=path in boards)
        for path in paths
    )
    held = {path: {0: 0b10 if path in boards else 0b11} for path in paths}
    finding = Finding(Gathered(found, outlines, {}, ()), {}, (), lambda _: ())
    part = Found(finding, {path: ContentId(path) for path in paths})
    said = Coverage({"cleat": 3.0, "belay": 1.0}, {"boat": held})

    def shown(*indexes: int) -> list[DocumentPath]:
        chosen = documents(one for at, one in enumerate(found) if at in indexes)
        ranked = [RankedDocument(one, 1.0 if one.best.located else 0.9, {}) for one in chosen]
        return [one.row.key.path for one in ordered(ranked, {"boat": part}, said, 12, ["boat"]).rows]

    assert shown(*range(13))[0] == other
    assert shown(0, 12)[0] == paths[0]


def test_two_names_that_lead_to_one_place_each_single_out_both() -> None:
    """R7: what counts is how many files define the one name, not how many the question leads to; copies are one."""
    paths = [DocumentPath(f"{at}.py") for at in range(4)]
    outlines = {path: functions(name) for path, name in zip(paths, ("furl", "furl", "reef", "moor"), strict=True)}
    found = tuple(
        Candidate(ChunkKey("boat", path, 0), outlines[path][0], "python", "code", passage=1.0, located=path != paths[3])
        for path in paths
    )
    finding = Finding(Gathered(found, outlines, {}, ()), {}, (), lambda _: ())
    part = Found(finding, {path: ContentId("copy" if path in paths[:2] else path) for path in paths})
    said = Coverage({"cleat": 3.0, "belay": 1.0}, {"boat": {path: {0: 0b10} for path in paths}})
    ranked = [RankedDocument(one, 1.0, {}) for one in documents(found)]
    rows = ordered(ranked, {"boat": part}, said, 12, ["boat"]).rows
    assert [(one.row.key.path, one.score) for one in rows[:2]] == [(paths[0], 1.0), (paths[2], 1.0)]
    assert [one.score < 1.0 for one in rows[2:]] == [True]


def test_near_copies_follow_behind_what_is_asked_for() -> None:
    """R12: and they are counted."""
    paths = [DocumentPath(f"{at}.py") for at in range(4)]
    outlines = dict.fromkeys(paths[:3], functions("furl", "reef", "boom")) | {paths[3]: functions("splice", "whip")}
    found = tuple(
        Candidate(ChunkKey("boat", path, 0), outlines[path][0], "python", "code", passage=1.0) for path in paths
    )
    finding = Finding(Gathered(found, outlines, {}, ()), {}, (), lambda _: ())
    part = Found(finding, {path: ContentId(path) for path in paths})
    said = Coverage({"cleat": 3.0}, {"boat": {path: {0: 1} for path in paths}})
    ranked = [RankedDocument(one, 1.0 - at / 10, {}) for at, one in enumerate(documents(found))]
    order = ordered(ranked, {"boat": part}, said, 2, ["boat"])
    assert [one.row.key.path for one in order.rows[:2]] == [paths[0], paths[3]]
    assert order.suppressed == {NEAR_COPY: 2}


@given(st.data())
def test_rows_are_those_of_the_plain_way(data: st.DataObject) -> None:
    """Oracle: `fuse.collapse` over the keys, each behind the first of the best known document of its text."""
    names = ["boat", "crane", "dock"]
    places = [(name, DocumentPath(f"{at}.py")) for name in names for at in range(3)]
    contents = {one: ContentId(data.draw(st.sampled_from("xyzuvw"))) for one in places}
    all_keys = [ChunkKey(*one, at) for one in places for at in range(3)]
    keys = data.draw(st.lists(st.sampled_from(all_keys), unique=True))
    gathered = Finding(Gathered((), {}, {}, ()), {}, (), lambda _: ())
    found = {
        name: Found(gathered, {path: contents[name, path] for corpus, path in places if corpus == name})
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


@given(st.data())
def test_documents_that_are_left_out_are_not_among_the_first(data: st.DataObject) -> None:
    """Oracle: the rows of all documents. What is made of some of them begins alike, and counts the others."""
    names = ["boat", "crane", "dock"]
    worth = {"cleat": 3.0, "belay": 2.0, "mast": 1.0}
    places = [(name, DocumentPath(f"{at}.py")) for name in names for at in range(6)]
    scores = data.draw(st.lists(st.sampled_from([0.2, 0.5, 0.9, 1.0, 1.4, 2.0]), min_size=18, max_size=18))
    bits = data.draw(st.lists(st.lists(st.integers(0, 7), min_size=2, max_size=2), min_size=18, max_size=18))
    named = data.draw(st.lists(st.booleans(), min_size=18, max_size=18))
    kinds = [functions("moor", "belay_cleat"), functions("furl", "reef", "mast"), functions("furl", "reef", "boom")]
    outlines = {one: data.draw(st.sampled_from(kinds)) for one in places}
    held: dict[str, dict[DocumentPath, dict[int, int]]] = {name: {} for name in names}
    ranked, found = [], {}
    for (corpus, path), said in zip(places, bits, strict=True):
        held[corpus][path] = {at: one for at, one in enumerate(said) if one}
    for name in names:
        own = [at for at, one in enumerate(places) if one[0] == name]
        candidates = tuple(
            Candidate(ChunkKey(*places[at], n), note, "python", "code", passage=1.0, located=named[at])
            for at in own
            for n, note in enumerate(outlines[places[at]])
        )
        gathered = Gathered(candidates, {places[at][1]: outlines[places[at]] for at in own}, {}, ())
        contents = {places[at][1]: ContentId(f"{name}{at}") for at in own}
        found[name] = Found(Finding(gathered, {}, (), lambda _: ()), contents)
        ranked += [RankedDocument(one, scores[at], {}) for at, one in zip(own, documents(candidates), strict=True)]
    ranked.sort(key=lambda one: (-one.score, one.key))
    for limit in (1, 3, 5):
        order = ordered(ranked, found, Coverage(worth, held), limit, names)
        whole = order.whole()
        assert order.rows[:limit] == whole[:limit]
        assert {one.row.key[:2] for one in order.rows} <= {one.row.key[:2] for one in whole}
        assert order.left == len({one.row.key[:2] for one in whole}) - len({one.row.key[:2] for one in order.rows})
