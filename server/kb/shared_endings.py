"""Endings that several languages share: which one a document is in, by where it lies and by how it begins.

Only what stands at the start of a line in one language and never in the others decides; without it nothing is said, and
the ending's usual language holds.
"""

import re

_CPP_ONLY = re.compile(
    r"^[ \t]*(?:"
    r"(?:enum[ \t]+)?class[ \t]+(?:\[\[[^\]]*\]\][ \t]*)?(?:[A-Z_]+[ \t]+)?[A-Za-z_]\w*[ \t]*(?:final[ \t]*)?"
    r"(?::(?!:)|\{|;|$)"
    r"|(?:inline[ \t]+)?namespace[ \t]+[A-Za-z_]|namespace[ \t]*\{"
    r"|template[ \t]*<"
    r"|using[ \t]+[A-Za-z_]"
    r"|(?:public|private|protected)[ \t]*:"
    r"|#[ \t]*include[ \t]*<(?:[a-z_]+|c(?:stdint|stddef|stdio|stdlib|string|math|assert|errno|time))>"
    r")|\bstd::\w|\bconstexpr[ \t]|\bstatic_cast<",
    re.MULTILINE,
)

_BITBAKE = re.compile(  # what nobody else writes in the first column
    r"^(?:(?:inherit|inherit_defer|require|include_all|addfragments|addtask)[ \t]+[\w$][\w/.+${}\- \t]*$"
    r"|EXPORT_FUNCTIONS[ \t]|(?:python|fakeroot)[ \t]+[\w:]*[ \t]*\(\)[ \t]*\{"
    r"|(?:export[ \t]+)?[A-Za-z_][\w\-+${}/.]*?"
    r"(?:[ \t]*(?:\?\??=|\.=|=\.|=\+)|(?::[a-z]|\[[a-z])[^\n=]{0,80}=)[ \t]*[\"'])",
    re.MULTILINE,
)
_QUOTED = re.compile(r"^[A-Za-z_][\w\-+${}/.]*[ \t]*(?::|\+)?=[ \t]*\"", re.MULTILINE)
_INI_SECTION = re.compile(r"^\[[^\]\n]*\][ \t]*$", re.MULTILINE)
_SETTING = re.compile(r"^(?:CONFIG_\w+=|# CONFIG_\w+ is not set$)", re.MULTILINE)
_OTHER_LINE = re.compile(r"^(?!CONFIG_\w+=|#|[ \t]*$).", re.MULTILINE)


def by_form(path: str, extension: str, head: str) -> str:
    """The language of a document with one of the shared endings (lower case, with the dot); "" when nothing says.

    A ``.h`` file is C++ when its head shows a construct that C lacks at the start of a line (``class X``,
    ``namespace``, ``template <``, ``using``, an access specifier, an include without ``.h``) or ``std::``,
    ``constexpr``, ``static_cast<`` anywhere, and C otherwise; ``extern "C"`` and ``__cplusplus`` say nothing, because C
    headers carry them. An include or a configuration is BitBake's by statements that it alone has, and by a quoted
    value if it lies where BitBake has them. Options of a kernel's configuration are one by consisting of nothing else.
    """
    if extension == ".h":
        return "cpp" if _CPP_ONLY.search(head) else "c"
    if extension in (".cfg", ".config"):
        return "defconfig" if _SETTING.search(head) and not _OTHER_LINE.search(head) else ""
    if extension in (".inc", ".conf") or path.endswith(".conf.sample"):
        return "bitbake" if _is_bitbake(path, extension, head) else ""
    return ""


def _is_bitbake(path: str, extension: str, head: str) -> bool:
    if head.startswith("<") or _INI_SECTION.search(head) is not None:
        return False
    if _BITBAKE.search(head) is not None:
        return True
    return (extension == ".inc" or "/conf/" in f"/{path}") and _QUOTED.search(head) is not None
