"""Which open buffers count follows the rules of the tree, while they are open."""

import pytest
from gazetteer.kb.buffer import Buffer, Change
from gazetteer.kb.errors import NotFoundError, UnavailableError
from gazetteer.kb.model import DocumentPath, Generation
from gazetteer.kb.open_buffers import OpenBuffers, Stops, never
from gazetteer.kb.store.rows import Head

A, B = DocumentPath("a.py"), DocumentPath("b.py")


class Rules:
    """Which paths count, and how often that was asked."""

    def __init__(self) -> None:
        self.left_out: set[str] = set()
        self.asked = 0
        self.unreadable = False

    def __call__(self, path: DocumentPath, _should_stop: Stops = never, /) -> bool:
        self.asked += 1
        if self.unreadable:
            raise UnavailableError("The tree cannot be read.")
        return path not in self.left_out


@pytest.fixture
def rules() -> Rules:
    return Rules()


@pytest.fixture
def buffers(rules: Rules) -> OpenBuffers:
    return OpenBuffers(rules)


def shown(buffers: OpenBuffers) -> dict[str, str]:
    return {overlay.path: overlay.text for overlay in buffers.shown}


def head(generation: int) -> Head:
    return Head(Generation(generation), str(generation))


def test_a_buffer_that_is_left_out_is_kept_and_not_shown(buffers: OpenBuffers, rules: Rules) -> None:
    rules.left_out = {"a.py"}
    assert buffers.open(A, "one", 1) is False
    assert buffers.open(B, "two", 1) is True
    assert shown(buffers) == {"b.py": "two"}
    buffers.change(A, [Change("one more")], 2, "utf-16")
    assert shown(buffers) == {"b.py": "two"}
    rules.left_out = set()
    buffers.judge(head(1), listed=True, indexed=lambda _: False)
    assert shown(buffers) == {"a.py": "one more", "b.py": "two"}


def test_a_buffer_is_hidden_when_its_document_is_left_out_and_comes_back(buffers: OpenBuffers, rules: Rules) -> None:
    """K13: an ignore rule that comes and goes takes the buffer with it."""
    buffers.open(A, "one", 1)
    buffers.judge(head(1), listed=True, indexed=lambda _: True)
    rules.left_out = {"a.py"}
    buffers.judge(head(2), listed=False, indexed=lambda _: False)
    assert shown(buffers) == {}
    buffers.judge(head(3), listed=False, indexed=lambda _: True)
    assert shown(buffers) == {"a.py": "one"}


def test_rules_are_asked_only_where_they_may_have_changed(buffers: OpenBuffers, rules: Rules) -> None:
    """Asking may call git; a publication must not cost that for every open buffer."""
    buffers.open(A, "one", 1)
    buffers.open(B, "two", 1)
    rules.asked = 0
    buffers.judge(head(1), listed=False, indexed=lambda path: path == A)
    assert rules.asked == 1, "b.py has no document yet"
    for generation in range(2, 9):
        buffers.judge(head(generation), listed=False, indexed=lambda path: path == A)
    buffers.judge(head(8), listed=False, indexed=lambda path: False)
    assert rules.asked == 1
    buffers.judge(head(8), listed=True, indexed=lambda path: path == A)
    assert rules.asked == 2


def test_a_tree_that_cannot_be_read_changes_nothing(buffers: OpenBuffers, rules: Rules) -> None:
    buffers.open(A, "one", 1)
    rules.unreadable = True
    buffers.judge(head(1), listed=True, indexed=lambda _: False)
    assert shown(buffers) == {"a.py": "one"}


def test_a_refused_change_changes_nothing(buffers: OpenBuffers) -> None:
    with pytest.raises(NotFoundError):
        buffers.change(A, [Change("x")], 2, "utf-16")
    assert shown(buffers) == {}


def test_closing_forgets(buffers: OpenBuffers, rules: Rules) -> None:
    rules.left_out = {"a.py"}
    for path in (A, B):
        buffers.open(path, "x", 1)
        buffers.close(path)
    rules.left_out = set()
    buffers.judge(head(1), listed=True, indexed=lambda _: True)
    assert (shown(buffers), len(buffers.opened)) == ({}, 0)


def test_buffers_are_judged_by_whoever_takes_them_over(buffers: OpenBuffers) -> None:
    buffers.open(A, "one", 1)
    buffers.open(B, "two", 1)
    others = Rules()
    others.left_out = {"b.py"}
    buffers.admit_by(others)
    assert (shown(buffers), len(buffers.opened)) == ({"a.py": "one"}, 2)
    assert buffers.open(B, "two more", 2) is False
    others.unreadable = True
    buffers.admit_by(others)
    assert shown(buffers) == {"a.py": "one"}, "a tree that cannot be read changes nothing"


def test_what_nobody_can_judge_is_shown_if_the_index_has_it_and_asked_about_again(
    buffers: OpenBuffers, rules: Rules
) -> None:
    """A tree that is away: its own documents are shown as they are typed, others only once it says that they count."""
    rules.unreadable, rules.left_out = True, {"ignored.py"}
    for path in (A, B, DocumentPath("ignored.py")):
        assert buffers.open(path, "typed", 1) is False
    assert (shown(buffers), sorted(buffers.undecided)) == ({}, ["a.py", "b.py", "ignored.py"])
    buffers.settle(lambda path: path == A)
    assert (shown(buffers), len(buffers.undecided)) == ({"a.py": "typed"}, 3)
    buffers.put(A, Buffer.of("typed more", 2))
    assert (shown(buffers), len(buffers.undecided)) == ({"a.py": "typed more"}, 3)
    rules.unreadable = False
    buffers.settle(lambda path: path == A)
    assert (shown(buffers), len(buffers.undecided)) == ({"a.py": "typed more", "b.py": "typed"}, 0)
    rules.asked = 0
    buffers.settle(lambda _: False)
    assert rules.asked == 0


def test_a_buffer_that_was_left_out_while_others_are_judged_stays_left_out(buffers: OpenBuffers, rules: Rules) -> None:
    buffers.open(A, "one", 1)

    def indexed(_: DocumentPath) -> bool:
        buffers.put(B, Buffer.of("two", 1), counts=False)
        return True

    buffers.judge(head(1), listed=False, indexed=indexed)
    assert shown(buffers) == {"a.py": "one"}


def test_a_verdict_by_rules_that_have_changed_since_does_not_count(buffers: OpenBuffers, rules: Rules) -> None:
    """Whether it was asked by whoever opened a buffer, or for one that was undecided."""
    asked_under, counts = buffers.rules, rules(A)
    buffers.open(B, "two", 1)
    rules.left_out = {"a.py"}
    buffers.judge(head(1), listed=True, indexed=lambda path: path == B)
    buffers.put(A, Buffer.of("one", 1), counts=counts, asked_under=asked_under)
    assert (shown(buffers), list(buffers.undecided)) == ({"b.py": "two"}, [A])
    buffers.settle(lambda _: False)
    assert (shown(buffers), list(buffers.undecided)) == ({"b.py": "two"}, [])


def test_it_says_when_judging_has_changed_what_is_shown(buffers: OpenBuffers, rules: Rules) -> None:
    buffers.open(A, "one", 1)
    buffers.judge(head(1), listed=True, indexed=lambda _: False)
    before = buffers.turns
    rules.left_out = {"a.py"}
    buffers.judge(head(1), listed=True, indexed=lambda _: False)
    assert buffers.turns == before + 1
    buffers.judge(head(1), listed=True, indexed=lambda _: False)
    assert buffers.turns == before + 1
