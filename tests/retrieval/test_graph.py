"""Who defines, calls and imports what: held against regular expressions over the same small trees, buffers included."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from gazetteer.app import Session
from gazetteer.kb.cancel import Cancel
from gazetteer.kb.errors import CancelledError
from gazetteer.kb.model import DocumentPath, Role
from gazetteer.kb.snapshot import Document
from gazetteer.retrieval.analyze import analyse
from gazetteer.retrieval.glance import Glance
from gazetteer.retrieval.graph import LEAST, Definitions, Graph, Reach, Uses
from gazetteer.retrieval.origins import Near
from gazetteer.retrieval.planner import KEYWORDS_AND_STRUCTURE, plan
from gazetteer.retrieval.query import Filters, Query
from gazetteer.retrieval.tracing import Tracing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..trees import opened

NAMES = [f"step_{letter}" for letter in "abcde"]
MODULES = [f"pkg/{name}.py" for name in ("one", "two", "three", "four")]
DEFINED = re.compile(r"^def (\w+)\(\):$", re.MULTILINE)
CALLED = re.compile(r"^    (\w+)\(\)$")
TAKEN = re.compile(r"^from pkg\.(\w+) import (\w+)$|^import pkg\.(\w+)$")


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A module that imports some names, defines some and calls some, at most one definition a name."""
    lines = []
    for _ in range(draw(st.integers(0, 2))):
        module, name = draw(st.sampled_from(["one", "two", "three", "four", "gone"])), draw(st.sampled_from(NAMES))
        lines.append(draw(st.sampled_from([f"from pkg.{module} import {name}", f"import pkg.{module}"])))
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)):
        lines += ["", f"def {name}():", "    pass"]
        lines += [f"    {called}()" for called in draw(st.lists(st.sampled_from(NAMES), max_size=3))]
    if draw(st.booleans()):
        lines += ["", "# step_a() and step_b() are only talked about here"]
    return "\n".join(lines) + "\n"


TREES = st.fixed_dictionaries({path: modules() for path in MODULES})


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    saved = "\n\ndef step_a():\n    step_b()\n\n\ndef step_b():\n    step_a()\n"
    files = "".join(f"-- {path} --\nfrom pkg.two import step_c\n{saved}" for path in MODULES)
    with opened(tmp_path_factory.mktemp("graph"), f"-- pkg/__init__.py --\n\n{files}") as one:
        yield one


def glance(session: Session) -> Glance:
    found = session.glance()
    assert found is not None
    return found


def places(uses: Uses) -> set[tuple[str, int]]:
    assert uses.complete
    return {(use.document.path, use.line) for use in uses.places}


def lines_with(texts: Mapping[str, str], form: re.Pattern[str]) -> Iterator[tuple[str, int, re.Match[str]]]:
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            if (match := form.match(line)) is not None:
                yield path, number, match


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TREES, name=st.sampled_from(NAMES), home=st.sampled_from(MODULES))
def test_edges_are_those_that_the_texts_have(session: Session, texts: dict[str, str], name: str, home: str) -> None:
    """R8: unsaved text owns its documents, so the answer is that of the buffers alone, whatever the index holds."""
    for path, text in texts.items():
        session.kb.open_buffer(DocumentPath(path), text, 1)
    graph = glance(session).graph()

    calls = {(path, line) for path, line, match in lines_with(texts, CALLED) if match[1] == name}
    assert places(graph.uses(name, roles=[Role.CALL])) == calls

    defined = {(path, line) for path, line, match in lines_with(texts, DEFINED) if match[1] == name}
    found = graph.definitions(name, Near(DocumentPath(home), 1)).found
    told = [(one.document.path, line_of(session, one.document.path, one.at)) for one in found]
    taken = {match[1] for path, _, match in lines_with(texts, TAKEN) if path == home and match[2] == name}
    at_home = any(path == home for path, _ in defined)
    # What comes from a module that is not there comes from outside, and nothing of the same name is claimed for it.
    assert set(told) == (set() if taken == {"gone"} and not at_home else defined)
    if at_home:
        assert told[0][0] == home
    elif taken & {Path(path).stem for path, _ in set(told)}:
        assert Path(told[0][0]).stem in taken

    importing = {
        (path, line)
        for path, line, match in lines_with(texts, TAKEN)
        if f"pkg/{match[1] or match[3]}.py" == home and path != home
    }
    assert places(graph.importers(DocumentPath(home))) == importing


def line_of(session: Session, path: DocumentPath, at: int) -> int:
    snapshot = glance(session).snapshot
    document = snapshot.document(path)
    assert document is not None
    return snapshot.derived(document).symbols[at].first_line


# -- examples, one for each promise ------------------------------------------------------------------------------------

SHOP = """
-- shop/__init__.py --
from .cart import Cart
from .cart import total as total

-- shop/cart.py --
'''Carts.'''
import os
from typing import NamedTuple

RATE = 3


class Cart:
    '''What is bought.'''

    def add(self, item):
        self.check(item)
        return RATE

    def check(self, item):
        return os.path.join(item)


class Basket:
    def add(self, item):
        pass


def total(cart):
    return RATE * 2


def text():
    pass

-- shop/pay.py --
from shop import Cart, total


def pay(cart):
    text = total(cart)
    print(text)
    return Cart().add(text)

-- tests/test_cart.py --
import shop as s
from shop.cart import Cart


def test_add():
    Cart().add(1)
    assert s.total(None)

-- lib/util.c --
#include "util.h"

int fold(int a)
{
    return a;
}

-- lib/util.h --
int fold(int a);

-- lib/main.c --
#include "util.h"

int main(void)
{
    return fold(2);
}

-- docs/cart.md --
# Cart

`Cart` holds items.
"""


def test_what_an_import_names_comes_before_what_that_passes_on(session: Session) -> None:
    """Found by the test above: the nearer document imports the name from elsewhere and defines it again."""
    texts = {
        "one": "from pkg.two import step_e\n",
        "two": "from pkg.three import step_e\n\n\ndef step_e():\n    pass\n",
        "three": "def step_e():\n    pass\n",
        "four": "\n",
    }
    for name, text in texts.items():
        session.kb.open_buffer(DocumentPath(f"pkg/{name}.py"), text, 1)
    assert defines(session, "step_e", "pkg/one.py") == ["pkg/two.py:4", "pkg/three.py:1"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("shop"), SHOP) as one:
        yield one


def told(session: Session, found: Definitions) -> list[str]:
    return [f"{one.document.path}:{line_of(session, one.document.path, one.at)}" for one in found.found]


def defines(session: Session, name: str, path: str, line: int = 1, **how: object) -> list[str]:
    near = Near(DocumentPath(path), line, **how)  # type: ignore[arg-type]
    return told(session, glance(session).graph().definitions(name, near))


def test_a_name_is_followed_through_a_package_that_passes_it_on(shop: Session) -> None:
    found = glance(shop).graph().definitions("Cart", Near(DocumentPath("shop/pay.py"), 7)).found
    assert [(one.document.path, one.reach) for one in found] == [("shop/cart.py", Reach.IMPORTED)]


def test_an_alias_of_a_module_leads_where_the_module_leads(shop: Session) -> None:
    assert defines(shop, "total", "tests/test_cart.py", 7, qualifiers=("s",), member=True) == ["shop/cart.py:24"]


def test_what_comes_from_outside_is_not_taken_for_a_name_of_the_tree(shop: Session) -> None:
    graph = glance(shop).graph()
    outside = graph.definitions("NamedTuple", Near(DocumentPath("shop/cart.py"), 3))
    assert (outside.found, outside.external) == ((), "typing")
    joined = graph.definitions("join", Near(DocumentPath("shop/cart.py"), 18, ("os", "path"), member=True))
    assert (joined.found, joined.external) == ((), "os")


def test_a_local_variable_is_not_taken_for_a_definition_elsewhere(shop: Session) -> None:
    assert defines(shop, "text", "shop/pay.py", 6, used=False) == []
    assert defines(shop, "text", "shop/cart.py", 1, used=False) == ["shop/cart.py:28"]


def test_a_member_of_the_class_around_comes_first(shop: Session) -> None:
    assert defines(shop, "add", "shop/cart.py", 16, qualifiers=("Basket",), member=True) == [
        "shop/cart.py:20",
        "shop/cart.py:11",
    ]


def test_what_defines_a_c_function_comes_before_what_declares_it(shop: Session) -> None:
    assert defines(shop, "fold", "lib/main.c", 5) == ["lib/util.c:3", "lib/util.h:1"]


def test_headings_of_prose_and_other_languages_define_nothing(shop: Session) -> None:
    assert defines(shop, "Cart", "shop/pay.py", 7) == ["shop/cart.py:8"]
    assert defines(shop, "Cart", "lib/main.c", 5) == []


def test_own_code_comes_before_tests_and_one_place_a_document_before_the_second(shop: Session) -> None:
    uses = glance(shop).graph().uses("add", language="python")
    assert [use.document.path for use in uses.places] == ["shop/pay.py", "tests/test_cart.py"]


def test_a_constant_is_mentioned_where_its_name_stands(shop: Session) -> None:
    graph = glance(shop).graph()
    assert graph.uses("RATE").places == ()
    assert places(graph.mentions("RATE", language="python")) == {("shop/cart.py", 13), ("shop/cart.py", 25)}


def test_what_a_definition_calls(shop: Session) -> None:
    view = glance(shop)
    document = view.snapshot.document(DocumentPath("shop/pay.py"))
    assert document is not None
    pay = next(at for at, one in enumerate(view.snapshot.derived(document).symbols) if one.name == "pay")
    called = view.graph().callees(document, pay)
    assert [(name, one.document.path) for name, one in called] == [
        ("total", "shop/cart.py"),
        ("Cart", "shop/cart.py"),
        ("add", "shop/cart.py"),
    ]


def test_includers_and_importers(shop: Session) -> None:
    graph = glance(shop).graph()
    assert places(graph.importers(DocumentPath("lib/util.h"))) == {("lib/util.c", 1), ("lib/main.c", 1)}
    assert places(graph.importers(DocumentPath("shop/__init__.py"))) == {("shop/pay.py", 1), ("tests/test_cart.py", 1)}


def test_what_is_stopped_says_that_there_may_be_more(tmp_path: Path) -> None:
    files = "".join(f"-- m{number:02}.py --\ndef use():\n    widely_used()\n" for number in range(20))
    with opened(tmp_path, files) as session:
        late = glance(session).graph(lambda: True).uses("widely_used")
        assert (len(late.places), late.complete) == (LEAST, False)
        whole = glance(session).graph().uses("widely_used")
        assert (len(whole.places), whole.complete) == (20, True)


def test_of_a_name_that_several_define_the_uses_that_reach_one_come_first(shop: Session) -> None:
    graph = glance(shop).graph()
    text = "from shop.cart import Cart, total\n\n\ndef late():\n    return total(1)\n"
    shop.kb.open_buffer(DocumentPath("zz.py"), text, 1)
    shop.kb.open_buffer(DocumentPath("aa.py"), "def total(x):\n    pass\n\n\ntotal(2)\n", 1)
    graph = glance(shop).graph()
    one = next(one for one in graph.definitions("total").found if one.document.path == "shop/cart.py")
    ordered = graph.reaching("total", one, graph.uses("total").places)
    reaching = [str(use.document.path) for use in ordered]
    assert reaching.index("zz.py") < reaching.index("aa.py")
    for name in ("zz.py", "aa.py"):
        shop.kb.close_buffer(DocumentPath(name))


def test_asking_who_calls_something_finds_the_callers(shop: Session) -> None:
    """R8: the strategy says why, can be filtered by, and admits only what the other filters admit."""
    answer = shop.retrieve(Query("who calls total", filters=Filters(via=("graph",))))
    assert [(hit.relpath, hit.heading, hit.via) for hit in answer.hits] == [
        ("shop/pay.py", "pay", ("graph",)),
        ("tests/test_cart.py", "test_add", ("graph",)),
    ]
    assert [signal.reason for signal in answer.hits[0].signals] == ["calls total"]
    fewer = shop.retrieve(Query("who calls total", filters=Filters(via=("graph",), paths=("tests/",))))
    assert [hit.relpath for hit in fewer.hits] == ["tests/test_cart.py"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who imports shop.cart", "tests/test_cart.py"),
        ("what does pay call", "shop/cart.py"),
        ("what does shop/pay.py import", "shop/__init__.py"),
        ("where is Cart used", "shop/pay.py"),
        ("importers of lib/util.h", "lib/main.c"),
    ],
)
def test_each_relation_is_followed(shop: Session, question: str, first: str) -> None:
    answer = shop.retrieve(Query(question, filters=Filters(via=("graph",))))
    assert answer.hits, answer.receipt.plan
    assert first in [hit.relpath for hit in answer.hits]


def test_names_alone_ask_for_their_uses_when_only_the_graph_is_wanted(shop: Session) -> None:
    answer = shop.retrieve(Query("total", filters=Filters(via=("graph",))))
    assert {hit.relpath for hit in answer.hits} == {"shop/pay.py", "shop/__init__.py", "tests/test_cart.py"}


MODULES_BY_NAME = """
-- lua/util.lua --
local M = {}
function M.track(x) end
return M
-- lua/cache.lua --
local Loader = {}
function Loader.track(x) end
return Loader
-- lua/use.lua --
local Util = require("util")
Util.track(1)
-- cs/Json.cs --
namespace Shop.Json
{
    class Writer { }
}
-- cs/Use.cs --
using Shop.Json;
using Shop.None;
class Uses { Writer w; }
-- ts/pool.ts --
export function createPool() { return 1 }
-- ts/core.ts --
import { createPool } from './pool'
createPool()
"""


def test_modules_that_are_named_where_they_are_taken(tmp_path: Path) -> None:
    """A variable that holds a module leads there; a namespace is where it is declared; not found is not outside."""
    with opened(tmp_path, MODULES_BY_NAME) as session:
        assert defines(session, "track", "lua/use.lua", 2, qualifiers=("Util",), member=True)[0] == "lua/util.lua:2"
        view = glance(session)
        document = view.snapshot.document(DocumentPath("cs/Use.cs"))
        assert document is not None
        assert [target.path for target in view.graph().targets(document, 0)] == ["cs/Json.cs"]
        assert view.graph().targets(document, 1) == ()
        assert view.graph().definitions("None", Near(document.path, 2)).external == ""


def test_an_export_is_no_use(tmp_path: Path) -> None:
    with opened(tmp_path, MODULES_BY_NAME) as session:
        assert places(glance(session).graph().uses("createPool")) == {("ts/core.ts", 2)}


def test_a_question_is_stopped_between_documents(tmp_path: Path) -> None:
    """A cancelled question reads no further document for the graph."""
    files = "".join(f"-- m{number:02}.py --\ndef use():\n    widely_used()\n" for number in range(20))
    with opened(tmp_path, files) as session:
        cancel, looked = Cancel(), []

        def check() -> None:
            looked.append(True)
            if len(looked) == 3:
                cancel.set()
            cancel.check()

        view = glance(session)
        tracing = Tracing(view.view, view.table, admits=lambda _document: True, check=check)
        made = plan(analyse("who calls widely_used"), KEYWORDS_AND_STRUCTURE, Query("who calls widely_used"))
        with pytest.raises(CancelledError):
            tracing.graph(made)
        assert len(looked) == 3


ASKED: dict[str, Callable[[Graph, Document], object]] = {
    "definitions": lambda graph, _: graph.definitions("shared"),
    "uses": lambda graph, _: graph.uses("shared"),
    "mentions": lambda graph, _: graph.mentions("shared"),
    "importing": lambda graph, _: graph.importing("shared"),
    "importers": lambda graph, _: graph.importers(DocumentPath("shared.py")),
    "callees": lambda graph, document: graph.callees(document, 0),
}


@pytest.mark.parametrize("name", ASKED)
def test_every_edge_can_be_stopped_between_any_two_documents(tmp_path: Path, name: str) -> None:
    """PR01: from the first document on, whatever is asked; a token that is set ends the work there."""
    calls = "".join(f"    shared{number:02}()\n" for number in range(LEAST - 1))
    files = f"-- shared.py --\nx = 1\n-- caller.py --\ndef call_all():\n{calls}"
    for number in range(LEAST - 1):
        files += f"-- m{number:02}.py --\nimport shared\n\n\ndef shared{number:02}():\n    shared()\n"
        files += f"-- n{number:02}.py --\ndef shared():\n    pass\n"
    with opened(tmp_path, files) as session:
        for allowed in range(1, 6):
            cancel = Cancel()
            looked: list[int] = []

            def stop(allowed: int = allowed, cancel: Cancel = cancel, looked: list[int] = looked) -> bool:
                looked.append(1)
                if len(looked) == allowed:
                    cancel.set()
                cancel.check()
                return False

            seen = glance(session)
            document = seen.snapshot.document(DocumentPath("caller.py"))
            assert document is not None
            with pytest.raises(CancelledError):
                ASKED[name](seen.graph(stop), document)
            assert len(looked) == allowed
