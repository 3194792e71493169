"""What an import means is found by the paths of the tree, in each language's own way, and never guessed."""

import pytest
from gazetteer.kb.model import DocumentPath, Import
from gazetteer.retrieval.imports import STYLES, targets
from gazetteer.retrieval.path_table import PathTable
from gazetteer.retrieval.tree_paths import Tree, closeness
from hypothesis import given
from hypothesis import strategies as st

TEXTS = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "cart/cart.go": "package cart\n",
    "cart/cart_test.go": "package cart\n",
    "other/cart/cart.go": "package cart\n",
    "main.go": "package main\n",
    "vendor/github.com/x/y/y.go": "package y\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "",
    "pkg/sub/__init__.py": "",
    "pkg/sub/leaf.py": "",
    "pkg/json.py": "",
    "src/tool/__init__.py": "",
    "lib/deep/mod.py": "",
    "scripts/run.py": "",
    "scripts/near.py": "",
    "web/app.ts": "",
    "web/util.ts": "",
    "web/parts/index.tsx": "",
    "packages/core/package.json": '{"name": "@acme/core", "version": "1.0.0"}',
    "packages/core/src/index.ts": "",
    "packages/core/src/deep.ts": "",
    "packages/fake/package.json": '{"name": "@acme/other"}',
    "include/shop/cart.h": "",
    "csrc/main.c": "",
    "csrc/local.h": "",
    "csrc/string.h": "",
    "elsewhere/errno.h": "",
    "crate/src/lib.rs": "",
    "crate/src/net/mod.rs": "",
    "crate/src/net/tcp.rs": "",
    "crate/src/error.rs": "",
    "my-tool/src/lib.rs": "",
    "my-tool/src/args.rs": "",
    "java/src/com/shop/Cart.java": "package com.shop;\n",
    "java/src/com/shop/Item.java": "package com.shop;\n",
    "java/src/com/app/Main.java": "package com.app;\n",
    "php/src/Cart/Item.php": "<?php\n\nnamespace Shop\\Cart;\n",
    "php/src/Item.php": "<?php\n\nnamespace Other;\n",
    "php/index.php": "",
    "lua/shop/init.lua": "",
    "lua/shop/cart.lua": "",
    "rb/lib/shop/cart.rb": "",
    "rb/bin/run.rb": "",
    "sh/main.sh": "",
    "sh/lib/log.sh": "",
    "zig/main.zig": "",
    "zig/cart.zig": "",
    "hs/Shop/Cart.hs": "",
    "drivers/Kconfig": "",
    "Kconfig": "",
    "meta/classes-recipe/autotools.bbclass": "",
    "meta/classes/rm_work.bbclass": "",
    "meta/classes/update-rc.d.bbclass": "",
    "meta/recipes-core/zlib/zlib-1.3.inc": "",
    "meta/recipes-core/autotools": "",
    "meta/recipes-core/zlib/zlib_1.3.bb": "",
    "meta/recipes-core/zlib/zlib.inc": "",
    "meta/conf/machine/qemu.inc": "",
    "meta-own/classes/rm_work.bbclass": "",
    "meta-own/recipes-x/x_1.0.bb": "",
    "app.css": "",
    "base.css": "",
}
TREE = Tree(PathTable(map(DocumentPath, TEXTS)), (), TEXTS.__getitem__)


def meant(language: str, path: str, module: str, *names: str, tree: Tree = TREE) -> list[str]:
    found = targets(tree, DocumentPath(path), language, Import(module, 1, names))
    return [f"{one.path}#{one.name}" if one.name else one.path for one in found]


@pytest.mark.parametrize(
    ("path", "module", "names", "expected"),
    [
        ("scripts/run.py", "pkg.core", (), ["pkg/core.py"]),
        ("scripts/run.py", "pkg", ("Cart",), ["pkg/__init__.py#Cart"]),
        ("scripts/run.py", "pkg", ("core", "Cart"), ["pkg/core.py", "pkg/__init__.py#Cart"]),
        ("scripts/run.py", "pkg.sub", ("*",), ["pkg/sub/__init__.py"]),
        ("scripts/run.py", "near", (), ["scripts/near.py"]),
        ("scripts/run.py", "tool", ("go",), ["src/tool/__init__.py#go"]),
        ("scripts/run.py", "deep.mod", (), ["lib/deep/mod.py"]),
        ("pkg/sub/leaf.py", ".", ("x",), ["pkg/sub/__init__.py#x"]),
        ("pkg/sub/leaf.py", "..core", ("x",), ["pkg/core.py#x"]),
        ("pkg/sub/leaf.py", "..", ("core",), ["pkg/core.py"]),
        ("pkg/sub/leaf.py", ".....core", ("x",), []),
        ("scripts/run.py", "json", (), []),
        ("scripts/run.py", "leaf", (), []),
        ("scripts/run.py", "numpy", (), []),
        ("scripts/run.py", "pkg.gone", ("x",), []),
    ],
)
def test_python(path: str, module: str, names: tuple[str, ...], expected: list[str]) -> None:
    """Absolute from the root, `src` or beside a script, relative by dots; what is inside a package is no top level."""
    assert meant("python", path, module, *names) == expected


@pytest.mark.parametrize(
    ("module", "names", "expected"),
    [
        ("./util", ("a",), ["web/util.ts#a"]),
        ("./util.js", (), ["web/util.ts"]),
        ("./parts", (), ["web/parts/index.tsx"]),
        ("../packages/core/src/deep", (), ["packages/core/src/deep.ts"]),
        ("@acme/core", ("x",), ["packages/core/src/index.ts#x"]),
        ("@acme/core/deep", (), ["packages/core/src/deep.ts"]),
        ("@acme/fake", (), []),
        ("react", (), []),
        ("node:fs", (), []),
        ("../../../etc/passwd", (), []),
        ("./none", (), []),
    ],
)
def test_scripts(module: str, names: tuple[str, ...], expected: list[str]) -> None:
    """Relative paths with the endings that are left out, and packages by the name in their `package.json`."""
    assert meant("typescript", "web/app.ts", module, *names) == expected


@pytest.mark.parametrize(
    ("language", "path", "module", "expected"),
    [
        ("c", "csrc/main.c", "local.h", ["csrc/local.h"]),
        ("c", "csrc/main.c", "shop/cart.h", ["include/shop/cart.h"]),
        ("c", "csrc/main.c", "string.h", ["csrc/string.h"]),
        ("c", "csrc/main.c", "errno.h", []),
        ("cpp", "csrc/main.c", "../include/shop/cart.h", ["include/shop/cart.h"]),
        ("go", "main.go", "example.org/shop/cart", ["cart/cart.go"]),
        ("go", "cart/cart.go", "example.org/shop", ["main.go"]),
        ("go", "main.go", "github.com/x/y", ["vendor/github.com/x/y/y.go"]),
        ("go", "main.go", "net/http", []),
        ("rust", "crate/src/lib.rs", "crate::net::tcp::Stream", ["crate/src/net/tcp.rs#Stream"]),
        ("rust", "crate/src/net/tcp.rs", "super::Listener", ["crate/src/net/mod.rs#Listener"]),
        ("rust", "crate/src/net/mod.rs", "self::tcp", ["crate/src/net/tcp.rs"]),
        ("rust", "crate/src/net/tcp.rs", "crate::error", ["crate/src/error.rs"]),
        ("rust", "crate/src/lib.rs", "my_tool::args::Args", ["my-tool/src/args.rs#Args"]),
        ("rust", "crate/src/lib.rs", "std::fmt", []),
        ("java", "java/src/com/app/Main.java", "com.shop.Cart", ["java/src/com/shop/Cart.java"]),
        ("java", "java/src/com/app/Main.java", "com.shop.Cart.of", ["java/src/com/shop/Cart.java"]),
        (
            "java",
            "java/src/com/app/Main.java",
            "com.shop",
            ["java/src/com/shop/Cart.java", "java/src/com/shop/Item.java"],
        ),
        ("java", "java/src/com/app/Main.java", "java.util.Map", []),
        ("php", "php/index.php", "Shop\\Cart\\Item", ["php/src/Cart/Item.php"]),
        ("php", "php/index.php", "Psr\\Item", []),
        ("lua", "lua/shop/cart.lua", "shop", ["lua/shop/init.lua"]),
        ("lua", "lua/shop/init.lua", "shop.cart", ["lua/shop/cart.lua"]),
        ("ruby", "rb/bin/run.rb", "shop/cart", ["rb/lib/shop/cart.rb"]),
        ("ruby", "rb/bin/run.rb", "../lib/shop/cart", ["rb/lib/shop/cart.rb"]),
        ("ruby", "rb/bin/run.rb", "json", []),
        ("bash", "sh/main.sh", "${BASE}/lib/log.sh", ["sh/lib/log.sh"]),
        ("bash", "sh/main.sh", "$THEME/$NAME/x.sh", []),
        ("zig", "zig/main.zig", "cart.zig", ["zig/cart.zig"]),
        ("haskell", "hs/Main.hs", "Shop.Cart", ["hs/Shop/Cart.hs"]),
        ("kconfig", "Kconfig", "drivers/Kconfig", ["drivers/Kconfig"]),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "autotools", ["meta/classes-recipe/autotools.bbclass"]),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "rm_work", ["meta/classes/rm_work.bbclass"]),
        ("bitbake", "meta-own/recipes-x/x_1.0.bb", "rm_work", ["meta-own/classes/rm_work.bbclass"]),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "none", []),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "zlib.inc", ["meta/recipes-core/zlib/zlib.inc"]),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "${BPN}.inc", ["meta/recipes-core/zlib/zlib.inc"]),
        ("bitbake", "meta-own/recipes-x/x_1.0.bb", "conf/machine/qemu.inc", ["meta/conf/machine/qemu.inc"]),
        (
            "bitbake",
            "meta-own/recipes-x/x_1.0.bb",
            "${COREBASE}/meta/conf/machine/qemu.inc",
            ["meta/conf/machine/qemu.inc"],
        ),
        ("bitbake", "meta-own/recipes-x/x_1.0.bb", "conf/machine/${MACHINE}.conf", []),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "update-rc.d", ["meta/classes/update-rc.d.bbclass"]),
        ("bitbake", "meta/recipes-core/zlib/zlib_1.3.bb", "zlib-${PV}.inc", ["meta/recipes-core/zlib/zlib-1.3.inc"]),
        ("bitbake", "meta-own/recipes-x/x_1.0.bb", "../../../etc/passwd", []),
        ("css", "app.css", "./base.css", ["base.css"]),
        ("json", "a.json", "base", []),
    ],
)
def test_the_other_languages(language: str, path: str, module: str, expected: list[str]) -> None:
    assert meant(language, path, module) == expected


def test_names_of_a_list_lead_to_their_own_files() -> None:
    assert meant("rust", "crate/src/lib.rs", "crate::net", "tcp", "Listener") == [
        "crate/src/net/tcp.rs",
        "crate/src/net/mod.rs#Listener",
    ]


def test_a_buffer_that_was_never_saved_can_be_imported() -> None:
    tree = Tree(PathTable([DocumentPath("a.py")]), [DocumentPath("fresh.py"), DocumentPath("a.py")], lambda _path: "")
    assert meant("python", "a.py", "fresh", tree=tree) == ["fresh.py"]
    assert meant("c", "main.c", "fresh.py", tree=tree) == ["fresh.py"]


def test_the_nearest_of_several_is_meant() -> None:
    paths = ["a/x/util.h", "b/util.h", "b/y/z/util.h"]
    assert [closeness(DocumentPath(path), DocumentPath("b/y/main.c"))[:2] for path in paths] == [(2, 2), (1, 0), (0, 1)]
    tree = Tree(PathTable(map(DocumentPath, paths)), (), lambda _path: "")
    assert meant("c", "b/y/main.c", "util.h", tree=tree) == ["b/y/z/util.h"]


MODULES = st.text(alphabet="./\\@$*{}: ab\0\n\u202e_-~", max_size=20)


@given(language=st.sampled_from([*STYLES, "python", "typescript", "go", "rust", "bitbake", "text"]), module=MODULES)
def test_no_module_leads_anywhere_but_to_a_document_of_the_tree(language: str, module: str) -> None:
    """Pitfall SE01: whatever an import says, the answer is a path of the table or nothing."""
    for path in ("pkg/core.py", "main.go", "crate/src/lib.rs"):
        for names in ((), ("a",), ("..", "*")):
            found = targets(TREE, DocumentPath(path), language, Import(module, 1, names))
            assert all(TREE.has(one.path) for one in found)
