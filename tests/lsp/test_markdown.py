"""SE04: text of a tree is shown and does nothing, whatever it says; held against an independent parser of Markdown."""

import re
import unicodedata
from collections.abc import Iterator

import pytest
from gazetteer.context.visible import visible
from gazetteer.lsp import markdown
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

READERS = {
    "commonmark": MarkdownIt("commonmark"),
    "tables": MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]),
}
for _reader in READERS.values():
    _reader.validateLink = lambda url: True  # type: ignore[method-assign]  # every scheme counts as live
SHOWN = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "code_inline", "fence"}
HOSTILE = (
    "[click](command:workbench.action.terminal.new)",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "<command:foo>",
    "<https://evil.example>",
    "https://evil.example/x www.evil.example me@evil.example",
    "[a]: command:foo\n[a]",
    "```\n</pre><script>alert(1)</script>\n```",
    "`code` ``more`` ```",
    "~~~\nx\n~~~",
    "# heading\n## two\n====\n----",
    "- item\n+ item\n1. item\n2) item",
    "| a | b |\n|---|---|\n| c | d |",
    "> quote\n    code",
    "&lt;b&gt; &#60;b&#62; &amp;",
    "\\[x\\](y) \\` \\\\`",
    "a\u202eb\u200bc\u2066d\u2069e\ufefff\U000e0041",
    "\x1b[31mred\x1b[0m \x07 \x00 \x9b31m",
    "line\rline\r\nline\u2028line\u2029line\x0bline\x0cline\x85line",
    "$(command:x) $$y$$ {{z}} <!-- c --> <![CDATA[x]]> <?php ?>",
    "*a* _b_ __c__ ~~d~~",
    "    indented",
    "\t\ttab",
    "[x](<file:///etc/passwd>) [[wiki]] [^1]",
    "$(alert) :smile:",
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="`~[]()<>!#*_-+=|\\&:;/.@\n\r\t ab1$^{}\"'", max_size=60),
    st.lists(st.sampled_from(HOSTILE), max_size=4).map("\n".join),
    st.lists(
        st.sampled_from(["```", "``", "`", "~~~", "a", "\n", " ", "[", "](", ")", "<b>", "&lt;"]), max_size=12
    ).map("".join),
    st.builds(lambda one, cut: one[cut:], st.sampled_from(HOSTILE), st.integers(0, 20)),
)


def tokens(text: str, reader: MarkdownIt) -> Iterator[Token]:
    for token in reader.parse(text):
        yield token
        yield from token.children or ()


def seen(text: str) -> str:
    """What is left of a text when all that is not seen is gone, on one line: written down again, from the standard."""
    kept = []
    for one in re.sub("\r\n?", "\n", text):
        if one in "\n\t ":
            kept.append(" ")
        elif (
            unicodedata.category(one)[0] == "C"
            or unicodedata.category(one) in ("Zl", "Zp")
            or 0xFE00 <= ord(one) <= 0xFE0F
            or 0xE0100 <= ord(one) <= 0xE01EF
            or one in "\u2800\u3164\u115f\u1160\uffa0\u034f"
        ):
            continue
        else:
            kept.append(one)
    return " ".join("".join(kept).split())


def hold(rendered: str, text: str, only: set[str]) -> None:
    """A reader sees nothing but words or code, and they are those of the text."""
    for reader in READERS.values():
        found = list(tokens(rendered, reader))
        assert {token.type for token in found} <= only | {"paragraph_open", "paragraph_close", "inline"}
        words = "".join(token.content for token in found if token.type in {"text", "code_inline"})
        assert words == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_stay_words(text: str) -> None:
    hold(markdown.plain(text), seen(text), {"text", "text_special"})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_what_it_is_put_into(text: str) -> None:
    """SE04: as a sentence, as code, as a passage and as the text of a link."""
    for reader in READERS.values():
        assert {token.type for token in tokens(markdown.prose(text), reader)} <= SHOWN | {"text_special"}
        inline = [token.type for token in tokens(markdown.code(text), reader)]
        assert inline == [*SHOW_BEFORE[:2], "code_inline", SHOW_BEFORE[2]]
        assert [token.type for token in reader.parse(markdown.fence(text, text))] == ["fence"]
        targets = [token.attrs["href"] for token in tokens(markdown.link(text, "file:///a", 1), reader) if token.attrs]
        assert targets == ["file:///a#L1"]
        assert {token.type for token in tokens(markdown.link(text, text), reader)} <= SHOWN


@given(text=TEXTS)
def test_words_are_words_and_nothing_is_lost(text: str) -> None:
    """SE04: no live link, no HTML, no image, no block of another kind; and every character that can be seen is."""
    hold(markdown.plain(text), seen(text), {"text", "text_special"})


@given(text=TEXTS, before=st.sampled_from(["", "See ", "**Used** in 3 places: "]))
def test_words_and_code_stay_what_they_are_beside_each_other(text: str, before: str) -> None:
    for reader in READERS.values():
        line = f"{before}{markdown.code(text)} · {markdown.plain(text)}"
        kinds = {token.type for token in tokens(line, reader)}
        assert kinds <= SHOWN | {"strong_open", "strong_close"}


@given(text=TEXTS)
def test_a_sentence_keeps_its_code_and_nothing_else(text: str) -> None:
    """SE04: code spans of a documentation sentence stay code; whatever else it holds stays words."""
    for reader in READERS.values():
        found = list(tokens(markdown.prose(text), reader))
        assert {token.type for token in found} <= SHOWN | {"text_special"}
        said = "".join(token.content for token in found if token.type in {"text", "code_inline", "text_special"})
        assert said.replace(" ", "") == seen(text).replace(" ", "") or "`" in text


def test_code_in_a_sentence() -> None:
    assert markdown.prose("Sends a `GET` to ``x_y`` *now*.") == "Sends a `GET` to `x_y` \\*now\\*."
    assert markdown.prose("`a` ``b```c`") == "`a` \\`\\`b\\`\\`\\`c\\`"


@given(text=TEXTS)
def test_a_code_span_is_one(text: str) -> None:
    spans = [token for token in tokens(markdown.code(text), READERS["commonmark"]) if token.type == "code_inline"]
    assert [span.content for span in spans] == ([seen(text)] if seen(text) else [])


@given(text=TEXTS, language=st.text(max_size=12))
def test_a_fence_holds_all_of_its_text(text: str, language: str) -> None:
    """SE04: a fence is longer than any run inside, and its language says nothing else."""
    rendered = f"before\n\n{markdown.fence(text, language)}\n\nafter"
    found = READERS["commonmark"].parse(rendered)
    assert [token.type for token in found] == [*SHOW_BEFORE, "fence", *SHOW_BEFORE]
    assert found[3].content == visible(text).strip("\n") + "\n"
    assert re.fullmatch(r"[\w+#-]*", found[3].info)


SHOW_BEFORE = ["paragraph_open", "inline", "paragraph_close"]


@given(text=TEXTS, uri=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30), st.just("file:///a/b%20c.py")))
def test_a_link_leads_to_a_file_or_is_none(text: str, uri: str) -> None:
    targets = [
        token.attrs["href"]
        for token in tokens(markdown.link(text, uri, 12), READERS["commonmark"])
        if token.type == "link_open"
    ]
    if uri.startswith("file:///a/b") and seen(text):
        assert targets == ["file:///a/b%20c.py#L12"]
    else:
        assert targets == []


@given(text=TEXTS)
def test_what_is_not_seen_is_gone(text: str) -> None:
    """SE05: no bidi marks, zero widths, tags or controls are left to hide something with."""
    for made in (markdown.plain(text), markdown.code(text), markdown.fence(text)):
        hidden = [
            one for one in made if one != "\n" and one != "\t" and unicodedata.category(one) in ("Cc", "Cf", "Cs")
        ]
        assert hidden == []


@pytest.mark.parametrize("word", ["http://a.b", "https://a.b", "www.a.b", "a@b.c", "command:x", "mailto:a@b.c"])
def test_no_word_is_taken_for_an_address(word: str) -> None:
    """GitHub's extension makes links of bare addresses; a backslash inside keeps it from seeing one."""
    assert word not in markdown.plain(word)
    assert re.search(r"(?i)(https?://|www\.|\w@\w|command:)", markdown.plain(word)) is None


def test_long_text_is_cut() -> None:
    assert len(markdown.plain("word " * 1_000)) <= markdown.MAX_WORDS
    assert len(markdown.code("x" * 10_000)) == markdown.MAX_CODE + 2
