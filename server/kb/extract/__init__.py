"""Text to facts: symbols, uses, imports, chunks and what was wrong, for one content by one recipe.

Layers that stand alone (row K12): `parse` gives captures, `symbols` and `uses` normalise them, `chunk` cuts the text.
A language is a row in `languages.py` and a query file beside this one; there is no code for any single language but
for those that are written in lines and have no grammar (`readers`), which give captures too.

`derive` never raises on content (invariant 6) and takes nothing but the text and the language's name: the same two
give the same facts, whatever was derived before (row K13).
"""

from .. import languages
from ..chunk import Unit, chunks
from ..lines import Lines
from ..model import Derived, Kind, Problem
from ..parse import Parsed, captures
from ..parse_edited import EditedText
from . import prose, readers, symbols, uses
from .adjust import adjusted

__all__ = ["derive"]


def derive(
    text: str,
    language: str,
    *,
    deadline_s: float = 5.0,
    edited: EditedText | None = None,
    failure: Problem | None = None,
) -> Derived:
    """All facts of ``text`` (normalised, see `model`) read as ``language`` (a name of `languages.LANGUAGES`).

    Problems say what kept it from being read in full; ``partial`` is set when facts are missing for another reason
    than the text's own syntax. The chunks always cover all of the text; the empty text has none. With ``edited``, which
    saw the text before, the same is made faster. With ``failure`` nothing is parsed: that is why, and chunks are left.
    """
    if not text:
        return Derived(language=language, grammar="", lines=0, chunks=())
    lines = Lines(text)
    row = languages.BY_NAME.get(language, languages.TEXT)
    if failure is not None:
        return _derive(text, lines, language, Parsed(failure=failure))
    try:
        if row.outline:
            return _prose(text, lines, row)
        if row.reader:
            return _derive(text, lines, language, readers.READERS[row.reader](text))
        longest = lines.longest()
        if edited is not None and edited.language == row.name:
            parsed = edited.captures(text, longest_line=longest, deadline_s=deadline_s)
        else:
            parsed = captures(text, row.name, longest_line=longest, deadline_s=deadline_s)
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
    row = languages.BY_NAME[language]
    groups = adjusted(text, parsed.groups, row)
    defined = symbols.definitions(text, lines, groups, parsed.marks)
    used, too_many = uses.references(text, lines, groups, parsed.marks, defined.symbols)
    return Derived(
        language=language,
        grammar=languages.grammar_id(language) if languages.query_source(language) else "",
        lines=lines.at(len(text) - 1),
        chunks=chunks(text, lines, defined.units, comments=row.comments, gathered=row.gathered),
        symbols=defined.symbols,
        references=used,
        imports=uses.imports(text, lines, groups, parsed.marks),
        problems=(*_syntax_problems(lines, parsed), *defined.problems, *too_many),
    )


def _syntax_problems(lines: Lines, parsed: Parsed) -> list[Problem]:
    return [Problem("syntax", "syntax error", line) for line in dict.fromkeys(map(lines.at, parsed.errors))]


def _prose(text: str, lines: Lines, row: languages.Language) -> Derived:
    found = prose.outline(text, row.outline)
    units: list[Unit] = []
    for symbol in found.symbols:
        around = units[symbol.container].trail if symbol.container >= 0 else ()
        trail = (*around, symbol.name)
        units.append(Unit(symbol.start, symbol.end, Kind.SECTION, symbol.name, trail, parent=symbol.container))
    return Derived(
        language=row.name,
        grammar="",
        lines=lines.at(len(text) - 1),
        chunks=chunks(text, lines, units, comments=row.comments),
        symbols=found.symbols,
        references=found.references,
        imports=found.imports,
    )
