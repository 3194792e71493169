/**
 * An answer as a tree: corpora where there are several, documents, hits, lines of text; and why these results. Pure. The
 * order is the answer's: a group stands where its best hit stands.
 */

import { excerpt, type Line } from "../ask/wording";
import type { Answer, Expansion, Hit, Place } from "../protocol";
import { why, type Fact } from "./receipt";

export interface Results {
  readonly title: string;
  readonly answer: Answer;
}

export type Node =
  | { readonly kind: "corpus"; readonly name: string; readonly hits: readonly Hit[] }
  | { readonly kind: "document"; readonly path: string; readonly uri: string; readonly hits: readonly Hit[] }
  | { readonly kind: "hit"; readonly hit: Hit }
  | { readonly kind: "line"; readonly hit: Hit; readonly line: Line }
  | { readonly kind: "also"; readonly hit: Hit; readonly place: Place }
  | { readonly kind: "why"; readonly answer: Answer }
  | { readonly kind: "fact"; readonly fact: Fact };

/** The nodes at the top. */
export function top({ answer }: Results): readonly Node[] {
  const corpora = group(answer.hits, ({ corpus }) => corpus);
  const below: readonly Node[] =
    corpora.size > 1 ? [...corpora].map(([name, hits]) => ({ kind: "corpus", name, hits })) : documents(answer.hits);
  return [...below, { kind: "why", answer }];
}

/** The nodes below a node; `expanded` holds the text around hits that was asked for, by locator. */
export function below(node: Node, expanded: ReadonlyMap<string, Expansion>): readonly Node[] {
  switch (node.kind) {
    case "corpus":
      return documents(node.hits);
    case "document":
      return node.hits.map((hit) => ({ kind: "hit", hit }));
    case "hit":
      return inside(node.hit, expanded.get(node.hit.locator));
    case "why":
      return why(node.answer).map((fact) => ({ kind: "fact", fact }));
    case "fact":
      return (node.fact.below ?? []).map((fact) => ({ kind: "fact", fact }));
    case "line":
    case "also":
      return [];
  }
}

/** The node that a document or a hit stands below; undefined at the top. */
export function above(node: Node, results: Results): Node | undefined {
  const [hit] = hitsOf(node);
  const [corpus] = top(results).filter((one) => one.kind === "corpus" && one.name === hit?.corpus);
  switch (node.kind) {
    case "document":
      return corpus;
    case "hit":
      return documents(results.answer.hits.filter(({ corpus }) => corpus === hit?.corpus)).find(
        (one) => hitsOf(one)[0]?.uri === hit?.uri,
      );
    case "corpus":
    case "line":
    case "also":
    case "why":
    case "fact":
      return undefined;
  }
}

/** The hits that a node stands for. */
export function hitsOf(node: Node): readonly Hit[] {
  switch (node.kind) {
    case "corpus":
    case "document":
      return node.hits;
    case "hit":
    case "line":
    case "also":
      return [node.hit];
    case "why":
    case "fact":
      return [];
  }
}

/** A name of a node that stays the same as long as the results do. */
export function idOf(node: Node, results: number): string | undefined {
  switch (node.kind) {
    case "corpus":
      return `${results}:corpus:${node.name}`;
    case "document":
      return `${results}:document:${node.uri}`;
    case "hit":
      return `${results}:hit:${node.hit.locator}`;
    case "why":
      return `${results}:why`;
    case "line":
    case "also":
    case "fact":
      return undefined;
  }
}

function documents(hits: readonly Hit[]): readonly Node[] {
  return [...group(hits, ({ uri }) => uri)].map(([uri, found]) => ({
    kind: "document",
    path: found[0]?.path ?? uri,
    uri,
    hits: found,
  }));
}

function inside(hit: Hit, expansion: Expansion | undefined): readonly Node[] {
  const lines = expansion === undefined ? excerpt(hit) : textOf(expansion);
  return [
    ...lines.map((line): Node => ({ kind: "line", hit, line })),
    ...(hit.also ?? []).map((place): Node => ({ kind: "also", hit, place })),
  ];
}

function textOf(expansion: Expansion): readonly Line[] {
  const lines = expansion.text.replace(/\n$/, "").split("\n");
  return lines.map((text, at) => ({ number: expansion.textLines[0] + at, text, highlights: [] }));
}

function group<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = key(value);
    const found = groups.get(name);
    if (found === undefined) {
      groups.set(name, [value]);
    } else {
      found.push(value);
    }
  }
  return groups;
}
