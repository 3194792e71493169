"""Filters typed in a question: what is one, what is a word, and that a question without any stays as it is."""

import pytest
from gazetteer.kb.errors import InvalidArgumentError
from gazetteer.kb.model import Kind, SourceType
from gazetteer.retrieval.typed import FILTERS, Typed, read_typed
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        ("lang:c parse the header", Typed("parse the header", languages=("c",))),
        ("parse lang:c,cpp the header", Typed("parse the header", languages=("c", "cpp"))),
        ("path:src/** path:!*.py read", Typed("read", paths=("src/**", "!*.py"))),
        ('path:"my docs/**" read', Typed("read", paths=("my docs/**",))),
        ("path:{a,b}.c read", Typed("read", paths=("{a,b}.c",))),
        ("kind:function type:code read", Typed("read", kinds=(Kind.FUNCTION,), types=(SourceType.CODE,))),
        ("corpus:so3 corpus:so3,u-boot init", Typed("init", corpora=("so3", "u-boot"))),
        ("corpus:all init", Typed("init", corpora=("all",))),
        (
            'with:so3,u-boot init without:"big crane"',
            Typed("init", attach=("so3", "u-boot"), without=("big crane",)),
        ),
        ("connect with: nothing", Typed("connect with: nothing")),
        ('init "lang:c" of it', Typed('init "lang:c" of it')),
        ('lang:c "kind:function path:x"', Typed('"kind:function path:x"', languages=("c",))),
        ('"an open passage lang:c', Typed('"an open passage lang:c')),
        ("std::vector body:foo f:x http://a.b/c", Typed("std::vector body:foo f:x http://a.b/c")),
        ("slang:c x.path:y a,lang:c", Typed("slang:c x.path:y a,lang:c")),
        ("lang: c path:", Typed("lang: c path:")),
        ('lang:c"x" is odd', Typed('lang:c"x" is odd')),
        ("Lang:c LANG:c", Typed("Lang:c LANG:c")),
        ("-lang:c out", Typed("-lang:c out")),
        ("  two  blanks ", Typed("  two  blanks ")),
        ("", Typed("")),
    ],
)
def test_what_is_a_filter_and_what_is_a_word(question: str, typed: Typed) -> None:
    assert read_typed(question) == typed


@pytest.mark.parametrize(
    ("question", "argument", "said"),
    [
        ("kind:funktion read", "kind", "function"),
        ("kind:zzz read", "kind", "class"),
        ("type:x read", "type", "code"),
        ("lang:c path:src", "query", "add words"),
    ],
)
def test_a_filter_that_makes_no_sense_is_named_with_what_does(question: str, argument: str, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        read_typed(question)
    assert caught.value.data["argument"] == argument


@given(
    st.lists(st.sampled_from([*(f"{name}:" for name in FILTERS), "a", ":", '"', " ", ",", "::", "kind"]), max_size=12)
)
def test_without_a_filter_nothing_of_a_question_is_touched(pieces: list[str]) -> None:
    """QU02: whatever is typed, it is found in the words or in the filters, and nowhere twice."""
    question = "".join(pieces)
    try:
        typed = read_typed(question)
    except InvalidArgumentError:
        return
    if typed == Typed(typed.text):
        assert typed.text == question
    else:
        assert all(word in question.split() for word in typed.text.split())
