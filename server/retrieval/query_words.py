"""Words that mean something in a question beside what they say: grammar, languages, kinds. Tables only.

No word is ever removed by these tables alone: `analyze` decides what a word counts for in the query at hand.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..kb.model import Kind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    """
    a about all also am an and any are as at be because been before being between both but by can could did do does
    doing done during each either else ever every few for from had has have having he her here him his how however i
    if in into is it its itself just may me might more most much must my of off on once one only onto or other our out
    over own per please shall she should since so some such than that the their them then there these they thing
    things this those through to too under until up upon us use used uses using very via was we were what whatever
    when where whether which while who whom whose why will with within without would you your yours
    """
)
"""English words that are evidence of nothing while the query has others. "not" and "no" are content (row R5)."""

_LANGUAGES = {
    "python": "python py",
    "javascript": "javascript js",
    "typescript": "typescript ts",
    "tsx": "tsx typescript",
    "java": "java",
    "c": "c",
    "cpp": "c++ cpp cxx",
    "c_sharp": "c# csharp",
    "go": "go golang",
    "rust": "rust",
    "ruby": "ruby",
    "php": "php",
    "kotlin": "kotlin",
    "swift": "swift",
    "scala": "scala",
    "lua": "lua",
    "bash": "bash shell zsh",
    "haskell": "haskell",
    "elixir": "elixir",
    "zig": "zig",
    "dart": "dart",
    "make": "make makefile",
    "cmake": "cmake",
    "bitbake": "bitbake",
    "kconfig": "kconfig",
    "perl": "perl",
    "ocaml": "ocaml",
    "clojure": "clojure",
    "erlang": "erlang",
    "sql": "sql",
}


def _by_word(table: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    turned: dict[str, tuple[str, ...]] = {}
    for value, words in table.items():
        for word in words.split():
            turned[word] = (*turned.get(word, ()), value)
    return MappingProxyType(turned)


LANGUAGE_WORDS: Mapping[str, tuple[str, ...]] = _by_word(_LANGUAGES)
"""What people call a language, lower-cased, to the names that documents carry.

Data formats are not among them: JSON is what code works on, seldom what it is written in.
"""
AMBIGUOUS_LANGUAGES = _words("c go make swift dart shell ts js py java rust ruby scala sql")
"""Words of those that ask for a language only after "in" or before a kind word: "in go", "rust trait"."""

_KINDS: dict[str, tuple[Kind, ...]] = {
    "module modules": (Kind.MODULE,),
    "namespace namespaces package packages": (Kind.NAMESPACE, Kind.MODULE),
    "class classes": (Kind.CLASS, Kind.STRUCT),
    "struct structs structure record": (Kind.STRUCT, Kind.CLASS),
    "interface interfaces trait traits protocol typeclass": (Kind.INTERFACE,),
    "enum enums enumeration": (Kind.ENUM,),
    "function functions func fn subroutine procedure": (Kind.FUNCTION, Kind.METHOD),
    "method methods": (Kind.METHOD, Kind.FUNCTION),
    "constructor constructors": (Kind.METHOD,),
    "macro macros": (Kind.MACRO,),
    "type types typedef alias": (Kind.TYPE, Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.ENUM),
    "constant constants const": (Kind.CONSTANT,),
    "variable variables": (Kind.VARIABLE, Kind.CONSTANT),
    "field fields attribute property properties member": (Kind.FIELD,),
    "section sections chapter heading": (Kind.SECTION,),
    "key setting option": (Kind.KEY,),
    "target targets": (Kind.TARGET,),
}
KIND_WORDS: Mapping[str, tuple[Kind, ...]] = MappingProxyType(
    {word: kinds for words, kinds in _KINDS.items() for word in words.split()}
)
"""What people call a kind of definition, lower-cased, to the kinds that it can mean, likeliest first."""

TEST_WORDS = _words(
    "test tests tested testing testcase testcases unittest unittests spec specs fixture fixtures mock mocks"
)
"""Words by which a question asks for test code rather than the code under test."""
EXAMPLE_WORDS = _words("example examples sample samples demo demos tutorial snippet")
DOCUMENT_WORDS = _words("docs documentation doc readme guide manual changelog tutorial documented")
CHANGE_WORDS = _words(
    """
    add added adding avoid bug bugfix change clean cleanup correct correctly disable drop enable ensure feature fix
    fixed fixes handle implement improve introduce issue make move prevent proper properly refactor remove removed
    rename replace revert rework simplify support update updates use allow
    again actually better even instead less missing more new now only still unused wrong
    """
)
"""Words that tell what is to be done to code, or was: in a question that begins so they are evidence of no place."""
CHANGE_TYPES = _words("build chore ci dev doc docs feat feature fix imp perf refactor style test tests")
"""What people put before a colon for the sort of a change, where others put the place of it."""
