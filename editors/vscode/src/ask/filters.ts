/**
 * What was typed as a question: words, and filters such as `lang:python` in between. Pure; what the filters mean is the
 * server's business, and it says so when a value makes no sense.
 */

import type { Question } from "../protocol";

/** The filters, and the field of the question that each fills. */
export const FILTERS = { corpus: "corpora", lang: "lang", path: "path", kind: "kind" } as const;

type Field = (typeof FILTERS)[keyof typeof FILTERS];

const WORD = /(?:[^\s"]|"[^"]*"?)+/g;

/** Read what was typed; a filter without a value yet is neither a filter nor a word. */
export function parse(typed: string): Question {
  const words: string[] = [];
  const found: Partial<Record<Field, string[]>> = {};
  for (const [word] of typed.matchAll(WORD)) {
    const colon = word.indexOf(":");
    const name = word.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isFilter(name)) {
      words.push(word);
      continue;
    }
    const field = FILTERS[name];
    const values = split(word.slice(colon + 1));
    if (values.length) {
      found[field] = [...(found[field] ?? []), ...values];
    }
  }
  const { corpora, ...rest } = found;
  const query = words.join(" ");
  if (corpora === undefined) {
    return { query, ...rest };
  }
  return { query, ...rest, corpora: corpora.includes("all") ? "all" : corpora };
}

function isFilter(name: string): name is keyof typeof FILTERS {
  return Object.hasOwn(FILTERS, name);
}

/** Values between commas; quotation marks hold one together and are not part of it. */
function split(text: string): string[] {
  const values = text.match(/(?:[^,"]|"[^"]*"?)+/g) ?? [];
  return values.map((value) => value.replaceAll('"', "").trim()).filter(Boolean);
}
