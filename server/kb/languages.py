"""Which language a document is in, and everything that decides what is derived from it.

One table. A language with structure is one row here, one query file in ``extract/queries`` and one fixture; a row
without a grammar (or without its query file) still names the language and gets chunks of plain text. No grammar is
imported here: versions are read off the installed packages' folder names, so that asking for a recipe costs nothing.

Nothing that a tree says chooses a grammar (row K19): a name, an extension, a first line select a row of this table.
"""

import functools
import importlib.util
import os
import zlib

import msgspec

from .model import SCHEMA_VERSION, Recipe, SourceType
from .shared_endings import by_form

EXTRACTOR_VERSION = 1
"""Raise when the code in ``extract/`` derives other facts from the same captures; query files count by themselves."""
CHUNKER_VERSION = 1
"""Raise when ``chunk.py`` cuts the same text elsewhere."""
HEAD_CHARACTERS = 4_096
"""How much of a document `detect` looks at."""


class Language(msgspec.Struct, frozen=True):
    """A row: how documents of a language are recognised and what reads them."""

    name: str
    extensions: tuple[str, ...] = ()  # lower case, with the dot
    filenames: tuple[str, ...] = ()  # exact base names
    shebangs: tuple[str, ...] = ()  # interpreters, without path and version
    grammar: str = ""  # module of the grammar's package
    function: str = "language"  # the module's function that gives the grammar
    source_type: SourceType = SourceType.CODE
    outline: str = ""  # flavour of `extract.prose` that reads it instead of a grammar
    reader: str = ""  # name in `extract.readers` of what gives its captures instead of a grammar
    edition: int = 0  # raise when what reads it by lines gives other facts
    gathered: bool = False  # values of several lines stay with their neighbours
    noise: str = ""  # pattern of what the grammar stumbles over, within a line; read as if it were blank
    comments: tuple[str, ...] = ()  # what starts a comment, longest first; block comments by their opening
    names: str = ""  # pattern whose group 1 is the name in a name's node; "" when all of it is
    clauses: bool = False  # definitions of one name that follow each other are one
    reparsed: bool = True  # its grammar reads an edited text as it reads one that it never saw, errors apart

    @property
    def package(self) -> str:
        """Distribution that carries the grammar, as pip names it; "" without one."""
        return self.grammar.replace("_", "-")


_C_COMMENTS = ("///", "//!", "//", "/**", "/*")
_LONE_MACRO = (  # `NAMESPACE_BEGIN` or `Q_PROPERTY(int x)` alone on its line, where it is no operand and no enumerator
    r"^(?<![,(|&=+?<\\]\n)[ \t]*[A-Z][A-Z0-9_]{3,}(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?[ \t]*$"
    r"(?!\n[ \t]*[}),|&+?<=.*{])"
)
_CONDITION = r"^[ \t]*#[ \t]*(?:if|elif|else|endif)\b.*$"  # conditions cut statements in half; both halves are read
_CODE, _DOCS, _CONFIG = SourceType.CODE, SourceType.DOCS, SourceType.CONFIG


def _row(name: str, endings: str, grammar: str = "", comments: tuple[str, ...] = (), **more: object) -> Language:
    """A row from its extensions in one string; ``grammar`` is what follows ``tree_sitter_``."""
    extensions = tuple("." + ending for ending in endings.split())
    fields = {"name": name, "extensions": extensions, "comments": comments, **more}
    fields["grammar"] = f"tree_sitter_{grammar}" if grammar else ""
    return msgspec.convert(fields, Language)


LANGUAGES: tuple[Language, ...] = (
    _row("python", "py pyi pyw", "python", ("#",), filenames=("SConstruct", "SConscript"), shebangs=("python", "pypy")),
    _row("javascript", "js mjs cjs jsx", "javascript", _C_COMMENTS, shebangs=("node", "nodejs")),
    _row(
        "typescript", "ts mts cts", "typescript", _C_COMMENTS, function="language_typescript", shebangs=("deno", "bun")
    ),
    _row("tsx", "tsx", "typescript", _C_COMMENTS, function="language_tsx"),
    _row("java", "java", "java", _C_COMMENTS),
    _row("c", "c h", "c", _C_COMMENTS, noise=_LONE_MACRO),
    _row("cpp", "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp tcc cu cuh ino", "cpp", _C_COMMENTS, noise=_LONE_MACRO),
    _row("c_sharp", "cs csx", "c_sharp", _C_COMMENTS, noise=_CONDITION),
    _row("go", "go", "go", ("//", "/*")),
    _row("rust", "rs", "rust", _C_COMMENTS),
    _row(
        "ruby",
        "rb rake gemspec ru podspec jbuilder",
        "ruby",
        ("#",),
        filenames=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Brewfile"),
        shebangs=("ruby", "jruby", "rake"),
    ),
    _row("php", "php phtml php5 php7", "php", (*_C_COMMENTS, "#"), function="language_php", shebangs=("php",)),
    _row("kotlin", "kt kts", "kotlin", _C_COMMENTS, reparsed=False, noise=r"\bsuspend(?=[ \t]*\{)|\?(?=::)"),
    _row("swift", "swift", "swift", _C_COMMENTS),
    _row("scala", "scala sc sbt", "scala", _C_COMMENTS),
    _row("lua", "lua rockspec", "lua", ("---", "--"), shebangs=("lua", "luajit")),
    _row(
        "bash",
        "sh bash zsh ksh bats ebuild eclass",
        "bash",
        ("#",),
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD"),
        names=r"([^=]+)=",  # `alias ll='ls -l'`
        noise=r"\$\{\w+:?\+\$\{\w+\};\}",
        shebangs=("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
    ),
    _row(
        "haskell",
        "hs lhs hsc",
        "haskell",
        ("-- |", "--", "{-|", "{-"),
        shebangs=("runhaskell", "runghc", "stack"),
        clauses=True,
    ),
    _row("elixir", "ex exs", "elixir", ("#",), shebangs=("elixir",), clauses=True),
    _row("zig", "zig zon", "zig", ("///", "//!", "//")),
    _row("markdown", "md markdown mdown mkd mdx", "", ("<!--",), source_type=_DOCS, outline="markdown"),
    _row("rst", "rst rest", "", (), source_type=_DOCS, outline="rst", edition=2),
    _row("html", "html htm xhtml", "", ("<!--",), source_type=_DOCS, outline="html"),
    _row(
        "json",
        "json jsonc json5 geojson webmanifest",
        "json",
        ("//", "/*"),
        source_type=_CONFIG,
        filenames=(".babelrc", ".eslintrc", ".prettierrc", "composer.lock"),
    ),
    _row(
        "yaml",
        "yaml yml",
        "yaml",
        ("#",),
        source_type=_CONFIG,
        filenames=(".clang-format", ".clang-tidy"),
        # Lines of a template; and nesting of 100 columns: at 254 levels the grammar's scanner writes past its buffer.
        noise=r"^[ \t]*(?:<%.*%>|\{%.*%\}|\{\{.*\}\})[ \t]*$|^[-?: \t]{100}.*$",
    ),
    _row(
        "toml",
        "toml",
        "toml",
        ("#",),
        source_type=_CONFIG,
        filenames=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
    ),
    _row(
        "make",
        "mk mak make",
        "",
        ("#",),
        filenames=("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in", "Kbuild"),
        shebangs=("make",),
        reader="make",
        edition=1,
        gathered=True,
    ),
    _row("cmake", "cmake", "cmake", ("#",), filenames=("CMakeLists.txt",)),
    _row("dart", "dart", "dart", _C_COMMENTS),
    _row("kconfig", "", "", ("#",), filenames=("Kconfig", "Config.in"), reader="kconfig", edition=2),
    _row(
        "defconfig",
        "",
        "",
        ("#",),
        source_type=_CONFIG,
        filenames=("defconfig", ".config"),
        reader="defconfig",
        edition=1,
    ),
    _row("devicetree", "dts dtsi dtso", "devicetree", _C_COMMENTS),
    _row("css", "css", "css", ("/*",)),
    _row("bitbake", "bb bbappend bbclass", "", ("#",), reader="bitbake", edition=2, gathered=True),
    # Without a grammar in the base install: named, filtered by, cut at blank lines.
    _row("scss", "scss sass less", "", ("//", "/*")),
    _row(
        "xml", "xml xsd xsl xslt csproj vbproj fsproj props targets resx plist svg", "", ("<!--",), source_type=_CONFIG
    ),
    _row("vue", "vue", "", ("<!--", "//")),
    _row("svelte", "svelte", "", ("<!--", "//")),
    _row("sql", "sql", "", ("--", "/*")),
    _row("protobuf", "proto", "", ("//", "/*")),
    _row("graphql", "graphql gql", "", ("#",)),
    _row("assembly", "s asm", "", ("//", "/*", ";", "#", "@")),
    _row("perl", "pl pm", "", ("#",), shebangs=("perl",)),
    _row("r", "r", "", ("#",), shebangs=("rscript",)),
    _row("julia", "jl", "", ("#",), shebangs=("julia",)),
    _row("erlang", "erl hrl", "", ("%",), shebangs=("escript",)),
    _row("clojure", "clj cljs cljc edn", "", (";;", ";")),
    _row("ocaml", "ml mli", "", ("(**", "(*")),
    _row("groovy", "groovy gradle", "", _C_COMMENTS, filenames=("Jenkinsfile",), shebangs=("groovy",)),
    _row("powershell", "ps1 psm1 psd1", "", ("#",), shebangs=("pwsh",)),
    _row("nix", "nix", "", ("#",)),
    _row("terraform", "tf tfvars hcl", "", ("#", "//"), source_type=_CONFIG),
    _row("starlark", "bzl bazel star", "", ("#",), filenames=("BUILD", "WORKSPACE")),
    _row("vim", "vim", "", ('"',), filenames=(".vimrc",)),
    _row("tcl", "tcl tk", "", ("#",), shebangs=("tclsh", "wish")),
    _row("awk", "awk", "", ("#",), shebangs=("awk", "gawk", "mawk")),
    _row("meson", "", "", ("#",), filenames=("meson.build", "meson_options.txt", "meson.options")),
    _row("erb", "erb heex eex leex haml slim", "", ("<%#", "<!--")),
    _row("objective_c", "m mm", "", _C_COMMENTS),
    _row("dockerfile", "dockerfile", "", ("#",), source_type=_CONFIG, filenames=("Dockerfile", "Containerfile")),
    _row(
        "ini",
        "ini cfg conf properties desktop service editorconfig",
        "",
        ("#", ";"),
        source_type=_CONFIG,
        filenames=(".gitconfig", ".gitattributes", ".gitmodules", ".editorconfig", "setup.cfg"),
    ),
    _row("text", "txt text log adoc asciidoc org textile rdoc pod tex", "", (), source_type=_DOCS),
)
"""Every language known by name. Order matters only where two rows claim one ending: the first wins."""

TEXT = LANGUAGES[-1]
"""The language of any text that no row claims."""

BY_NAME = {language.name: language for language in LANGUAGES}


def _index(field: str) -> dict[str, Language]:
    found: dict[str, Language] = {}
    for language in LANGUAGES:
        for value in getattr(language, field):
            found.setdefault(value, language)
    return found


_QUERIES = os.path.join(os.path.dirname(__file__), "extract", "queries")
_BY_EXTENSION = _index("extensions")
_BY_FILENAME = _index("filenames")
_BY_SHEBANG = _index("shebangs")


def detect(path: str, head: str) -> Language:
    """The language of a document, by base name, then extension, then first line; `TEXT` when nothing says.

    ``head`` is the beginning of the text; at most `HEAD_CHARACTERS` of it count, so more does not change the answer.
    Endings that several languages share (``.h``, ``.inc``, ``.conf``) are told apart by `by_form`; ``.C`` and ``.H`` in
    capitals are C++.
    """
    name = path.rsplit("/", 1)[-1]
    known = _BY_FILENAME.get(name)
    if known is not None:
        return known
    dot = name.rfind(".")
    if dot > 0:
        extension = name[dot:]
        if extension in (".C", ".H"):
            return BY_NAME["cpp"]
        extension = extension.lower()
        shared = by_form(path, extension, head[:HEAD_CHARACTERS])
        if shared:
            return BY_NAME[shared]
        known = _BY_EXTENSION.get(extension)
        if known is not None:
            return known
    if name.endswith("_defconfig"):
        return BY_NAME["defconfig"]
    if head.startswith("#!"):
        return _by_shebang(head[:HEAD_CHARACTERS].split("\n", 1)[0]) or TEXT
    stem = name.split(".", 1)[0]  # Dockerfile.dev, Kconfig.debug, Makefile.linux
    return _BY_FILENAME.get(stem, TEXT) if stem else TEXT


def _by_shebang(line: str) -> Language | None:
    words = line[2:].split()
    names = [word.rsplit("/", 1)[-1] for word in words if not word.startswith("-") and "=" not in word]
    if names and names[0] == "env":  # `#!/usr/bin/env -S A=1 python3 -u`
        del names[0]
    return _BY_SHEBANG.get(names[0].lower().rstrip("0123456789.")) if names else None


@functools.cache
def query_source(language: str) -> str:
    """Text of the language's query file; "" for one without structure.

    A first line ``; inherits: name`` puts the patterns of that query file in front.
    """
    row = BY_NAME.get(language, TEXT)
    path = os.path.join(_QUERIES, f"{row.name}.scm")
    if not row.grammar or not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8") as file:
        first = file.readline()
        inherited = first.removeprefix("; inherits:") if first.startswith("; inherits:") else ""
        return (query_source(inherited.strip()) if inherited else "") + first + file.read()


@functools.cache
def recipe(language: str) -> Recipe:
    """Everything besides the text that decides what `extract.derive` gives for ``language``, in one string.

    It changes with the grammar's version, the parsing library's, the query file, the extractor, the chunker and the
    stored layout; two processes with the same installation agree on it.
    """
    row = BY_NAME.get(language, TEXT)
    query = query_source(row.name)
    parser = f"{grammar_id(row.name)}/{parser_version()}/{zlib.crc32(query.encode()):08x}" if query else "-"
    parser += f";e{row.edition}" if row.edition else ""
    return Recipe(f"{row.name};{parser};x{EXTRACTOR_VERSION};c{CHUNKER_VERSION};s{SCHEMA_VERSION}")


@functools.cache
def grammar_id(language: str) -> str:
    """Name and version of the installed grammar, as in ``"tree-sitter-python 0.25.0"``; "" without one."""
    row = BY_NAME.get(language, TEXT)
    version = _version_of(row.grammar) if row.grammar else ""
    return f"{row.package} {version}" if version else ""


@functools.cache
def parser_version() -> str:
    """Version of the parsing library; "" when it is not installed."""
    return _version_of("tree_sitter")


def _version_of(module: str) -> str:
    """The version of the package that holds ``module``, from its folder's name: 20 times cheaper than its metadata."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    version = _dist_infos(os.path.dirname(os.path.dirname(spec.origin))).get(module)
    if version is None:
        version = _metadata_version(module)
    return version


def _metadata_version(module: str) -> str:
    import importlib.metadata  # 15 ms, and only an unusual installation needs it

    try:
        return importlib.metadata.version(module.replace("_", "-"))
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def _dist_infos(site: str) -> dict[str, str]:
    """Package (as a module name) to version, of a folder of installed packages."""
    found = {}
    for entry in sorted(os.listdir(site)):
        if entry.endswith(".dist-info"):
            name, _, version = entry.removesuffix(".dist-info").rpartition("-")
            found[name.lower().replace("-", "_").replace(".", "_")] = version
    return found
