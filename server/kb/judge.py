"""Which texts are machine output, and so are not indexed (row K16).

Pure rules over a text and its name, with their bounds. They are careful in one direction: what a person wrote is not
taken for machine output; a bundle that slips through costs only space and is ranked down later. Names that are refused
unread are in ``scan_rules.py``.
"""

import re

MINIFIED_SUFFIXES = (".js", ".mjs", ".cjs", ".css", ".html", ".htm", ".svg", ".json")
"""Kinds of files that tools squeeze."""
MINIFIED_NAMES = re.compile(r"[.-]min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$", re.IGNORECASE)
MINIFIED_SIZE = 2_000
"""Characters below which a dense file is only a short one."""
MINIFIED_MEAN = 200
"""Characters a line on average; people stay far below, minifiers wrap at 500 or not at all."""
MINIFIED_ORDINARY = 50
"""So many lines of ordinary length mean that a person wrote them around embedded data."""

GENERATED_LINES = 5
_GENERATED = re.compile(
    r"""
      \bcode\ generated\b.*\bdo\ not\ edit\b                     # the Go convention, taken up by many
    | (?:^|[\s#/*;<(-])@generated\b                                # Phabricator's, Cargo.lock, poetry.lock
    | \bgenerated\ by\ the\ protocol\ buffer\ compiler\b
    | \b(?:auto-?|automatically\ )generated\b.*\bdo\ not\ (?:edit|modify)\b
    | \bdo\ not\ (?:edit|modify)\b.*\b(?:auto-?|automatically\ )generated\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HEAD = 2_000


def looks_minified(text: str, path: str) -> bool:
    """Say whether ``text`` was squeezed by a tool: by its name, or by lines that nobody writes.

    A script, style sheet, page or data file of at least 2,000 characters whose lines are longer than 200 characters on
    average, with at most 50 lines of ordinary length.
    """
    name = path.rpartition("/")[2].lower()
    if MINIFIED_NAMES.search(name) is not None:
        return True
    if len(text) < MINIFIED_SIZE or not name.endswith(MINIFIED_SUFFIXES):
        return False
    if (text.count("\n") + 1) * MINIFIED_MEAN >= len(text):
        return False
    return sum(0 < len(line) <= MINIFIED_MEAN for line in text.split("\n")) <= MINIFIED_ORDINARY


def looks_generated(text: str) -> bool:
    """Say whether one of the first five lines declares the text to be the output of a tool."""
    head = text[:_HEAD]
    if "generated" not in head.lower():
        return False
    return any(_GENERATED.search(line) is not None for line in head.split("\n")[:GENERATED_LINES])
