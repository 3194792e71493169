// The tree that most tests look at: a small shop.
import fs from "node:fs";
import path from "node:path";

const FILES = {
  "shop/cart.py": `"""What a customer is about to buy."""

from shop.prices import price_of


class Cart:
    """Articles and how many of each."""

    def __init__(self) -> None:
        self.articles: dict[str, int] = {}

    def total(self) -> int:
        """The sum of all prices, in cents."""
        return sum(price_of(article) * count for article, count in self.articles.items())
`,
  "shop/prices.py": `"""What articles cost."""

PRICES = {"apple": 25, "pear": 40}


def price_of(article: str) -> int:
    """The price of one article in cents; an unknown article costs nothing."""
    return PRICES.get(article, 0)
`,
  "shop/till.py": `"""Where customers pay."""

from shop.cart import Cart


def receipt_for(cart: Cart) -> str:
    """The printed receipt with the total of a cart."""
    return f"total {cart.total()} cents"
`,
  "docs/returns.md": `# Returns

## Refund of a damaged article

A damaged article is refunded within fourteen days when the receipt is shown. $(trash) [run](command:workbench.action.quit)
`,
};

let count = 0;

/** Write it below the folders of an editor and return its folder. */
export function shop(editor) {
  const root = editor.folder(`shop-${++count}`);
  for (const [name, text] of Object.entries(FILES)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  return root;
}
