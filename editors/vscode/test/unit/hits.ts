/** Hits and answers for tests of units. */

import type { Answer, Hit, Receipt } from "../../src/protocol";

export function hit(given: Partial<Hit> = {}): Hit {
  const range = { start: { line: 5, character: 0 }, end: { line: 7, character: 0 } };
  return {
    corpus: "shop",
    path: "shop/prices.py",
    relpath: "shop/prices.py",
    uri: "file:///shop/shop/prices.py",
    range,
    selectionRange: range,
    lines: [6, 8],
    language: "python",
    kind: "function",
    heading: "price_of",
    label: "shop/prices.py § price_of",
    citation: "shop/prices.py § price_of (Line 6)",
    locator: `gz1:${given.citation ?? "a"}`,
    via: ["exact", "lexical"],
    signals: [{ via: "lexical", rank: 1, score: { value: 2.5, kind: "bm25" } }],
    score: { value: 0.03, kind: "rrf" },
    snippet: "def price_of(article):\n    return 0\n",
    snippetLines: [6, 7],
    text: "def price_of(article):\n    return 0\n",
    freshness: "verified",
    ...given,
  };
}

export function receipt(given: Partial<Receipt> = {}): Receipt {
  return {
    snapshot: { id: "1-a", corpora: [{ corpus: "shop", generation: 1, documents: 4, chunks: 9 }] },
    freshness: { hashed: 2, refreshed: 0, sweepComplete: true, sweepAgeMs: 100, staleExcluded: 0 },
    semantic: false,
    semanticReason: "no vectors",
    plan: {
      queryClass: "broad",
      confidence: 0.4,
      terms: ["price"],
      steps: [
        { strategy: "lexical", chosen: true, rule: "floor", reason: "words", found: 3, costMs: 1.2 },
        { strategy: "graph", chosen: false, rule: "no.relation", reason: "asks for no relation", found: 0, costMs: 0 },
      ],
    },
    notices: [],
    missing: [],
    suppressed: {},
    truncated: false,
    elapsedMs: 3,
    ...given,
  };
}

export function answer(hits: readonly Hit[], given: Partial<Receipt> = {}): Answer {
  return { hits, receipt: receipt(given) };
}
