"""The indexers, and what each of them leaves out. Everything that a row refuses is counted like any other exclusion."""

from dataclasses import dataclass, replace

from ...kb.errors import InvalidArgumentError
from ...kb.scan_rules import ScanRules


@dataclass(frozen=True, slots=True)
class IndexerRules:
    """Globs as in ``ScanRules``; an empty ``include`` takes everything."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_dirs: tuple[str, ...] = ()

    def narrow(self, rules: ScanRules) -> ScanRules:
        """``rules`` with these added. What the owner of a tree includes by hand stands in place of this ``include``."""
        return replace(
            rules,
            include=rules.include or self.include,
            exclude=tuple(dict.fromkeys((*rules.exclude, *self.exclude))),
            exclude_dirs=tuple(dict.fromkeys((*rules.exclude_dirs, *self.exclude_dirs))),
        )


_PROSE = (
    "*.md",
    "*.markdown",
    "*.mdown",
    "*.mkd",
    "*.mdx",
    "*.rst",
    "*.rest",
    "*.txt",
    "*.text",
    "*.adoc",
    "*.asciidoc",
)
_PROSE_NAMES = ("README", "README.*", "NOTES", "CONTRIBUTING", "CHANGELOG", "MAINTAINERS", "HACKING")
_CARDS = ("/.knowledge/", "/knowledge.yaml")

_METADATA = ("*.bb", "*.bbappend", "*.bbclass", "*.inc", "*.conf", "*.conf.sample", "*.wks", "*.wks.in")
_AROUND = (
    "conf/",  # machines, distributions, templates, whatever their endings
    "lib/**/*.py",  # what classes and tasks call: lib/oe of a layer, lib/bb of the tool
    "**/lib/**/*.py",
    "scripts/",
    "**/scripts/",
    "bin/",
    "oe-init-build-env",
    "*.cfg",  # fragments of a kernel's configuration
    "*.scc",
    "Kconfig*",
    "*_defconfig",
    "defconfig",
)
_BUILT = (
    "**/tmp*/work/",  # unpacked sources and what was built of them
    "**/tmp*/work-shared/",
    "**/tmp*/sysroots*/",
    "**/tmp*/deploy/",
    "**/tmp*/stamps/",
    "**/tmp*/pkgdata/",
    "**/tmp*/log/",
    "**/tmp*/cache/",
    "**/build*/tmp*/",
    "**/build*/cache/",
    "**/build*/workspace/sources/",
)

INDEXERS: dict[str, IndexerRules] = {
    "generic": IndexerRules(),
    "docs": IndexerRules(
        include=(*_PROSE, *_PROSE_NAMES, *_CARDS),
        exclude=("CMakeLists.txt", "requirements*.txt"),
    ),
    "buildsystem": IndexerRules(
        include=(*_METADATA, *_AROUND, *_PROSE, *_PROSE_NAMES, *_CARDS),
        exclude=("CMakeLists.txt", *_BUILT),
        exclude_dirs=("downloads", "sstate-cache"),
    ),
}
"""The indexers by name. ``generic`` takes whatever the rules of the tree let in."""


def rules_of(indexer: str) -> IndexerRules:
    """The row of an indexer; "" is ``generic``. Raises InvalidArgumentError, which names the rows there are."""
    found = INDEXERS.get(indexer or "generic")
    if found is None:
        names = ", ".join(sorted(INDEXERS))
        raise InvalidArgumentError(f"There is no indexer {indexer!r}; choose one of {names}.", indexer=indexer)
    return found
