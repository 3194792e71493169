/** The state of an index, and any other answer, as lines of text. Pure. */

import { plain } from "./ask/wording";
import type { IndexStatus } from "./protocol";

/** How an index is, for people. */
export function state(status: IndexStatus): string {
  const rows: readonly (readonly [string, string])[] = [
    ["tree", status.root],
    ["state", [status.state, status.reason].filter(Boolean).join(", ")],
    ["generation", String(status.generation)],
    ["documents", `${status.documents}${counted(status.languages ?? {})}`],
    ["chunks", `${status.chunks}, symbols ${status.symbols}`],
    ["left out", (status.refused ?? []).map(({ reason, count }) => `${reason} ${count}`).join(", ")],
    ["partial", status.partial ?? ""],
    ["last error", status.lastError ?? ""],
    ["index", `${status.dbPath}, ${(status.indexBytes / 1024 / 1024).toFixed(1)} MB`],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([name, value]) => `${name.padEnd(11)} ${plain(value)}\n`)
    .join("");
}

function counted(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return sorted.length ? ` (${sorted.map(([name, count]) => `${name} ${count}`).join(", ")})` : "";
}

/** An answer of which nothing more is known: as the server spells it. */
export function data(answer: unknown): string {
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}
