"""Text to facts: symbols, uses, imports, chunks and what was wrong, for one content by one recipe.

Layers that stand alone (row K12): `parse` gives captures, `symbols` and `uses` normalise them, `chunk` cuts the text.
A language is a row in `languages.py` and a query file beside this one; there is no code for any single language.

`derive` never raises on content (invariant 6) and takes nothing but the text and the language's name: the same two
give the same facts, whatever was derived before (row K13).
"""

from .. import languages
from ..chunk import chunks
from ..lines import Lines
from ..model import Derived, Problem
from ..parse import Parsed, captures
from . import sections, symbols, uses

__all__ = ["derive"]


def derive(text: str, language: str, *, deadline_s: float = 5.0) -> Derived:
    """All facts of ``text`` (normalised, see `model`) read as ``language`` (a name of `languages.LANGUAGES`).

    Problems say what kept it from being read in full; ``partial`` is set when facts are missing for another reason
    than the text's own syntax. The chunks always cover all of the text; the empty text has none.
    """
    if not text:
        return Derived(language=language, grammar="", lines=0, chunks=())
    lines = Lines(text)
    parsed = captures(text, language, longest_line=lines.longest(), deadline_s=deadline_s)
    try:
        return _derive(text, lines, language, parsed)
    except Exception as error:  # cannot happen; and if it does, it costs this document its facts and is reported
        problem = Problem("syntax", f"facts could not be read: {type(error).__name__}: {error}"[:300])
        return _derive(text, lines, language, Parsed(failure=problem))


def _derive(text: str, lines: Lines, language: str, parsed: Parsed) -> Derived:
    if parsed.failure is not None:
        failure = parsed.failure
        partial = "" if failure.code in ("syntax", "grammar") else failure.code
        plain = chunks(text, lines, ())
        return Derived(language, "", lines.at(len(text) - 1), plain, problems=(failure,), partial=partial)
    groups = sections.with_headings(text, parsed.groups)
    defined = symbols.definitions(text, lines, groups, parsed.marks)
    used, too_many = uses.references(text, lines, groups, parsed.marks, defined.symbols)
    return Derived(
        language=language,
        grammar=languages.grammar_id(language) if languages.query_source(language) else "",
        lines=lines.at(len(text) - 1),
        chunks=chunks(text, lines, defined.units, comments=languages.BY_NAME[language].comments),
        symbols=defined.symbols,
        references=used,
        imports=uses.imports(text, lines, groups, parsed.marks),
        problems=(*_syntax_problems(lines, parsed), *defined.problems, *too_many),
    )


def _syntax_problems(lines: Lines, parsed: Parsed) -> list[Problem]:
    return [Problem("syntax", "syntax error", line) for line in dict.fromkeys(map(lines.at, parsed.errors))]
