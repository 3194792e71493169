"""Trees and editors that the tests of this folder share."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from .editor import Editor, Home, bounded, neovim


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """No test waits for ever for an editor."""
    with bounded(item.name):
        yield


pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup

SHOP = {
    "knowledge.yaml": "",
    "shop/cart.py": '''\
"""What a customer is about to buy."""

from shop.prices import price_of


class Cart:
    """Articles and how many of each."""

    def __init__(self) -> None:
        self.articles: dict[str, int] = {}

    def total_price(self) -> int:
        """Add up what the articles of the cart cost, in cents."""
        return sum(price_of(name) * count for name, count in self.articles.items())
''',
    "shop/prices.py": '''\
"""What articles cost."""

PRICES = {"apple": 30, "pear": 45}


def price_of(article: str) -> int:
    """Look up the price of one article, in cents.

    An article that is not in the list costs nothing.
    """
    return PRICES.get(article, 0)
''',
    "shop/till.py": '''\
"""Where customers pay."""

from shop.cart import Cart
from shop.prices import price_of


def receipt(cart: Cart) -> list[str]:
    """Write one line for each article of the cart, with its price."""
    return [f"{name} {price_of(name)}" for name in cart.articles]
''',
    "README.md": """\
# Shop

## Prices

`price_of` knows what every article costs. Prices are whole cents.
""",
    "notes": "Ask the baker about the price of bread.\n",
}


def plant(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree", SHOP)


@pytest.fixture
def editor(home: Home, shop: Path) -> Iterator[Editor]:
    """A Neovim in the shop, the plugin turned on by ``vim.lsp.enable`` alone."""
    with neovim(home, shop) as running:
        yield running


class Desk:
    """An editor that the tests of one module use one after the other, and the shop that is open in it."""

    def __init__(self, editor: Editor, shop: Path) -> None:
        self.editor = editor
        self.shop = shop

    def clear(self) -> Editor:
        """Put everything back: files, buffers, windows, options and what a test replaced in the editor."""
        self.editor.lua(RESET)
        plant(self.shop, SHOP)
        return self.editor


RESET = """
    for _, command in ipairs({ 'fclose!', '%bwipeout!', 'tabonly', 'only', 'messages clear' }) do
      vim.cmd('silent! ' .. command)
    end
    vim.fn.setqflist({}, 'f')
    package.loaded['gazetteer.options'] = nil
    _G.own_ui = _G.own_ui or { select = vim.ui.select, input = vim.ui.input }
    vim.ui.select, vim.ui.input = _G.own_ui.select, _G.own_ui.input"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    shop = plant(folder / "tree", SHOP)
    with neovim(Home(folder / "home"), shop) as running:
        yield Desk(running, shop)
