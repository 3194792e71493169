import assert from "node:assert/strict";
import { bestLine, cited, excerpt, iconless, place, plain } from "../../src/ask/wording";
import { hit } from "./hits";

describe("a hit in words", () => {
  it("highlights in the units of the editor what the server counted in code points", () => {
    const snippet = "# 🍐🍐 pear\nprice of 🍐 pear\n";
    const start = Array.from(snippet).lastIndexOf("p");
    const [first, second] = excerpt(hit({ snippet, snippetLines: [3, 4], highlights: [[start, start + 4]] }));
    assert.deepEqual(first?.highlights, []);
    const [[from, to] = [0, 0]] = second?.highlights ?? [];
    assert.equal(second?.text.slice(from, to), "pear");
    assert.equal(second?.number, 4);
  });

  it("cuts a highlight over several lines at their ends", () => {
    const lines = excerpt(hit({ snippet: "one\ntwo\n", highlights: [[1, 6]] }));
    assert.deepEqual(
      lines.map(({ text, highlights }) => highlights.map(([a, b]) => text.slice(a, b))),
      [["ne"], ["tw"]],
    );
  });

  it("names the line that the citation names, wherever the passage begins", () => {
    const at = { line: 41, character: 4 };
    const one = hit({ selectionRange: { start: at, end: { line: 41, character: 9 } } });
    assert.equal(cited(one), 42);
    assert.equal(place(one), "shop/prices.py:42");
  });

  it("shows the line that matches most", () => {
    assert.equal(
      bestLine(
        hit({
          snippet: "a price\n  the price of pears\n",
          highlights: [
            [2, 7],
            [14, 27],
          ],
        }),
      ),
      "the price of pears",
    );
    assert.equal(bestLine(hit({ snippet: "\n   \n" })), "");
  });

  it("shows nothing that is not seen, and makes no icons", () => {
    assert.equal(plain("a\u202eb\u0007c\nd"), "ab c d");
    assert.equal(iconless("$(trash) now"), "\\$(trash) now");
  });
});
