"""Languages that are read by lines where a grammar is missing or does worse, by the name that a row of the table gives.

A reader gives captures as a grammar's query would: what is defined, used and taken in, in code point offsets. It is
linear in the text, bounded, and never raises on content.
"""

from collections.abc import Callable

from ..parse import Parsed
from . import bitbake, kconfig, makefile

READERS: dict[str, Callable[[str], Parsed]] = {
    "bitbake": bitbake.captures,
    "kconfig": kconfig.captures,
    "defconfig": kconfig.settings,
    "make": makefile.captures,
}
"""From the text of a document to its captures."""
