/**
 * Tools for the editor's agent mode: retrieve, expand, symbols. They only read; what they give is evidence within a budget,
 * marked as untrusted. There is no argument that goes around the planner or the checks of freshness.
 */

import * as vscode from "vscode";
import { CHARACTERS, quote } from "../evidence";
import type { Answer, Question } from "../protocol";
import type { Questions } from "../questions";

interface RetrieveInput {
  readonly query: string;
  readonly limit?: number;
  readonly path?: readonly string[];
  readonly lang?: readonly string[];
  readonly kind?: readonly string[];
}

interface ExpandInput {
  readonly locator: string;
  readonly before?: number;
  readonly after?: number;
}

interface SymbolsInput {
  readonly name: string;
  readonly limit?: number;
}

const MOST_HITS = 20;
const MOST_LINES = 200;
const DEFAULT_HITS = 6;

/** Register the tools, where the editor has an agent mode. */
export function registerTools(questions: Questions): vscode.Disposable {
  const retrieve = tool<RetrieveInput>(
    ({ query }) => `Asking Gazetteer for “${query}”`,
    async ({ query, limit, path, lang, kind }, token) => {
      const filters = { ...(path && { path }), ...(lang && { lang }), ...(kind && { kind }) };
      return quoted(query, await ask(questions, { query, ...filters }, limit, token));
    },
  );
  const expand = tool<ExpandInput>(
    () => "Reading around a passage",
    async ({ locator, before = 0, after = 0 }, token) => {
      const around = { before: bounded(before, 0, MOST_LINES), after: bounded(after, 0, MOST_LINES) };
      const found = await questions.expand({ locator }, around, token);
      const reason = found.reason ? `: ${found.reason}` : "";
      return `State: ${found.state}${reason}\n${quote(found.citation, found.state === "gone" ? [] : [found], { locators: true })}`;
    },
  );
  const symbols = tool<SymbolsInput>(
    ({ name }) => `Looking for the definition of “${name}”`,
    async ({ name, limit }, token) =>
      quoted(name, await ask(questions, { query: name, via: ["exact", "structural"] }, limit, token)),
  );
  return vscode.Disposable.from(
    vscode.lm.registerTool("gazetteer_retrieve", retrieve),
    vscode.lm.registerTool("gazetteer_expand", expand),
    vscode.lm.registerTool("gazetteer_symbols", symbols),
  );
}

function ask(
  questions: Questions,
  question: Question,
  limit: number | undefined,
  token: vscode.CancellationToken,
): Promise<Answer> {
  const bound = bounded(limit ?? DEFAULT_HITS, 1, MOST_HITS);
  return questions.retrieve({ ...question, limit: bound, budget: { characters: CHARACTERS } }, token);
}

function quoted(about: string, { hits, receipt }: Answer): string {
  const notices = [...receipt.missing, ...receipt.notices].map((notice) => `Notice: ${notice}\n`).join("");
  return quote(about, hits, { locators: true }) + notices;
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.trunc(value) || 0));
}

function tool<Input extends object>(
  saying: (input: Input) => string,
  act: (input: Input, token: vscode.CancellationToken) => Promise<string>,
): vscode.LanguageModelTool<Input> {
  return {
    prepareInvocation: ({ input }) => ({ invocationMessage: saying(input) }),
    invoke: async ({ input }, token) =>
      new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await act(input, token))]),
  };
}
