import assert from "node:assert/strict";
import { gist } from "../../src/gist";

describe("the gist of a card", () => {
  it("is its first telling line without Markdown", () => {
    const card =
      "**method** `total` · in `Cart` · [`shop/cart.py:12`](file:///shop/cart.py#L12)\n```python\ndef total(self)\n```";
    assert.equal(gist({ value: card }), "method total · in Cart · shop/cart.py:12");
    assert.equal(gist("```c\n---\na \\* b &lt; c"), "a * b < c".replace("a", "a"));
  });

  it("is not long, and nothing for nothing", () => {
    assert.equal(gist("x".repeat(500)).length, 120);
    assert.equal(gist("```"), "");
  });
});
