import assert from "node:assert/strict";
import { below, hitsOf, idOf, top, type Node } from "../../src/results/model";
import { why } from "../../src/results/receipt";
import type { Expansion } from "../../src/protocol";
import { answer, hit, receipt } from "./hits";

const nothing = new Map<string, Expansion>();
const other = hit({ uri: "file:///shop/a.py", path: "a.py", citation: "a.py (Line 1)" });
const again = hit({ citation: "shop/prices.py § other (Line 20)" });

describe("results", () => {
  it("group by document, in the order of the answer", () => {
    const nodes = top({ title: "t", answer: answer([hit(), other, again]) });
    const groups = nodes.map((node) => (node.kind === "document" ? [node.path, node.hits.length] : node.kind));
    assert.deepEqual(groups, [["shop/prices.py", 2], ["a.py", 1], "why"]);
  });

  it("group by corpus where there are several", () => {
    const nodes = top({ title: "t", answer: answer([hit(), { ...other, corpus: "docs" }]) });
    assert.deepEqual(
      nodes.map((node) => (node.kind === "corpus" ? node.name : node.kind)),
      ["shop", "docs", "why"],
    );
    const [first] = nodes;
    assert.ok(first);
    assert.deepEqual(
      below(first, nothing).map(({ kind }) => kind),
      ["document"],
    );
  });

  it("show the lines of an excerpt, or those that were asked for, and what else a hit stands for", () => {
    const also = { path: "copy.py", lines: [1, 2] as const, heading: "", reason: "same text" };
    const node: Node = { kind: "hit", hit: hit({ also: [also] }) };
    assert.deepEqual(
      below(node, nothing).map(({ kind }) => kind),
      ["line", "line", "also"],
    );
    const expansion = { text: "a\nb\nc\n", textLines: [5, 7] } as unknown as Expansion;
    const lines = below(node, new Map([[node.hit.locator, expansion]]));
    assert.deepEqual(
      lines.map((one) => (one.kind === "line" ? one.line.number : one.kind)),
      [5, 6, 7, "also"],
    );
  });

  it("have names as long as they are shown, and stand for hits", () => {
    const nodes = top({ title: "t", answer: answer([hit(), again]) });
    assert.deepEqual(
      nodes.map((node) => idOf(node, 4)),
      ["4:document:file:///shop/shop/prices.py", "4:why"],
    );
    assert.deepEqual(
      nodes.map((node) => hitsOf(node).length),
      [2, 0],
    );
  });
});

describe("why these results", () => {
  const labels = (given: Parameters<typeof receipt>[0]): string[] => why(answer([], given)).map(({ label }) => label);

  it("says plan, corpora, freshness, and what was left out", () => {
    assert.deepEqual(labels({}), ["Plan: broad", "Corpora", "Freshness", "Semantic search: not used", "Left out"]);
    const [plan] = why(answer([]));
    assert.deepEqual(
      plan?.below?.map(({ label }) => label),
      ["✓ lexical", "– graph"],
    );
  });

  it("counts what was held back, and names gaps, routing and what is missing", () => {
    const plan = {
      ...receipt().plan,
      gaps: ["foo is defined nowhere"],
      routing: [
        { corpus: "docs", standing: "shared", chosen: false, rule: "r", reason: "not named", found: 0, shown: 0 },
      ],
    };
    const given = {
      plan,
      suppressed: { "same text": 2, none: 0 },
      missing: ["a.py was not read"],
      notices: ["n"],
      truncated: true,
    };
    assert.deepEqual(labels(given), [
      "Plan: broad",
      "Routing",
      "Corpora",
      "Freshness",
      "Semantic search: not used",
      "Left out",
      "Gaps",
      "Missing",
      "Notices",
    ]);
    const left = why(answer([], given)).find(({ label }) => label === "Left out");
    assert.deepEqual(
      left?.below?.map(({ label }) => label),
      ["same text", "cut at a bound of the answer"],
    );
  });
});
