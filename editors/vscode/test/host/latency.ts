/**
 * From keystroke to list, in the extension host: how long it takes from a typed character to the entries that answer it.
 * GAZETTEER_TEST_TREE names the tree. Nothing is asserted: a machine that is busy is slow.
 */

import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import type { IndexStatus } from "../../src/protocol";
import { extension, ready } from "./bench";

const QUESTIONS = [
  "where is the configuration read",
  "handle errors of a connection",
  "parse_request headers",
  "test that a timeout is reported",
  "release notes for the last version",
  "who calls open",
  "class Client method send lang:python",
  "how are retries done path:**/*.md",
];
/** Between two keys of somebody who types fast, in milliseconds. */
const FAST = 80;
const ROUNDS = 3;

export async function run(): Promise<void> {
  const api = await extension();
  await ready(api);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const status = await api.parts.server.request<IndexStatus>("gazetteer/status", { root: folder?.uri.toString() });
  await vscode.commands.executeCommand("gazetteer.ask");
  const asking = api.commands.asking;
  if (asking === undefined) {
    throw new Error("the list is not open");
  }
  const each: number[] = [];
  const typed: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of QUESTIONS) {
      for (const prefix of prefixes(question)) {
        each.push(await measure(() => asking.type(prefix)));
      }
      const pending: Promise<void>[] = [];
      for (const prefix of prefixes(`${question} now`)) {
        const began = performance.now();
        pending.push(
          asking.type(prefix).then(() => {
            if (asking.answered === prefix.trim()) {
              typed.push(performance.now() - began); // what was overtaken never reached the list
            }
          }),
        );
        await new Promise((resolve) => setTimeout(resolve, FAST));
      }
      await Promise.all(pending);
    }
  }
  asking.hide();
  const lines = [
    `${status.chunks} chunks in ${status.documents} documents; load ${os
      .loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
    `one key after the other was answered: ${summary(each)}`,
    `a key every ${FAST} ms: ${summary(typed)}`,
  ];
  fs.writeFileSync(process.env.GAZETTEER_TEST_OUT ?? "/dev/stdout", `${lines.join("\n")}\n`);
}

function prefixes(text: string): readonly string[] {
  return Array.from(text, (_, at) => text.slice(0, at + 1));
}

async function measure(act: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

function summary(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `${sorted.length} keys, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
}
