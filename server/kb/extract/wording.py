"""Names, signatures and documentation as people read them: one line, bounded, without markers.

Pure functions on strings; nothing here knows a grammar.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

MAX_WORDS = 200
"""Characters of a name, a signature or a documentation sentence."""
_REMEMBERED = 1_024
"""Heads and comments that are not worked out again: a document that is edited has the same ones in every version."""

_QUOTES = "\"'`"
_OPENERS, _CLOSERS = "([{", ")]}"
_NO_OWNERS = frozenset({"prototype", "exports", "module", "this", "self"})  # where something is put, not whose it is
_SIGNATURE_TAILS = ("=>", "->", "{", ":", "=", ";", ",")
_PLAIN_TAILS = (" ", *_SIGNATURE_TAILS)
_ATTRIBUTE_STARTS = ("@", "#", "[")
_ATTRIBUTE = re.compile(
    r"(?:@(?!interface)[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[(?:[^\[\]]|\[[^\[\]]*\])*\])[ \t]*\n\s*"
)
_CONDITION = re.compile(r"\n#[ \t]*(?:if|elif|else|endif)\b[^\n]*")
_LINE_COMMENT = re.compile(r"(?<=\s)//[^\n]*")
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
_SEGMENT = re.compile(r"[^\s.:#&*,/\\]+")
_MARKER = re.compile(
    r"^\s*(?:///|//!|//|/\*[*!]*|\*+/|\*|#+|--+\[*=*\[*|;+|%+|\{-|\(\*+|<!--|\"\"\"|''')?[ \t]*(?:\|[ \t])?"
)
_END_MARKER = re.compile(r"\s*(?:\*+/|-\}|\*+\)|-->|\]\])\s*$")
_END_MARKERS = ("*/", "-}", "*)", "-->", "]]")
_STRING_PREFIX = re.compile(r"^\s*@?(?:doc|moduledoc|typedoc)?\s*[rRbBuUfF~sS]{0,2}(\"\"\"|'''|\"|')")
_TAG = re.compile(r"<[^<>\n]{1,80}>|\{@\w+\s+|[{}]")
_SENTENCE_END = re.compile(r"(?<=[.!?。])(?:\s|$)")


def clip(text: str) -> str:
    """``text`` on one line, at most `MAX_WORDS` characters."""
    line = " ".join(text[: MAX_WORDS * 4].split())
    return line if len(line) <= MAX_WORDS else line[: MAX_WORDS - 1] + "…"


def name(text: str) -> str:
    """A name without its quotes or a symbol's colon, on one line."""
    if text.isidentifier() and len(text) <= MAX_WORDS:
        return text
    if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0]:
        text = text[1:-1]
    elif text[:1] == ":" and text[1:2].isidentifier():  # a symbol or an atom
        text = text[1:]
    return clip(text)


def module(text: str) -> str:
    """What an import names, as written, without quotes and angle brackets."""
    text = text.strip()
    if len(text) > 1 and text[0] in _QUOTES + "<" and text[-1] in _QUOTES + ">":
        text = text[1:-1]
    return clip(text)


def owner_path(text: str) -> tuple[str, ...]:
    """``"ns::Foo<T>"`` or ``"*Foo[T]"`` as ``("ns", "Foo")``; at most 8 segments."""
    text = text[:1000]
    for _ in range(4):
        shorter = _GENERICS.sub("", text)
        if shorter == text:
            break
        text = shorter
    return tuple(clip(part) for part in _SEGMENT.findall(text)[-8:] if part not in _NO_OWNERS)


def signature(text: str, start: int, end: int, body: int) -> str:
    """The head of the definition ``text[start:end]``, on one line.

    It goes up to ``body``; without one (``body`` < 0) it is the first line, continued while a bracket is open.
    """
    head = text[start : min(end if body < 0 else body, start + MAX_WORDS * 4)]
    return head if _is_plain(head) else _head(head, body < 0)


def _is_plain(head: str) -> bool:
    """Whether there is nothing in one short line that `_head` would take off: so it is with most, and costs little."""
    return (
        head.isprintable()
        and 0 < len(head) <= MAX_WORDS
        and head[0] != " "
        and "  " not in head
        and "//" not in head
        and not head.endswith(_PLAIN_TAILS)
    )


@lru_cache(maxsize=_REMEMBERED)
def _head(head: str, open_ended: bool) -> str:
    while head[:1] in _ATTRIBUTE_STARTS and (attribute := _ATTRIBUTE.match(head)) is not None:
        head = head[attribute.end() :]
    if open_ended:
        head = _balanced_lines(head)
    if "\n#" in head:
        head = _CONDITION.sub("", head)
    if "//" in head:
        head = _LINE_COMMENT.sub("", head)
    head = head.rstrip()
    while head.endswith(_SIGNATURE_TAILS):
        head = head[:-2].rstrip() if head.endswith(("=>", "->")) else head[:-1].rstrip()
    return clip(head)


def _balanced_lines(head: str) -> str:
    newline = head.find("\n")
    while newline >= 0:
        line = head[:newline]
        if sum(map(line.count, _OPENERS)) <= sum(map(line.count, _CLOSERS)) + line.rstrip().endswith("{"):
            return line
        newline = head.find("\n", newline + 1)
    return head


def docstring(text: str) -> str:
    """First sentence of a string literal that documents what it stands in."""
    match = _STRING_PREFIX.match(text)
    if match is not None:
        text = text[match.end() :].removesuffix(match[1])
    return _first_sentence(text.splitlines())


def docstrings(parts: Iterable[str]) -> str:
    """The first sentences of what documents a definition, in one line: a prompt, and the help below it."""
    said = [sentence for part in parts if (sentence := docstring(part))]
    return clip(" ".join(one if one[-1] in ".!?" else f"{one}." for one in said[:-1]) + f" {said[-1]}") if said else ""


@lru_cache(maxsize=_REMEMBERED)
def comment(text: str) -> str:
    """First sentence of a comment, or of comments line by line; of `@doc "..."` too, which documents from outside."""
    if text.startswith("@"):
        return docstring(text)
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    return _first_sentence(map(_without_markers, text[: MAX_WORDS * 10].splitlines()))


def _without_markers(line: str) -> str:
    if line.rstrip().endswith(_END_MARKERS):  # the pattern alone looks at every place of every line
        line = _END_MARKER.sub("", line)
    start = _MARKER.match(line)
    return line[start.end() :] if start is not None else line


def _first_sentence(lines: Iterable[str]) -> str:
    kept: list[str] = []
    size = 0
    for line in lines:
        words = (_TAG.sub("", line) if "<" in line or "{" in line or "}" in line else line).strip()
        if not any(map(str.isalnum, words)) or words.startswith(("@", "\\", ":param")):
            if kept:
                break
            continue
        kept.append(words)
        size += len(words)
        if size > MAX_WORDS * 2 or _SENTENCE_END.search(words) is not None:
            break
    return clip(_SENTENCE_END.split(" ".join(kept), maxsplit=1)[0])
