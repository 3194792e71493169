"""A card says what is known of a place, from one glance, and of a name by itself in a tree that did not say it."""

from pathlib import Path

from gazetteer.context.card import Card, Cards, Map, Spot
from gazetteer.kb.model import DocumentPath

from ..trees import opened

TREE = """
-- shop/cart.py --
class Cart:
    '''Holds what is bought. More.'''

-- shop/pay.py --
from shop.cart import Cart


def pay():
    return Cart()

-- docs/guide.md --
# Guide

## The Cart

`Cart` holds items.
"""


def named(folder: Path, name: str, start: int) -> Card | None:
    with opened(folder, TREE) as session:
        glance = session.glance()
        assert glance is not None
        return Cards(glance, Map("- `shop/` sells\n", "tree"), lambda: False).named(name, start)


def test_a_name_by_itself_is_found_in_a_tree_that_did_not_say_it(tmp_path: Path) -> None:
    card = named(tmp_path, "Cart", 40)
    assert card is not None
    assert (card.start, card.end, card.kind, card.title) == (40, 44, "class", "Cart")
    assert card.defined == Spot(DocumentPath("shop/cart.py"), 1)
    assert card.document == "Holds what is bought."
    assert card.usage is not None
    assert (card.usage.count, card.usage.places) == (1, (Spot(DocumentPath("shop/pay.py"), 5, "pay"),))
    assert card.section == Spot(DocumentPath("docs/guide.md"), 3, "The Cart")
    assert card.orientation == "`shop/` sells"


def test_a_name_that_nothing_defines_has_no_card(tmp_path: Path) -> None:
    assert named(tmp_path, "cart_of_nobody", 0) is None


def test_a_local_is_not_taken_for_a_part_of_what_is_used_beside_it(tmp_path: Path) -> None:
    """R6: `add` here is a variable; the call on its line is of `address`."""
    text = "def f():\n    add = address()\n    return add\n"
    with opened(tmp_path, f"-- sums.py --\ndef add(a, b):\n    return a + b\n\n-- use.py --\n{text}") as session:
        glance = session.glance()
        assert glance is not None
        cards = Cards(glance, Map(), lambda: False)
        assert cards.at(DocumentPath("use.py"), text.index("add =")) is None
        assert cards.at(DocumentPath("sums.py"), 5) is not None
