/** A hit in words: where it is, why it was found, how fresh its text is, the line that says most. Pure. */

import type { Freshness, Hit } from "../protocol";

/** What people are told of a text that was not verified against its file. */
export const FRESHNESS: Readonly<Record<Freshness, string>> = {
  verified: "",
  overlay: "unsaved",
  stale: "changed since",
  unverified: "not checked",
};

/** One line of an excerpt; `highlights` are half-open, in UTF-16 units of `text`. */
export interface Line {
  readonly number: number;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}

/** The excerpt as lines with what matched in each. The server counts code points, the editor UTF-16 units. */
export function excerpt(hit: Hit): readonly Line[] {
  const offsets = units(hit.snippet);
  const spans = (hit.highlights ?? []).map(
    ([start, end]) => [offsets[start] ?? hit.snippet.length, offsets[end] ?? hit.snippet.length] as const,
  );
  const lines: Line[] = [];
  let start = 0;
  for (const text of hit.snippet.replace(/\n$/, "").split("\n")) {
    const end = start + text.length;
    const inside = spans
      .filter(([from, to]) => from < end && to > start)
      .map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start] as const);
    lines.push({ number: hit.snippetLines[0] + lines.length, text, highlights: inside });
    start = end + 1;
  }
  return lines;
}

/** Where each code point begins, and where the last one ends. */
function units(text: string): readonly number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  offsets.push(at);
  return offsets;
}

/** The line of the excerpt that matches most, without what is not seen. */
export function bestLine(hit: Hit): string {
  const lines = excerpt(hit).filter(({ text }) => text.trim());
  const matched = (line: Line): number => line.highlights.reduce((sum, [from, to]) => sum + to - from, 0);
  const best = lines.reduce<Line | undefined>(
    (most, line) => (most === undefined || matched(line) > matched(most) ? line : most),
    undefined,
  );
  return plain(best?.text ?? "");
}

/** Why it was found, such as `exact, lexical`. */
export function why(hit: Hit): string {
  return hit.via.join(", ");
}

/** Each signal with its rank and what it saw, a line each. */
export function signals(hit: Hit): readonly string[] {
  return hit.signals.map(({ via, rank, score, reason }) => {
    const saw = reason ? `: ${plain(reason)}` : "";
    return `${via}, rank ${rank}, ${score.kind} ${score.value.toFixed(3)}${saw}`;
  });
}

/** Text of a tree as one line of words; control characters and what turns the direction of text go. */
export function plain(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ") // eslint-disable-line no-control-regex
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .trim();
}

/** The same for places where the editor makes icons of `$(name)`. */
export function iconless(text: string): string {
  return plain(text).replaceAll("$(", "\\$(");
}

/** The line that a citation names, counted from 1. */
export function cited(hit: Hit): number {
  return hit.selectionRange.start.line + 1;
}

/** The path and the line of a citation. */
export function place(hit: Hit): string {
  return plain(`${hit.path}:${cited(hit)}`);
}
